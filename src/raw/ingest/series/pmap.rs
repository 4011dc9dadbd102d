//! `pmap -x PID`, one or several in one file: the totals, and how much of it is anonymous. The first line of each is the
//! command line of the process; it tells the runtime and is left out, as are the names of mapped files.

use zeroize::Zeroizing;

use super::builder::{Builder, Row};
use super::lines::{has, is_too_long, leading_number, lines, words};
use super::names::runtime_of_command;
use super::times::{Stamp, stamp};
use super::units::Unit;
use super::{Asked, Read};
use crate::Result;
use crate::summarise::trend::Measure;

/// `1234:   command line`.
fn process(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let pid = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    let rest = text[digits..].strip_prefix(b":")?;
    rest.first().is_none_or(u8::is_ascii_whitespace).then(|| (pid, rest.trim_ascii()))
}

pub(super) fn is_mine(head: &[u8]) -> bool {
    let mut start = lines(head).take(4);
    start.any(|line| process(line.text).is_some()) && has(head, b"Kbytes") && has(head, b"Mapping")
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut builder = Builder::new("pmap");
    let (mut pid, mut next, mut anonymous): (u64, Option<Stamp>, f64) = (0, None, 0.0);
    let mut is_open = false;
    for line in lines(text) {
        if is_too_long(line.text) {
            builder.tally.damage(line.number);
        } else if let Some(time) = stamp(line.text).or_else(|| line.text.strip_prefix(b"#").and_then(stamp)) {
            next = Some(time);
        } else if let Some((number, command)) = process(line.text) {
            (pid, anonymous, is_open) = (number, 0.0, true);
            builder.tally.texts_left_out += 1;
            builder.runtimes.entry(pid).or_insert(runtime_of_command(command));
            builder.labels.entry(pid).or_insert_with(|| Zeroizing::new(command.to_vec()));
        } else if let Some(rest) = line.text.strip_prefix(b"total kB") {
            let mut row = Row { time: next.take(), pid, ..Row::default() };
            let mut sums = words(rest).map(|word| leading_number(word).map(|(n, _)| n * Unit::Kibi.bytes()));
            match (sums.next().flatten(), sums.next().flatten()) {
                (Some(all), Some(resident)) => {
                    row.add(Measure::Resident, resident, true);
                    row.add(Measure::Virtual, all, true);
                    row.add(Measure::Anonymous, anonymous, true);
                    builder.push(&row)?;
                }
                _ => builder.tally.damage(line.number),
            }
            is_open = false;
        } else {
            // Address, Kbytes, RSS, Dirty, Mode, Mapping.
            let cells: Vec<&[u8]> = words(line.text).take(8).collect();
            let is_anonymous = cells
                .get(5)
                .is_some_and(|name| *name == b"[" || name.starts_with(b"[heap") || name.starts_with(b"[anon"));
            if is_anonymous {
                anonymous += cells.get(2).and_then(|n| leading_number(n)).map_or(0.0, |(n, _)| n * Unit::Kibi.bytes());
            }
        }
    }
    if is_open {
        builder.tally.cut();
    }
    builder.finish(asked)
}
