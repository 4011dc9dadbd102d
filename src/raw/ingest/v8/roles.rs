//! Which roles each text plays: by type of node, by type of edge, and by who holds it.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::super::role::{Role, RoleSet};
use super::graph::Graph;
use super::layout::{EdgeType, Layout, NodeType};
use super::words::Word;
use crate::heap::StrId;
use crate::raw::ingest::Evidence;

/// How many ordinary words one proper name vouches for in the same object.
const WEAK_PER_STRONG: u32 = 4;

/// Roles of the names of nodes, and of the keys of objects.
#[derive(Debug)]
pub(super) struct Roles {
    /// The role of each node's name.
    pub(super) node: Vec<Role>,
    /// The role of the keys of each object.
    keys: Vec<Role>,
    /// Tables of event names.
    listeners: FxHashSet<u32>,
    /// Entries of the table that the reader goes by.
    fixed: Vec<bool>,
}

impl Roles {
    pub(super) fn new(layout: &Layout, graph: &Graph, words: &[Word]) -> Self {
        let nodes = graph.nodes();
        let mut node: Vec<Role> = (0..nodes).map(|n| graph.node_kind(layout, n).role()).collect();
        let word = |id: u32| words[id as usize];
        // Objects whose property names are written by programmers even in dictionary mode.
        let (mut prototypes, mut listeners) = (FxHashSet::default(), FxHashSet::default());
        // Numbers that the engine alone holds, as places in source texts.
        let (mut position, mut other) = (FxHashSet::default(), FxHashSet::default());
        for n in 0..nodes {
            let kind = graph.node_kind(layout, n);
            for e in graph.edges_of(n) {
                let (to, edge_kind) = (graph.edge_to[e], graph.edge_kind(layout, e));
                if graph.node_kind(layout, to as usize) == NodeType::Number {
                    let place = edge_kind == EdgeType::Internal && word(graph.edge_name[e]) == Word::Position;
                    if place {
                        position.insert(to)
                    } else {
                        other.insert(to)
                    };
                }
                match (edge_kind, graph.edge_name[e]) {
                    (EdgeType::Internal, name) if word(name) == Word::Source && kind == NodeType::Code => {
                        node[n] = Role::Script;
                        if node[to as usize] == Role::Value {
                            node[to as usize] = Role::Source;
                        }
                    }
                    (EdgeType::Property, name) if word(name) == Word::Prototype && kind == NodeType::Closure => {
                        prototypes.insert(to);
                    }
                    (EdgeType::Property, name) if word(name) == Word::Events => {
                        listeners.insert(to);
                    }
                    _ => {}
                }
            }
        }
        for n in (0..nodes).filter(|n| graph.node_kind(layout, *n) == NodeType::Number) {
            let is_position = position.contains(&(n as u32)) && !other.contains(&(n as u32));
            for e in graph.edges_of(n).filter(|e| graph.edge_kind(layout, *e) == EdgeType::Internal) {
                let to = graph.edge_to[e] as usize;
                match (word(graph.edge_name[e]), node[to]) {
                    (Word::Value, Role::Value) if is_position => node[to] = Role::Position,
                    // A text that is held as another number too is not a place only.
                    (Word::Value, Role::Value | Role::Position) if !is_position => node[to] = Role::Number,
                    _ => {}
                }
            }
        }
        let keys_of = |n: usize| match (graph.node_kind(layout, n), word(graph.node_name[n])) {
            (NodeType::Closure, _) => Role::OwnKey,
            (NodeType::Object, Word::RuntimeObject) => Role::Key,
            (NodeType::Object, _) if prototypes.contains(&(n as u32)) || listeners.contains(&(n as u32)) => Role::Key,
            (NodeType::Object, _) if in_dictionary_mode(layout, graph, words, n) => Role::DataKey,
            (NodeType::Object, Word::RuntimeClass) => Role::Key,
            (NodeType::Object, _) => Role::OwnKey,
            _ => Role::Key,
        };
        let keys = (0..nodes).map(keys_of).collect();
        let is_fixed = |word: &Word| matches!(word, Word::Proto | Word::Prototype | Word::Events);
        Self { node, keys, listeners, fixed: words.iter().map(is_fixed).collect() }
    }

    /// The role that the name of an edge plays; `None` for edges that carry an index.
    pub(super) fn of_edge(&self, layout: &Layout, graph: &Graph, from: usize, edge: usize) -> Option<Role> {
        match graph.edge_kind(layout, edge) {
            EdgeType::Element | EdgeType::Hidden => None,
            EdgeType::Context => Some(Role::Variable),
            EdgeType::Internal | EdgeType::Shortcut | EdgeType::Weak => Some(Role::Edge),
            EdgeType::Property if self.is_fixed(graph, edge) => Some(Role::Key),
            EdgeType::Property => {
                // A function that carries the very name it is stored under: its name says it all.
                let to = graph.edge_to[edge] as usize;
                let method =
                    graph.node_kind(layout, to) == NodeType::Closure && graph.node_name[to] == graph.edge_name[edge];
                Some(if method { Role::Function } else { self.keys[from] })
            }
        }
    }

    /// Keys of an object of the program are doubtful if nobody vouches for one of them, or if too many are ordinary
    /// words that only a runtime uses.
    pub(super) fn doubt(&mut self, layout: &Layout, graph: &Graph, evidence: &dyn Fn(StrId, Role) -> Evidence) {
        for n in 0..graph.nodes() {
            let role = self.keys[n];
            let listeners = role == Role::Key && self.listeners.contains(&(n as u32));
            if role != Role::OwnKey && !listeners {
                continue;
            }
            let (mut unknown, mut weak, mut strong) = (0, 0, 0);
            for e in graph.edges_of(n) {
                let key = self.of_edge(layout, graph, n, e);
                // A function under its own name: somebody wrote this object down.
                strong += u32::from(key == Some(Role::Function));
                if key == Some(role) && !self.is_fixed(graph, e) {
                    match evidence(StrId(graph.edge_name[e]), role) {
                        Evidence::None => unknown += 1,
                        Evidence::Weak => weak += 1,
                        Evidence::Strong => strong += 1,
                    }
                }
            }
            if unknown > 0 || (weak > strong * WEAK_PER_STRONG && !listeners) {
                self.keys[n] = Role::DoubtfulKey;
            }
        }
    }

    /// Words that the reader itself goes by stay, so that a sanitised file is read in the same way.
    fn is_fixed(&self, graph: &Graph, edge: usize) -> bool {
        self.fixed[graph.edge_name[edge] as usize]
    }

    /// All roles of every entry of the table that nodes and edges give it.
    pub(super) fn of_units(&self, layout: &Layout, graph: &Graph, strings: usize) -> Vec<RoleSet> {
        // The parts of the graph add their roles together, in any order.
        let units: Vec<AtomicU32> = (0..strings).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        let bits = Role::ALL.map(|role| RoleSet::of(role).bits());
        let insert = |id: u32, role: Role| {
            let (unit, bit) = (&units[id as usize], bits[role as usize]);
            // Most of the time it has the role already.
            if unit.load(Ordering::Relaxed) & bit != bit {
                unit.fetch_or(bit, Ordering::Relaxed);
            }
        };
        (0..graph.nodes()).into_par_iter().with_min_len(1 << 14).for_each(|n| {
            insert(graph.node_name[n], self.node[n]);
            for e in graph.edges_of(n) {
                if let Some(role) = self.of_edge(layout, graph, n, e) {
                    insert(graph.edge_name[e], role);
                }
            }
        });
        units.into_iter().map(|unit| RoleSet::from_bits(unit.into_inner())).collect()
    }
}

fn in_dictionary_mode(layout: &Layout, graph: &Graph, words: &[Word], node: usize) -> bool {
    graph.edges_of(node).any(|e| {
        graph.edge_kind(layout, e) == EdgeType::Internal
            && words[graph.edge_name[e] as usize] == Word::Properties
            && words[graph.node_name[graph.edge_to[e] as usize] as usize] == Word::DictionaryStore
    })
}
