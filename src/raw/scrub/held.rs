//! What the keys that hold a text tell about it: every value under a key that a rule asks for.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::find::{Findings, Look, touches};
use super::joint::Joint;
use super::tags::{self, Bound};
use crate::heap::StrId;
use crate::limits;
use crate::raw::detect::Rules;
use crate::raw::ingest::Source;
use crate::raw::ingest::context::{Composite, ContextView, Form, Held, Joined};

/// A rule, and a text that is held as it asks for.
type Asked = (u16, Held);

/// How many of them are gathered before those that repeat are dropped.
const ASKED: usize = 1 << 18;

/// Parts of a file that are looked at one by one.
const PARTS: usize = 64;

impl Look<'_> {
    /// What holders tell of texts up to this many bytes.
    pub(super) fn held(&self, source: &dyn Source, longest: usize) -> Findings {
        let Some(rules) = self.rules else { return Findings::default() };
        let asked = self.asked(rules, source);
        let found = asked.par_chunks(512).map(|chunk| {
            let (mut out, mut text, mut work) = (Findings::default(), Joint::default(), Work::default());
            for (rule, held) in chunk {
                if longest == usize::MAX || self.could_be_name(*held, source, longest, &mut work.raw) {
                    self.value(rules, *rule, *held, source, &mut text, &mut work, &mut out);
                }
            }
            out
        });
        let found: Vec<Findings> = found.collect();
        found.into_iter().fold(Findings::default(), Findings::join)
    }

    /// Every text under a key that a rule asks for, with the rule: once each, in the order of the texts.
    fn asked(&self, rules: &Rules, source: &dyn Source) -> Vec<Asked> {
        let count = source.counts().strings as u32;
        let keys = (0..count).into_par_iter().with_min_len(4096).map_init(Vec::new, |raw, id| {
            let key = source.text(StrId(id), raw).expose();
            let asked = rules.of_key(key);
            // The kind of a placeholder is no key.
            (!asked.is_empty() && !has_hole(key, self.bound)).then_some((id, asked))
        });
        let keys: FxHashMap<u32, Vec<u16>> = keys.flatten_iter().collect();
        let mut is_key = vec![false; count as usize];
        keys.keys().for_each(|id| is_key[*id as usize] = true);
        // A key may be a rope too, if it is a short one.
        let of_rope = |key: Held| match key {
            Held::Joined(composite) => {
                joined_key(source, composite, self.bound).map_or_else(Vec::new, |key| rules.of_key(&key))
            }
            Held::Unit(_) | Held::Slice(_) => Vec::new(),
        };
        let wanted = |key: Held| match key {
            Held::Unit(id) => is_key[id.ix()],
            other => !of_rope(other).is_empty(),
        };
        let asked_in = |part: usize| {
            let (mut asked, mut raw) = (Vec::new(), Vec::new());
            let mut enough = ASKED;
            source.holders_in((part, PARTS), &wanted, &mut |view| {
                // Beside a key in a list may stand another key: a list of names of fields.
                if let (Form::Entry, Held::Unit(id)) = (view.form, view.held)
                    && is_key[id.ix()]
                    && !rules.is_made(source.text(id, &mut raw).expose())
                {
                    return;
                }
                let joined;
                let here = match view.key {
                    Held::Unit(id) => keys.get(&id.0).map_or(&[][..], Vec::as_slice),
                    other => {
                        joined = of_rope(other);
                        &joined
                    }
                };
                let held = here.iter().filter(|rule| is_held(rules, **rule, view, source));
                asked.extend(held.map(|rule| (*rule, view.held)));
                if asked.len() >= enough {
                    once_each(&mut asked);
                    enough = ASKED.max(2 * asked.len());
                }
            });
            once_each(&mut asked);
            asked
        };
        let parts: Vec<Vec<Asked>> = (0..PARTS).into_par_iter().map(asked_in).collect();
        let mut asked = parts.concat();
        once_each(&mut asked);
        asked
    }

    /// Could a name repeat it? Nobody gives a thing a name of four words and more.
    fn could_be_name(&self, held: Held, source: &dyn Source, longest: usize, raw: &mut Vec<u8>) -> bool {
        match held {
            Held::Unit(id) => is_name_like(source.text(id, raw).expose(), longest),
            Held::Slice(_) | Held::Joined(_) => false,
        }
    }

    /// What one rule finds in one value.
    #[allow(clippy::too_many_arguments)]
    fn value(
        &self,
        rules: &Rules,
        rule: u16,
        held: Held,
        source: &dyn Source,
        text: &mut Joint,
        work: &mut Work,
        out: &mut Findings,
    ) {
        let kind = rules.kind(rule);
        match held {
            Held::Unit(id) | Held::Slice(id) => {
                text.parts.clear();
                text.parts.push(Some(id));
            }
            Held::Joined(composite) => {
                if source.parts(composite, &mut text.parts) == Joined::TooLong {
                    return text.replace_all(source, self.bound, &mut work.raw, out);
                }
            }
        }
        let parts = std::mem::take(&mut text.parts);
        for run in parts.split(Option::is_none).filter(|run| !run.is_empty()) {
            text.join(run, source, &mut work.raw);
            tags::holes(&text.bytes, self.bound, &mut work.holes);
            work.spans.clear();
            let (bytes, spans) = (&text.bytes, &mut work.spans);
            if let Held::Slice(_) = held {
                // Which piece it is nobody knows: every word that could be it, or else all.
                words(bytes, |from, to| {
                    rules.find_held(rule, &bytes[from..to], |start, end| spans.push((from + start, from + end)));
                });
            }
            if spans.is_empty() {
                rules.find_held(rule, bytes, |start, end| spans.push((start, end)));
            }
            // Where placeholders stand, an earlier look at the whole value decided.
            spans.retain(|(start, end)| !touches(*start, *end, &work.holes));
            for (start, end) in spans {
                let core = &bytes[*start..*end];
                self.keep(&mut out.cores, kind, core, || rules.is_made(core) || is_sentence(core));
                text.cut_back(run, *start, *end, kind, out);
            }
        }
        text.parts = parts;
    }
}

/// Buffers of one thread.
#[derive(Default)]
struct Work {
    raw: Vec<u8>,
    holes: Vec<(usize, usize)>,
    spans: Vec<(usize, usize)>,
}

fn once_each(asked: &mut Vec<Asked>) {
    asked.sort_unstable_by_key(|(rule, held)| (*held, *rule));
    asked.dedup();
}

/// Is this short enough, and of few enough words, for a name?
pub(super) fn is_name_like(text: &[u8], longest: usize) -> bool {
    text.len() <= longest && text.iter().filter(|b| **b == b' ').count() <= 2
}

/// The text of a rope that is short enough for a key.
fn joined_key(source: &dyn Source, composite: Composite, bound: Bound) -> Option<Vec<u8>> {
    let (mut parts, mut raw, mut key) = (Vec::new(), Vec::new(), Vec::new());
    if source.parts(composite, &mut parts) == Joined::TooLong || parts.len() > limits::KEY_PARTS {
        return None;
    }
    for part in parts {
        key.extend_from_slice(source.text(part?, &mut raw).expose());
    }
    (!has_hole(&key, bound)).then_some(key)
}

/// Is this several words, so that it stands nowhere else by chance?
fn is_sentence(text: &[u8]) -> bool {
    text.len() >= limits::SENTENCE_BYTES && text.iter().filter(|b| **b == b' ').count() >= 2
}

fn is_held(rules: &Rules, rule: u16, view: &ContextView<'_>, source: &dyn Source) -> bool {
    let is_owner = |name: &[u8]| {
        let mut raw = Vec::new();
        view.owner.is_some_and(|id| source.text(id, &mut raw).expose() == name)
    };
    let is_sibling = |key: &[u8]| {
        let mut raw = Vec::new();
        view.siblings.iter().any(|id| source.text(*id, &mut raw).expose() == key)
    };
    rules.holds(rule, is_sibling, is_owner)
}

fn has_hole(text: &[u8], bound: Bound) -> bool {
    let mut holes = Vec::new();
    tags::holes(text, bound, &mut holes);
    !holes.is_empty()
}

/// The words of a text between blanks, quotes and marks that separate values.
fn words(text: &[u8], mut each: impl FnMut(usize, usize)) {
    let is_mark = |b: &u8| b.is_ascii_whitespace() || b"\"'`&=;,?#<>(){}[]|".contains(b);
    let mut at = 0;
    for word in text.split(is_mark) {
        if !word.is_empty() {
            each(at, at + word.len());
        }
        at += word.len() + 1;
    }
}
