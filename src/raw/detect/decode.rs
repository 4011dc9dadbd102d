//! Encodings that hide a text inside a text: base64, hexadecimal, percent, JSON escapes, UTF-16 in bytes.
//! Snapshots write a zero byte as a blank, so UTF-16 that was read byte by byte is a text of every second letter.
//!
//! Each decoded form knows where it came from, so that what is found in it can be cut out of the original.

use crate::raw::ingest::v8::decode as undo_json_escapes;

/// Shortest run that is worth decoding.
const RUN: usize = 16;

/// A decoded text and its place in the original.
#[derive(Debug)]
pub(in crate::raw) struct Decoded {
    pub(in crate::raw) text: Vec<u8>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// All of it stands for this range.
    Block(usize, usize),
    /// The byte `i` begins at `starts[i]`; one more entry for the end.
    Bytes(Vec<u32>),
}

impl Decoded {
    /// The range of the original that a range of the decoded text stands for.
    pub(in crate::raw) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        match &self.place {
            Place::Block(from, to) => (*from, *to),
            Place::Bytes(starts) => (starts[start] as usize, starts[end] as usize),
        }
    }
}

/// Encodings of the whole text that were tried further up, and need not be tried again below.
///
/// Where two encodings stand side by side, it does not matter which is undone first: only one order is tried, or a text
/// with five of them would have hundreds of forms. What one of them hides inside the other is found on the way that
/// begins with the other.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::raw) struct Tried(u8);

/// Calls `each` with every decoded form of a text.
pub(in crate::raw) fn forms(text: &[u8], tried: Tried, each: &mut dyn FnMut(&Decoded, Tried)) {
    if text.len() < RUN / 2 || u32::try_from(text.len()).is_err() {
        return;
    }
    let mut fresh = |decoded: &Decoded| each(decoded, Tried::default());
    runs(text, &mut fresh);
    listed(text, &mut fresh);
    if memchr::memchr(b' ', text).is_some() {
        spaced(text, &mut fresh);
    }
    if memchr::memchr(b'\n', text).is_some() {
        wrapped(text, &mut fresh);
    }
    let has = |mark: u8| memchr::memchr(mark, text).is_some();
    let encodings: [(bool, Step); 5] = [
        (has(b'%'), percent),
        (has(b'+') && (has(b'=') || has(b'%')), |rest| percent(rest).or((rest[0] == b'+').then(|| (1, vec![b' '])))),
        (has(b'\\'), escape),
        (has(0), |rest| (rest[0] == 0).then_some((1, Vec::new()))),
        (has(b'&') && has(b';'), entity),
    ];
    let mut below = tried.0;
    for (i, (_, step)) in encodings.into_iter().enumerate().filter(|(i, (there, _))| *there && tried.0 & 1 << i == 0) {
        bytewise(text, step, &mut |decoded| {
            each(decoded, Tried(below));
            below |= 1 << i;
        });
    }
}

/// Says how many bytes of a text give which bytes.
type Step = fn(&[u8]) -> Option<(usize, Vec<u8>)>;

/// Runs of characters with a blank behind each: UTF-16 of which the snapshot wrote the zero bytes as blanks.
fn spaced(text: &[u8], each: &mut dyn FnMut(&Decoded)) {
    let end_of = |at: usize| match text[at] {
        0..0xc0 => at + 1,
        0xc0..0xe0 => at + 2,
        0xe0..0xf0 => at + 3,
        _ => at + 4,
    };
    let is_word = |at: usize| text.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
    let mut at = 0;
    while at < text.len() {
        let (first, mut count) = (at, 0);
        while at < text.len() && text.get(end_of(at)) == Some(&b' ') {
            (at, count) = (end_of(at) + 1, count + 1);
        }
        // With the high byte first, no blank stands behind the last character.
        if count > 0 && at < text.len() && end_of(at) <= text.len() && !is_word(end_of(at)) {
            (at, count) = (end_of(at), count + 1);
        }
        // The last letter of a word before the run stands before a blank too.
        let from = if first > 0 && is_word(first - 1) && count > 0 { end_of(first) + 1 } else { first };
        if count >= RUN / 2 {
            let (mut out, mut starts, mut next) = (Vec::with_capacity(count), Vec::with_capacity(count + 1), from);
            while next < at {
                let end = end_of(next).min(at);
                starts.extend((next..end).map(|i| i as u32));
                out.extend_from_slice(&text[next..end]);
                next = end + 1;
            }
            starts.push(at as u32);
            each(&Decoded { text: out, place: Place::Bytes(starts) });
        }
        if count == 0 {
            // On to the last letter before the next blank.
            let blank = memchr::memchr(b' ', &text[at + 1..]).map_or(text.len(), |n| at + 1 + n);
            let mut last = blank - 1;
            while last > at + 1 && text[last] & 0xc0 == 0x80 {
                last -= 1;
            }
            at = last.max(at + 1);
        }
    }
}

/// The characters that pages write as `&#103;`, `&#x67;` or `&quot;`.
fn entity(rest: &[u8]) -> Option<(usize, Vec<u8>)> {
    const NAMES: [(&str, u8); 5] = [("amp", b'&'), ("quot", b'"'), ("apos", b'\''), ("lt", b'<'), ("gt", b'>')];
    let [b'&', rest @ ..] = rest else { return None };
    let name = &rest[..rest.iter().take(10).position(|b| *b == b';')?];
    let taken = name.len() + 2;
    if let Some((_, byte)) = NAMES.iter().find(|(word, _)| word.as_bytes() == name) {
        return Some((taken, vec![*byte]));
    }
    let number = std::str::from_utf8(name.strip_prefix(b"#")?).ok()?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    Some((taken, char::from_u32(code.ok()?)?.to_string().into_bytes()))
}

/// Bytes written one by one: `67 68 70`, `67:68:70`, `<Buffer 67 68 …`, `[103,104,112]`, `103, 104`.
fn listed(text: &[u8], each: &mut dyn FnMut(&Decoded)) {
    // A number of bytes, then a mark that is the same throughout, with or without a blank behind it.
    let number = |at: usize| text[at..].iter().take(4).take_while(|b| b.is_ascii_hexdigit()).count();
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(u8::is_ascii_hexdigit).map(|n| at + n) {
        let len = number(start);
        let mark = text.get(start + len).copied().filter(|b| matches!(b, b' ' | b':' | b',' | b'-'));
        let (Some(mark), 2..=3) = (mark, len) else {
            at = start + text[start..].iter().position(|b| !b.is_ascii_hexdigit()).unwrap_or(text.len() - start);
            continue;
        };
        let (mut hexadecimal, mut decimal, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        at = start;
        loop {
            let len = number(at);
            let digits = std::str::from_utf8(&text[at..at + len]).unwrap_or("");
            if len == 0 || len == 4 || (len == 1 && mark != b',') {
                break;
            }
            hexadecimal.push(u8::from_str_radix(digits, 16).ok().filter(|_| len == 2));
            decimal.push(digits.parse::<u8>().ok());
            starts.push(at as u32);
            at += len;
            if text.get(at) != Some(&mark) {
                break;
            }
            at += 1 + usize::from(mark == b',' && text.get(at + 1) == Some(&b' '));
        }
        starts.push(at as u32);
        for bytes in [hexadecimal, decimal] {
            let bytes: Option<Vec<u8>> = bytes.into_iter().collect();
            if let Some(text) = bytes.filter(|b| b.len() >= RUN / 2 && is_readable(&b[..b.len().min(12)])) {
                starts.truncate(text.len() + 1);
                each(&Decoded { text, place: Place::Bytes(starts.clone()) });
            }
        }
        at = at.max(start + 1);
    }
}

/// Base64 that is broken into lines.
fn wrapped(text: &[u8], each: &mut dyn FnMut(&Decoded)) {
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(is_digit).map(|n| at + n) {
        let (mut end, mut digits, mut lines) = (start, Vec::new(), 1);
        loop {
            let line = text[end..].iter().position(|b| !is_digit(b)).unwrap_or(text.len() - end);
            digits.extend_from_slice(&text[end..end + line]);
            end += line;
            let gap = match &text[end..] {
                [b'\n', next, ..] if is_digit(next) => 1,
                [b'\r', b'\n', next, ..] if is_digit(next) => 2,
                _ => break,
            };
            if line < RUN {
                break;
            }
            (end, lines) = (end + gap, lines + 1);
        }
        if lines > 1 {
            give(base64(&digits), start, end, each);
        }
        at = end;
    }
}

/// Is this a digit of base64, in any of its alphabets?
fn is_digit(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_')
}

/// Undoes an encoding that works byte by byte.
fn bytewise(text: &[u8], step: Step, each: &mut dyn FnMut(&Decoded)) {
    let (mut out, mut starts) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
    let (mut at, mut changed) = (0, false);
    while at < text.len() {
        if let Some((taken, bytes)) = step(&text[at..]) {
            changed = true;
            starts.extend(bytes.iter().map(|_| at as u32));
            out.extend(bytes);
            at += taken;
        } else {
            starts.push(at as u32);
            out.push(text[at]);
            at += 1;
        }
    }
    if changed {
        starts.push(text.len() as u32);
        each(&Decoded { text: out, place: Place::Bytes(starts) });
    }
}

fn percent(rest: &[u8]) -> Option<(usize, Vec<u8>)> {
    let [b'%', high, low, ..] = rest else { return None };
    Some((3, vec![hex(*high)? << 4 | hex(*low)?]))
}

fn escape(rest: &[u8]) -> Option<(usize, Vec<u8>)> {
    let [b'\\', kind, ..] = rest else { return None };
    // As scripts write it: `\u{67}`, and `\147` in octal digits.
    if let ([b'u', b'{', digits @ ..], Some(close)) = (&rest[1..], rest.iter().take(11).position(|b| *b == b'}')) {
        let digits = std::str::from_utf8(&digits[..close - 3]).ok()?;
        let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        return Some((close + 1, c.to_string().into_bytes()));
    }
    if let [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] = rest {
        return Some((4, vec![(a - b'0') << 6 | (b - b'0') << 3 | (c - b'0')]));
    }
    let taken = match kind {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
        b'u' if rest.len() >= 6 && rest[2..6].iter().all(u8::is_ascii_hexdigit) => {
            // A pair of surrogates is one character.
            let high = matches!(&rest[2..4], [b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B']);
            if high && rest.len() >= 12 && rest[6..].starts_with(b"\\u") { 12 } else { 6 }
        }
        b'x' => {
            let (high, low) = (hex(*rest.get(2)?)?, hex(*rest.get(3)?)?);
            return Some((4, vec![high << 4 | low]));
        }
        _ => return None,
    };
    let mut out = Vec::new();
    undo_json_escapes(&rest[..taken], &mut out);
    Some((taken, out))
}

fn hex(b: u8) -> Option<u8> {
    char::from(b).to_digit(16).map(|d| d as u8)
}

/// Runs of base64 and hexadecimal digits that give readable text.
fn runs(text: &[u8], each: &mut dyn FnMut(&Decoded)) {
    let mut at = 0;
    while at < text.len() {
        let Some(start) = text[at..].iter().position(is_digit).map(|n| at + n) else { return };
        let end = text[start..].iter().position(|b| !is_digit(b)).map_or(text.len(), |n| start + n);
        at = end;
        if end - start < RUN {
            continue;
        }
        let run = &text[start..end];
        // Hexadecimal may stand beside other digits of base64: `0x…`, `id_…`.
        let mut from = start;
        for part in run.split(|b| !b.is_ascii_hexdigit()) {
            if part.len() >= RUN {
                let bytes = part.chunks_exact(2).filter_map(|p| Some(hex(p[0])? << 4 | hex(p[1])?));
                give(bytes.collect(), from, from + part.len(), each);
            }
            from += part.len() + 1;
        }
        // Words may stand before the encoded part, so every alignment is tried.
        for skip in 0..4 {
            if is_readable(&base64(&run[skip..run.len().min(skip + 16)])) {
                give(base64(&run[skip..]), start, end, each);
            }
        }
        // Or a prefix that is cut off by a mark which is a digit of base64 itself: `key/…`, `v1-…`.
        for (mark, _) in run.iter().enumerate().filter(|(_, b)| !b.is_ascii_alphanumeric()).take(8) {
            let rest = &run[mark + 1..];
            if rest.len() >= RUN && is_readable(&base64(&rest[..16])) {
                give(base64(rest), start + mark + 1, end, each);
            }
        }
    }
}

fn give(text: Vec<u8>, start: usize, end: usize, each: &mut dyn FnMut(&Decoded)) {
    if is_readable(&text[..text.len().min(12)]) {
        each(&Decoded { text, place: Place::Block(start, end) });
    }
}

fn base64(digits: &[u8]) -> Vec<u8> {
    let (mut out, mut bits, mut count) = (Vec::with_capacity(digits.len() * 3 / 4), 0_u32, 0);
    for &b in digits {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

/// Text, or text in UTF-16; not the noise that other bytes give.
fn is_readable(bytes: &[u8]) -> bool {
    if bytes.len() < 4 {
        return false;
    }
    let plain = |b: &u8| (0x20..0x7f).contains(b) || matches!(b, b'\n' | b'\r' | b'\t');
    let wide = |from: usize| {
        bytes.iter().skip(from).step_by(2).all(|b| *b == 0) && bytes.iter().skip(1 - from).step_by(2).all(plain)
    };
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && e.valid_up_to() > 0,
    };
    (valid && bytes.iter().all(|b| plain(b) || *b >= 0x80)) || wide(1) || wide(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decoded forms that hold a word, each with the part of the original it stands in.
    fn found(text: &str, word: &str) -> Vec<String> {
        let mut out = Vec::new();
        forms(text.as_bytes(), Tried::default(), &mut |form, _| {
            let at = form.text.windows(word.len()).position(|w| w == word.as_bytes());
            if let Some(at) = at {
                let (start, end) = form.original(at, at + word.len());
                out.push(text[start..end].to_owned());
            }
        });
        out
    }

    #[test]
    fn every_encoding() {
        let base64 = "Z2hwX3NlY3JldHRva2VuMTIz";
        assert_eq!(found(&format!("data:{base64}=="), "ghp_secrettoken"), [base64]);
        assert_eq!(found(&format!("user/{base64}"), "ghp_secrettoken").len(), 1);
        let hex = "6768705f736563726574746f6b656e";
        assert_eq!(found(&format!("x {hex} y"), "ghp_secrettoken"), [hex]);
        assert_eq!(found("a=%67hp%5Fsecret%2Fx", "ghp_secret"), ["%67hp%5Fsecret"]);
        assert_eq!(found(r#"{\"t\":\"ghp_sec\u0072et\"}"#, "ghp_secret"), [r"ghp_sec\u0072et"]);
        assert_eq!(found("g\0h\0p\0_\0s\0e\0c\0", "ghp_sec"), ["g\0h\0p\0_\0s\0e\0c\0"]);
    }

    #[test]
    fn bytes_and_characters_one_by_one() {
        let token = "ghp_secrettoken";
        let each = |form: fn(u8) -> String, mark: &str| token.bytes().map(form).collect::<Vec<_>>().join(mark);
        let (hex, decimal) = (|b| format!("{b:02x}"), |b: u8| b.to_string());
        for text in [
            format!("<Buffer {}>", each(hex, " ")),
            format!("x {} y", each(hex, ":")),
            format!("[{}]", each(decimal, ",")),
            format!("[{}]", each(decimal, ", ")),
            each(|b| format!("&#{b};"), ""),
            each(|b| format!("&#x{b:x};"), ""),
            each(|b| format!("\\u{{{b:x}}}"), ""),
            each(|b| format!("\\{b:03o}"), ""),
        ] {
            assert_eq!(found(&text, token).len(), 1, "{text}");
        }
        assert_eq!(found("{&quot;password&quot;:1}", "\"password\""), ["&quot;password&quot;"]);
        for noise in ["10, 20, 30, 40, 50, 60, 70, 80, 90", "12:34:56", "a-b-c-d-e-f-a-b-c-d"] {
            forms(noise.as_bytes(), Tried::default(), &mut |form, _| panic!("{noise}: {form:?}"));
        }
    }

    #[test]
    fn utf_16_with_blanks_for_zeros() {
        assert_eq!(found("g h p _ s e c r e t t ", "ghp_secrett"), ["g h p _ s e c r e t t "]);
        assert_eq!(found(" g h p _ s e c r e t t", "ghp_secrett"), ["g h p _ s e c r e t t"]);
        assert_eq!(
            found("it is g h p _   s e c r e t \u{e9} ", "ghp_ secret\u{e9}"),
            ["g h p _   s e c r e t \u{e9} "]
        );
        assert_eq!(found("it is g h p _ s e c r e t ", "ghp_secret").len(), 1);
        assert_eq!(found("it is g h p _ s e c r e t ", "sghp_"), Vec::<String>::new());
        assert_eq!(found("a b c and words of d e f", "abc"), Vec::<String>::new());
    }

    #[test]
    fn base64_over_several_lines() {
        let lines = "YSBsZXR0ZXIgdG8gV2ls\r\naGVsbWluYSBPc3RyYW5k\r\nZXIgb2YgdG9kYXk=";
        assert_eq!(found(&format!("x {lines} y"), "Wilhelmina Ostrander"), [lines.trim_end_matches('=')]);
        let lines = lines.replace('\r', "");
        assert_eq!(found(&format!("{lines}\nmore"), "Wilhelmina Ostrander"), [lines.trim_end_matches('=')]);
    }

    /// All forms of a text, and of its forms, down to a depth.
    fn count(text: &[u8], tried: Tried, depth: u32) -> usize {
        let mut all = 0;
        forms(text, tried, &mut |form, tried| {
            all += 1 + if depth > 1 { count(&form.text, tried, depth - 1) } else { 0 };
        });
        all
    }

    #[test]
    fn encodings_side_by_side_are_undone_in_one_order() {
        let mixed = br#"{"a":"x%20y&amp;z","b":"q=\"r+s\""}"#;
        assert!(count(mixed, Tried::default(), 5) < 20, "{}", count(mixed, Tried::default(), 5));
        // One inside the other, in either order, beside others.
        for hidden in [r"a+b=1&amp;%20 \u0025\u0036\u0037hp_secret", r"a+b=1&amp;\t %5Cu0067hp_secret"] {
            let mut found = false;
            let mut stack = vec![(hidden.as_bytes().to_vec(), Tried::default(), 5)];
            while let Some((text, tried, depth)) = stack.pop() {
                found |= text.windows(10).any(|w| w == b"ghp_secret");
                if depth > 0 {
                    forms(&text, tried, &mut |form, tried| stack.push((form.text.clone(), tried, depth - 1)));
                }
            }
            assert!(found, "{hidden}");
        }
    }

    #[test]
    fn noise_is_no_text() {
        for noise in ["xK9mQ2vLr7TbN4wZc8YpH3sD", "getElementsByClassNameAndMore", "0123456789abcdef0123456789abcdef"] {
            let mut count = 0;
            forms(noise.as_bytes(), Tried::default(), &mut |_, _| count += 1);
            assert_eq!(count, 0, "{noise}");
        }
    }
}
