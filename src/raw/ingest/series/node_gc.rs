//! What `node --trace-gc` prints, with whatever the program prints between. Each isolate (a worker has its own) is told
//! apart.

use std::collections::BTreeMap;

use super::builder::Tally;
use super::lines::{after, has, is_too_long, leading_number, lines};
use super::{Asked, Read};
use crate::summarise::trend::Runtime;
use crate::summarise::trend::recording::{Collection, Fulls, Recording};
use crate::{Error, Kind, Result, Stage, limits};

/// V8 counts in these.
const MIB: f64 = 1_048_576.0;

pub(super) fn is_mine(head: &[u8]) -> bool {
    lines(head).any(|line| is_log(line.text) && collection(line.text).is_some())
}

fn is_log(text: &[u8]) -> bool {
    text.first() == Some(&b'[') && has(text, b" ms: ")
}

/// `[1234:0x5f]   336 ms: Scavenge 4.1 (4.2) -> 3.5 (5.2) MB, 16.81 / 0.00 ms ...`
fn collection(text: &[u8]) -> Option<((u64, u64), Collection)> {
    let inside = text.get(1..memchr::memchr(b']', text)?)?;
    let colon = memchr::memchr(b':', inside)?;
    let number = |digits: &[u8], radix| u64::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok();
    let address = inside.get(colon + 3..)?.split(|b| *b == b':').next()?;
    let isolate = (number(&inside[..colon], 10)?, number(address, 16)?);
    let (at_ms, rest) = leading_number(&text[inside.len() + 2..])?;
    let rest = rest.trim_ascii_start().strip_prefix(b"ms: ")?;
    let is_full = rest.starts_with(b"Mark-");
    if !is_full && !rest.starts_with(b"Scavenge") && !rest.starts_with(b"Minor") {
        return None;
    }
    // Kinds have words in brackets before the numbers: `Mark-Compact (reduce) 10.0 (12.0) -> ...`.
    let arrow = memchr::memmem::find(rest, b" -> ")?;
    let before = rest[..arrow].rsplit(|b| *b == b'(').nth(1)?;
    let before = before.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next()?;
    let (before, _) = leading_number(before)?;
    let (left, rest) = leading_number(&rest[arrow + 4..])?;
    let (capacity, rest) = leading_number(after(rest, b"(")?)?;
    // Newer versions tell more between the size and the pause.
    let pause = &rest[..memchr::memmem::find(rest, b" / ")?];
    let (pause_ms, _) = leading_number(pause.rsplit(u8::is_ascii_whitespace).next()?)?;
    let one = Collection {
        t: at_ms / 1e3,
        before: before * MIB,
        after: left * MIB,
        capacity: capacity * MIB,
        pause_ms,
        is_full,
    };
    Some((isolate, one))
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut isolates: BTreeMap<(u64, u64), (usize, Vec<Collection>)> = BTreeMap::new();
    let mut tally = Tally::default();
    let mut count = 0;
    for line in lines(text) {
        let is_event = has(line.text, b"Scavenge ") || has(line.text, b"Mark-");
        if !is_log(line.text) || is_too_long(line.text) || !is_event {
            tally.texts_left_out += 1;
            continue;
        }
        match collection(line.text) {
            Some((isolate, one)) => {
                count += 1;
                if count > limits::SERIES_ROWS {
                    let kind = Kind::Limit { what: "rows of a series", limit: limits::SERIES_ROWS };
                    return Err(Error::new(Stage::Ingest, kind));
                }
                let next = isolates.len();
                isolates.entry(isolate).or_insert_with(|| (next, Vec::new())).1.push(one);
            }
            None if line.is_open => tally.cut(),
            None => tally.damage(line.number),
        }
    }
    if isolates.len() as u64 > limits::SERIES_PROCESSES {
        let kind = Kind::Limit { what: "processes of a series", limit: limits::SERIES_PROCESSES };
        return Err(Error::new(Stage::Ingest, kind));
    }
    let rows = tally.finish(count)?;
    let mut all: Vec<_> = isolates.into_values().collect();
    all.sort_by_key(|(first, _)| *first);
    let one = |(_, mut collections): (usize, Vec<Collection>)| {
        collections.sort_by(|a, b| a.t.total_cmp(&b.t));
        let mut rows = rows.clone();
        rows.used = collections.len() as u64;
        let fulls = if asked.after_gc { Fulls::BeforeEach } else { Fulls::Untold };
        let recording = Recording {
            format: "node-gc",
            runtime: Runtime::V8,
            collections,
            fulls,
            // What the heap has taken so far is no limit: it may take more.
            limit: asked.limit,
            rows,
            ..Recording::default()
        };
        Read { recording, label: None }
    };
    Ok(all.into_iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_versions() {
        for (text, full, before, left, pause) in [
            (
                "[28876:0x203ebe80]      336 ms: Scavenge 4.1 (4.2) -> 3.5 (5.2) MB, 16.81 / 0.00 ms  (average mu = 1.000, current mu = 1.000) allocation failure; ",
                false,
                4.1,
                3.5,
                16.81,
            ),
            (
                "[1:0x1e5cc880]    15080 ms: Mark-Compact (reduce) 161.0 (183.7) -> 153.3 (189.0) MB, 757.45 / 0.19 ms  (average mu = 0.936)",
                true,
                161.0,
                153.3,
                757.45,
            ),
            (
                "[1:0x1e5cc880]    150 ms: Mark-sweep 2.4 (4.0) -> 2.0 (5.0) MB, 1.5 / 0.0 ms  (+ 0.1 ms in 2 steps) finalize incremental marking",
                true,
                2.4,
                2.0,
                1.5,
            ),
            (
                "[7:0x158008000:0] 49 ms: Scavenge 5.2 (6.0) -> 4.8 (6.8) MB, pooled: 0 MB, 0.50 / 0.00 ms",
                false,
                5.2,
                4.8,
                0.5,
            ),
        ] {
            let found = collection(text.as_bytes());
            let (_, one) = found.expect(text);
            assert_eq!(
                (one.is_full, one.before, one.after, one.pause_ms),
                (full, before * MIB, left * MIB, pause),
                "{text}"
            );
        }
        assert!(collection(b"[1:0x1] 336 ms: Scavenge 4.1").is_none());
        assert!(collection(b"[1:0x1] 336 ms: hello Scavenge").is_none());
    }
}
