//! A heap as numbers: who refers to whom, sizes, classes. Every format fills this; everything that analyses a heap
//! reads it. Words that matter to the analysis are [`Sign`]s, so nothing here compares text.

use super::StrId;
use super::sign::Sign;
use crate::summarise::owner_kind::Runtime;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// An object of the program or of its runtime.
    Object,
    /// A function with the variables it holds, or a class.
    Function,
    /// A text.
    Text,
    /// A number or another single value.
    Primitive,
    /// A store of the engine behind an object: elements, the table of a map.
    Store,
    /// Compiled code and what belongs to it.
    Code,
    /// Something else of the engine's own.
    Engine,
    /// An object of the embedder: an element of a page, the bytes behind a buffer.
    Native,
    /// A root, or a group of roots.
    Root,
}

/// How an object refers to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeKind {
    /// A variable of a scope that a function holds.
    Variable,
    /// An element of a list, by number.
    Element,
    /// A property or field.
    Property,
    /// Something of the engine, by name.
    Internal,
    /// Something of the engine, by number.
    Hidden,
    /// A second way to a thing that is held elsewhere.
    Shortcut,
    /// A reference that keeps nothing alive.
    Weak,
}

impl EdgeKind {
    /// The word used in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Variable => "variable",
            Self::Element => "element",
            Self::Property => "property",
            Self::Internal => "internal",
            Self::Hidden => "hidden",
            Self::Shortcut => "shortcut",
            Self::Weak => "weak",
        }
    }

    /// Does the edge carry a number in place of a name?
    pub(crate) const fn is_indexed(self) -> bool {
        matches!(self, Self::Element | Self::Hidden)
    }
}

/// The name of a class: a word of the runtime, or made of texts of the snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ClassName {
    /// A group that the runtime's tools know: `(string)`, `Function`.
    Fixed(&'static str),
    /// The text as it is.
    Text(StrId),
    /// An element of a page: its tag without the attributes.
    Element(StrId),
    /// A plain object, named by its keys.
    Shape(Box<[StrId]>),
}

/// Every fixed name of a class.
pub(crate) const CLASS_WORDS: [&str; 16] = [
    "(system)",
    "(compiled code)",
    "Function",
    "RegExp",
    "(array)",
    "(string)",
    "(number)",
    "(synthetic)",
    "(concatenated string)",
    "(sliced string)",
    "(symbol)",
    "(bigint)",
    "(object shape)",
    "(wasm object)",
    "Object",
    "[class]",
];

/// Whose a class is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Maker {
    /// The program's own.
    Program,
    /// An object or text without a class of its own: what it is for, its holder tells.
    Plain,
    /// The runtime's: `Map`, `Timeout`.
    Runtime,
    /// The engine's: code, hidden classes, stores.
    Engine,
}

impl Maker {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Program, Self::Plain, Self::Runtime, Self::Engine];

    /// The word used in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Plain => "plain",
            Self::Runtime => "runtime",
            Self::Engine => "engine",
        }
    }
}

/// A place in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The engine's number for the script.
    pub(crate) script: u32,
    /// From 0, as engines count.
    pub(crate) line: u32,
    /// From 0.
    pub(crate) column: u32,
}

/// One row of a class table.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: ClassName,
    /// Is it out of the page?
    pub(crate) detached: bool,
    /// Where its constructor is. Classes of one name in several places are several classes.
    pub(crate) place: Option<Place>,
    pub(crate) maker: Maker,
}

/// Flags of an edge.
pub(crate) mod flag {
    /// Keeps nothing alive.
    pub(crate) const WEAK: u8 = 1;
    /// Counts for dominators.
    pub(crate) const ESSENTIAL: u8 = 2;
    /// The engine's own way; people understand another one better.
    pub(crate) const PLUMBING: u8 = 4;
    /// Tells nothing about the program: what the moment of the snapshot held.
    pub(crate) const LAST_CHOICE: u8 = 8;
    /// The value of a weak map, held through its key.
    pub(crate) const PAIR: u8 = 16;
}

/// The graph of a snapshot with what the format knows about it. Distances and sizes follow the runtime's own tools.
#[derive(Debug)]
pub(crate) struct Heap<'a> {
    /// What ran the program.
    pub(crate) runtime: Runtime,
    pub(crate) root: u32,
    /// The edges of node `n` are `first_edge[n]..first_edge[n + 1]`.
    pub(crate) first_edge: &'a [u32],
    pub(crate) edge_to: &'a [u32],
    /// An entry of the text table, or a number.
    pub(crate) edge_name: &'a [u32],
    pub(crate) edge_type: &'a [u8],
    /// What the types of edges mean.
    pub(crate) edge_kinds: Vec<EdgeKind>,
    pub(crate) edge_flags: Vec<u8>,
    pub(crate) node_name: &'a [u32],
    pub(crate) node_type: &'a [u8],
    /// What the types of nodes mean.
    pub(crate) node_kinds: Vec<NodeKind>,
    /// Which types of nodes are texts named by their content.
    pub(crate) whole_texts: Vec<bool>,
    /// The number of each object, which it keeps as long as it lives; empty where nobody wants them.
    pub(crate) ids: Vec<u64>,
    /// Bytes of each object, with the stores that it alone owns.
    pub(crate) sizes: Vec<u64>,
    /// References away from the nearest root; what only the engine reaches is further away than anything else.
    pub(crate) distances: Vec<i32>,
    /// The row of each object in `classes`.
    pub(crate) class_of: Vec<u32>,
    pub(crate) classes: Vec<Class>,
    /// What each entry of the text table means.
    pub(crate) signs: Vec<Sign>,
    /// Where functions and constructors are, by node.
    pub(crate) places: Vec<(u32, Place)>,
    /// The entry of the text table that names each script.
    pub(crate) scripts: Vec<(u32, StrId)>,
    /// Bytes of all objects.
    pub(crate) heap_bytes: u64,
    /// Bytes outside of the heap that the runtime counts with it, where the file tells.
    pub(crate) outside_bytes: Option<u64>,
}

impl Heap<'_> {
    pub(crate) fn nodes(&self) -> usize {
        self.node_name.len()
    }

    pub(crate) fn edges_of(&self, node: u32) -> std::ops::Range<usize> {
        self.first_edge[node as usize] as usize..self.first_edge[node as usize + 1] as usize
    }

    pub(crate) fn node_kind(&self, node: u32) -> NodeKind {
        self.node_kinds[usize::from(self.node_type[node as usize])]
    }

    pub(crate) fn edge_kind(&self, edge: usize) -> EdgeKind {
        self.edge_kinds[usize::from(self.edge_type[edge])]
    }

    pub(crate) fn has(&self, edge: usize, flags: u8) -> bool {
        self.edge_flags[edge] & flags != 0
    }

    /// What the name of an edge means.
    pub(crate) fn edge_sign(&self, edge: usize) -> Sign {
        if self.edge_kind(edge).is_indexed() { Sign::None } else { self.signs[self.edge_name[edge] as usize] }
    }

    /// What the name of an object means. Contents of texts mean nothing.
    pub(crate) fn node_sign(&self, node: u32) -> Sign {
        match self.node_kind(node) {
            NodeKind::Text | NodeKind::Primitive => Sign::None,
            _ => self.signs[self.node_name[node as usize] as usize],
        }
    }

    /// Is the name of a text its content? Texts that are put together or cut out have a name for all of their kind.
    pub(crate) fn is_whole_text(&self, node: u32) -> bool {
        self.whole_texts[usize::from(self.node_type[node as usize])]
    }

    pub(crate) fn class(&self, node: u32) -> &Class {
        &self.classes[self.class_of[node as usize] as usize]
    }

    /// Where the code of a function, or the constructor of an object, is.
    pub(crate) fn place(&self, node: u32) -> Option<Place> {
        let at = self.places.binary_search_by_key(&node, |(n, _)| *n).ok()?;
        Some(self.places[at].1)
    }
}
