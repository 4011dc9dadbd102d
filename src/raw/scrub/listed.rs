//! Finds which of the user's values stand in a text, in whatever encoding, and tells them by their numbers.
//!
//! This looks harder than the search that removes values, since it is asked for proof: every run of digits of base64 and
//! hexadecimal is undone at every alignment, whether what comes out is readable or not.

use std::collections::{BTreeMap, BTreeSet};

use zeroize::Zeroizing;

use super::needles::{Core, Needles};
use super::spellings;
use super::tags::Kind;
use super::values::Values;
use super::vocabulary;
use crate::limits;
use crate::raw::detect::decode::{self, Tried};

/// Characters below which a value is in every text by chance.
const SHORTEST: usize = 3;
/// Digits of base64 that hold eight bytes at any alignment, and of hexadecimal.
const BASE64_RUN: usize = 11;
const HEX_RUN: usize = 16;

/// The values, ready to be looked for.
#[derive(Debug)]
pub(in crate::raw) struct Listed {
    /// Values of eight characters and more, in all spellings, without case; the numbers of cores are those of `owners`.
    long: Needles,
    /// The same as UTF-16, for those with letters beyond Latin.
    wide: Needles,
    owners: Vec<u32>,
    wide_owners: Vec<u32>,
    /// Shorter ones: they count as words of their own.
    short: Vec<(Zeroizing<Vec<u8>>, u32)>,
    lengths: Vec<usize>,
    /// Values that are not looked for: too short, or a name that every runtime has.
    pub(in crate::raw) skipped: Vec<u32>,
}

impl Listed {
    pub(in crate::raw) fn new(values: &Values) -> Self {
        let core = |text: Zeroizing<Vec<u8>>| Core { kind: Kind::Listed, everywhere: true, text };
        let (mut long, mut owners) = (Vec::new(), Vec::new());
        let (mut wide, mut wide_owners) = (Vec::new(), Vec::new());
        let (mut short, mut skipped) = (Vec::new(), Vec::new());
        for (number, value) in (0..).zip(&values.cores) {
            let text = value.text.as_slice();
            let units = text.iter().filter(|b| *b & 0xc0 != 0x80).count();
            let is_word =
                |text: &[u8]| vocabulary::contains(Kind::Key, text) || vocabulary::contains(Kind::Function, text);
            if units < SHORTEST || is_word(text) || is_word(&spellings::fold(text)) {
                skipped.push(number);
                continue;
            }
            for spelling in spellings::of(text) {
                if units < limits::NEEDLE_UNITS || spelling.len() < limits::NEEDLE_UNITS {
                    short.push((spelling, number));
                } else {
                    owners.push(number);
                    long.push(core(spelling));
                }
            }
            for form in utf_16(text) {
                wide_owners.push(number);
                wide.push(core(form));
            }
        }
        // Of equal values the first one is told.
        short.sort_by(|(a, n), (b, m)| a.cmp(b).then(n.cmp(m)));
        short.dedup_by(|(a, _), (b, _)| a == b);
        let mut lengths: Vec<usize> = short.iter().map(|(value, _)| value.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let (long, wide) = (Needles::plain(&long), Needles::plain(&wide));
        Self { long, wide, owners, wide_owners, short, lengths, skipped }
    }

    /// The numbers of the values that stand in a text.
    pub(in crate::raw) fn in_text(&self, text: &[u8], out: &mut BTreeSet<u32>) {
        self.whole(text, out);
        self.form(text, (limits::DECODE_DEPTH, Tried::default()), true, out);
    }

    fn is_short(&self, text: &[u8]) -> Option<u32> {
        self.short.binary_search_by(|(value, _)| value.as_slice().cmp(text)).ok().map(|at| self.short[at].1)
    }

    /// A text that is nothing but a short value in base64.
    fn whole(&self, text: &[u8], out: &mut BTreeSet<u32>) {
        let digits = text.trim_ascii();
        let digits = &digits[..digits.len() - digits.iter().rev().take_while(|b| **b == b'=').count()];
        if (6..=4 * limits::NEEDLE_UNITS).contains(&digits.len())
            && digits.iter().all(is_digit)
            && !self.short.is_empty()
        {
            let decoded = spellings::fold(&Zeroizing::new(decode::base64(digits)));
            out.extend(self.is_short(&decoded).filter(|_| decoded.len() > 4));
        }
    }

    fn form(&self, text: &[u8], (depth, tried): (u32, Tried), is_text: bool, out: &mut BTreeSet<u32>) {
        if text.len() < SHORTEST {
            return;
        }
        let folded = spellings::fold(text);
        self.long.each(&folded, |core| {
            out.insert(self.owners[core as usize]);
        });
        self.wide.each(text, |core| {
            out.insert(self.wide_owners[core as usize]);
        });
        if is_text {
            self.words(&folded, out);
        }
        if depth == 0 {
            return;
        }
        decode::forms(text, decode::has_run(text), tried, &mut |decoded, below| {
            self.form(&decoded.text, (depth - 1, below), true, out);
        });
        self.runs(text, depth, out);
    }

    /// Every run of digits, at every alignment.
    fn runs(&self, text: &[u8], depth: u32, out: &mut BTreeSet<u32>) {
        let mut at = 0;
        while let Some(start) = text.get(at..).and_then(|rest| rest.iter().position(is_digit)).map(|n| at + n) {
            let len = text[start..].iter().take_while(|b| is_digit(b)).count();
            let run = &text[start..start + len];
            at = start + len;
            if len < BASE64_RUN {
                continue;
            }
            for skip in 0..4 {
                let bytes = Zeroizing::new(decode::base64(&run[skip..]));
                self.form(&bytes, (depth - 1, Tried::default()), false, out);
            }
            for part in run.split(|b| !b.is_ascii_hexdigit()).filter(|part| part.len() >= HEX_RUN) {
                for skip in 0..2 {
                    let value = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
                    let pairs = part[skip..].as_chunks::<2>().0;
                    let bytes =
                        Zeroizing::new(pairs.iter().map(|[a, b]| value(*a) << 4 | value(*b)).collect::<Vec<_>>());
                    self.form(&bytes, (depth - 1, Tried::default()), false, out);
                }
            }
        }
    }

    /// Short values that stand as words: no letter or digit beside them.
    fn words(&self, folded: &[u8], out: &mut BTreeSet<u32>) {
        if self.short.is_empty() {
            return;
        }
        let is_letter = |at: usize| folded.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
        for start in (0..folded.len()).filter(|at| *at == 0 || !is_letter(at - 1) || !is_letter(*at)) {
            for len in self.lengths.iter().take_while(|len| start + **len <= folded.len()) {
                let end = start + len;
                if !(is_letter(end) && is_letter(end - 1))
                    && let Some(value) = self.is_short(&folded[start..end])
                {
                    out.insert(value);
                }
            }
        }
    }
}

fn is_digit(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_')
}

/// A value with letters beyond Latin-1 as UTF-16, as it is written, small and large; others are known without the zeros.
fn utf_16(value: &[u8]) -> Vec<Zeroizing<Vec<u8>>> {
    let Ok(text) = std::str::from_utf8(value) else { return Vec::new() };
    if text.chars().all(|c| u32::from(c) < 0x100) {
        return Vec::new();
    }
    let mut out = BTreeMap::new();
    for form in [text.to_owned(), text.to_lowercase(), text.to_uppercase()].map(Zeroizing::new) {
        for bytes in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let wide: Vec<u8> = form.encode_utf16().flat_map(bytes).collect();
            out.insert(wide.clone(), Zeroizing::new(wide));
        }
    }
    out.into_values().filter(|wide| wide.len() >= limits::NEEDLE_UNITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(values: &[&str]) -> Listed {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("values.txt");
        std::fs::write(&path, values.join("\n")).expect("write");
        let mut all = Values::default();
        all.add(&path, &[]).expect("values");
        Listed::new(&all)
    }

    fn found(listed: &Listed, text: &[u8]) -> Vec<u32> {
        let mut out = BTreeSet::new();
        listed.in_text(text, &mut out);
        out.into_iter().collect()
    }

    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    fn base64(bytes: &[u8]) -> String {
        let mut out = String::new();
        for chunk in bytes.chunks(3) {
            let word = chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
            let digits = (0..=chunk.len()).map(|i| char::from(DIGITS[(word >> (18 - 6 * i)) as usize & 63]));
            out.extend(digits);
        }
        out
    }

    #[test]
    fn base64_at_every_alignment_also_within_noise() {
        let all = listed(&["Erika Mustermann", "Олеся Иваненко"]);
        let noise: Vec<u8> = (0..40_u32).map(|n| (n * 151 + 200) as u8 | 0x80).collect();
        for (number, value) in [(0, "Erika Mustermann"), (1, "Олеся Иваненко")] {
            let wide: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
            for form in [value.as_bytes().to_vec(), value.to_uppercase().into_bytes(), wide] {
                for before in 0..3 {
                    let bytes = [&noise[..before + 9], &form, &noise].concat();
                    let digits = base64(&bytes);
                    assert_eq!(found(&all, digits.as_bytes()), [number], "{value} {before}");
                    let for_addresses = digits.replace('+', "-").replace('/', "_");
                    assert_eq!(found(&all, format!("id={for_addresses}&x=1").as_bytes()), [number]);
                    let hex: String = bytes.iter().map(|b| format!("{b:02X}")).collect();
                    assert_eq!(found(&all, format!("0{hex}").as_bytes()), [number]);
                }
            }
        }
    }

    #[test]
    fn short_values_are_words_of_their_own() {
        let all = listed(&["Otto", "Li", "constructor", "A. Ng"]);
        assert_eq!(all.skipped, [1, 2]);
        for (text, expected) in [
            ("otto", &[0][..]),
            ("Mr OTTO, please", &[0]),
            ("Ottoman, grotto", &[]),
            ("%4Ftto&x=1&yy=22", &[0]),
            ("by A. Ng.", &[3]),
            ("constructor Li", &[]),
            ("T3R0bw==", &[]),
        ] {
            assert_eq!(found(&all, text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn values_that_begin_alike_are_told_apart() {
        let many: Vec<String> = (0..5000).map(|n| format!("customer-{n:05}")).collect();
        let all = listed(&many.iter().map(String::as_str).collect::<Vec<_>>());
        for n in [0_u32, 7, 4999] {
            assert_eq!(found(&all, format!("x customer-{n:05} y").as_bytes()), [n]);
        }
        assert_eq!(found(&all, b"customer-05000"), [0_u32; 0]);
    }
}
