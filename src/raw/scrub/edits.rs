//! The decisions of scrub: what each entry of the text table becomes, and which entry each role refers to.

use rustc_hash::{FxHashMap, FxHashSet};

use super::tags::{self, Kind, Number};
use super::wall::SafeStr;
use crate::heap::StrId;
use crate::raw::ingest::Source;
use crate::raw::ingest::role::Role;

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
    /// Lists whose order must go, since it spells a text; all of them if there is no set.
    pub(super) spelling: Option<FxHashSet<u32>>,
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

    /// The entry of the input from which an entry of the output was made.
    pub(in crate::raw) fn original(&self, id: StrId) -> StrId {
        id.ix()
            .checked_sub(self.entries.len())
            .map_or(id, |twin| self.twins.get(twin).map_or(id, |(original, _)| *original))
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
