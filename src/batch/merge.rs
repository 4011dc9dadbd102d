//! Partial results fold into one: by item, in any order, with the same result.

use super::hex::Hex;
use super::row::{Row, Rows};
use crate::raw::names::Names;
use crate::{Error, Kind, Result, Settings, Stage};

/// Adds a row. Of two rows of one item the one stays that says more: summarised before failed before skipped, and among
/// equals the one that is later in the alphabet, so that the order in which they come does not matter.
pub(crate) fn add(rows: &mut Rows, row: Row) {
    match rows.get(&row.item) {
        Some(known) if rank(known) >= rank(&row) => {}
        _ => {
            rows.insert(row.item.clone(), row);
        }
    }
}

fn rank(row: &Row) -> (super::row::State, String) {
    (row.state, row.line())
}

/// Folds one set of rows into another.
#[must_use]
pub fn fold(mut rows: Rows, other: Rows) -> Rows {
    for row in other.into_values() {
        add(&mut rows, row);
    }
    rows
}

/// Reads lines of an index, or what `heapscrub item` printed.
///
/// # Errors
/// When a line is no row (the number of the line is the place), or rows are of jobs with different keys.
pub fn read(bytes: &[u8], settings: &Settings) -> Result<Rows> {
    let (mut rows, mut names) = (Rows::new(), Names::new(settings));
    for (number, line) in (1..).zip(bytes.split(|b| *b == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let what = "lines of an index of heapscrub batch";
        let malformed = Error::new(Stage::Input, Kind::Malformed { what });
        let row = Row::<String>::read(line).ok_or(malformed.at(number))?;
        add(&mut rows, row.vouched(&mut names));
    }
    one_job(&rows).map(|_| rows)
}

/// What stands for the key of all rows.
///
/// # Errors
/// When they are of jobs with different keys: their placeholders do not fit together.
pub fn one_job(rows: &Rows) -> Result<Option<Hex>> {
    let mut jobs = rows.values().map(|row| &row.job);
    let first = jobs.next().cloned();
    match jobs.all(|job| Some(job) == first.as_ref()) {
        true => Ok(first),
        false => Err(Error::new(Stage::Input, Kind::JobsDiffer)),
    }
}
