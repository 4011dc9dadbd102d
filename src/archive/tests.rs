//! Tests of what both kinds of containers share.

use std::io::Cursor;
use std::process::Command;

use super::deflate::Codes;
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
