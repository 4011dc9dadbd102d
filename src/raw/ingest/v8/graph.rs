//! The columns of nodes and edges, read in parallel and checked: every reference points into the file.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::layout::{EdgeType, Layout, NodeType};
use super::numbers::{Rows, split, term};
use crate::{Error, Kind, Result, Stage, limits};

/// Element indices from here on are data (a phone number used as a key), and are renumbered by the writer.
pub(super) const LARGE_INDEX: u32 = 10_000_000;

/// One entry per node or edge; the edges of node `n` are `first_edge[n]..first_edge[n + 1]`.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) node_type: Vec<u8>,
    pub(super) node_name: Vec<u32>,
    pub(super) first_edge: Vec<u32>,
    pub(super) edge_type: Vec<u8>,
    pub(super) edge_name: Vec<u32>,
    pub(super) edge_to: Vec<u32>,
    /// Sum over all numbers that are not texts.
    pub(super) sum: u64,
    pub(super) highest_id: u64,
    /// Objects whose element indices are far apart: such indices are keys.
    sparse: FxHashSet<u32>,
}

/// Parts of three columns, and the rows that fill them.
type Run<'c, 'b> = (((&'c mut [u8], &'c mut [u32]), &'c mut [u32]), &'c Rows<'b>);

fn expected(what: &'static str) -> Error {
    Error::new(Stage::Ingest, Kind::Malformed { what })
}

fn total(rows: &[Rows<'_>], what: &'static str) -> Result<usize> {
    let count: usize = rows.iter().map(|r| r.count).sum();
    if count as u64 > limits::INDEX {
        return Err(Error::new(Stage::Ingest, Kind::Limit { what, limit: limits::INDEX }));
    }
    Ok(count)
}

/// Cuts columns into one set of slices for each run of rows.
pub(super) fn slices<'c, T>(column: &'c mut [T], rows: &[Rows<'_>]) -> Vec<&'c mut [T]> {
    let mut rest = column;
    let mut out = Vec::with_capacity(rows.len());
    for run in rows {
        let (head, tail) = rest.split_at_mut(run.count);
        out.push(head);
        rest = tail;
    }
    out
}

impl Graph {
    pub(super) fn read(
        bytes: &[u8],
        layout: &Layout,
        nodes: (usize, usize),
        edges: (usize, usize),
        strings: usize,
    ) -> Result<Self> {
        let mut graph = Self::default();
        let stride = layout.node_fields.len();
        let rows = split(&bytes[nodes.0..nodes.1], nodes.0, stride, "whole nodes in the nodes section")?;
        graph.read_nodes(layout, &rows, strings)?;
        let rows = split(&bytes[edges.0..edges.1], edges.0, 3, "whole edges in the edges section")?;
        graph.read_edges(layout, &rows, strings)?;
        if graph.first_edge.last().copied().unwrap_or(0) as usize != graph.edge_to.len() {
            return Err(expected("as many edges as the nodes say they have"));
        }
        let says = |name, count: usize| layout.count(name).is_none_or(|n| n == count as i64);
        if !says("node_count", graph.node_type.len()) || !says("edge_count", graph.edge_to.len()) {
            return Err(expected("node_count and edge_count of the header to be the true counts"));
        }
        graph.read_elements(layout);
        Ok(graph)
    }

    fn read_nodes(&mut self, layout: &Layout, rows: &[Rows<'_>], strings: usize) -> Result<()> {
        let count = total(rows, "nodes")?;
        if count == 0 {
            return Err(expected("at least one node"));
        }
        self.node_type = vec![0; count];
        self.node_name = vec![0; count];
        let mut edge_count = vec![0_u32; count];
        let stride = layout.node_fields.len();
        let (type_at, name_at, edges_at) =
            (layout.node_field("type"), layout.node_field("name"), layout.node_field("edge_count"));
        let id_at = layout.node_field("id");
        let columns = slices(&mut self.node_type, rows)
            .into_par_iter()
            .zip(slices(&mut self.node_name, rows))
            .zip(slices(&mut edge_count, rows))
            .zip(rows.par_iter());
        let read = |(((types, names), counts), run): Run<'_, '_>| {
            let mut numbers = run.numbers();
            let (mut sum, mut highest_id) = (0_u64, 0);
            for row in 0..run.count {
                for field in 0..stride {
                    let value = numbers.next()?.ok_or_else(|| expected("whole nodes in the nodes section"))?;
                    let bound =
                        |n: usize, what| if (0..n as i64).contains(&value) { Ok(()) } else { Err(expected(what)) };
                    if Some(field) == name_at {
                        bound(strings, "node names inside the strings section")?;
                        names[row] = value as u32;
                        continue;
                    }
                    if Some(field) == type_at {
                        bound(layout.node_types.len(), "node types of the header")?;
                        types[row] = value as u8;
                    } else if Some(field) == edges_at {
                        bound(limits::INDEX as usize, "a number of edges")?;
                        counts[row] = value as u32;
                    } else {
                        bound(usize::MAX >> 1, "numbers of zero or more")?;
                    }
                    if Some(field) == id_at {
                        highest_id = highest_id.max(value as u64);
                    }
                    sum = sum.wrapping_add(term(((run.first + row) * stride + field) as u64, value));
                }
            }
            Ok((sum, highest_id))
        };
        let sums: Result<Vec<(u64, u64)>> = columns.map(read).collect();
        for (sum, id) in sums? {
            self.sum = self.sum.wrapping_add(sum);
            self.highest_id = self.highest_id.max(id);
        }
        // The column of counts becomes the column of first edges in place.
        let mut next = 0_u64;
        for slot in &mut edge_count {
            let here = u64::from(*slot);
            *slot = next as u32;
            next += here;
            if next > limits::INDEX {
                return Err(Error::new(Stage::Ingest, Kind::Limit { what: "edges", limit: limits::INDEX }));
            }
        }
        edge_count.push(next as u32);
        self.first_edge = edge_count;
        Ok(())
    }

    fn read_edges(&mut self, layout: &Layout, rows: &[Rows<'_>], strings: usize) -> Result<()> {
        let count = total(rows, "edges")?;
        self.edge_type = vec![0; count];
        self.edge_name = vec![0; count];
        self.edge_to = vec![0; count];
        let (nodes, stride) = (self.node_type.len(), layout.node_fields.len() as i64);
        let columns = slices(&mut self.edge_type, rows)
            .into_par_iter()
            .zip(slices(&mut self.edge_name, rows))
            .zip(slices(&mut self.edge_to, rows))
            .zip(rows.par_iter());
        let read = |(((types, names), targets), run): Run<'_, '_>| {
            let mut numbers = run.numbers();
            let mut sum = 0_u64;
            for row in 0..run.count {
                let mut next = || numbers.next()?.ok_or_else(|| expected("whole edges in the edges section"));
                let (kind, name, to) = (next()?, next()?, next()?);
                let edge_type = usize::try_from(kind).ok().and_then(|k| layout.edge_types.get(k));
                let edge_type = edge_type.ok_or_else(|| expected("edge types of the header"))?;
                let bound = if edge_type.is_indexed() { i64::from(u32::MAX) + 1 } else { strings as i64 };
                if !(0..bound).contains(&name) {
                    return Err(expected("edge names inside the strings section"));
                }
                if to < 0 || to % stride != 0 || to / stride >= nodes as i64 {
                    return Err(expected("edges that point at nodes"));
                }
                (types[row], names[row], targets[row]) = (kind as u8, name as u32, (to / stride) as u32);
                let place = (run.first + row) as u64 * 3;
                sum = sum.wrapping_add(term(place, kind));
                if !edge_type.is_ordered() {
                    sum = sum.wrapping_add(term(place + 2, to));
                }
                if *edge_type == EdgeType::Hidden {
                    sum = sum.wrapping_add(term(place + 1, name));
                }
            }
            Ok(sum)
        };
        let sums: Result<Vec<u64>> = columns.map(read).collect();
        // Turned, so that an edge cannot take the place of a node in the sum.
        let edges = sums?.into_iter().fold(0, u64::wrapping_add);
        self.sum = self.sum.wrapping_add(edges.rotate_left(1));
        Ok(())
    }

    /// Finds the objects whose indices are keys, and sums up all other indices. What the numbered edges of a node
    /// lead to is summed up without their order, which the writer may change (`spelled`).
    fn read_elements(&mut self, layout: &Layout) {
        let elements = |n: usize| self.edges_of(n).filter(|e| self.edge_kind(layout, *e) == EdgeType::Element);
        let is_sparse = |n: &usize| {
            let (count, highest) =
                elements(*n).fold((0, 0), |(count, high), e| (count + 1, self.edge_name[e].max(high)));
            let can_have_keys = matches!(
                self.node_kind(layout, *n),
                NodeType::Object | NodeType::Closure | NodeType::Regexp | NodeType::Native
            );
            can_have_keys && highest >= 1000 && u64::from(highest) >= count * 8
        };
        let sparse: FxHashSet<u32> = (0..self.nodes()).filter(is_sparse).map(|n| n as u32).collect();
        let mut sum = self.sum;
        for n in 0..self.nodes() {
            let keys = sparse.contains(&(n as u32));
            for e in self.edges_of(n) {
                let kind = self.edge_kind(layout, e);
                if kind == EdgeType::Element {
                    let index = if keys { LARGE_INDEX } else { self.edge_name[e].min(LARGE_INDEX) };
                    sum = sum.wrapping_add(term(e as u64 | 1 << 59, index.into()));
                }
                if kind.is_ordered() {
                    sum = sum.wrapping_add(term(
                        (n as u64) << 8 | u64::from(self.edge_type[e]) | 1 << 58,
                        self.edge_to[e].into(),
                    ));
                }
            }
        }
        (self.sum, self.sparse) = (sum, sparse);
    }

    /// Is the index of this element a key, and so data?
    pub(super) fn is_index_data(&self, node: usize, edge: usize) -> bool {
        self.edge_name[edge] >= LARGE_INDEX || self.sparse.contains(&(node as u32))
    }

    /// Which entries of the table are names of objects, and so of classes.
    pub(super) fn class_names(&self, layout: &Layout, strings: usize) -> Vec<bool> {
        let mut names = vec![false; strings];
        for n in (0..self.nodes()).filter(|n| self.node_kind(layout, *n) == NodeType::Object) {
            names[self.node_name[n] as usize] = true;
        }
        names
    }

    pub(super) fn nodes(&self) -> usize {
        self.node_type.len()
    }

    pub(super) fn edges_of(&self, node: usize) -> std::ops::Range<usize> {
        self.first_edge[node] as usize..self.first_edge[node + 1] as usize
    }

    pub(super) fn node_kind(&self, layout: &Layout, node: usize) -> NodeType {
        layout.node_types[usize::from(self.node_type[node])]
    }

    pub(super) fn edge_kind(&self, layout: &Layout, edge: usize) -> EdgeType {
        layout.edge_types[usize::from(self.edge_type[edge])]
    }
}
