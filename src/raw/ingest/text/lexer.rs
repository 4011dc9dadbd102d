//! The second look at a written text, which shares nothing with the reader: line by line, whatever stands between quotes as a
//! JSON string, or else the line.

use crate::Result;
use crate::raw::ingest::Literal;
use crate::raw::ingest::v8::{decode, end_of_literal};
use crate::raw::scrub::wall::RawStr;

pub(super) fn literals(bytes: &[u8], each: &mut dyn FnMut(Literal<'_>)) -> Result<()> {
    let (mut at, mut decoded, mut found) = (0, Vec::new(), Vec::new());
    for line in bytes.split(|b| *b == b'\n') {
        let start = at;
        at += line.len() + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line_text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        found.clear();
        if !quoted(line_text, &mut found) {
            found.clear();
            found.push((0, line_text.len(), false));
        }
        let base = start + line.len() - line_text.len();
        for (from, to, is_quoted) in found.iter().copied() {
            let written = &line_text[from..to];
            let text = if is_quoted {
                decode(written, &mut decoded);
                &decoded
            } else {
                written
            };
            let (written, text) = (RawStr::new(written), RawStr::new(text));
            each(Literal { at: (base + from) as u64, written, text, is_word: text.expose().is_empty() });
        }
    }
    Ok(())
}

/// Finds strings and numbers if a line is of JSON: they, its marks and its words, and nothing else. A line of JSON begins
/// with a mark or a quote.
fn quoted(line: &[u8], out: &mut Vec<(usize, usize, bool)>) -> bool {
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b'"' => {
                let Some(close) = end_of_literal(line, at + 1) else { return false };
                out.push((at + 1, close, true));
                at = close + 1;
            }
            b' ' | b'\t' | b',' | b':' | b'[' | b']' | b'{' | b'}' => at += 1,
            b'-' | b'0'..=b'9' => {
                let len = line[at..].iter().take_while(|b| b.is_ascii_digit() || b"-+.eE".contains(b)).count();
                out.push((at, at + len, false));
                at += len;
            }
            _ => match [&b"true"[..], b"false", b"null"].iter().find(|word| line[at..].starts_with(word)) {
                Some(word) => at += word.len(),
                None => return false,
            },
        }
    }
    true
}
