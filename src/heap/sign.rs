//! What words of a runtime mean to the analysis. Formats map their texts to these, so that nothing behind them compares text.

/// The meaning of a name of an object, a property or an edge. Most names mean nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Sign {
    #[default]
    None,
    // Roots.
    /// What functions were running, and what the engine and the profiler hold for themselves: true of the moment only.
    Stack,
    /// The object that holds the global variables.
    Global,
    /// A module of the program: what it exports, what it loaded.
    Module,
    // Objects of the runtime.
    Map,
    Set,
    WeakMap,
    List,
    /// An object without a class of its own.
    Plain,
    /// The variables of a scope.
    Scope,
    Emitter,
    EventTarget,
    AbortSignal,
    /// What an event target keeps for each listener.
    Listener,
    /// What a page keeps for each listener.
    PageListener,
    Window,
    Timer,
    Immediate,
    Promise,
    /// What is to happen when a promise is settled.
    Reaction,
    /// A function that waits.
    Suspended,
    AsyncFrame,
    Request,
    Response,
    /// A connection, file or another thing that must be closed.
    Handle,
    Server,
    /// Numbers in one block.
    Numbers,
    /// Bytes in one block.
    Bytes,
    Failure,
    McpClass,
    // Edges.
    /// The store behind a map or set.
    Table,
    /// The stores behind any object.
    Elements,
    Properties,
    /// From a function to the variables it holds.
    ToScope,
    /// From a scope to the one around it.
    OuterScope,
    Events,
    /// The listeners of an event target.
    TargetEvents,
    OnTimer,
    /// Only what runs once has it.
    RunsOnce,
    TimerLink,
    Reactions,
    Waiting,
    AsyncStore,
    /// The value of a weak map, held through its key.
    Pair,
    BoundPart,
    /// The next one of a list.
    Next,
    Role,
    Content,
    Exports,
    /// A number as a name: an entry of a table.
    Number,
    // Names that say what something is for.
    QueueWord,
    CacheWord,
    PoolWord,
    PoolIdle,
    HistoryWord,
    EmbeddingWord,
    ListenerWord,
    McpWord,
    // What the rules of the runtime's own tools go by.
    PageTrees,
    OutsideText,
    NativeScope,
    SloppyMap,
    MapDescriptors,
    Proto,
    /// What takes the snapshot.
    Profiler,
}
