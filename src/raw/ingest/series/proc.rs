//! `/proc/PID/status` and `/proc/PID/smaps_rollup`, one after the other, with times between them or without.

use super::builder::{Builder, Row};
use super::lines::{has, is_too_long, lines};
use super::names::runtime_of_command;
use super::times::{Stamp, stamp};
use super::units::{Unit, bytes};
use super::{Asked, Read};
use crate::summarise::trend::{Measure, Runtime};
use crate::{Error, Kind, Result, Stage};

pub(super) fn is_mine(head: &[u8]) -> bool {
    let is_kb = |line: &[u8]| line.ends_with(b" kB");
    lines(head).any(|line| is_kb(line.text) && (line.text.starts_with(b"VmRSS:") || line.text.starts_with(b"Rss:")))
}

/// Which key is which measure; keys of both files.
fn measure(key: &[u8]) -> Option<Measure> {
    Some(match key {
        b"VmRSS" | b"Rss" => Measure::Resident,
        b"Pss" => Measure::Proportional,
        b"RssAnon" | b"Anonymous" => Measure::Anonymous,
        b"VmSize" => Measure::Virtual,
        b"VmSwap" | b"Swap" => Measure::Swap,
        _ => return None,
    })
}

/// Both begin with a line that no later one repeats.
fn begins(key: &[u8], text: &[u8]) -> bool {
    key == b"Name" || has(text, b"[rollup]")
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let is_status = lines(text).any(|line| line.text.starts_with(b"VmRSS:"));
    if !is_status && lines(text).filter(|line| line.text.starts_with(b"Rss:")).count() > 1 && !has(text, b"[rollup]") {
        let hint = "this is /proc/PID/smaps with every mapping; record /proc/PID/smaps_rollup, which is their sum";
        return Err(Error::new(Stage::Ingest, Kind::WrongFormat { hint }));
    }
    let mut builder = Builder::new(if is_status { "proc-status" } else { "smaps-rollup" });
    let (mut row, mut private, mut pid, mut next): (Row, f64, u64, Option<Stamp>) = (Row::default(), 0.0, 0, None);
    let done = |row: &mut Row, private: &mut f64, pid: u64, builder: &mut Builder| -> Result<()> {
        if *private > 0.0 {
            row.add(Measure::Private, *private, true);
        }
        if !row.bytes.is_empty() {
            row.pid = pid;
            builder.push(row)?;
        }
        (*row, *private) = (Row::default(), 0.0);
        Ok(())
    };
    for line in lines(text) {
        if is_too_long(line.text) {
            builder.tally.damage(line.number);
            continue;
        }
        let time = stamp(line.text).or_else(|| line.text.strip_prefix(b"#").and_then(stamp));
        if let Some(time) = time {
            next = Some(time);
            continue;
        }
        let colon = memchr::memchr(b':', line.text).unwrap_or(line.text.len());
        let key = &line.text[..colon];
        let value = line.text.get(colon + 1..).unwrap_or(b"").trim_ascii();
        let known = measure(key);
        let is_again = known.is_some_and(|m| row.bytes.iter().any(|(there, ..)| *there == m));
        if begins(key, line.text) || is_again {
            done(&mut row, &mut private, pid, &mut builder)?;
            pid = 0;
        }
        if row.time.is_none() {
            row.time = next.take();
        }
        if key == b"Name" {
            if builder.runtime == Runtime::Unknown {
                builder.runtime = runtime_of_command(value);
            }
            builder.tally.texts_left_out += 1;
        } else if key == b"Pid" {
            pid = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok()).unwrap_or(0);
        } else if let Some(measure) = known {
            match bytes(value, Some(Unit::Kibi)) {
                Some(bytes) => row.add(measure, bytes, true),
                None if line.is_open => builder.tally.cut(),
                None => builder.tally.damage(line.number),
            }
        } else if matches!(key, b"Private_Clean" | b"Private_Dirty") {
            private += bytes(value, Some(Unit::Kibi)).unwrap_or(0.0);
        }
    }
    done(&mut row, &mut private, pid, &mut builder)?;
    builder.finish(asked)
}
