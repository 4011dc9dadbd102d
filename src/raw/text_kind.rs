//! What a text looks like, for the census of a report: decided before scrubbing, kept as a number.

use rayon::prelude::*;

use super::ingest::Source;
use super::ingest::role::Role;
use crate::heap::StrId;
use crate::summarise::single::TextKind;

/// Bytes of a text that are looked at.
const LOOKED_AT: usize = 2048;
/// Shorter texts look like anything.
const SHORTEST: usize = 12;

/// The kind of every entry of the table that is the content of something.
pub(in crate::raw) fn all(source: &dyn Source) -> Vec<TextKind> {
    let count = source.counts().strings as usize;
    let kind = |id: usize| {
        let roles = source.roles(StrId(id as u32));
        if roles.contains(Role::Source) {
            return TextKind::Source;
        }
        if !roles.contains(Role::Value) {
            return TextKind::Other;
        }
        let mut scratch = Vec::new();
        of(source.text(StrId(id as u32), &mut scratch).expose())
    };
    (0..count).into_par_iter().with_min_len(4096).map(kind).collect()
}

fn of(text: &[u8]) -> TextKind {
    let text = text.trim_ascii();
    let head = &text[..text.len().min(LOOKED_AT)];
    if head.len() < SHORTEST {
        return TextKind::Other;
    }
    let has = |word: &str| memchr::memmem::find(head, word.as_bytes()).is_some();
    let count = |byte: u8| memchr::memchr_iter(byte, head).count();
    match head[0] {
        b'{' if has("\":") || has("\\\":") => return TextKind::Json,
        b'[' if matches!(head.get(1), Some(b'{' | b'[' | b'"' | b']')) => return TextKind::Json,
        b'<' if has(">") && head.get(1).is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'!' | b'/' | b'?')) => {
            return TextKind::Html;
        }
        _ => {}
    }
    if is_encoded(head) {
        return TextKind::Encoded;
    }
    let starts = |word: &str| head.starts_with(word.as_bytes());
    if starts("data:") && has(";base64,") {
        return TextKind::Encoded;
    }
    if (starts("http://") || starts("https://") || starts("file://") || starts("/")) && count(b' ') == 0 {
        return TextKind::Address;
    }
    if ["<|im_start|>", "[INST]", "\n\nHuman:", "\n\nAssistant:", "You are ", "### Instruction", "<|system|>"]
        .iter()
        .any(|word| has(word))
    {
        return TextKind::Prompt;
    }
    if is_log(head) {
        return TextKind::Log;
    }
    let marks = count(b';') + count(b'{') + count(b'}') + count(b'(') + count(b')') + count(b'=');
    let words = ["function", "=>", "return ", "const ", "import ", "class ", "var ", "SELECT "];
    if marks * 25 > head.len() && words.iter().filter(|word| has(word)).count() >= 2 {
        return TextKind::Source;
    }
    TextKind::Other
}

/// One long run of the letters of an encoding.
fn is_encoded(text: &[u8]) -> bool {
    let of_base64 = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'=');
    let mixed = text.iter().any(u8::is_ascii_digit) && text.iter().any(u8::is_ascii_alphabetic);
    text.len() >= 40 && mixed && text.iter().all(of_base64)
}

/// A line that begins with a time or a level.
fn is_log(text: &[u8]) -> bool {
    let line = text.split(|b| *b == b'\n').next().unwrap_or(text);
    let line = line.strip_prefix(b"[").unwrap_or(line);
    let date = line.len() > 19
        && line[..4].iter().all(u8::is_ascii_digit)
        && line[4] == b'-'
        && line[7] == b'-'
        && matches!(line[10], b'T' | b' ')
        && line[13] == b':';
    let levels = ["INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL"];
    let level = levels.iter().any(|word| {
        line.strip_prefix(word.as_bytes()).is_some_and(|rest| matches!(rest.first(), Some(b' ' | b':' | b']')))
    });
    (date || level) && line.len() < text.len().max(512)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_texts() {
        let check = |text: &str, kind| assert_eq!(of(text.as_bytes()), kind, "{text}");
        check(r#"{"model": "small", "n": 1}"#, TextKind::Json);
        check(r#"[{"role":"user"}]"#, TextKind::Json);
        check("<!doctype html><html></html>", TextKind::Html);
        check("const f = (a) => { return a(1); };", TextKind::Source);
        check(&"4fG7".repeat(20), TextKind::Encoded);
        check("You are a helpful planner.", TextKind::Prompt);
        check("2026-01-02T03:04:05Z INFO started", TextKind::Log);
        check("ERROR: no such table", TextKind::Log);
        check("https://example.org/a/b?c=d", TextKind::Address);
        check("an ordinary sentence about nothing", TextKind::Other);
        check("short", TextKind::Other);
    }
}
