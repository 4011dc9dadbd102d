//! Lines of names and values: `ts=... rss=13406208`, `pmem(rss=13406208, vms=...)`, `{ rss: 4935680, heapUsed: 650472 }`.

use super::builder::{Builder, Row};
use super::lines::{is_too_long, lines};
use super::names::{Field, field, runtime_of_column};
use super::times::{leading, stamp};
use super::units::{Unit, bytes, number};
use super::{Asked, Read};
use crate::Result;
use crate::summarise::trend::Runtime;

pub(super) fn is_mine(head: &[u8]) -> bool {
    lines(head).take(50).any(|line| {
        let mut row = Row::default();
        let mut builder = Builder::new("pairs");
        fill(line.text, &mut row, &mut builder);
        !row.bytes.is_empty()
    })
}

/// Names and values of a line. A name is a word right before `=` or `:`, a value what stands behind it.
fn fill(text: &[u8], row: &mut Row, builder: &mut Builder) {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'@');
    let mut at = 0;
    while at < text.len() {
        let Some(sign) = text[at..].iter().position(|b| matches!(b, b'=' | b':')).map(|n| at + n) else { break };
        at = sign + 1;
        let name_end = text[..sign].trim_ascii_end().len();
        let name_from = text[..name_end].iter().rposition(|b| !is_word(*b)).map_or(0, |n| n + 1);
        let name = &text[name_from..name_end];
        if name.is_empty() || name[0].is_ascii_digit() {
            continue;
        }
        let value = text[at..].trim_ascii_start();
        let (value, rest) = match value {
            [b'"', inner @ ..] => {
                let end = memchr::memchr(b'"', inner).unwrap_or(inner.len());
                (&inner[..end], &inner[end..])
            }
            _ => {
                let end = value
                    .iter()
                    .position(|b| matches!(b, b' ' | b',' | b')' | b'}' | b'\t' | b';'))
                    .unwrap_or(value.len());
                (&value[..end], &value[end..])
            }
        };
        at = text.len() - rest.len();
        if builder.runtime == Runtime::Unknown {
            builder.runtime = runtime_of_column(name);
        }
        match field(name) {
            Some(Field::Time(unit)) if row.time.is_none() => {
                row.time = stamp(value);
                builder.time_unit = builder.time_unit.or(unit);
            }
            Some(Field::Bytes(measure, unit)) => {
                // `rss: 25 MB`: the unit is the next word.
                let next = rest.trim_ascii_start();
                let word = next.iter().take_while(|b| b.is_ascii_alphabetic()).count();
                let beside = Unit::of(&next[..word]).filter(|_| number(value).is_some_and(|(_, own)| own.is_none()));
                let unit = beside.or(unit);
                if let Some(bytes) = bytes(value, unit) {
                    row.add(measure, bytes, unit.is_some() || number(value).is_some_and(|(_, own)| own.is_some()));
                }
            }
            Some(Field::Load) => row.load = number(value).map(|(n, _)| n).or(row.load),
            Some(Field::Pid) => {
                row.pid = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok()).unwrap_or(row.pid)
            }
            Some(Field::Fulls) => row.fulls = number(value).map(|(n, _)| n).or(row.fulls),
            Some(Field::Marks) => row.marks = number(value).map(|(n, _)| n).or(row.marks),
            Some(Field::Limit(unit)) => row.limit = bytes(value, unit).or(row.limit),
            Some(Field::Time(_) | Field::Command) | None => builder.tally.texts_left_out += 1,
        }
    }
}

/// Takes lines as they come; an object over several lines (as `console.log` writes it) is one row.
pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut builder = Builder::new("pairs");
    let mut open: Option<Row> = None;
    for line in lines(text) {
        if is_too_long(line.text) {
            builder.tally.damage(line.number);
            continue;
        }
        let mut row = open.take().unwrap_or_default();
        row.time = row.time.or_else(|| leading(line.text));
        fill(line.text, &mut row, &mut builder);
        let has_begun = line.text.ends_with(b"{");
        let goes_on = line.text.ends_with(b",") && !row.bytes.is_empty();
        if (has_begun || goes_on) && !line.is_open {
            open = Some(row);
        } else if !row.bytes.is_empty() {
            builder.push(&row)?;
        } else if row.time.is_some() {
            // A line with a time alone belongs to what follows.
            open = Some(row);
        } else {
            builder.tally.texts_left_out += 1;
        }
    }
    builder.finish(asked)
}
