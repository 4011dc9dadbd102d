//! What `ps`, `top` and `pidstat` print again and again: a header, rows of processes, and times between them. Command
//! lines tell the runtime and are left out.

use zeroize::Zeroizing;

use super::builder::{Builder, Row};
use super::lines::{is_too_long, lines, words};
use super::names::runtime_of_command;
use super::times::{Stamp, leading, stamp};
use super::units::{Unit, bytes};
use super::{Asked, Read};
use crate::Result;
use crate::summarise::trend::{Measure, Runtime};

/// What a column of these tools holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Pid,
    Bytes(Measure),
    Command,
    Time,
    Other,
}

fn column(name: &[u8]) -> Column {
    match name {
        b"PID" => Column::Pid,
        b"RSS" | b"RES" | b"RSZ" => Column::Bytes(Measure::Resident),
        b"VSZ" | b"VIRT" => Column::Bytes(Measure::Virtual),
        b"PSS" => Column::Bytes(Measure::Proportional),
        b"USS" => Column::Bytes(Measure::Private),
        b"SWAP" => Column::Bytes(Measure::Swap),
        b"COMMAND" | b"CMD" | b"ARGS" | b"COMM" | b"Command" => Column::Command,
        b"Time" | b"TIMESTAMP" => Column::Time,
        _ => Column::Other,
    }
}

fn header(text: &[u8]) -> Option<Vec<Column>> {
    let words: Vec<&[u8]> = words(text.strip_prefix(b"#").unwrap_or(text)).collect();
    let columns: Vec<Column> = words.iter().map(|word| column(word)).collect();
    let is_of_process = columns
        .iter()
        .any(|c| matches!(c, Column::Bytes(Measure::Resident | Measure::Proportional | Measure::Private)));
    (is_of_process && words.iter().all(|w| w.iter().all(|b| !b.is_ascii_digit() || w.len() > 4))).then_some(columns)
}

pub(super) fn is_mine(head: &[u8]) -> bool {
    let has_comma = |text: &[u8]| memchr::memchr2(b',', b';', text).is_some();
    // A CSV may have a column RSS as well.
    lines(head)
        .take(200)
        .any(|line| !has_comma(line.text) && header(line.text).is_some_and(|c| c.contains(&Column::Pid) || c.len() < 4))
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut builder = Builder::new("ps");
    // All of these tools count kB.
    builder.assume = Some(asked.unit.unwrap_or(Unit::Kibi));
    let mut columns: Vec<Column> = Vec::new();
    let mut now: Option<Stamp> = None;
    let mut moments = 0;
    for line in lines(text) {
        if is_too_long(line.text) {
            builder.tally.damage(line.number);
            continue;
        }
        if let Some(found) = header(line.text) {
            columns = found;
            moments += 1;
            continue;
        }
        let clock = line.text.strip_prefix(b"top - ").and_then(|rest| stamp(rest.get(..8)?));
        let whole = stamp(line.text).or_else(|| line.text.strip_prefix(b"# ").and_then(stamp));
        if let Some(time) = clock.or(whole.filter(|time| !matches!(time, Stamp::Number(n) if *n < 5e8))) {
            now = Some(time);
            continue;
        }
        if columns.is_empty() {
            builder.tally.texts_left_out += 1;
            continue;
        }
        match row(line.text, &columns, now, &mut builder) {
            Some(mut row) => {
                // Without times, every table is a moment of its own.
                row.time = row.time.or((moments > 1).then_some(Stamp::Number(f64::from(moments))));
                builder.push(&row)?;
            }
            None if line.is_open => builder.tally.cut(),
            None if is_heading(line.text) => builder.tally.texts_left_out += 1,
            None => builder.tally.damage(line.number),
        }
    }
    builder.finish(asked)
}

/// What top writes above its table.
fn is_heading(text: &[u8]) -> bool {
    let starts: [&[u8]; 5] = [b"Tasks:", b"%Cpu", b"MiB ", b"KiB ", b"Linux "];
    starts.iter().any(|start| text.starts_with(start)) || leading(text).is_some() && !text[0].is_ascii_digit()
}

fn row(text: &[u8], columns: &[Column], now: Option<Stamp>, builder: &mut Builder) -> Option<Row> {
    let mut row = Row { time: now, ..Row::default() };
    let mut rest = text;
    let mut runtime = Runtime::Unknown;
    let mut label = &b""[..];
    for column in columns {
        rest = rest.trim_ascii_start();
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = if *column == Column::Command { rest } else { &rest[..end] };
        if word.is_empty() {
            return None;
        }
        match column {
            Column::Pid => row.pid = std::str::from_utf8(word).ok()?.parse().ok()?,
            Column::Bytes(measure) => {
                let is_known = word.last().is_some_and(u8::is_ascii_alphabetic);
                row.add(*measure, bytes(word, None)?, is_known);
            }
            Column::Command => {
                runtime = runtime_of_command(word);
                label = word;
                break;
            }
            Column::Time => row.time = stamp(word).or(row.time),
            Column::Other => {}
        }
        rest = &rest[end..];
    }
    if !label.is_empty() {
        builder.tally.texts_left_out += 1;
        builder.runtimes.entry(row.pid).or_insert(runtime);
        builder.labels.entry(row.pid).or_insert_with(|| Zeroizing::new(label.to_vec()));
    }
    Some(row)
}
