//! The kinds of things that keep objects alive, and the runtimes they are found in.

/// What keeps objects alive, as a programmer would call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum OwnerKind {
    /// A Map that is filled and not emptied.
    Cache,
    Set,
    /// A plain object whose keys are data.
    Dictionary,
    /// An array that is only pushed to.
    List,
    LinkedList,
    Queue,
    /// A listener of an emitter.
    EventListener,
    /// A listener of an event target: a window, an element, a port.
    EventTarget,
    AbortSignal,
    Timer,
    Interval,
    Closure,
    PromiseChain,
    /// An async function or a generator that stopped half way.
    SuspendedFunction,
    /// A request or response that outlived its answer.
    Request,
    /// What belongs to one chain of asynchronous calls.
    AsyncContext,
    /// A static field of a class.
    Static,
    Global,
    Pool,
    /// A file, stream or socket that is open.
    OpenHandle,
    Embeddings,
    ChatHistory,
    /// Sessions of a server that gives tools to a model.
    McpState,
    DetachedDom,
    WeakMap,
    /// The evidence does not say.
    Unknown,
}

impl OwnerKind {
    /// All of them, in the order of the documentation.
    pub(crate) const ALL: [Self; 26] = [
        Self::Cache,
        Self::Set,
        Self::Dictionary,
        Self::List,
        Self::LinkedList,
        Self::Queue,
        Self::EventListener,
        Self::EventTarget,
        Self::AbortSignal,
        Self::Timer,
        Self::Interval,
        Self::Closure,
        Self::PromiseChain,
        Self::SuspendedFunction,
        Self::Request,
        Self::AsyncContext,
        Self::Static,
        Self::Global,
        Self::Pool,
        Self::OpenHandle,
        Self::Embeddings,
        Self::ChatHistory,
        Self::McpState,
        Self::DetachedDom,
        Self::WeakMap,
        Self::Unknown,
    ];

    /// The word in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Set => "set",
            Self::Dictionary => "dictionary",
            Self::List => "list",
            Self::LinkedList => "linked-list",
            Self::Queue => "queue",
            Self::EventListener => "event-listener",
            Self::EventTarget => "event-target",
            Self::AbortSignal => "abort-signal",
            Self::Timer => "timer",
            Self::Interval => "interval",
            Self::Closure => "closure",
            Self::PromiseChain => "promise-chain",
            Self::SuspendedFunction => "suspended-function",
            Self::Request => "request",
            Self::AsyncContext => "async-context",
            Self::Static => "static",
            Self::Global => "global",
            Self::Pool => "pool",
            Self::OpenHandle => "open-handle",
            Self::Embeddings => "embeddings",
            Self::ChatHistory => "chat-history",
            Self::McpState => "mcp-state",
            Self::DetachedDom => "detached-dom",
            Self::WeakMap => "weak-map",
            Self::Unknown => "unknown",
        }
    }
}

/// What ran the program. Advice differs, since languages differ in what they offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Runtime {
    JavaScript,
    Python,
}

impl Runtime {
    /// All of them.
    pub(crate) const ALL: [Self; 2] = [Self::JavaScript, Self::Python];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_a_word_of_its_own() {
        let mut words: Vec<_> = OwnerKind::ALL.iter().map(|kind| kind.name()).collect();
        assert!(words.iter().all(|word| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), OwnerKind::ALL.len());
        assert!(OwnerKind::ALL.is_sorted());
    }
}
