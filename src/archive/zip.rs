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
mod tests {
    use std::io::Cursor;

    use flate2::Crc;

    use super::super::tests::{check_flips, check_truncations, python, unpack};
    use super::super::{ABSOLUTE, BELOW, NAME, OUTSIDE, PACKED, SUM, TWICE, plain, reader};
    use super::*;

    const TEXT: &[u8] = b"{\"made\":\"up\",\"list\":[1,2,3,4],\"more\":\"made up, and made up again\"}";
    const MEMBERS: [(&str, Method, &[u8]); 4] = [
        ("MANIFEST.json", Method::Deflated, TEXT),
        ("heap/1.heapsnapshot", Method::Stored, TEXT),
        ("empty", Method::Deflated, b""),
        ("a.md", Method::Stored, b"# made up"),
    ];

    fn zip(members: &[(&str, Method, &[u8])]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), 6);
        for (name, method, plain) in members {
            writer.add(name, *method, &mut Cursor::new(plain)).expect("memory");
        }
        writer.finish().expect("memory")
    }

    type Change<'a> = &'a dyn Fn(&mut Vec<u8>);
    const SAME: Change<'_> = &|_| ();

    /// A zip of stored members, put together by hand, each with a change of its header in the list.
    fn by_hand(members: &[(&[u8], Change<'_>)]) -> Vec<u8> {
        let (mut out, mut list) = (Vec::new(), Vec::new());
        for (name, change) in members {
            let header = stored(out.len() as u64);
            out.extend([&header.local(name), TEXT].concat());
            let mut central = header.central(name);
            change(&mut central);
            list.extend(central);
        }
        let end = end(members.len() as u64, list.len() as u64, out.len() as u64);
        [out, list, end].concat()
    }

    fn stored(offset: u64) -> Header {
        let mut crc = Crc::new();
        crc.update(TEXT);
        let length = TEXT.len() as u64;
        Header { method: Method::Stored, crc: crc.sum(), packed: length, plain: length, offset }
    }

    /// A zip of one member with these numbers and these packed bytes.
    fn one(header: Header, packed: &[u8]) -> Vec<u8> {
        let list = header.central(b"a");
        let out = [&header.local(b"a"), packed].concat();
        let end = end(1, list.len() as u64, out.len() as u64);
        [out, list, end].concat()
    }

    #[track_caller]
    fn check(bytes: &[u8], what: &str) {
        match unpack(bytes) {
            Err(Fault::Refused { what: found, .. } | Fault::Damaged { what: found, .. }) => assert_eq!(found, what),
            other => panic!("{other:?}"),
        }
    }

    /// Where something stands for the `nth` time.
    fn place(bytes: &[u8], what: &[u8], nth: usize) -> usize {
        memchr::memmem::find_iter(bytes, what).nth(nth).expect("there")
    }

    /// A zip that python makes: `z` is the file, `i` the next member.
    fn by_python(body: &str) -> Vec<u8> {
        let script = format!(
            "import sys, zipfile\ni = zipfile.ZipInfo('a')\nz = zipfile.ZipFile(sys.argv[1], 'w')\n{body}\nz.close()"
        );
        python(&script, b"").1
    }

    #[test]
    fn what_is_written_is_read() {
        for count in 0..=MEMBERS.len() {
            let bytes = zip(&MEMBERS[..count]);
            let expected = MEMBERS[..count].iter().map(|(name, _, plain)| (name.as_bytes().to_vec(), plain.to_vec()));
            assert_eq!(unpack(&bytes), Ok(expected.collect()));
            let entries = read(&bytes).expect("whole");
            assert!(entries.iter().zip(&MEMBERS).all(|(entry, member)| entry.method == member.1));
        }
    }

    #[test]
    fn two_runs_write_the_same_bytes_whatever_the_reads() {
        let large: Vec<u8> = (0..200_000_u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect();
        let members = [("a", Method::Deflated, &large[..]), ("b", Method::Stored, &large[..])];
        assert_eq!(zip(&members), zip(&members));
        let mut writer = Writer::new(Vec::new(), 6);
        for (name, method, plain) in members {
            writer.add(name, method, &mut Odd(Cursor::new(plain.to_vec()), false)).expect("memory");
        }
        assert_eq!(writer.finish().expect("memory"), zip(&members));
    }

    /// A source that gives few bytes at a time, and other bytes after each seek if its second field says so.
    struct Odd(Cursor<Vec<u8>>, bool);

    impl Read for Odd {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let room = into.len().min(777);
            self.0.read(&mut into[..room])
        }
    }

    impl Seek for Odd {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.0.get_mut().iter_mut().for_each(|byte| *byte ^= u8::from(self.1));
            self.0.seek(to)
        }
    }

    #[test]
    fn python_reads_what_is_written() {
        let script = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n\
            for i in z.infolist(): print(i.filename, i.file_size, i.compress_type, i.date_time, oct(i.external_attr >> 16))";
        let expected = format!(
            "MANIFEST.json {0} 8 (1980, 1, 1, 0, 0, 0) 0o100600\nheap/1.heapsnapshot {0} 0 (1980, 1, 1, 0, 0, 0) 0o100600\n\
             empty 0 8 (1980, 1, 1, 0, 0, 0) 0o100600\na.md 9 0 (1980, 1, 1, 0, 0, 0) 0o100600\n",
            TEXT.len()
        );
        assert_eq!(python(script, &zip(&MEMBERS)).0, expected);
        assert_eq!(python(script, &zip(&[])).0, "");
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        check_flips(&zip(&MEMBERS));
        check_flips(&zip(&[]));
    }

    #[test]
    fn every_truncation_is_noticed() {
        check_truncations(&zip(&MEMBERS));
        // Even where the beginning ends like a zip.
        let inner = zip(&MEMBERS[..1]);
        check_truncations(&zip(&[("inner.zip", Method::Stored, &inner)]));
    }

    #[test]
    fn hostile_names_are_told_by_name() {
        for name in [&b"../x"[..], b"a/../../x", b"..\\x"] {
            check(&by_hand(&[(b"first", SAME), (name, SAME)]), OUTSIDE);
        }
        for name in [&b"/x"[..], b"C:\\x", b"\\\\host\\x"] {
            check(&by_hand(&[(name, SAME)]), ABSOLUTE);
        }
        check(&by_hand(&[(b"a/", SAME)]), DIRECTORY);
        check(&by_hand(&[(b"a b", SAME)]), NAME);
        check(&by_hand(&[(b"", SAME)]), NAME);
        check(&by_hand(&[(b"a/b", SAME), (b"a/b", SAME)]), TWICE);
        check(&by_hand(&[(b"a", SAME), (b"a/b", SAME)]), BELOW);
        assert_eq!(read(&by_hand(&[(b"a", SAME), (b"A", SAME)])), Err(Fault::refused(TWICE, 1)));
    }

    #[test]
    fn hostile_members_are_told_by_name() {
        let change = |at: usize, byte: u8| by_hand(&[(b"a", &move |central: &mut Vec<u8>| central[at] = byte)]);
        check(&change(41, 0o120 << 1), LINK);
        check(&change(41, 0o040 << 1), DIRECTORY);
        check(&change(38, 0x10), DIRECTORY);
        check(&change(8, 1), ENCRYPTED);
        check(&change(9, 0x20), ENCRYPTED);
        check(&change(10, 12), METHOD);
        check(&change(8, 8), HEADER);
        check(&change(9, 8), HEADER);
        check(&change(4, 45), HEADER);
        check(&change(42, 1), STRAY);
        check(&by_hand(&[(b"a", SAME), (b"b", &|central| central[42] = 0)]), OVERLAP);
    }

    #[test]
    fn python_makes_what_is_refused() {
        check(&by_python("z.writestr('../x', b'1')"), OUTSIDE);
        check(&by_python("z.writestr('a', b'1'); z.writestr('/x', b'1')"), ABSOLUTE);
        check(&by_python("i.external_attr = 0o120777 << 16; z.writestr(i, '/etc/passwd')"), LINK);
        check(&by_python("z.writestr('d/', b'')"), DIRECTORY);
        check(&by_python("z.writestr('a', b'1'); z.writestr('A', b'2')"), TWICE);
        check(&by_python("i.extra = b'UT\\x01\\x00x'; z.writestr(i, b'1')"), STRAY);
        check(&by_python("i.comment = b'hidden'; z.writestr(i, b'1')"), STRAY);
        check(&by_python("z.comment = b'hidden'; z.writestr(i, b'1')"), STRAY);
        check(&by_python("z.writestr(i, b'1', zipfile.ZIP_BZIP2)"), METHOD);
        check(&by_python("z.writestr(i, b'1')"), HEADER);
        check(&by_python("f = z.open(i, 'w', force_zip64=True); f.write(b'1'); f.close()"), HEADER);
        check(&by_python("for n in range(10001): z.writestr(str(n), b'')"), MORE);
        let unseekable = "class Out:\n def __init__(s): s.f = open(sys.argv[1], 'wb')\n def write(s, b): return s.f.write(b)\n\
             \x20def flush(s): s.f.flush()\nz = zipfile.ZipFile(Out(), 'w'); z.writestr(i, b'1')";
        check(&by_python(unseekable), HEADER);
    }

    #[test]
    fn nothing_hides_beside_the_members() {
        let whole = zip(&MEMBERS);
        check(&[b"#!/bin/sh\n", &whole[..]].concat(), STRAY);
        check(&[&whole[..], b"\n"].concat(), STRAY);
        check(&[&whole[..], &whole[..]].concat(), STRAY);
        // A gap: the second header, the list or the end, moved by one byte.
        for (what, nth) in [(LOCAL, 0), (LOCAL, 1), (CENTRAL, 0), (END, 0)] {
            let at = place(&whole, what, nth);
            assert!(unpack(&[&whole[..at], b"x", &whole[at..]].concat()).is_err());
        }
        let (first, second) = (by_hand(&[(b"a", SAME)]), stored(200));
        let mut out = first[..place(&first, CENTRAL, 0)].to_vec();
        out.resize(200, b'x');
        out.extend([&second.local(b"b"), TEXT].concat());
        let list = [stored(0).central(b"a"), second.central(b"b")].concat();
        let end = end(2, list.len() as u64, out.len() as u64);
        check(&[out, list, end].concat(), STRAY);
        // A comment that looks like the end of an empty zip.
        let mut bytes = whole.clone();
        bytes[whole.len() - 2] = 22;
        check(&[&bytes[..], &super::end(0, 0, 0)].concat(), STRAY);
    }

    #[test]
    fn the_two_headers_of_a_member_agree() {
        let whole = zip(&MEMBERS[3..]);
        let mut bytes = whole.clone();
        bytes[30] = b'b';
        check(&bytes, TWO_NAMES);
        let mut bytes = whole;
        bytes[34] ^= 1;
        check(&bytes, SUM);
    }

    #[test]
    fn wide_numbers_stand_in_the_extra_field_only_when_they_must() {
        let edge = u64::from(ELSEWHERE);
        let wide = |packed, plain, offset| Header { packed, plain, ..stored(offset) }.wide();
        assert!(wide(edge - 1, edge - 1, edge - 1).is_empty());
        assert_eq!(wide(1, edge, 0), [edge, 1]);
        assert_eq!(wide(edge, 1, 0), [1, edge]);
        assert_eq!(wide(1, 2, edge), [edge]);
        assert_eq!(wide(edge, edge + 1, edge + 2), [edge + 1, edge, edge + 2]);
        for (numbers, local, central) in [((1, 2, 3), 31, 47), ((1, edge, 3), 51, 67), ((1, 2, edge), 31, 59)] {
            let header = Header { packed: numbers.0, plain: numbers.1, ..stored(numbers.2) };
            assert_eq!((header.local(b"a").len(), header.central(b"a").len()), (local, central));
        }
        assert_eq!(end(1, 2, edge - 1).len(), END_BYTES);
        assert_eq!(end(1, 2, edge).len(), END_BYTES + WIDE_END_BYTES);
    }

    #[test]
    fn wide_numbers_are_read_back() {
        let edge = u64::from(ELSEWHERE);
        for (packed, plain, offset) in
            [(1, 2, 3), (1, edge, 3), (edge, 1, edge), (1, 2, edge), (edge + 7, 1 << 40, 1 << 50)]
        {
            let header = Header { packed, plain, ..stored(offset) };
            let list = header.central(b"a");
            let record = Record::parse(&list).expect("whole");
            assert_eq!((record.packed, record.plain, record.offset, record.has_more), (packed, plain, offset, false));
            assert_eq!(record.whole.len(), list.len());
        }
        for (count, size, at) in [(1, 2, 3), (1, 2, edge), (9, 100, 1 << 50)] {
            let bytes = [vec![0; 100], end(count, size, at)].concat();
            let tail = Tail::find(&bytes).expect("whole");
            assert_eq!((tail.count, tail.list_bytes, tail.list_at, tail.at), (count, size, at, 100));
        }
    }

    #[test]
    fn lies_in_wide_numbers_are_noticed() {
        let edge = u64::from(ELSEWHERE);
        // Wide sizes that are told as they must be, and are not there.
        check(&one(Header { packed: edge, plain: edge, ..stored(0) }, TEXT), LENGTH);
        check(&one(Header { packed: u64::MAX, plain: u64::MAX, ..stored(0) }, TEXT), LENGTH);
        check(&one(stored(edge), TEXT), STRAY);
        // The mark without the extra field.
        for at in [20, 24, 42] {
            let mark = |central: &mut Vec<u8>| central[at..at + 4].fill(0xff);
            assert!(read(&by_hand(&[(b"a", &mark)])).is_err(), "{at}");
        }
        // A size in the extra field that had room in its own.
        let moved = |central: &mut Vec<u8>| {
            central[20..28].fill(0xff);
            central[30] = 20;
            central.extend(extra(&[TEXT.len() as u64; 2]));
        };
        check(&by_hand(&[(b"a", &moved)]), HEADER);
        // An extra field that no number asks for.
        let added = |central: &mut Vec<u8>| {
            central[30] = 12;
            central.extend(extra(&[7]));
        };
        check(&by_hand(&[(b"a", &added)]), STRAY);
        // A wide end that had room in the plain one, and marks in the end without a wide one.
        let whole = zip(&MEMBERS[3..]);
        let at = place(&whole, END, 0);
        let mut wide = end(1, 50, edge);
        wide[48..56].copy_from_slice(&(place(&whole, CENTRAL, 0) as u64).to_le_bytes());
        check(&[&whole[..at], &wide].concat(), HEADER);
        for mark in [at + 8..at + 10, at + 10..at + 12, at + 12..at + 16, at + 16..at + 20] {
            let mut bytes = whole.clone();
            bytes[mark].fill(0xff);
            assert!(read(&bytes).is_err());
        }
    }

    #[test]
    fn a_bomb_is_refused_by_its_numbers_and_by_its_bytes() {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
        (0..1 << 10).for_each(|_| encoder.write_all(&[0; 1 << 20]).expect("memory"));
        let packed = encoder.finish().expect("memory");
        let header = |plain| Header { method: Method::Deflated, packed: packed.len() as u64, plain, ..stored(0) };
        check(&one(header(1 << 30), &packed), BOMB);
        // With a length that is allowed the walk stops there; nothing is unpacked.
        for plain_bytes in [1, 60 << 20] {
            let bytes = one(header(plain_bytes), &packed);
            let entries = read(&bytes).expect("the layout is in order");
            assert_eq!(plain(&bytes, &entries[0], u64::MAX), Err(Fault::damaged(LENGTH, 0)));
            assert_eq!(reader(&bytes, &entries[0]).map(|_| ()), Err(Fault::damaged(LENGTH, 0)));
            let told = Entry { plain: 1 << 30, ..entries[0].clone() };
            assert_eq!(reader(&bytes, &told).map(|_| ()), Err(Fault::refused(BOMB, 0)));
        }
    }

    #[test]
    fn what_would_look_like_a_bomb_is_stored() {
        let zeros = vec![0; 65 << 20];
        let mut writer = Writer::new(Vec::new(), 6);
        let added = writer.add("zeros", Method::Deflated, &mut Cursor::new(&zeros)).expect("memory");
        assert_eq!((added.method, added.packed), (Method::Stored, 65 << 20));
        let bytes = writer.finish().expect("memory");
        assert_eq!(plain(&bytes, &read(&bytes).expect("whole")[0], u64::MAX).expect("whole"), zeros);
    }

    #[test]
    fn bytes_behind_a_packed_member_are_noticed() {
        let packed = b"\x03\x00hidden";
        let header = Header { method: Method::Deflated, crc: 0, packed: 8, plain: 0, offset: 0 };
        check(&one(header, packed), PACKED);
        assert_eq!(unpack(&one(Header { packed: 2, ..header }, &packed[..2])).map(|members| members.len()), Ok(1));
    }

    #[test]
    fn a_name_that_is_refused_leaves_the_zip_sound() {
        let mut writer = Writer::new(Vec::new(), 6);
        writer.add("a.md", Method::Stored, &mut Cursor::new(MEMBERS[3].2)).expect("memory");
        for name in ["../x", "A.md", "", "a.md/b"] {
            let error = writer.add(name, Method::Stored, &mut Cursor::new(b"2")).expect_err("refused");
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
        assert_eq!(writer.finish().expect("memory"), zip(&MEMBERS[3..]));
    }

    #[test]
    fn a_source_that_changes_breaks_the_zip() {
        for method in [Method::Stored, Method::Deflated] {
            let mut writer = Writer::new(Vec::new(), 6);
            writer.add("a", method, &mut Odd(Cursor::new(vec![2; 9]), true)).expect_err("changed");
            writer.add("b", method, &mut Cursor::new(b"1")).expect_err("broken");
            writer.finish().expect_err("broken");
        }
    }
}
