//! Where memory was allocated: blocks by the stack of source lines that asked for them. What profilers of allocations know in
//! place of a graph; every such format fills this. Numbers only: files are entries of the text table.

use std::collections::BTreeMap;

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Frame {
    /// The number of its file.
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// Blocks of memory, added up. Sums beyond what a number holds stay at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) bytes: u64,
    pub(crate) blocks: u64,
}

impl Sum {
    pub(crate) fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.blocks = self.blocks.saturating_add(other.blocks);
    }
}

/// The blocks of one snapshot.
#[derive(Debug)]
pub(crate) struct Sites<'a> {
    /// How many files there are; they are the first entries of the text table.
    pub(crate) files: u32,
    /// Every place once.
    pub(crate) frames: Vec<Frame>,
    first: &'a [u32],
    stacks: &'a [u32],
    /// What each stack allocated.
    pub(crate) by_stack: Vec<Sum>,
    /// What came from each allocator.
    pub(crate) by_domain: BTreeMap<u32, Sum>,
    /// How many frames of a stack were kept.
    pub(crate) limit: u64,
}

impl<'a> Sites<'a> {
    /// `blocks`: stack, domain and size of each. The frames of stack `n` are `stacks[first[n]..first[n + 1]]`, the most recent
    /// call first.
    pub(crate) fn new(
        files: u32,
        frames: Vec<Frame>,
        first: &'a [u32],
        stacks: &'a [u32],
        blocks: impl Iterator<Item = (u32, u32, u64)>,
        limit: u64,
    ) -> Self {
        let mut by_stack = vec![Sum::default(); first.len().saturating_sub(1)];
        let (mut by_domain, mut current): (BTreeMap<u32, Sum>, (u32, Sum)) = Default::default();
        for (stack, domain, bytes) in blocks {
            let one = Sum { bytes, blocks: 1 };
            by_stack[stack as usize].add(one);
            // Nearly all blocks come from one allocator.
            if domain != current.0 {
                by_domain.entry(current.0).or_default().add(current.1);
                current = (domain, Sum::default());
            }
            current.1.add(one);
        }
        by_domain.entry(current.0).or_default().add(current.1);
        by_domain.retain(|_, sum| sum.blocks > 0);
        Self { files, frames, first, stacks, by_stack, by_domain, limit }
    }

    /// The frames of a stack, the most recent call first.
    pub(crate) fn stack(&self, number: usize) -> &'a [u32] {
        &self.stacks[self.first[number] as usize..self.first[number + 1] as usize]
    }
}
