//! The rules of DevTools: what is out of the page, which references count, whose bytes are whose, how far away a root is.
//! Checked node by node against DevTools' own code (`tests/live/devtools`).

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Snapshot;
use super::super::layout::{EdgeType, NodeType};
use super::columns::Columns;
use super::signs::PairName;
use crate::heap::StrId;
use crate::heap::distances::distances;
use crate::heap::graph::flag;
use crate::heap::sign::Sign;

/// What the rules go by, beside the graph.
pub(super) struct Marks<'m> {
    pub(super) signs: &'m [Sign],
    pub(super) pairs: &'m FxHashMap<u32, PairName>,
    pub(super) root: u32,
}

const ATTACHED: u8 = 1;
const DETACHED: u8 = 2;

impl Snapshot<'_> {
    fn type_of(&self, edge: usize) -> EdgeType {
        self.graph.edge_kind(&self.layout, edge)
    }

    fn sign_of(&self, marks: &Marks<'_>, node: u32) -> Sign {
        marks.signs[self.graph.node_name[node as usize] as usize]
    }

    /// Spreads what is known of some nodes of a page over the others: first what is in it, then what is out of it.
    /// Afterwards 2 stands for exactly the nodes that DevTools calls detached.
    pub(super) fn spread_detachedness(&self, states: &mut [u8]) {
        if states.is_empty() {
            return;
        }
        let nodes = self.graph.nodes();
        let mut seen = vec![false; nodes];
        let mut stacks = [Vec::new(), Vec::new()];
        let touch = |node: u32, state: u8, states: &mut [u8], seen: &mut [bool], stacks: &mut [Vec<u32>; 2]| {
            if std::mem::replace(&mut seen[node as usize], true) || self.kind(node) != NodeType::Native {
                return;
            }
            states[node as usize] = state;
            match state {
                ATTACHED => stacks[0].push(node),
                DETACHED => stacks[1].push(node),
                _ => {}
            }
        };
        // What was told of other nodes than those of the page says nothing.
        for n in 0..nodes as u32 {
            match states[n as usize] {
                0 => {}
                state => touch(n, state, states, &mut seen, &mut stacks),
            }
        }
        for (at, state) in [(0, ATTACHED), (1, DETACHED)] {
            while let Some(node) = stacks[at].pop() {
                if state == DETACHED && states[node as usize] == ATTACHED {
                    continue;
                }
                for e in self.graph.edges_of(node as usize) {
                    if !matches!(self.type_of(e), EdgeType::Weak | EdgeType::Hidden) {
                        touch(self.graph.edge_to[e], state, states, &mut seen, &mut stacks);
                    }
                }
            }
        }
        for n in (0..nodes).filter(|n| self.kind(*n as u32) != NodeType::Native) {
            states[n] = 0;
        }
    }

    /// Which nodes belong to pages.
    fn page_owned(&self, marks: &Marks<'_>) -> Vec<bool> {
        let mut owned = vec![false; self.graph.nodes()];
        let mut stack = Vec::new();
        for e in self.graph.edges_of(marks.root as usize) {
            let to = self.graph.edge_to[e];
            let starts = match self.type_of(e) {
                EdgeType::Element => self.kind(to) == NodeType::Synthetic && self.sign_of(marks, to) == Sign::PageTrees,
                kind => kind == EdgeType::Shortcut,
            };
            if starts {
                owned[to as usize] = true;
                stack.push(to);
            }
        }
        while let Some(node) = stack.pop() {
            for e in self.graph.edges_of(node as usize).filter(|e| self.type_of(*e) != EdgeType::Weak) {
                let to = self.graph.edge_to[e];
                if !std::mem::replace(&mut owned[to as usize], true) {
                    stack.push(to);
                }
            }
        }
        owned
    }

    /// Flags of every edge.
    pub(super) fn edge_flags(&self, marks: &Marks<'_>, columns: &Columns) -> Vec<u8> {
        let page = self.page_owned(marks);
        let nodes = self.graph.nodes();
        const RUN: usize = 1 << 14;
        let runs: Vec<usize> = (0..nodes).step_by(RUN).collect();
        let of_run = |first: &usize| {
            let last = (*first + RUN).min(nodes);
            let mut flags = Vec::with_capacity((self.graph.first_edge[last] - self.graph.first_edge[*first]) as usize);
            for from in *first..last {
                for e in self.graph.edges_of(from) {
                    flags.push(self.flags_of(marks, columns, &page, from as u32, e));
                }
            }
            flags
        };
        runs.par_iter().map(of_run).collect::<Vec<_>>().concat()
    }

    fn flags_of(&self, marks: &Marks<'_>, columns: &Columns, page: &[bool], from: u32, e: usize) -> u8 {
        let (kind, to) = (self.type_of(e), self.graph.edge_to[e]);
        let mut flags = 0;
        let named = if kind.is_indexed() { Sign::None } else { marks.signs[self.graph.edge_name[e] as usize] };
        // A key keeps the value of a weak map alive, the map itself does not.
        let pair = (kind == EdgeType::Internal && named == Sign::Pair)
            .then(|| marks.pairs.get(&self.graph.edge_name[e]))
            .flatten();
        let by_table = pair.is_some_and(|pair| pair.table == columns.ids[from as usize]);
        if kind == EdgeType::Weak {
            flags |= flag::WEAK;
        } else if !by_table && to != from {
            let inside = page[from as usize] || !page[to as usize];
            if from == marks.root || (kind != EdgeType::Shortcut && inside) {
                flags |= flag::ESSENTIAL;
            }
        }
        if pair.is_some() {
            flags |= flag::PAIR;
        }
        let from_sign = self.sign_of(marks, from);
        if from_sign == Sign::Stack && self.kind(from) == NodeType::Synthetic {
            flags |= flag::LAST_CHOICE;
        }
        if self.is_plumbing(from, from_sign, kind, named, self.graph.edge_name[e]) {
            flags |= flag::PLUMBING;
        }
        flags
    }

    /// Is this a way through the engine's own things, which people follow only if there is no other?
    fn is_plumbing(&self, from: u32, sign: Sign, kind: EdgeType, named: Sign, name: u32) -> bool {
        use super::super::words::Word;
        match self.kind(from) {
            NodeType::Code | NodeType::Shape | NodeType::Wasm => return true,
            NodeType::Hidden => return !matches!(sign, Sign::Reaction | Sign::Scope | Sign::Suspended | Sign::Module),
            // Stores of the engine: tables of maps, elements.
            NodeType::Array => return false,
            NodeType::Synthetic | NodeType::Native => return false,
            _ => {}
        }
        match kind {
            EdgeType::Property => named == Sign::Proto,
            EdgeType::Context | EdgeType::Element | EdgeType::Shortcut | EdgeType::Weak => false,
            EdgeType::Hidden => !matches!(sign, Sign::Scope | Sign::Reaction),
            EdgeType::Internal => {
                let numbered = matches!(self.words[name as usize], Word::Even | Word::Odd);
                let known = matches!(
                    named,
                    Sign::Table
                        | Sign::Elements
                        | Sign::Properties
                        | Sign::ToScope
                        | Sign::OuterScope
                        | Sign::Reactions
                        | Sign::Waiting
                        | Sign::BoundPart
                        | Sign::Pair
                        | Sign::Exports
                        | Sign::AsyncStore
                        | Sign::TimerLink
                );
                // The variables of a scope that waits stand behind its `extension`.
                !(known || sign == Sign::Scope || sign == Sign::Promise || (numbered && sign != Sign::NativeScope))
            }
        }
    }

    fn is_user_root(&self, marks: &Marks<'_>, node: u32) -> bool {
        self.kind(node) != NodeType::Synthetic || self.sign_of(marks, node) == Sign::PageTrees
    }

    /// What the root refers to for users, in order.
    pub(super) fn user_roots(&self, marks: &Marks<'_>) -> Vec<u32> {
        let targets = self.graph.edges_of(marks.root as usize).map(|e| self.graph.edge_to[e]);
        let mut seen = FxHashSet::default();
        targets.filter(|to| self.is_user_root(marks, *to)).filter(|to| seen.insert(*to)).collect()
    }

    /// Moves the bytes of stores and of other things of the engine to the object that alone owns them.
    pub(super) fn move_sizes(&self, marks: &Marks<'_>, sizes: &mut [u64]) {
        if self.user_roots(marks).is_empty() {
            return;
        }
        const NONE: u32 = u32::MAX;
        const MANY: u32 = u32::MAX - 1;
        let nodes = self.graph.nodes() as u32;
        let belongs = |n: u32| match self.kind(n) {
            NodeType::Hidden | NodeType::Array => true,
            NodeType::Native => self.sign_of(marks, n) == Sign::OutsideText,
            _ => false,
        };
        let mut owner: Vec<u32> = (0..nodes).map(|n| if belongs(n) { NONE } else { n }).collect();
        let mut stack: Vec<u32> = (0..nodes).filter(|n| owner[*n as usize] == *n).collect();
        while let Some(node) = stack.pop() {
            let mine = owner[node as usize];
            for e in self.graph.edges_of(node as usize) {
                if self.type_of(e) == EdgeType::Weak {
                    continue;
                }
                let to = self.graph.edge_to[e];
                let theirs = owner[to as usize];
                if theirs == NONE {
                    owner[to as usize] = mine;
                    stack.push(to);
                } else if theirs != to && theirs != mine && theirs != MANY {
                    owner[to as usize] = MANY;
                    stack.push(to);
                }
            }
        }
        for node in 0..nodes {
            let to = owner[node as usize];
            if to == NONE || to == MANY || to == node || to == marks.root || self.kind(to) == NodeType::Synthetic {
                continue;
            }
            sizes[to as usize] = sizes[to as usize].saturating_add(sizes[node as usize]);
            sizes[node as usize] = 0;
        }
    }

    /// How far every node is away from what users hold.
    pub(super) fn find_distances(&self, marks: &Marks<'_>) -> Vec<i32> {
        let starts = self.user_roots(marks);
        // Of the two edges that a pair of a weak map has, the second that is met counts.
        let mut met = FxHashSet::default();
        let follows = |from: u32, e: usize| {
            let kind = self.type_of(e);
            let name = self.graph.edge_name[e];
            if kind == EdgeType::Weak {
                return false;
            }
            let sign = self.sign_of(marks, from);
            match self.kind(from) {
                NodeType::Hidden
                    if sign == Sign::NativeScope
                        && !kind.is_indexed()
                        && marks.signs[name as usize] == Sign::SloppyMap =>
                {
                    return false;
                }
                NodeType::Array if sign == Sign::MapDescriptors => {
                    let number = if kind.is_indexed() { Some(name) } else { leading(self.raw_name(StrId(name))) };
                    return number.is_none_or(|k| k < 2 || k % 3 != 1);
                }
                _ => {}
            }
            if kind == EdgeType::Internal
                && marks.signs[name as usize] == Sign::Pair
                && let Some(pair) = marks.pairs.get(&name)
                && !met.remove(&pair.pair)
            {
                met.insert(pair.pair);
                return false;
            }
            true
        };
        distances((&self.graph.first_edge, &self.graph.edge_to), marks.root, &starts, follows)
    }
}

/// The number that a text begins with.
fn leading(text: &[u8]) -> Option<u32> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit());
    let mut any = false;
    let number = digits.fold(0_u32, |n, d| {
        any = true;
        n.saturating_mul(10).saturating_add(u32::from(d - b'0'))
    });
    any.then_some(number)
}
