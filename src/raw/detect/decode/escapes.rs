//! Characters that are written as escapes: percent, forms, scripts and JSON, entities of pages.

use crate::raw::ingest::v8::decode as undo_json_escapes;

/// `%67`
pub(super) fn percent(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let [b'%', high, low, ..] = rest else { return None };
    out.push(hex(*high)? << 4 | hex(*low)?);
    Some(3)
}

/// `%67`, and `+` for a blank.
pub(super) fn form(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    if rest[0] == b'+' {
        out.push(b' ');
        return Some(1);
    }
    percent(rest, out)
}

/// The zeros of UTF-16.
pub(super) fn zero(rest: &[u8], _: &mut Vec<u8>) -> Option<usize> {
    (rest[0] == 0).then_some(1)
}

/// The characters that pages write as `&#103;`, `&#x67;` or `&quot;`.
pub(super) fn entity(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    const NAMES: [(&str, u8); 5] = [("amp", b'&'), ("quot", b'"'), ("apos", b'\''), ("lt", b'<'), ("gt", b'>')];
    let [b'&', rest @ ..] = rest else { return None };
    let name = &rest[..rest.iter().take(10).position(|b| *b == b';')?];
    let taken = name.len() + 2;
    if let Some((_, byte)) = NAMES.iter().find(|(word, _)| word.as_bytes() == name) {
        out.push(*byte);
        return Some(taken);
    }
    let number = std::str::from_utf8(name.strip_prefix(b"#")?).ok()?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    push(char::from_u32(code.ok()?)?, out);
    Some(taken)
}

/// What scripts and JSON write behind a backslash.
pub(super) fn script(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let [b'\\', kind, ..] = rest else { return None };
    // As scripts write it: `\u{67}`, and `\147` in octal digits.
    if let ([b'u', b'{', digits @ ..], Some(close)) = (&rest[1..], rest.iter().take(11).position(|b| *b == b'}')) {
        let digits = std::str::from_utf8(&digits[..close - 3]).ok()?;
        push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, out);
        return Some(close + 1);
    }
    if let [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] = rest {
        out.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
        return Some(4);
    }
    let taken = match kind {
        b'"' | b'\\' | b'/' => {
            out.push(*kind);
            return Some(2);
        }
        b'b' | b'f' | b'n' | b'r' | b't' => 2,
        b'u' if rest.len() >= 6 && rest[2..6].iter().all(u8::is_ascii_hexdigit) => {
            // A pair of surrogates is one character.
            let high = matches!(&rest[2..4], [b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B']);
            if high && rest.len() >= 12 && rest[6..].starts_with(b"\\u") { 12 } else { 6 }
        }
        b'x' => {
            out.push(hex(*rest.get(2)?)? << 4 | hex(*rest.get(3)?)?);
            return Some(4);
        }
        _ => return None,
    };
    let mut decoded = Vec::new();
    undo_json_escapes(&rest[..taken], &mut decoded);
    out.extend(decoded);
    Some(taken)
}

fn push(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

pub(super) fn hex(b: u8) -> Option<u8> {
    char::from(b).to_digit(16).map(|d| d as u8)
}
