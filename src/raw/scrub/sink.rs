//! The only way out for a sanitised artifact: static syntax, integers, and [`SafeStr`]. No raw bytes fit through.

use std::io::Write;

use rayon::prelude::*;

use super::wall::SafeStr;
use crate::{Error, Result, Stage};

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

    /// An integer in decimal.
    pub(in crate::raw) fn number(&mut self, value: i64) -> Result<()> {
        self.number_after("", value)
    }

    /// A separator and an integer, in one go: most of a snapshot consists of these.
    pub(in crate::raw) fn number_after(&mut self, separator: &'static str, value: i64) -> Result<()> {
        let mut bytes = [0; 20];
        let digits = decimal(value.unsigned_abs(), &mut bytes).len();
        let mut at = bytes.len() - digits;
        if separator.len() + usize::from(value < 0) > at {
            self.buffer.extend_from_slice(separator.as_bytes());
            self.buffer.extend_from_slice(if value < 0 { b"-" } else { b"" });
        } else {
            at -= usize::from(value < 0);
            bytes[at] = if value < 0 { b'-' } else { bytes[at] };
            for byte in separator.bytes().rev() {
                at -= 1;
                bytes[at] = byte;
            }
        }
        self.buffer.extend_from_slice(&bytes[at..]);
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
                let mut sink = Sink { out: None, buffer: Vec::with_capacity(FLUSH_AT * 4) };
                render(part, &mut sink)?;
                Ok(sink.buffer)
            });
            let rendered = rendered.collect::<Result<Vec<_>>>()?;
            self.finish()?;
            for bytes in rendered {
                self.hand_on(&bytes)?;
            }
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
            sink.number_after("\n,", n).expect("memory");
        }
        sink.finish().expect("memory");
        assert_eq!(out, format!("\n,0\n,7\n,-1\n,1234567890123\n,{}\n,{}", i64::MIN, i64::MAX).as_bytes());
    }
}
