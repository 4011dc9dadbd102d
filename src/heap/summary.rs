//! What one snapshot holds by class.

use super::StrId;
use super::series::Sketch;

/// The name of a class: a word of the runtime, or a text of the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ClassName {
    /// A group that the runtime's tools know: `(string)`, `Function`.
    Fixed(&'static str),
    /// The text as it is.
    Text(StrId),
    /// An element of a page: its tag without the attributes.
    Element(StrId),
}

/// Every fixed name of a class.
pub(crate) const CLASS_WORDS: [&str; 15] = [
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
    "[class]",
];

/// Objects of one class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassCount {
    pub(crate) name: ClassName,
    pub(crate) count: u64,
    /// Bytes of the objects themselves, without what they hold.
    pub(crate) shallow: u64,
}

/// What a report needs to know of one snapshot, as numbers.
#[derive(Debug)]
pub(crate) struct Summary {
    /// Bytes of all objects.
    pub(crate) heap_bytes: u64,
    /// Bytes outside of the heap that the runtime counts with it, where the file tells.
    pub(crate) outside_bytes: Option<u64>,
    /// In no order that matters.
    pub(crate) classes: Vec<ClassCount>,
    pub(crate) sketch: Sketch,
}
