//! The only way out for a sanitised artifact: static syntax, integers, and [`SafeStr`]. No raw bytes fit through.

use std::io::Write;

use rayon::prelude::*;

use super::wall::SafeStr;
use crate::{Error, Result, Stage};

/// Collects output in a buffer and hands it on in large pieces.
pub(crate) struct Sink<'w> {
    out: &'w mut dyn Write,
    buffer: Vec<u8>,
}

const FLUSH_AT: usize = 1 << 18;

impl<'w> Sink<'w> {
    pub(in crate::raw) fn new(out: &'w mut dyn Write) -> Self {
        Self { out, buffer: Vec::with_capacity(FLUSH_AT + 4096) }
    }

    /// Punctuation and field names of the format, written in the program.
    pub(in crate::raw) fn syntax(&mut self, s: &'static str) -> Result<()> {
        self.buffer.extend_from_slice(s.as_bytes());
        self.spill()
    }

    /// An integer in decimal.
    pub(in crate::raw) fn number(&mut self, value: i64) -> Result<()> {
        if value < 0 {
            self.buffer.push(b'-');
        }
        self.buffer.extend_from_slice(decimal(value.unsigned_abs(), &mut [0; 20]));
        self.spill()
    }

    /// A text as a JSON string literal; valid JSON for every text.
    pub(in crate::raw) fn json_string(&mut self, s: SafeStr<'_>) -> Result<()> {
        self.buffer.push(b'"');
        for &byte in s.as_str().as_bytes() {
            match byte {
                b'"' => self.buffer.extend_from_slice(b"\\\""),
                b'\\' => self.buffer.extend_from_slice(b"\\\\"),
                0..0x20 | 0x7f => {
                    let hex = b"0123456789abcdef";
                    let escape = [b'\\', b'u', b'0', b'0', hex[usize::from(byte >> 4)], hex[usize::from(byte & 15)]];
                    self.buffer.extend_from_slice(&escape);
                }
                _ => self.buffer.push(byte),
            }
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
        // A few parts for each thread, so that memory stays bounded.
        for batch in parts.chunks(rayon::current_num_threads() * 2) {
            let rendered = batch.par_iter().map(|part| {
                let mut bytes = Vec::new();
                let mut sink = Sink::new(&mut bytes);
                render(part, &mut sink)?;
                sink.finish()?;
                Ok(bytes)
            });
            for bytes in rendered.collect::<Result<Vec<_>>>()? {
                self.finish()?;
                self.out.write_all(&bytes).map_err(|e| Error::io(Stage::Write, &e))?;
            }
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        if self.buffer.len() >= FLUSH_AT { self.finish() } else { Ok(()) }
    }

    /// Hands everything on. Must be called at the end.
    pub(in crate::raw) fn finish(&mut self) -> Result<()> {
        self.out.write_all(&self.buffer).map_err(|e| Error::io(Stage::Write, &e))?;
        self.buffer.clear();
        Ok(())
    }
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
    fn numbers() {
        let mut out = Vec::new();
        let mut sink = Sink::new(&mut out);
        for n in [0, 7, -1, 1_234_567_890_123, i64::MIN, i64::MAX] {
            sink.number(n).and_then(|()| sink.syntax(" ")).expect("memory");
        }
        sink.finish().expect("memory");
        assert_eq!(out, format!("0 7 -1 1234567890123 {} {} ", i64::MIN, i64::MAX).as_bytes());
    }
}
