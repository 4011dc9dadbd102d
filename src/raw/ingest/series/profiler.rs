//! What memory_profiler (`mprof run`) writes: the command line, memory in MiB with times, functions, children. The command
//! line tells the runtime; it and the names of functions are left out.

use zeroize::Zeroizing;

use super::builder::{Builder, Row};
use super::lines::{is_too_long, lines, words};
use super::names::runtime_of_command;
use super::times::Stamp;
use super::units::{Unit, bytes};
use super::{Asked, Read};
use crate::Result;
use crate::summarise::trend::{Measure, Runtime};

pub(super) fn is_mine(head: &[u8]) -> bool {
    let mut first = lines(head).take(50);
    first.any(|line| line.text.starts_with(b"CMDLINE ") || memory(line.text).is_some())
}

/// `MEM 12.34 1700000000.1234`.
fn memory(text: &[u8]) -> Option<(f64, f64)> {
    let mut words = words(text.strip_prefix(b"MEM ")?);
    let bytes = bytes(words.next()?, Some(Unit::Mebi))?;
    let time: f64 = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    (time.is_finite() && words.next().is_none()).then_some((bytes, time))
}

pub(super) fn read(text: &[u8], asked: &Asked) -> Result<Vec<Read>> {
    let mut builder = Builder::new("memory-profiler");
    builder.runtime = Runtime::Python;
    for line in lines(text) {
        if let Some(command) = line.text.strip_prefix(b"CMDLINE ") {
            let runtime = runtime_of_command(command);
            builder.runtime = if runtime == Runtime::Unknown { builder.runtime } else { runtime };
            builder.tally.texts_left_out += 1;
            builder.labels.insert(0, Zeroizing::new(command.to_vec()));
        } else if let Some((bytes, time)) = memory(line.text) {
            let mut row = Row { time: Some(Stamp::Number(time)), ..Row::default() };
            row.add(Measure::Resident, bytes, true);
            builder.push(&row)?;
        } else if line.is_open && !line.text.starts_with(b"FUNC ") {
            builder.tally.cut();
        } else if line.text.starts_with(b"MEM ") || is_too_long(line.text) {
            builder.tally.damage(line.number);
        } else {
            // FUNC and CHLD: names of functions, memory of children.
            builder.tally.texts_left_out += 1;
        }
    }
    builder.finish(asked)
}
