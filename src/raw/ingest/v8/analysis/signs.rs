//! What words of V8, Node.js and the DOM mean to the analysis.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::Snapshot;
use crate::heap::StrId;
use crate::heap::sign::Sign;
use crate::limits;

const WORDS: &[(&str, Sign)] = &[
    ("(Stack roots)", Sign::Stack),
    ("(Handle scope)", Sign::Stack),
    ("(Thread manager)", Sign::Stack),
    // Strong roots are the engine's, and those of the profiler that takes the snapshot.
    ("(Strong roots)", Sign::Stack),
    ("(Strong root list)", Sign::Stack),
    ("(Internalized strings)", Sign::Stack),
    ("(External strings)", Sign::Stack),
    ("(Read-only roots)", Sign::Stack),
    ("(Startup object cache)", Sign::Stack),
    ("(Shareable object cache)", Sign::Stack),
    ("(Builtins)", Sign::Stack),
    ("(Relocatable)", Sign::Stack),
    ("(Compilation cache)", Sign::Stack),
    ("global", Sign::Global),
    ("globalThis", Sign::Global),
    ("Module", Sign::Module),
    ("system / SourceTextModule", Sign::Module),
    ("Map", Sign::Map),
    ("SafeMap", Sign::Map),
    ("Set", Sign::Set),
    ("SafeSet", Sign::Set),
    ("WeakMap", Sign::WeakMap),
    ("SafeWeakMap", Sign::WeakMap),
    ("Array", Sign::List),
    ("Object", Sign::Plain),
    ("system / Context", Sign::Scope),
    ("EventEmitter", Sign::Emitter),
    ("EventTarget", Sign::EventTarget),
    ("AbortController", Sign::AbortSignal),
    ("AbortSignal", Sign::AbortSignal),
    ("Listener", Sign::Listener),
    ("V8EventListener", Sign::PageListener),
    ("EventListener", Sign::PageListener),
    ("JSEventListener", Sign::PageListener),
    ("blink::JSEventListener", Sign::PageListener),
    ("blink::RegisteredEventListener", Sign::PageListener),
    ("Window", Sign::Window),
    ("Timeout", Sign::Timer),
    ("ScheduledAction", Sign::Timer),
    ("DOMTimer", Sign::Timer),
    ("Immediate", Sign::Immediate),
    ("Promise", Sign::Promise),
    ("system / PromiseReaction", Sign::Reaction),
    ("Generator", Sign::Suspended),
    ("AsyncGenerator", Sign::Suspended),
    ("system / JSAsyncFunctionObject", Sign::Suspended),
    ("AsyncContextFrame", Sign::AsyncFrame),
    ("ActiveAsyncContextFrame", Sign::AsyncFrame),
    ("IncomingMessage", Sign::Request),
    ("Http2ServerRequest", Sign::Request),
    ("ServerResponse", Sign::Response),
    ("Http2ServerResponse", Sign::Response),
    ("ClientRequest", Sign::Request),
    ("Socket", Sign::Handle),
    ("TLSSocket", Sign::Handle),
    ("TCP", Sign::Handle),
    ("Pipe", Sign::Handle),
    ("UDP", Sign::Handle),
    ("TTY", Sign::Handle),
    ("FileHandle", Sign::Handle),
    ("ReadStream", Sign::Handle),
    ("WriteStream", Sign::Handle),
    ("FSWatcher", Sign::Handle),
    ("FSEvent", Sign::Handle),
    ("StatWatcher", Sign::Handle),
    ("ChildProcess", Sign::Handle),
    ("Worker", Sign::Handle),
    ("MessagePort", Sign::Handle),
    ("Http2Session", Sign::Handle),
    ("ClientHttp2Session", Sign::Handle),
    ("ServerHttp2Session", Sign::Handle),
    ("WebSocket", Sign::Handle),
    ("Dir", Sign::Handle),
    ("DirHandle", Sign::Handle),
    ("Server", Sign::Server),
    ("Float32Array", Sign::Numbers),
    ("Float64Array", Sign::Numbers),
    ("Float16Array", Sign::Numbers),
    ("Int8Array", Sign::Numbers),
    ("ArrayBuffer", Sign::Bytes),
    ("Buffer", Sign::Bytes),
    ("FastBuffer", Sign::Bytes),
    ("Uint8Array", Sign::Bytes),
    ("Error", Sign::Failure),
    ("McpServer", Sign::McpClass),
    ("StreamableHTTPServerTransport", Sign::McpClass),
    ("SSEServerTransport", Sign::McpClass),
    ("StdioServerTransport", Sign::McpClass),
    ("McpSession", Sign::McpClass),
    ("table", Sign::Table),
    ("elements", Sign::Elements),
    ("properties", Sign::Properties),
    ("context", Sign::ToScope),
    ("previous", Sign::OuterScope),
    ("_events", Sign::Events),
    ("<symbol kEvents>", Sign::TargetEvents),
    ("<symbol events>", Sign::TargetEvents),
    ("_onTimeout", Sign::OnTimer),
    ("_onImmediate", Sign::OnTimer),
    ("_repeat", Sign::RunsOnce),
    ("_idleNext", Sign::TimerLink),
    ("_idlePrev", Sign::TimerLink),
    ("reactions_or_result", Sign::Reactions),
    ("parameters_and_registers", Sign::Waiting),
    ("<symbol kResourceStore>", Sign::AsyncStore),
    ("<symbol async_context_frame>", Sign::AsyncStore),
    ("continuation_preserved_embedder_data", Sign::AsyncStore),
    ("bound_this", Sign::BoundPart),
    ("bound_function", Sign::BoundPart),
    ("bindings", Sign::BoundPart),
    ("bound_arguments", Sign::BoundPart),
    ("next", Sign::Next),
    ("_next", Sign::Next),
    ("nextNode", Sign::Next),
    ("prev", Sign::Next),
    ("previousNode", Sign::Next),
    ("tail", Sign::Next),
    ("role", Sign::Role),
    ("content", Sign::Content),
    ("parts", Sign::Content),
    ("exports", Sign::Exports),
    ("_registeredTools", Sign::McpWord),
    ("_requestHandlers", Sign::McpWord),
    ("_responseHandlers", Sign::McpWord),
    ("_streamMapping", Sign::McpWord),
    ("_requestToStreamMapping", Sign::McpWord),
    ("_all", Sign::PoolWord),
    ("_idle", Sign::PoolIdle),
    ("idle", Sign::PoolIdle),
    ("_freeConnections", Sign::PoolIdle),
    ("freeSockets", Sign::PoolIdle),
    ("_pendingQueue", Sign::PoolIdle),
    ("_availableObjects", Sign::PoolIdle),
    ("(Document DOM trees)", Sign::PageTrees),
    ("system / ExternalStringData", Sign::OutsideText),
    ("system / NativeContext", Sign::NativeScope),
    ("sloppy_function_map", Sign::SloppyMap),
    ("(map descriptors)", Sign::MapDescriptors),
    ("__proto__", Sign::Proto),
    ("constructor", Sign::Proto),
    ("HeapSnapshotStream", Sign::Profiler),
    ("HeapProfilerAgent", Sign::Profiler),
];

/// Names of which one word says what they are for. Guesses: they never decide alone.
const PARTS: &[(&str, Sign)] = &[
    ("queue", Sign::QueueWord),
    ("pending", Sign::QueueWord),
    ("backlog", Sign::QueueWord),
    ("outbox", Sign::QueueWord),
    ("inbox", Sign::QueueWord),
    ("jobs", Sign::QueueWord),
    ("tasks", Sign::QueueWord),
    ("waiting", Sign::QueueWord),
    ("buffered", Sign::QueueWord),
    ("unsent", Sign::QueueWord),
    ("cache", Sign::CacheWord),
    ("cached", Sign::CacheWord),
    ("memo", Sign::CacheWord),
    ("memoized", Sign::CacheWord),
    ("lru", Sign::CacheWord),
    ("pool", Sign::PoolWord),
    ("connections", Sign::PoolWord),
    ("history", Sign::HistoryWord),
    ("transcript", Sign::HistoryWord),
    ("messages", Sign::HistoryWord),
    ("conversation", Sign::HistoryWord),
    ("conversations", Sign::HistoryWord),
    ("turns", Sign::HistoryWord),
    ("embedding", Sign::EmbeddingWord),
    ("embeddings", Sign::EmbeddingWord),
    ("vectors", Sign::EmbeddingWord),
    ("listeners", Sign::ListenerWord),
    ("handlers", Sign::ListenerWord),
    ("subscribers", Sign::ListenerWord),
    ("subscriptions", Sign::ListenerWord),
    ("callbacks", Sign::ListenerWord),
    ("observers", Sign::ListenerWord),
    ("mcp", Sign::McpWord),
];

/// A pair of a weak map, as an edge names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairName {
    /// Equal for the edge from the map and the edge from the key.
    pub(super) pair: u32,
    /// The number of the map's table.
    pub(super) table: u64,
}

impl Snapshot<'_> {
    /// The sign of every entry of the text table.
    pub(super) fn signs(&self) -> Vec<Sign> {
        let exact: FxHashMap<&[u8], Sign> = WORDS.iter().map(|(word, sign)| (word.as_bytes(), *sign)).collect();
        let parts: FxHashMap<&[u8], Sign> = PARTS.iter().map(|(word, sign)| (word.as_bytes(), *sign)).collect();
        let sign = |i: usize| {
            let text = self.outline.strings.raw(self.bytes, i);
            if text.len() > limits::NAME_BYTES {
                return if is_pair(text) { Sign::Pair } else { Sign::None };
            }
            if let Some(sign) = exact.get(text) {
                return *sign;
            }
            match text {
                _ if text.len() <= 10 && !text.is_empty() && text.iter().all(u8::is_ascii_digit) => Sign::Number,
                _ if text.starts_with(b"system / Context") => Sign::Scope,
                _ if text.starts_with(b"Window ") => Sign::Window,
                _ if text.starts_with(b"global ") => Sign::Global,
                _ if text.starts_with(b"bound_argument_") => Sign::BoundPart,
                _ if is_pair(text) => Sign::Pair,
                _ => by_words(text, &parts),
            }
        };
        (0..self.outline.strings.len()).into_par_iter().with_min_len(4096).map(sign).collect()
    }

    /// The pairs of weak maps, by entry of the text table.
    pub(super) fn pairs(&self, signs: &[Sign]) -> FxHashMap<u32, PairName> {
        let mut out = FxHashMap::default();
        let mut numbers: FxHashMap<&[u8], u32> = FxHashMap::default();
        for (i, _) in signs.iter().enumerate().filter(|(_, sign)| **sign == Sign::Pair) {
            let text = self.outline.strings.raw(self.bytes, i);
            if let Some((rest, table)) = pair_of(text) {
                let next = numbers.len() as u32;
                let pair = *numbers.entry(rest).or_insert(next);
                out.insert(i as u32, PairName { pair, table });
            }
        }
        out
    }

    pub(super) fn raw_name(&self, id: StrId) -> &[u8] {
        self.outline.strings.raw(self.bytes, id.ix())
    }
}

fn is_pair(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_digit) && text.ends_with(b")") && pair_of(text).is_some()
}

/// `N / part of key (K @id) -> value (V @id) pair in WeakMap (table @id)`: what stands behind N, and the number of the table.
fn pair_of(text: &[u8]) -> Option<(&[u8], u64)> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = &text[digits..];
    let inner = rest.strip_prefix(b" / part of key (")?.strip_suffix(b")")?;
    let table_at = memchr::memmem::rfind(inner, b") pair in WeakMap (table @")?;
    let table = number(&inner[table_at + 26..])?;
    let key_and_value = &inner[..table_at];
    let is_numbered = |t: &[u8]| memchr::memmem::rfind(t, b" @").is_some_and(|at| number(&t[at + 2..]).is_some());
    let split = |at: usize| is_numbered(&key_and_value[..at]) && is_numbered(&key_and_value[at + 12..]);
    let found = memchr::memmem::find_iter(key_and_value, b") -> value (").any(split);
    (digits > 0 && found).then_some((rest, table))
}

fn number(digits: &[u8]) -> Option<u64> {
    let ok = !digits.is_empty() && digits.len() <= 19 && digits.iter().all(u8::is_ascii_digit);
    ok.then(|| digits.iter().fold(0, |n, d| n * 10 + u64::from(d - b'0')))
}

/// The first word of a name that says what it is for: `retryQueue`, `_cached_answers`.
fn by_words(text: &[u8], parts: &FxHashMap<&[u8], Sign>) -> Sign {
    const LONGEST: usize = 48;
    if text.len() > LONGEST || !text.iter().any(u8::is_ascii_lowercase) || text.contains(&b' ') {
        return Sign::None;
    }
    let (mut word, mut len) = ([0_u8; LONGEST], 0);
    let mut before = b'_';
    for byte in text.iter().copied().chain([b'_']) {
        let starts = !byte.is_ascii_alphabetic() || (byte.is_ascii_uppercase() && !before.is_ascii_uppercase());
        if starts && len > 0 {
            if let Some(sign) = parts.get(&word[..len]) {
                return *sign;
            }
            len = 0;
        }
        if byte.is_ascii_alphabetic() {
            word[len] = byte.to_ascii_lowercase();
            len += 1;
        }
        before = byte;
    }
    Sign::None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        let parts: FxHashMap<&[u8], Sign> = PARTS.iter().map(|(word, sign)| (word.as_bytes(), *sign)).collect();
        let check = |name: &str, sign| assert_eq!(by_words(name.as_bytes(), &parts), sign, "{name}");
        check("retryQueue", Sign::QueueWord);
        check("_cached_answers", Sign::CacheWord);
        check("MCPSessions", Sign::None);
        check("mcpSessions", Sign::McpWord);
        check("completions", Sign::None);
        check("[key#12]", Sign::None);
    }

    #[test]
    fn pairs_of_weak_maps() {
        let text = b"4 / part of key (A (x @1) b @56781) -> value (s @2) pair in WeakMap (table @60457)";
        assert_eq!(pair_of(text).map(|(rest, table)| (rest.len(), table)), Some((text.len() - 1, 60457)));
        assert!(pair_of(b"4 / part of key (A) -> value (s @2) pair in WeakMap (table @60457)").is_none());
        assert!(pair_of(b" / part of key (A @1) -> value (s @2) pair in WeakMap (table @60457)").is_none());
    }
}
