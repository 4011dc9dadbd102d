//! The containers in which results are shared: a strict zip and a strict tar, as bytes and numbers.
//!
//! The readers accept only what the writers write. A header that is not byte for byte what the writer would have
//! written for its numbers is refused, so nothing hides in comments, extra fields, gaps or headers that disagree.
//! No text leaves this module: names are places in the bytes, faults are static words and numbers.

pub(crate) mod tar;
pub(crate) mod zip;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use crate::limits;

/// Members of one container, at most.
pub(crate) const MEMBERS: usize = 10_000;

/// Bytes of a member's name, at most: what the name field of a tar header holds.
pub(crate) const NAME_BYTES: usize = 100;

const ABSOLUTE: &str = "an absolute path";
const OUTSIDE: &str = "a path that leads outside";
const DIRECTORY: &str = "a directory";
const LINK: &str = "a symbolic link";
const TWICE: &str = "two members of one name";
const BELOW: &str = "a member below another member";
const NAME: &str = "a name that no bundle uses";
const MORE: &str = "more members than a bundle has";
const STRAY: &str = "bytes that belong to no member";
const BOMB: &str = "a member that unpacks to far more than it is";
const LARGE: &str = "a member that is larger than it may be";
const HEADER: &str = "a header that is not as heapscrub writes it";
const LENGTH: &str = "a member whose length is not what its header says";
const PACKED: &str = "packed bytes that are not as heapscrub writes them";
const SUM: &str = "a member whose checksum is not what its header says";

/// How a member is packed inside the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// As it is.
    Stored,
    /// By deflate; zip only.
    Deflated,
}

/// What was written for one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Added {
    /// Bytes of the member inside the container, without headers and padding.
    pub(crate) packed: u64,
    /// Bytes of the member itself.
    pub(crate) plain: u64,
    /// How it was packed: stored if deflate had made of it what a reader takes for a bomb.
    pub(crate) method: Method,
}

/// One member of a container that was read; the places are places in the bytes of the container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Which member it is, from 0 on, in the order of the container.
    pub(crate) number: u32,
    /// Where its name stands. The name has passed the grammar of names, so it is ASCII.
    pub(crate) name: Range<usize>,
    /// Where its (packed) bytes stand.
    pub(crate) data: Range<usize>,
    /// How it is packed.
    pub(crate) method: Method,
    /// How many bytes it has when it is unpacked, as its header claims.
    pub(crate) plain: u64,
    /// Its CRC-32, as its header claims; a tar has none.
    pub(crate) crc: Option<u32>,
}

/// Why a container was not read. `entry` counts from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does not begin like such a container.
    NotThis,
    /// It was changed or cut off after it was written, or another program wrote it.
    Damaged {
        /// What was found.
        what: &'static str,
        /// The member.
        entry: Option<u32>,
    },
    /// It holds something that could harm whoever unpacks it, or that hides something.
    Refused {
        /// What was found.
        what: &'static str,
        /// The member.
        entry: Option<u32>,
    },
}

impl Fault {
    /// The fault inside an error of [`Plain`].
    pub(crate) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }

    fn damaged(what: &'static str, entry: u32) -> Self {
        Self::Damaged { what, entry: Some(entry) }
    }

    fn refused(what: &'static str, entry: u32) -> Self {
        Self::Refused { what, entry: Some(entry) }
    }
}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> Self {
        Self::new(io::ErrorKind::InvalidData, fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verdict, what, entry) = match *self {
            Self::NotThis => return f.write_str("not a bundle"),
            Self::Damaged { what, entry } => ("damaged", what, entry),
            Self::Refused { what, entry } => ("refused", what, entry),
        };
        write!(f, "{verdict}: {what}")?;
        entry.map_or(Ok(()), |number| write!(f, " (member {})", u64::from(number) + 1))
    }
}

impl std::error::Error for Fault {}

/// A container that is being written: one of the two kinds.
pub(crate) enum Container<W> {
    /// A zip.
    Zip(zip::Writer<W>),
    /// A tar.
    Tar(tar::Writer<W>),
}

impl<W: Write> Container<W> {
    /// Adds a member: the whole source, from its beginning. A tar stores whatever the method.
    pub(crate) fn add(&mut self, name: &str, method: Method, source: &mut (impl Read + Seek)) -> io::Result<Added> {
        match self {
            Self::Zip(zip) => zip.add(name, method, source),
            Self::Tar(tar) => tar.add(name, source),
        }
    }

    /// Writes the end of the container and gives back what it was written to.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self {
            Self::Zip(zip) => zip.finish(),
            Self::Tar(tar) => tar.finish(),
        }
    }
}

/// Reads the layout of a container of either kind.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Entry>, Fault> {
    match zip::read(bytes) {
        Err(Fault::NotThis) => tar::read(bytes),
        read => read,
    }
}

/// The bytes of a small member, unpacked and checked.
pub(crate) fn plain<'a>(bytes: &'a [u8], entry: &Entry, at_most: u64) -> Result<Cow<'a, [u8]>, Fault> {
    if entry.plain > at_most {
        return Err(Fault::refused(LARGE, entry.number));
    }
    let mut reader = reader(bytes, entry)?;
    if let Source::Stored(data) = reader.source {
        reader.crc.update(data);
        return reader.finish().map(|()| Cow::Borrowed(data));
    }
    // The reader has walked through the packed bytes, so the length is true.
    let mut plain = Vec::with_capacity(usize::try_from(entry.plain).unwrap_or(0));
    match reader.read_to_end(&mut plain) {
        Ok(_) => Ok(Cow::Owned(plain)),
        Err(error) => Err(Fault::of(&error).unwrap_or(Fault::damaged(PACKED, entry.number))),
    }
}

/// A reader of the unpacked bytes of a member.
///
/// What it gives is only as claimed once it has come to its end without an error: the checksum is compared together
/// with the last bytes. Lengths and the ratio are proved here, before anything is unpacked.
pub(crate) fn reader<'a>(bytes: &'a [u8], entry: &Entry) -> Result<Plain<'a>, Fault> {
    let data = bytes.get(entry.data.clone()).ok_or(Fault::damaged(LENGTH, entry.number))?;
    if far_more(data.len() as u64, entry.plain) {
        return Err(Fault::refused(BOMB, entry.number));
    }
    let (length, source) = match entry.method {
        Method::Stored => (data.len() as u64, Source::Stored(data)),
        Method::Deflated => {
            let length = survey(data, entry.plain).map_err(|what| Fault::damaged(what, entry.number))?;
            (length, Source::Deflated(Box::new(DeflateDecoder::new(data))))
        }
    };
    if length != entry.plain {
        return Err(Fault::damaged(LENGTH, entry.number));
    }
    Ok(Plain { source, left: length, crc: Crc::new(), claim: entry.crc, number: entry.number })
}

/// Would a reader take a member of these lengths for a bomb?
fn far_more(packed: u64, plain: u64) -> bool {
    plain > limits::RATIO_FREE_BYTES && plain > packed.saturating_mul(limits::RATIO)
}

/// The unpacked bytes of a member, one after the other. Its errors hold a [`Fault`].
pub(crate) struct Plain<'a> {
    source: Source<'a>,
    left: u64,
    crc: Crc,
    claim: Option<u32>,
    number: u32,
}

enum Source<'a> {
    Stored(&'a [u8]),
    Deflated(Box<DeflateDecoder<&'a [u8]>>),
}

impl Plain<'_> {
    /// Everything was read: is there nothing behind it, and is the checksum true?
    fn finish(&mut self) -> Result<(), Fault> {
        if let Source::Deflated(decoder) = &mut self.source {
            let over = decoder.read(&mut [0]).map_err(|_| Fault::damaged(PACKED, self.number))?;
            if over > 0 || !decoder.get_ref().is_empty() {
                return Err(Fault::damaged(PACKED, self.number));
            }
        }
        match self.claim {
            Some(claim) if claim != self.crc.sum() => Err(Fault::damaged(SUM, self.number)),
            _ => Ok(()),
        }
    }
}

impl Read for Plain<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        if room == 0 && self.left > 0 {
            return Ok(0);
        }
        let into = &mut into[..room];
        let got = match &mut self.source {
            _ if room == 0 => 0,
            Source::Stored(data) => data.read(into)?,
            Source::Deflated(decoder) => decoder.read(into).map_err(|_| Fault::damaged(PACKED, self.number))?,
        };
        if got == 0 && self.left > 0 {
            return Err(Fault::damaged(LENGTH, self.number).into());
        }
        self.crc.update(&into[..got]);
        self.left = self.left.saturating_sub(got as u64);
        if self.left == 0 {
            self.finish()?;
        }
        Ok(got)
    }
}

/// The names of one container so far. Both directions ask it, so the writer writes no name that the reader refuses.
#[derive(Default)]
struct Names {
    members: HashSet<Vec<u8>>,
    folders: HashSet<Vec<u8>>,
}

impl Names {
    /// Takes one more name, or says what is wrong with it. Names that differ in case only are one name, since they
    /// are one file on the disks of many.
    fn add(&mut self, name: &[u8]) -> Result<(), &'static str> {
        if self.members.len() >= MEMBERS {
            return Err(MORE);
        }
        if let Some(what) = objection(name) {
            return Err(what);
        }
        let name = name.to_ascii_lowercase();
        let bars = name.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let folders: Vec<&[u8]> = bars.map(|(at, _)| &name[..at]).collect();
        if folders.iter().any(|folder| self.members.contains(*folder)) || self.folders.contains(&name) {
            return Err(BELOW);
        }
        if self.members.contains(&name) {
            return Err(TWICE);
        }
        self.folders.extend(folders.into_iter().map(<[u8]>::to_vec));
        self.members.insert(name);
        Ok(())
    }

    /// The same for a writer.
    fn add_new(&mut self, name: &str) -> io::Result<()> {
        self.add(name.as_bytes()).map_err(|what| io::Error::new(io::ErrorKind::InvalidInput, what))
    }
}

/// What is wrong with the name of a member, the most dangerous first.
fn objection(name: &[u8]) -> Option<&'static str> {
    // A backslash is no part of our names, but it separates names on some of the systems where people unpack.
    let is_bar = |byte: &u8| matches!(byte, b'/' | b'\\');
    let has_drive = matches!(name, [letter, b':', ..] if letter.is_ascii_alphabetic());
    if has_drive || name.first().is_some_and(is_bar) {
        return Some(ABSOLUTE);
    }
    let leads_up = |part: &[u8]| part.starts_with(b"..") && part.iter().all(|byte| matches!(byte, b'.' | b' '));
    if name.split(is_bar).any(leads_up) {
        return Some(OUTSIDE);
    }
    if name.last().is_some_and(is_bar) {
        return Some(DIRECTORY);
    }
    let fits = (1..=NAME_BYTES).contains(&name.len())
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._/-".contains(byte))
        // Dots at the end of a part are dropped by some systems, so `a.` would become `a`.
        && name.split(is_bar).all(|part| part.last().is_some_and(|byte| *byte != b'.'));
    (!fits).then_some(NAME)
}

/// Reads a source from its beginning to its end in pieces of one size, whatever the sizes of its reads: the bytes that
/// deflate makes may depend on the pieces.
fn each_piece(
    source: &mut (impl Read + Seek),
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<(u64, u32)> {
    source.seek(SeekFrom::Start(0))?;
    let (mut length, mut crc) = (0_u64, Crc::new());
    let mut piece = Vec::with_capacity(PIECE);
    loop {
        piece.clear();
        source.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
        if piece.is_empty() {
            return Ok((length, crc.sum()));
        }
        crc.update(&piece);
        length = length.checked_add(piece.len() as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        take(&piece)?;
    }
}

/// Bytes of a piece of a source.
const PIECE: usize = 1 << 16;

/// The source was not the same the second time.
fn source_changed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the source of a member changed while it was packed")
}

/// A writer is asked to go on after an error.
fn broken() -> io::Error {
    io::Error::other("a member of this container was not written to its end")
}

/// Walks through a deflate stream (RFC 1951) without unpacking it, and gives the number of bytes it unpacks to.
///
/// It refuses what inflate lets pass and deflate never writes, since something could hide there: bits of padding that
/// are set, bytes behind the end, blocks without content, codes that are not complete, a second spelling of length
/// 258. It does not prove that deflate chose the same matches; only packing again can.
fn survey(packed: &[u8], at_most: u64) -> Result<u64, &'static str> {
    let mut walk = Walk { bits: Bits { bytes: packed, hold: 0, held: 0 }, plain: 0, at_most };
    while !walk.block()? {}
    walk.bits.align().ok_or(PACKED)?;
    // Whole bytes that are held were not used.
    if walk.bits.held > 0 || !walk.bits.bytes.is_empty() {
        return Err(PACKED);
    }
    Ok(walk.plain)
}

struct Walk<'a> {
    bits: Bits<'a>,
    plain: u64,
    at_most: u64,
}

impl Walk<'_> {
    /// Walks through one block; was it the last?
    fn block(&mut self) -> Result<bool, &'static str> {
        let before = self.plain;
        let last = self.bits.take(1).ok_or(PACKED)? == 1;
        match self.bits.take(2).ok_or(PACKED)? {
            0 => {
                let length = self.bits.stored().ok_or(PACKED)?;
                self.count(length)?;
            }
            1 => {
                let literals: Vec<u8> = [(8, 144), (9, 112), (7, 24), (8, 8)]
                    .iter()
                    .flat_map(|&(bits, times)| std::iter::repeat_n(bits, times))
                    .collect();
                self.symbols(&Codes::new(&literals).ok_or(PACKED)?, &Codes::new(&[5; 32]).ok_or(PACKED)?)?;
            }
            2 => {
                let (literals, distances) = self.bits.codes().ok_or(PACKED)?;
                self.symbols(&literals, &distances)?;
            }
            _ => return Err(PACKED),
        }
        // Deflate ends a stream with an empty block when nothing is left, and writes no other without a flush.
        if self.plain == before && !last { Err(PACKED) } else { Ok(last) }
    }

    fn symbols(&mut self, literals: &Codes, distances: &Codes) -> Result<(), &'static str> {
        loop {
            match self.bits.symbol(literals).ok_or(PACKED)? {
                0..=255 => self.count(1)?,
                256 => return Ok(()),
                symbol => {
                    let length = self.bits.length(symbol).ok_or(PACKED)?;
                    self.bits.distance(distances).ok_or(PACKED)?;
                    self.count(length)?;
                }
            }
        }
    }

    fn count(&mut self, more: u32) -> Result<(), &'static str> {
        self.plain = self.plain.saturating_add(u64::from(more));
        if self.plain > self.at_most { Err(LENGTH) } else { Ok(()) }
    }
}

/// Bits of a deflate stream, the lowest first.
struct Bits<'a> {
    bytes: &'a [u8],
    hold: u64,
    held: u32,
}

impl Bits<'_> {
    fn fill(&mut self) {
        while self.held <= 56 {
            let Some((first, rest)) = self.bytes.split_first() else { return };
            self.hold |= u64::from(*first) << self.held;
            (self.held, self.bytes) = (self.held + 8, rest);
        }
    }

    /// Drops bits that were looked at; `None` if there are fewer.
    fn drop(&mut self, count: u32) -> Option<()> {
        self.held = self.held.checked_sub(count)?;
        self.hold >>= count;
        Some(())
    }

    /// The next bits as a number, at most 16.
    fn take(&mut self, count: u32) -> Option<u32> {
        self.fill();
        let value = self.hold & ((1 << count) - 1);
        self.drop(count)?;
        u32::try_from(value).ok()
    }

    fn symbol(&mut self, codes: &Codes) -> Option<u16> {
        self.fill();
        let found = *codes.0.get(usize::try_from(self.hold & 0x7fff).ok()?)?;
        self.drop(u32::from(found & 15))?;
        Some(found >> 4)
    }

    /// Skips to the next byte; what is skipped must be zero.
    fn align(&mut self) -> Option<()> {
        (self.take(self.held % 8)? == 0).then_some(())
    }

    /// The length of a stored block, which is skipped.
    fn stored(&mut self) -> Option<u32> {
        self.align()?;
        let (length, inverse) = (self.take(16)?, self.take(16)?);
        if length ^ inverse != 0xffff {
            return None;
        }
        // Only whole bytes are held, and at most six of them; what they do not cover is skipped at once.
        let held = (self.held / 8).min(length);
        self.drop(held * 8)?;
        self.bytes = self.bytes.get(usize::try_from(length - held).ok()?..)?;
        Some(length)
    }

    /// How many bytes a match has (RFC 1951, 3.2.5).
    fn length(&mut self, symbol: u16) -> Option<u32> {
        match u32::from(symbol).checked_sub(257)? {
            index @ 0..=7 => Some(index + 3),
            index @ 8..=27 => {
                let extra = (index - 4) / 4;
                let length = ((4 + index % 4) << extra) + 3 + self.take(extra)?;
                (length < 258).then_some(length)
            }
            28 => Some(258),
            _ => None,
        }
    }

    fn distance(&mut self, codes: &Codes) -> Option<()> {
        match u32::from(self.symbol(codes)?) {
            0..=1 => Some(()),
            symbol @ 2..=29 => self.take(symbol / 2 - 1).map(|_| ()),
            _ => None,
        }
    }

    /// The codes that stand before a block (RFC 1951, 3.2.7).
    fn codes(&mut self) -> Option<(Codes, Codes)> {
        const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        let literals = usize::try_from(self.take(5)? + 257).ok()?;
        let distances = usize::try_from(self.take(5)? + 1).ok()?;
        let count = usize::try_from(self.take(4)? + 4).ok()?;
        let mut lengths = [0_u8; 19];
        for place in ORDER.iter().take(count) {
            lengths[*place] = u8::try_from(self.take(3)?).ok()?;
        }
        let codes = Codes::new(&lengths)?;
        let mut lengths: Vec<u8> = Vec::with_capacity(320);
        while lengths.len() < literals + distances {
            let (value, times) = match self.symbol(&codes)? {
                16 => (*lengths.last()?, 3 + self.take(2)?),
                17 => (0, 3 + self.take(3)?),
                18 => (0, 11 + self.take(7)?),
                length => (u8::try_from(length).ok()?, 1),
            };
            lengths.extend(std::iter::repeat_n(value, usize::try_from(times).ok()?));
        }
        if lengths.len() != literals + distances {
            return None;
        }
        let (literals, distances) = lengths.split_at(literals);
        Some((Codes::new(literals)?, Codes::new(distances)?))
    }
}

/// For each 15 bits that may come next: the symbol they begin with (times 16) and how many bits it has.
struct Codes(Vec<u16>);

impl Codes {
    /// `None` unless the lengths make a complete code.
    fn new(lengths: &[u8]) -> Option<Self> {
        let mut table = vec![0_u16; 1 << 15];
        let mut next = 0_usize;
        for length in 1..=15_u8 {
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, l)| **l == length) {
                // Codes are counted as if all had 15 bits; they are read from the highest bit on.
                let first = u16::try_from(next).ok().filter(|code| *code < 1 << 15)?.reverse_bits() >> 1;
                let entry = u16::try_from(symbol).ok()? << 4 | u16::from(length);
                table.iter_mut().skip(usize::from(first)).step_by(1 << length).for_each(|place| *place = entry);
                next += 1 << (15 - length);
            }
        }
        (next == 1 << 15).then_some(Self(table))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::process::Command;

    use super::*;

    /// Runs a script with the path of a file as its argument; gives what it printed and what the file holds then.
    pub(super) fn python(script: &str, bytes: &[u8]) -> (String, Vec<u8>) {
        let file = tempfile::NamedTempFile::new().expect("a place for files");
        std::fs::write(file.path(), bytes).expect("written");
        let run = Command::new("python3").args(["-c", script]).arg(file.path()).output().expect("python3 is here");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        (String::from_utf8(run.stdout).expect("ASCII"), std::fs::read(file.path()).expect("there"))
    }

    /// Names and unpacked bytes of a container that is in order.
    pub(super) type Members = Vec<(Vec<u8>, Vec<u8>)>;

    /// Reads and unpacks everything.
    pub(super) fn unpack(bytes: &[u8]) -> Result<Members, Fault> {
        let unpacked = |entry: &Entry| Ok((bytes[entry.name.clone()].to_vec(), plain(bytes, entry, 1 << 30)?.into()));
        read(bytes)?.iter().map(unpacked).collect()
    }

    /// Every change of one byte must be noticed: an error, or other members than were written.
    pub(super) fn check_flips(bytes: &[u8]) {
        let whole = unpack(bytes).expect("in order");
        for at in 0..bytes.len() {
            for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                let mut changed = bytes.to_vec();
                changed[at] ^= flip;
                assert_ne!(unpack(&changed).as_ref(), Ok(&whole), "byte {at} with {flip}");
            }
        }
    }

    /// No beginning of a container may pass for a container.
    pub(super) fn check_truncations(bytes: &[u8]) {
        for length in 0..bytes.len() {
            assert!(unpack(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    fn chance(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    /// Bytes of many kinds: runs, words, chance, nothing.
    fn samples() -> Vec<Vec<u8>> {
        let mut state = 7;
        let mut samples = vec![Vec::new(), b"a".to_vec(), vec![0; 300], vec![9; 200_000]];
        for (length, letters) in [(5, 4), (1000, 256), (70_000, 3), (70_000, 256), (300_000, 20), (131_072, 256)] {
            samples.push((0..length).map(|_| (chance(&mut state) % letters) as u8).collect());
        }
        samples.push((0..40_000).flat_map(|n: u32| format!("{n},").into_bytes()).collect());
        samples
    }

    fn deflate(plain: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(level));
        plain.chunks(PIECE).for_each(|piece| encoder.write_all(piece).expect("memory"));
        encoder.finish().expect("memory")
    }

    fn entry(packed: &[u8], plain: &[u8]) -> Entry {
        let (method, mut crc) = (Method::Deflated, Crc::new());
        crc.update(plain);
        Entry { number: 0, name: 0..0, data: 0..packed.len(), method, plain: plain.len() as u64, crc: Some(crc.sum()) }
    }

    #[track_caller]
    fn check_name(name: &str, expected: Option<&str>) {
        assert_eq!(objection(name.as_bytes()), expected, "{name}");
    }

    #[test]
    fn names_have_a_grammar() {
        for name in ["a", "MANIFEST.json", "heap-1/part_2", ".a", "a/b/c.d", "...a", "-"] {
            check_name(name, None);
        }
        for name in ["", "a b", "a\0", "é", "a//b", "./a", "a/.", "a.", "a./b", "ab:c", "x\ny"] {
            check_name(name, Some(NAME));
        }
        check_name(&"a".repeat(100), None);
        check_name(&"a".repeat(101), Some(NAME));
    }

    #[test]
    fn names_that_lead_out_are_told_apart() {
        for name in ["..", "../x", "a/../../x", "a/..", "..\\x", "a\\..\\..\\x", "a/.. /x", ".../x"] {
            check_name(name, Some(OUTSIDE));
        }
        for name in ["/x", "//host/x", "C:\\x", "c:x", "\\x", "\\\\host\\x", "/../x"] {
            check_name(name, Some(ABSOLUTE));
        }
        check_name("a/", Some(DIRECTORY));
    }

    #[test]
    fn names_that_are_one_file_on_some_disks_are_one_name_and_there_is_a_bound() {
        let mut names = Names::default();
        assert_eq!(names.add(b"a/b"), Ok(()));
        assert_eq!(names.add(b"A/B"), Err(TWICE));
        assert_eq!(names.add(b"A"), Err(BELOW));
        assert_eq!(names.add(b"a/b/c"), Err(BELOW));
        assert_eq!(names.add(b"a/bc"), Ok(()));
        (2..MEMBERS).for_each(|n| names.add(format!("{n}").as_bytes()).expect("a new name"));
        assert_eq!(names.add(b"x"), Err(MORE));
    }

    #[test]
    fn a_fault_cannot_own_text() {
        fn is_copy<T: Copy>() {}
        is_copy::<Fault>();
        assert_eq!(Fault::refused(LINK, 0).to_string(), "refused: a symbolic link (member 1)");
    }

    #[test]
    fn everything_that_deflate_writes_is_walked_through() {
        for plain in samples() {
            for level in 0..=9 {
                let packed = deflate(&plain, level);
                assert_eq!(survey(&packed, u64::MAX), Ok(plain.len() as u64), "level {level}, {} bytes", plain.len());
                assert_eq!(super::plain(&packed, &entry(&packed, &plain), 1 << 20).expect("whole"), plain);
            }
        }
    }

    #[test]
    fn what_deflate_does_not_write_is_refused() {
        let stored = |last: u8, header: u8| [&[last | header, 1, 0, 0xfe, 0xff][..], b"a"].concat();
        assert_eq!(survey(&stored(1, 0), 9), Ok(1));
        assert_eq!(survey(&[stored(0, 0), stored(1, 0)].concat(), 9), Ok(2));
        assert_eq!(survey(&stored(1, 0b1000), 9), Err(PACKED), "padding before a stored block");
        assert_eq!(survey(&[0x03, 0x00], 9), Ok(0));
        assert_eq!(survey(&[0x03, 0x04], 9), Err(PACKED), "padding at the end");
        assert_eq!(survey(&[0x03, 0x00, 0x00], 9), Err(PACKED), "a byte behind the end");
        assert_eq!(survey(&[&[0, 0, 0, 0xff, 0xff][..], &[3, 0]].concat(), 9), Err(PACKED), "a block without content");
        assert_eq!(survey(&[0x07], 9), Err(PACKED), "a kind of block that does not exist");
        assert_eq!(survey(&[], 9), Err(PACKED), "nothing");
        assert!(Codes::new(&[1, 1]).is_some());
        assert!(Codes::new(&[1, 0]).is_none(), "one code is missing");
        assert!(Codes::new(&[1, 1, 1]).is_none(), "one code too many");
        assert!(Codes::new(&[]).is_none() && Codes::new(&[0; 30]).is_none());
        assert!(Codes::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15]).is_some());
    }

    #[test]
    fn damaged_streams_never_panic_and_the_walk_agrees_with_inflate() {
        let mut state = 3;
        let plain: Vec<u8> = (0..700_u32).flat_map(|n| format!("{},", n * n).into_bytes()).collect();
        let packed = deflate(&plain, 6);
        for _ in 0..3000 {
            let mut changed = packed.clone();
            let at = chance(&mut state) as usize % changed.len();
            changed[at] ^= 1 << (chance(&mut state) % 8);
            let Ok(length) = survey(&changed, 1 << 20) else { continue };
            let mut inflated = Vec::new();
            // The walk does not look at distances, so inflate may refuse more.
            if DeflateDecoder::new(&changed[..]).read_to_end(&mut inflated).is_ok() {
                assert_eq!(inflated.len() as u64, length);
            }
        }
    }

    #[test]
    fn a_false_checksum_is_noticed_with_the_last_byte() {
        let packed = deflate(b"made up", 6);
        let entry = Entry { crc: Some(1), ..entry(&packed, b"made up") };
        let error = reader(&packed, &entry).expect("whole").read_exact(&mut [0; 7]).expect_err("false");
        assert_eq!(Fault::of(&error), Some(Fault::damaged(SUM, 0)));
    }

    #[test]
    fn a_member_has_the_length_that_it_says() {
        let plain = b"made up, made up, made up";
        let packed = deflate(plain, 6);
        for length in [0, 1, plain.len() as u64 - 1, plain.len() as u64 + 1, u64::MAX] {
            let entry = Entry { plain: length, ..entry(&packed, plain) };
            assert!(reader(&packed, &entry).is_err() && super::plain(&packed, &entry, 1 << 20).is_err(), "{length}");
        }
        let whole = entry(&packed, plain);
        assert_eq!(super::plain(&packed, &whole, 24), Err(Fault::refused(LARGE, 0)));
        assert!(super::plain(&packed[1..], &whole, 99).is_err(), "a range outside");
    }

    #[test]
    fn small_reads_give_the_same_bytes() {
        let plain = samples().pop().expect("some");
        let packed = deflate(&plain, 6);
        let (mut reader, mut got) = (reader(&packed, &entry(&packed, &plain)).expect("whole"), Vec::new());
        let mut into = [0; 1000];
        for size in (0..=1000).cycle() {
            let n = reader.read(&mut into[..size]).expect("whole");
            got.extend_from_slice(&into[..n]);
            if n == 0 && size > 0 {
                break;
            }
        }
        assert_eq!(got, plain);
    }

    #[test]
    fn both_kinds_are_known_by_their_bytes() {
        let zip = Container::Zip(zip::Writer::new(Vec::new(), 6));
        let tar = Container::Tar(tar::Writer::new(Vec::new()));
        for mut container in [zip, tar] {
            container.add("a/b.json", Method::Deflated, &mut Cursor::new(b"made up")).expect("memory");
            let bytes = container.finish().expect("memory");
            assert_eq!(unpack(&bytes), Ok(vec![(b"a/b.json".to_vec(), b"made up".to_vec())]));
        }
        for other in [&b""[..], b"PK", b"{\"snapshot\":", &[0; 600], &[0x1f, 0x8b, 8]] {
            assert_eq!(read(other), Err(Fault::NotThis));
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let mut state = 11;
        for round in 0..2000 {
            let mut bytes: Vec<u8> = (0..1200).map(|_| chance(&mut state) as u8).collect();
            let start: &[u8] = if round % 2 == 0 { b"PK\x03\x04" } else { b"PK\x05\x06" };
            bytes[..4].copy_from_slice(start);
            let end = bytes.len() - 22;
            bytes[end..end + 4].copy_from_slice(b"PK\x05\x06");
            assert!(unpack(&bytes).is_err());
            bytes[..4].copy_from_slice(b"name");
            bytes[4..257].fill(0);
            bytes[257..262].copy_from_slice(b"ustar");
            assert!(tar::read(&bytes).is_err());
        }
    }
}
