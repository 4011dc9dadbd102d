//! Writes the sanitised text: syntax from a list, everything else from the edits.

use super::Document;
use super::json::WORDS;
use super::read::Shape;
use crate::raw::scrub::edits::{Edits, Outcome};
use crate::raw::scrub::sink::Sink;
use crate::{Error, Kind};
use crate::{Result, Stage};

/// Places that are written together.
const PLACES: usize = 1 << 13;

pub(super) fn write(document: &Document<'_>, edits: &Edits, sink: &mut Sink<'_>) -> Result<()> {
    let (bytes, start) = (document.text.bytes(), document.text.start());
    if start > 0 {
        sink.syntax("\u{feff}")?;
    }
    let parts: Vec<usize> = (0..document.items.len()).step_by(PLACES).collect();
    sink.in_parts(&parts, |first, sink| {
        let mut at = match first.checked_sub(1) {
            Some(before) => end(document, before),
            None => start,
        };
        let mut scratch = edits.scratch();
        for n in *first..document.items.len().min(first + PLACES) {
            let item = document.items[n];
            let shape = document.shape(item.unit);
            syntax(&bytes[at..item.start as usize - usize::from(shape.is_quoted())], at, sink)?;
            at = end(document, n);
            let is_kept = edits.outcome(item.unit) == Some(Outcome::Keep);
            let text = edits.entry(item.unit, document, &mut scratch);
            match shape {
                Shape::Line => sink.plain(text)?,
                Shape::Number(_) if is_kept => sink.plain(text)?,
                _ => sink.json_string(text)?,
            }
        }
        Ok(())
    })?;
    let at = document.items.len().checked_sub(1).map_or(start, |last| end(document, last));
    syntax(&bytes[at..], at, sink)
}

/// Where a place ends, its quotes included.
fn end(document: &Document<'_>, n: usize) -> usize {
    let item = document.items[n];
    item.start as usize + item.len as usize + usize::from(document.shape(item.unit).is_quoted())
}

/// What stands between units: marks of JSON, blanks, ends of lines, and three words.
fn syntax(bytes: &[u8], base: usize, sink: &mut Sink<'_>) -> Result<()> {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let mark = match byte {
            b' ' => " ",
            b'\n' => "\n",
            b'\r' => "\r",
            b'\t' => "\t",
            b',' => ",",
            b':' => ":",
            b'{' => "{",
            b'}' => "}",
            b'[' => "[",
            b']' => "]",
            _ => {
                let word = WORDS.iter().find(|word| bytes[at..].starts_with(word.as_bytes()));
                let what = "nothing but syntax between texts";
                word.ok_or(Error::new(Stage::Write, Kind::Malformed { what }).at((base + at) as u64))?
            }
        };
        sink.syntax(mark)?;
        at += mark.len();
    }
    Ok(())
}

/// A number over bytes.
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let mut sum = Sum::default();
    sum.add(bytes);
    sum.end()
}

/// The number over what writing gives.
pub(super) fn expected(document: &Document<'_>, edits: &Edits) -> Result<u64> {
    let mut sum = Sum::default();
    let mut sink = Sink::new(&mut sum);
    write(document, edits, &mut sink)?;
    sink.finish()?;
    drop(sink);
    Ok(sum.end())
}

/// Adds bytes up, in whatever pieces they come.
#[derive(Default)]
struct Sum {
    sum: u64,
    rest: Vec<u8>,
}

impl Sum {
    fn add(&mut self, mut bytes: &[u8]) {
        if !self.rest.is_empty() {
            let (first, behind) = bytes.split_at(bytes.len().min(8 - self.rest.len()));
            self.rest.extend_from_slice(first);
            bytes = behind;
            if let Ok(word) = <[u8; 8]>::try_from(self.rest.as_slice()) {
                self.word(word);
                self.rest.clear();
            }
        }
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(*word));
        self.rest.extend_from_slice(rest);
    }

    fn word(&mut self, word: [u8; 8]) {
        self.sum = (self.sum.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn end(mut self) -> u64 {
        let mut last = [0; 8];
        last[..self.rest.len()].copy_from_slice(&self.rest);
        let len = self.rest.len() as u8;
        self.word(last);
        self.word([len; 8]);
        self.sum
    }
}

impl std::io::Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
