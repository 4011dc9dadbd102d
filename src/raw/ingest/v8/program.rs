//! Names that the program itself gives evidence for: constant pools, boilerplates, scopes and functions of live
//! code that came from a file. Code made by `eval` or `new Function` has no file name and vouches for nothing.

use super::graph::Graph;
use super::layout::{EdgeType, Layout, NodeType};
use super::words::Word;
use crate::heap::StrId;

/// Evidence found in the graph.
#[derive(Debug)]
pub(super) struct Program {
    /// Entries of the table that live code names.
    pub(super) named: Vec<bool>,
    /// Source texts of files (the first 1,024 characters of each, unless the snapshot was told otherwise).
    pub(super) sources: Vec<StrId>,
}

/// How deep constants may be nested in constants.
const DEPTH: u32 = 12;

struct Walk<'a> {
    layout: &'a Layout,
    graph: &'a Graph,
    words: &'a [Word],
}

impl Walk<'_> {
    fn kind(&self, node: usize) -> NodeType {
        self.graph.node_kind(self.layout, node)
    }

    fn word(&self, node: usize) -> Word {
        self.words[self.graph.node_name[node] as usize]
    }

    /// The node that an internal edge of this name leads to.
    fn internal(&self, node: usize, word: Word) -> Option<usize> {
        let found = self.graph.edges_of(node).find(|&e| {
            self.graph.edge_kind(self.layout, e) == EdgeType::Internal
                && self.words[self.graph.edge_name[e] as usize] == word
        });
        found.map(|e| self.graph.edge_to[e] as usize)
    }

    /// Is this a script, and did it come from a file or address?
    fn is_file(&self, script: usize) -> bool {
        self.internal(script, Word::Source).is_some()
            && self.internal(script, Word::Name).is_some_and(|name| match self.kind(name) {
                NodeType::String => !matches!(self.word(name), Word::Empty | Word::NoFile),
                NodeType::Cons | NodeType::Sliced => true,
                _ => false,
            })
    }
}

impl Program {
    pub(super) fn new(layout: &Layout, graph: &Graph, words: &[Word]) -> Self {
        let walk = Walk { layout, graph, words };
        let mut named = vec![false; words.len()];
        let mut sources = Vec::new();
        let mut seen = vec![false; graph.nodes()];
        let mut stack = Vec::new();
        for node in 0..graph.nodes() {
            if walk.kind(node) != NodeType::Code {
                continue;
            }
            if let Some(source) = walk.internal(node, Word::Source).filter(|s| walk.kind(*s) == NodeType::String) {
                if walk.is_file(node) {
                    sources.push(StrId(graph.node_name[source]));
                }
            }
            if walk.internal(node, Word::Script).is_some_and(|script| walk.is_file(script)) {
                seen[node] = true;
                stack.push((node, DEPTH));
            }
        }
        while let Some((node, depth)) = stack.pop() {
            for e in graph.edges_of(node) {
                if graph.edge_kind(layout, e) == EdgeType::Weak {
                    continue;
                }
                let to = graph.edge_to[e] as usize;
                let (kind, word) = (walk.kind(to), walk.word(to));
                if kind == NodeType::String && walk.word(node) != Word::MachineCode {
                    named[graph.node_name[to] as usize] = true;
                }
                let part = match kind {
                    NodeType::Code | NodeType::Hidden | NodeType::Native | NodeType::Shape => {
                        matches!(word, Word::CodePart | Word::MachineCode)
                            || (word == Word::Empty && kind == NodeType::Code)
                    }
                    NodeType::Array => matches!(word, Word::Empty | Word::CodePart),
                    _ => false,
                };
                if part && !seen[to] && depth > 0 && walk.internal(to, Word::Script).is_none() {
                    seen[to] = true;
                    stack.push((to, depth - 1));
                }
            }
        }
        Self { named, sources }
    }
}
