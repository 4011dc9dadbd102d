//! A look at a written pickle that shares nothing with the reader: it knows how long every instruction of every protocol is,
//! and no more. Each text is handed on; instructions that the writer has no use for are residue.

use super::Literal;
use crate::raw::scrub::wall::RawStr;
use crate::{Error, Kind, Result, Stage};

/// What stands behind an instruction.
#[derive(Clone, Copy)]
enum Behind {
    Nothing,
    /// So many bytes of a number.
    Number(usize),
    /// A text behind its length in so many bytes.
    Text(usize),
    /// So many lines of text.
    Lines(usize),
}

/// What stands behind each instruction, and whether the writer has it.
fn instruction(code: u8) -> Option<(Behind, bool)> {
    use Behind::{Lines, Nothing, Number, Text};
    Some(match code {
        // MARK, STOP, EMPTY_TUPLE, EMPTY_LIST, EMPTY_DICT, APPENDS, BUILD, SETITEM, TUPLE, SETITEMS, NEWOBJ, TUPLE1 to TUPLE3,
        // STACK_GLOBAL, MEMOIZE
        b'(' | b'.' | b')' | b']' | b'}' | b'e' | b'b' | b's' | b't' | b'u' | 0x81 | 0x85..=0x87 | 0x93 | 0x94 => {
            (Nothing, true)
        }
        // BININT1, BINGET, PROTO, BININT2, BININT, LONG_BINGET
        b'K' | b'h' | 0x80 => (Number(1), true),
        b'M' => (Number(2), true),
        b'J' | b'j' => (Number(4), true),
        // LONG1, SHORT_BINUNICODE, BINUNICODE
        0x8a | 0x8c => (Text(1), true),
        b'X' => (Text(4), true),
        // POP, POP_MARK, DUP, NONE, BINPERSID, REDUCE, APPEND, DICT, LIST, OBJ, NEWTRUE, NEWFALSE, EMPTY_SET, ADDITEMS, FROZENSET,
        // NEWOBJ_EX, NEXT_BUFFER, READONLY_BUFFER
        b'0' | b'1' | b'2' | b'N' | b'Q' | b'R' | b'a' | b'd' | b'l' | b'o' => (Nothing, false),
        0x88 | 0x89 | 0x8f..=0x92 | 0x97 | 0x98 => (Nothing, false),
        // BINPUT, LONG_BINPUT, EXT1, EXT2, EXT4, BINFLOAT, FRAME
        b'q' | 0x82 => (Number(1), false),
        0x83 => (Number(2), false),
        b'r' | 0x84 => (Number(4), false),
        b'G' | 0x95 => (Number(8), false),
        // SHORT_BINSTRING, SHORT_BINBYTES, BINSTRING, BINBYTES, LONG4, BINUNICODE8, BINBYTES8, BYTEARRAY8
        b'U' | b'C' => (Text(1), false),
        b'T' | b'B' | 0x8b => (Text(4), false),
        0x8d | 0x8e | 0x96 => (Text(8), false),
        // FLOAT, INT, LONG, PERSID, STRING, UNICODE, GET, PUT; GLOBAL, INST
        b'F' | b'I' | b'L' | b'P' | b'S' | b'V' | b'g' | b'p' => (Lines(1), false),
        b'c' | b'i' => (Lines(2), false),
        _ => return None,
    })
}

const WORDS: [&[u8]; 7] =
    [b"tracemalloc", b"Snapshot", b"traces", b"_Traces", b"_traces", b"traceback_limit", super::ADDED];

/// Calls `each` with every text of a pickle.
pub(super) fn literals(bytes: &[u8], each: &mut dyn FnMut(Literal<'_>)) -> Result<()> {
    let mut at = 0;
    let mut has_ended = false;
    while let Some(code) = bytes.get(at).copied() {
        let stray = |count| {
            let kind = Kind::Residue { count, what: "outside of every literal" };
            Error::new(Stage::Verify, kind).at(at as u64)
        };
        let cut = Error::new(Stage::Verify, Kind::Truncated { what: "the written pickle" }).at(at as u64);
        let (behind, is_ours) = instruction(code).filter(|_| !has_ended).ok_or(stray(1))?;
        let rest = &bytes[at + 1..];
        let (len, text) = match behind {
            Behind::Nothing => (0, None),
            Behind::Number(len) => (len, None),
            Behind::Text(head) => {
                let len = rest.get(..head).ok_or(cut)?.iter().rev().fold(0_u64, |n, b| n << 8 | u64::from(*b));
                let end = usize::try_from(len).ok().and_then(|len| head.checked_add(len)).ok_or(cut)?;
                (end, Some(rest.get(head..end).ok_or(cut)?))
            }
            Behind::Lines(lines) => {
                let ends = memchr::memchr_iter(b'\n', rest).take(lines).collect::<Vec<_>>();
                let end = ends.last().filter(|_| ends.len() == lines).ok_or(cut)?;
                (end + 1, Some(&rest[..*end]))
            }
        };
        rest.get(..len).ok_or(cut)?;
        // Numbers of the writer have at most eight bytes.
        let is_number = code == 0x8a && text.is_some_and(|text| text.len() <= 8);
        if let Some(text) = text.filter(|_| !is_number) {
            let is_word = code == 0x8c && WORDS.contains(&text);
            each(Literal { at: at as u64, written: RawStr::new(text), text: RawStr::new(text), is_word });
        }
        if !is_ours {
            return Err(stray(1));
        }
        has_ended = code == b'.';
        at += 1 + len;
    }
    if has_ended { Ok(()) } else { Err(Error::new(Stage::Verify, Kind::Truncated { what: "the written pickle" })) }
}
