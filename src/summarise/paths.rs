//! Retention paths: the ways to many objects, merged where they say the same.

use std::collections::BTreeMap;

use crate::heap::StrId;
use crate::heap::classes::Sizes;
use crate::heap::graph::{EdgeKind, Heap, NodeKind, Place};
use crate::heap::routes::{Routes, Signatures, Step};

/// Steps at each end of a long way; what is between is left out.
const STEPS: usize = 24;

/// How an edge is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeName {
    Text(StrId),
    /// A place in a list.
    Index(u32),
    /// Steps that are left out.
    Gap(u32),
}

/// One step of a path, for reports.
#[derive(Clone, Debug)]
pub(crate) struct PathStep {
    pub(crate) kind: EdgeKind,
    pub(crate) name: EdgeName,
    pub(crate) class: u32,
    /// The name of a function or a group of roots.
    pub(crate) called: Option<StrId>,
    pub(crate) retained: u64,
    pub(crate) place: Option<Place>,
    pub(crate) repeats: u32,
    /// Is this the object that holds what grew?
    pub(crate) is_holder: bool,
}

/// Ways that say the same.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// Objects they lead to, of so many that were looked at.
    pub(crate) count: u64,
    pub(crate) of: u64,
    pub(crate) steps: Vec<PathStep>,
}

/// A way for each signature: how many objects it leads to, and the one that is furthest away (of a chain it shows most).
/// The most frequent first.
pub(crate) fn merged(heap: &Heap<'_>, routes: &Routes, signatures: &mut Signatures, nodes: &[u32]) -> Vec<(u64, u32)> {
    let mut groups: BTreeMap<u64, (u64, u32, u32)> = BTreeMap::new();
    for node in nodes.iter().filter(|node| routes.is_reached(heap, **node)) {
        let (signature, steps) = signatures.of(heap, routes, *node);
        let group = groups.entry(signature).or_insert((0, steps, *node));
        group.0 += 1;
        if steps > group.1 {
            (group.1, group.2) = (steps, *node);
        }
    }
    let mut groups: Vec<(u64, u32)> = groups.into_values().map(|(count, _, node)| (count, node)).collect();
    groups.sort_by_key(|(count, node)| (std::cmp::Reverse(*count), *node));
    groups
}

/// The way to a node, to be shown.
pub(crate) fn shown(heap: &Heap<'_>, sizes: &Sizes, steps: &[Step], holder: Option<u32>) -> Vec<PathStep> {
    let show = |step: &Step| {
        let edge = step.edge as usize;
        let kind = heap.edge_kind(edge);
        let name = match kind {
            EdgeKind::Element | EdgeKind::Hidden => EdgeName::Index(heap.edge_name[edge]),
            _ => EdgeName::Text(StrId(heap.edge_name[edge])),
        };
        let is_function = heap.node_kind(step.node) == NodeKind::Function;
        let is_called = is_function || heap.node_kind(step.node) == NodeKind::Root;
        PathStep {
            kind,
            name,
            class: heap.class_of[step.node as usize],
            called: is_called.then(|| StrId(heap.node_name[step.node as usize])),
            retained: sizes.retained[step.node as usize],
            place: if is_function { heap.place(step.node) } else { None },
            repeats: step.repeats,
            is_holder: holder == Some(step.node),
        }
    };
    if steps.len() <= 2 * STEPS {
        return steps.iter().map(show).collect();
    }
    let left_out = steps.len() - 2 * STEPS;
    let mut out: Vec<PathStep> = steps[..STEPS].iter().map(show).collect();
    let gap = &steps[STEPS + left_out - 1];
    out.push(PathStep { name: EdgeName::Gap(left_out as u32), ..show(gap) });
    out.extend(steps[STEPS + left_out..].iter().map(show));
    out
}
