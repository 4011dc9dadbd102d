//! Encodings that give long runs: base64 and hexadecimal, also over lines, bytes written one by one, letters with blanks
//! between them.

use super::escapes::hex;
use super::{Decoded, Place, RUN};

/// Which bytes belong to a kind of run.
type Alphabet = [bool; 256];

const fn alphabet(letters: bool, others: &[u8]) -> Alphabet {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        table[byte] = if letters { b.is_ascii_alphanumeric() } else { b.is_ascii_hexdigit() };
        byte += 1;
    }
    let mut i = 0;
    while i < others.len() {
        table[others[i] as usize] = true;
        i += 1;
    }
    table
}

/// Digits of base64, in any of its alphabets.
const DIGITS: Alphabet = alphabet(true, b"+/-_");
/// What bytes that are written one by one consist of.
const LISTED: Alphabet = alphabet(false, b" :,-");
/// What tokens consist of.
const TOKEN: Alphabet = alphabet(true, b"+/=_-");

/// The runs of an alphabet that are long enough. Looks at few of the other bytes: in a long run, every `shortest`-th byte
/// belongs to it.
pub(in crate::raw::detect) struct Runs<'t> {
    text: &'t [u8],
    alphabet: &'static Alphabet,
    shortest: usize,
    at: usize,
}

impl<'t> Runs<'t> {
    fn new(text: &'t [u8], alphabet: &'static Alphabet, shortest: usize) -> Self {
        Self { text, alphabet, shortest, at: 0 }
    }

    /// Runs of what tokens consist of.
    pub(in crate::raw::detect) fn of_token(text: &'t [u8], shortest: usize) -> Self {
        Self::new(text, &TOKEN, shortest)
    }
}

impl Iterator for Runs<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let is_in = |byte: &u8| self.alphabet[usize::from(*byte)];
        loop {
            let last = self.at + self.shortest - 1;
            let inside = self.text.get(self.at..=last)?;
            match inside.iter().rposition(|byte| !is_in(byte)) {
                Some(other) => self.at += other + 1,
                None => {
                    let (start, rest) = (self.at, &self.text[last + 1..]);
                    let end = last + 1 + rest.iter().position(|byte| !is_in(byte)).unwrap_or(rest.len());
                    self.at = end + 1;
                    return Some((start, end));
                }
            }
        }
    }
}

/// Bytes that are looked at together, and those behind them in which a run can go on.
const BLOCK: usize = 64;
const REACH: usize = BLOCK + RUN;

/// Is there a run of what tokens and base64 consist of? Whole blocks are written so that compilers look at many bytes at
/// once: is this one of them, and the next, and the two behind, and the four behind those?
pub(super) fn has_run(text: &[u8]) -> bool {
    if text.len() < BLOCK {
        return Runs::new(text, &TOKEN, RUN).next().is_some();
    }
    let is_in = |b: u8| {
        let is_letter = (b | 0x20).wrapping_sub(b'a') < 26;
        let is_number = b.wrapping_sub(b'0') < 10;
        let is_mark = (b == b'+') | (b == b'-') | (b == b'/') | (b == b'_') | (b == b'=');
        u8::from(is_letter | is_number | is_mark)
    };
    let mut rest = text;
    loop {
        let mut block = [0_u8; REACH];
        let is_last = match rest.first_chunk::<REACH>() {
            Some(whole) => {
                block = *whole;
                false
            }
            None => {
                block[..rest.len()].copy_from_slice(rest);
                true
            }
        };
        let mut run = block.map(is_in);
        for step in [1, 2, 4, 8] {
            for i in 0..REACH - step {
                run[i] &= run[i + step];
            }
        }
        if run[..REACH - RUN + 1].iter().fold(0, |any, b| any | b) != 0 {
            return true;
        }
        if is_last {
            return false;
        }
        rest = &rest[BLOCK..];
    }
}

fn is_digit(b: &u8) -> bool {
    DIGITS[usize::from(*b)]
}

/// Runs of base64 and hexadecimal digits that give readable text.
pub(super) fn encoded(text: &[u8], each: &mut dyn FnMut(&Decoded)) {
    for (start, end) in Runs::new(text, &DIGITS, RUN) {
        let run = &text[start..end];
        // Hexadecimal may stand beside other digits of base64: `0x…`, `id_…`.
        let mut from = start;
        for part in run.split(|b| !b.is_ascii_hexdigit()) {
            if part.len() >= RUN {
                let bytes =
                    |part: &[u8]| part.chunks_exact(2).filter_map(|p| Some(hex(p[0])? << 4 | hex(p[1])?)).collect();
                // Noise shows at once.
                let begins: Vec<u8> = bytes(&part[..part.len().min(24)]);
                if is_readable(&begins) {
                    give(bytes(part), from, from + part.len(), each);
                }
            }
            from += part.len() + 1;
        }
        // Words may stand before the encoded part, so every alignment is tried.
        for skip in 0..4 {
            if begins_readable(&run[skip..run.len().min(skip + 16)]) {
                give(base64(&run[skip..]), start, end, each);
            }
        }
        // Or a prefix that is cut off by a mark which is a digit of base64 itself: `key/…`, `v1-…`.
        for (mark, _) in run.iter().enumerate().filter(|(_, b)| !b.is_ascii_alphanumeric()).take(8) {
            let rest = &run[mark + 1..];
            if rest.len() >= RUN && begins_readable(&rest[..16]) {
                give(base64(rest), start + mark + 1, end, each);
            }
        }
    }
}

/// May there be letters with blanks between them? Plain ones only.
pub(super) fn is_spaced(text: &[u8]) -> bool {
    let blank = |from: usize| text.get(from..).unwrap_or_default().iter().map(|b| *b == b' ');
    blank(0).zip(blank(2)).zip(blank(4)).zip(blank(6)).fold(false, |any, (((a, b), c), d)| any | (a & b & c & d))
}

/// Runs of characters with a blank behind each: UTF-16 of which the snapshot wrote the zero bytes as blanks.
pub(super) fn spaced(text: &[u8], each: &mut dyn FnMut(&Decoded)) {
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
            each(&Decoded { text: out, is_torn: false, place: Place::Bytes(starts) });
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

/// Bytes written one by one: `67 68 70`, `67:68:70`, `<Buffer 67 68 …`, `[103,104,112]`, `103, 104`.
pub(super) fn listed(text: &[u8], each: &mut dyn FnMut(&Decoded)) {
    for (from, to) in Runs::new(text, &LISTED, RUN) {
        listed_in(&text[from..to], from, each);
    }
}

fn listed_in(text: &[u8], base: usize, each: &mut dyn FnMut(&Decoded)) {
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
            starts.push((base + at) as u32);
            at += len;
            if text.get(at) != Some(&mark) {
                break;
            }
            at += 1 + usize::from(mark == b',' && text.get(at + 1) == Some(&b' '));
        }
        starts.push((base + at) as u32);
        for bytes in [hexadecimal, decimal] {
            let bytes: Option<Vec<u8>> = bytes.into_iter().collect();
            if let Some(text) = bytes.filter(|b| b.len() >= RUN / 2 && is_readable(&b[..b.len().min(12)])) {
                starts.truncate(text.len() + 1);
                each(&Decoded { text, is_torn: false, place: Place::Bytes(starts.clone()) });
            }
        }
        at = at.max(start + 1);
    }
}

/// Is there a line that ends like one of base64?
pub(super) fn is_wrapped(text: &[u8]) -> bool {
    memchr::memchr_iter(b'\n', text).any(|end| {
        let line = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
        line.len().checked_sub(RUN).is_some_and(|from| line[from..].iter().all(is_digit))
    })
}

/// Base64 that is broken into lines.
pub(super) fn wrapped(text: &[u8], each: &mut dyn FnMut(&Decoded)) {
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

fn give(text: Vec<u8>, start: usize, end: usize, each: &mut dyn FnMut(&Decoded)) {
    if is_readable(&text[..text.len().min(12)]) {
        each(&Decoded { text, is_torn: false, place: Place::Block(start, end) });
    }
}

/// The value of a digit of base64.
fn value(digit: u8) -> u32 {
    u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    })
}

/// Do the first digits of base64 give text? Noise shows in the first bytes.
fn begins_readable(digits: &[u8]) -> bool {
    if let [a, b, ..] = digits {
        let first = (value(*a) << 2 | value(*b) >> 4) as u8;
        if !(is_plain(&first) || first >= 0x80 || first == 0) {
            return false;
        }
    }
    is_readable(&base64(digits))
}

/// The bytes of a run of digits.
pub(in crate::raw) fn base64(digits: &[u8]) -> Vec<u8> {
    let (mut out, mut bits, mut count) = (Vec::with_capacity(digits.len() * 3 / 4), 0_u32, 0);
    for &b in digits {
        bits = bits << 6 | value(b);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

fn is_plain(b: &u8) -> bool {
    (0x20..0x7f).contains(b) || matches!(b, b'\n' | b'\r' | b'\t')
}

/// Text, or text in UTF-16; not the noise that other bytes give.
fn is_readable(bytes: &[u8]) -> bool {
    if bytes.len() < 4 {
        return false;
    }
    let wide = |from: usize| {
        bytes.iter().skip(from).step_by(2).all(|b| *b == 0) && bytes.iter().skip(1 - from).step_by(2).all(is_plain)
    };
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && e.valid_up_to() > 0,
    };
    (valid && bytes.iter().all(|b| is_plain(b) || *b >= 0x80)) || wide(1) || wide(0)
}
