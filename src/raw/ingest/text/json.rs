//! One value of JSON: its tokens, in order, without recursion. Lenient inside of strings, where nothing is lost by it; strict
//! outside of them, where only syntax may stand.

use crate::limits;

/// A token that is no syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A key, without its quotes.
    Key(usize, usize),
    /// A string, without its quotes.
    Text(usize, usize),
    /// A number.
    Number(usize, usize),
    /// An object or list begins.
    Open(bool),
    /// The innermost one ends.
    Close,
}

/// Reads the value at a place; the place behind it. Nothing if there is no whole value.
pub(super) fn value(bytes: &[u8], at: usize, each: &mut impl FnMut(Token)) -> Option<usize> {
    let mut at = blank(bytes, at);
    // For each open one: is it an object?
    let mut open: Vec<bool> = Vec::new();
    loop {
        // A value stands here.
        match *bytes.get(at)? {
            kind @ (b'{' | b'[') => {
                let is_object = kind == b'{';
                each(Token::Open(is_object));
                open.push(is_object);
                if open.len() > limits::JSON_DEPTH {
                    return None;
                }
                at = blank(bytes, at + 1);
                if bytes.get(at) == Some(&(kind + 2)) {
                    at = close(&mut open, at, each);
                } else {
                    at = if is_object { key(bytes, at, each)? } else { at };
                    continue;
                }
            }
            b'"' => {
                let end = string(bytes, at)?;
                each(Token::Text(at + 1, end));
                at = end + 1;
            }
            b'-' | b'0'..=b'9' => {
                let end = number(bytes, at)?;
                each(Token::Number(at, end));
                at = end;
            }
            _ => at += WORDS.iter().find(|word| bytes[at..].starts_with(word.as_bytes()))?.len(),
        }
        // What stands behind a value.
        loop {
            let Some(is_object) = open.last() else { return Some(at) };
            at = blank(bytes, at);
            match (*bytes.get(at)?, is_object) {
                (b',', true) => {
                    at = key(bytes, blank(bytes, at + 1), each)?;
                    break;
                }
                (b',', false) => {
                    at = blank(bytes, at + 1);
                    break;
                }
                (b'}', true) | (b']', false) => at = close(&mut open, at, each),
                _ => return None,
            }
        }
    }
}

/// Words that are values.
pub(super) const WORDS: [&str; 3] = ["true", "false", "null"];

fn close(open: &mut Vec<bool>, at: usize, each: &mut impl FnMut(Token)) -> usize {
    open.pop();
    each(Token::Close);
    at + 1
}

/// A key and its colon; the place of the value.
fn key(bytes: &[u8], at: usize, each: &mut impl FnMut(Token)) -> Option<usize> {
    let end = string(bytes, at)?;
    each(Token::Key(at + 1, end));
    let at = blank(bytes, end + 1);
    (bytes.get(at) == Some(&b':')).then(|| blank(bytes, at + 1))
}

/// The closing quote of a string. A string has no ends of lines.
fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut next = at + usize::from(bytes.get(at) == Some(&b'"'));
    if next == at {
        return None;
    }
    loop {
        next += memchr::memchr3(b'"', b'\\', b'\n', bytes.get(next..)?)?;
        match bytes[next] {
            b'"' => return Some(next),
            b'\\' if bytes.get(next + 1) != Some(&b'\n') => next += 2,
            _ => return None,
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |from: usize| {
        let count = bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
        (count > 0).then_some(from + count)
    };
    let first = at + usize::from(bytes[at] == b'-');
    let mut end = digits(first)?;
    if bytes[first] == b'0' && end > first + 1 {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(end + 1 + sign)?;
    }
    Some(end)
}

fn blank(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Is this line one object or list, and nothing else?
pub(in crate::raw) fn is_whole(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    matches!(line.first(), Some(b'{' | b'[')) && value(line, 0, &mut |_| {}) == Some(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_values_and_others() {
        for good in [
            "{}",
            "[]",
            "[1,-2.5e+3,0]",
            r#"{"a":[{"b":"c\"d"},true,null],"a":{}}"#,
            " [ 1 , \"x\" ] ",
            "[\"tab\there\"]",
        ] {
            assert!(is_whole(good.as_bytes()), "{good}");
        }
        for bad in [
            "",
            "{",
            "[1,]",
            "{a:1}",
            "[01]",
            "[1] x",
            "{\"a\"}",
            "[\"a\nb\"]",
            "[NaN]",
            "\"a\"",
            "7",
            "[text#1]",
            "{\"a\":1,}",
            "[1 2]",
        ] {
            assert!(!is_whole(bad.as_bytes()), "{bad}");
        }
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(is_whole(deep(limits::JSON_DEPTH).as_bytes()) && !is_whole(deep(limits::JSON_DEPTH + 1).as_bytes()));
    }
}
