//! What can stand on the stack of the machine.

/// Names that a pickle of a snapshot may import. Nothing is imported: they are words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Global {
    Snapshot,
    Traces,
    /// What protocols 0 and 1 make objects with.
    Reconstructor,
    Object,
}

impl Global {
    pub(super) fn of(module: &[u8], name: &[u8]) -> Option<Self> {
        Some(match (module, name) {
            (b"tracemalloc", b"Snapshot") => Self::Snapshot,
            (b"tracemalloc", b"_Traces") => Self::Traces,
            (b"copy_reg" | b"copyreg", b"_reconstructor") => Self::Reconstructor,
            (b"__builtin__" | b"builtins", b"object") => Self::Object,
            _ => return None,
        })
    }
}

/// What can stand on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Nothing,
    Number(u64),
    Text(u32),
    Global(Global),
    EmptyTuple,
    /// What the reconstructor is called with.
    Arguments(Global),
    Frame(u32),
    Stack(u32),
    Trace(u32),
    List(u8),
    Dict(u8),
    /// An object without its attributes.
    Bare(Global),
    /// The list of traces, wrapped.
    Traces(u8),
    /// The snapshot, complete.
    Snapshot,
}

/// A list: of traces, or of the texts that this program adds to a sanitised file.
#[derive(Default)]
pub(super) struct List {
    pub(super) traces: Vec<u32>,
    pub(super) texts: Vec<u32>,
}

/// The attributes of an object.
#[derive(Clone, Copy, Default)]
pub(super) struct Dict {
    pub(super) traces: Option<u8>,
    pub(super) wrapped: Option<u8>,
    pub(super) limit: Option<u64>,
    pub(super) added: Option<u8>,
}
