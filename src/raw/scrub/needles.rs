//! Values that were found, to be removed wherever else they stand: pooled over all inputs of a call.
//!
//! A needle is a copy: what is found in an encoded text stands nowhere as it is. All copies lie in one buffer that is
//! wiped at the end. The index goes by the first 8, 16, 32 … bytes of each, as far as its length allows: a bitmap for
//! each of these tiers turns nearly every place of a text away, also where thousands of values begin with the same words.

use rustc_hash::{FxHashMap, FxHashSet};
use zeroize::Zeroizing;

use super::spellings;
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
    start: usize,
    len: u32,
    kind: Kind,
    /// The number of the value that it was made of.
    core: u32,
    /// The value goes on behind the needle.
    is_open: bool,
}

impl Needle {
    fn of<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[self.start..self.start + self.len as usize]
    }
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
    /// In order of tier, of the hash of their head in it, and of their text.
    needles: Vec<Needle>,
    /// Numbers of needles in the order of their texts.
    sorted: Vec<u32>,
    tiers: Vec<Tier>,
    /// Whole texts: fingerprint, and whether it counts in labels too.
    whole: FxHashMap<u64, (Kind, bool)>,
    /// Listed values in all their spellings, without case.
    folded: Option<Box<Needles>>,
    pub(in crate::raw) propagated: Propagated,
}

/// Needles by their first `HEAD << n` bytes.
#[derive(Debug)]
struct Tier {
    /// Heads of all needles that have as many bytes.
    begins: Bitmap,
    /// Heads of those that belong to this tier, since they have less than twice as many bytes.
    ends: Bitmap,
    /// Where those stand in `needles`, and how many there are.
    groups: FxHashMap<u64, (u32, u32)>,
}

const HEAD: usize = 8;

/// Tiers that a needle can have a head for, the one for [`NEEDLE_BYTES`] included.
const TIERS: usize = (NEEDLE_BYTES / HEAD).trailing_zeros() as usize + 1;

/// The tier of a needle: its head there is more than half of it.
fn tier_of(len: usize) -> usize {
    (len / HEAD).ilog2() as usize
}

fn word(bytes: &[u8]) -> u64 {
    bytes[..HEAD].iter().fold(0, |n, b| n << 8 | u64::from(*b))
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The hash of the head of the next tier, which is as long again. Equal hashes of different heads do no harm.
fn longer(hash: u64, text: &[u8], len: usize) -> u64 {
    let words = text[len..2 * len].as_chunks::<HEAD>().0;
    words.iter().fold(hash, |hash, word| mix(hash, u64::from_be_bytes(*word)))
}

/// A set of hashes that may hold more than was put in.
#[derive(Debug)]
struct Bitmap {
    words: Vec<u64>,
    shift: u32,
}

impl Bitmap {
    fn of(hashes: &[u64]) -> Self {
        let bits = (hashes.len() * 64).next_power_of_two().clamp(1 << 10, 1 << 26).trailing_zeros();
        let mut map = Self { words: vec![0; 1 << (bits - 6)], shift: 64 - bits };
        for hash in hashes {
            let bit = (hash >> map.shift) as usize;
            map.words[bit / 64] |= 1 << (bit % 64);
        }
        map
    }

    fn has(&self, hash: u64) -> bool {
        let bit = (hash >> self.shift) as usize;
        self.words[bit / 64] & 1 << (bit % 64) != 0
    }
}

impl Needles {
    pub(in crate::raw) fn new(prints: &Fingerprints, cores: &[Core]) -> Self {
        let listed = cores.iter().filter(|core| core.kind == Kind::Listed);
        let spelled = listed.flat_map(|core| {
            let spellings = spellings::of(&core.text).into_iter();
            spellings.map(|text| Core { kind: core.kind, everywhere: core.everywhere, text })
        });
        let spelled: Vec<Core> = spelled.collect();
        let folded = (!spelled.is_empty()).then(|| Box::new(Self::exact(prints, &spelled)));
        Self { folded, ..Self::exact(prints, cores) }
    }

    /// These as they are, to be told apart by their numbers.
    pub(super) fn plain(cores: &[Core]) -> Self {
        Self::exact(&Fingerprints::new(), cores)
    }

    /// Calls `each` with the number of every value that [`Self::find`] would find.
    pub(super) fn each(&self, text: &[u8], mut each: impl FnMut(u32)) {
        if text.len() >= HEAD {
            self.find_exact(text, false, &mut |_, _, needle| each(needle.core));
        }
    }

    fn exact(prints: &Fingerprints, cores: &[Core]) -> Self {
        let (mut bytes, mut needles, mut whole) = (Zeroizing::new(Vec::new()), Vec::new(), FxHashMap::default());
        let (mut seen, mut propagated) = (FxHashSet::default(), Propagated::default());
        let total = cores.iter().map(|core| core.text.len().min(NEEDLE_BYTES)).sum();
        // Never grown, so that no copy is left behind.
        bytes.reserve_exact(total);
        for (number, core) in (0..).zip(cores) {
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
            let (start, len, is_open) = (bytes.len(), kept.len() as u32, kept.len() < text.len());
            bytes.extend_from_slice(kept);
            needles.push(Needle { start, len, kind: core.kind, core: number, is_open });
        }
        let (tiers, sorted) = index(&bytes, &mut needles);
        Self { prints: prints.clone(), bytes, needles, sorted, tiers, whole, folded: None, propagated }
    }

    pub(in crate::raw) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// Is this whole text a value that was found? `is_value`: as the value of something.
    pub(in crate::raw) fn whole(&self, text: &[u8], is_value: bool) -> Option<Kind> {
        if self.whole.is_empty() {
            return None;
        }
        let found = self.whole.get(&self.prints.of(text)).filter(|(_, everywhere)| is_value || *everywhere);
        let exact = found.map(|(kind, _)| *kind);
        exact.or_else(|| self.folded.as_ref()?.whole(&spellings::fold(text), is_value))
    }

    /// Calls `each` with the places of values that were found: at least those that are not inside an earlier one, and
    /// the longest of those that begin together. A text that was cut may end within one.
    pub(in crate::raw) fn find(&self, text: &[u8], is_cut: bool, mut each: impl FnMut(usize, usize, Kind)) {
        if text.len() < HEAD {
            return;
        }
        if let Some(folded) = self.folded.as_ref().filter(|folded| !folded.tiers.is_empty()) {
            folded.find_exact(&spellings::fold(text), is_cut, &mut |start, end, needle| each(start, end, needle.kind));
        }
        self.find_exact(text, is_cut, &mut |start, end, needle| each(start, end, needle.kind));
    }

    fn find_exact(&self, text: &[u8], is_cut: bool, each: &mut impl FnMut(usize, usize, Needle)) {
        let Some(first) = self.tiers.first() else { return };
        let (mut head, mut covered) = (word(text) >> 8, 0);
        for at in 0..=text.len() - HEAD {
            head = head << 8 | u64::from(text[at + HEAD - 1]);
            let hash = mix(0, head);
            if !first.begins.has(hash) {
                continue;
            }
            if let Some((end, needle)) = self.longest(&text[at..], hash, is_cut).map(|(len, needle)| (at + len, needle))
                && end > covered
            {
                each(at, end, needle);
                covered = end;
            }
            if covered == text.len() {
                return;
            }
        }
    }

    /// The longest value that a text begins with. `hash`: of its head.
    fn longest(&self, text: &[u8], hash: u64, is_cut: bool) -> Option<(usize, Needle)> {
        let (mut hashes, mut tiers) = ([hash; TIERS], 1);
        let mut len = HEAD;
        let ran_out = loop {
            if text.len() < 2 * len {
                break true;
            }
            let Some(tier) = self.tiers.get(tiers) else { break false };
            hashes[tiers] = longer(hashes[tiers - 1], text, len);
            if !tier.begins.has(hashes[tiers]) {
                break false;
            }
            (tiers, len) = (tiers + 1, 2 * len);
        };
        if is_cut
            && ran_out
            && let Some(needle) = self.begins_with(text)
        {
            return Some((text.len(), needle));
        }
        for (tier, hash) in self.tiers[..tiers].iter().zip(hashes).rev().filter(|(tier, hash)| tier.ends.has(*hash)) {
            let Some(&(from, count)) = tier.groups.get(&hash) else { continue };
            let group = &self.needles[from as usize..(from + count) as usize];
            // They are sorted: whatever the text begins with stands at or before its own place, and each miss tells how
            // long it can be at most. So a thousand values that begin alike cost no more than ten.
            let mut longest = text.len();
            while longest >= HEAD {
                let before = group.partition_point(|needle| needle.of(&self.bytes) <= &text[..longest]);
                let Some(needle) = before.checked_sub(1).map(|i| group[i]) else { break };
                let value = needle.of(&self.bytes);
                let common = value.iter().zip(text).take_while(|(a, b)| a == b).count();
                if common == value.len() {
                    return Some((if needle.is_open { text.len() } else { value.len() }, needle));
                }
                longest = common.min(longest - 1);
            }
        }
        None
    }

    /// A needle that goes on where the text ends.
    fn begins_with(&self, text: &[u8]) -> Option<Needle> {
        let value = |i: &u32| self.needles[*i as usize].of(&self.bytes);
        let first = self.sorted.partition_point(|i| value(i) < text);
        self.sorted.get(first).filter(|i| value(i).starts_with(text)).map(|i| self.needles[*i as usize])
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

/// Brings needles into the order of the index.
fn index(bytes: &[u8], needles: &mut Vec<Needle>) -> (Vec<Tier>, Vec<u32>) {
    // The hashes of the heads of each needle, tier by tier.
    let hashes = |needle: &Needle| {
        let text = needle.of(bytes);
        let mut hashes = [mix(0, word(text)); TIERS];
        for tier in 1..=tier_of(text.len()) {
            hashes[tier] = longer(hashes[tier - 1], text, HEAD << (tier - 1));
        }
        hashes
    };
    let own = |needle: &Needle| {
        let tier = tier_of(needle.len as usize);
        (tier, hashes(needle)[tier])
    };
    let mut keyed: Vec<((usize, u64), Needle)> = needles.iter().map(|needle| (own(needle), *needle)).collect();
    keyed.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.of(bytes).cmp(y.of(bytes))));
    *needles = keyed.iter().map(|(_, needle)| *needle).collect();
    let deepest = keyed.last().map(|((tier, _), _)| tier + 1).unwrap_or(0);
    let mut begins = vec![Vec::new(); deepest];
    let mut groups = vec![FxHashMap::default(); deepest];
    for (i, ((tier, hash), needle)) in keyed.iter().enumerate() {
        for (begins, hash) in begins.iter_mut().zip(hashes(needle)).take(tier + 1) {
            begins.push(hash);
        }
        groups[*tier].entry(*hash).or_insert((i as u32, 0)).1 += 1;
    }
    let tier = |(mut begins, groups): (Vec<u64>, FxHashMap<u64, (u32, u32)>)| {
        begins.sort_unstable();
        begins.dedup();
        let ends: Vec<u64> = groups.keys().copied().collect();
        Tier { begins: Bitmap::of(&begins), ends: Bitmap::of(&ends), groups }
    };
    let tiers = begins.into_iter().zip(groups).map(tier).collect();
    let mut sorted: Vec<u32> = (0..needles.len() as u32).collect();
    sorted.sort_unstable_by(|a, b| needles[*a as usize].of(bytes).cmp(needles[*b as usize].of(bytes)));
    (tiers, sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(values: &[(&str, bool)]) -> Needles {
        let core = |(text, everywhere): &(&str, bool)| Core {
            kind: Kind::Secret,
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
        check(&needles, "a hunter2-winter b hunter2-summer", false, &["hunter2-winter", "hunter2-summer"]);
        check(&needles, "a hunter2-wi", false, &["hunter2-"]);
        check(&needles, "a hunter2-wi", true, &["hunter2-wi"]);
        check(&needles, "hunter", true, &[]);
    }

    /// Beside a search that tries every value at every place: the same bytes are covered, for values of all lengths that
    /// begin alike, contain each other and overlap.
    #[test]
    fn the_index_covers_what_trying_everything_covers() {
        let mut state = 7_u32;
        let mut below = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % n
        };
        for round in 0..60 {
            let words = ["ab ", "abab", "b", "c ", "abc abc abc abc "];
            let mut text = |n: u32| (0..n).map(|_| words[below(5) as usize]).collect::<String>();
            let values: Vec<String> = (2..40).map(|n| text(n * (1 + round % 5))).collect();
            let haystack = text(40) + &values[20] + &text(30) + &values[5] + &values[9][..values[9].len() / 2];
            let values: Vec<(&str, bool)> = values.iter().map(|v| (v.as_str(), true)).collect();
            for is_cut in [false, true] {
                let mut expected = vec![false; haystack.len()];
                for at in 0..haystack.len() {
                    let rest = &haystack[at..];
                    for (value, _) in values.iter().filter(|(value, _)| value.len() >= HEAD) {
                        if rest.starts_with(value) || (is_cut && rest.len() >= HEAD && value.starts_with(rest)) {
                            expected[at..haystack.len().min(at + value.len())].fill(true);
                        }
                    }
                }
                let mut covered = vec![false; haystack.len()];
                needles(&values).find(haystack.as_bytes(), is_cut, |start, end, _| covered[start..end].fill(true));
                assert!(covered == expected, "round {round}, cut {is_cut}");
            }
        }
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
