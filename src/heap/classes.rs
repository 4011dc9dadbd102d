//! The class table: counts and sizes of each class, as the runtime's own tools show them.

use super::dominators::{Dominators, Tree};
use super::graph::Heap;

/// One row. Objects without bytes of their own (they went to an owner) are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassRow {
    pub(crate) count: u64,
    /// Bytes of the objects themselves.
    pub(crate) shallow: u64,
    /// Bytes that would go with all of them: of objects that hold others of their class, only the outermost count.
    pub(crate) retained: u64,
    /// Of the nearest one.
    pub(crate) distance: i32,
}

/// A row for each class of the heap, in its order.
pub(crate) fn rows(heap: &Heap<'_>, tree: &Tree, retained: &[u64]) -> Vec<ClassRow> {
    let mut rows = vec![ClassRow { distance: i32::MAX, ..ClassRow::default() }; heap.classes.len()];
    // In the order of the tree, everything that the last counted object of a class holds stands before this place.
    let mut held_up_to = vec![0_u32; heap.classes.len()];
    for (place, node) in tree.order.iter().enumerate() {
        let n = *node as usize;
        let size = heap.sizes[n];
        if size == 0 {
            continue;
        }
        let class = heap.class_of[n] as usize;
        let row = &mut rows[class];
        row.count += 1;
        row.shallow = row.shallow.saturating_add(size);
        row.distance = row.distance.min(heap.distances[n]);
        if place as u32 >= held_up_to[class] {
            row.retained = row.retained.saturating_add(retained[n]);
            held_up_to[class] = place as u32 + tree.below[n];
        }
    }
    rows
}

/// Everything that follows from who refers to whom, computed once for a snapshot.
#[derive(Debug)]
pub(crate) struct Sizes {
    pub(crate) dominators: Dominators,
    pub(crate) tree: Tree,
    /// Bytes that would go with each object.
    pub(crate) retained: Vec<u64>,
    pub(crate) rows: Vec<ClassRow>,
}

impl Sizes {
    pub(crate) fn of(heap: &Heap<'_>, dominators: Dominators) -> Self {
        let (retained, tree) = rayon::join(|| dominators.retained(&heap.sizes), || dominators.tree());
        let rows = rows(heap, &tree, &retained);
        Self { dominators, tree, retained, rows }
    }
}
