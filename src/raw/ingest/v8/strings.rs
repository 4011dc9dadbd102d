//! The text table: places of the entries in the file, and decoding of one entry. Nothing is copied at ingest.

use rayon::prelude::*;

use crate::raw::scrub::wall::RawStr;
use crate::{Error, Kind, Result, Stage, limits};

/// Where each entry stands (between its quotes, escapes included).
#[derive(Debug, Default)]
pub(super) struct Table {
    start: Vec<u64>,
    len: Vec<u32>,
}

impl Table {
    /// Reads the array that begins at `at` (behind its bracket); returns the table and the place behind `]`.
    pub(super) fn read(bytes: &[u8], at: usize) -> Result<(Self, usize)> {
        const PART: usize = 1 << 20;
        // Engines write one entry a line, so parts can be read at the same time: each from behind a line end to behind the
        // comma and the line end of its last entry. Where that does not work out, all is read in one go.
        let mut starts = vec![at];
        while let Some(from) = starts.last().map(|last| last + PART).filter(|from| *from < bytes.len()) {
            let Some(line) = memchr::memchr(b'\n', &bytes[from..]) else { break };
            starts.push(from + line + 1);
        }
        let ends = starts[1..].iter().copied().chain([usize::MAX]);
        let places: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
        let mut parts: Vec<_> =
            places.par_iter().map(|(from, end)| Self::part(bytes, *from, *end, *from == at)).collect();
        // What stands behind the end of the array is none of its parts.
        let last = parts.iter().position(|part| matches!(part, Ok((_, Some(_))))).unwrap_or(parts.len() - 1);
        parts.truncate(last + 1);
        let (table, end) = match parts.into_iter().collect::<Result<Vec<_>>>() {
            Ok(parts) if parts.len() > 1 => {
                let end = parts.last().and_then(|(_, end)| *end);
                let count = parts.iter().map(|(table, _)| table.len()).sum();
                let mut all = Self { start: Vec::with_capacity(count), len: Vec::with_capacity(count) };
                for (table, _) in parts {
                    all.start.extend(table.start);
                    all.len.extend(table.len);
                }
                (all, end)
            }
            _ => Self::part(bytes, at, usize::MAX, true)?,
        };
        let cut = Error::new(Stage::Ingest, Kind::Truncated { what: "the strings section" });
        if table.start.len() as u64 > limits::INDEX {
            return Err(Error::new(Stage::Ingest, Kind::Limit { what: "strings", limit: limits::INDEX }));
        }
        table.check(bytes)?;
        Ok((table, end.ok_or(cut)?))
    }

    /// Reads entries up to the end of the array, of which it returns the place behind, or up to a place where an entry must
    /// begin.
    fn part(bytes: &[u8], mut at: usize, end: usize, is_first: bool) -> Result<(Self, Option<usize>)> {
        let cut = || Error::new(Stage::Ingest, Kind::Truncated { what: "the strings section" });
        let bad =
            |at: usize| Error::new(Stage::Ingest, Kind::Malformed { what: "string literals and commas" }).at(at as u64);
        let mut table = Self::default();
        let blank = |at: &mut usize| {
            while matches!(bytes.get(*at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                *at += 1
            }
        };
        blank(&mut at);
        if is_first && bytes.get(at) == Some(&b']') {
            return Ok((table, Some(at + 1)));
        }
        loop {
            match bytes.get(at) {
                Some(b'"') => at += 1,
                Some(_) => return Err(bad(at)),
                None => return Err(cut()),
            }
            let close = end_of_literal(bytes, at).ok_or_else(cut)?;
            let len = u32::try_from(close - at).map_err(|_| {
                Error::new(Stage::Ingest, Kind::Limit { what: "bytes of one string", limit: u32::MAX.into() })
            })?;
            table.start.push(at as u64);
            table.len.push(len);
            at = close + 1;
            blank(&mut at);
            match bytes.get(at) {
                Some(b',') => at += 1,
                Some(b']') => return Ok((table, Some(at + 1))),
                Some(_) => return Err(bad(at)),
                None => return Err(cut()),
            }
            blank(&mut at);
            if at >= end {
                return if at == end { Ok((table, None)) } else { Err(bad(at)) };
            }
        }
    }

    /// Every entry must be what a JSON reader takes: valid escapes, no control characters.
    fn check(&self, bytes: &[u8]) -> Result<()> {
        let wrong = (0..self.start.len()).into_par_iter().with_min_len(4096).find_first(|&i| {
            let text = self.raw(bytes, i);
            text.iter().any(|b| *b < 0x20) || (memchr::memchr(b'\\', text).is_some() && !escapes_are_valid(text))
        });
        match wrong {
            None => Ok(()),
            Some(i) => Err(Error::new(Stage::Ingest, Kind::Malformed { what: "valid JSON strings" }).at(self.start[i])),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.start.len()
    }

    pub(super) fn raw<'b>(&self, bytes: &'b [u8], i: usize) -> &'b [u8] {
        let start = self.start[i] as usize;
        &bytes[start..start + self.len[i] as usize]
    }

    /// One entry, decoded. Lone surrogates become their three-byte form, which is not UTF-8 and is never kept.
    pub(super) fn text<'a>(&self, bytes: &'a [u8], i: usize, scratch: &'a mut Vec<u8>) -> RawStr<'a> {
        let raw = self.raw(bytes, i);
        match memchr::memchr(b'\\', raw) {
            None => RawStr::new(raw),
            Some(_) => {
                decode(raw, scratch);
                RawStr::new(scratch)
            }
        }
    }
}

/// The place of the quote that ends the literal which begins at `at`.
pub(in crate::raw) fn end_of_literal(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let hit = at + memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[hit] == b'"' {
            return Some(hit);
        }
        at = hit + 2;
    }
}

/// How many units of UTF-16 a text has, which is how engines count.
pub(super) fn utf16_units(text: &[u8]) -> usize {
    text.iter().map(|b| usize::from(b & 0xc0 != 0x80) + usize::from(*b >= 0xf0)).sum()
}

fn hex4(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    digits.iter().try_fold(0, |v, b| Some(v * 16 + char::from(*b).to_digit(16)?))
}

fn escapes_are_valid(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(hit) = memchr::memchr(b'\\', &text[at..]) {
        at += hit + 1;
        match text.get(at) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 1,
            Some(b'u') if hex4(text, at + 1).is_some() => at += 5,
            _ => return false,
        }
    }
    true
}

/// Undoes the escapes of a JSON string (the bytes between its quotes).
pub(in crate::raw) fn decode(raw: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut at = 0;
    while at < raw.len() {
        if raw[at] != b'\\' {
            let end = memchr::memchr(b'\\', &raw[at..]).map_or(raw.len(), |n| at + n);
            out.extend_from_slice(&raw[at..end]);
            at = end;
            continue;
        }
        let plain = match raw.get(at + 1) {
            Some(b'u') => {
                let mut unit = hex4(raw, at + 2).unwrap_or(0xfffd);
                at += 6;
                let low = hex4(raw, at + 2).filter(|low| (0xdc00..0xe000).contains(low));
                if let Some(low) = low
                    && (0xd800..0xdc00).contains(&unit)
                    && raw.get(at..at + 2) == Some(b"\\u")
                {
                    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                    at += 6;
                }
                push_code_point(unit, out);
                continue;
            }
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(other) => *other,
            None => b'\\',
        };
        out.push(plain);
        at += 2;
    }
}

fn push_code_point(unit: u32, out: &mut Vec<u8>) {
    match char::from_u32(unit) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend_from_slice(&[0xed, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Result<&[&[u8]], Kind>) {
        let got = Table::read(json.as_bytes(), 0).map(|(table, _)| {
            let mut scratch = Vec::new();
            (0..table.len()).map(|i| table.text(json.as_bytes(), i, &mut scratch).expose().to_vec()).collect::<Vec<_>>()
        });
        let got = got.map_err(|e| e.kind);
        assert_eq!(got, expected.map(|e| e.iter().map(|t| t.to_vec()).collect()));
    }

    #[test]
    fn entries_and_escapes() {
        check("]", Ok(&[]));
        check(r#""a","b\"c" ,"\u00e9\n\\" ]"#, Ok(&[b"a", b"b\"c", "é\n\\".as_bytes()]));
        check(r#""\uD83D\uDE00","\uD800x"]"#, Ok(&["😀".as_bytes(), b"\xed\xa0\x80x"]));
    }

    /// However the parts fall, also where what looks like the end of an entry stands inside one.
    #[test]
    fn large_tables_are_read_in_parts() {
        for (separator, count) in [(",\n", 400_000), (", \n ", 300_000), (",", 300_000), ("\n,", 300_000)] {
            let entries: Vec<String> = (0..count).map(|i| format!("{i}\",x {}", "z".repeat(i % 13))).collect();
            let literals: Vec<String> = entries.iter().map(|e| format!("\"{}\"", e.replace('"', "\\\""))).collect();
            let behind = "],\n\"more\":[\n".to_owned() + &"7,\n".repeat(600_000) + "7]}";
            let json = literals.join(separator) + &behind;
            let (table, end) = Table::read(json.as_bytes(), 0).expect("valid");
            assert_eq!((table.len(), &json[end - 1..end + 2]), (count, "],\n"));
            let mut scratch = Vec::new();
            for (i, entry) in entries.iter().enumerate() {
                assert_eq!(table.text(json.as_bytes(), i, &mut scratch).expose(), entry.as_bytes());
            }
            let torn = json.replacen(",x", "\n,x", 1);
            let got = Table::read(torn.as_bytes(), 0).map(|_| ()).map_err(|e| e.kind);
            assert_eq!(got, Err(Kind::Malformed { what: "valid JSON strings" }));
            let extra = literals.join(separator) + separator + "]";
            let got = Table::read(extra.as_bytes(), 0).map(|_| ()).map_err(|e| e.kind);
            assert_eq!(got, Err(Kind::Malformed { what: "string literals and commas" }));
        }
    }

    #[test]
    fn what_json_does_not_allow() {
        let bad = Err(Kind::Malformed { what: "valid JSON strings" });
        check("\"a\nb\"]", bad);
        check(r#""\x41"]"#, bad);
        check(r#""\u12G4"]"#, bad);
        let cut = Err(Kind::Truncated { what: "the strings section" });
        check(r#""abc"#, cut);
        check(r#""abc","#, cut);
        check(r#""abc\"#, cut);
        check(r#""abc",]"#, Err(Kind::Malformed { what: "string literals and commas" }));
        check("1]", Err(Kind::Malformed { what: "string literals and commas" }));
    }
}
