//! Names that the program itself gives evidence for: constant pools, boilerplates, scopes and functions of live
//! code that came from a file. Code made by `eval`, inline handlers and inline scripts has no file of its own, may be
//! made of data, and vouches for nothing.

use super::graph::Graph;
use super::layout::{EdgeType, Layout, NodeType};
use super::words::Word;
use crate::heap::StrId;
use crate::raw::ingest::Namer;

/// Evidence found in the graph.
#[derive(Debug)]
pub(super) struct Program {
    /// Whose live code names each entry of the table.
    pub(super) named: Vec<Option<Namer>>,
    /// Source texts of files (the first 1,024 characters of each, unless the snapshot was told otherwise).
    pub(super) sources: Vec<(StrId, Namer)>,
}

/// How deep constants may be nested in constants.
const DEPTH: u32 = 12;

struct Walk<'a> {
    layout: &'a Layout,
    graph: &'a Graph,
    words: &'a [Word],
}

/// What a part of compiled code holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Names and other parts.
    Plain,
    /// A list of constants.
    Pool,
    /// The description of an object literal: names and values in turn. The names have these numbers.
    Boilerplate(Word),
    /// Machine code, of which only the way to the bytecode is followed: it may hold values.
    Machine,
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

    /// If this is a script that came from a file: whose?
    fn file_of(&self, script: usize) -> Option<Namer> {
        self.internal(script, Word::Source)?;
        let mut name = self.internal(script, Word::Name)?;
        // A rope that was flattened has all its text in its first part.
        if self.kind(name) == NodeType::Cons && self.word(self.internal(name, Word::Second)?) == Word::Empty {
            name = self.internal(name, Word::First)?;
        }
        if self.kind(name) != NodeType::String {
            return None;
        }
        match self.word(name) {
            Word::RuntimeFile => Some(Namer::Runtime),
            Word::CodeFile => Some(Namer::Program),
            _ => None,
        }
    }

    /// What a node is as a part of the code below `parent`; `None` if it is none.
    fn part(&self, parent: Part, node: usize) -> Option<Part> {
        let (kind, word) = (self.kind(node), self.word(node));
        match word {
            Word::MachineCode if kind != NodeType::String => Some(Part::Machine),
            Word::CodePart if kind != NodeType::String => Some(Part::Plain),
            Word::Pool if kind != NodeType::String => Some(Part::Pool),
            // Newer engines number from the first name, older ones have a number of flags in front.
            Word::Boilerplate if kind != NodeType::String => Some(Part::Boilerplate(Word::Even)),
            Word::Empty if matches!(kind, NodeType::Array | NodeType::Code) => match parent {
                Part::Plain if kind == NodeType::Array => Some(Part::Pool),
                Part::Plain => Some(Part::Plain),
                Part::Machine => None,
                Part::Pool | Part::Boilerplate(_) => Some(Part::Boilerplate(Word::Odd)),
            },
            _ => None,
        }
    }

    /// Does this edge of a part lead to a name?
    fn is_name(&self, part: Part, edge: usize) -> bool {
        let number = match self.graph.edge_kind(self.layout, edge) {
            EdgeType::Element | EdgeType::Hidden if self.graph.edge_name[edge].is_multiple_of(2) => Word::Even,
            EdgeType::Element | EdgeType::Hidden => Word::Odd,
            _ => self.words[self.graph.edge_name[edge] as usize],
        };
        match part {
            Part::Plain | Part::Pool => true,
            Part::Boilerplate(names) => number == names,
            Part::Machine => false,
        }
    }
}

impl Program {
    pub(super) fn new(layout: &Layout, graph: &Graph, words: &[Word]) -> Self {
        let walk = Walk { layout, graph, words };
        let mut named = vec![None; words.len()];
        let mut sources = Vec::new();
        let mut seen = vec![None; graph.nodes()];
        let mut stack = Vec::new();
        for node in (0..graph.nodes()).filter(|n| walk.kind(*n) == NodeType::Code) {
            let source = walk.internal(node, Word::Source).filter(|s| walk.kind(*s) == NodeType::String);
            if let (Some(source), Some(namer)) = (source, walk.file_of(node)) {
                sources.push((StrId(graph.node_name[source]), namer));
            }
            if let Some(namer) = walk.internal(node, Word::Script).and_then(|script| walk.file_of(script)) {
                seen[node] = Some(namer);
                stack.push((node, Part::Plain, namer, DEPTH));
            }
        }
        while let Some((node, part, namer, depth)) = stack.pop() {
            for e in graph.edges_of(node).filter(|e| graph.edge_kind(layout, *e) != EdgeType::Weak) {
                let to = graph.edge_to[e] as usize;
                if walk.kind(to) == NodeType::String {
                    if walk.is_name(part, e) {
                        let slot = &mut named[graph.node_name[to] as usize];
                        *slot = (*slot).max(Some(namer));
                    }
                } else if let Some(next) = walk.part(part, to)
                    && seen[to] < Some(namer)
                    && depth > 0
                    && walk.internal(to, Word::Script).is_none()
                {
                    seen[to] = Some(namer);
                    stack.push((to, next, namer, depth - 1));
                }
            }
        }
        Self { named, sources }
    }
}
