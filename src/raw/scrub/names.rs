//! `--names-from DIR`: every word and quoted text of the user's own source files, as fingerprints.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::tags::Fingerprints;
use crate::{Error, Kind, Result, Stage, limits};

const SOURCE_FILES: [&str; 14] =
    ["py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "html", "htm", "astro"];

/// The names of the user's own source trees.
#[derive(Debug)]
pub struct SourceNames {
    pub(in crate::raw) prints: Fingerprints,
    pub(in crate::raw) words: FxHashSet<u64>,
    pub(in crate::raw) trees: usize,
}

impl Default for SourceNames {
    fn default() -> Self {
        Self { prints: Fingerprints::new(), words: FxHashSet::default(), trees: 0 }
    }
}

impl SourceNames {
    /// Adds all source files below a directory.
    ///
    /// # Errors
    /// When the directory or a file below it cannot be read, or no source file is there.
    pub fn add(&mut self, dir: &Path) -> Result<()> {
        self.words.extend(read_tree(dir, &self.prints)?);
        self.trees += 1;
        Ok(())
    }
}

fn read_tree(dir: &Path, prints: &Fingerprints) -> Result<FxHashSet<u64>> {
    let failed = |e: &std::io::Error| Error::io(Stage::Input, e);
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(dir).sort_by_file_name() {
        let entry = entry.map_err(|e| failed(&e.into()))?;
        let source = entry.path().extension().and_then(|e| e.to_str()).is_some_and(|e| SOURCE_FILES.contains(&e));
        if entry.file_type().is_file() && (source || entry.file_name() == "package.json") {
            files.push(entry.into_path());
        }
    }
    if files.is_empty() {
        return Err(Error::new(Stage::Input, Kind::NoSourceFiles));
    }
    let sets: Result<Vec<FxHashSet<u64>>> = files
        .par_chunks(64)
        .map(|chunk| {
            let (mut set, mut text) = (FxHashSet::default(), Vec::new());
            for path in chunk {
                text.clear();
                let file = File::open(path).map_err(|e| failed(&e))?;
                file.take(limits::SOURCE_FILE_BYTES).read_to_end(&mut text).map_err(|e| failed(&e))?;
                words(&text, |word| {
                    set.insert(prints.of(word));
                });
                quoted(&text, |word| {
                    set.insert(prints.of(word));
                });
                // Modules are called like their files.
                if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) {
                    set.insert(prints.of(stem.as_bytes()));
                }
            }
            Ok(set)
        })
        .collect();
    Ok(sets?.into_iter().flatten().collect())
}

const fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

/// Every identifier of a source text.
pub(in crate::raw) fn words(text: &[u8], mut each: impl FnMut(&[u8])) {
    for word in text.split(|b| !is_word(*b)).filter(|w| !w.is_empty() && !w[0].is_ascii_digit()) {
        each(word);
    }
}

/// Every identifier of a source text that is code: not in comments, quoted texts or regular expressions. Where a slash
/// may divide as well as begin a regular expression, nothing behind it counts.
pub(in crate::raw) fn code_words(text: &[u8], mut each: impl FnMut(&[u8])) {
    const OPERATORS: [&[u8]; 16] = [
        b"return",
        b"typeof",
        b"case",
        b"in",
        b"of",
        b"void",
        b"throw",
        b"else",
        b"await",
        b"yield",
        b"delete",
        b"new",
        b"instanceof",
        b"do",
        b"default",
        b"extends",
    ];
    // What stood last decides whether a slash divides or begins a regular expression.
    let (mut at, mut last) = (0, Last::Operator);
    // Open brackets: does a text begin behind it (`if (…) /x/`), does a template go on behind it?
    let (mut round, mut curly): (Vec<bool>, Vec<bool>) = (Vec::new(), Vec::new());
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let line = || memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        match byte {
            b'#' if at == 0 && rest.starts_with(b"#!") => at += line(),
            b'<' if rest.starts_with(b"<!--") => at += line(),
            b'-' if rest.starts_with(b"-->") => at += line(),
            b'/' if rest.starts_with(b"//") => at += line(),
            b'/' if rest.starts_with(b"/*") => {
                at += memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |n| n + 4);
            }
            b'"' | b'\'' => {
                at += literal(rest, byte);
                last = Last::Value;
            }
            b'`' | b'}' if byte == b'`' || curly.pop() == Some(true) => {
                let (length, goes_on) = template(&rest[1..]);
                at += length + 1;
                last = if goes_on { Last::Operator } else { Last::Value };
                curly.extend(goes_on.then_some(true));
            }
            b'/' if last == Last::Operator => {
                at += literal(rest, byte);
                last = Last::Value;
            }
            b'/' if last == Last::Unclear => return,
            _ if is_word(byte) => {
                let end = rest.iter().position(|b| !is_word(*b)).unwrap_or(rest.len());
                let word = &rest[..end];
                if !word[0].is_ascii_digit() {
                    each(word);
                }
                at += end;
                last = match word {
                    b"if" | b"while" | b"for" | b"with" => Last::Head,
                    _ if OPERATORS.contains(&word) => Last::Operator,
                    _ => Last::Value,
                };
            }
            _ => {
                at += 1;
                last = match byte {
                    _ if byte.is_ascii_whitespace() => last,
                    b'(' => {
                        round.push(last == Last::Head);
                        Last::Operator
                    }
                    b')' if round.pop() == Some(true) => Last::Operator,
                    b'{' => {
                        curly.push(false);
                        Last::Operator
                    }
                    b')' | b']' => Last::Value,
                    b'}' => Last::Unclear,
                    b'+' | b'-' if rest.get(1) == Some(&byte) => {
                        at += 1;
                        Last::Unclear
                    }
                    _ => Last::Operator,
                };
            }
        }
    }
}

/// What stood before, as far as a slash is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// A slash divides.
    Value,
    /// A slash begins a regular expression.
    Operator,
    /// The word before the brackets of a condition.
    Head,
    /// Nobody knows.
    Unclear,
}

/// How long a template is up to its end or to its next `${`, which goes on with code.
fn template(text: &[u8]) -> (usize, bool) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'`' => return (at + 1, false),
            b'$' if text.get(at + 1) == Some(&b'{') => return (at + 2, true),
            _ => at += 1,
        }
    }
    (text.len(), false)
}

/// How long a quoted text or a regular expression is, quotes included; all that is left if it does not end.
fn literal(text: &[u8], quote: u8) -> usize {
    let (mut at, mut class) = (1, false);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            b'[' if quote == b'/' => class = true,
            b']' if quote == b'/' => class = false,
            _ if byte == quote && !class => return at,
            _ => {}
        }
    }
    text.len()
}

/// Every quoted text that stands on one line.
fn quoted(text: &[u8], mut each: impl FnMut(&[u8])) {
    for line in text.split(|b| *b == b'\n') {
        for quote in [b'"', b'\'', b'`'] {
            let mut at = 0;
            while let Some(open) = memchr::memchr(quote, &line[at..]).map(|n| at + n + 1) {
                let Some(close) = memchr::memchr(quote, &line[open..]).map(|n| open + n) else { break };
                if close - open <= limits::NAME_BYTES {
                    each(&line[open..close]);
                }
                // A closing quote may be the opening one of the next text: unbalanced lines lose nothing.
                at = close;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let mut out = Vec::new();
        code_words(source.as_bytes(), |word| out.push(String::from_utf8_lossy(word).into_owned()));
        assert_eq!(out, expected);
    }

    #[test]
    fn only_code_names_things() {
        check("a.b = c // d\n/* e */ f", &["a", "b", "c", "f"]);
        check("g('h', \"i\\\"j\", `k ${l}`).m", &["g", "l", "m"]);
        check("a = `b ${c ? `d ${e}` : {f}} g`.h", &["a", "c", "e", "f", "h"]);
        check("#!/home/zeb/bin/node\nuse", &["use"]);
        check("i <!-- j\nk\n--> l\nm", &["i", "k", "m"]);
        check("j++ / 2; // paid late", &["j"]);
        check("await /o p/.exec(q)", &["await", "exec", "q"]);
        check("if (r) /s t/.exec(u)", &["if", "r", "exec", "u"]);
        check("while (v(w)) x / y / z", &["while", "v", "w", "x", "y", "z"]);
        check("n = /o'p[/]q/.test(r) / s / t", &["n", "test", "r", "s", "t"]);
        check("return /u/g; v", &["return", "g", "v"]);
        check("w = 'cut off in the midd", &["w"]);
        check("function(exports) {\n  'use strict';\n  class Desk {} }", &["function", "exports", "class", "Desk"]);
    }
}
