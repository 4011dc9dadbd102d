//! The zip of a bundle (APPNOTE 6.3): headers with true sizes, one after the other, and nothing else.
//!
//! Every header is made by one function from a name and numbers. The writer writes what it makes; the reader makes it
//! again from the numbers it found and compares, so both cannot disagree about what is allowed.

use std::io::{self, Read, Seek, Write};
use std::ops::Range;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::{
    Added, BOMB, DIRECTORY, Entry, Fault, HEADER, LENGTH, LINK, MEMBERS, MORE, Method, Names, STRAY, broken,
    each_piece, far_more, source_changed,
};

const ENCRYPTED: &str = "an encrypted member";
const METHOD: &str = "a way of packing that no bundle uses";
const OVERLAP: &str = "members that overlap";
const TWO_NAMES: &str = "two names for one member";
const NO_END: &str = "an end that is missing or cut off";
const LIST: &str = "a list of members that is not whole";

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const WIDE_END: &[u8] = b"PK\x06\x06";
const WIDE_PLACE: &[u8] = b"PK\x06\x07";

/// Bytes of an end record without a comment.
const END_BYTES: usize = 22;
/// Bytes of the two records that stand before it when a number needs more than 32 bits.
const WIDE_END_BYTES: usize = 56 + 20;
/// What stands in a 32-bit field whose number stands in the extra field.
const ELSEWHERE: u32 = u32::MAX;
/// 1 January 1980, the first day that the format knows.
const DATE: u16 = 0x21;
/// A file that only its owner reads and writes.
const ATTRIBUTES: u32 = 0o100_600 << 16;

/// Writes a zip to anything, without seeking in it.
pub(crate) struct Writer<W> {
    out: W,
    level: Compression,
    names: Names,
    /// The list of members, which goes behind them.
    list: Vec<u8>,
    /// Bytes written; `None` once something failed in the middle of a member.
    at: Option<u64>,
}

impl<W: Write> Writer<W> {
    /// An empty zip; the level of deflate is 0 to 9.
    pub(crate) fn new(out: W, level: u32) -> Self {
        Self { out, level: Compression::new(level.min(9)), names: Names::default(), list: Vec::new(), at: Some(0) }
    }

    /// Adds a member: the whole source, from its beginning. The source is read twice, first for the numbers of the
    /// header. After an error the zip cannot be finished, unless it was only the name that was refused.
    pub(crate) fn add(&mut self, name: &str, method: Method, source: &mut (impl Read + Seek)) -> io::Result<Added> {
        let at = self.at.ok_or_else(broken)?;
        self.names.add_new(name)?;
        self.at = None;
        let mut header = pack(source, method, self.level, io::sink())?;
        if method == Method::Deflated && far_more(header.packed, header.plain) {
            header = pack(source, Method::Stored, self.level, io::sink())?;
        }
        header.offset = at;
        let local = header.local(name.as_bytes());
        self.out.write_all(&local)?;
        let again = pack(source, header.method, self.level, &mut self.out)?;
        if again != (Header { offset: 0, ..header }) {
            return Err(source_changed());
        }
        self.list.extend(header.central(name.as_bytes()));
        let end = at.checked_add(local.len() as u64).and_then(|end| end.checked_add(header.packed));
        self.at = Some(end.ok_or(io::ErrorKind::FileTooLarge)?);
        Ok(Added { packed: header.packed, plain: header.plain, method: header.method })
    }

    /// Writes the list of members and the end, and gives back what it was written to.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let at = self.at.ok_or_else(broken)?;
        self.out.write_all(&self.list)?;
        self.out.write_all(&end(self.names.members.len() as u64, self.list.len() as u64, at))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Packs a source, and says what it came to.
fn pack(from: &mut (impl Read + Seek), method: Method, level: Compression, mut out: impl Write) -> io::Result<Header> {
    let (plain, crc, packed) = match method {
        Method::Stored => {
            let (plain, crc) = each_piece(from, |piece| out.write_all(piece))?;
            (plain, crc, plain)
        }
        Method::Deflated => {
            let mut encoder = DeflateEncoder::new(out, level);
            let (plain, crc) = each_piece(from, |piece| encoder.write_all(piece))?;
            encoder.try_finish()?;
            (plain, crc, encoder.total_out())
        }
    };
    Ok(Header { method, crc, packed, plain, offset: 0 })
}

/// The numbers of a member, from which its two headers are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    method: Method,
    crc: u32,
    packed: u64,
    plain: u64,
    offset: u64,
}

impl Header {
    /// Does one of the sizes need more than 32 bits? Then both stand in the extra field, as the local header demands.
    fn has_wide_sizes(self) -> bool {
        narrow(self.packed).is_none() || narrow(self.plain).is_none()
    }

    /// The numbers that stand in the extra field of the list.
    fn wide(self) -> Vec<u64> {
        let mut wide = Vec::new();
        if self.has_wide_sizes() {
            wide.extend([self.plain, self.packed]);
        }
        if narrow(self.offset).is_none() {
            wide.push(self.offset);
        }
        wide
    }

    /// The part that both headers share, from the version on.
    fn shared(self, name: &[u8], wide: &[u64]) -> Vec<u8> {
        let size = |size| if self.has_wide_sizes() { ELSEWHERE } else { narrow(size).unwrap_or(ELSEWHERE) };
        let method: u16 = if self.method == Method::Deflated { 8 } else { 0 };
        let mut out = Vec::new();
        for word in [version(wide), 0, method, 0, DATE] {
            out.extend(word.to_le_bytes());
        }
        for word in [self.crc, size(self.packed), size(self.plain)] {
            out.extend(word.to_le_bytes());
        }
        out.extend(length(name).to_le_bytes());
        out.extend(length(&extra(wide)).to_le_bytes());
        out
    }

    /// The header before the member.
    fn local(self, name: &[u8]) -> Vec<u8> {
        let wide = if self.has_wide_sizes() { vec![self.plain, self.packed] } else { Vec::new() };
        [LOCAL, &self.shared(name, &wide), name, &extra(&wide)].concat()
    }

    /// The header in the list.
    fn central(self, name: &[u8]) -> Vec<u8> {
        let wide = self.wide();
        let made_by = 3 << 8 | version(&wide);
        let mut out = [CENTRAL, &made_by.to_le_bytes(), &self.shared(name, &wide)].concat();
        // No comment, on the first disk, no inner attributes.
        out.extend([0; 6]);
        out.extend(ATTRIBUTES.to_le_bytes());
        out.extend(narrow(self.offset).unwrap_or(ELSEWHERE).to_le_bytes());
        out.extend(name);
        out.extend(extra(&wide));
        out
    }
}

/// A number that its 32-bit field can hold.
fn narrow(number: u64) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| *number != ELSEWHERE)
}

/// The version that is needed to read a header.
fn version(wide: &[u64]) -> u16 {
    if wide.is_empty() { 20 } else { 45 }
}

/// The extra field with wide numbers; nothing if there are none.
fn extra(wide: &[u64]) -> Vec<u8> {
    if wide.is_empty() {
        return Vec::new();
    }
    let numbers: Vec<u8> = wide.iter().flat_map(|number| number.to_le_bytes()).collect();
    [&1_u16.to_le_bytes()[..], &length(&numbers).to_le_bytes(), &numbers].concat()
}

/// The length of a name or an extra field, which are short. What does not fit becomes a number that no reader takes.
fn length(bytes: &[u8]) -> u16 {
    u16::try_from(bytes.len()).unwrap_or(u16::MAX)
}

/// Everything behind the list of members.
fn end(count: u64, list_bytes: u64, list_at: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if narrow(list_bytes).is_none() || narrow(list_at).is_none() {
        out.extend(WIDE_END);
        out.extend(44_u64.to_le_bytes());
        out.extend([45, 3, 45, 0]);
        out.extend([0; 8]);
        for number in [count, count, list_bytes, list_at] {
            out.extend(number.to_le_bytes());
        }
        out.extend(WIDE_PLACE);
        out.extend([0; 4]);
        out.extend(list_at.saturating_add(list_bytes).to_le_bytes());
        out.extend(1_u32.to_le_bytes());
    }
    let members = u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes();
    out.extend(END);
    out.extend([0; 4]);
    out.extend([members, members].concat());
    out.extend(narrow(list_bytes).unwrap_or(ELSEWHERE).to_le_bytes());
    out.extend(narrow(list_at).unwrap_or(ELSEWHERE).to_le_bytes());
    out.extend([0; 2]);
    out
}

/// Reads the layout of a zip: what is dangerous first, so that it is told by its name, then byte for byte.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Entry>, Fault> {
    let begins = bytes.starts_with(LOCAL) || bytes.starts_with(END);
    let Some(tail) = Tail::find(bytes) else {
        return Err(if !begins {
            Fault::NotThis
        } else if has_end_before(bytes) {
            Fault::Refused { what: STRAY, entry: None }
        } else {
            Fault::Damaged { what: NO_END, entry: None }
        });
    };
    let place = tail.list(bytes, begins)?;
    let list = bytes.get(place.clone()).ok_or(Fault::Damaged { what: LIST, entry: None })?;
    let records = records(list, tail.count)?;
    check_names(&records)?;

    let (mut entries, mut at) = (Vec::with_capacity(records.len()), 0);
    for (number, record) in (0..).zip(&records) {
        let entry = member(bytes, place.start, record, at, number)?;
        at = entry.data.end;
        entries.push(entry);
    }
    if at != place.start {
        return Err(Fault::Refused { what: STRAY, entry: None });
    }
    Ok(entries)
}

/// What the end of a zip says.
struct Tail {
    count: u64,
    list_bytes: u64,
    list_at: u64,
    /// Where the records of the end begin.
    at: usize,
}

impl Tail {
    /// The end that stands at the very end.
    fn find(bytes: &[u8]) -> Option<Self> {
        let at = bytes.len().checked_sub(END_BYTES)?;
        let end = bytes.get(at..).filter(|end| end.starts_with(END))?;
        let (count, size, offset) = (u16_at(end, 10)?, u32_at(end, 12)?, u32_at(end, 16)?);
        if size == ELSEWHERE || offset == ELSEWHERE || count == u16::MAX {
            let wide_at = at.checked_sub(WIDE_END_BYTES);
            let wide = wide_at.and_then(|at| bytes.get(at..)).filter(|wide| wide.starts_with(WIDE_END));
            if let (Some(at), Some(wide)) = (wide_at, wide) {
                let (count, list_bytes, list_at) = (u64_at(wide, 32)?, u64_at(wide, 40)?, u64_at(wide, 48)?);
                return Some(Self { count, list_bytes, list_at, at });
            }
        }
        Some(Self { count: count.into(), list_bytes: size.into(), list_at: offset.into(), at })
    }

    /// Where the list of members stands, if this end is as it was written.
    fn list(&self, bytes: &[u8], begins: bool) -> Result<Range<usize>, Fault> {
        let damaged = Fault::Damaged { what: LIST, entry: None };
        if self.count > MEMBERS as u64 {
            return Err(Fault::Refused { what: MORE, entry: None });
        }
        let size = usize::try_from(self.list_bytes).map_err(|_| damaged)?;
        let start = self.at.checked_sub(size).ok_or(damaged)?;
        if !begins || self.list_at < start as u64 {
            return Err(Fault::Refused { what: STRAY, entry: None });
        }
        if self.list_at > start as u64 {
            return Err(damaged);
        }
        if bytes.get(self.at..) != Some(&end(self.count, self.list_bytes, self.list_at)) {
            return Err(Fault::Damaged { what: HEADER, entry: None });
        }
        Ok(start..self.at)
    }
}

/// Is there an end with something behind it, as much as a comment can have?
fn has_end_before(bytes: &[u8]) -> bool {
    let from = bytes.len().saturating_sub(END_BYTES + usize::from(u16::MAX));
    bytes.get(from..).is_some_and(|last| memchr::memmem::find(last, END).is_some())
}

/// One header in the list, as it stands there.
struct Record<'a> {
    /// All its bytes.
    whole: &'a [u8],
    name: &'a [u8],
    flags: u16,
    method: u16,
    attributes: u32,
    /// Does it hold more than a name and the extra field that its numbers ask for?
    has_more: bool,
    crc: u32,
    packed: u64,
    plain: u64,
    offset: u64,
}

/// Cuts the list into its headers.
fn records(mut list: &[u8], count: u64) -> Result<Vec<Record<'_>>, Fault> {
    let mut records = Vec::new();
    for number in 0..count {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let record = Record::parse(list).ok_or(Fault::damaged(LIST, number))?;
        list = list.get(record.whole.len()..).ok_or(Fault::damaged(LIST, number))?;
        records.push(record);
    }
    if list.is_empty() { Ok(records) } else { Err(Fault::Refused { what: STRAY, entry: None }) }
}

impl<'a> Record<'a> {
    fn parse(list: &'a [u8]) -> Option<Self> {
        let fixed = list.get(..46).filter(|fixed| fixed.starts_with(CENTRAL))?;
        let lengths = [u16_at(fixed, 28)?, u16_at(fixed, 30)?, u16_at(fixed, 32)?].map(usize::from);
        let (name, rest) = list.get(46..)?.split_at_checked(lengths[0])?;
        let (extra_field, _) = rest.split_at_checked(lengths[1])?;
        let whole = list.get(..46 + lengths.iter().sum::<usize>())?;

        // Wide numbers stand in a fixed order, and only those that are not in their own field.
        let mut wide = extra_field.get(4..).unwrap_or_default();
        let mut used = Vec::new();
        let mut number = |at| {
            let narrow = u32_at(fixed, at)?;
            let Some(number) = u64_at(wide, 0).filter(|_| narrow == ELSEWHERE) else { return Some(narrow.into()) };
            wide = wide.get(8..).unwrap_or_default();
            used.push(number);
            Some(number)
        };
        let (plain, packed, offset) = (number(24)?, number(20)?, number(42)?);
        Some(Self {
            whole,
            name,
            flags: u16_at(fixed, 8)?,
            method: u16_at(fixed, 10)?,
            attributes: u32_at(fixed, 38)?,
            has_more: lengths[2] > 0 || extra_field != extra(&used),
            crc: u32_at(fixed, 16)?,
            packed,
            plain,
            offset,
        })
    }
}

/// What is dangerous or hidden in the list, told by its name.
fn check_names(records: &[Record<'_>]) -> Result<(), Fault> {
    let mut names = Names::default();
    for (number, record) in (0..).zip(records) {
        // Bit 0: encrypted; 6: strongly; 13: the list itself is.
        if record.flags & (1 | 1 << 6 | 1 << 13) != 0 {
            return Err(Fault::refused(ENCRYPTED, number));
        }
        names.add(record.name).map_err(|what| Fault::refused(what, number))?;
        match (record.attributes >> 16) & 0o170_000 {
            0o120_000 => return Err(Fault::refused(LINK, number)),
            0o040_000 => return Err(Fault::refused(DIRECTORY, number)),
            _ => {}
        }
        // The same for programs of DOS, which have no links.
        if record.attributes & 0x10 != 0 {
            return Err(Fault::refused(DIRECTORY, number));
        }
        if record.has_more {
            return Err(Fault::refused(STRAY, number));
        }
    }
    Ok(())
}

/// Compares the two headers of a member with what the writer would have written, at the place where it must begin.
fn member(bytes: &[u8], list_at: usize, record: &Record<'_>, at: usize, number: u32) -> Result<Entry, Fault> {
    let method = match record.method {
        0 => Method::Stored,
        8 => Method::Deflated,
        _ => return Err(Fault::refused(METHOD, number)),
    };
    if record.offset != at as u64 {
        return Err(Fault::refused(if record.offset < at as u64 { OVERLAP } else { STRAY }, number));
    }
    if far_more(record.packed, record.plain) {
        return Err(Fault::refused(BOMB, number));
    }
    let Record { crc, packed, plain, offset, .. } = *record;
    let header = Header { method, crc, packed, plain, offset };
    let local = header.local(record.name);
    let damaged = Fault::damaged(LENGTH, number);
    let start = at.checked_add(local.len()).ok_or(damaged)?;
    let end = usize::try_from(packed).ok().and_then(|packed| start.checked_add(packed)).ok_or(damaged)?;
    if end > list_at || (method == Method::Stored && packed != plain) {
        return Err(damaged);
    }
    let name = at + 30..at + 30 + record.name.len();
    let has_same_length = bytes.get(at + 26..at + 28) == Some(&length(record.name).to_le_bytes());
    if !has_same_length || bytes.get(name.clone()) != Some(record.name) {
        return Err(Fault::refused(TWO_NAMES, number));
    }
    if bytes.get(at..start) != Some(&local) || record.whole != header.central(record.name) {
        return Err(Fault::damaged(HEADER, number));
    }
    Ok(Entry { number, name, data: start..end, method, plain, crc: Some(crc) })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests;
