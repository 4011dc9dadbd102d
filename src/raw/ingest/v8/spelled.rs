//! Texts that the graph itself spells.
//!
//! Engines have one node for each string of one character, whose id is the same in every process of a version and which
//! a table lists in the order of character codes. So a list of characters can be read without any text. The writer
//! puts the characters that a node refers to in the order of the file: the references stay, their order does not.

use rustc_hash::FxHashMap;

use super::graph::Graph;
use super::layout::{Layout, NodeType};
use super::words::Word;

/// New targets of edges.
pub(super) type Targets = FxHashMap<u32, u32>;

/// Finds the nodes that refer to several characters by number.
pub(super) fn unspell(layout: &Layout, graph: &Graph, words: &[Word], is_short: impl Fn(u32) -> bool) -> Targets {
    let is_letter = |node: u32| {
        let name = graph.node_name[node as usize];
        let letter = match words[name as usize] {
            Word::Letter => true,
            Word::Even | Word::Odd => is_short(name),
            _ => false,
        };
        letter && graph.node_kind(layout, node as usize) == NodeType::String
    };
    let letters: Vec<bool> = (0..graph.nodes() as u32).map(is_letter).collect();
    let mut targets = Targets::default();
    let mut edges = Vec::new();
    for node in 0..graph.nodes() {
        edges.clear();
        edges.extend(
            graph
                .edges_of(node)
                .filter(|e| letters[graph.edge_to[*e] as usize] && graph.edge_kind(layout, *e).is_ordered()),
        );
        if edges.len() < 2 {
            continue;
        }
        // Only edges of one type change places.
        edges.sort_by_key(|e| graph.edge_type[*e]);
        for run in edges.chunk_by(|a, b| graph.edge_type[*a] == graph.edge_type[*b]) {
            let mut sorted: Vec<u32> = run.iter().map(|e| graph.edge_to[*e]).collect();
            sorted.sort_unstable();
            targets.extend(run.iter().map(|e| *e as u32).zip(sorted));
        }
    }
    targets
}
