//! The distinct texts of a pickle, in the order in which they come first.

use std::hash::{BuildHasher, Hasher, RandomState};

use rustc_hash::FxHashMap;
use zeroize::Zeroizing;

/// A text as it stands in the file, or decoded where protocol 0 wrote it with escapes.
enum Text<'i> {
    Plain(&'i [u8]),
    Decoded(Zeroizing<Vec<u8>>),
}

impl Text<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) => bytes,
            Self::Decoded(bytes) => bytes,
        }
    }
}

/// Texts by number, and numbers by text.
#[derive(Default)]
pub(super) struct Texts<'i> {
    all: Vec<Text<'i>>,
    numbers: FxHashMap<u64, u32>,
    hasher: RandomState,
}

impl<'i> Texts<'i> {
    pub(super) fn get(&self, number: u32) -> &[u8] {
        self.all[number as usize].bytes()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of a text that stands in the file as it is.
    pub(super) fn plain(&mut self, text: &'i [u8]) -> u32 {
        self.find(Text::Plain(text))
    }

    /// The number of a line of protocol 0, in which `\u` and `\U` begin characters and bytes above 127 are Latin-1. `None`
    /// if an escape is damaged.
    pub(super) fn escaped(&mut self, line: &'i [u8]) -> Option<u32> {
        if line.iter().all(|b| b.is_ascii() && *b != b'\\') {
            return Some(self.plain(line));
        }
        Some(self.find(Text::Decoded(decode(line)?)))
    }

    fn find(&mut self, text: Text<'i>) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(text.bytes());
        let mut key = hasher.finish();
        // Two texts with one fingerprint stand side by side.
        while let Some(number) = self.numbers.get(&key) {
            if self.get(*number) == text.bytes() {
                return *number;
            }
            key = key.wrapping_add(1);
        }
        let number = self.all.len() as u32;
        self.numbers.insert(key, number);
        self.all.push(text);
        number
    }

    /// The same texts in another order; those that are not named go.
    pub(super) fn reordered(self, order: &[u32]) -> Self {
        let mut all: Vec<Option<Text<'i>>> = self.all.into_iter().map(Some).collect();
        let all = order.iter().filter_map(|number| all.get_mut(*number as usize)?.take()).collect();
        // Nothing is looked up any more.
        Self { all, numbers: FxHashMap::default(), hasher: self.hasher }
    }
}

/// Undoes the escapes of protocol 0. Halves of pairs stay as three bytes, as in the other protocols.
pub(super) fn decode(line: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let mut out = Zeroizing::new(Vec::with_capacity(line.len() + line.len() / 2));
    let mut rest = line;
    while let Some((byte, behind)) = rest.split_first() {
        let digits = match (byte, behind.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            _ => {
                push(u32::from(*byte), &mut out)?;
                rest = behind;
                continue;
            }
        };
        let value = behind.get(1..=digits)?.iter().try_fold(0_u32, |n, digit| {
            let digit = char::from(*digit).to_digit(16)?;
            n.checked_mul(16)?.checked_add(digit)
        })?;
        push(value, &mut out)?;
        rest = &behind[digits + 1..];
    }
    Some(out)
}

fn push(value: u32, out: &mut Vec<u8>) -> Option<()> {
    if let Some(c) = char::from_u32(value) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    } else if (0xd800..0xe000).contains(&value) {
        let six = |shift: u32| 0x80 | (value >> shift & 0x3f) as u8;
        out.extend([0xe0 | (value >> 12) as u8, six(6), six(0)]);
    } else {
        return None;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_protocol_0() {
        let check = |line: &[u8], expected: Option<&[u8]>| {
            assert_eq!(decode(line).map(|text| text.to_vec()), expected.map(<[u8]>::to_vec));
        };
        check(b"a\\u00e9\\U0001f600", Some("aé😀".as_bytes()));
        check(b"\xe9", Some("é".as_bytes()));
        check(b"\\udc80", Some(b"\xed\xb2\x80"));
        check(b"a\\b", Some(b"a\\b"));
        check(b"\\u00g0", None);
        check(b"\\u00", None);
        check(b"\\UFFFFFFFF", None);
    }

    #[test]
    fn equal_texts_have_one_number_however_they_are_written() {
        let mut texts = Texts::default();
        assert_eq!(texts.plain("é".as_bytes()), 0);
        assert_eq!(texts.escaped(b"\\u00e9"), Some(0));
        assert_eq!(texts.escaped(b"e"), Some(1));
        assert_eq!(texts.plain(b"e"), 1);
        assert_eq!(texts.len(), 2);
        let texts = texts.reordered(&[1]);
        assert_eq!((texts.len(), texts.get(0)), (1, &b"e"[..]));
    }
}
