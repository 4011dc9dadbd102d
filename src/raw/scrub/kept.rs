//! Every text of a checked bundle that is still readable, for the people who must say that it may leave. Placeholders are
//! not among it; what a bare runtime carries is counted and not listed.

use std::collections::BTreeMap;

use super::decide::{doubt, prepare};
use super::labels::{self, Piece};
use super::tags::{self, Bound, Kind};
use super::vouch::Reason;
use super::wall::SafeText;
use crate::heap::StrId;
use crate::pipeline::Settings;
use crate::raw::detect::opaque;
use crate::raw::ingest::role::{Role, RoleSet};
use crate::{Ingested, limits};

/// A readable text and why somebody should look at it.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The text.
    pub text: SafeText,
    /// The parts it plays; `told` if the sender said it.
    pub roles: Vec<&'static str>,
    /// In how many labels or values it stands.
    pub places: u64,
    /// What makes it worth a look.
    pub signs: Vec<&'static str>,
    /// How much it is worth a look: the most first.
    pub risk: u32,
}

/// What makes a text worth a look, and how much.
const DATA_KEY: (&str, u32) = ("key of data", 40);
const ADDRESS: (&str, u32) = ("has an @", 40);
const MADE: (&str, u32) = ("looks made", 40);
const PERSON: (&str, u32) = ("like a person's name", 35);
const TOLD: (&str, u32) = ("told by the sender", 30);
const DIGITS: (&str, u32) = ("digits", 25);
const CONTENT: (&str, u32) = ("content, no name", 20);
const SENTENCE: (&str, u32) = ("several words", 15);
const LETTERS: (&str, u32) = ("letters beyond English", 15);
const SENDER: (&str, u32) = ("kept by the sender's own rule or source", 10);
const LONG: (&str, u32) = ("long", 10);
const RARE: (&str, u32) = ("stands in one place", 5);

/// What is known of a text while it is looked for.
#[derive(Default)]
struct Seen {
    roles: RoleSet,
    told: bool,
    by_sender: bool,
    places: u64,
}

/// Collects the readable texts of a bundle.
#[derive(Default)]
pub(in crate::raw) struct Collector {
    seen: BTreeMap<Vec<u8>, Seen>,
    /// Texts of the vocabulary, by what they are; only counted.
    known: std::collections::BTreeSet<u64>,
}

impl Collector {
    /// Adds what can be read in one snapshot or log. `all`: also what every runtime carries.
    pub(in crate::raw) fn add(&mut self, ingested: Ingested<'_>, settings: &Settings, all: bool) {
        let mut source = ingested.into_source();
        let mut bound = Bound::default();
        let (mut voucher, scope) = prepare(&*source, settings, &mut bound);
        bound.keyed = true;
        if !source.has_table() {
            bound.highest = u32::MAX;
        }
        voucher.bound = bound;
        doubt(&mut *source, &voucher, &scope);
        let (mut scratch, mut holes) = (Vec::new(), Vec::new());
        for id in (0..source.counts().strings as u32).map(StrId) {
            let (roles, mut pieces) = (source.roles(id), Vec::new());
            let text = source.text(id, &mut scratch).expose();
            for role in roles.iter() {
                labels::pieces(role, text, &scope, &mut pieces);
                for piece in &pieces {
                    let Piece::Name(kind, name) = piece else { continue };
                    if is_replaced(name, bound, &mut holes) {
                        continue;
                    }
                    let reason = voucher.judge(*kind, role, name);
                    if !all && reason == Some(Reason::Vocabulary) && !matches!(kind, Kind::Text | Kind::Number) {
                        self.known.insert(voucher.prints.of(name));
                        continue;
                    }
                    let seen = self.seen.entry(name.to_vec()).or_default();
                    seen.roles.insert(role);
                    seen.places += 1;
                    seen.by_sender |= matches!(reason, Some(Reason::KeepRule | Reason::SourceTree));
                }
            }
        }
    }

    /// Adds what the sender told, from the report.
    pub(in crate::raw) fn told(&mut self, text: &str) {
        let seen = self.seen.entry(text.as_bytes().to_vec()).or_default();
        seen.told = true;
        seen.places += 1;
    }

    /// The texts, those that most should be looked at first; and how many words of runtimes there are beside them.
    pub(in crate::raw) fn ranked(self) -> (Vec<Kept>, u64) {
        let mut kept: Vec<Kept> = self.seen.into_iter().map(|(text, seen)| judged(&text, &seen)).collect();
        kept.sort_by(|a, b| b.risk.cmp(&a.risk).then_with(|| a.text.cmp(&b.text)));
        (kept, self.known.len() as u64)
    }
}

/// Is nothing of it left but placeholders and what stands between them?
fn is_replaced(text: &[u8], bound: Bound, holes: &mut Vec<(usize, usize)>) -> bool {
    tags::holes(text, bound, holes);
    let covered: usize = holes.iter().map(|(start, end)| end - start).sum();
    let mut at = 0;
    let mut between = Vec::new();
    for (start, end) in holes.iter() {
        between.extend_from_slice(&text[at..*start]);
        at = *end;
    }
    between.extend_from_slice(&text[at..]);
    text.is_empty() || (covered > 0 && between.iter().all(|b| !b.is_ascii_alphanumeric() && *b < 0x80))
}

fn judged(text: &[u8], seen: &Seen) -> Kept {
    let shown = String::from_utf8_lossy(text);
    let has = |role: Role| seen.roles.contains(role);
    let content = [Role::Value, Role::Number, Role::Source, Role::Regexp].into_iter().any(has);
    let digits = text.iter().filter(|b| b.is_ascii_digit()).count();
    let words: Vec<&str> = shown.split([' ', '_', '.', '-', ',']).filter(|word| !word.is_empty()).collect();
    let capital = |word: &&str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.clone().count() > 1 && letters.all(char::is_lowercase)
    };
    let is_class = [Role::Class, Role::Native, Role::Function].into_iter().any(has);
    let person = (2..=4).contains(&words.len()) && words.iter().all(capital)
        || (words.len() == 1 && !is_class && words.iter().all(capital));
    let found = [
        (has(Role::DataKey) || has(Role::DoubtfulKey), DATA_KEY),
        (text.contains(&b'@') && !text.starts_with(b"@"), ADDRESS),
        (opaque(text), MADE),
        (person, PERSON),
        (seen.told, TOLD),
        (digits >= 4, DIGITS),
        (content, CONTENT),
        (words.len() >= 4 && shown.contains(' '), SENTENCE),
        (shown.chars().any(|c| c.is_alphabetic() && !c.is_ascii()), LETTERS),
        (seen.by_sender, SENDER),
        (text.len() > limits::NAME_BYTES, LONG),
        (seen.places == 1, RARE),
    ];
    let signs: Vec<(&'static str, u32)> = found.into_iter().filter_map(|(is, sign)| is.then_some(sign)).collect();
    let told = seen.told.then_some("told");
    Kept {
        text: SafeText::vouch(shown.into_owned()),
        roles: seen.roles.iter().map(Role::name).chain(told).collect(),
        places: seen.places,
        signs: signs.iter().map(|(sign, _)| *sign).collect(),
        risk: signs.iter().map(|(_, weight)| weight).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn risk(text: &str, role: Role) -> u32 {
        let mut seen = Seen { places: 2, ..Seen::default() };
        seen.roles.insert(role);
        judged(text.as_bytes(), &seen).risk
    }

    #[test]
    fn what_may_be_somebodys_comes_first() {
        let order = [
            ("Maria Lopez", Role::DataKey),
            ("k7f3a9c2e1", Role::OwnKey),
            ("Maria", Role::OwnKey),
            ("order2024", Role::OwnKey),
            ("retryCount", Role::OwnKey),
        ];
        let risks: Vec<u32> = order.iter().map(|(text, role)| risk(text, *role)).collect();
        assert!(risks.is_sorted_by(|a, b| a > b), "{risks:?}");
        assert_eq!(risk("ChatMessage", Role::Class), 0);
    }

    #[test]
    fn placeholders_are_not_readable() {
        let bound = Bound { highest: 9, keyed: false };
        for (text, expected) in
            [("[text#3]", true), ("[text#3]: [key#4]", true), ("Dear [text#3]", false), ("a", false)]
        {
            assert_eq!(is_replaced(text.as_bytes(), bound, &mut Vec::new()), expected, "{text}");
        }
    }
}
