//! What one snapshot can tell: what holds much of the heap, who holds the program's own classes, texts that are there
//! several times, large stores, listeners and timers. None of it shows growth.

use rustc_hash::FxHashMap;

use super::owner_kind::OwnerKind;
use super::owners::{Owner, owner};
use super::paths::{self, Path};
use crate::heap::StrId;
use crate::heap::classes::Sizes;
use crate::heap::graph::{EdgeKind, Heap, Maker, NodeKind};
use crate::heap::routes::{Routes, Signatures};
use crate::heap::sign::Sign;

/// From this share of the heap on, something is suspected.
const SUSPECT_PERCENT: u64 = 5;
/// A child with this share of what its dominator holds is where the bytes are.
const ACCUMULATES_PERCENT: u64 = 80;
const SUSPECTS: usize = 10;
const HOLDERS: usize = 60;
const DUPLICATES: usize = 20;
const LARGE: usize = 20;
/// Bytes from which on a store is large.
const LARGE_BYTES: u64 = 16 * 1024;
const SAMPLE: usize = 400;
const PATHS: usize = 2;

/// Something that alone keeps much of the heap alive.
#[derive(Debug)]
pub(crate) struct Suspect {
    pub(crate) node: u32,
    pub(crate) class: u32,
    pub(crate) retained: u64,
    /// What there is most of below it: class, objects, bytes.
    pub(crate) holds: Option<(u32, u64, u64)>,
    pub(crate) owner: Owner,
    pub(crate) path: Path,
}

/// Who holds the objects of a class.
#[derive(Debug)]
pub(crate) struct Holder {
    pub(crate) class: u32,
    pub(crate) owner: Owner,
    pub(crate) paths: Vec<Path>,
}

/// A text that is there several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duplicate {
    pub(crate) text: StrId,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    /// Bytes that one of them alone would save.
    pub(crate) wasted: u64,
}

/// A large array, buffer or collection.
#[derive(Debug)]
pub(crate) struct Large {
    pub(crate) class: u32,
    pub(crate) bytes: u64,
    pub(crate) owner: Owner,
}

/// Things that must be removed, cleared or closed, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Handles {
    /// Functions that emitters and event targets call.
    pub(crate) listeners: u64,
    pub(crate) timers: u64,
    pub(crate) intervals: u64,
    /// Sockets, streams, files, workers.
    pub(crate) open: u64,
    /// Promises with something that waits for them.
    pub(crate) waiting_promises: u64,
    /// Elements out of the page.
    pub(crate) detached: u64,
}

/// What a snapshot is told from.
pub(crate) struct Single<'a, 'h> {
    pub(crate) heap: &'a Heap<'h>,
    pub(crate) sizes: &'a Sizes,
    pub(crate) routes: &'a Routes,
}

impl Single<'_, '_> {
    fn path(&self, (count, of): (u64, u64), node: u32, holder: Option<u32>) -> Path {
        let steps = self.routes.to(self.heap, node);
        Path { count, of, steps: paths::shown(self.heap, self.sizes, &steps, holder.as_slice()) }
    }

    fn owner(&self, node: u32) -> Owner {
        owner(self.heap, self.routes, &self.routes.to(self.heap, node))
    }

    pub(super) fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let under = self.sizes.tree.under(node);
        let mut at = 1;
        std::iter::from_fn(move || {
            let child = *under.get(at)?;
            at += self.sizes.tree.below[child as usize] as usize;
            Some(child)
        })
    }

    /// Is this the whole program, or the engine, so that it says nothing that it holds much?
    pub(super) fn says_nothing(&self, node: u32) -> bool {
        let sign = self.heap.node_sign(node);
        matches!(self.heap.node_kind(node), NodeKind::Root | NodeKind::Engine | NodeKind::Code)
            || matches!(
                sign,
                Sign::Global | Sign::Window | Sign::NativeScope | Sign::Scope | Sign::Module | Sign::PageTrees
            )
            || self.heap.class(node).maker == Maker::Engine && self.heap.node_kind(node) != NodeKind::Store
    }

    /// What alone keeps much of the heap alive, from the outside to where the bytes gather.
    pub(crate) fn suspects(&self) -> Vec<Suspect> {
        let total = self.sizes.retained[self.heap.root as usize];
        let is_large = |n: &u32| {
            let retained = self.sizes.retained[*n as usize];
            retained > 0 && u128::from(retained) * 100 >= u128::from(total) * u128::from(SUSPECT_PERCENT)
        };
        let mut found = Vec::new();
        let mut stack = vec![self.heap.root];
        while let Some(node) = stack.pop() {
            let (large, nothing) = (is_large(&node), self.says_nothing(node));
            if large && !nothing {
                found.push(node);
            } else if large {
                stack.extend(self.children(node).filter(is_large));
            }
        }
        let mut suspects: Vec<Suspect> = found.into_iter().map(|node| self.suspect(node)).collect();
        suspects.sort_by_key(|s| (std::cmp::Reverse(s.retained), s.node));
        suspects.truncate(SUSPECTS);
        suspects
    }

    fn suspect(&self, mut node: u32) -> Suspect {
        // Down to where the bytes gather: as long as one child has nearly all of them.
        loop {
            let largest = self.children(node).max_by_key(|n| (self.sizes.retained[*n as usize], std::cmp::Reverse(*n)));
            let has_most = |n: &u32| {
                let (part, whole) = (self.sizes.retained[*n as usize], self.sizes.retained[node as usize]);
                u128::from(part) * 100 >= u128::from(whole) * u128::from(ACCUMULATES_PERCENT)
            };
            match largest.filter(has_most) {
                Some(child) if self.heap.node_kind(child) != NodeKind::Text => node = child,
                _ => break,
            }
        }
        // A store is part of what it belongs to.
        while self.heap.node_kind(node) == NodeKind::Store {
            let above = self.sizes.dominators[node as usize];
            if above == node {
                break;
            }
            node = above;
        }
        let mut held: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
        let mut stack: Vec<u32> = self.children(node).collect();
        while let Some(child) = stack.pop() {
            if self.heap.class(child).maker == Maker::Engine {
                stack.extend(self.children(child));
                continue;
            }
            let row = held.entry(self.heap.class_of[child as usize]).or_default();
            *row = (row.0 + 1, row.1.saturating_add(self.sizes.retained[child as usize]));
        }
        let most = held.into_iter().max_by_key(|(class, (_, bytes))| (*bytes, std::cmp::Reverse(*class)));
        Suspect {
            node,
            class: self.heap.class_of[node as usize],
            retained: self.sizes.retained[node as usize],
            holds: most.map(|(class, (count, bytes))| (class, count, bytes)),
            owner: self.owner_of(node),
            path: self.path((1, 1), node, Some(node)),
        }
    }

    /// Who owns what an object holds: told from one of its entries, if it has any.
    fn owner_of(&self, node: u32) -> Owner {
        let inside = self.sizes.tree.under(node).iter().copied().skip(1).take(SAMPLE);
        let entry = inside.into_iter().find(|n| {
            let kind = self.heap.node_kind(*n);
            matches!(kind, NodeKind::Object | NodeKind::Text | NodeKind::Native) && self.goes_through(*n, node)
        });
        self.owner(entry.unwrap_or(node))
    }

    fn goes_through(&self, mut node: u32, through: u32) -> bool {
        for _ in 0..8 {
            match self.routes.before(node) {
                Some(before) if before == through => return true,
                Some(before) => node = before,
                None => return false,
            }
        }
        false
    }

    /// Who holds the program's own classes, those that hold most first.
    pub(crate) fn holders(&self) -> Vec<Holder> {
        let rows = &self.sizes.rows;
        let own = |class: &usize| self.heap.classes[*class].maker == Maker::Program && rows[*class].count > 0;
        let mut classes: Vec<usize> = (0..self.heap.classes.len()).filter(own).collect();
        classes.sort_by_key(|class| (std::cmp::Reverse(rows[*class].retained), *class));
        classes.truncate(HOLDERS);
        let place: FxHashMap<u32, usize> = classes.iter().enumerate().map(|(at, class)| (*class as u32, at)).collect();
        let mut nodes: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
        for node in 0..self.heap.nodes() as u32 {
            if let Some(at) = place.get(&self.heap.class_of[node as usize])
                && nodes[*at].len() < SAMPLE
                && self.heap.sizes[node as usize] > 0
            {
                nodes[*at].push(node);
            }
        }
        let mut signatures = Signatures::new(self.heap);
        let holder = |(class, nodes): (&usize, &Vec<u32>)| {
            let ways = paths::merged(self.heap, self.routes, &mut signatures, nodes);
            let owner = ways.first().map_or(Owner::UNKNOWN, |(_, node)| self.owner(*node));
            let of = ways.iter().map(|(count, _)| count).sum();
            let paths =
                ways.iter().take(PATHS).map(|(count, node)| self.path((*count, of), *node, owner.node)).collect();
            Holder { class: *class as u32, owner, paths }
        };
        classes.iter().zip(&nodes).map(holder).collect()
    }

    /// Texts that are there several times, by the bytes that could be saved; and how many bytes that are for all of them.
    pub(crate) fn duplicates(&self) -> (Vec<Duplicate>, u64) {
        let texts = || {
            let nodes = 0..self.heap.nodes() as u32;
            nodes.filter(|n| self.heap.is_whole_text(*n) && self.heap.sizes[*n as usize] > 0)
        };
        // Most texts are there once: only the others get a row.
        let mut times = vec![0_u8; self.heap.signs.len()];
        for node in texts() {
            let seen = &mut times[self.heap.node_name[node as usize] as usize];
            *seen = seen.saturating_add(1);
        }
        let mut rows: FxHashMap<u32, (u64, u64, u64)> = FxHashMap::default();
        for node in texts().filter(|n| times[self.heap.node_name[*n as usize] as usize] > 1) {
            let size = self.heap.sizes[node as usize];
            let row = rows.entry(self.heap.node_name[node as usize]).or_default();
            *row = (row.0 + 1, row.1.saturating_add(size), row.2.max(size));
        }
        let mut all: Vec<Duplicate> = rows
            .into_iter()
            .map(|(text, (count, bytes, largest))| Duplicate {
                text: StrId(text),
                count,
                bytes,
                wasted: bytes - largest,
            })
            .collect();
        all.sort_by_key(|d| (std::cmp::Reverse(d.wasted), d.text));
        let wasted = all.iter().map(|d| d.wasted).fold(0, u64::saturating_add);
        all.truncate(DUPLICATES);
        (all, wasted)
    }

    /// Large arrays, buffers and collections.
    pub(crate) fn large(&self) -> Vec<Large> {
        let is_store = |n: &u32| {
            self.heap.node_kind(*n) == NodeKind::Store
                || self.heap.node_kind(*n) == NodeKind::Native
                || matches!(
                    self.heap.node_sign(*n),
                    Sign::List | Sign::Map | Sign::Set | Sign::Bytes | Sign::Numbers | Sign::WeakMap
                )
        };
        let nodes = 0..self.heap.nodes() as u32;
        let mut nodes: Vec<u32> =
            nodes.filter(|n| self.heap.sizes[*n as usize] >= LARGE_BYTES && is_store(n)).collect();
        nodes.sort_by_key(|n| (std::cmp::Reverse(self.heap.sizes[*n as usize]), *n));
        nodes.truncate(LARGE);
        let large = |node: u32| Large {
            class: self.heap.class_of[node as usize],
            bytes: self.heap.sizes[node as usize],
            owner: self.owner(node),
        };
        nodes.into_iter().map(large).collect()
    }
}

/// Counts things that must be removed, cleared or closed.
pub(crate) fn handles(heap: &Heap<'_>) -> Handles {
    let mut found = Handles::default();
    let functions = |node: u32| heap.edges_of(node).filter(|e| heap.node_kind(heap.edge_to[*e]) == NodeKind::Function);
    for node in 0..heap.nodes() as u32 {
        let kind = heap.node_kind(node);
        if !matches!(kind, NodeKind::Object | NodeKind::Native) {
            continue;
        }
        found.detached += u64::from(heap.class(node).detached);
        let edges = || heap.edges_of(node);
        match heap.node_sign(node) {
            Sign::Timer if kind == NodeKind::Object => {
                if !edges().any(|e| heap.edge_sign(e) == Sign::OnTimer) {
                    continue;
                }
                // A timer that is over has no function.
                let waits = edges().any(|e| {
                    heap.edge_sign(e) == Sign::OnTimer && heap.node_kind(heap.edge_to[e]) == NodeKind::Function
                });
                match (waits, edges().any(|e| heap.edge_sign(e) == Sign::RunsOnce)) {
                    (true, true) => found.timers += 1,
                    (true, false) => found.intervals += 1,
                    (false, _) => {}
                }
            }
            Sign::Timer => found.timers += 1,
            Sign::Handle => found.open += 1,
            Sign::Listener | Sign::PageListener => found.listeners += 1,
            Sign::Promise => {
                let waits = |e: usize| {
                    heap.edge_sign(e) == Sign::Reactions && heap.node_sign(heap.edge_to[e]) == Sign::Reaction
                };
                found.waiting_promises += u64::from(edges().any(waits));
            }
            _ => {}
        }
        for e in edges().filter(|e| heap.edge_sign(*e) == Sign::Events && heap.edge_kind(*e) == EdgeKind::Property) {
            let table = heap.edge_to[e];
            for entry in heap.edges_of(table).filter(|e| heap.edge_kind(*e) == EdgeKind::Property) {
                let to = heap.edge_to[entry];
                found.listeners += match heap.node_sign(to) {
                    Sign::List => functions(to).count() as u64,
                    _ => u64::from(heap.node_kind(to) == NodeKind::Function && heap.edge_sign(entry) != Sign::Proto),
                };
            }
        }
    }
    found
}

/// What a text looks like; the text itself is not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum TextKind {
    Json,
    Html,
    Source,
    Encoded,
    Prompt,
    Log,
    Address,
    #[default]
    Other,
}

impl TextKind {
    pub(crate) const ALL: [Self; 8] =
        [Self::Json, Self::Html, Self::Source, Self::Encoded, Self::Prompt, Self::Log, Self::Address, Self::Other];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Html => "html",
            Self::Source => "source",
            Self::Encoded => "base64-or-hex",
            Self::Prompt => "prompt",
            Self::Log => "log",
            Self::Address => "address-or-path",
            Self::Other => "other",
        }
    }
}

/// Bytes of texts of one kind that one kind of owner keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CensusRow {
    pub(crate) kind: TextKind,
    pub(crate) owner: OwnerKind,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

/// Texts by kind and owner. `kinds`: what each entry of the table looked like.
pub(crate) fn census(heap: &Heap<'_>, routes: &Routes, kinds: &[TextKind]) -> Vec<CensusRow> {
    let mut rows: FxHashMap<(TextKind, OwnerKind), (u64, u64)> = FxHashMap::default();
    // Texts with one way have one owner.
    let mut owners: FxHashMap<(u64, u32), OwnerKind> = FxHashMap::default();
    let mut signatures = Signatures::new(heap);
    for node in 0..heap.nodes() as u32 {
        let size = heap.sizes[node as usize];
        if heap.node_kind(node) != NodeKind::Text || size == 0 {
            continue;
        }
        let kind = match heap.is_whole_text(node) {
            true => kinds.get(heap.node_name[node as usize] as usize).copied().unwrap_or_default(),
            false => TextKind::Other,
        };
        // Only what holds texts is remembered, since texts are most of a heap.
        let above = routes.before(node).map_or(0, |above| signatures.of(heap, routes, above).0);
        let way = (above, routes.mark(heap, node));
        let owner = *owners.entry(way).or_insert_with(|| owner(heap, routes, &routes.to(heap, node)).kind);
        let row = rows.entry((kind, owner)).or_default();
        *row = (row.0 + 1, row.1.saturating_add(size));
    }
    let rows = rows.into_iter().map(|((kind, owner), (count, bytes))| CensusRow { kind, owner, count, bytes });
    let mut rows: Vec<CensusRow> = rows.collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.bytes), row.kind, row.owner));
    rows
}
