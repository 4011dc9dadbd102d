//! What a later comparison needs of a snapshot whose graph is gone: its objects by number.

use rayon::prelude::*;

use crate::heap::classes::Sizes;
use crate::heap::graph::Heap;

/// Not there.
pub(crate) const ABSENT: u32 = u32::MAX;

/// The objects of one snapshot, in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    ids: Vec<u64>,
    /// The class of each, as all snapshots of the call count them.
    classes: Vec<u32>,
    sizes: Vec<u64>,
    retained: Vec<u64>,
}

/// Nodes in the order of their numbers.
pub(crate) fn by_id(heap: &Heap<'_>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..heap.nodes() as u32).collect();
    order.par_sort_unstable_by_key(|node| (heap.ids[*node as usize], *node));
    order
}

impl Objects {
    /// `class_of`: the number of each class of the heap among those of all snapshots.
    pub(crate) fn of(heap: &Heap<'_>, sizes: &Sizes, class_of: &[u32]) -> Self {
        let order = by_id(heap);
        let pick = |of: &dyn Fn(usize) -> u64| order.iter().map(|node| of(*node as usize)).collect::<Vec<u64>>();
        Self {
            ids: pick(&|n| heap.ids[n]),
            classes: order.iter().map(|n| class_of[heap.class_of[*n as usize] as usize]).collect(),
            sizes: pick(&|n| heap.sizes[n]),
            retained: pick(&|n| sizes.retained[n]),
        }
    }

    /// For each node of a later snapshot, where it stands among these objects. Numbers of the embedder's objects (even
    /// ones) may be given again, so those must be of the same class.
    pub(crate) fn find(&self, heap: &Heap<'_>, by_id: &[u32], class_of: &[u32]) -> Vec<u32> {
        let mut found = vec![ABSENT; heap.nodes()];
        let mut at = 0;
        for node in by_id {
            let id = heap.ids[*node as usize];
            while self.ids.get(at).is_some_and(|other| *other < id) {
                at += 1;
            }
            if self.ids.get(at) != Some(&id) {
                continue;
            }
            let same = self.classes[at] == class_of[heap.class_of[*node as usize] as usize];
            if id % 2 == 1 || same {
                found[*node as usize] = at as u32;
            }
        }
        found
    }

    /// Bytes that went with an object.
    pub(crate) fn retained(&self, at: u32) -> u64 {
        self.retained.get(at as usize).copied().unwrap_or(0)
    }

    /// Objects of each class that are in a later snapshot and not here, and the other way round, with their bytes.
    pub(crate) fn compare(&self, heap: &Heap<'_>, by_id: &[u32], class_of: &[u32], classes: usize) -> Vec<Changed> {
        let mut changed = vec![Changed::default(); classes];
        let mut at = 0;
        let gone = |at: usize, changed: &mut Vec<Changed>| {
            if self.sizes[at] > 0 {
                let row = &mut changed[self.classes[at] as usize];
                row.removed += 1;
                row.removed_bytes = row.removed_bytes.saturating_add(self.sizes[at]);
            }
        };
        let come = |node: u32, changed: &mut Vec<Changed>| {
            let size = heap.sizes[node as usize];
            if size > 0 {
                let row = &mut changed[class_of[heap.class_of[node as usize] as usize] as usize];
                row.added += 1;
                row.added_bytes = row.added_bytes.saturating_add(size);
            }
        };
        for node in by_id {
            let id = heap.ids[*node as usize];
            while self.ids.get(at).is_some_and(|other| *other < id) {
                gone(at, &mut changed);
                at += 1;
            }
            if self.ids.get(at) != Some(&id) {
                come(*node, &mut changed);
                continue;
            }
            // What is of another class now, or lost or got its bytes, is another object to whoever counts by class.
            let now = class_of[heap.class_of[*node as usize] as usize];
            let counted = (self.sizes[at] > 0, heap.sizes[*node as usize] > 0);
            if now != self.classes[at] || counted.0 != counted.1 {
                gone(at, &mut changed);
                come(*node, &mut changed);
            }
            at += 1;
        }
        for at in at..self.ids.len() {
            gone(at, &mut changed);
        }
        changed
    }
}

/// What became of the objects of a class between two snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) added: u64,
    pub(crate) removed: u64,
    pub(crate) added_bytes: u64,
    pub(crate) removed_bytes: u64,
}
