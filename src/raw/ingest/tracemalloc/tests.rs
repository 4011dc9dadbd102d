//! Pickles that nobody should run.

use super::machine::Machine;
use crate::{Kind, limits};

/// The parts of a small snapshot of one block: what makes the objects, the list of blocks, and the rest.
pub(super) fn small(blocks: &[u8]) -> Vec<u8> {
    let head = b"\x80\x04\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x93)\x81}(\x8c\x06tracesh\x00\x8c\x07_Traces\x93)\x81}\x8c\x07_traces]";
    [&head[..], blocks, b"sb\x8c\x0ftraceback_limitK\x01ub."].concat()
}

const BLOCK: &[u8] = b"(K\x00K\x10X\x04\x00\x00\x00a.py\x94K\x02\x86\x85K\x01t";

/// A block of another file, called from the first.
const OTHER: &[u8] = b"(K\x05M\x00\x10X\x04\x00\x00\x00b.pyK\x07\x86h\x01K\x02\x86\x86K\x02t";

#[track_caller]
fn refused(bytes: &[u8]) -> Kind {
    match Machine::read(bytes) {
        Ok(_) => panic!("read: {bytes:?}"),
        Err(error) => {
            assert!(matches!(error.exit_code(), 3 | 4), "{error}");
            error.kind
        }
    }
}

#[test]
fn a_small_snapshot_is_read() {
    let whole = small(&[b"(", BLOCK, b"e"].concat());
    let read = Machine::read(&whole).expect("a snapshot");
    assert_eq!((read.columns.traces.len(), read.texts.len(), read.limit), (1, 1, 1));
    let whole = small(b"");
    let empty = Machine::read(&whole).expect("a snapshot without blocks");
    assert_eq!((empty.columns.traces.len(), empty.texts.len()), (0, 0));
}

#[test]
fn a_pickle_cut_at_every_byte_is_refused() {
    let whole = small(&[b"(", BLOCK, b"e"].concat());
    for end in 0..whole.len() {
        assert!(matches!(refused(&whole[..end]), Kind::Truncated { .. }), "{end}");
    }
    assert!(matches!(refused(&[&whole[..], b"x"].concat()), Kind::Malformed { .. }));
}

#[test]
fn instructions_that_call_or_import_are_refused() {
    // Each stands where a block should; none is known, so nothing can come of it.
    let calls: [&[u8]; 22] = [
        b"cos\nsystem\n(S'true'\ntR",
        b"cposix\nsystem\n",
        b"\x8c\x02os\x8c\x06system\x93",
        b"ios\nsystem\n",
        b"(cos\nsystem\no",
        b"\x82\x01",
        b"\x83\x01\x01",
        b"\x84\x01\x01\x01\x01",
        b"Pname\n",
        b"K\x01Q",
        b"K\x01)R",
        b"ctracemalloc\nSnapshot\n)R",
        b"ctracemalloc\nstart\n",
        b"ccopyreg\n_reconstructor\n(ctracemalloc\nSnapshot\ncbuiltins\nobject\nNtR",
        b"\x92",
        b"G\0\0\0\0\0\0\0\0",
        b"S'text'\n",
        b"T\x01\0\0\0a",
        b"C\x01a",
        b"2",
        b"0",
        b"\x88",
    ];
    for call in calls {
        let kind = refused(&small(call));
        assert!(matches!(kind, Kind::Unsupported { .. } | Kind::Malformed { .. }), "{call:?}: {kind:?}");
    }
}

#[test]
fn shapes_that_are_no_snapshot_are_refused() {
    for (what, blocks) in [
        ("a list in itself", &b"\x94(h\x01e"[..]),
        ("a number in place of a block", b"(K\x01e"),
        ("an empty stack", b"((K\x00K\x10)K\x01te"),
        ("a frame in a stack in a stack", b"(X\x01\0\0\0aK\x01\x86\x85\x85e"),
        ("a negative size", b"((K\x00J\xff\xff\xff\xffX\x01\0\0\0aK\x01\x86\x85K\x01te"),
        ("a text in place of a line", b"((K\x00K\x10X\x01\0\0\0aX\x01\0\0\0b\x86\x85K\x01te"),
        ("a block that is not in the list", BLOCK),
        ("a text that nothing refers to", b"X\x06\0\0\0secret"),
        ("a mark that nothing closes", b"(("),
        ("a place of memory that is empty", b"h\x07"),
        ("a place of memory out of order", b"q\x09"),
        ("a place of memory taken twice", b"\x94\x94"),
        ("a frame of bytes in a frame of bytes", b"\x95\x20\0\0\0\0\0\0\0\x95\x01\0\0\0\0\0\0\0"),
        ("a frame of bytes that ends in an instruction", b"\x95\x01\0\0\0\0\0\0\0X\x01\0\0\0a"),
        ("a protocol in the middle", b"\x80\x04"),
    ] {
        let kind = refused(&small(blocks));
        assert!(matches!(kind, Kind::Unsupported { .. } | Kind::Malformed { .. }), "{what}: {kind:?}");
    }
}

#[test]
fn lengths_that_lie_take_no_memory() {
    for blocks in
        [&b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff"[..], b"X\xff\xff\xff\xff", b"\x95\xff\xff\xff\xff\xff\xff\xff\x7f"]
    {
        assert!(matches!(refused(&small(blocks)), Kind::Truncated { .. }), "{blocks:?}");
    }
    let long =
        [&b"X"[..], &(limits::PICKLE_TEXT as u32 + 1).to_le_bytes(), &vec![b'a'; limits::PICKLE_TEXT + 1]].concat();
    assert!(matches!(refused(&small(&long)), Kind::Limit { .. }));
    assert!(matches!(refused(&small(&[b'('; 1000])), Kind::Limit { .. }));
    let values = b"K\x01".repeat(limits::PICKLE_STACK + 1);
    assert!(matches!(refused(&small(&values)), Kind::Limit { .. }));
}

#[test]
fn any_byte_that_is_changed_ends_in_an_answer() {
    let whole = small(&[b"(", BLOCK, OTHER, b"e"].concat());
    for at in 0..whole.len() {
        for flip in 1..=255 {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            // Either it is another snapshot, or it is refused; it never panics.
            if let Err(error) = Machine::read(&bytes) {
                assert!(matches!(error.exit_code(), 3 | 4), "{at} {flip}: {error}");
            }
        }
    }
}
