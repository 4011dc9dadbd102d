//! Encodings of texts: UTF-8 with or without a mark, UTF-16 with one. Bytes that are no UTF-8 are taken for Latin-1, and
//! what colours a terminal is left out, so that nothing hides in it. What is written is UTF-8.

use zeroize::Zeroizing;

use super::bad;
use crate::Result;
use crate::raw::ingest::v8;
use crate::raw::scrub::wall::RawStr;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    /// Is the first byte of two the larger one?
    Utf16(bool),
}

impl Encoding {
    pub(super) fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0xff, 0xfe, ..] => Self::Utf16(false),
            [0xfe, 0xff, ..] => Self::Utf16(true),
            _ => Self::Utf8,
        }
    }
}

/// A whole text, as UTF-8 but for stray bytes.
pub(super) enum Text<'i> {
    AsItIs(&'i [u8]),
    Converted(Zeroizing<Vec<u8>>),
}

impl<'i> Text<'i> {
    pub(super) fn new(bytes: &'i [u8]) -> Result<Self> {
        let Encoding::Utf16(is_big) = Encoding::of(bytes) else { return Ok(Self::AsItIs(bytes)) };
        let (pairs, odd) = bytes.as_chunks::<2>();
        if !odd.is_empty() {
            return Err(bad("UTF-16 with an even number of bytes", bytes.len() - 1));
        }
        let units = pairs.iter().map(|pair| if is_big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) });
        let mut out = Zeroizing::new(Vec::with_capacity(bytes.len() / 2 + bytes.len() / 16));
        for (n, one) in char::decode_utf16(units).enumerate() {
            let one = one.map_err(|_| bad("UTF-16 with whole pairs", 2 * n))?;
            if one < ' ' && !matches!(one, '\t' | '\n' | '\r' | '\u{7}' | '\u{8}' | '\u{b}' | '\u{c}' | '\u{1b}') {
                return Err(bad("text without control characters; this file is partly binary", 2 * n));
            }
            out.extend_from_slice(one.encode_utf8(&mut [0; 4]).as_bytes());
        }
        super::sniff::check(&out)?;
        Ok(Self::Converted(out))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::AsItIs(bytes) => bytes,
            Self::Converted(bytes) => bytes,
        }
    }

    /// Where the text begins, behind its mark.
    pub(super) fn start(&self) -> usize {
        if self.bytes().starts_with(MARK) { MARK.len() } else { 0 }
    }

    pub(super) fn whole(&self) -> &[u8] {
        self.bytes()
    }
}

/// A part of a text as what it says.
pub(super) fn decoded<'a>(raw: &'a [u8], is_quoted: bool, scratch: &'a mut Vec<u8>) -> RawStr<'a> {
    let is_escaped = is_quoted && memchr::memchr(b'\\', raw).is_some();
    let is_plain = memchr::memchr(ESCAPE, raw).is_none() && std::str::from_utf8(raw).is_ok();
    if is_plain && !is_escaped {
        return RawStr::new(raw);
    }
    scratch.clear();
    for chunk in raw.utf8_chunks() {
        push_uncoloured(chunk.valid().as_bytes(), scratch);
        for byte in chunk.invalid() {
            scratch.extend_from_slice(char::from(*byte).encode_utf8(&mut [0; 2]).as_bytes());
        }
    }
    if is_escaped {
        let raw = Zeroizing::new(std::mem::take(scratch));
        v8::decode(&raw, scratch);
    }
    RawStr::new(scratch)
}

const ESCAPE: u8 = 0x1b;

/// Leaves out what an escape begins: up to the letter that ends it, or the escape alone.
fn push_uncoloured(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        out.extend_from_slice(&rest[..at]);
        let behind = &rest[at + 1..];
        let inner =
            behind.strip_prefix(b"[").map(|inner| inner.iter().take_while(|b| (0x20..0x40).contains(*b)).count());
        rest = match inner {
            Some(len) if behind.get(len + 1).is_some_and(|b| (0x40..0x7f).contains(b)) => &behind[len + 2..],
            _ => behind,
        };
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &[u8], is_quoted: bool, expected: &str) {
        assert_eq!(decoded(raw, is_quoted, &mut Vec::new()).expose(), expected.as_bytes());
    }

    #[test]
    fn what_parts_say() {
        check(b"plain", false, "plain");
        check(b"a\\u0062c\\n", true, "abc\n");
        check(b"a\\u0062c", false, "a\\u0062c");
        check(b"pass\x1b[31;1mword\x1b[0m", false, "password");
        check(b"Jos\xe9", false, "Jos\u{e9}");
        check(b"x\x1bx", false, "xx");
    }

    #[test]
    fn utf_16() {
        let text = Text::new(b"\xff\xfeA\0\n\0\xe9\0").expect("fine");
        assert_eq!((text.bytes(), text.start()), ("\u{feff}A\n\u{e9}".as_bytes(), 3));
        assert!(
            Text::new(b"\xff\xfeA").is_err()
                && Text::new(b"\xff\xfe\0\0").is_err()
                && Text::new(b"\xfe\xff\xd8\0").is_err()
        );
    }
}
