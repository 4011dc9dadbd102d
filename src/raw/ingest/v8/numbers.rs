//! Flat arrays of integers: a checked iterator, and a parallel reader of rows.

use rayon::prelude::*;

use crate::{Error, Kind, Result, Stage};

/// Walks the integers of a flat array (the bytes between its brackets).
pub(super) struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the slice stands in the file, for errors.
    base: usize,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    #[cold]
    fn bad(&self) -> Error {
        Error::new(Stage::Ingest, Kind::Malformed { what: "integers and commas" }).at((self.base + self.at) as u64)
    }

    fn skip_blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// The next integer with the comma after it; `None` at the end.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Result<Option<i64>> {
        // Nearly all numbers are short, without a sign, and have a comma and a digit behind them, some a line end before.
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let Some((first, behind)) = rest.split_first_chunk() else { return self.next_slow() };
        let (mut len, mut value) = digits(*first);
        if len == WORD {
            let Some(second) = behind.first_chunk() else { return self.next_slow() };
            let (more, low) = digits(*second);
            if more == WORD {
                return self.next_slow();
            }
            // Fifteen digits cannot overflow.
            (len, value) = (WORD + more, value.wrapping_mul(TENS[more]).wrapping_add(low));
        }
        let skip = match rest.get(len..len + 3) {
            Some([b',', digit, _]) if digit.is_ascii_digit() => 1,
            Some([b'\n', b',', digit]) if digit.is_ascii_digit() => 2,
            _ => return self.next_slow(),
        };
        if len == 0 {
            return self.next_slow();
        }
        self.at += len + skip;
        Ok(Some(value as i64))
    }

    #[cold]
    fn next_slow(&mut self) -> Result<Option<i64>> {
        self.skip_blank();
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let negative = self.bytes[self.at] == b'-';
        self.at += usize::from(negative);
        let start = self.at;
        let mut value: i64 = 0;
        while let Some(digit) = self.bytes.get(self.at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            value = match value.checked_mul(10).and_then(|v| v.checked_add(i64::from(digit))) {
                Some(v) => v,
                None => return Err(self.bad()),
            };
            self.at += 1;
        }
        if self.at == start {
            return Err(self.bad());
        }
        self.skip_blank();
        match self.bytes.get(self.at) {
            None => {}
            Some(b',') => {
                self.at += 1;
                self.skip_blank();
                if self.at == self.bytes.len() {
                    return Err(self.bad());
                }
            }
            Some(_) => return Err(self.bad()),
        }
        Ok(Some(if negative { -value } else { value }))
    }
}

/// Bytes that are looked at together.
const WORD: usize = 8;

const TENS: [u64; WORD] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// How many of these bytes are digits, from the first on, and the number that those are. All bytes are looked at together,
/// without a branch for each.
#[inline(always)]
fn digits(bytes: [u8; WORD]) -> (usize, u64) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(bytes);
    // The high half of a digit is 3, also when 6 is added. What a byte that is none carries over changes only bytes behind it.
    let high = (word & (0xf0 * EACH)) | (word.wrapping_add(6 * EACH) & (0xf0 * EACH)) >> 4;
    let len = ((high ^ (0x33 * EACH)).trailing_zeros() / 8) as usize;
    // Zeros in front, then pairs, fours and eights of digits.
    let value = (word & (0x0f * EACH)).checked_shl(64 - 8 * len as u32).unwrap_or(0);
    let value = value.wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let value = value.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    (len, value.wrapping_mul(10_000 << 32 | 1) >> 32)
}

/// A run of whole rows of a flat array.
pub(super) struct Rows<'a> {
    /// Number of the first row.
    pub(super) first: usize,
    /// How many rows.
    pub(super) count: usize,
    bytes: &'a [u8],
    base: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn numbers(&self) -> Numbers<'a> {
        Numbers::new(self.bytes, self.base)
    }
}

/// Cuts a flat array into runs of whole rows that can be read in parallel.
pub(super) fn split<'b>(bytes: &'b [u8], base: usize, stride: usize, what: &'static str) -> Result<Vec<Rows<'b>>> {
    if bytes.iter().all(|b| b.is_ascii_whitespace()) {
        return Ok(Vec::new());
    }
    const PIECE: usize = 1 << 20;
    let starts: Vec<usize> = (0..bytes.len()).step_by(PIECE).collect();
    let commas: Vec<usize> =
        starts.par_iter().map(|&s| memchr::memchr_iter(b',', &bytes[s..bytes.len().min(s + PIECE)]).count()).collect();
    let values = commas.iter().sum::<usize>() + 1;
    if values % stride != 0 {
        return Err(Error::new(Stage::Ingest, Kind::Malformed { what }).at(base as u64));
    }
    // A run starts behind the comma that ends the last value of a row.
    let mut cuts = vec![(0, 0)];
    let mut before = 0;
    for (&start, &count) in starts.iter().zip(&commas) {
        let skip = (stride - before % stride - 1) % stride;
        let comma = memchr::memchr_iter(b',', &bytes[start..]).nth(skip).filter(|_| start > 0 && skip < count);
        if let Some(comma) = comma {
            cuts.push((start + comma + 1, (before + skip + 1) / stride));
        }
        before += count;
    }
    cuts.push((bytes.len() + 1, values / stride));
    let rows = cuts.windows(2).map(|w| Rows {
        first: w[0].1,
        count: w[1].1 - w[0].1,
        bytes: &bytes[w[0].0..w[1].0 - 1],
        base: base + w[0].0,
    });
    Ok(rows.collect())
}

/// One term of a sum over a table: depends on the place and on the value, not on the order of adding.
#[inline]
pub(super) fn term(place: u64, value: i64) -> u64 {
    let mut x = place.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (value as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^= x >> 32;
    x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Option<Vec<i64>> {
        let mut numbers = Numbers::new(text.as_bytes(), 0);
        let mut out = Vec::new();
        while let Some(n) = numbers.next().ok()? {
            out.push(n);
        }
        Some(out)
    }

    #[test]
    fn integers_and_nothing_else() {
        assert_eq!(all(" 1,2\n,-3 , 4\n"), Some(vec![1, 2, -3, 4]));
        assert_eq!(all(""), Some(vec![]));
        assert_eq!(all("9223372036854775807"), Some(vec![i64::MAX]));
        let mut numbers = vec![0, 9, 10];
        for digits in 2..18 {
            numbers.extend([-1, 0, 1, 12_345].map(|n| 10_i64.pow(digits) + n));
        }
        for separator in [",", "\n,", " , "] {
            let text = numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(separator);
            assert_eq!(all(&text), Some(numbers.clone()));
        }
        assert_eq!(all("007,00000000000000001,1/,2"), None);
        assert_eq!(all("007,00000000000000001,12"), Some(vec![7, 1, 12]));
        for bad in ["1,,2", "1,", ",1", "1 2", "-", "1.5", "1e3", "99999999999999999999", "\"a\"", "[1]"] {
            assert_eq!(all(bad), None, "{bad}");
        }
    }

    #[test]
    fn runs_join_up_to_the_whole() {
        for stride in [1, 3, 7] {
            let count = stride * 400_000;
            let text: String = (0..count).map(|i| format!("{}{}", if i == 0 { "" } else { "," }, i % 977)).collect();
            let runs = split(text.as_bytes(), 0, stride, "rows").expect("well formed");
            assert!(runs.len() > 1);
            let mut next = 0;
            for run in &runs {
                assert_eq!(run.first * stride, next);
                let mut numbers = run.numbers();
                while let Some(n) = numbers.next().expect("well formed") {
                    assert_eq!(n, (next % 977) as i64);
                    next += 1;
                }
                assert_eq!((run.first + run.count) * stride, next);
            }
            assert_eq!(next, count);
        }
    }
}
