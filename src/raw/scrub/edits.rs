//! The decisions of scrub: what each entry of the text table becomes, and which entry each role refers to.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::sink::Sink;
use super::tags::{self, Kind, Number};
use super::wall::{RawStr, SafeStr};
use crate::Result;
use crate::heap::graph::Heap;
use crate::heap::series::Sketch;
use crate::heap::sites::Sites;
use crate::heap::{Counts, StrId};
use crate::raw::ingest::context::{Composite, ContextView, Held, Joined, Part};
use crate::raw::ingest::role::{Role, RoleSet};
use crate::raw::ingest::{Evidence, Namer, Shapes, Side, Source};

/// What an entry becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::raw) enum Outcome {
    /// Vouched for as a whole.
    Keep,
    /// A placeholder.
    Tag(Kind, Number),
    /// Partly kept; index into the texts made by scrub.
    Mixed(u32),
}

/// One outcome for each entry, and twins for entries whose roles differ.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    pub(super) entries: Vec<Outcome>,
    /// Texts that are partly kept.
    pub(super) mixed: Vec<String>,
    /// Appended entries: the original and what it becomes.
    pub(super) twins: Vec<(StrId, Outcome)>,
    pub(super) twin_of: FxHashMap<(StrId, Role), StrId>,
    /// Entries of which nothing tells any more which references were to the same one; none, if equality stays.
    pub(super) unlinked: FxHashSet<StrId>,
    /// Lists whose order must go, since it spells a text; all of them if there is no set.
    pub(super) spelling: Option<FxHashSet<u32>>,
}

/// A source with its values as they will be written: for a look at the result before it is.
#[derive(Clone, Copy)]
pub(in crate::raw) struct Written<'a> {
    pub(in crate::raw) source: &'a dyn Source,
    pub(in crate::raw) edits: &'a Edits,
}

impl Source for Written<'_> {
    fn counts(&self) -> Counts {
        self.source.counts()
    }

    fn text<'a>(&'a self, id: StrId, scratch: &'a mut Vec<u8>) -> RawStr<'a> {
        let mut buffers = self.edits.scratch();
        let text = self.edits.entry(self.edits.id_for(id, Role::Value), self.source, &mut buffers);
        scratch.clear();
        scratch.extend_from_slice(text.as_str().as_bytes());
        RawStr::new(scratch)
    }

    fn roles(&self, id: StrId) -> RoleSet {
        self.source.roles(id)
    }

    fn composites(&self) -> Vec<(Composite, u32)> {
        self.source.composites()
    }

    fn parts(&self, composite: Composite, out: &mut Vec<Part>) -> Joined {
        self.source.parts(composite, out)
    }

    fn holders(&self, wanted: &dyn Fn(Held) -> bool, each: &mut dyn FnMut(&ContextView<'_>)) {
        self.source.holders(wanted, each);
    }

    fn holders_in(&self, part: (usize, usize), wanted: &dyn Fn(Held) -> bool, each: &mut dyn FnMut(&ContextView<'_>)) {
        self.source.holders_in(part, wanted, each);
    }

    fn is_cut(&self, text: &[u8]) -> bool {
        self.source.is_cut(text)
    }

    fn doubt(&mut self, _: &dyn Fn(StrId, Role) -> Evidence) {}

    fn named_by(&self, id: StrId) -> Option<Namer> {
        self.source.named_by(id)
    }

    fn source_texts(&self) -> &[(StrId, Namer)] {
        self.source.source_texts()
    }

    fn highest_id(&self) -> u64 {
        self.source.highest_id()
    }

    fn structure(&self) -> u64 {
        self.source.structure()
    }

    fn naming(&self, edits: &Edits, side: Side) -> u64 {
        self.source.naming(edits, side)
    }

    fn dropped(&self) -> u32 {
        self.source.dropped()
    }

    fn extension(&self) -> &'static str {
        self.source.extension()
    }

    fn has_graph(&self) -> bool {
        self.source.has_graph()
    }

    fn has_table(&self) -> bool {
        self.source.has_table()
    }

    fn has_allocations(&self) -> bool {
        self.source.has_allocations()
    }

    fn sites(&self) -> Option<Sites<'_>> {
        self.source.sites()
    }

    fn sketch(&self) -> Result<Option<Sketch>> {
        self.source.sketch()
    }

    fn heap(&self, shapes: Option<&Shapes>, wants_ids: bool) -> Result<Option<(Heap<'_>, Shapes)>> {
        self.source.heap(shapes, wants_ids)
    }

    fn write(&self, edits: &Edits, sink: &mut Sink<'_>) -> Result<()> {
        self.source.write(edits, sink)
    }
}

/// Buffers for [`Edits::entry`], so that nothing is allocated for each text.
#[derive(Debug, Default)]
pub(in crate::raw) struct Scratch {
    raw: Vec<u8>,
    tag: String,
}

impl Edits {
    /// How many entries the sanitised table has.
    pub(in crate::raw) fn count(&self) -> u32 {
        (self.entries.len() + self.twins.len()) as u32
    }

    pub(in crate::raw) fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    /// The entry that a reference in this role points at.
    pub(in crate::raw) fn id_for(&self, id: StrId, role: Role) -> StrId {
        if self.twin_of.is_empty() { id } else { self.twin_of.get(&(id, role)).copied().unwrap_or(id) }
    }

    /// Must the order in which this list refers to single characters go?
    pub(in crate::raw) fn is_spelling(&self, list: u32) -> bool {
        self.spelling.as_ref().is_none_or(|lists| lists.contains(&list))
    }

    /// What stands for an entry of the input when references are compared: those that were unlinked are all one.
    pub(in crate::raw) fn named(&self, id: StrId) -> StrId {
        if self.unlinked.contains(&id) { StrId(u32::MAX) } else { id }
    }

    /// Lets all references to texts that became the same point at one entry, so that nothing tells which were equal.
    pub(super) fn unlink(&mut self, source: &dyn Source) {
        let nothing = Outcome::Tag(Kind::Unused, Number::Running(1));
        let (first_twin, mut scratch) = (self.entries.len(), self.scratch());
        let mut shared: BTreeMap<String, StrId> = BTreeMap::new();
        let mut done: Vec<StrId> = Vec::new();
        for id in (0..first_twin as u32).map(StrId) {
            for role in source.roles(id).iter() {
                let at = self.id_for(id, role);
                let outcome = match at.ix().checked_sub(first_twin) {
                    None => self.entries[at.ix()],
                    Some(twin) => self.twins[twin].1,
                };
                if outcome == Outcome::Keep {
                    continue;
                }
                let text = self.entry(at, source, &mut scratch).as_str().to_owned();
                let (next, twins) = (StrId(self.count()), &mut self.twins);
                let one = *shared.entry(text).or_insert_with(|| {
                    twins.push((id, outcome));
                    next
                });
                self.twin_of.insert((id, role), one);
                self.unlinked.insert(id);
                done.push(at);
            }
        }
        for at in done.into_iter().filter(|at| shared.values().all(|one| one != at)) {
            match at.ix().checked_sub(first_twin) {
                None => self.entries[at.ix()] = nothing,
                Some(twin) => self.twins[twin].1 = nothing,
            }
        }
    }

    /// The entry of the input from which an entry of the output was made.
    pub(in crate::raw) fn original(&self, id: StrId) -> StrId {
        id.ix()
            .checked_sub(self.entries.len())
            .map_or(id, |twin| self.twins.get(twin).map_or(id, |(original, _)| *original))
    }

    /// What becomes of an entry of the input.
    pub(in crate::raw) fn outcome(&self, id: StrId) -> Option<Outcome> {
        self.entries.get(id.ix()).copied()
    }

    /// The text of an entry of the sanitised table.
    pub(in crate::raw) fn entry<'s>(
        &'s self,
        id: StrId,
        source: &'s dyn Source,
        scratch: &'s mut Scratch,
    ) -> SafeStr<'s> {
        let (original, outcome) = match id.ix().checked_sub(self.entries.len()) {
            None => (id, self.entries[id.ix()]),
            Some(twin) => self.twins[twin],
        };
        match outcome {
            Outcome::Keep => {
                let text = std::str::from_utf8(source.text(original, &mut scratch.raw).expose());
                // Only valid Unicode is ever decided to be kept.
                SafeStr::vouch(text.unwrap_or("[unused#1]"))
            }
            Outcome::Tag(kind, number) => {
                scratch.tag.clear();
                tags::push(&mut scratch.tag, kind, number);
                SafeStr::vouch(&scratch.tag)
            }
            Outcome::Mixed(index) => SafeStr::vouch(&self.mixed[index as usize]),
        }
    }
}
