//! The containers in which results are shared: a strict zip and a strict tar, as bytes and numbers.
//!
//! The readers accept only what the writers write. A header that is not byte for byte what the writer would have
//! written for its numbers is refused, so nothing hides in comments, extra fields, gaps or headers that disagree.
//! No text leaves this module: names are places in the bytes, faults are static words and numbers.

mod deflate;
pub(crate) mod tar;
pub(crate) mod zip;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use self::deflate::survey;

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

#[cfg(test)]
mod tests;
