//! Who holds a text: properties, variables, entries of maps, pairs, headers, objects of a name and a value.
//!
//! What a key says counts for what it holds in a list or in a small object too: `password: {current: …}`,
//! `content: [{type: 'text', text: …}]`.

use rustc_hash::FxHashSet;

use super::Snapshot;
use super::layout::{EdgeType, NodeType};
use super::words::Word;
use crate::heap::StrId;
use crate::limits;
use crate::raw::ingest::context::{Composite, ContextView, Form, Held, speaks};

impl Snapshot<'_> {
    /// Visits every holder of every text under a wanted key, among these nodes.
    pub(super) fn all_holders(
        &self,
        nodes: std::ops::Range<u32>,
        wanted: &dyn Fn(Held) -> bool,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        let mut siblings = Vec::new();
        for node in nodes {
            self.named(node, wanted, &mut siblings, each);
            match self.kind(node) {
                NodeType::Object | NodeType::Closure | NodeType::Native => {
                    self.in_turn(node, EdgeType::Element, wanted, each);
                }
                NodeType::Array | NodeType::Hidden => self.in_turn(node, EdgeType::Internal, wanted, each),
                _ => {}
            }
        }
    }

    /// Properties and variables.
    fn named(
        &self,
        node: u32,
        wanted: &dyn Fn(Held) -> bool,
        siblings: &mut Vec<StrId>,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        siblings.clear();
        let owner = Some(StrId(self.graph.node_name[node as usize]));
        let (mut name, mut value) = (None, None);
        for e in self.graph.edges_of(node as usize) {
            let form = match self.graph.edge_kind(&self.layout, e) {
                EdgeType::Property => Form::Property,
                EdgeType::Context => Form::Variable,
                _ => continue,
            };
            let (name_id, to) = (self.graph.edge_name[e], self.graph.edge_to[e]);
            let key = Held::Unit(StrId(name_id));
            match self.word(name_id) {
                Word::Name | Word::Key => name = name.or(self.key_text(to)),
                Word::Value => value = Some(to),
                _ => {}
            }
            if !wanted(key) {
                continue;
            }
            if siblings.is_empty() {
                siblings.extend(self.keys_of(node));
            }
            self.below(to, &mut |held| each(&ContextView { held, form, key, owner, siblings }));
        }
        if let (Some(key), Some(value)) = (name.filter(|key| wanted(*key)), value) {
            self.below(value, &mut |held| each(&ContextView { held, form: Form::Entry, key, owner, siblings: &[] }));
        }
    }

    /// The text that a node is, or the texts in the list or object that it is.
    fn below(&self, node: u32, each: &mut dyn FnMut(Held)) {
        if let Some(held) = self.held(node) {
            return each(held);
        }
        let (mut left, mut seen) = (limits::HELD_LIST, FxHashSet::default());
        // Beside a key may stand something of the engine's own: only objects are the program's.
        let mut stack = if self.kind(node) == NodeType::Object { vec![(node, 0)] } else { Vec::new() };
        while let Some((node, depth)) = stack.pop() {
            // Any object right below the key may be a wrapper; further down only plain ones are data.
            let ordered = match (self.kind(node), depth) {
                (NodeType::Object, 0) => EdgeType::Element,
                (NodeType::Object, _) if self.is_plain(node) => EdgeType::Element,
                // The table of a Map or Set.
                (NodeType::Array, _) => EdgeType::Internal,
                _ => continue,
            };
            for e in self.graph.edges_of(node as usize) {
                let (word, to) = (self.edge_word(e), self.graph.edge_to[e]);
                let deeper = match self.graph.edge_kind(&self.layout, e) {
                    EdgeType::Element => 0,
                    EdgeType::Internal if ordered == EdgeType::Internal => 0,
                    EdgeType::Internal if word == Word::Table => 0,
                    // The text in a box, `new String(…)`, stands under a number.
                    EdgeType::Hidden if self.is_box(node) => 0,
                    // `type: 'text'` says what the rest is.
                    EdgeType::Property if !matches!(word, Word::Sort | Word::Proto) => 1,
                    _ => continue,
                };
                if left == 0 {
                    return;
                }
                left -= 1;
                match self.held(to) {
                    Some(held) => each(held),
                    // A list of lists, or of objects, is no deeper than what it holds.
                    None if depth + deeper <= limits::HELD_DEPTH && seen.insert(to) => stack.push((to, depth + deeper)),
                    None => {}
                }
            }
        }
    }

    /// What an edge is called, if it has a name.
    fn edge_word(&self, e: usize) -> Word {
        match self.graph.edge_kind(&self.layout, e) {
            EdgeType::Element | EdgeType::Hidden => Word::Other,
            _ => self.word(self.graph.edge_name[e]),
        }
    }

    fn is_box(&self, node: u32) -> bool {
        self.outline.strings.raw(self.bytes, self.graph.node_name[node as usize] as usize) == b"String"
    }

    /// Is this an object without a class of its own, or a list?
    fn is_plain(&self, node: u32) -> bool {
        let class = self.outline.strings.raw(self.bytes, self.graph.node_name[node as usize] as usize);
        matches!(class, b"Object" | b"Array" | b"Map" | b"Set")
    }

    fn keys_of(&self, node: u32) -> impl Iterator<Item = StrId> {
        let edges = self.graph.edges_of(node as usize);
        let named =
            edges.filter(|e| matches!(self.graph.edge_kind(&self.layout, *e), EdgeType::Property | EdgeType::Context));
        named.filter(|e| !self.is_other_role(*e)).map(|e| StrId(self.graph.edge_name[e]))
    }

    /// Is this edge a `role` that is no part of a conversation?
    fn is_other_role(&self, e: usize) -> bool {
        let text = |id: StrId| self.outline.strings.raw(self.bytes, id.ix());
        text(StrId(self.graph.edge_name[e])) == b"role"
            && matches!(self.held(self.graph.edge_to[e]), Some(Held::Unit(id)) if !speaks(text(id)))
    }

    /// A text that can be a key.
    fn key_text(&self, node: u32) -> Option<Held> {
        self.held(node).filter(|held| match held {
            Held::Unit(_) => true,
            Held::Joined(Composite::Rope(rope)) => self.is_short(*rope),
            Held::Joined(Composite::List(_)) | Held::Slice(_) => false,
        })
    }

    /// Keys and values in turn: the table of a map, a pair, a list of headers. The number behind a key is its value's.
    fn in_turn(
        &self,
        node: u32,
        ordered: EdgeType,
        wanted: &dyn Fn(Held) -> bool,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        let mut before: Option<(u32, u32)> = None;
        for e in self.graph.edges_of(node as usize).filter(|e| self.graph.edge_kind(&self.layout, *e) == ordered) {
            let (name, to) = (self.graph.edge_name[e], self.graph.edge_to[e]);
            let number = match ordered {
                EdgeType::Element => Some(name),
                _ if matches!(self.word(name), Word::Even | Word::Odd) => self.number(name),
                _ => None,
            };
            let Some(number) = number else { continue };
            if let Some((at, key)) = before
                && at.checked_add(1) == Some(number)
                && let Some(key) = self.key_text(key).filter(|key| wanted(*key))
            {
                let view = |held| ContextView { held, form: Form::Entry, key, owner: None, siblings: &[] };
                self.below(to, &mut |held| each(&view(held)));
            }
            before = self.held(to).map(|_| (number, to));
        }
    }

    /// An entry of the table that is a number.
    fn number(&self, id: u32) -> Option<u32> {
        let digits = self.outline.strings.raw(self.bytes, id as usize);
        digits.iter().try_fold(0_u32, |n, d| n.checked_mul(10)?.checked_add(u32::from(d.wrapping_sub(b'0'))))
    }
}
