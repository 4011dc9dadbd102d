//! Which bytes can stand where in a match: for each of the first places, every byte that any match may have there.
//! Always at least what is true, so that a place that does not fit is no match.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Places that are looked at.
pub(super) const DEPTH: usize = 20;

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bytes([u64; 4]);

impl Bytes {
    pub(super) const ALL: Self = Self([u64::MAX; 4]);
    pub(super) const NONE: Self = Self([0; 4]);

    /// Letters, digits and `_`, which make words.
    pub(super) const fn words() -> Self {
        let (mut words, mut byte) = ([0_u64; 4], 0_usize);
        while byte < 128 {
            if (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' {
                words[byte / 64] |= 1 << (byte % 64);
            }
            byte += 1;
        }
        Self(words)
    }

    /// All bytes that are not in it.
    pub(super) const fn others(&self) -> Self {
        let [a, b, c, d] = self.0;
        Self([!a, !b, !c, !d])
    }

    pub(super) fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(mine, theirs)| mine & !theirs == 0)
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u8> {
        let bits = |(i, mut word): (usize, u64)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                (bit < 64).then_some((i as u32 * 64 + bit) as u8)
            })
        };
        self.0.into_iter().enumerate().flat_map(bits)
    }

    pub(super) fn filled(bytes: impl Iterator<Item = u8>) -> Self {
        bytes.fold(Self::NONE, |mut set, byte| {
            set.insert(byte);
            set
        })
    }
}

/// The bytes at each place, and how long a match may be.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Bytes that can stand there, in those matches that are longer.
    pub(super) at: [Bytes; DEPTH],
    /// Bit `n`: there may be matches of `n` bytes; the last one: of that many or more.
    lengths: u32,
}

impl Shape {
    /// Of the empty match.
    pub(super) const EMPTY: Self = Self { at: [Bytes::NONE; DEPTH], lengths: 1 };
    /// Of no match at all.
    const NEVER: Self = Self { at: [Bytes::NONE; DEPTH], lengths: 0 };

    /// How many places every match has.
    pub(super) fn shortest(&self) -> usize {
        (self.lengths.trailing_zeros() as usize).min(DEPTH)
    }

    fn of_one(set: Bytes) -> Self {
        let mut shape = Self { lengths: 1 << 1, ..Self::EMPTY };
        shape.at[0] = set;
        shape
    }

    /// One match, then another.
    pub(super) fn then(&self, next: &Self) -> Self {
        let mut at = self.at;
        for len in (0..DEPTH).filter(|len| self.lengths >> len & 1 != 0) {
            for (mine, theirs) in at[len..].iter_mut().zip(&next.at) {
                mine.add(theirs);
            }
        }
        let lengths = (0..=DEPTH)
            .filter(|len| self.lengths >> len & 1 != 0)
            .fold(0_u64, |all, len| all | u64::from(next.lengths) << len);
        let longer = u64::from(lengths >> DEPTH != 0) << DEPTH;
        Self { at, lengths: (lengths & ((1 << DEPTH) - 1) | longer) as u32 }
    }

    /// One match, then a tail that nothing is put behind: only the places that every match has.
    pub(super) fn before(&self, tail: &Self) -> Self {
        let places = (self.shortest() + tail.shortest()).min(DEPTH);
        let mut at = self.at;
        for len in (0..places).filter(|len| self.lengths >> len & 1 != 0) {
            for (mine, theirs) in at[len..places].iter_mut().zip(&tail.at) {
                mine.add(theirs);
            }
        }
        Self { at, lengths: 1 << places }
    }

    fn or(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.at.iter_mut().zip(&other.at) {
            mine.add(theirs);
        }
        self.lengths |= other.lengths;
        self
    }

    /// The shape of all matches of an expression.
    pub(super) fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::EMPTY,
            HirKind::Literal(literal) => {
                let mut shape = Self::EMPTY;
                for (place, byte) in shape.at.iter_mut().zip(&literal.0) {
                    place.insert(*byte);
                }
                shape.lengths = 1 << literal.0.len().min(DEPTH);
                shape
            }
            HirKind::Class(class) => of_class(class),
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => parts.iter().rev().fold(Self::EMPTY, |rest, part| Self::of(part).then(&rest)),
            HirKind::Alternation(parts) => parts.iter().fold(Self::NEVER, |all, part| all.or(&Self::of(part))),
            HirKind::Repetition(repetition) => {
                let (min, max) = (repetition.min as usize, repetition.max.map_or(usize::MAX, |max| max as usize));
                repeated(&Self::of(&repetition.sub), min, max)
            }
        }
    }
}

fn of_class(class: &Class) -> Shape {
    match class {
        Class::Bytes(class) => Shape::of_one(Bytes::filled(class.ranges().iter().flat_map(|r| r.start()..=r.end()))),
        Class::Unicode(class) => {
            let ascii = class.ranges().iter().filter(|r| r.start().is_ascii());
            let mut first = Bytes::filled(ascii.flat_map(|r| r.start() as u8..=(r.end() as u32).min(127) as u8));
            if class.ranges().iter().all(|range| range.end().is_ascii()) {
                return Shape::of_one(first);
            }
            // Further characters have two to four bytes, none of which is plain.
            let mut shape = Shape::EMPTY;
            let wide = Bytes::filled(0x80..=0xff);
            shape.lengths = 0b1_1100 | u32::from(first != Bytes::NONE) << 1;
            first.add(&wide);
            shape.at = std::array::from_fn(|i| match i {
                0 => first,
                1..4 => wide,
                _ => Bytes::NONE,
            });
            shape
        }
    }
}

fn repeated(one: &Shape, min: usize, max: usize) -> Shape {
    if one.lengths == 1 << 1 {
        let mut shape = Shape::EMPTY;
        shape.at = std::array::from_fn(|i| if i < max { one.at[0] } else { Bytes::NONE });
        shape.lengths =
            (0..=DEPTH as u32).filter(|n| (min..=max).contains(&(*n as usize))).fold(0, |all, n| all | 1 << n);
        shape.lengths |= u32::from(max >= DEPTH) << DEPTH;
        return shape;
    }
    let (mut all, mut times) = (Shape::NEVER, Shape::EMPTY);
    for n in 0..=max.min(DEPTH) {
        if n >= min {
            all = all.or(&times);
        }
        times = times.then(one);
    }
    // More often than there are places: at least as long.
    if min > DEPTH {
        all = all.or(&times);
    }
    if max > DEPTH {
        all.lengths |= u32::from(one.lengths != 1) << DEPTH;
        all = all.or(&times);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of a pattern, one word for each: the bytes in it, or how many there are.
    #[track_caller]
    fn check(pattern: &str, expected: &str) {
        let mut parser = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
        let shape = Shape::of(&parser.parse(pattern).expect("valid"));
        let place = |set: &Bytes| match set.iter().count() {
            n @ 4.. => n.to_string(),
            _ => set.iter().map(char::from).collect(),
        };
        let places: Vec<String> = shape.at[..shape.shortest()].iter().map(place).collect();
        assert_eq!(places.join(" "), expected, "{pattern}");
    }

    #[test]
    fn places_of_patterns() {
        check("abc", "a b c");
        check("(?i)ab", "Aa Bb");
        check("a(?:b|cd)e", "a bc de");
        check("a?bc", "ab bc");
        check("x{2,3}y", "x x xy");
        check("[0-9]{3}-?[0-9]", "10 10 10 11");
        check("(?:ab){2}", "a b a b");
        check("(?:ab)*c", "ac");
        check(r"\bfoo\b", "f o o");
        check("a*", "");
        check("(?:ab?){30}", &format!("a{}", " ab".repeat(DEPTH - 1)));
        check("[a-c]{25}", &["abc"; DEPTH].join(" "));
        check("(?u:\u{e9})", "\u{c3} \u{a9}");
    }
}
