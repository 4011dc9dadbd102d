//! Encodings that hide a text inside a text: base64, hexadecimal, percent, JSON escapes, UTF-16 in bytes.
//! Snapshots write a zero byte as a blank, so UTF-16 that was read byte by byte is a text of every second letter.
//!
//! Each decoded form knows where it came from, so that what is found in it can be cut out of the original. Most texts have
//! none: marks and long runs tell that cheaply, before anything is decoded.

mod escapes;
mod runs;
#[cfg(test)]
mod tests;

pub(super) use self::runs::Runs;
pub(in crate::raw) use self::runs::base64;

/// Shortest run that is worth decoding.
const RUN: usize = 16;

/// A decoded text and its place in the original.
#[derive(Debug)]
pub(in crate::raw) struct Decoded {
    pub(in crate::raw) text: Vec<u8>,
    /// Marks of base64 were taken for blanks: a run of chance stands whole in the original, and torn here.
    pub(in crate::raw) is_torn: bool,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// All of it stands for this range.
    Block(usize, usize),
    /// The byte `i` begins at `starts[i]`; one more entry for the end.
    Bytes(Vec<u32>),
    /// From which decoded byte on it goes on at which byte of the original: as it stands there, or all for that byte.
    Stretches(Vec<(u32, u32, bool)>),
}

impl Decoded {
    /// The range of the original that a range of the decoded text stands for.
    pub(in crate::raw) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        match &self.place {
            Place::Block(from, to) => (*from, *to),
            Place::Bytes(starts) => (starts[start] as usize, starts[end] as usize),
            Place::Stretches(stretches) => {
                let at = |place: usize| {
                    let last = stretches.partition_point(|(decoded, ..)| *decoded as usize <= place).saturating_sub(1);
                    let (decoded, original, is_plain) = stretches[last];
                    original as usize + if is_plain { place - decoded as usize } else { 0 }
                };
                (at(start), at(end))
            }
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

/// Appends what an encoded character stands for; says how many bytes it took.
type Step = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// The encodings that work byte by byte: the marks that each begins with, and how it is undone.
const ENCODINGS: [(&[u8], Step); 5] = [
    (b"%", escapes::percent),
    (b"%+", escapes::form),
    (b"\\", escapes::script),
    (b"\0", escapes::zero),
    (b"&", escapes::entity),
];

/// The one of them that takes `+` for a blank.
const FORM: usize = 1;

/// Calls `each` with every decoded form of a text. `has_run`: has it a long run of letters and digits?
pub(in crate::raw) fn forms(text: &[u8], has_run: bool, tried: Tried, each: &mut dyn FnMut(&Decoded, Tried)) {
    if text.len() < RUN / 2 || u32::try_from(text.len()).is_err() {
        return;
    }
    let marks = Marks::of(text);
    if text.len() >= RUN - 1 {
        in_runs(text, has_run, marks, &mut |decoded| each(decoded, Tried::default()));
    }
    let there = [
        marks.has(Marks::PERCENT),
        marks.has(Marks::PLUS) && (marks.has(Marks::EQUALS) || marks.has(Marks::PERCENT)),
        marks.has(Marks::BACKSLASH),
        marks.has(Marks::ZERO),
        marks.has(Marks::AMPERSAND) && marks.has(Marks::SEMICOLON),
    ];
    let mut below = tried.0;
    for (i, (begins, step)) in ENCODINGS.into_iter().enumerate().filter(|(i, _)| there[*i] && tried.0 & 1 << i == 0) {
        bytewise(text, begins, step, &mut |mut decoded| {
            decoded.is_torn = i == FORM;
            each(&decoded, Tried(below));
            below |= 1 << i;
        });
    }
}

/// Has a text a run of letters and digits that may be encoded, or a token?
pub(in crate::raw) fn has_run(text: &[u8]) -> bool {
    text.len() >= RUN && runs::has_run(text)
}

/// Forms that need a run of some length.
fn in_runs(text: &[u8], has_run: bool, marks: Marks, each: &mut dyn FnMut(&Decoded)) {
    if has_run {
        runs::encoded(text, each);
    }
    if marks.has(Marks::LISTING) {
        runs::listed(text, each);
    }
    if marks.has(Marks::BLANK) && (marks.has(Marks::WIDE) || runs::is_spaced(text)) {
        runs::spaced(text, each);
    }
    if marks.has(Marks::LINE) && runs::is_wrapped(text) {
        runs::wrapped(text, each);
    }
}

/// Which marks a text has, found in one pass.
#[derive(Clone, Copy)]
struct Marks(u16);

impl Marks {
    const PERCENT: u16 = 1;
    const PLUS: u16 = 2;
    const EQUALS: u16 = 4;
    const BACKSLASH: u16 = 8;
    const ZERO: u16 = 16;
    const AMPERSAND: u16 = 32;
    const SEMICOLON: u16 = 64;
    const BLANK: u16 = 128;
    const LINE: u16 = 256;
    /// Bytes of characters that are not plain.
    const WIDE: u16 = 512;
    /// What stands between bytes that are written one by one.
    const LISTING: u16 = 1024;

    const TABLE: [u16; 256] = {
        let mut table = [0; 256];
        table[b'%' as usize] = Self::PERCENT;
        table[b'+' as usize] = Self::PLUS;
        table[b'=' as usize] = Self::EQUALS;
        table[b'\\' as usize] = Self::BACKSLASH;
        table[0] = Self::ZERO;
        table[b'&' as usize] = Self::AMPERSAND;
        table[b';' as usize] = Self::SEMICOLON;
        table[b' ' as usize] = Self::BLANK | Self::LISTING;
        table[b':' as usize] = Self::LISTING;
        table[b',' as usize] = Self::LISTING;
        table[b'-' as usize] = Self::LISTING;
        table[b'\n' as usize] = Self::LINE;
        let mut byte = 128;
        while byte < 256 {
            table[byte] = Self::WIDE;
            byte += 1;
        }
        table
    };

    fn of(text: &[u8]) -> Self {
        Self(text.iter().fold(0, |all, byte| all | Self::TABLE[usize::from(*byte)]))
    }

    fn has(self, mark: u16) -> bool {
        self.0 & mark != 0
    }
}

/// Undoes an encoding that works byte by byte.
fn bytewise(text: &[u8], begins: &[u8], step: Step, each: &mut dyn FnMut(Decoded)) {
    let next = |from: usize| match begins {
        [mark] => memchr::memchr(*mark, &text[from..]).map(|n| from + n),
        [mark, other, ..] => memchr::memchr2(*mark, *other, &text[from..]).map(|n| from + n),
        [] => None,
    };
    let (mut out, mut stretches, mut at) = (Vec::new(), Vec::new(), 0);
    // From where on nothing was copied yet.
    let mut plain = 0;
    while let Some(mark) = next(at) {
        let before = out.len();
        let Some(taken) = step(&text[mark..], &mut out) else {
            out.truncate(before);
            at = mark + 1;
            continue;
        };
        let decoded = out.split_off(before);
        if plain < mark {
            stretches.push((out.len() as u32, plain as u32, true));
            out.extend_from_slice(&text[plain..mark]);
        }
        if !decoded.is_empty() {
            stretches.push((out.len() as u32, mark as u32, false));
            out.extend(decoded);
        }
        (at, plain) = (mark + taken, mark + taken);
    }
    if plain > 0 {
        stretches.push((out.len() as u32, plain as u32, true));
        out.extend_from_slice(&text[plain..]);
        each(Decoded { text: out, is_torn: false, place: Place::Stretches(stretches) });
    }
}
