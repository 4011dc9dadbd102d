//! Placeholders: `[kind#number]`. The number is a running one for each distinct text, or, under a key, a keyed digest of
//! it; so equal texts stay equal and nobody without the key can try candidates. The grammar is closed: kinds from a fixed
//! list, numbers in bounds.

use std::fmt::Write;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::key::Key;
use super::sink::decimal;
use crate::profile::Numbers;
use crate::raw::detect::builtin_ids;
use crate::raw::ingest::role::Role;
use crate::{Error, Kind as Fault, Result, Stage, limits};

macro_rules! kinds {
    ($($kind:ident $word:literal),* $(,)?) => {
        /// What a placeholder stands for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Kind {
            $(#[doc = $word] $kind,)*
            /// What an embedded rule found.
            Rule(u16),
        }
        impl Kind {
            pub(in crate::raw) fn word(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)*
                    Self::Rule(rule) => builtin_ids().get(usize::from(rule)).copied().unwrap_or("secret"),
                }
            }

            fn from_word(word: &[u8]) -> Option<Self> {
                static KINDS: OnceLock<FxHashMap<&'static [u8], Kind>> = OnceLock::new();
                let kinds = KINDS.get_or_init(|| {
                    let rules = (0..).zip(builtin_ids()).map(|(rule, id)| (id.as_bytes(), Self::Rule(rule)));
                    rules.chain([$(($word.as_bytes(), Self::$kind)),*]).collect()
                });
                kinds.get(word).copied()
            }
        }
    };
}

kinds! {
    Text "text", Number "number", Key "key", Variable "variable", Class "class", Holder "holder",
    Function "function", Code "code", Script "script", Regexp "regexp", Symbol "symbol", Native "native",
    Dom "dom", Tag "tag", Edge "edge", Structure "structure", Unused "unused", Word "word", Host "host", Directory "directory", Path "path", File "file", Query "query",
    Secret "own-rule", Listed "listed", Sanitised "sanitised",
}

impl Kind {
    /// The kind that replaces a whole text of a role.
    pub(in crate::raw) const fn of(role: Role) -> Self {
        match role {
            // A source text may also be a value of the program; equal texts must stay equal.
            Role::Value | Role::Source | Role::Line => Self::Text,
            Role::Number | Role::Position | Role::Measure => Self::Number,
            Role::Key | Role::OwnKey | Role::DoubtfulKey | Role::DataKey | Role::Field => Self::Key,
            Role::Variable => Self::Variable,
            Role::Class => Self::Class,
            Role::Function => Self::Function,
            Role::Code => Self::Code,
            Role::Script => Self::Script,
            Role::File => Self::File,
            Role::Regexp => Self::Regexp,
            Role::Symbol => Self::Symbol,
            Role::Native => Self::Native,
            Role::Edge => Self::Edge,
            Role::Structure => Self::Structure,
            Role::Unused => Self::Unused,
        }
    }
}

/// Fingerprints of texts under a random key of this process. They never leave it.
#[derive(Clone, Debug)]
pub(in crate::raw) struct Fingerprints(RandomState);

impl Fingerprints {
    pub(in crate::raw) fn new() -> Self {
        Self(RandomState::new())
    }

    pub(in crate::raw) fn of(&self, text: &[u8]) -> u64 {
        let mut hasher = self.0.build_hasher();
        hasher.write(text);
        hasher.finish()
    }
}

/// The number in a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::raw) enum Number {
    /// A running number.
    Running(u32),
    /// A digest under the user's key.
    Keyed(u64),
}

/// Which placeholders of a text are ours.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::raw) struct Bound {
    /// The highest running number.
    pub(in crate::raw) highest: u32,
    /// Were there placeholders made with the key of this run?
    pub(in crate::raw) keyed: bool,
}

impl Bound {
    /// What a mark of an input says: who holds the key made it, or how many running numbers there are.
    pub(in crate::raw) fn read(&mut self, mark: Number, key: Option<&Key>) {
        match mark {
            Number::Running(n) => self.highest = self.highest.max(n),
            Number::Keyed(n) => self.keyed |= key.is_some_and(|key| key.mark() == n),
        }
    }
}

/// Hands out the numbers, for all inputs of a call.
#[derive(Debug)]
pub(in crate::raw) struct Tags<'k> {
    prints: Fingerprints,
    key: Option<&'k Key>,
    numbers: FxHashMap<u64, Number>,
    /// Under a key: which text each number belongs to.
    owners: FxHashMap<u64, u64>,
    collided: bool,
    next: u32,
    made: Numbers,
    /// Placeholders that the inputs had already.
    before: Bound,
}

impl<'k> Tags<'k> {
    /// Numbers begin behind the highest one that the inputs already use.
    pub(in crate::raw) fn new(prints: Fingerprints, key: Option<&'k Key>, before: Bound) -> Self {
        let (numbers, owners) = (FxHashMap::default(), FxHashMap::default());
        Self { prints, key, numbers, owners, collided: false, next: before.highest + 1, made: Numbers::Running, before }
    }

    /// With numbers of this kind.
    pub(in crate::raw) fn numbered(mut self, made: Numbers) -> Self {
        self.made = made;
        if made == Numbers::Same {
            self.next += 1;
        }
        self
    }

    /// All numbers handed out so far, or used by the inputs.
    pub(in crate::raw) fn bound(&self) -> Bound {
        Bound { highest: self.next - 1, keyed: self.before.keyed || self.key.is_some() || self.made == Numbers::Random }
    }

    /// What marks a sanitised file.
    pub(in crate::raw) fn mark(&self) -> Number {
        match (self.key, self.made) {
            (Some(key), _) => Number::Keyed(key.mark()),
            // Nobody knows it again, so a later run takes its placeholders for data, which they are then.
            (None, Numbers::Random) => Number::Keyed(self.numbers.len() as u64),
            (None, _) => Number::Running(self.next - 1),
        }
    }

    pub(in crate::raw) fn number(&mut self, text: &[u8]) -> Number {
        self.number_of(text, self.prints.of(text))
    }

    /// The same for a text of which the fingerprint is known.
    pub(in crate::raw) fn number_of(&mut self, text: &[u8], print: u64) -> Number {
        if let Some(number) = self.numbers.get(&print) {
            return *number;
        }
        let number = match self.key {
            None if self.made == Numbers::Same => Number::Running(self.next - 1),
            None if self.made == Numbers::Random => {
                let mut bytes = [0; 8];
                // Without randomness there is no result.
                self.collided |= getrandom::fill(&mut bytes).is_err();
                let random = u64::from_le_bytes(bytes);
                self.collided |= self.owners.insert(random, print).is_some();
                Number::Keyed(random)
            }
            Some(key) => {
                let digest = key.digest(text);
                self.collided |= self.owners.insert(digest, print).is_some();
                Number::Keyed(digest)
            }
            None => {
                self.next += 1;
                Number::Running(self.next - 1)
            }
        };
        self.numbers.insert(print, number);
        number
    }

    /// Two texts with one number would look equal.
    pub(in crate::raw) fn check(&self) -> Result<()> {
        if self.collided { Err(Error::new(Stage::Scrub, Fault::TagCollision)) } else { Ok(()) }
    }
}

/// Appends a placeholder.
pub(in crate::raw) fn push(out: &mut String, kind: Kind, number: Number) {
    out.push('[');
    out.push_str(kind.word());
    out.push('#');
    match number {
        Number::Running(n) => out.extend(decimal(n.into(), &mut [0; 20]).iter().map(|digit| char::from(*digit))),
        // Writing to a String cannot fail.
        Number::Keyed(n) => write!(out, "{n:016x}").unwrap_or_default(),
    }
    out.push(']');
}

/// Reads a placeholder of any number.
pub(in crate::raw) fn read(text: &[u8]) -> Option<(Kind, Number)> {
    let inner = text.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let hash = memchr::memchr(b'#', inner)?;
    let (word, digits) = (&inner[..hash], &inner[hash + 1..]);
    let number = if digits.len() == 16 {
        let small = |d: &u8| matches!(d, b'0'..=b'9' | b'a'..=b'f');
        let value = |n: u64, d: &u8| n << 4 | u64::from(if *d <= b'9' { d - b'0' } else { d - b'a' + 10 });
        digits.iter().all(small).then(|| Number::Keyed(digits.iter().fold(0, value)))?
    } else {
        let canonical =
            !digits.is_empty() && digits.len() <= 10 && digits[0] != b'0' && digits.iter().all(u8::is_ascii_digit);
        let value = digits.iter().fold(0_u64, |n, d| n.wrapping_mul(10).wrapping_add(u64::from(d.wrapping_sub(b'0'))));
        canonical.then(|| u32::try_from(value).ok().map(Number::Running))??
    };
    Some((Kind::from_word(word)?, number))
}

/// Reads a placeholder that is ours.
pub(in crate::raw) fn parse(text: &[u8], bound: Bound) -> Option<Kind> {
    // Most texts are none.
    if text.first() != Some(&b'[') {
        return None;
    }
    read(text)
        .filter(|(_, number)| match number {
            Number::Running(n) => *n <= bound.highest,
            Number::Keyed(_) => bound.keyed,
        })
        .map(|(kind, _)| kind)
}

/// Every placeholder of ours inside a text.
pub(in crate::raw) fn holes(text: &[u8], bound: Bound, out: &mut Vec<(usize, usize)>) {
    out.clear();
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'[', &text[at..]).map(|n| at + n) {
        let end = memchr::memchr(b']', &text[open..]).map_or(text.len(), |n| open + n + 1);
        if parse(&text[open..end], bound).is_some() {
            out.push((open, end));
            at = end;
        } else {
            at = open + 1;
        }
    }
}

/// A file without a table cannot say which placeholders are ours: they are known by their form there. It holds nothing but a
/// word of the program and a number.
pub(in crate::raw) fn by_form(text: &[u8], has_key: bool, bound: &mut Bound) {
    let any = Bound { highest: limits::TEXT_PLACEHOLDER, keyed: has_key };
    let mut found = Vec::new();
    holes(text, any, &mut found);
    for (start, end) in found {
        match read(&text[start..end]) {
            Some((_, Number::Running(n))) => bound.highest = bound.highest.max(n),
            Some((_, Number::Keyed(_))) => bound.keyed = true,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Bound = Bound { highest: 100, keyed: false };

    #[test]
    fn the_grammar_is_closed() {
        assert_eq!(parse(b"[text#12]", BOUND), Some(Kind::Text));
        assert_eq!(parse(b"[github-token#12]", BOUND).map(Kind::word), Some("github-token"));
        for bad in [
            "[text#0]",
            "[text#012]",
            "[text#101]",
            "[nothing#1]",
            "text#1",
            "[text#1",
            "[text#]",
            "[text#1a]",
            "[#1]",
            "[text#0123456789abcdef]",
            "[text#99999999999999]",
        ] {
            assert_eq!(parse(bad.as_bytes(), BOUND), None, "{bad}");
        }
        assert_eq!(parse(b"[text#0123456789abcdef]", Bound { highest: 0, keyed: true }), Some(Kind::Text));
        assert_eq!(parse(b"[text#0123456789ABCDEF]", Bound { highest: 0, keyed: true }), None);
    }

    #[test]
    fn equal_texts_get_equal_numbers() {
        let mut tags = Tags::new(Fingerprints::new(), None, Bound { highest: 7, keyed: false });
        let numbers = [b"a", b"b", b"a", b"c"].map(|text| tags.number(text));
        assert_eq!(numbers, [8, 9, 8, 10].map(Number::Running));
        assert_eq!((tags.bound().highest, tags.mark()), (10, Number::Running(10)));
    }

    #[test]
    fn numbers_under_a_key_are_equal_across_runs_and_differ_across_keys() {
        let (one, other) = (Key::new(b"0123456789abcdef".to_vec()), Key::new(b"0123456789abcdeX".to_vec()));
        let number = |key: &Key, text: &[u8]| Tags::new(Fingerprints::new(), Some(key), Bound::default()).number(text);
        assert_eq!(number(&one, b"+44 20 7946 0958"), number(&one, b"+44 20 7946 0958"));
        assert_ne!(number(&one, b"+44 20 7946 0958"), number(&other, b"+44 20 7946 0958"));
        assert_ne!(number(&one, b"+44 20 7946 0958"), number(&one, b"+44 20 7946 0959"));
        assert_ne!(one.mark(), other.mark());
    }

    #[test]
    fn holes_in_a_text() {
        let mut out = Vec::new();
        holes(b"a [text#3] [ [key#4][text#999]", BOUND, &mut out);
        assert_eq!(out, [(2, 10), (13, 20)]);
    }
}
