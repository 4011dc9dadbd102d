//! Placeholders: `[kind#number]`. The number is a running one for each distinct text, so that equal texts stay
//! equal and nothing is derived from the text. The grammar is closed: kinds from this list, numbers in bounds.

use std::fmt::Write;
use std::hash::{BuildHasher, Hasher, RandomState};

use rustc_hash::FxHashMap;

use crate::raw::ingest::role::Role;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $word:literal),* $(,)?) => {
        /// What a placeholder stands for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Kind { $($(#[$doc])* $kind),* }
        impl Kind {
            pub(in crate::raw) const fn word(self) -> &'static str { match self { $(Self::$kind => $word),* } }
            fn from_word(word: &[u8]) -> Option<Self> { [$(($word, Self::$kind)),*].into_iter().find(|(w, _)| w.as_bytes() == word).map(|(_, k)| k) }
        }
    };
}

kinds! {
    Text "text", Number "number", Key "key", Variable "variable", Class "class", Holder "holder",
    Function "function", Code "code", Script "script", Regexp "regexp", Symbol "symbol", Native "native",
    Dom "dom", Tag "tag", Edge "edge", Structure "structure", Unused "unused", Word "word", Host "host", Directory "directory", Path "path", File "file", Query "query",
}

impl Kind {
    /// The kind that replaces a whole text of a role.
    pub(in crate::raw) const fn of(role: Role) -> Self {
        match role {
            // A source text may also be a value of the program; equal texts must stay equal.
            Role::Value | Role::Source => Self::Text,
            Role::Number | Role::Position => Self::Number,
            Role::Key | Role::OwnKey | Role::DoubtfulKey | Role::DataKey => Self::Key,
            Role::Variable => Self::Variable,
            Role::Class => Self::Class,
            Role::Function => Self::Function,
            Role::Code => Self::Code,
            Role::Script => Self::Script,
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

/// Hands out the numbers.
#[derive(Debug)]
pub(in crate::raw) struct Tags {
    prints: Fingerprints,
    numbers: FxHashMap<u64, u32>,
    next: u32,
}

impl Tags {
    /// The highest number handed out so far, or used by the input.
    pub(in crate::raw) fn highest(&self) -> u32 {
        self.next - 1
    }

    /// Numbers begin behind the highest one that the input already uses.
    pub(in crate::raw) fn new(prints: Fingerprints, used: u32) -> Self {
        Self { prints, numbers: FxHashMap::default(), next: used + 1 }
    }

    pub(in crate::raw) fn number(&mut self, text: &[u8]) -> u32 {
        let next = self.next;
        let number = *self.numbers.entry(self.prints.of(text)).or_insert(next);
        self.next += u32::from(number == next);
        number
    }
}

/// Appends a placeholder.
pub(in crate::raw) fn push(out: &mut String, kind: Kind, number: u32) {
    // Writing to a String cannot fail.
    let _ = write!(out, "[{}#{number}]", kind.word());
}

/// Reads a placeholder. Numbers above `bound` are none: a running number cannot exceed the number of texts.
pub(in crate::raw) fn parse(text: &[u8], bound: u32) -> Option<(Kind, u32)> {
    let inner = text.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let hash = memchr::memchr(b'#', inner)?;
    let (word, digits) = (&inner[..hash], &inner[hash + 1..]);
    let canonical =
        !digits.is_empty() && digits.len() <= 10 && digits[0] != b'0' && digits.iter().all(u8::is_ascii_digit);
    if !canonical {
        return None;
    }
    let number = digits.iter().fold(0_u64, |n, d| n * 10 + u64::from(d - b'0'));
    let number = u32::try_from(number).ok().filter(|n| *n <= bound)?;
    Some((Kind::from_word(word)?, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_closed() {
        assert_eq!(parse(b"[text#12]", 100), Some((Kind::Text, 12)));
        for bad in
            ["[text#0]", "[text#012]", "[text#101]", "[secret#1]", "text#1", "[text#1", "[text#]", "[text#1a]", "[#1]"]
        {
            assert_eq!(parse(bad.as_bytes(), 100), None, "{bad}");
        }
    }

    #[test]
    fn equal_texts_get_equal_numbers() {
        let mut tags = Tags::new(Fingerprints::new(), 7);
        assert_eq!([tags.number(b"a"), tags.number(b"b"), tags.number(b"a"), tags.number(b"c")], [8, 9, 8, 10]);
    }
}
