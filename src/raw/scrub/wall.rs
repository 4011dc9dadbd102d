//! The wall: both sides of it are defined in this file, and nowhere else.
//!
//! [`RawStr`] is text nobody has vouched for; [`SafeStr`] is text that may leave the process.
//! The door between them, `SafeStr::vouch`, opens only for `raw::scrub`.

use std::fmt;

/// Unscrubbed bytes. No `Display`, `Deref`, `AsRef`, `Serialize`, `PartialEq` or `Hash`; `Debug` prints a length.
#[derive(Clone, Copy)]
pub struct RawStr<'i>(&'i [u8]);

impl<'i> RawStr<'i> {
    pub(in crate::raw) const fn new(bytes: &'i [u8]) -> Self {
        Self(bytes)
    }

    /// Bytes, not `&str`: a slicing panic on `str` prints the string, on `[u8]` it prints numbers.
    pub(in crate::raw) const fn expose(self) -> &'i [u8] {
        self.0
    }
}

impl fmt::Debug for RawStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawStr({} bytes)", self.0.len())
    }
}

/// Text that may leave the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct SafeStr<'s>(&'s str);

impl<'s> SafeStr<'s> {
    /// The one door through the wall; only `raw::scrub` can open it.
    pub(in crate::raw::scrub) const fn vouch(s: &'s str) -> Self {
        Self(s)
    }

    /// Text that stands in the program itself.
    #[must_use]
    pub const fn literal(s: &'static str) -> SafeStr<'static> {
        SafeStr(s)
    }

    /// The text.
    #[must_use]
    pub const fn as_str(self) -> &'s str {
        self.0
    }
}

/// Text that may leave the process, and that owns itself: what reports are made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct SafeText(String);

impl SafeText {
    /// The same door as that of [`SafeStr`].
    pub(in crate::raw::scrub) const fn vouch(s: String) -> Self {
        Self(s)
    }

    /// Text that stands in the program itself.
    #[must_use]
    pub fn literal(s: &'static str) -> Self {
        Self(s.to_owned())
    }

    /// A word of the program and a number.
    #[must_use]
    pub fn numbered(word: &'static str, number: u32) -> Self {
        Self(format!("{word}{number}"))
    }

    /// A text and a number behind it.
    #[must_use]
    pub fn with_number(&self, separator: &'static str, number: u32) -> Self {
        Self(format!("{}{separator}{number}", self.0))
    }

    /// A number, as a function of the program shows it: a function that captures nothing has no text but its own.
    #[must_use]
    pub fn shown(number: u64, show: fn(u64) -> String) -> Self {
        Self(show(number))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<SafeStr<'_>> for SafeText {
    fn from(s: SafeStr<'_>) -> Self {
        Self(s.0.to_owned())
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl schemars::JsonSchema for SafeText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}

impl fmt::Display for SafeStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
