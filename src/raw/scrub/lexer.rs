//! An independent look at a written JSON file: a lexer that knows no sections visits every string literal.

use crate::raw::ingest::v8::end_of_literal;
use crate::{Error, Kind, Result, Stage};

/// Calls `each` with the place and the bytes of every literal; everything between them must be plain JSON syntax.
pub(in crate::raw) fn literals<'b>(bytes: &'b [u8], mut each: impl FnMut(usize, &'b [u8]) -> Result<()>) -> Result<()> {
    let mut at = 0;
    loop {
        let quote = memchr::memchr(b'"', &bytes[at..]).map(|n| at + n);
        let between = &bytes[at..quote.unwrap_or(bytes.len())];
        let plain = |b: &u8| b.is_ascii_digit() || matches!(b, b',' | b'\n' | b'-' | b'[' | b']' | b'{' | b'}' | b':');
        if let Some(stray) = between.iter().position(|b| !plain(b)) {
            let kind = Kind::Residue { count: 1, what: "outside of every literal" };
            return Err(Error::new(Stage::Verify, kind).at((at + stray) as u64));
        }
        let Some(open) = quote else { return Ok(()) };
        let cut = Error::new(Stage::Verify, Kind::Truncated { what: "a literal of the written file" });
        let close = end_of_literal(bytes, open + 1).ok_or(cut.at(open as u64))?;
        each(open, &bytes[open + 1..close])?;
        at = close + 1;
    }
}

/// Cuts a file at line ends into parts of some size. If each part alone is literals and plain syntax, with no literal that is
/// cut, then so is the whole, and it has just these literals.
pub(in crate::raw) fn parts(bytes: &[u8]) -> Vec<(usize, &[u8])> {
    const PART: usize = 1 << 20;
    let (mut out, mut at) = (Vec::new(), 0);
    while bytes.len() - at > PART {
        let line = memchr::memchr(b'\n', &bytes[at + PART..]).map_or(bytes.len(), |n| at + PART + n + 1);
        out.push((at, &bytes[at..line]));
        at = line;
    }
    out.push((at, &bytes[at..]));
    out
}

/// Calls `each` with the bytes of every literal of a JSON text that may have blanks, words and fractions between them.
pub(in crate::raw) fn quoted(bytes: &[u8], mut each: impl FnMut(&[u8])) {
    let mut at = 0;
    while let Some(open) = memchr::memchr(b'"', &bytes[at..]).map(|n| at + n) {
        // What is not closed is looked at to its end.
        let close = end_of_literal(bytes, open + 1).unwrap_or(bytes.len());
        each(&bytes[open + 1..close]);
        at = (close + 1).min(bytes.len());
    }
}
