//! Memory over time: one reader for each kind of file. Each is known by its content and gives numbers.
//!
//! Names of columns, labels, command lines and paths are texts of the file: they become closed words or are left out and
//! counted. The one that tells processes apart is handed to scrub if it was asked for.

mod builder;
mod csv;
mod json;
mod jvm_gc;
mod lines;
mod names;
mod node_gc;
mod pairs;
mod pmap;
mod proc;
mod processes;
mod profiler;
mod prometheus;
mod times;
mod units;

use zeroize::Zeroizing;

pub use self::units::Unit;
use crate::raw::input::Input;
use crate::summarise::trend::Runtime;
use crate::summarise::trend::recording::{Column, Recording};
use crate::{Error, Kind, Result, Stage, limits};

/// What the user says about a series.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The column of times, by its name or its number from 1.
    pub time: Option<String>,
    /// Columns of memory; the others do not count then.
    pub bytes: Vec<String>,
    /// The column of load.
    pub load: Option<String>,
    /// What numbers of memory count where the file does not say.
    pub unit: Option<Unit>,
    /// Every value was taken right after a full collection.
    pub after_gc: bool,
    /// What runs the program.
    pub runtime: Runtime,
    /// The most that the heap may take, in bytes.
    pub limit: Option<f64>,
    /// Show what a file calls its processes.
    pub keep_labels: bool,
}

/// A recording, and what the file calls its process.
#[derive(Debug)]
pub(in crate::raw) struct Read {
    pub(in crate::raw) recording: Recording,
    pub(in crate::raw) label: Option<Zeroizing<Vec<u8>>>,
}

struct Format {
    /// Looks at the beginning.
    is_mine: fn(&[u8]) -> bool,
    read: fn(&[u8], &Asked) -> Result<Vec<Read>>,
}

/// In this order: what has a form of its own first, tables of numbers last.
const FORMATS: [Format; 11] = [
    Format { is_mine: prometheus::is_mine, read: prometheus::read },
    Format { is_mine: node_gc::is_mine, read: node_gc::read },
    Format { is_mine: jvm_gc::is_mine, read: jvm_gc::read },
    Format { is_mine: profiler::is_mine, read: profiler::read },
    Format { is_mine: pmap::is_mine, read: pmap::read },
    Format { is_mine: proc::is_mine, read: proc::read },
    Format { is_mine: json::is_mine, read: json::read },
    Format { is_mine: processes::is_mine, read: processes::read },
    Format { is_mine: csv::is_mine, read: csv::read },
    Format { is_mine: pairs::is_mine, read: pairs::read },
    Format { is_mine: csv::is_bare, read: csv::read_bare },
];

/// How much of a file is looked at to recognise it.
const HEAD: usize = 1 << 16;

/// Reads a file.
pub(in crate::raw) fn read(input: &Input, asked: &Asked) -> Result<Vec<Read>> {
    let bytes = input.bytes();
    if bytes.len() as u64 > limits::SERIES_BYTES {
        let kind = Kind::Limit { what: "bytes of a series", limit: limits::SERIES_BYTES };
        return Err(Error::new(Stage::Ingest, kind));
    }
    let decoded = utf_8(bytes);
    let bytes = decoded.as_ref().map_or(bytes, |decoded| decoded);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = &bytes[..bytes.len().min(HEAD)];
    if let Some(hint) = other(head) {
        return Err(Error::new(Stage::Ingest, Kind::WrongFormat { hint }));
    }
    let Some(format) = FORMATS.iter().find(|format| (format.is_mine)(head)) else {
        let hint = "no series of memory over time that is known: a CSV with a header, JSON lines, ps, /proc, pmap -x, --trace-gc, -Xlog:gc, Prometheus or memory_profiler";
        return Err(Error::new(Stage::Ingest, Kind::WrongFormat { hint }));
    };
    (format.read)(bytes, asked)
}

/// What is no series, but looks like another thing that is known.
fn other(head: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    match () {
        () if starts(b"{\"snapshot\":") || starts(b"{ \"snapshot\":") => Some(
            "this is a heap snapshot, one moment of a heap; pass it to 'heapscrub report', and here a series of memory over time",
        ),
        () if starts(b"JAVA PROFILE") => {
            Some("this is a JVM heap dump, one moment of a heap; a series is a log of -Xlog:gc, or RSS over time")
        }
        () if starts(b"PK\x03\x04") => Some("this is a zip archive; unpack it and pass the file inside"),
        () if head.contains(&0) => Some("this is no text, so no series of memory over time"),
        () => None,
    }
}

/// A file of UTF-16, as some shells write them.
fn utf_8(bytes: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (rest, is_little) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, true),
        [0xfe, 0xff, rest @ ..] => (rest, false),
        _ => return None,
    };
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let mut out = Zeroizing::new(Vec::with_capacity(rest.len()));
    let mut buffer = [0; 4];
    for c in char::decode_utf16(rest.chunks_exact(2).map(unit)) {
        out.extend_from_slice(c.unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut buffer).as_bytes());
    }
    Some(out)
}

/// Files that each hold one moment of one process (`pmap -x`, `/proc/PID/status`) are one series, in the order in which
/// they were passed.
pub(in crate::raw) fn join(mut files: Vec<(u32, Vec<Read>)>) -> Vec<(u32, Read)> {
    let mut out: Vec<(u32, Read)> = Vec::new();
    for (number, reads) in &mut files {
        for read in reads.drain(..) {
            let is_moment =
                |r: &Recording| r.t.len() == 1 && matches!(r.format, "pmap" | "proc-status" | "smaps-rollup");
            let fits = |r: &Recording| {
                r.format == read.recording.format
                    && r.pids.last() == read.recording.pids.last()
                    && r.notes == read.recording.notes
            };
            let before = out.last_mut().filter(|(_, last)| {
                is_moment(&read.recording) && last.recording.t.len() < 4096 && fits(&last.recording)
            });
            match before {
                Some((_, last)) => append(&mut last.recording, &read.recording),
                None => out.push((*number, read)),
            }
        }
    }
    out
}

fn append(to: &mut Recording, one: &Recording) {
    let rows = to.t.len();
    let next = if to.is_absolute && one.is_absolute { one.t[0] } else { to.t[rows - 1] + 1.0 };
    to.t.push(next.max(to.t[rows - 1]));
    to.pids.extend(one.pids.first());
    for column in &one.columns {
        match to.columns.iter_mut().find(|there| there.measure == column.measure) {
            Some(there) => there.values.push(column.values[0]),
            None => {
                let mut values = vec![f64::NAN; rows];
                values.push(column.values[0]);
                to.columns.push(Column { measure: column.measure, values });
            }
        }
    }
    to.columns.iter_mut().for_each(|column| column.values.resize(rows + 1, f64::NAN));
    to.rows.used += one.rows.used;
    to.rows.texts_left_out += one.rows.texts_left_out;
}
