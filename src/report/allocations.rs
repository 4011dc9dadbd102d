//! Where memory was allocated, in the words of a report.

use schemars::JsonSchema;
use serde::Serialize;

use super::findings::share;
use super::model::{GrowerFacts, Location, OwnerFacts, PathFacts, StepFacts};
use crate::SafeText;
use crate::heap::sites::{Frame, Sum};
use crate::raw::allocations::Allocated;
use crate::summarise::advice::advice;
use crate::summarise::allocations::{By, Site, Way};
use crate::summarise::growth::{Pattern, delta};
use crate::summarise::owner_kind::{OwnerKind, Runtime};
use crate::summarise::owners::{Confidence, why};

/// Where memory was allocated, in each snapshot that tells it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AllocationFacts {
    /// What such snapshots cannot tell.
    pub cannot_tell: Vec<&'static str>,
    /// Frames of each stack of calls that were kept, in each snapshot.
    pub traceback_limits: Vec<u64>,
    /// Blocks of memory in each snapshot.
    pub blocks: Vec<u64>,
    /// Their bytes.
    pub bytes: Vec<u64>,
    /// Blocks by the allocator that they came from: 0 is Python's own.
    pub domains: Vec<DomainFacts>,
    /// Blocks put together in every way that tracemalloc knows, with its numbers and in its order.
    pub groups: Vec<GroupFacts>,
}

/// Blocks of one allocator.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DomainFacts {
    /// Its number.
    pub domain: u32,
    /// Blocks in each snapshot.
    pub blocks: Vec<u64>,
    /// Bytes in each snapshot.
    pub bytes: Vec<u64>,
}

/// Blocks put together in one way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupFacts {
    /// lineno, filename or traceback, as tracemalloc calls them.
    pub by: &'static str,
    /// Does a block count once for every frame of its stack, not for the last call alone?
    pub cumulative: bool,
    /// The last snapshot: what `statistics` gives.
    pub last: Vec<SiteFacts>,
    /// Groups that are not in the list, because it was limited.
    pub last_left_out: u64,
    /// The last snapshot beside the first: what `compare_to` gives. Nothing for a single snapshot.
    pub compared: Vec<SiteChange>,
    /// Groups that are not in that list.
    pub compared_left_out: u64,
}

/// A group of blocks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SiteFacts {
    /// The places, the oldest call first.
    pub frames: Vec<FrameFacts>,
    /// Bytes.
    pub bytes: u64,
    /// Blocks.
    pub blocks: u64,
}

/// A group of blocks in two snapshots.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SiteChange {
    /// The places, the oldest call first.
    pub frames: Vec<FrameFacts>,
    /// Bytes in the last snapshot.
    pub bytes: u64,
    /// Bytes more than in the first.
    pub delta_bytes: i64,
    /// Blocks in the last snapshot.
    pub blocks: u64,
    /// Blocks more than in the first.
    pub delta_blocks: i64,
}

/// A place in a source file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FrameFacts {
    /// The file.
    pub file: SafeText,
    /// The line, from 1; 0 where it is not known, or where blocks are put together by file.
    pub line: u32,
}

impl AllocationFacts {
    /// Every word of it and nothing of a snapshot.
    pub(super) fn blank() -> Self {
        let frames = || vec![FrameFacts { file: SafeText::literal(""), line: 1 }];
        let change = SiteChange { frames: frames(), bytes: 0, delta_bytes: 0, blocks: 0, delta_blocks: 0 };
        let group = |(by, cumulative): (By, bool)| GroupFacts {
            by: by.name(),
            cumulative,
            last: vec![SiteFacts { frames: frames(), bytes: 0, blocks: 0 }],
            last_left_out: 1,
            compared: vec![change.clone()],
            compared_left_out: 1,
        };
        let domain = |domain| DomainFacts { domain, blocks: vec![0], bytes: vec![0] };
        Self {
            cannot_tell: CANNOT_TELL.to_vec(),
            traceback_limits: vec![1],
            blocks: vec![0],
            bytes: vec![0],
            domains: [0, 1].map(domain).to_vec(),
            groups: By::ALL.map(group).to_vec(),
        }
    }
}

/// What tracemalloc cannot tell.
pub(super) const CANNOT_TELL: [&str; 5] = [
    "who holds the memory: tracemalloc knows where blocks were allocated, not what refers to them; in the process gc.get_referrers can tell",
    "what is garbage: objects that refer to each other stay until they are collected; call gc.collect() before each snapshot",
    "contents and types: a block has a size and a stack of calls, and nothing else",
    "memory that Python did not hand out: C libraries, mapped files, what freed blocks leave, and all that was allocated before tracing began",
    "callers beyond the frames that were kept: tracemalloc.start() keeps one, tracemalloc.start(25) the last 25",
];

const SINGLE: &str =
    "one snapshot cannot show growth: what is told of it is where memory was allocated that is still in use";
const TWO: &str = "two snapshots show at which lines more was allocated than freed, not that it goes on; take at least one more under the \
                   same load; tracemalloc does not tell who holds it";
const SERIES: &str = "what is listed grew in every snapshot and not less at the end, by the line that allocated it; tracemalloc does not \
                      tell who holds it; that the snapshots are of one process and in order is taken as given; what tracemalloc and \
                      the import system allocate is left out";
/// What a report says of the part about what grows.
const PART: &str = "where what grew in every snapshot was allocated, and the calls that led there, are listed first; who holds it is not known";
const REPEATED: &str = "a snapshot was passed twice, so nothing can be said about growth";

/// What it says of the fix where no module tells who keeps things.
const FIX: &str = "missing: the calls do not say who holds it; look at the program's own line that is nearest to what grew most, and at what \
                   keeps what that line makes";

/// Every text of this file.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    CANNOT_TELL.into_iter().chain([SINGLE, TWO, SERIES, REPEATED, PART, FIX])
}

/// What lists of growers can say for so many snapshots.
pub(super) const fn means(snapshots: usize, is_repeated: bool) -> &'static str {
    match snapshots {
        _ if is_repeated => REPEATED,
        0 | 1 => SINGLE,
        2 => TWO,
        _ => SERIES,
    }
}

pub(super) const fn part() -> &'static str {
    PART
}

pub(super) const fn fix() -> &'static str {
    FIX
}

/// Finds words for the numbers of a call.
pub(super) struct Words<'a> {
    pub(super) found: &'a Allocated,
    pub(super) work: Option<&'a [f64]>,
}

impl Words<'_> {
    fn file(&self, file: u32) -> SafeText {
        self.found.files[file as usize].clone()
    }

    fn frames(&self, by: By, key: u32) -> Vec<FrameFacts> {
        let frame = |frame: Frame| FrameFacts { file: self.file(frame.file), line: frame.line };
        self.found.numbers.places(by, key).into_iter().map(frame).collect()
    }

    /// `limit`: rows of each list, 0 for all.
    pub(super) fn facts(&self, limit: usize) -> AllocationFacts {
        let numbers = &self.found.numbers;
        let totals = numbers.totals();
        let blocks = |sums: &[Sum]| sums.iter().map(|sum| sum.blocks).collect();
        let bytes = |sums: &[Sum]| sums.iter().map(|sum| sum.bytes).collect();
        let domain =
            |(domain, sums): (u32, Vec<Sum>)| DomainFacts { domain, blocks: blocks(&sums), bytes: bytes(&sums) };
        AllocationFacts {
            cannot_tell: CANNOT_TELL.to_vec(),
            traceback_limits: numbers.limits(),
            blocks: blocks(&totals),
            bytes: bytes(&totals),
            domains: numbers.domains().into_iter().map(domain).collect(),
            groups: By::ALL.into_iter().map(|(by, cumulative)| self.group(by, cumulative, limit)).collect(),
        }
    }

    fn group(&self, by: By, cumulative: bool, limit: usize) -> GroupFacts {
        let numbers = &self.found.numbers;
        let newest = numbers.snapshots() - 1;
        let cut = |len: usize| if limit == 0 { len } else { len.min(limit) };
        let last = numbers.statistics(newest, by, cumulative);
        let compared = if newest > 0 { numbers.compare(0, newest, by, cumulative) } else { Vec::new() };
        GroupFacts {
            by: by.name(),
            cumulative,
            last_left_out: (last.len() - cut(last.len())) as u64,
            compared_left_out: (compared.len() - cut(compared.len())) as u64,
            last: last[..cut(last.len())]
                .iter()
                .map(|row| SiteFacts { frames: self.frames(by, row.key), bytes: row.sum.bytes, blocks: row.sum.blocks })
                .collect(),
            compared: compared[..cut(compared.len())]
                .iter()
                .map(|row| {
                    let (delta_bytes, delta_blocks) = row.more();
                    let (bytes, blocks) = (row.after.bytes, row.after.blocks);
                    SiteChange { frames: self.frames(by, row.key), bytes, delta_bytes, blocks, delta_blocks }
                })
                .collect(),
        }
    }

    /// What grew: in a way that says leak, and in other ways.
    pub(super) fn growers(&self) -> (Vec<GrowerFacts>, Vec<GrowerFacts>) {
        let sites = self.found.growth.iter().flat_map(|growth| &growth.sites);
        let (leaks, others): (Vec<&Site>, Vec<&Site>) =
            sites.partition(|site| matches!(site.pattern, Pattern::Grew | Pattern::Steady));
        let all = |sites: Vec<&Site>| sites.into_iter().map(|site| self.grower(site)).collect();
        (all(leaks), all(others))
    }

    fn location(&self, frame: Frame) -> Location {
        Location { script: Some(self.file(frame.file)), script_id: frame.file, line: frame.line, column: 0 }
    }

    fn grower(&self, site: &Site) -> GrowerFacts {
        let counts: Vec<u64> = site.history.iter().map(|sum| sum.blocks).collect();
        let bytes: Vec<u64> = site.history.iter().map(|sum| sum.bytes).collect();
        let total = self.found.growth.as_ref().map_or(0, |growth| growth.total);
        let done = self.work.and_then(|work| Some(work.last()? - work.first()?)).filter(|done| *done > 0.0);
        let blocks = delta(&counts);
        let all = site.history.last().copied().unwrap_or_default();
        GrowerFacts {
            class: self.file(site.place.file).with_number(":", site.place.line),
            location: Some(self.location(site.place)),
            holder: None,
            growth: site.growth,
            share: share(site.growth as f64, total as f64),
            new_objects: u64::try_from(blocks).unwrap_or(0),
            pattern: site.pattern.name(),
            monotone: matches!(site.pattern, Pattern::Grew | Pattern::Steady | Pattern::Slowing),
            delta_count: blocks,
            delta_shallow: delta(&bytes),
            delta_retained: delta(&bytes),
            new: counts.first() == Some(&0),
            per_work: done.map(|done| share(blocks as f64, done)),
            bytes_per_work: done.map(|done| share(site.growth as f64, done)),
            owner: self.owner(site),
            paths: site.ways.iter().map(|way| self.path(way, all)).collect(),
            counts,
            shallow: bytes.clone(),
            retained: bytes,
        }
    }

    fn owner(&self, site: &Site) -> OwnerFacts {
        let kind = site.owner.unwrap_or(OwnerKind::Unknown);
        let known = advice(kind, Runtime::Python);
        let module = site.owner.map(|_| why::MODULE);
        OwnerFacts {
            kind: kind.name(),
            name: None,
            function: None,
            event: None,
            confidence: Confidence::Low.name(),
            evidence: module.into_iter().chain([why::ALLOCATED]).collect(),
            location: site.near.map(|frame| self.location(frame)),
            means: known.map(|a| a.means),
            advice: known.map(|a| a.advice),
            before: known.map(|a| a.before),
            after: known.map(|a| a.after),
        }
    }

    /// A stack of calls as a way: the oldest call first. Calls of one line in a row are one step.
    fn path(&self, way: &Way, all: Sum) -> PathFacts {
        let mut steps: Vec<StepFacts> = Vec::new();
        let mut before = None;
        for frame in self.found.numbers.places(By::Stack, way.stack) {
            if let (true, Some(step)) = (before == Some(frame), steps.last_mut()) {
                step.repeats += 1;
                continue;
            }
            before = Some(frame);
            steps.push(StepFacts {
                edge_kind: CALL,
                edge: SafeText::numbered("line ", frame.line),
                class: self.file(frame.file),
                name: None,
                retained: way.sum.bytes,
                location: Some(self.location(frame)),
                repeats: 1,
                is_holder: false,
            });
        }
        PathFacts { count: way.sum.blocks, share: share(way.sum.blocks as f64, all.blocks as f64), steps }
    }
}

/// The word for a step from a call to the one that it made.
pub(super) const CALL: &str = "call";
