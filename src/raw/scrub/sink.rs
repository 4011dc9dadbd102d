//! The only way out for a sanitised artifact: static syntax, integers, and [`SafeStr`]. No raw bytes fit through.

use std::io::Write;

use rayon::prelude::*;

use super::wall::SafeStr;
use crate::{Error, Kind, Result, Stage};

/// Collects output in a buffer and hands it on in large pieces.
pub(crate) struct Sink<'w> {
    /// Where it goes; a part stays in its buffer.
    out: Option<&'w mut dyn Write>,
    buffer: Vec<u8>,
}

const FLUSH_AT: usize = 1 << 18;

impl<'w> Sink<'w> {
    pub(in crate::raw) fn new(out: &'w mut dyn Write) -> Self {
        Self { out: Some(out), buffer: Vec::with_capacity(FLUSH_AT + 4096) }
    }

    /// Punctuation and field names of the format, written in the program.
    pub(in crate::raw) fn syntax(&mut self, s: &'static str) -> Result<()> {
        self.buffer.extend_from_slice(s.as_bytes());
        self.spill()
    }

    /// Codes of a binary format, written in the program.
    pub(in crate::raw) fn code(&mut self, code: &'static [u8]) -> Result<()> {
        self.buffer.extend_from_slice(code);
        self.spill()
    }

    /// An integer in so many bytes, the lowest first.
    pub(in crate::raw) fn binary(&mut self, value: u64, bytes: usize) -> Result<()> {
        self.buffer.extend_from_slice(&value.to_le_bytes()[..bytes]);
        self.spill()
    }

    /// A text behind its length in four bytes, the lowest first.
    pub(in crate::raw) fn counted_text(&mut self, s: SafeStr<'_>) -> Result<()> {
        let text = s.as_str().as_bytes();
        let too_long = Error::new(Stage::Write, Kind::Limit { what: "bytes of one text", limit: u32::MAX.into() });
        self.buffer.extend_from_slice(&u32::try_from(text.len()).map_err(|_| too_long)?.to_le_bytes());
        self.buffer.extend_from_slice(text);
        self.spill()
    }

    /// An integer in decimal.
    pub(in crate::raw) fn number(&mut self, value: i64) -> Result<()> {
        self.number_after("", value)
    }

    /// A separator and an integer, in one go: most of a snapshot consists of these.
    pub(in crate::raw) fn number_after(&mut self, separator: &'static str, value: i64) -> Result<()> {
        match (u32::try_from(value), separator.as_bytes()) {
            (Ok(value), separator) if value < SHORT && separator.len() <= 2 => {
                // Sixteen bytes are put behind the others at once, of which those that are meant stay.
                let (digits, len) = short(value);
                let separator = separator
                    .iter()
                    .rev()
                    .fold((u128::from(digits), len), |(all, len), byte| (all << 8 | u128::from(*byte), len + 1));
                let end = self.buffer.len() + separator.1;
                self.buffer.extend_from_slice(&separator.0.to_le_bytes());
                self.buffer.truncate(end);
            }
            _ => {
                self.buffer.extend_from_slice(separator.as_bytes());
                self.buffer.extend_from_slice(if value < 0 { b"-" } else { b"" });
                self.buffer.extend_from_slice(decimal(value.unsigned_abs(), &mut [0; 20]));
            }
        }
        self.spill()
    }

    /// A text as it is.
    pub(in crate::raw) fn plain(&mut self, s: SafeStr<'_>) -> Result<()> {
        self.buffer.extend_from_slice(s.as_str().as_bytes());
        self.spill()
    }

    /// A text as a JSON string literal; valid JSON for every text.
    pub(in crate::raw) fn json_string(&mut self, s: SafeStr<'_>) -> Result<()> {
        self.buffer.push(b'"');
        let mut rest = s.as_str().as_bytes();
        loop {
            let plain =
                rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x7f)).unwrap_or(rest.len());
            self.buffer.extend_from_slice(&rest[..plain]);
            let Some((byte, behind)) = rest[plain..].split_first() else { break };
            match byte {
                b'"' => self.buffer.extend_from_slice(b"\\\""),
                b'\\' => self.buffer.extend_from_slice(b"\\\\"),
                _ => {
                    let hex = b"0123456789abcdef";
                    let escape = [b'\\', b'u', b'0', b'0', hex[usize::from(byte >> 4)], hex[usize::from(byte & 15)]];
                    self.buffer.extend_from_slice(&escape);
                }
            }
            rest = behind;
        }
        self.buffer.push(b'"');
        self.spill()
    }

    /// Renders parts of the output at the same time and hands them on in order.
    pub(in crate::raw) fn in_parts<T: Sync>(
        &mut self,
        parts: &[T],
        render: impl Fn(&T, &mut Sink<'_>) -> Result<()> + Sync,
    ) -> Result<()> {
        self.finish()?;
        let render = |batch: &[T]| {
            let rendered = batch.par_iter().map(|part| {
                let mut sink = Sink { out: None, buffer: Vec::with_capacity(FLUSH_AT * 4) };
                render(part, &mut sink)?;
                Ok(sink.buffer)
            });
            rendered.collect::<Result<Vec<_>>>()
        };
        // A few parts for each thread, so that memory stays bounded. While some are handed on, the next are rendered.
        let mut batches = parts.chunks(rayon::current_num_threads() * 2);
        let mut ready = batches.next().map_or(Ok(Vec::new()), render)?;
        while !ready.is_empty() {
            let mut next = Ok(Vec::new());
            let handed = rayon::in_place_scope(|scope| {
                if let Some(batch) = batches.next() {
                    let (next, render) = (&mut next, &render);
                    scope.spawn(move |_| *next = render(batch));
                }
                ready.iter().try_for_each(|bytes| self.hand_on(bytes))
            });
            handed?;
            ready = next?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        if self.buffer.len() >= FLUSH_AT && self.out.is_some() { self.finish() } else { Ok(()) }
    }

    fn hand_on(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.out {
            Some(out) => out.write_all(bytes).map_err(|e| Error::io(Stage::Write, &e)),
            None => Ok(()),
        }
    }

    /// Hands everything on. Must be called at the end.
    pub(in crate::raw) fn finish(&mut self) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.hand_on(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }
}

/// Numbers below this have eight digits at most.
const SHORT: u32 = 100_000_000;

/// The digits of a short number, the first one in the lowest byte, and how many there are. All are computed together.
fn short(value: u32) -> (u64, usize) {
    // Two numbers of four digits, four of two, eight of one, each in its part of the word.
    let fours = u64::from(value / 10_000) | u64::from(value % 10_000) << 32;
    let hundreds = fours.wrapping_mul(10_486) >> 20 & 0x0000_007f_0000_007f;
    let twos = (fours << 16).wrapping_sub(hundreds.wrapping_mul((100 << 16) - 1));
    let tens = twos.wrapping_mul(103) >> 10 & 0x000f_000f_000f_000f;
    let ones = (twos << 8).wrapping_sub(tens.wrapping_mul((10 << 8) - 1));
    // Zeros in front go, but for the last one.
    let zeros = (ones.trailing_zeros() / 8).min(7);
    ((ones | 0x3030_3030_3030_3030) >> (8 * zeros), 8 - zeros as usize)
}

/// The digits of a number.
pub(in crate::raw) fn decimal(mut n: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            return &digits[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut out = Vec::new();
        let mut sink = Sink::new(&mut out);
        sink.json_string(SafeStr::vouch(text)).expect("memory");
        sink.finish().expect("memory");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
        assert_eq!(serde_json::from_str::<String>(expected).expect("valid JSON"), text);
    }

    #[test]
    fn every_kind_of_character() {
        check("plain", "\"plain\"");
        check("a\"b\\c", "\"a\\\"b\\\\c\"");
        check("\u{0}\n\u{1f}\u{7f}", "\"\\u0000\\u000a\\u001f\\u007f\"");
        check("naïve 中 😀", "\"naïve 中 😀\"");
    }

    #[test]
    fn numbers_of_every_length() {
        let (mut out, mut expected) = (Vec::new(), String::new());
        let mut sink = Sink::new(&mut out);
        let steps = (0..SHORT).step_by(7_919).chain((1..10).flat_map(|n| (0..3).map(move |m| 10_u32.pow(n) - 1 + m)));
        for n in steps.chain(0..10_000) {
            sink.number_after(",", n.into()).expect("memory");
            expected.push_str(&format!(",{n}"));
        }
        sink.finish().expect("memory");
        assert_eq!(String::from_utf8(out).expect("digits"), expected);
    }

    #[test]
    fn numbers() {
        let mut out = Vec::new();
        let mut sink = Sink::new(&mut out);
        for n in [0, 7, -1, 1_234_567_890_123, i64::MIN, i64::MAX] {
            sink.number_after("\n,", n).expect("memory");
        }
        sink.finish().expect("memory");
        assert_eq!(out, format!("\n,0\n,7\n,-1\n,1234567890123\n,{}\n,{}", i64::MIN, i64::MAX).as_bytes());
    }
}
