//! Finds what must go: rules, holders and chance over every unit, composite and decoded form; then what was found once,
//! everywhere else.

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::held::is_name_like;
use super::joint::Joint;
use super::labels::{self, Piece, Scope};
use super::needles::{Core, Needles};
use super::paths::Roots;
use super::tags::{self, Bound, Kind};
use crate::heap::StrId;
use crate::limits;
use crate::raw::detect::decode::{self, Tried};
use crate::raw::detect::{Found, Rules};
use crate::raw::ingest::Source;
use crate::raw::ingest::context::{Composite, Joined, TextUnit};
use crate::raw::ingest::role::Role;

/// A part of a unit that must go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::raw) struct Hit {
    pub(in crate::raw) id: StrId,
    pub(in crate::raw) start: u32,
    pub(in crate::raw) end: u32,
    pub(in crate::raw) kind: Kind,
    /// Only where the unit is the value of something: a piece or a holder told, not the text itself.
    pub(in crate::raw) value_only: bool,
}

/// Everything found in one source.
#[derive(Debug, Default)]
pub(in crate::raw) struct Findings {
    /// In order of ids.
    pub(in crate::raw) hits: Vec<Hit>,
    /// The values themselves.
    pub(in crate::raw) cores: Vec<Core>,
    /// Lists of which the parts together were found.
    pub(in crate::raw) lists: Vec<u32>,
}

impl Findings {
    pub(super) fn join(mut self, other: Self) -> Self {
        self.hits.extend(other.hits);
        self.cores.extend(other.cores);
        self.lists.extend(other.lists);
        self
    }

    /// Adds what a later look found.
    pub(in crate::raw) fn add(&mut self, other: Self) {
        self.hits.extend(other.hits);
        self.lists.extend(other.lists);
        self.hits.sort_unstable();
        self.hits.dedup();
    }
}

/// What to look with, and at what.
#[derive(Clone, Copy, Debug)]
pub(in crate::raw) struct Look<'a> {
    pub(in crate::raw) scope: &'a Scope,
    /// Placeholders of the input are nothing to find.
    pub(in crate::raw) bound: Bound,
    pub(in crate::raw) rules: Option<&'a Rules>,
    pub(in crate::raw) needles: Option<&'a Needles>,
    /// Which of the values that are found are kept, to be looked for elsewhere.
    pub(in crate::raw) keep: Keep,
}

/// Which values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::raw) enum Keep {
    All,
    /// Those that a name may repeat: for where values go anyway.
    Names,
    Nothing,
}

/// A place in a text.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    kind: Kind,
}

/// Buffers of one thread.
#[derive(Default)]
struct Scratch {
    raw: Vec<u8>,
    found: Vec<Found>,
    spans: Vec<Span>,
    holes: Vec<(usize, usize)>,
}

const CHUNK: u32 = 2048;

impl Look<'_> {
    /// Looks at everything: units, composites, and what holders tell.
    pub(in crate::raw) fn at_all(&self, source: &dyn Source) -> Findings {
        let count = source.counts().strings as u32;
        let chunks: Vec<u32> = (0..count).step_by(CHUNK as usize).collect();
        let units = chunks.into_par_iter().map(|first| {
            let (mut out, mut scratch) = (Findings::default(), Scratch::default());
            let mut raw = Vec::new();
            for id in (first..count.min(first + CHUNK)).map(StrId) {
                self.unit(source.unit(id, &mut raw), source, &mut scratch, &mut out);
            }
            out
        });
        // Collected in order, so that the result does not depend on threads.
        let units: Vec<Findings> = units.collect();
        let mut all = units.into_iter().fold(Findings::default(), Findings::join);
        all = all.join(self.composites(source));
        if self.keep == Keep::Names && source.has_graph() {
            // Those values go anyway and are only counted here. What is counted must not decide about names: without
            // counting, the result is the same.
            all.cores.clear();
        }
        if self.rules.is_some() {
            all = all.join(self.held(source, usize::MAX));
        }
        all.hits.par_sort_unstable();
        all.hits.dedup();
        all
    }

    /// Only at composites and at what holders tell.
    pub(in crate::raw) fn at_joined(&self, source: &dyn Source) -> Findings {
        let mut found = self.composites(source).join(self.held(source, usize::MAX));
        found.hits.sort_unstable();
        found.hits.dedup();
        found
    }

    /// Only what holders tell, and only of texts that a name could repeat.
    pub(in crate::raw) fn at_holders(&self, source: &dyn Source) -> Findings {
        let mut found = self.held(source, limits::NAME_BYTES);
        found.hits.sort_unstable();
        found.hits.dedup();
        found
    }

    /// What is found in a text as it would be written.
    pub(in crate::raw) fn at_written(&self, text: &[u8], is_value: bool) -> Vec<Hit> {
        let mut scratch = Scratch::default();
        self.text(text, false, is_value, &mut scratch, &mut Vec::new());
        let hit = |span: &Span| {
            let (start, end) = (span.start as u32, span.end as u32);
            Hit { id: StrId(0), start, end, kind: span.kind, value_only: false }
        };
        let mut hits: Vec<Hit> = scratch.spans.iter().map(hit).collect();
        hits.sort_unstable();
        hits
    }

    fn unit(&self, unit: TextUnit<'_>, source: &dyn Source, scratch: &mut Scratch, out: &mut Findings) {
        let text = unit.text.expose();
        let is_value = unit.roles.iter().any(Role::is_value);
        let whole = |text: &[u8], is_value| self.needles.and_then(|needles| needles.whole(text, is_value));
        if let Some(kind) = whole(text, true).filter(|_| is_value && tags::parse(text, self.bound).is_none()) {
            out.hits.push(Hit { id: unit.id, start: 0, end: text.len() as u32, kind, value_only: true });
            // All of it goes, so there is nothing more to look for.
            if self.rules.is_none() && unit.roles.iter().all(Role::is_value) {
                return;
            }
        }
        let mut cores = std::mem::take(&mut out.cores);
        let mut found = Vec::new();
        if is_value || unit.roles.is_empty() {
            self.text(text, source.is_cut(text), is_value, scratch, &mut cores);
            found.extend(scratch.spans.iter().map(|s| (s.start, s.end, s.kind)));
        }
        let mut pieces = Vec::new();
        for role in unit.roles.iter().filter(|role| !role.is_value()) {
            labels::pieces(role, text, self.scope, &mut pieces);
            for (from, name) in names(&pieces) {
                self.text(name, false, false, scratch, &mut cores);
                found.extend(scratch.spans.iter().map(|s| (from + s.start, from + s.end, s.kind)));
                let kind = whole(name, false).filter(|_| tags::parse(name, self.bound).is_none());
                found.extend(kind.map(|kind| (from, from + name.len(), kind)));
            }
        }
        out.cores = cores;
        out.hits.extend(found.into_iter().map(|(start, end, kind)| Hit {
            id: unit.id,
            start: start as u32,
            end: end as u32,
            kind,
            value_only: false,
        }));
    }

    /// Keeps a value that was found, if it is wanted.
    pub(super) fn keep(&self, cores: &mut Vec<Core>, kind: Kind, text: &[u8], everywhere: impl FnOnce() -> bool) {
        let is_wanted = match self.keep {
            Keep::All => true,
            Keep::Names => is_name_like(text, limits::NAME_BYTES),
            Keep::Nothing => false,
        };
        if is_wanted {
            cores.push(Core { kind, everywhere: everywhere(), text: Zeroizing::new(text.to_vec()) });
        }
    }

    /// Fills `scratch.spans` with what is found in one text and in its decoded forms.
    fn text(&self, text: &[u8], is_cut: bool, is_value: bool, scratch: &mut Scratch, cores: &mut Vec<Core>) {
        scratch.spans.clear();
        let mut spans = std::mem::take(&mut scratch.spans);
        let before = cores.len();
        let whole = (limits::DECODE_DEPTH, Tried::default());
        self.form(text, is_cut, is_value, whole, &mut scratch.found, &mut spans, cores);
        if let (true, Some(rules)) = (is_cut, self.rules) {
            cut_end(rules, text, &mut scratch.found, |start, kind| {
                spans.push(Span { start, end: text.len(), kind });
                self.keep(cores, kind, &text[start..], || true);
            });
        }
        scratch.holes.clear();
        if !spans.is_empty() {
            tags::holes(text, self.bound, &mut scratch.holes);
            if !scratch.holes.is_empty() {
                spans.retain(|span| !is_hole(text, span.start, span.end, &scratch.holes));
                if spans.is_empty() {
                    cores.truncate(before);
                }
            }
        }
        scratch.spans = spans;
    }

    /// One form of a text, and the forms inside it.
    #[allow(clippy::too_many_arguments)]
    fn form(
        &self,
        text: &[u8],
        is_cut: bool,
        is_value: bool,
        (depth, tried): (u32, Tried),
        found: &mut Vec<Found>,
        spans: &mut Vec<Span>,
        cores: &mut Vec<Core>,
    ) {
        let has_run = decode::has_run(text);
        if let Some(rules) = self.rules {
            found.clear();
            rules.find(text, found);
            if is_value && has_run {
                rules.find_tokens(text, found);
            }
            for Found { start, end, rule } in found.iter().copied() {
                let kind = rules.kind(rule);
                spans.push(Span { start, end, kind });
                self.keep(cores, kind, &text[start..end], || true);
            }
        }
        if let Some(needles) = self.needles {
            needles.find(text, is_cut, |start, end, kind| spans.push(Span { start, end, kind }));
        }
        if depth == 0 {
            return;
        }
        decode::forms(text, has_run, tried, &mut |decoded, tried| {
            let mut inner = Vec::new();
            let is_value = is_value && !decoded.is_torn;
            self.form(&decoded.text, is_cut, is_value, (depth - 1, tried), found, &mut inner, cores);
            spans.extend(inner.iter().map(|span| {
                let (start, end) = decoded.original(span.start, span.end);
                Span { start, end, kind: span.kind }
            }));
        });
    }

    fn composites(&self, source: &dyn Source) -> Findings {
        let composites = source.composites();
        let budget = source.counts().bytes.max(1 << 20).saturating_mul(limits::COMPOSITE_BYTES_PER_BYTE);
        let mut used = 0_u64;
        let composites: Vec<(Composite, bool)> = composites
            .into_iter()
            .map(|(composite, bytes)| {
                used = used.saturating_add(bytes.into());
                (composite, used <= budget)
            })
            .collect();
        let found = composites.par_chunks(256).map(|chunk| {
            let (mut out, mut scratch, mut text) = (Findings::default(), Scratch::default(), Joint::default());
            for (composite, in_budget) in chunk {
                self.composite(*composite, *in_budget, source, &mut text, &mut scratch, &mut out);
            }
            out
        });
        let found: Vec<Findings> = found.collect();
        found.into_iter().fold(Findings::default(), Findings::join)
    }

    fn composite(
        &self,
        composite: Composite,
        in_budget: bool,
        source: &dyn Source,
        text: &mut Joint,
        scratch: &mut Scratch,
        out: &mut Findings,
    ) {
        let joined = source.parts(composite, &mut text.parts);
        if joined == Joined::TooLong || !in_budget {
            return text.replace_all(source, self.bound, &mut scratch.raw, out);
        }
        let parts = std::mem::take(&mut text.parts);
        for run in parts.split(Option::is_none).filter(|run| run.len() > 1) {
            text.join(run, source, &mut scratch.raw);
            let before = out.cores.len();
            let mut cores = std::mem::take(&mut out.cores);
            // Pieces side by side look like chance; a rope is one text.
            let is_rope = matches!(composite, Composite::Rope(_));
            self.text(&text.bytes, false, is_rope, scratch, &mut cores);
            // What stands within one piece of a list was found there. In a rope the part before may tell what the next
            // one is: `password=` + value. Where placeholders stand, an earlier look decided.
            let news = |span: &&Span| {
                (is_rope || (text.crosses(span.start, span.end) && text.is_one(span.start)))
                    && !touches(span.start, span.end, &scratch.holes)
            };
            let crossing: Vec<Span> = scratch.spans.iter().filter(news).copied().collect();
            if crossing.is_empty() {
                cores.truncate(before);
            }
            out.cores = cores;
            if let (Composite::List(list), false) = (composite, crossing.is_empty()) {
                out.lists.push(list);
            }
            for span in crossing {
                text.cut_back(run, span.start, span.end, span.kind, out);
            }
        }
        text.parts = parts;
    }
}

impl Rules {
    /// How many places of a text would go if it were the value of something.
    #[must_use]
    pub fn places(&self, text: &[u8]) -> usize {
        let scope = Scope { roots: Roots::default(), highest_id: 0 };
        let look =
            Look { scope: &scope, bound: Bound::default(), rules: Some(self), needles: None, keep: Keep::Nothing };
        look.at_written(text, true).len()
    }
}

/// Where the names stand in a label.
pub(super) fn names<'a>(pieces: &'a [Piece<'a>]) -> impl Iterator<Item = (usize, &'a [u8])> {
    let mut at = 0;
    pieces.iter().filter_map(move |piece| {
        let from = at;
        at += piece.len();
        if let Piece::Name(_, name) = piece { Some((from, *name)) } else { None }
    })
}

pub(super) fn touches(start: usize, end: usize, holes: &[(usize, usize)]) -> bool {
    holes.iter().any(|(from, to)| *from < end && start < *to)
}

/// What a text that was cut ends with: if a rule finds something that begins in the text and would go on behind its end,
/// however it may go on.
fn cut_end(rules: &Rules, text: &[u8], found: &mut Vec<Found>, mut each: impl FnMut(usize, Kind)) {
    const ENDS: [&str; 4] = [
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0",
        "a1B2c3D4e5F6g7H8i9J0a1B2c3D4.a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0.a1B2c3D4e5F6g7H8i9J0",
    ];
    // A placeholder at the end stands for what was there.
    if text.ends_with(b"]") {
        return;
    }
    let from = text.len().saturating_sub(limits::CUT_TAIL);
    for end in ENDS {
        let whole = [&text[from..], end.as_bytes()].concat();
        found.clear();
        rules.find(&whole, found);
        let inside = text.len() - from;
        for hit in found.iter().filter(|hit| hit.start + 4 <= inside && inside < hit.end) {
            each(from + hit.start, rules.kind(hit.rule));
        }
    }
}

/// Is a place nothing but placeholders and marks between them?
fn is_hole(text: &[u8], start: usize, end: usize, holes: &[(usize, usize)]) -> bool {
    let inside = |at: usize| holes.iter().any(|(from, to)| (*from..*to).contains(&at));
    (start..end).all(|at| inside(at) || !(text[at].is_ascii_alphanumeric() || text[at] >= 0x80))
        && touches(start, end, holes)
}
