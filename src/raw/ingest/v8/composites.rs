//! Texts that are put together: ropes over `first` and `second`, slices over `parent`, lists of short pieces.
//!
//! Nothing here recurses, and no rope is joined beyond the limits: `s = s + s` thirty times is a text of a gigabyte.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Snapshot;
use super::layout::{EdgeType, NodeType};
use super::words::Word;
use crate::heap::StrId;
use crate::limits;
use crate::raw::ingest::context::{Composite, Held, Joined, Part};

/// Nodes that one task looks at.
const CHUNK: u32 = 1 << 14;

impl Snapshot<'_> {
    pub(super) fn kind(&self, node: u32) -> NodeType {
        self.graph.node_kind(&self.layout, node as usize)
    }

    fn name(&self, node: u32) -> StrId {
        StrId(self.graph.node_name[node as usize])
    }

    fn bytes_of(&self, node: u32) -> u64 {
        self.outline.strings.raw(self.bytes, self.name(node).ix()).len() as u64
    }

    pub(super) fn word(&self, id: u32) -> Word {
        self.words[id as usize]
    }

    /// The node that an internal edge of this name leads to.
    fn inner(&self, node: u32, word: Word) -> Option<u32> {
        let mut edges = self.graph.edges_of(node as usize);
        let found = edges.find(|e| {
            self.graph.edge_kind(&self.layout, *e) == EdgeType::Internal && self.word(self.graph.edge_name[*e]) == word
        });
        found.map(|e| self.graph.edge_to[e])
    }

    /// The two halves of a rope.
    fn halves(&self, node: u32) -> (Option<u32>, Option<u32>) {
        (self.inner(node, Word::First), self.inner(node, Word::Second))
    }

    /// What a node holds as a text, if it is one.
    pub(super) fn held(&self, node: u32) -> Option<Held> {
        match self.kind(node) {
            NodeType::String => Some(Held::Unit(self.name(node))),
            NodeType::Cons => Some(match self.flattened(node) {
                Some(text) => Held::Unit(text),
                None => Held::Joined(Composite::Rope(node)),
            }),
            NodeType::Sliced => self.parent(node).map(Held::Slice),
            _ => None,
        }
    }

    /// A rope that was flattened has all its text in its first half.
    fn flattened(&self, node: u32) -> Option<StrId> {
        let (first, second) = self.halves(node);
        let (first, second) = (first?, second?);
        let flat = self.kind(first) == NodeType::String && self.word(self.name(second).0) == Word::Empty;
        flat.then(|| self.name(first))
    }

    /// The text that a slice is a piece of.
    fn parent(&self, mut node: u32) -> Option<StrId> {
        // A slice of a slice is made of its parent; a few steps are more than enough.
        for _ in 0..8 {
            node = self.inner(node, Word::Parent)?;
            match self.kind(node) {
                NodeType::String => return Some(self.name(node)),
                NodeType::Cons => return self.flattened(node),
                _ => {}
            }
        }
        None
    }

    /// Ropes that are no part of another rope, then lists, in the order of the file.
    /// Each comes with the bytes it has when joined.
    pub(super) fn all_composites(&self) -> Vec<(Composite, u32)> {
        let nodes = self.graph.nodes() as u32;
        let lengths = self.rope_lengths();
        let mut inside = vec![false; nodes as usize];
        let mut out = Vec::new();
        let is_rope = |n: &u32| self.kind(*n) == NodeType::Cons;
        for n in (0..nodes).filter(is_rope) {
            let (first, second) = self.halves(n);
            for half in [first, second].into_iter().flatten() {
                inside[half as usize] = true;
            }
        }
        out.extend(
            (0..nodes)
                .filter(|n| is_rope(n) && !inside[*n as usize])
                .map(|n| (Composite::Rope(n), lengths[n as usize])),
        );
        let lists = (0..nodes.div_ceil(CHUNK)).into_par_iter().map(|chunk| {
            let (mut lists, mut parts) = (Vec::new(), Vec::new());
            for n in chunk * CHUNK..nodes.min((chunk + 1) * CHUNK) {
                if !matches!(self.kind(n), NodeType::Object | NodeType::Array) {
                    continue;
                }
                parts.clear();
                self.list(n, &mut parts);
                if parts.iter().flatten().count() >= 2 {
                    let bytes = parts.iter().flatten().map(|id| self.outline.strings.raw(self.bytes, id.ix()).len());
                    lists.push((Composite::List(n), bytes.sum::<usize>() as u32));
                }
            }
            lists
        });
        // Collected in order, so that the result does not depend on threads.
        out.extend(lists.collect::<Vec<_>>().into_iter().flatten());
        out
    }

    /// The bytes of every rope when joined, up to the largest number.
    fn rope_lengths(&self) -> Vec<u32> {
        let mut lengths = vec![0_u32; self.graph.nodes()];
        let mut stack = Vec::new();
        let length = |lengths: &[u32], node: u32| match self.kind(node) {
            NodeType::Cons => lengths[node as usize],
            NodeType::String => self.bytes_of(node) as u32,
            _ => 0,
        };
        let is_new = |lengths: &[u32], node: u32| self.kind(node) == NodeType::Cons && lengths[node as usize] == 0;
        let ropes = (0..self.graph.nodes() as u32).filter(|n| self.kind(*n) == NodeType::Cons);
        for rope in ropes {
            stack.push((rope, false));
            while let Some((node, below_is_known)) = stack.pop() {
                let (first, second) = self.halves(node);
                let halves = [first, second].into_iter().flatten();
                if below_is_known {
                    let sum = halves.fold(1, |sum: u32, half| sum.saturating_add(length(&lengths, half)));
                    lengths[node as usize] = sum;
                } else if is_new(&lengths, node) {
                    // Counts as visited from now on, so that a rope which contains itself does no harm.
                    lengths[node as usize] = 1;
                    stack.push((node, true));
                    stack.extend(halves.filter(|half| is_new(&lengths, *half)).map(|half| (half, false)));
                }
            }
        }
        lengths
    }

    pub(super) fn parts_of(&self, composite: Composite, out: &mut Vec<Part>) -> Joined {
        out.clear();
        match composite {
            Composite::Rope(node) => self.rope(node, out),
            Composite::List(node) => {
                self.list(node, out);
                Joined::InOrder
            }
        }
    }

    fn rope(&self, node: u32, out: &mut Vec<Part>) -> Joined {
        let (mut stack, mut bytes, mut steps) = (vec![node], 0, 0);
        while let Some(node) = stack.pop() {
            steps += 1;
            if steps > 2 * limits::ROPE_PARTS || bytes > limits::ROPE_BYTES {
                stack.push(node);
                self.distinct(stack, out);
                return Joined::TooLong;
            }
            match self.kind(node) {
                NodeType::Cons => {
                    let (first, second) = self.halves(node);
                    stack.extend(second);
                    stack.extend(first);
                }
                NodeType::String => {
                    bytes += self.bytes_of(node);
                    out.push(Some(self.name(node)));
                }
                // The piece is not known; what it is a piece of is a unit of its own.
                _ => out.push(None),
            }
        }
        Joined::InOrder
    }

    /// Is this rope short enough for a key?
    pub(super) fn is_short(&self, rope: u32) -> bool {
        let (mut stack, mut parts, mut bytes) = (vec![rope], 0, 0);
        while let Some(node) = stack.pop() {
            parts += 1;
            match self.kind(node) {
                NodeType::Cons => {
                    let (first, second) = self.halves(node);
                    stack.extend([first, second].into_iter().flatten());
                }
                NodeType::String => bytes += self.bytes_of(node),
                _ => return false,
            }
            if parts > limits::KEY_PARTS || bytes > limits::NAME_BYTES as u64 {
                return false;
            }
        }
        true
    }

    /// Every text below these nodes, once. `out` has some of them already.
    fn distinct(&self, mut stack: Vec<u32>, out: &mut Vec<Part>) {
        let (mut texts, mut seen): (FxHashSet<Part>, FxHashSet<u32>) = (out.drain(..).collect(), FxHashSet::default());
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            match self.kind(node) {
                NodeType::Cons => {
                    let (first, second) = self.halves(node);
                    stack.extend([first, second].into_iter().flatten());
                }
                NodeType::String => {
                    texts.insert(Some(self.name(node)));
                }
                _ => {}
            }
        }
        out.extend(texts.into_iter().filter(Option::is_some));
        out.sort_unstable();
    }

    /// The short texts among the elements of a list. Longer ones, and everything else, break it.
    fn list(&self, node: u32, out: &mut Vec<Part>) {
        let ordered = match self.kind(node) {
            NodeType::Object => EdgeType::Element,
            _ => EdgeType::Internal,
        };
        for e in self.graph.edges_of(node as usize).filter(|e| self.graph.edge_kind(&self.layout, *e) == ordered) {
            let numbered =
                ordered == EdgeType::Element || matches!(self.word(self.graph.edge_name[e]), Word::Even | Word::Odd);
            let to = self.graph.edge_to[e];
            let short = match self.held(to) {
                Some(Held::Unit(id)) if numbered => {
                    let len = self.outline.strings.raw(self.bytes, id.ix()).len();
                    (len <= limits::PIECE_BYTES && out.len() < limits::LIST_PARTS).then_some(id)
                }
                _ => None,
            };
            if short.is_some() || out.last().is_some_and(Option::is_some) {
                out.push(short);
            }
        }
    }
}
