//! The columns that only a report needs: numbers, sizes and detachedness of objects, and places in source texts.

use rayon::prelude::*;

use super::super::Snapshot;
use super::super::graph::slices;
use super::super::layout::Refers;
use super::super::numbers::{Numbers, Rows, split};
use super::super::sections::Section;
use crate::heap::graph::Place;
use crate::{Error, Kind, Result, Stage};

/// One entry for each node.
#[derive(Debug, Default)]
pub(in crate::raw::ingest::v8) struct Columns {
    pub(in crate::raw::ingest::v8) ids: Vec<u64>,
    pub(in crate::raw::ingest::v8) sizes: Vec<u64>,
    /// 0 unknown, 1 in the page, 2 out of it; empty where the file does not say.
    pub(super) detachedness: Vec<u8>,
}

/// Where an object was made or a function stands.
pub(super) struct Location {
    pub(super) node: u32,
    pub(super) place: Place,
    /// The object that stands for the script, where the file says so.
    pub(super) script: Option<u32>,
}

fn bad() -> Error {
    Error::new(Stage::Ingest, Kind::Malformed { what: "whole nodes in the nodes section" })
}

/// Parts of three columns and the rows that fill them; the third is empty where nothing tells.
type Run<'c, 'b> = (((&'c mut [u64], &'c mut [u64]), &'c mut [u8]), &'c Rows<'b>);

impl Snapshot<'_> {
    /// Reads the numbers that a report needs. They are not kept with the graph, since scrubbing does without them.
    pub(in crate::raw::ingest::v8) fn columns(&self) -> Result<Columns> {
        let nodes = self.outline.range(Section::Nodes).unwrap_or_default();
        let stride = self.layout.node_fields.len();
        let rows = split(&self.bytes[nodes.clone()], nodes.start, stride, "whole nodes in the nodes section")?;
        let (id_at, size_at) =
            (self.layout.node_field("id").ok_or(bad())?, self.layout.node_field("self_size").ok_or(bad())?);
        let detached_at = self.layout.node_field("detachedness");
        let count = self.graph.nodes();
        let mut columns = Columns { ids: vec![0; count], sizes: vec![0; count], detachedness: vec![0; count] };
        let runs = slices(&mut columns.ids, &rows)
            .into_par_iter()
            .zip(slices(&mut columns.sizes, &rows))
            .zip(slices(&mut columns.detachedness, &rows))
            .zip(rows.par_iter());
        let read = |(((ids, sizes), detachedness), run): Run<'_, '_>| {
            let mut numbers = run.numbers();
            for row in 0..run.count {
                for field in 0..stride {
                    // Every number was checked to be zero or more when the file was read.
                    let value = numbers.next()?.ok_or(bad())?.unsigned_abs();
                    if field == id_at {
                        ids[row] = value;
                    } else if field == size_at {
                        sizes[row] = value;
                    } else if Some(field) == detached_at {
                        detachedness[row] = value.min(3) as u8;
                    }
                }
            }
            Ok(())
        };
        runs.try_for_each(read)?;
        if detached_at.is_none() {
            columns.detachedness = Vec::new();
        }
        Ok(columns)
    }

    /// Places of objects and functions, in the order of the nodes.
    pub(super) fn locations(&self) -> Result<Vec<Location>> {
        let mut out = Vec::new();
        let Some(fields) = &self.layout.flat[2] else { return Ok(out) };
        let Some(range) = self.outline.range(Section::Flat(2)) else { return Ok(out) };
        let field = |name| fields.iter().position(|(n, _)| *n == name);
        let at = ["object_index", "script_id", "line", "column"].map(field);
        let [Some(node_at), Some(script_at), Some(line_at), Some(column_at)] = at else { return Ok(out) };
        let object_at = fields.iter().position(|(name, r)| *name == "script_object_index" && *r == Refers::Node);
        let stride = self.layout.node_fields.len() as i64;
        let mut numbers = Numbers::new(&self.bytes[range.clone()], range.start);
        let mut row = vec![0_i64; fields.len()];
        'rows: loop {
            for slot in &mut row {
                match numbers.next()? {
                    Some(value) => *slot = value,
                    // Whole rows were checked when the file was read.
                    None => break 'rows,
                }
            }
            let place = [script_at, line_at, column_at].map(|at| u32::try_from(row[at]).ok());
            let node = |at: usize| u32::try_from(row[at] / stride).ok().filter(|n| (*n as usize) < self.graph.nodes());
            // Functions of the engine have no place; engines write -1 or 0 for them.
            if let ([Some(script), Some(line), Some(column)], Some(n)) = (place, node(node_at)) {
                let script_node = object_at.and_then(node).filter(|n| *n != 0);
                out.push(Location { node: n, place: Place { script, line, column }, script: script_node });
            }
        }
        // The last one counts where a node has several, as in the tools of the engine.
        out.reverse();
        out.sort_by_key(|l| l.node);
        out.dedup_by_key(|l| l.node);
        Ok(out)
    }
}
