//! The prefilter: one pass over a text that notices the anchors of all rules together.
//!
//! Anchors that begin with few different bytes are known by their first four, folded to small letters: a bitmap of those
//! turns nearly every place away. The others (runs of digits and the like) share the bits of a word: at each place a mask
//! for each of the next bytes leaves the bits of those that fit. What passes is compared in full.

use rustc_hash::FxHashMap;

use super::anchor::Anchor;
use super::shape::Bytes;

/// Bytes that an anchor is known by.
const GRAM: usize = 4;
/// Beginnings of one anchor that go into the bitmap.
const GRAMS: usize = 640;
/// Places that masks look at.
const MASKS: usize = 7;
/// Bytes that are looked at together.
const WINDOW: usize = 8;
/// Makes small letters of capitals, and harmless confusions of some marks.
const FOLD: u32 = 0x2020_2020;

/// An anchor of a rule.
#[derive(Debug)]
struct Wanted {
    rule: u16,
    back: usize,
    before: Bytes,
    at_start: bool,
    places: Box<[Bytes]>,
}

/// The anchors of all rules.
#[derive(Debug)]
pub(super) struct Scanner {
    wanted: Vec<Wanted>,
    /// Beginnings of four bytes, by hash.
    bitmap: Box<[u64]>,
    shift: u32,
    /// For each beginning, the anchors that have it.
    by_gram: FxHashMap<u32, Vec<u32>>,
    /// For each bit, the anchors that share it.
    by_bit: Vec<Vec<u32>>,
    /// The first two bytes that some of those anchors have, and the next two.
    pairs: Box<[[u64; 1024]; 2]>,
    /// Bits of anchors that fit, by the byte before; one more entry for the beginning of a text.
    before: Box<[u64; 257]>,
    /// Bits of anchors that fit, by each of the next bytes.
    masks: Box<[[u64; 256]; MASKS]>,
    /// Bits of anchors that have so few places.
    short: [u64; MASKS + 1],
    /// Anchors that stand at the beginning of a text only.
    first: Vec<u32>,
}

fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9e37_79b1)
}

/// All beginnings of an anchor, folded, if they are few.
pub(super) fn grams(places: &[Bytes]) -> Option<Vec<u32>> {
    let mut out = vec![0_u32];
    for (i, place) in places.get(..GRAM)?.iter().enumerate() {
        let folded = Bytes::filled(place.iter().map(|b| b | FOLD as u8));
        out = out.iter().flat_map(|gram| folded.iter().map(move |b| gram | u32::from(b) << (8 * i))).collect();
        if out.len() > GRAMS {
            return None;
        }
    }
    Some(out)
}

impl Scanner {
    pub(super) fn new(all: impl Iterator<Item = (u16, Anchor)>) -> Self {
        let mut wanted: Vec<Wanted> = Vec::new();
        let mut by_gram: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let (mut first, mut wide) = (Vec::new(), Vec::new());
        for (rule, Anchor { places, back, before, at_start }) in all {
            let number = wanted.len() as u32;
            if before == Bytes::NONE {
                first.push(number);
            } else if let Some(grams) = grams(&places) {
                for gram in grams {
                    by_gram.entry(gram).or_default().push(number);
                }
            } else {
                wide.push(number);
            }
            wanted.push(Wanted { rule, back, before, at_start, places: places.into() });
        }
        let bits = (by_gram.len() * 24).next_power_of_two().clamp(1 << 12, 1 << 18).trailing_zeros();
        let (mut bitmap, shift) = (vec![0_u64; 1 << (bits - 6)].into_boxed_slice(), 32 - bits);
        for gram in by_gram.keys() {
            let bit = hash(*gram) >> shift;
            bitmap[bit as usize / 64] |= 1 << (bit % 64);
        }
        let mut this = Self {
            wanted,
            bitmap,
            shift,
            by_gram,
            by_bit: vec![Vec::new(); wide.len().min(64)],
            pairs: Box::new([[0; 1024]; 2]),
            before: Box::new([0; 257]),
            masks: Box::new([[0; 256]; MASKS]),
            short: [0; MASKS + 1],
            first,
        };
        for (i, number) in wide.into_iter().enumerate() {
            this.give_bit(i % 64, number);
        }
        for pair in 0..=u16::MAX {
            let [a, b] = pair.to_le_bytes().map(usize::from);
            for (i, pairs) in this.pairs.iter_mut().enumerate() {
                let fits = this.masks[2 * i][a] & this.masks[2 * i + 1][b] != 0;
                pairs[usize::from(pair / 64)] |= u64::from(fits) << (pair % 64);
            }
        }
        this
    }

    fn give_bit(&mut self, bit: usize, number: u32) {
        let wanted = &self.wanted[number as usize];
        let mask = 1_u64 << bit;
        self.by_bit[bit].push(number);
        for byte in wanted.before.iter() {
            self.before[usize::from(byte)] |= mask;
        }
        if wanted.at_start {
            self.before[256] |= mask;
        }
        for (i, masks) in self.masks.iter_mut().enumerate() {
            let place = wanted.places.get(i).copied().unwrap_or(Bytes::ALL);
            for byte in place.iter() {
                masks[usize::from(byte)] |= mask;
            }
        }
        for short in self.short.iter_mut().skip(wanted.places.len()) {
            *short |= mask;
        }
    }

    /// Calls `each` with the rule, the place and the bytes that a match may have before it, for every anchor in a text, in
    /// the order of the places. Ends early when `each` says so.
    pub(super) fn scan(&self, text: &[u8], mut each: impl FnMut(u16, usize, usize) -> bool) {
        for number in &self.first {
            if self.fits(*number, text, 0) && self.tell(*number, 0, &mut each) {
                return;
            }
        }
        let windows = text.windows(WINDOW);
        let tail = windows.len();
        for (at, window) in windows.enumerate() {
            // A window has just as many bytes.
            let Ok(bytes) = <[u8; WINDOW]>::try_from(window) else { return };
            let gram = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) | FOLD;
            let bit = hash(gram) >> self.shift;
            let is_gram = self.bitmap[bit as usize / 64] >> (bit % 64) & 1 != 0;
            let pair = |pairs: &[u64; 1024], a, b| {
                let pair = u16::from_le_bytes([a, b]);
                pairs[usize::from(pair / 64)] >> (pair % 64) & 1
            };
            let is_pair = pair(&self.pairs[0], bytes[0], bytes[1]) & pair(&self.pairs[1], bytes[2], bytes[3]) != 0;
            if !is_gram && !is_pair {
                continue;
            }
            if is_gram && self.gram(gram, text, at, &mut each) {
                return;
            }
            if is_pair {
                let before = at.checked_sub(1).map_or(256, |before| usize::from(text[before]));
                let mut bits = self.before[before];
                for (masks, byte) in self.masks.iter().zip(bytes) {
                    bits &= masks[usize::from(byte)];
                }
                if bits != 0 && self.bits(bits, text, at, &mut each) {
                    return;
                }
            }
        }
        self.scan_tail(text, tail, &mut each);
    }

    /// The last places, behind which a window does not fit any more.
    fn scan_tail(&self, text: &[u8], tail: usize, each: &mut impl FnMut(u16, usize, usize) -> bool) {
        for at in tail..text.len() {
            let rest = &text[at..];
            if let [a, b, c, d, ..] = *rest {
                let gram = u32::from_le_bytes([a, b, c, d]) | FOLD;
                let bit = hash(gram) >> self.shift;
                let is_gram = self.bitmap[bit as usize / 64] >> (bit % 64) & 1 != 0;
                if is_gram && self.gram(gram, text, at, each) {
                    return;
                }
            }
            let before = at.checked_sub(1).map_or(256, |before| usize::from(text[before]));
            let mut bits = self.before[before];
            for (i, masks) in self.masks.iter().enumerate() {
                if bits == 0 {
                    break;
                }
                bits &= rest.get(i).map_or(self.short[i], |b| masks[usize::from(*b)]);
            }
            if bits != 0 && self.bits(bits, text, at, each) {
                return;
            }
        }
    }

    #[inline(never)]
    fn gram(&self, gram: u32, text: &[u8], at: usize, each: &mut impl FnMut(u16, usize, usize) -> bool) -> bool {
        let Some(numbers) = self.by_gram.get(&gram) else { return false };
        numbers.iter().any(|number| self.fits(*number, text, at) && self.tell(*number, at, each))
    }

    #[inline(never)]
    fn bits(&self, mut bits: u64, text: &[u8], at: usize, each: &mut impl FnMut(u16, usize, usize) -> bool) -> bool {
        while bits != 0 {
            let numbers = &self.by_bit[bits.trailing_zeros() as usize];
            if numbers.iter().any(|number| self.fits(*number, text, at) && self.tell(*number, at, each)) {
                return true;
            }
            bits &= bits - 1;
        }
        false
    }

    fn tell(&self, number: u32, at: usize, each: &mut impl FnMut(u16, usize, usize) -> bool) -> bool {
        let wanted = &self.wanted[number as usize];
        each(wanted.rule, at, wanted.back)
    }

    fn fits(&self, number: u32, text: &[u8], at: usize) -> bool {
        let wanted = &self.wanted[number as usize];
        let Some(rest) = text.get(at..).filter(|rest| rest.len() >= wanted.places.len()) else { return false };
        let begins = match at.checked_sub(1) {
            Some(before) => wanted.before.has(text[before]),
            None => wanted.at_start,
        };
        begins && wanted.places.iter().zip(rest).all(|(place, byte)| place.has(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::super::anchor::anchors;
    use super::*;

    /// The rules whose anchors stand in a text, with their places.
    fn found(patterns: &[&str], text: &str) -> Vec<(u16, usize)> {
        let parser = || regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
        let hirs = patterns.iter().map(|pattern| parser().parse(pattern).expect("valid"));
        let all =
            (0..).zip(hirs).flat_map(|(rule, hir)| anchors(&hir).expect("anchors").into_iter().map(move |a| (rule, a)));
        let scanner = Scanner::new(all.collect::<Vec<_>>().into_iter());
        let mut out = Vec::new();
        scanner.scan(text.as_bytes(), |rule, at, _| {
            out.push((rule, at));
            false
        });
        out
    }

    #[test]
    fn anchors_are_noticed_wherever_they_stand() {
        let patterns = [r"\bghp_[a-z]{4}", r"\b[0-9]{3}-[0-9]{2}", r"^[a-z]{3} [a-z]", r"(?i)token="];
        for pad in 0..20 {
            let (front, behind) = ("#".repeat(pad), "#".repeat(20 - pad));
            let text = |part: &str| format!("{front}{part}{behind}");
            assert_eq!(found(&patterns, &text("ghp_abcd")), [(0, pad)]);
            assert_eq!(found(&patterns, &text("TOKEN=")), [(3, pad)]);
            assert_eq!(found(&patterns, &format!("{front}123-45")), [(1, pad)]);
            assert_eq!(found(&patterns, &text("1234-45")), []);
            assert_eq!(found(&patterns, &text("xghp_abcd")), []);
        }
        assert_eq!(found(&patterns, "abc d"), [(2, 0)]);
        assert_eq!(found(&patterns, "-abc d"), []);
        assert_eq!(found(&patterns, ""), []);
    }

    #[test]
    fn more_wide_anchors_than_bits() {
        let patterns: Vec<String> = (10..110).map(|n| format!("[0-9]{{{n}}}[a-z]")).collect();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let text = format!("{}x", "7".repeat(109));
        assert_eq!(
            found(&patterns, &text).iter().filter(|(_, at)| *at == 0).count(),
            90,
            "all that are longer than what is compared"
        );
    }
}
