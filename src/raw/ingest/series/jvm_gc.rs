//! Logs of the JVM (`-Xlog:gc`, JDK 9 and later): Serial, Parallel, G1, Shenandoah, Z.
//!
//! A collection looked at the whole heap if it is a full pause, a cycle of Z or Shenandoah, or a mark cycle of G1; of the
//! last, what is left is what the pauses before the next cycle show at least, since mixed pauses clear what was found dead.

use super::builder::Tally;
use super::lines::{after, has, is_too_long, leading_number, lines};
use super::units::Unit;
use super::{Asked, Read};
use crate::summarise::trend::Runtime;
use crate::summarise::trend::recording::{Collection, Fulls, Recording};
use crate::{Error, Kind, Result, Stage, limits};

pub(super) fn is_mine(head: &[u8]) -> bool {
    lines(head).take(2000).any(|line| {
        line.text.first() == Some(&b'[')
            && (has(line.text, b"[gc]") || has(line.text, b"[gc ") || has(line.text, b"[gc,"))
    })
}

/// What a line tells.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    /// A pause or cycle with sizes: its number, and whether the whole heap was looked at.
    Sizes { number: u64, before: f64, after: f64, capacity: f64, pause_ms: f64, is_full: bool },
    /// A pause of which only the length is known.
    Pause { ms: f64 },
    /// A mark cycle of G1 ended.
    Marked,
    /// The most the heap may take.
    Limit(f64),
}

/// `12.5s` or `500ms` or a date, at the beginning.
fn time(text: &[u8]) -> Option<f64> {
    let inside = text.get(1..memchr::memchr(b']', text)?)?;
    match super::times::stamp(inside)? {
        super::times::Stamp::Number(n) | super::times::Stamp::Absolute(n) => Some(n),
        super::times::Stamp::Clock(_) => None,
    }
}

/// `76M`, `131072K`.
fn memory(text: &[u8]) -> Option<(f64, &[u8])> {
    let (n, rest) = leading_number(text)?;
    Some((n * Unit::of(rest.get(..1)?)?.bytes(), &rest[1..]))
}

fn event(text: &[u8]) -> Option<Event> {
    if let Some(limit) = after(text, b"Heap Max Capacity: ") {
        return memory(limit).map(|(bytes, _)| Event::Limit(bytes));
    }
    let rest = after(text, b"GC(")?;
    let (number, rest) = leading_number(rest)?;
    let number = number as u64;
    let what = rest.strip_prefix(b") ")?;
    let last = what.rsplit(|b| *b == b' ').next()?;
    let pause_ms = last.strip_suffix(b"ms").and_then(leading_number).map(|(ms, _)| ms);
    if what.starts_with(b"Concurrent Mark Cycle") || what.starts_with(b"Concurrent Cycle") {
        return pause_ms.map(|_| Event::Marked);
    }
    let is_pause = what.starts_with(b"Pause ");
    let arrow = memchr::memmem::find(what, b"->");
    let sizes = arrow.and_then(|arrow| {
        let from = what[..arrow].rsplit(|b| *b == b' ').next()?;
        let (before, part) = memory(from)?;
        let (left, rest) = memory(&what[arrow + 2..])?;
        let inside = rest.strip_prefix(b"(")?;
        // Z tells the share of the limit, the others the size of the heap.
        let capacity = match memory(inside) {
            Some((capacity, _)) => capacity,
            None => {
                let percent = leading_number(part.strip_prefix(b"(")?)?.0;
                if percent >= 5.0 { before * 100.0 / percent } else { f64::NAN }
            }
        };
        Some((before, left, capacity))
    });
    let Some((before, after, capacity)) = sizes else {
        return if is_pause { pause_ms.map(|ms| Event::Pause { ms }) } else { None };
    };
    let is_z = what.starts_with(b"Garbage Collection") || what.starts_with(b"Major Collection");
    let is_minor = what.starts_with(b"Minor Collection");
    let is_cleanup = what.starts_with(b"Concurrent cleanup");
    let is_full = what.starts_with(b"Pause Full") || what.starts_with(b"Pause Degenerated") || is_z || is_cleanup;
    if !(is_pause || is_full || is_minor) {
        return None;
    }
    // The length of a cycle is not the length of a pause.
    let pause_ms = if is_pause { pause_ms.unwrap_or(f64::NAN) } else { f64::NAN };
    Some(Event::Sizes { number, before, after, capacity, pause_ms, is_full })
}

/// The collections of one life of a JVM.
#[derive(Debug, Default)]
struct Life {
    collections: Vec<(u64, Collection)>,
    limit: Option<f64>,
    /// A mark cycle of G1 ended, and what was least left since.
    marked: Option<usize>,
}

impl Life {
    fn take(&mut self, t: f64, event: Event) {
        match event {
            Event::Sizes { number, before, after, capacity, pause_ms, is_full } => {
                // Shenandoah cleans up twice in one cycle; the second time tells what is left.
                if let Some((n, last)) = self.collections.last_mut()
                    && *n == number
                    && last.is_full
                    && is_full
                {
                    last.after = last.after.min(after);
                    return;
                }
                self.collections.push((number, Collection { t, before, after, capacity, pause_ms, is_full }));
            }
            Event::Pause { ms } => {
                if let Some((_, last)) = self.collections.last_mut() {
                    last.pause_ms = if last.pause_ms.is_finite() { last.pause_ms + ms } else { ms };
                }
            }
            Event::Marked => {
                self.settle();
                self.marked = Some(self.collections.len());
            }
            Event::Limit(bytes) => self.limit = Some(bytes),
        }
    }

    /// The pause that left least since the last mark cycle shows what that cycle left.
    fn settle(&mut self) {
        let Some(from) = self.marked.take() else { return };
        let since = self.collections.get_mut(from..).unwrap_or_default();
        let is_own = since.iter().any(|(_, c)| c.is_full);
        if let Some((_, least)) = since.iter_mut().min_by(|a, b| a.1.after.total_cmp(&b.1.after)).filter(|_| !is_own) {
            least.is_full = true;
        }
    }
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut lives = vec![Life::default()];
    let (mut tally, mut count, mut last, mut number) = (Tally::default(), 0, f64::NEG_INFINITY, 0.0);
    for line in lines(text) {
        if line.text.first() != Some(&b'[') || is_too_long(line.text) {
            tally.texts_left_out += 1;
            continue;
        }
        // A new process begins its time and its numbers again.
        let found = time(line.text).zip(event(line.text));
        let Some((t, event)) = found else {
            let is_broken = has(line.text, b"Pause ")
                && has(line.text, b"GC(")
                && !line.text.ends_with(b")")
                && !has(line.text, b"ms");
            match () {
                () if is_broken && line.is_open => tally.cut(),
                () if is_broken && has(line.text, b"->") => tally.damage(line.number),
                () => tally.texts_left_out += 1,
            }
            continue;
        };
        count += 1;
        if count > limits::SERIES_ROWS {
            let kind = Kind::Limit { what: "rows of a series", limit: limits::SERIES_ROWS };
            return Err(Error::new(Stage::Ingest, kind));
        }
        let own = after(line.text, b"GC(").and_then(leading_number).map_or(number, |(n, _)| n);
        if t < last - 1.0 || own + 50.0 < number {
            lives.push(Life::default());
        }
        (last, number) = (t, own);
        if lives.len() as u64 > limits::SERIES_PROCESSES {
            let kind = Kind::Limit { what: "processes of a series", limit: limits::SERIES_PROCESSES };
            return Err(Error::new(Stage::Ingest, kind));
        }
        if let Some(life) = lives.last_mut() {
            life.take(t, event);
        }
    }
    let rows = tally.finish(count)?;
    lives.retain(|life| !life.collections.is_empty());
    if lives.is_empty() {
        return Err(Error::new(Stage::Ingest, Kind::Malformed { what: "collections with sizes (-Xlog:gc)" }));
    }
    let one = |mut life: Life| {
        life.settle();
        let collections: Vec<Collection> = life.collections.into_iter().map(|(_, c)| c).collect();
        let mut rows = rows.clone();
        rows.used = collections.len() as u64;
        let fulls = if asked.after_gc { Fulls::BeforeEach } else { Fulls::Untold };
        let limit = asked.limit.or(life.limit);
        let recording = Recording {
            format: "jvm-gc",
            runtime: Runtime::Jvm,
            collections,
            fulls,
            limit,
            rows,
            ..Recording::default()
        };
        Read { recording, label: None }
    };
    Ok(lives.into_iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1_048_576.0;

    #[test]
    fn lines_of_all_collectors() {
        let sizes = |number, before: f64, after: f64, capacity: f64, pause_ms, is_full| {
            Some(Event::Sizes {
                number,
                before: before * MIB,
                after: after * MIB,
                capacity: capacity * MIB,
                pause_ms,
                is_full,
            })
        };
        for (text, expected) in [
            (
                "[0.327s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->1M(34M) 3.778ms",
                sizes(0, 6.0, 1.0, 34.0, 3.778, false),
            ),
            (
                "[11.408s][info][gc] GC(40) Pause Full (Allocation Failure) 22M->16M(23M) 1.250ms",
                sizes(40, 22.0, 16.0, 23.0, 1.25, true),
            ),
            (
                "[2026-11-18T20:02:12.123+0000][12.1s][info][gc          ] GC(7) Pause Full (System.gc()) 2048K->1024K(8192K) 0.5ms",
                sizes(7, 2.0, 1.0, 8.0, 0.5, true),
            ),
            ("[5.217s][info][gc] GC(43) Concurrent Mark Cycle 9.537ms", Some(Event::Marked)),
            ("[5.208s][info][gc] GC(43) Concurrent Mark Cycle", None),
            ("[0.02s][info][gc,init] Heap Max Capacity: 100M", Some(Event::Limit(100.0 * MIB))),
            ("[0.5s][info][gc] GC(0) Pause Init Mark (unload classes) 0.010ms", Some(Event::Pause { ms: 0.010 })),
            ("[0.04s][info][gc] Using G1", None),
        ] {
            assert_eq!(event(text.as_bytes()), expected, "{text}");
        }
        let z = event(b"[7.2s][info][gc] GC(18) Garbage Collection (Proactive) 32M(50%)->14M(22%)");
        assert!(
            matches!(z, Some(Event::Sizes { is_full: true, capacity, .. }) if (capacity - 64.0 * MIB).abs() < 1.0),
            "{z:?}"
        );
        assert_eq!(time(b"[500ms][info]"), Some(0.5));
        assert_eq!(time(b"[12.176s][info]"), Some(12.176));
    }

    #[test]
    fn what_a_mark_cycle_of_g1_left() {
        let log = "[1.0s][info][gc] GC(1) Pause Young (Normal) (G1) 40M->30M(64M) 1.0ms
[2.0s][info][gc] GC(2) Concurrent Mark Cycle 9.5ms
[3.0s][info][gc] GC(3) Pause Young (Prepare Mixed) (G1) 40M->29M(64M) 1.0ms
[4.0s][info][gc] GC(4) Pause Young (Mixed) (G1) 39M->21M(64M) 1.0ms
[5.0s][info][gc] GC(5) Pause Young (Normal) (G1) 39M->23M(64M) 1.0ms
";
        let read = read(log.as_bytes(), &Asked::default()).expect("a log");
        let full: Vec<f64> =
            read[0].recording.collections.iter().filter(|c| c.is_full).map(|c| c.after / MIB).collect();
        assert_eq!(full, [21.0]);
    }
}
