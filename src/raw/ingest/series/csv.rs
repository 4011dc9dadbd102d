//! Tables: values between commas, semicolons, tabs or blanks, with names of columns in the first line. Columns without a
//! header (a file of bare numbers, or of time and bytes) are read too.

use super::builder::{Builder, Row};
use super::lines::{Line, is_too_long, lines};
use super::names::{Field, field, runtime_of_column, runtime_of_command};
use super::times::{Stamp, stamp};
use super::units::{bytes, number};
use super::{Asked, Read};
use crate::summarise::trend::{Measure, Runtime};
use crate::{Error, Kind, Result, Stage};

/// A first line with at least one name of memory.
pub(super) fn is_mine(head: &[u8]) -> bool {
    let Some(first) = lines(head).find(|line| !is_comment(line.text)) else { return false };
    let Some(by) = separator(first.text) else {
        return field(first.text).is_some_and(|f| matches!(f, Field::Bytes(..)));
    };
    let cells = cells(first.text, by);
    // A row of values has numbers; a header has none.
    cells.len() >= 2
        && cells.iter().filter(|cell| number(cell).is_some()).count() == 0
        && (cells.iter().any(|cell| matches!(field(cell), Some(Field::Bytes(..))))
            || cells.iter().any(|cell| matches!(field(cell), Some(Field::Time(_)))))
}

/// Numbers without names: one in each line, or a time and a number.
pub(super) fn is_bare(head: &[u8]) -> bool {
    let mut rows = lines(head).filter(|line| !line.is_open && !is_comment(line.text)).take(3).peekable();
    rows.peek().is_some() && rows.all(|line| bare(line.text).is_some())
}

fn is_comment(text: &[u8]) -> bool {
    text.starts_with(b"#") || text.starts_with(b"//")
}

fn separator(text: &[u8]) -> Option<u8> {
    let count = |by: u8| text.iter().filter(|b| **b == by).count();
    let best = [b'\t', b';', b',', b'|'].into_iter().max_by_key(|by| count(*by)).filter(|by| count(*by) > 0);
    best.or_else(|| (count(b' ') > 0).then_some(b' '))
}

/// The cells of a row; quotes are taken off.
fn cells(text: &[u8], by: u8) -> Vec<&[u8]> {
    let (mut out, mut from, mut is_quoted) = (Vec::new(), 0, false);
    for (at, b) in text.iter().enumerate() {
        if *b == b'"' {
            is_quoted = !is_quoted;
        } else if *b == by && !is_quoted {
            out.push(&text[from..at]);
            from = at + 1;
        }
    }
    out.push(&text[from..]);
    let plain = out.into_iter().map(|cell| {
        let cell = cell.trim_ascii();
        cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell)
    });
    // Blanks may stand in rows.
    plain.filter(|cell| by != b' ' || !cell.is_empty()).collect()
}

/// What each column is, by its name or by what the user says.
fn fields(header: &[&[u8]], asked: &Asked) -> Result<Vec<Option<Field>>> {
    let find = |wanted: &str, what| {
        let by_name = header.iter().position(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
        let by_number = wanted.parse::<usize>().ok().filter(|n| (1..=header.len()).contains(n)).map(|n| n - 1);
        by_name.or(by_number).ok_or(Error::new(Stage::Ingest, Kind::NoSuchColumn { what }))
    };
    let mut out: Vec<Option<Field>> = header.iter().map(|name| field(name)).collect();
    if !asked.bytes.is_empty() {
        out.iter_mut().filter(|f| matches!(f, Some(Field::Bytes(..)))).for_each(|f| *f = None);
        for wanted in &asked.bytes {
            let at = find(wanted, "--bytes")?;
            let known = field(header[at]).filter(|f| matches!(f, Field::Bytes(..)));
            out[at] = Some(known.unwrap_or(Field::Bytes(Measure::Memory, None)));
        }
    }
    if let Some(wanted) = &asked.time {
        out.iter_mut().filter(|f| matches!(f, Some(Field::Time(_)))).for_each(|f| *f = None);
        let at = find(wanted, "--time")?;
        let known = field(header[at]).filter(|f| matches!(f, Field::Time(_)));
        out[at] = Some(known.unwrap_or(Field::Time(None)));
    }
    if let Some(wanted) = &asked.load {
        out.iter_mut().filter(|f| matches!(f, Some(Field::Load))).for_each(|f| *f = None);
        out[find(wanted, "--load")?] = Some(Field::Load);
    }
    Ok(out)
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut rows = lines(text).filter(|line| !is_comment(line.text));
    let header = rows.next().map_or(&b""[..], |line| line.text);
    let by = separator(header).unwrap_or(b',');
    let names = cells(header, by);
    let fields = fields(&names, asked)?;
    let mut builder = Builder::new("csv");
    builder.tally.texts_left_out = fields.iter().filter(|f| f.is_none()).count() as u64;
    builder.runtime = names.iter().map(|n| runtime_of_column(n)).find(|r| *r != Runtime::Unknown).unwrap_or_default();
    builder.time_unit = fields.iter().find_map(|f| if let Some(Field::Time(unit)) = f { *unit } else { None });
    for line in rows {
        if line.text == header {
            continue;
        }
        match row(&line, by, &fields, &mut builder) {
            Some(row) => builder.push(&row)?,
            None if line.is_open => builder.tally.cut(),
            None => builder.tally.damage(line.number),
        }
    }
    builder.finish(asked)
}

/// One row; nothing if it has other cells than the header, or one of them cannot be what its column is.
fn row(line: &Line<'_>, by: u8, fields: &[Option<Field>], builder: &mut Builder) -> Option<Row> {
    let cells = cells(line.text, by);
    if cells.len() != fields.len() || is_too_long(line.text) {
        return None;
    }
    let mut row = Row::default();
    for (cell, field) in cells.iter().zip(fields) {
        let is_empty = cell.is_empty() || cell.eq_ignore_ascii_case(b"nan") || cell.eq_ignore_ascii_case(b"null");
        match field {
            None => {}
            Some(Field::Time(_)) => row.time = Some(stamp(cell)?),
            Some(_) if is_empty => {}
            Some(Field::Bytes(measure, unit)) => {
                let is_known = unit.is_some() || number(cell).is_some_and(|(_, unit)| unit.is_some());
                row.add(*measure, bytes(cell, *unit)?, is_known);
            }
            Some(Field::Load) => row.load = Some(number(cell)?.0),
            Some(Field::Pid) => row.pid = std::str::from_utf8(cell).ok()?.parse().ok()?,
            Some(Field::Fulls) => row.fulls = Some(number(cell)?.0),
            Some(Field::Marks) => row.marks = number(cell).map(|(n, _)| n).or_else(|| truth(cell)),
            Some(Field::Limit(unit)) => row.limit = bytes(cell, *unit),
            Some(Field::Command) if builder.runtime == Runtime::Unknown => builder.runtime = runtime_of_command(cell),
            Some(Field::Command) => {}
        }
    }
    Some(row)
}

fn truth(cell: &[u8]) -> Option<f64> {
    match &*cell.to_ascii_lowercase() {
        b"true" | b"yes" => Some(1.0),
        b"false" | b"no" => Some(0.0),
        _ => None,
    }
}

/// A time, if there is one, and a number.
fn bare(text: &[u8]) -> Option<(Option<Stamp>, f64, bool)> {
    let by = separator(text).unwrap_or(b',');
    let cells = cells(text, by);
    let value = |cell: &[u8]| Some((bytes(cell, None)?, number(cell)?.1.is_some()));
    match cells[..] {
        [only] => value(only).map(|(bytes, known)| (None, bytes, known)),
        [time, only] => {
            let (bytes, known) = value(only)?;
            Some((Some(stamp(time)?), bytes, known))
        }
        _ => None,
    }
}

pub(super) fn read_bare(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut builder = Builder::new("numbers");
    for line in lines(text).filter(|line| !is_comment(line.text)) {
        match bare(line.text) {
            Some((time, value, is_known)) => {
                let mut row = Row { time, ..Row::default() };
                row.add(Measure::Memory, value, is_known);
                builder.push(&row)?;
            }
            None if line.is_open => builder.tally.cut(),
            None => builder.tally.damage(line.number),
        }
    }
    builder.finish(asked)
}
