//! Tests of the zip.

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
