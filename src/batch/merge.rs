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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::row::{State, Why};
    use super::*;
    use crate::SafeText;

    /// Rows of few items, so that many of them meet.
    fn rows() -> impl Strategy<Value = Rows> {
        let row =
            (0_u8..6, 0_u8..3, 0_u64..4, proptest::option::of(0_u64..3)).prop_map(|(item, state, bytes, count)| {
                let state = [State::Skipped, State::Failed, State::Done][usize::from(state)];
                let mut row = Row::new(Hex::of(&[1]), Hex::of(&[item; 16]), state);
                (row.heap_bytes, row.class) = (bytes, (state != State::Done).then_some(Why::Damaged));
                row.why = count.map(|count| SafeText::shown(count, |n| n.to_string()));
                row
            });
        proptest::collection::vec(row, 0..12).prop_map(|list| {
            let mut rows = Rows::new();
            list.into_iter().for_each(|row| add(&mut rows, row));
            rows
        })
    }

    proptest! {
        #[test]
        fn folding_is_associative_commutative_and_idempotent(a in rows(), b in rows(), c in rows()) {
            let all = |x: &Rows, y: &Rows| fold(x.clone(), y.clone());
            prop_assert_eq!(all(&a, &b), all(&b, &a));
            prop_assert_eq!(all(&all(&a, &b), &c), all(&a, &all(&b, &c)));
            prop_assert_eq!(all(&a, &a), a.clone());
            prop_assert_eq!(all(&a, &Rows::new()), a);
        }

        #[test]
        fn lines_read_back_as_they_were(a in rows()) {
            let text: String = a.values().map(|row| row.line() + "\n").collect();
            let settings = Settings::default();
            prop_assert_eq!(read(text.as_bytes(), &settings).expect("rows"), a);
        }
    }
}
