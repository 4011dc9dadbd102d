//! The tar of a bundle (POSIX ustar): plain files of one owner and one time, and two blocks of zeros at the end.
//!
//! As with zip, one function makes a header from a name and a length, for both directions. Packing is the caller's.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::{
    Added, DIRECTORY, Entry, Fault, HEADER, LENGTH, LINK, MORE, Method, NAME, NAME_BYTES, Names, STRAY, each_piece,
    source_changed,
};

const HARD_LINK: &str = "a hard link";
const SPECIAL: &str = "a device or a pipe";
const OTHER: &str = "a kind of member that no bundle has";
const NO_END: &str = "an end that is missing or cut off";

const BLOCK: usize = 512;
/// Lengths from here on do not fit into eleven octal digits.
const OCTAL_BYTES: u64 = 1 << 33;

/// Writes a tar to anything, without seeking in it.
pub(crate) struct Writer<W> {
    out: W,
    names: Names,
    /// Was every member written to its end?
    is_sound: bool,
}

impl<W> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("is_sound", &self.is_sound).finish_non_exhaustive()
    }
}

impl<W: Write> Writer<W> {
    /// An empty tar.
    pub(crate) fn new(out: W) -> Self {
        Self { out, names: Names::default(), is_sound: true }
    }

    /// Adds a member: the whole source, from its beginning. After an error the tar cannot be finished, unless it was
    /// only the name that was refused.
    pub(crate) fn add(&mut self, name: &str, source: &mut (impl Read + Seek)) -> io::Result<Added> {
        self.check()?;
        self.names.add_new(name)?;
        self.is_sound = false;
        let plain = source.seek(SeekFrom::End(0))?;
        self.out.write_all(&header(name.as_bytes(), plain))?;
        let mut left = plain;
        each_piece(source, |piece| {
            left = left.checked_sub(piece.len() as u64).ok_or_else(source_changed)?;
            self.out.write_all(piece)
        })?;
        if left > 0 {
            return Err(source_changed());
        }
        self.out.write_all(&[0; BLOCK][..padding(plain)])?;
        self.is_sound = true;
        Ok(Added { packed: plain, plain, method: Method::Stored })
    }

    /// Writes the end, and gives back what it was written to.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.check()?;
        self.out.write_all(&[0; 2 * BLOCK])?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn check(&self) -> io::Result<()> {
        if self.is_sound {
            Ok(())
        } else {
            Err(io::Error::other("a member of this container was not written to its end"))
        }
    }
}

/// Zeros behind a member, up to the next block.
fn padding(plain: u64) -> usize {
    let over = usize::try_from(plain % BLOCK as u64).unwrap_or(0);
    (BLOCK - over) % BLOCK
}

/// The header of a member.
fn header(name: &[u8], plain: u64) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &name[..name.len().min(NAME_BYTES)]);
    put(100, b"0000600\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    if plain < OCTAL_BYTES {
        put(124, &octal::<11>(plain));
    } else {
        put(124, &[0x80, 0, 0, 0]);
        put(128, &plain.to_be_bytes());
    }
    put(136, b"00000000000\0");
    // The sum is taken as if there were blanks in its place.
    put(148, b"        0");
    put(257, b"ustar\x0000");
    put(329, b"0000000\0");
    put(337, b"0000000\0");
    let sum = header.iter().map(|byte| u64::from(*byte)).sum();
    header[148..154].copy_from_slice(&octal::<6>(sum));
    header[154..156].copy_from_slice(b"\0 ");
    header
}

/// The last digits of a number.
fn octal<const DIGITS: usize>(mut number: u64) -> [u8; DIGITS] {
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 8).unwrap_or(0);
        number /= 8;
    }
    digits
}

/// The length that a header tells, in either spelling.
fn length(header: &[u8; BLOCK]) -> Option<u64> {
    if header[124] == 0x80 {
        return header[128..136].first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
    }
    header[124..135].iter().try_fold(0_u64, |sum, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
        Some(sum * 8 + u64::from(digit))
    })
}

/// Reads the layout of a tar, to its last byte.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Entry>, Fault> {
    let is_empty = bytes.len() == 2 * BLOCK && bytes.iter().all(|byte| *byte == 0);
    if !is_empty && bytes.get(257..262) != Some(b"ustar") {
        return Err(Fault::NotThis);
    }
    let (mut entries, mut names, mut at) = (Vec::new(), Names::default(), 0_usize);
    for number in 0.. {
        let rest = bytes.get(at..).unwrap_or_default();
        let header = rest.first_chunk::<BLOCK>().ok_or(Fault::Damaged { what: NO_END, entry: None })?;
        if header.iter().all(|byte| *byte == 0) {
            check_end(rest)?;
            break;
        }
        let (entry, end) = member(bytes, header, at, number, &mut names)?;
        entries.push(entry);
        at = end;
    }
    Ok(entries)
}

/// Two blocks of zeros, and nothing behind them.
fn check_end(rest: &[u8]) -> Result<(), Fault> {
    let is_zero = rest.iter().all(|byte| *byte == 0);
    match rest.len() {
        length if length < 2 * BLOCK && is_zero => Err(Fault::Damaged { what: NO_END, entry: None }),
        length if length == 2 * BLOCK && is_zero => Ok(()),
        _ => Err(Fault::Refused { what: STRAY, entry: None }),
    }
}

/// One member, and where the next one begins.
fn member(
    bytes: &[u8],
    found: &[u8; BLOCK],
    at: usize,
    number: u32,
    names: &mut Names,
) -> Result<(Entry, usize), Fault> {
    let name = found[..NAME_BYTES].split(|byte| *byte == 0).next().unwrap_or_default();
    let kind = match found[156] {
        b'0' => None,
        b'1' => Some(HARD_LINK),
        b'2' => Some(LINK),
        b'3' | b'4' | b'6' => Some(SPECIAL),
        b'5' => Some(DIRECTORY),
        _ => Some(OTHER),
    };
    match names.add(name) {
        // A link or another thing with a strange name is above all that thing.
        Err(NAME | MORE) | Ok(()) if kind.is_some() => return Err(Fault::refused(kind.unwrap_or(OTHER), number)),
        taken => taken.map_err(|what| Fault::refused(what, number))?,
    }
    let plain = length(found).ok_or(Fault::damaged(HEADER, number))?;
    if *found != header(name, plain) {
        return Err(Fault::damaged(HEADER, number));
    }
    let damaged = Fault::damaged(LENGTH, number);
    let start = at.checked_add(BLOCK).ok_or(damaged)?;
    let end = usize::try_from(plain).ok().and_then(|plain| start.checked_add(plain)).ok_or(damaged)?;
    let next = end.checked_add(padding(plain)).ok_or(damaged)?;
    let zeros = bytes.get(end..next).ok_or(damaged)?;
    if zeros.iter().any(|byte| *byte != 0) {
        return Err(Fault::refused(STRAY, number));
    }
    let entry = Entry { number, name: at..at + name.len(), data: start..end, method: Method::Stored, plain, crc: None };
    Ok((entry, next))
}
