//! Who holds a text: properties, variables, entries of maps, pairs, headers, objects of a name and a value.

use super::Snapshot;
use super::layout::{EdgeType, NodeType};
use super::words::Word;
use crate::heap::StrId;
use crate::limits;
use crate::raw::ingest::context::{Composite, ContextView, Form, Held};

impl Snapshot<'_> {
    /// Visits every holder of every text under a wanted key.
    pub(super) fn all_holders(&self, wanted: &dyn Fn(Held) -> bool, each: &mut dyn FnMut(&ContextView<'_>)) {
        let mut siblings = Vec::new();
        for node in 0..self.graph.nodes() as u32 {
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
                Word::Value => value = self.held(to),
                _ => {}
            }
            if !wanted(key) {
                continue;
            }
            if siblings.is_empty() {
                siblings.extend(self.keys_of(node));
            }
            match self.held(to) {
                Some(held) => each(&ContextView { held, form, key, owner, siblings }),
                // A list under the key: `set-cookie`, `passwords`.
                None => {
                    for held in self.elements(to) {
                        each(&ContextView { held, form, key, owner, siblings });
                    }
                }
            }
        }
        if let (Some(key), Some(held)) = (name.filter(|key| wanted(*key)), value) {
            each(&ContextView { held, form: Form::Entry, key, owner, siblings: &[] });
        }
    }

    /// The texts in a list.
    fn elements(&self, list: u32) -> impl Iterator<Item = Held> {
        let edges = self.graph.edges_of(list as usize);
        let elements = edges.filter(|e| self.graph.edge_kind(&self.layout, *e) == EdgeType::Element);
        elements.take(limits::HELD_LIST).filter_map(|e| self.held(self.graph.edge_to[e]))
    }

    fn keys_of(&self, node: u32) -> impl Iterator<Item = StrId> {
        let edges = self.graph.edges_of(node as usize);
        let named =
            edges.filter(|e| matches!(self.graph.edge_kind(&self.layout, *e), EdgeType::Property | EdgeType::Context));
        named.map(|e| StrId(self.graph.edge_name[e]))
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
            let held = self.held(to);
            if let (Some((at, key)), Some(held)) = (before, held)
                && at.checked_add(1) == Some(number)
                && let Some(key) = self.key_text(key).filter(|key| wanted(*key))
            {
                each(&ContextView { held, form: Form::Entry, key, owner: None, siblings: &[] });
            }
            before = held.map(|_| (number, to));
        }
    }

    /// An entry of the table that is a number.
    fn number(&self, id: u32) -> Option<u32> {
        let digits = self.outline.strings.raw(self.bytes, id as usize);
        digits.iter().try_fold(0_u32, |n, d| n.checked_mul(10)?.checked_add(u32::from(d.wrapping_sub(b'0'))))
    }
}
