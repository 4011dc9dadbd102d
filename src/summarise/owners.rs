//! Who keeps an object alive, told from the way to it: the nearest thing that a programmer would name.
//!
//! The way is walked from the object towards the root. A thing that explains itself (a listener, a timer, a promise) decides
//! at once. A container (a list, a map) is remembered, and decides when it turns out what it is called and nothing on
//! the way to that name explains more. What is told is what the graph shows; guesses by names say that they are guesses.

use super::owner_kind::OwnerKind;
use crate::heap::StrId;
use crate::heap::graph::{EdgeKind, Heap, Maker, NodeKind, Place, flag};
use crate::heap::routes::{Routes, Step, is_keyed};
use crate::heap::sign::Sign;

/// How sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Confidence {
    /// A guess by names or shapes.
    Low,
    /// The structure says so, but other things look alike.
    Medium,
    /// The runtime's own structure.
    High,
}

impl Confidence {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What keeps an object alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) kind: OwnerKind,
    pub(crate) confidence: Confidence,
    /// The variable or field that leads to it.
    pub(crate) name: Option<StrId>,
    /// The object itself.
    pub(crate) node: Option<u32>,
    /// The function that holds on: a listener, the callback of a timer.
    pub(crate) function: Option<StrId>,
    /// The event that is listened to.
    pub(crate) event: Option<StrId>,
    /// Where that function, or the class of the object, stands.
    pub(crate) place: Option<Place>,
    pub(crate) evidence: Vec<&'static str>,
}

impl Owner {
    pub(crate) const UNKNOWN: Self = Self {
        kind: OwnerKind::Unknown,
        confidence: Confidence::Low,
        name: None,
        node: None,
        function: None,
        event: None,
        place: None,
        evidence: Vec::new(),
    };
}

/// What the graph shows, in the words of reports.
pub(crate) mod why {
    macro_rules! reasons {
        ($($name:ident $words:literal),* $(,)?) => {
            $(pub(crate) const $name: &str = $words;)*
            /// All of them.
            pub(crate) const ALL: &[&str] = &[$($name),*];
        };
    }

    reasons! {
        ALLOCATED "it was allocated there; tracemalloc does not tell who holds it",
        MODULE "a module that keeps things is on the stack of calls",
        NOTHING "no container, listener, timer or function stands on the way",
        DETACHED "an element that is out of the page is on the way",
        PAIR "it is the value of a WeakMap, whose key is alive",
        LOOP_TURN "it waits for its turn in the event loop",
        PAGE_TIMER "a timer of the page holds the function",
        EMITTER "the emitter keeps it in its table of listeners",
        PAGE_LISTENER "a listener of the page holds the function",
        ASYNC_STORE "it is the store of an asynchronous context",
        PROMISE "a promise that is not settled holds what is to happen then",
        WAITS "it is a variable of a function that waits and has not ended",
        REQUEST "a request or response of the server is on the way",
        HANDLE "a socket, stream or file is on the way",
        MCP "an object of an MCP server is on the way",
        TIMER "a timer that has not run holds the function",
        INTERVAL "an interval that was not cleared holds the function",
        SIGNAL "an abort signal keeps it as a listener",
        TARGET "an event target keeps it as a listener",
        MAP "it is an entry of a Map",
        SET "it is an entry of a Set",
        CHAIN "it is a link of a chain of objects of one class",
        GLOBAL "it is a global variable",
        SCOPE "it is a variable of a scope that a function keeps alive",
        FIELD "it is a field of a class or function",
        DICTIONARY "it is one of many values of an object that is used as a dictionary",
        OWN_COLLECTION "it is an entry of a collection of the program's own class",
        CHAT "every element has a role and a content",
        NUMBERS "the elements are blocks of numbers",
        HOLDS_NUMBERS "every element has a block of numbers",
        HOLDS_REQUESTS "every element has a request or a response",
        HOLDS_HANDLES "every element has a socket, stream or file",
        HOLDS_DETACHED "every element has an element that is out of the page",
        LIST "it is an element of an array",
        MCP_PART "a part of an MCP server holds it",
        POOL "the object around it has the fields of a pool",
        QUEUE_NAME "its name is that of a queue",
        QUEUE_CLASS "the class around it is called a queue",
        LISTENERS_NAME "its name is that of a list of listeners",
        EMBEDDINGS_NAME "its name is that of a list of embeddings",
        GLOBAL_HOLDS "a global variable holds the container",
        FIELD_HOLDS "a field of a class or function holds the container",
    }
}

/// One step of a way, with both of its ends.
#[derive(Clone, Copy)]
struct Hop {
    from: u32,
    edge: usize,
    to: u32,
    repeats: u32,
}

/// What was found so far: the kind, how sure, why, and the hop that shows it.
struct Guess {
    kind: OwnerKind,
    confidence: Confidence,
    evidence: Vec<&'static str>,
    at: usize,
}

/// How far up a name is looked for.
const NAME_STEPS: usize = 8;
/// Entries of a list that are looked at.
const LOOKED_AT: usize = 64;
/// An object with more fields is about more than the one that tells what it is around: each property, its class, and the
/// engine's own edges.
const FEW_FIELDS: usize = 12;

struct Walk<'w, 'h> {
    heap: &'w Heap<'h>,
    hops: Vec<Hop>,
}

/// Tells who owns the object that a way leads to.
pub(crate) fn owner(heap: &Heap<'_>, routes: &Routes, steps: &[Step]) -> Owner {
    let hop = |step: &Step| {
        let from = routes.before(step.node)?;
        Some(Hop { from, edge: step.edge as usize, to: step.node, repeats: step.repeats })
    };
    let walk = Walk { heap, hops: steps.iter().filter_map(hop).collect() };
    match walk.guess() {
        Some(guess) => walk.tell(guess),
        None => Owner { evidence: vec![why::NOTHING], ..Owner::UNKNOWN },
    }
}

impl Walk<'_, '_> {
    fn guess(&self) -> Option<Guess> {
        let heap = self.heap;
        let mut found: Option<Guess> = None;
        // Code belongs to functions; nobody collects it.
        if self.hops.last().is_some_and(|hop| heap.node_kind(hop.to) == NodeKind::Code) {
            return None;
        }
        for (at, hop) in self.hops.iter().enumerate().rev() {
            // What holds a module holds all of the program and explains nothing in it.
            if heap.node_sign(hop.from) == Sign::Module || heap.node_sign(hop.to) == Sign::Module {
                return found;
            }
            // A pair of a WeakMap explains what is right below it, and not what that holds in turn.
            let is_far_pair =
                heap.has(hop.edge, flag::PAIR) && found.as_ref().is_some_and(|guess| !self.is_right_above(guess, at));
            if !is_far_pair && let Some(strong) = self.explains_itself(at, *hop) {
                return Some(strong);
            }
            match &found {
                None => found = self.container(at, *hop),
                Some(guess) => {
                    if let Some(better) = self.upgrade(guess, at, *hop) {
                        return Some(better);
                    }
                    if self.is_named(guess, at, *hop) {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// Things of the runtime that say what they are.
    fn explains_itself(&self, at: usize, hop: Hop) -> Option<Guess> {
        let heap = self.heap;
        let (edge, from, to) = (heap.edge_sign(hop.edge), heap.node_sign(hop.from), heap.node_sign(hop.to));
        let sure = |kind, why| Some(Guess { kind, confidence: Confidence::High, evidence: vec![why], at });
        if heap.class(hop.to).detached {
            return sure(OwnerKind::DetachedDom, why::DETACHED);
        }
        if heap.has(hop.edge, flag::PAIR) {
            return sure(OwnerKind::WeakMap, why::PAIR);
        }
        match (from, edge, to) {
            (_, Sign::OnTimer, _) if from == Sign::Timer => self.timer(at, hop),
            (_, Sign::OnTimer, _) => sure(OwnerKind::Timer, why::LOOP_TURN),
            (Sign::Timer, ..) if heap.node_kind(hop.from) == NodeKind::Native => {
                sure(OwnerKind::Timer, why::PAGE_TIMER)
            }
            // Something that was put on the timer itself: arguments, or a context whose name the file does not tell.
            (Sign::Timer, edge, to) if to != Sign::Timer && !matches!(edge, Sign::AsyncStore | Sign::TimerLink) => {
                self.timer(at, hop)
            }
            // One listener of a connection is a part of it; many on one connection are a leak of their own.
            (Sign::Handle, Sign::Events, _) if !self.is_one_of_many(at) => sure(OwnerKind::OpenHandle, why::HANDLE),
            (_, Sign::Events, _) => sure(OwnerKind::EventListener, why::EMITTER),
            (Sign::Listener, ..) | (_, Sign::TargetEvents, _) => Some(self.target(at)),
            (Sign::PageListener, ..) => sure(OwnerKind::EventTarget, why::PAGE_LISTENER),
            (_, Sign::AsyncStore, _) | (Sign::AsyncFrame, ..) => sure(OwnerKind::AsyncContext, why::ASYNC_STORE),
            (Sign::Reaction, ..) | (_, Sign::Reactions, _) => sure(OwnerKind::PromiseChain, why::PROMISE),
            (_, Sign::Waiting, _) => sure(OwnerKind::SuspendedFunction, why::WAITS),
            (.., Sign::Request | Sign::Response) => sure(OwnerKind::Request, why::REQUEST),
            (.., Sign::Handle) => sure(OwnerKind::OpenHandle, why::HANDLE),
            (.., Sign::McpClass) => sure(OwnerKind::McpState, why::MCP),
            _ => None,
        }
    }

    /// A timer that runs once has an edge that one which runs again and again does not have.
    fn timer(&self, at: usize, hop: Hop) -> Option<Guess> {
        let once = self.heap.edges_of(hop.from).any(|e| self.heap.edge_sign(e) == Sign::RunsOnce);
        let (kind, why) = if once { (OwnerKind::Timer, why::TIMER) } else { (OwnerKind::Interval, why::INTERVAL) };
        Some(Guess { kind, confidence: Confidence::High, evidence: vec![why], at })
    }

    /// Does the table of listeners have a list for the event?
    fn is_one_of_many(&self, at: usize) -> bool {
        self.hops.get(at + 1).is_some_and(|hop| self.heap.node_sign(hop.to) == Sign::List)
    }

    fn target(&self, at: usize) -> Guess {
        let above = &self.hops[at.saturating_sub(NAME_STEPS)..=at];
        let is_signal = |node: u32| self.heap.node_sign(node) == Sign::AbortSignal;
        let (kind, why) = if above.iter().any(|hop| is_signal(hop.from) || is_signal(hop.to)) {
            (OwnerKind::AbortSignal, why::SIGNAL)
        } else {
            (OwnerKind::EventTarget, why::TARGET)
        };
        Guess { kind, confidence: Confidence::High, evidence: vec![why], at }
    }

    /// Things that hold others.
    fn container(&self, at: usize, hop: Hop) -> Option<Guess> {
        let heap = self.heap;
        let (kind, edge, from) = (heap.edge_kind(hop.edge), heap.edge_sign(hop.edge), heap.node_sign(hop.from));
        let guess = |kind, confidence, why| Some(Guess { kind, confidence, evidence: vec![why], at });
        match (from, edge, kind) {
            (Sign::Map, Sign::Table, _) => guess(OwnerKind::Cache, Confidence::High, why::MAP),
            (Sign::Set, Sign::Table, _) => guess(OwnerKind::Set, Confidence::High, why::SET),
            (_, Sign::Table, EdgeKind::Internal) => self.own_collection(at, hop),
            (Sign::List, _, EdgeKind::Element) => Some(self.list(at, hop)),
            (_, Sign::Next, _) if hop.repeats > 2 => guess(OwnerKind::LinkedList, Confidence::High, why::CHAIN),
            _ if hop.repeats > 2 && heap.class_of[hop.from as usize] == heap.class_of[hop.to as usize] => {
                guess(OwnerKind::LinkedList, Confidence::Medium, why::CHAIN)
            }
            (Sign::Global, _, EdgeKind::Property) => guess(OwnerKind::Global, Confidence::High, why::GLOBAL),
            (Sign::Scope, ..) if kind != EdgeKind::Internal || edge == Sign::Number => {
                guess(OwnerKind::Closure, Confidence::Medium, why::SCOPE)
            }
            (_, _, EdgeKind::Property) if heap.node_kind(hop.from) == NodeKind::Function && edge != Sign::Proto => {
                guess(OwnerKind::Static, Confidence::Medium, why::FIELD)
            }
            (Sign::Plain, _, EdgeKind::Property) if self.is_dictionary(hop) => {
                guess(OwnerKind::Dictionary, Confidence::High, why::DICTIONARY)
            }
            _ => None,
        }
    }

    /// A class of the program's own that is made from a Map or Set.
    fn own_collection(&self, at: usize, hop: Hop) -> Option<Guess> {
        // The table of a Map has keys and values in turn, a Set only keys; both hold other things of the engine.
        (self.heap.node_kind(hop.from) == NodeKind::Object && self.heap.node_kind(hop.to) == NodeKind::Store).then(
            || Guess {
                kind: OwnerKind::Cache,
                confidence: Confidence::Medium,
                evidence: vec![why::OWN_COLLECTION],
                at,
            },
        )
    }

    /// A list: what is in it may say what it is for.
    fn list(&self, at: usize, hop: Hop) -> Guess {
        let heap = self.heap;
        let elements = heap.edges_of(hop.from).filter(|e| heap.edge_kind(*e) == EdgeKind::Element).take(LOOKED_AT);
        let elements: Vec<u32> = elements.map(|e| heap.edge_to[e]).collect();
        let most = |is: &dyn Fn(u32) -> bool| elements.iter().filter(|n| is(**n)).count() * 2 > elements.len();
        let has = |node: u32, sign: Sign| heap.edges_of(node).any(|e| heap.edge_sign(e) == sign);
        let guess = |kind, confidence, why| Guess { kind, confidence, evidence: vec![why], at };
        let is_chat = most(&|n| has(n, Sign::Role) && has(n, Sign::Content));
        let plain = most(&|n| heap.class(n).maker == Maker::Plain);
        // Objects of a class of their own may be lines of a log: the list must be called so too.
        if is_chat && (plain || self.is_called(at, Sign::HistoryWord)) {
            return guess(OwnerKind::ChatHistory, Confidence::High, why::CHAT);
        }
        if most(&|n| heap.node_sign(n) == Sign::Numbers) {
            return guess(OwnerKind::Embeddings, Confidence::Medium, why::NUMBERS);
        }
        // Small objects around something else: a row around a vector, a trace around a request.
        let around = |node: u32, is: &dyn Fn(u32) -> bool| {
            let fields = || heap.edges_of(node).filter(|e| heap.edge_kind(*e) == EdgeKind::Property);
            is(node) || (fields().count() <= FEW_FIELDS && fields().any(|e| is(heap.edge_to[e])))
        };
        let signed = |sign: Sign| move |n: u32| heap.node_sign(n) == sign;
        if most(&|n| around(n, &|n| heap.class(n).detached)) {
            return guess(OwnerKind::DetachedDom, Confidence::High, why::HOLDS_DETACHED);
        }
        if most(&|n| around(n, &signed(Sign::Request)) || around(n, &signed(Sign::Response))) {
            return guess(OwnerKind::Request, Confidence::High, why::HOLDS_REQUESTS);
        }
        if most(&|n| around(n, &signed(Sign::Handle))) {
            return guess(OwnerKind::OpenHandle, Confidence::Medium, why::HOLDS_HANDLES);
        }
        if most(&|n| around(n, &signed(Sign::Numbers))) {
            return guess(OwnerKind::Embeddings, Confidence::Medium, why::HOLDS_NUMBERS);
        }
        guess(OwnerKind::List, Confidence::High, why::LIST)
    }

    /// Does the hop above say that the container is called so?
    fn is_called(&self, at: usize, sign: Sign) -> bool {
        let above = at.checked_sub(1).map(|at| self.hops[at]);
        above.is_some_and(|hop| self.heap.edge_sign(hop.edge) == sign || self.heap.node_sign(hop.from) == sign)
    }

    fn is_dictionary(&self, hop: Hop) -> bool {
        let heap = self.heap;
        if is_keyed(heap, hop.from, hop.edge) {
            return true;
        }
        let properties = heap.edges_of(hop.from).filter(|e| heap.edge_kind(*e) == EdgeKind::Property);
        let (mut all, mut alike) = (0, 0);
        for e in properties.take(LOOKED_AT) {
            all += 1;
            alike += usize::from(heap.class_of[heap.edge_to[e] as usize] == heap.class_of[hop.to as usize]);
        }
        alike >= 8 && alike * 10 >= all * 8
    }

    /// What is above a container may say more than the container.
    fn upgrade(&self, guess: &Guess, at: usize, hop: Hop) -> Option<Guess> {
        let heap = self.heap;
        let is_right_above = self.is_right_above(guess, at);
        let name = heap.edge_sign(hop.edge);
        let better = |kind, confidence, why| {
            let evidence = guess.evidence.iter().copied().chain([why]).collect();
            Some(Guess { kind, confidence, evidence, at: guess.at })
        };
        let holder = heap.node_sign(hop.from);
        let is_list = matches!(guess.kind, OwnerKind::List | OwnerKind::LinkedList);
        let is_container = is_list || matches!(guess.kind, OwnerKind::Cache | OwnerKind::Set | OwnerKind::Dictionary);
        if holder == Sign::McpClass || (is_container && is_right_above && name == Sign::McpWord) {
            return better(OwnerKind::McpState, Confidence::Medium, why::MCP_PART);
        }
        if !is_right_above {
            return None;
        }
        let has = |sign: Sign| heap.edges_of(hop.from).any(|e| heap.edge_sign(e) == sign);
        match (guess.kind, name) {
            _ if is_container
                && (holder == Sign::PoolWord
                    || (has(Sign::PoolIdle) && matches!(name, Sign::PoolWord | Sign::PoolIdle))) =>
            {
                better(OwnerKind::Pool, Confidence::Medium, why::POOL)
            }
            (OwnerKind::List | OwnerKind::LinkedList | OwnerKind::Set, Sign::QueueWord) => {
                better(OwnerKind::Queue, Confidence::Medium, why::QUEUE_NAME)
            }
            (OwnerKind::List | OwnerKind::LinkedList, _) if holder == Sign::QueueWord => {
                better(OwnerKind::Queue, Confidence::Medium, why::QUEUE_CLASS)
            }
            (OwnerKind::List | OwnerKind::Set | OwnerKind::Cache | OwnerKind::Closure, Sign::ListenerWord) => {
                better(OwnerKind::EventListener, Confidence::Medium, why::LISTENERS_NAME)
            }
            (OwnerKind::List, Sign::EmbeddingWord) => {
                better(OwnerKind::Embeddings, Confidence::Low, why::EMBEDDINGS_NAME)
            }
            (OwnerKind::List | OwnerKind::LinkedList | OwnerKind::Set | OwnerKind::Dictionary, _)
                if holder == Sign::Global && heap.edge_kind(hop.edge) == EdgeKind::Property =>
            {
                better(OwnerKind::Global, Confidence::High, why::GLOBAL_HOLDS)
            }
            (
                OwnerKind::List | OwnerKind::LinkedList | OwnerKind::Set | OwnerKind::Dictionary | OwnerKind::Cache,
                _,
            ) if heap.edge_kind(hop.edge) == EdgeKind::Property
                && heap.node_kind(hop.from) == NodeKind::Function
                && name != Sign::Proto =>
            {
                better(OwnerKind::Static, Confidence::High, why::FIELD_HOLDS)
            }
            _ => None,
        }
    }

    /// Does this hop lead to the container itself, stores of the engine aside?
    fn is_right_above(&self, guess: &Guess, at: usize) -> bool {
        let container = self.hops[guess.at].from;
        let between = &self.hops[at..guess.at];
        let is_store = |hop: &Hop| {
            self.heap.node_kind(hop.to) == NodeKind::Store
                || (guess.kind == OwnerKind::Closure
                    && matches!(self.heap.node_kind(hop.to), NodeKind::Function)
                        | (self.heap.node_sign(hop.to) == Sign::Scope)
                        | (self.heap.node_sign(hop.to) == Sign::List))
                || hop.repeats > 2
        };
        between.iter().all(|hop| hop.to == container || is_store(hop))
    }

    /// Is the container held under a name by something that people know? A plain object may be a table of listeners.
    fn is_named(&self, guess: &Guess, at: usize, hop: Hop) -> bool {
        let heap = self.heap;
        if guess.kind == OwnerKind::Closure {
            // What a function is held by says more than the function.
            return heap.node_kind(hop.from) == NodeKind::Object
                && matches!(heap.edge_kind(hop.edge), EdgeKind::Property | EdgeKind::Variable)
                && !matches!(heap.node_sign(hop.from), Sign::Plain | Sign::Scope | Sign::List)
                && at < guess.at;
        }
        match heap.edge_kind(hop.edge) {
            EdgeKind::Variable => true,
            EdgeKind::Property => heap.node_sign(hop.from) != Sign::Plain && !is_keyed(heap, hop.from, hop.edge),
            _ => false,
        }
    }

    fn tell(&self, guess: Guess) -> Owner {
        let heap = self.heap;
        let hop = self.hops[guess.at];
        let below = &self.hops[guess.at..];
        let function = below.iter().map(|h| h.to).chain([hop.from]).find(|n| heap.node_kind(*n) == NodeKind::Function);
        let holds_function = matches!(
            guess.kind,
            OwnerKind::EventListener
                | OwnerKind::EventTarget
                | OwnerKind::AbortSignal
                | OwnerKind::Timer
                | OwnerKind::Interval
                | OwnerKind::PromiseChain
                | OwnerKind::Closure
        );
        let function = match guess.kind {
            // The function is above the scope that it keeps.
            OwnerKind::Closure => {
                let above = self.hops[..=guess.at].iter().rev().map(|h| h.from);
                above.take(NAME_STEPS).find(|n| heap.node_kind(*n) == NodeKind::Function)
            }
            _ => function.filter(|_| holds_function),
        };
        let event = (guess.kind == OwnerKind::EventListener).then(|| self.event(guess.at)).flatten();
        let is_runtimes = matches!(
            guess.kind,
            OwnerKind::Timer | OwnerKind::Interval | OwnerKind::PromiseChain | OwnerKind::AsyncContext
        );
        let name = if is_runtimes { None } else { self.name(&guess) };
        let place = function.and_then(|n| heap.place(n)).or_else(|| heap.place(hop.from));
        let name_of = |n: u32| StrId(heap.node_name[n as usize]);
        Owner {
            kind: guess.kind,
            confidence: guess.confidence,
            name,
            node: Some(hop.from),
            function: function.map(name_of),
            event,
            place,
            evidence: guess.evidence,
        }
    }

    /// The event whose listener is on the way: the key below the table of listeners.
    fn event(&self, at: usize) -> Option<StrId> {
        let table = self.hops.get(at).filter(|hop| self.heap.edge_sign(hop.edge) == Sign::Events)?;
        let key = self.hops.get(at + 1).filter(|hop| hop.from == table.to)?;
        (self.heap.edge_kind(key.edge) == EdgeKind::Property).then(|| StrId(self.heap.edge_name[key.edge]))
    }

    /// The variable or field nearest to the owner that somebody named.
    fn name(&self, guess: &Guess) -> Option<StrId> {
        let heap = self.heap;
        let own = guess.at
            + usize::from(matches!(
                guess.kind,
                OwnerKind::Closure | OwnerKind::Global | OwnerKind::Static | OwnerKind::SuspendedFunction
            ));
        let own = own.min(self.hops.len());
        let mut named = self.hops[..own].iter().rev().take(NAME_STEPS).filter(|hop| {
            let says = !matches!(
                heap.edge_sign(hop.edge),
                Sign::Proto
                    | Sign::Next
                    | Sign::TimerLink
                    | Sign::TargetEvents
                    | Sign::Events
                    | Sign::AsyncStore
                    | Sign::OnTimer
            );
            let kind = matches!(heap.edge_kind(hop.edge), EdgeKind::Variable | EdgeKind::Property);
            // Fields of the runtime's own objects say nothing about the program.
            let theirs = heap.class(hop.from).maker == Maker::Runtime
                && heap.node_kind(hop.from) == NodeKind::Object
                && heap.node_sign(hop.from) != Sign::Global;
            kind && says && !theirs && !is_keyed(heap, hop.from, hop.edge)
        });
        let hop = named.next()?;
        // A module exports it under the name that the next step has.
        Some(StrId(heap.edge_name[hop.edge]))
    }
}
