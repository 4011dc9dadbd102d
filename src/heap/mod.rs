//! The runtime-neutral side of a heap: numbers only, no text can be stored here.

pub(crate) mod classes;
pub(crate) mod distances;
pub(crate) mod dominators;
pub(crate) mod graph;
pub(crate) mod routes;
pub(crate) mod series;
pub(crate) mod sign;
pub(crate) mod sites;

/// Index into a table of texts. The raw table and the sanitised table share ids; twins follow after the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StrId(pub u32);

impl StrId {
    /// The id as an index.
    #[must_use]
    pub const fn ix(self) -> usize {
        self.0 as usize
    }
}

/// What a snapshot holds, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Bytes of the plain (decompressed) file.
    pub bytes: u64,
    /// Nodes (objects) in the graph.
    pub nodes: u64,
    /// Edges (references) in the graph.
    pub edges: u64,
    /// Entries of the text table.
    pub strings: u64,
}
