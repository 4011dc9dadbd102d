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
    let kind = |scratch: &mut Vec<u8>, id: usize| {
        let roles = source.roles(StrId(id as u32));
        if roles.contains(Role::Source) {
            return TextKind::Source;
        }
        if !roles.contains(Role::Value) {
            return TextKind::Other;
        }
        of(source.text(StrId(id as u32), scratch).expose())
    };
    (0..count).into_par_iter().with_min_len(4096).map_init(Vec::new, kind).collect()
}

fn of(text: &[u8]) -> TextKind {
    let text = text.trim_ascii();
    let head = &text[..text.len().min(LOOKED_AT)];
    if head.len() < SHORTEST {
        return TextKind::Other;
    }
    let marks = Marks::of(head);
    let has = |word: &str| memchr::memmem::find(head, word.as_bytes()).is_some();
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
    if (starts("http://") || starts("https://") || starts("file://") || starts("/")) && !marks.has(Marks::BLANK) {
        return TextKind::Address;
    }
    if PROMPTS.iter().any(|(mark, word)| marks.has(*mark) && has(word)) {
        return TextKind::Prompt;
    }
    if is_log(head) {
        return TextKind::Log;
    }
    let words = ["function", "=>", "return ", "const ", "import ", "class ", "var ", "SELECT "];
    if marks.of_code * 25 > head.len() && words.iter().filter(|word| has(word)).count() >= 2 {
        return TextKind::Source;
    }
    TextKind::Other
}

/// Words of prompts, each with a mark that it has.
const PROMPTS: [(u8, &str); 7] = [
    (Marks::LESS, "<|im_start|>"),
    (Marks::BRACKET, "[INST]"),
    (Marks::LINE, "\n\nHuman:"),
    (Marks::LINE, "\n\nAssistant:"),
    (Marks::YOU, "You are "),
    (Marks::HASH, "### Instruction"),
    (Marks::LESS, "<|system|>"),
];

/// Which marks a text has, and how many of those of code, found in one pass.
struct Marks {
    there: u8,
    of_code: usize,
}

impl Marks {
    const BLANK: u8 = 1;
    const LESS: u8 = 2;
    const BRACKET: u8 = 4;
    const LINE: u8 = 8;
    const YOU: u8 = 16;
    const HASH: u8 = 32;
    const CODE: u8 = 64;

    const TABLE: [u8; 256] = {
        let (mut table, mut byte) = ([0; 256], 0);
        while byte < 256 {
            table[byte] = match byte as u8 {
                b' ' => Self::BLANK,
                b'<' => Self::LESS,
                b'[' => Self::BRACKET,
                b'\n' => Self::LINE,
                b'Y' => Self::YOU,
                b'#' => Self::HASH,
                b';' | b'{' | b'}' | b'(' | b')' | b'=' => Self::CODE,
                _ => 0,
            };
            byte += 1;
        }
        table
    };

    fn of(text: &[u8]) -> Self {
        text.iter().fold(Self { there: 0, of_code: 0 }, |all, byte| {
            let mark = Self::TABLE[usize::from(*byte)];
            Self { there: all.there | mark, of_code: all.of_code + usize::from(mark / Self::CODE) }
        })
    }

    fn has(&self, mark: u8) -> bool {
        self.there & mark != 0
    }
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
