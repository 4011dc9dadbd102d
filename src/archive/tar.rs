//! The tar of a bundle (POSIX ustar): plain files of one owner and one time, and two blocks of zeros at the end.
//!
//! As with zip, one function makes a header from a name and a length, for both directions. Packing is the caller's.

use std::io::{self, Read, Seek, SeekFrom, Write};

use super::{
    Added, DIRECTORY, Entry, Fault, HEADER, LENGTH, LINK, MORE, Method, NAME, NAME_BYTES, Names, STRAY, broken,
    each_piece, source_changed,
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
        if self.is_sound { Ok(()) } else { Err(broken()) }
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::tests::{check_flips, check_truncations, python, unpack};
    use super::super::{ABSOLUTE, OUTSIDE, TWICE};
    use super::*;

    fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new());
        for (name, plain) in members {
            writer.add(name, &mut Cursor::new(plain)).expect("memory");
        }
        writer.finish().expect("memory")
    }

    const MEMBERS: [(&str, &[u8]); 4] = [
        ("MANIFEST.json", b"{\"made\":\"up\"}"),
        ("heap/1.heapsnapshot", &[b'x'; 512]),
        ("empty", b""),
        ("a.md", &[b'y'; 1000]),
    ];

    /// A tar with one header changed, and its sum made true again.
    fn changed(change: impl FnOnce(&mut [u8])) -> Vec<u8> {
        let mut bytes = tar(&[("name", b"made up")]);
        change(&mut bytes[..BLOCK]);
        bytes[148..156].fill(b' ');
        let sum = bytes[..BLOCK].iter().map(|byte| u64::from(*byte)).sum();
        bytes[148..154].copy_from_slice(&octal::<6>(sum));
        bytes[154] = 0;
        bytes
    }

    #[track_caller]
    fn check(bytes: &[u8], what: &str) {
        match read(bytes) {
            Err(Fault::Refused { what: found, .. } | Fault::Damaged { what: found, .. }) => assert_eq!(found, what),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for count in 0..=MEMBERS.len() {
            let bytes = tar(&MEMBERS[..count]);
            let expected = MEMBERS[..count].iter().map(|(name, plain)| (name.as_bytes().to_vec(), plain.to_vec()));
            assert_eq!(unpack(&bytes), Ok(expected.collect()));
            assert_eq!(bytes, tar(&MEMBERS[..count]));
        }
    }

    #[test]
    fn python_reads_what_is_written() {
        let script = "import sys, tarfile\n\
            for m in tarfile.open(sys.argv[1], 'r:'): print(m.name, m.size, oct(m.mode), m.uid, m.mtime, m.isfile())";
        let long = "a".repeat(100);
        let bytes = tar(&[MEMBERS[0], MEMBERS[1], MEMBERS[2], (&long, b"z")]);
        let expected = format!(
            "MANIFEST.json 13 0o600 0 0 True\nheap/1.heapsnapshot 512 0o600 0 0 True\nempty 0 0o600 0 0 True\n\
             {long} 1 0o600 0 0 True\n"
        );
        assert_eq!(python(script, &bytes).0, expected);
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        check_flips(&tar(&MEMBERS[..3]));
    }

    #[test]
    fn every_truncation_is_noticed() {
        check_truncations(&tar(&MEMBERS));
    }

    #[test]
    fn hostile_members_are_told_by_name() {
        let name = |name: &'static [u8]| {
            changed(move |header| {
                header[..4].fill(0);
                header[..name.len()].copy_from_slice(name);
            })
        };
        check(&name(b"../x"), OUTSIDE);
        check(&name(b"a/../../x"), OUTSIDE);
        check(&name(b"/x"), ABSOLUTE);
        check(&name(b"C:\\x"), ABSOLUTE);
        check(&name(b"a b"), NAME);
        let kinds =
            [(b'1', HARD_LINK), (b'2', LINK), (b'3', SPECIAL), (b'5', DIRECTORY), (b'6', SPECIAL), (b'x', OTHER)];
        for (kind, what) in kinds {
            check(&changed(|header| header[156] = kind), what);
        }
        let once = tar(&[("Name", b"1")]);
        let twice = [&once[..1024], &tar(&[("name", b"2")])].concat();
        check(&twice, TWICE);
    }

    #[test]
    fn python_makes_what_is_refused() {
        let make = |body: &str| {
            let script = format!(
                "import sys, tarfile, io\nt = tarfile.open(sys.argv[1], 'w')\ni = tarfile.TarInfo('a')\n{body}\n\
                 t.addfile(i, io.BytesIO(b'x' * i.size))\nt.close()"
            );
            python(&script, b"").1
        };
        check(&make("i.type = tarfile.SYMTYPE; i.linkname = '/etc/passwd'"), LINK);
        check(&make("i.type = tarfile.LNKTYPE; i.linkname = 'b'"), HARD_LINK);
        check(&make("i.type = tarfile.DIRTYPE"), DIRECTORY);
        check(&make("i.name = 'b' * 101"), OTHER);
        check(&make("i.name = '../x'"), OUTSIDE);
        check(&make("i.size = 5"), HEADER);
    }

    #[test]
    fn nothing_hides_beside_the_members() {
        for (at, byte) in [(265, b'u'), (297, b'g'), (345, b'p'), (157, b'l'), (500, 1), (136, b'1'), (108, b'1')] {
            check(&changed(|header| header[at] = byte), HEADER);
        }
        let whole = tar(&[("name", b"made up")]);
        for at in [BLOCK + 7, 2 * BLOCK - 1, 2 * BLOCK, 4 * BLOCK - 1] {
            let mut bytes = whole.clone();
            bytes[at] = 1;
            assert!(read(&bytes).is_err(), "{at}");
        }
        check(&[&whole[..], &[0; BLOCK]].concat(), STRAY);
        check(&[&whole[..], b"x"].concat(), STRAY);
        check(&whole[..whole.len() - BLOCK], NO_END);
    }

    #[test]
    fn lengths_have_two_spellings_and_one_for_each_length() {
        for plain in [0, 7, OCTAL_BYTES - 1, OCTAL_BYTES, u64::MAX] {
            assert_eq!(length(&header(b"a", plain)), Some(plain));
        }
        assert_eq!(header(b"a", OCTAL_BYTES - 1)[124..136], *b"77777777777\0");
        assert_eq!(header(b"a", OCTAL_BYTES)[124..136], [0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]);
        check(&changed(|header| header[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7])), HEADER);
        check(&changed(|header| header[124..136].copy_from_slice(b"         7 \0")), HEADER);
        let lie = [&header(b"a", u64::MAX)[..], &[0; 1024]].concat();
        check(&lie, LENGTH);
        let lie = [&header(b"a", 2000)[..], &[0; 1024]].concat();
        check(&lie, LENGTH);
    }

    #[test]
    fn a_name_that_is_refused_leaves_the_tar_sound() {
        let mut writer = Writer::new(Vec::new());
        writer.add("a", &mut Cursor::new(b"1")).expect("memory");
        for name in ["../x", "A", "", "a/b"] {
            let error = writer.add(name, &mut Cursor::new(b"2")).expect_err("refused");
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
        assert_eq!(writer.finish().expect("memory"), tar(&[("a", b"1")]));
    }

    #[test]
    fn a_member_that_was_not_written_breaks_the_tar() {
        let mut writer = Writer::new(Cursor::new([0; 600]));
        writer.add("a", &mut Cursor::new([1; 600])).expect_err("no room");
        writer.add("b", &mut Cursor::new([1; 1])).expect_err("broken");
        writer.finish().expect_err("broken");
    }
}
