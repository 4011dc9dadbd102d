//! Values that were found, to be removed wherever else they stand: pooled over all inputs of a call.
//!
//! A needle is a copy: what is found in an encoded text stands nowhere as it is. All copies lie in one buffer that is
//! wiped at the end. The index goes by the first eight bytes of each; a bitmap turns nearly every place of a text away.

use rustc_hash::{FxHashMap, FxHashSet};
use zeroize::Zeroizing;

use super::tags::{Fingerprints, Kind};
use super::vocabulary;
use crate::limits;

/// A value that was found.
#[derive(Debug)]
pub(in crate::raw) struct Core {
    pub(in crate::raw) kind: Kind,
    /// Is it a secret wherever it stands, or only as the value of something? A password may be an ordinary word.
    pub(in crate::raw) everywhere: bool,
    pub(in crate::raw) text: Zeroizing<Vec<u8>>,
}

impl Core {
    pub(in crate::raw) fn copy(&self) -> Self {
        Self { kind: self.kind, everywhere: self.everywhere, text: self.text.clone() }
    }
}

/// Longest needle; what begins like one that is longer goes to its end.
const NEEDLE_BYTES: usize = 1024;

#[derive(Clone, Copy, Debug)]
struct Needle {
    start: u32,
    len: u32,
    kind: Kind,
    /// The value goes on behind the needle.
    is_open: bool,
}

/// What was propagated, as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Propagated {
    /// Values looked for inside every text, in every encoding.
    pub everywhere: u64,
    /// Values that are too short, or ordinary words: replaced only where a whole text is equal.
    pub whole_only: u64,
}

/// The index.
#[derive(Debug)]
pub(in crate::raw) struct Needles {
    prints: Fingerprints,
    bytes: Zeroizing<Vec<u8>>,
    needles: Vec<Needle>,
    /// For the first eight bytes of needles: where in `needles` they begin, and how many there are.
    heads: FxHashMap<u64, (u32, u32)>,
    bitmap: Vec<u64>,
    shift: u32,
    /// Whole texts: fingerprint, and whether it counts in labels too.
    whole: FxHashMap<u64, (Kind, bool)>,
    pub(in crate::raw) propagated: Propagated,
}

const HEAD: usize = 8;

fn head(text: &[u8]) -> u64 {
    text[..HEAD].iter().fold(0, |n, b| n << 8 | u64::from(*b))
}

fn slot(head: u64, shift: u32) -> usize {
    (head.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

impl Needles {
    pub(in crate::raw) fn new(prints: &Fingerprints, cores: &[Core]) -> Self {
        let (mut bytes, mut needles, mut whole) = (Zeroizing::new(Vec::new()), Vec::new(), FxHashMap::default());
        let (mut seen, mut propagated) = (FxHashSet::default(), Propagated::default());
        let total = cores.iter().map(|core| core.text.len().min(NEEDLE_BYTES)).sum();
        // Never grown, so that no copy is left behind.
        bytes.reserve_exact(total);
        for core in cores {
            let text = core.text.as_slice();
            let print = prints.of(text);
            if text.is_empty() || !seen.insert((print, core.everywhere)) {
                continue;
            }
            let units = text.iter().filter(|b| *b & 0xc0 != 0x80).count();
            let word = vocabulary::contains(Kind::Key, text) || vocabulary::contains(Kind::Function, text);
            let everywhere = core.everywhere && !word;
            let entry = whole.entry(print).or_insert((core.kind, everywhere));
            entry.1 |= everywhere;
            if units < limits::NEEDLE_UNITS || !everywhere || text.len() < HEAD {
                propagated.whole_only += 1;
                continue;
            }
            propagated.everywhere += 1;
            let kept = &text[..text.len().min(NEEDLE_BYTES)];
            let (start, len, is_open) = (bytes.len() as u32, kept.len() as u32, kept.len() < text.len());
            bytes.extend_from_slice(kept);
            needles.push(Needle { start, len, kind: core.kind, is_open });
        }
        let of = |n: &Needle| &bytes[n.start as usize..(n.start + n.len) as usize];
        needles.sort_by(|a, b| of(a).cmp(of(b)));
        let bits = (needles.len() * 64).next_power_of_two().clamp(1 << 10, 1 << 26).trailing_zeros();
        let (mut heads, mut bitmap) = (FxHashMap::default(), vec![0_u64; 1 << (bits - 6)]);
        for (i, needle) in needles.iter().enumerate() {
            let first = head(of(needle));
            heads.entry(first).or_insert((i as u32, 0)).1 += 1;
            let bit = slot(first, 64 - bits);
            bitmap[bit / 64] |= 1 << (bit % 64);
        }
        let prints = prints.clone();
        Self { prints, bytes, needles, heads, bitmap, shift: 64 - bits, whole, propagated }
    }

    pub(in crate::raw) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    fn text(&self, needle: &Needle) -> &[u8] {
        &self.bytes[needle.start as usize..(needle.start + needle.len) as usize]
    }

    /// Is this whole text a value that was found? `is_value`: as the value of something.
    pub(in crate::raw) fn whole(&self, text: &[u8], is_value: bool) -> Option<Kind> {
        if self.whole.is_empty() {
            return None;
        }
        self.whole.get(&self.prints.of(text)).filter(|(_, everywhere)| is_value || *everywhere).map(|(kind, _)| *kind)
    }

    /// Calls `each` with every place of a value that was found. A text that was cut may end within one.
    pub(in crate::raw) fn find(&self, text: &[u8], is_cut: bool, mut each: impl FnMut(usize, usize, Kind)) {
        if self.needles.is_empty() || text.len() < HEAD {
            return;
        }
        let mut first = head(text) >> 8;
        for at in 0..=text.len() - HEAD {
            first = first << 8 | u64::from(text[at + HEAD - 1]);
            let bit = slot(first, self.shift);
            if self.bitmap[bit / 64] & 1 << (bit % 64) == 0 {
                continue;
            }
            let Some(&(from, count)) = self.heads.get(&first) else { continue };
            let rest = &text[at..];
            let same_head = &self.needles[from as usize..(from + count) as usize];
            if is_cut && let Some(needle) = self.begins_with(same_head, rest) {
                return each(at, text.len(), needle.kind);
            }
            // Needles are sorted: whatever the text begins with stands at or before its own place, and each miss tells
            // how long it can be at most. So a thousand values that begin alike cost no more than ten.
            let mut longest = rest.len();
            while longest >= HEAD {
                let before = same_head.partition_point(|needle| self.text(needle) <= &rest[..longest]);
                let Some(needle) = before.checked_sub(1).map(|i| same_head[i]) else { break };
                let value = self.text(&needle);
                let common = value.iter().zip(rest).take_while(|(a, b)| a == b).count();
                if common < value.len() {
                    longest = common.min(longest - 1);
                    continue;
                }
                if needle.is_open {
                    return each(at, text.len(), needle.kind);
                }
                each(at, at + value.len(), needle.kind);
                longest = value.len() - 1;
            }
        }
    }

    /// A needle that goes on where the text ends.
    fn begins_with(&self, sorted: &[Needle], text: &[u8]) -> Option<Needle> {
        let first = sorted.partition_point(|needle| self.text(needle) < text);
        sorted.get(first).copied().filter(|needle| self.text(needle).starts_with(text))
    }

    /// Does a text hold, or is it, a value that was found?
    pub(in crate::raw) fn objects(&self, text: &[u8]) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut found = self.whole(text, false).is_some();
        self.find(text, false, |_, _, _| found = true);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(values: &[(&str, bool)]) -> Needles {
        let core = |(text, everywhere): &(&str, bool)| Core {
            kind: Kind::Listed,
            everywhere: *everywhere,
            text: Zeroizing::new(text.as_bytes().to_vec()),
        };
        Needles::new(&Fingerprints::new(), &values.iter().map(core).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(needles: &Needles, text: &str, is_cut: bool, expected: &[&str]) {
        let mut found = Vec::new();
        needles.find(text.as_bytes(), is_cut, |start, end, _| found.push(&text[start..end]));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn values_inside_texts_and_at_their_cut_ends() {
        let needles = needles(&[("hunter2-winter", true), ("hunter2-summer", true), ("hunter2-", true)]);
        check(
            &needles,
            "a hunter2-winter b hunter2-summer",
            false,
            &["hunter2-winter", "hunter2-", "hunter2-summer", "hunter2-"],
        );
        check(&needles, "a hunter2-wi", false, &["hunter2-"]);
        check(&needles, "a hunter2-wi", true, &["hunter2-wi"]);
        check(&needles, "hunter", true, &[]);
    }

    #[test]
    fn short_values_and_words_only_as_a_whole() {
        let needles = needles(&[("pin4711", true), ("plainword", false), ("constructor", true)]);
        assert_eq!(needles.propagated, Propagated { everywhere: 0, whole_only: 3 });
        check(&needles, "my pin4711 and plainword and constructor", false, &[]);
        assert!(needles.whole(b"pin4711", false).is_some());
        assert!(needles.whole(b"plainword", false).is_none() && needles.whole(b"plainword", true).is_some());
        assert!(needles.whole(b"constructor", false).is_none() && needles.whole(b"constructor", true).is_some());
    }

    #[test]
    fn a_long_value_goes_to_its_end() {
        let long = "a long prompt of many words. ".repeat(60);
        let mut ends = Vec::new();
        needles(&[(&long, true)]).find(format!("x {long}").as_bytes(), false, |start, end, _| ends.push((start, end)));
        assert_eq!(ends, [(2, long.len() + 2)]);
    }
}
