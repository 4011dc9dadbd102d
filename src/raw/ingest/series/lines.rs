//! Lines with their numbers, and what stands in them.

use crate::limits;

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// From 1.
    pub(super) number: u64,
    pub(super) text: &'t [u8],
    /// Is it the last one, and does it lack its line break?
    pub(super) is_open: bool,
}

/// All lines but blank ones.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let count = bytes.len();
    let mut from = 0;
    let mut number = 0;
    std::iter::from_fn(move || {
        while from < count {
            let end = memchr::memchr(b'\n', &bytes[from..]).map_or(count, |at| from + at);
            let text = bytes[from..end].trim_ascii();
            number += 1;
            from = end + 1;
            if !text.is_empty() {
                return Some(Line { number, text, is_open: end == count });
            }
        }
        None
    })
}

/// Is the line too long to be one of a series?
pub(super) fn is_too_long(text: &[u8]) -> bool {
    text.len() > limits::SERIES_LINE
}

/// Words between blanks.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// What stands behind the first place of a text.
pub(super) fn after<'t>(text: &'t [u8], what: &[u8]) -> Option<&'t [u8]> {
    memchr::memmem::find(text, what).map(|at| &text[at + what.len()..])
}

/// Does a text contain another?
pub(super) fn has(text: &[u8], what: &[u8]) -> bool {
    memchr::memmem::find(text, what).is_some()
}

/// A number at the beginning of a text, and what follows.
pub(super) fn leading_number(text: &[u8]) -> Option<(f64, &[u8])> {
    let text = text.trim_ascii_start();
    let count = text.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let number: f64 = std::str::from_utf8(&text[..count]).ok()?.parse().ok()?;
    Some((number, &text[count..]))
}
