//! What a run will do: what each item takes, as far as its beginning tells.

use std::collections::BTreeMap;

use super::discover::Found;
use super::hex::Hex;
use super::place::Place;
use super::row::Why;
use crate::raw::input::archive::Probe;
use crate::{Error, Key};

/// A worker without a dump, with room for its threads.
const BASE_BYTES: u64 = 160 << 20;
/// For each object and each reference of a heap: columns, orders and dominators, twice over.
const NODE_BYTES: u64 = 240;
const EDGE_BYTES: u64 = 48;
/// For each byte of a dump of which nothing else is known.
const BYTE_BYTES: u64 = 12;
/// Bytes that one processor gets through in a second, and what a worker takes to start, as long as nothing was measured.
const BYTES_PER_SECOND: f64 = 20e6;
const START_SECONDS: f64 = 0.15;

/// An item of a run.
#[derive(Clone, Debug)]
pub struct Item {
    /// What stands for it.
    pub key: Hex,
    /// Where it lies.
    pub place: Place,
    pub(crate) probe: Result<Probe, Error>,
    pub(crate) is_passed_over: bool,
}

impl Item {
    pub(crate) fn new(found: Found, key: &Key) -> Self {
        let is_passed_over = found.is_passed_over();
        Self { key: found.place.key(key), place: found.place, probe: found.probe, is_passed_over }
    }

    /// Memory that its worker may take: what the beginning of the dump makes likely, within what its size makes possible.
    #[must_use]
    pub fn needs(&self) -> u64 {
        let Ok(probe) = &self.probe else { return 0 };
        let plain = probe.plain_bytes;
        let in_memory = if probe.is_unpacked { plain } else { 0 };
        let read = match probe.claimed {
            // A row of an object takes at least 14 bytes, one of a reference 6. A header that lies gets no more.
            Some((nodes, edges)) => {
                let (nodes, edges) = (nodes.min(plain / 14), edges.min(plain / 6));
                plain.saturating_add(nodes.saturating_mul(NODE_BYTES)).saturating_add(edges.saturating_mul(EDGE_BYTES))
            }
            None => plain.saturating_mul(BYTE_BYTES),
        };
        // In steps, so that a few bytes more or less change nothing.
        let bytes = BASE_BYTES.saturating_add(in_memory).saturating_add(read);
        bytes.div_ceil(16 << 20).saturating_mul(16 << 20)
    }

    /// The format, if it is a dump.
    #[must_use]
    pub fn format(&self) -> Option<&'static str> {
        self.probe.ok().map(|probe| probe.format)
    }

    /// Bytes when unpacked, as far as that is known.
    #[must_use]
    pub fn plain_bytes(&self) -> u64 {
        self.probe.map_or(0, |probe| probe.plain_bytes)
    }
}

/// What a run will do.
#[derive(Debug, Default)]
pub struct Plan {
    /// Items and bytes (unpacked) of each format.
    pub formats: BTreeMap<&'static str, (u64, u64)>,
    /// Items that will come to nothing, by class.
    pub faults: BTreeMap<Why, u64>,
    /// Files that are no dumps.
    pub passed_over: u64,
    /// Items that take more memory than there is.
    pub too_large: u64,
    /// Memory of the largest item that fits.
    pub largest: u64,
    /// Workers that fit beside each other, if all were like the largest.
    pub side_by_side: u64,
    /// Seconds that it takes, roughly.
    pub seconds: u64,
}

/// Plans a run. `measured`: bytes per second and processor, from earlier runs.
#[must_use]
pub fn plan(items: &[Item], memory: u64, jobs: usize, measured: Option<f64>) -> Plan {
    let mut plan = Plan::default();
    let mut seconds = 0.0;
    for item in items {
        let Ok(probe) = &item.probe else {
            if item.is_passed_over {
                plan.passed_over += 1;
            } else if let Err(error) = item.probe {
                *plan.faults.entry(Why::of(error)).or_default() += 1;
            }
            continue;
        };
        let (count, bytes) = plan.formats.entry(probe.format).or_default();
        (*count, *bytes) = (*count + 1, *bytes + probe.plain_bytes);
        let needs = item.needs();
        if needs > memory {
            plan.too_large += 1;
            continue;
        }
        plan.largest = plan.largest.max(needs);
        seconds += START_SECONDS + probe.plain_bytes as f64 / measured.unwrap_or(BYTES_PER_SECOND);
    }
    plan.side_by_side = memory.checked_div(plan.largest).unwrap_or(0).min(jobs as u64);
    plan.seconds = (seconds / jobs.max(1) as f64).ceil() as u64;
    plan
}
