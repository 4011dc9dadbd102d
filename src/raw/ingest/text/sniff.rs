//! Is this a text? Files with control characters are none, nor is what looks like a part of a heap dump: a damaged snapshot
//! must not pass as a log.

use super::bad;
use super::encoding::Encoding;
use crate::{Error, Kind, Result, Stage};

/// Of so many bytes, one may be in no known encoding.
const FOREIGN: usize = 4;

/// Words that only stand in files of memory, and what such a file is.
const DUMPS: [(&[u8], &str); 7] = [
    (b"\"node_fields\"", "this holds parts of a V8 heap snapshot, but is none; it is damaged, or was cut out of one"),
    (
        b"\"trace_function_infos\"",
        "this holds parts of a V8 heap snapshot, but is none; it is damaged, or was cut out of one",
    ),
    (
        b"\"nodeClassNames\"",
        "this looks like a JavaScriptCore snapshot; in Bun, call generateHeapSnapshot(\"v8\") instead",
    ),
    (
        b"\"type\":\"Inspector\"",
        "this looks like a JavaScriptCore snapshot; in Bun, call generateHeapSnapshot(\"v8\") instead",
    ),
    (
        b"\"callFrame\"",
        "this looks like a sampling profile (.heapprofile, .cpuprofile), which holds no heap; take a heap snapshot",
    ),
    (b"\"allocationTracker\"", "this looks like a profile of allocations, which this version does not read"),
    (b"heap profile: ", "this looks like a heap profile of pprof, which this version does not read"),
];

/// Does a file begin like a text, and like nothing else?
pub(super) fn is_text(head: &[u8]) -> bool {
    if head.is_empty() || dump(head).is_some() {
        return false;
    }
    match Encoding::of(head) {
        Encoding::Utf16(..) => true,
        Encoding::Utf8 => stray(head).is_none() && foreign(head) * FOREIGN <= head.len(),
    }
}

/// Refuses what is partly no text.
pub(super) fn check(bytes: &[u8]) -> Result<()> {
    if let Some(hint) = dump(bytes) {
        return Err(Error::new(Stage::Ingest, Kind::WrongFormat { hint }));
    }
    let is_utf8 = matches!(Encoding::of(bytes), Encoding::Utf8);
    if let Some(at) = stray(bytes).filter(|_| is_utf8) {
        return Err(bad("text without control characters; this file is partly binary", at));
    }
    if is_utf8 && foreign(bytes) * FOREIGN > bytes.len() {
        return Err(bad("text in UTF-8, UTF-16 with a mark, or Latin-1; convert it with iconv first", 0));
    }
    Ok(())
}

/// What kind of dump this is, by words that stand in no log.
pub(in crate::raw) fn dump(bytes: &[u8]) -> Option<&'static str> {
    const LOOKED_AT: usize = 1 << 16;
    let (head, has) =
        (&bytes[..bytes.len().min(LOOKED_AT)], |text: &[u8], word: &[u8]| memchr::memmem::find(text, word).is_some());
    let known = DUMPS.iter().find(|(word, _)| if word[0] == b'"' { has(head, word) } else { head.starts_with(word) });
    if let Some((_, hint)) = known {
        return Some(hint);
    }
    if has(head, b"\"address\":\"0x")
        && has(head, b"\"type\":\"")
        && (has(head, b"\"memsize\":") || has(head, b"\"root\":\""))
    {
        return Some("this looks like a Ruby heap dump (ObjectSpace.dump_all), which this version does not read");
    }
    let has_tables = has(bytes, b"\"strings\":[") && (has(bytes, b"\"edges\":[") || has(bytes, b"\"locations\":["));
    let has_header = has(bytes, b"\"node_fields\"") || has(bytes, b"\"trace_function_count\"");
    (has_tables || has_header)
        .then_some("this holds parts of a V8 heap snapshot, but is none; it is damaged, or was cut out of one")
}

/// The first character that no text has. Bells, form feeds and the colours of terminals are in logs.
fn stray(bytes: &[u8]) -> Option<usize> {
    const IS_STRAY: [bool; 256] = {
        let (mut stray, mut byte) = ([false; 256], 0);
        while byte < 32 {
            stray[byte] = !matches!(byte as u8, b'\t' | b'\n' | b'\r' | 7 | 8 | 11 | 12 | 27);
            byte += 1;
        }
        stray
    };
    bytes.iter().position(|byte| IS_STRAY[usize::from(*byte)])
}

/// How many bytes are no UTF-8. The last few may be cut.
fn foreign(bytes: &[u8]) -> usize {
    let mut chunks = bytes.utf8_chunks().peekable();
    let mut count = 0;
    while let Some(chunk) = chunks.next() {
        let begins = chunk.invalid().first().is_some_and(|byte| *byte >= 0xc2);
        let is_cut = chunks.peek().is_none() && chunk.invalid().len() < 4 && begins;
        count += if is_cut { 0 } else { chunk.invalid().len() };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_what_is_none() {
        for text in [
            &b"hello"[..],
            b"{\"a\":1}",
            b"\x1b[31mred\x1b[0m",
            b"\xef\xbb\xbfx",
            b"\xff\xfea\0",
            "na\u{ef}ve".as_bytes(),
            b"na\xefve is Latin-1",
        ] {
            assert!(is_text(text) && check(text).is_ok(), "{text:?}");
        }
        for other in [
            &b""[..],
            b"a\0b",
            b"\x80\x04\x95",
            b"JAVA PROFILE 1.0.2\0",
            b"{\"head\":{\"callFrame\":",
            b"\x93\xfa\x96\x7b\x8c\xea",
        ] {
            assert!(!is_text(other), "{other:?}");
        }
        for part in [
            "x{\"node_fields\":[",
            "1,2\n],\"edges\":[1],\"strings\":[\"a\"]}",
            "{\"address\":\"0x7f\", \"type\":\"STRING\", \"memsize\":40}",
        ] {
            let part = part.replace("\", \"", "\",\"");
            assert!(!is_text(part.as_bytes()) && check(part.as_bytes()).is_err(), "{part}");
        }
        assert!(check(&[&b"log line\n".repeat(1000)[..], b"\x01"].concat()).is_err());
    }
}
