//! Rows of any format become recordings: units and times are understood once all rows are there, processes are told
//! apart, counters become rates.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

use super::times::Stamp;
use super::units::Unit;
use super::{Asked, Read};
use crate::summarise::trend::recording::{Column, Fulls, Note, Recording, Rows};
use crate::summarise::trend::{Measure, Runtime};
use crate::{Error, Kind, Result, Stage, limits};

/// Lines that could not be read.
#[derive(Debug, Default)]
pub(super) struct Tally {
    damaged: u64,
    lines: Vec<u64>,
    pub(super) is_cut: bool,
    pub(super) texts_left_out: u64,
}

impl Tally {
    /// A row that cannot be read, by its line from 1.
    pub(super) fn damage(&mut self, line: u64) {
        self.damaged += 1;
        if self.lines.len() < limits::SERIES_DAMAGED_LINES {
            self.lines.push(line);
        }
    }

    /// A cut end is no damage: the file was still being written.
    pub(super) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Up to one row in ten may be damaged, and three of few; beyond that the file is not what it looks like.
    pub(super) fn finish(self, used: u64) -> Result<Rows> {
        let line = self.lines.first().copied().unwrap_or(1);
        if self.damaged > 3.max((used + self.damaged) / 10) || (used == 0 && self.damaged > 0) {
            let kind = Kind::DamagedRows { line, damaged: self.damaged, rows: used + self.damaged };
            return Err(Error::new(Stage::Ingest, kind));
        }
        Ok(Rows {
            used,
            damaged: self.damaged,
            damaged_lines: self.lines,
            is_cut: self.is_cut,
            texts_left_out: self.texts_left_out,
        })
    }
}

/// What one row says. NaN: nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) time: Option<Stamp>,
    pub(super) pid: u64,
    pub(super) bytes: Vec<(Measure, f64, bool)>,
    pub(super) load: Option<f64>,
    pub(super) fulls: Option<f64>,
    pub(super) marks: Option<f64>,
    pub(super) limit: Option<f64>,
}

impl Row {
    pub(super) fn add(&mut self, measure: Measure, value: f64, unit_is_known: bool) {
        if !self.bytes.iter().any(|(there, ..)| *there == measure) {
            self.bytes.push((measure, value, unit_is_known));
        }
    }
}

/// Collects rows.
#[derive(Debug)]
pub(super) struct Builder {
    format: &'static str,
    rows: Vec<(Option<Stamp>, u64)>,
    columns: BTreeMap<Measure, (Vec<f64>, bool)>,
    load: Vec<f64>,
    fulls: Vec<f64>,
    marks: Vec<f64>,
    limit: Option<f64>,
    /// Seconds in a number of the column of times, if its name says.
    pub(super) time_unit: Option<f64>,
    pub(super) runtime: Runtime,
    /// The runtimes of single processes, by their numbers.
    pub(super) runtimes: BTreeMap<u64, Runtime>,
    pub(super) labels: BTreeMap<u64, Zeroizing<Vec<u8>>>,
    pub(super) tally: Tally,
    /// Is a number without a unit known to be bytes (or what the tool always writes)?
    pub(super) assume: Option<Unit>,
}

impl Builder {
    pub(super) fn new(format: &'static str) -> Self {
        Self {
            format,
            rows: Vec::new(),
            columns: BTreeMap::new(),
            load: Vec::new(),
            fulls: Vec::new(),
            marks: Vec::new(),
            limit: None,
            time_unit: None,
            runtime: Runtime::Unknown,
            runtimes: BTreeMap::new(),
            labels: BTreeMap::new(),
            tally: Tally::default(),
            assume: None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: &Row) -> Result<()> {
        let at = self.rows.len();
        if at as u64 >= limits::SERIES_ROWS {
            let kind = Kind::Limit { what: "rows of a series", limit: limits::SERIES_ROWS };
            return Err(Error::new(Stage::Ingest, kind));
        }
        self.rows.push((row.time, row.pid));
        for (measure, value, is_known) in &row.bytes {
            let (values, known) = self.columns.entry(*measure).or_insert((Vec::new(), *is_known));
            values.resize(at, f64::NAN);
            values.push(*value);
            *known &= *is_known;
        }
        for (column, value) in [(&mut self.load, row.load), (&mut self.fulls, row.fulls), (&mut self.marks, row.marks)]
        {
            if let Some(value) = value {
                column.resize(at, f64::NAN);
                column.push(value);
            }
        }
        self.limit = match (self.limit, row.limit) {
            (a, Some(b)) if b > 0.0 && b < 1e15 => Some(a.map_or(b, |a: f64| a.max(b))),
            (a, _) => a,
        };
        Ok(())
    }

    /// The recordings: one, or one for each process.
    pub(super) fn finish(mut self, asked: &Asked) -> Result<Vec<Read>> {
        let n = self.rows.len();
        if self.columns.is_empty() {
            let kind = Kind::Malformed { what: "a column of memory (rss, heapUsed, memory ...); --bytes names it" };
            return Err(if self.tally.damaged > 0 {
                self.tally.finish(0).err().unwrap_or(Error::new(Stage::Ingest, kind))
            } else {
                Error::new(Stage::Ingest, kind)
            });
        }
        let (times, is_absolute, mut notes) = times(&self.rows, self.time_unit);
        let mut columns = Vec::new();
        for (measure, (mut values, is_known)) in std::mem::take(&mut self.columns) {
            values.resize(n, f64::NAN);
            if !is_known {
                let (unit, note) =
                    self.assume.or(asked.unit).map_or_else(|| guess(measure, &values), |unit| (unit, None));
                values.iter_mut().for_each(|v| *v *= unit.bytes());
                notes.extend(note);
            }
            columns.push(Column { measure, values });
        }
        for column in [&mut self.load, &mut self.fulls, &mut self.marks] {
            if !column.is_empty() {
                column.resize(n, f64::NAN);
            }
        }
        let rows = std::mem::take(&mut self.tally).finish(n as u64)?;
        let groups = processes(&self.rows)?;
        let mut out = Vec::new();
        for group in &groups {
            out.push(self.recording(group, &times, is_absolute, &columns, &notes, &rows, asked));
        }
        Ok(out)
    }

    #[allow(clippy::too_many_arguments, reason = "one call; the parts of a recording")]
    fn recording(
        &mut self,
        group: &[usize],
        times: &[f64],
        is_absolute: bool,
        columns: &[Column],
        notes: &[Note],
        rows: &Rows,
        asked: &Asked,
    ) -> Read {
        let mut notes = notes.to_vec();
        let mut order = group.to_vec();
        if is_absolute && order.windows(2).any(|pair| times[pair[1]] < times[pair[0]]) {
            order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
            notes.push(Note::OutOfOrder);
        }
        let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|at| values[*at]).collect() };
        let (t, resets) = lives(&pick(times));
        let load = (!self.load.is_empty()).then(|| rate(&t, &pick(&self.load), &resets)).flatten();
        let fulls = match (self.fulls.is_empty(), self.marks.is_empty()) {
            _ if asked.after_gc => Fulls::BeforeEach,
            (false, _) => counted(&pick(&self.fulls)),
            (true, false) => marked(&pick(&self.marks)),
            (true, true) => Fulls::Untold,
        };
        let first_pid = order.first().map_or(0, |at| self.rows[*at].1);
        let runtime = [asked.runtime, self.runtimes.get(&first_pid).copied().unwrap_or_default(), self.runtime];
        let recording = Recording {
            format: self.format,
            runtime: runtime.into_iter().find(|r| *r != Runtime::Unknown).unwrap_or_default(),
            pids: order.iter().map(|at| self.rows[*at].1).collect(),
            is_absolute,
            columns: (columns.iter())
                .map(|column| Column { measure: column.measure, values: pick(&column.values) })
                .filter(|column| column.values.iter().any(|v| v.is_finite()))
                .collect(),
            load,
            fulls,
            limit: asked.limit.or(self.limit),
            rows: Rows { used: order.len() as u64, ..rows.clone() },
            notes,
            t,
            resets,
            ..Recording::default()
        };
        Read { recording, label: self.labels.remove(&first_pid) }
    }
}

/// Seconds of all rows.
fn times(rows: &[(Option<Stamp>, u64)], unit: Option<f64>) -> (Vec<f64>, bool, Vec<Note>) {
    if rows.iter().all(|(stamp, _)| stamp.is_none()) {
        return ((0..rows.len()).map(|i| i as f64).collect(), false, vec![Note::NoTimes]);
    }
    let number = |stamp: &Option<Stamp>| if let Some(Stamp::Number(n)) = stamp { Some(*n) } else { None };
    let largest = rows.iter().filter_map(|(stamp, _)| number(stamp)).fold(0.0, f64::max);
    // Seconds since 1970 have ten digits until 2286, milliseconds thirteen, and so on.
    let (factor, is_epoch) = match largest {
        n if n >= 1e17 => (1e-9, true),
        n if n >= 1e14 => (1e-6, true),
        n if n >= 1e11 => (1e-3, true),
        n if n >= 5e8 && unit.is_none_or(|u| u == 1.0) => (1.0, true),
        _ => (unit.unwrap_or(1.0), false),
    };
    let mut notes = Vec::new();
    if !is_epoch && unit.is_none() && largest > 0.0 {
        notes.push(Note::UnitOfTimeGuessed);
    }
    let (mut out, mut last, mut day, mut is_absolute) = (Vec::with_capacity(rows.len()), 0.0, 0.0, is_epoch);
    for (stamp, _) in rows {
        let seconds = match stamp {
            Some(Stamp::Number(n)) => n * factor,
            Some(Stamp::Absolute(seconds)) => {
                is_absolute = true;
                *seconds
            }
            Some(Stamp::Clock(seconds)) => {
                if !notes.contains(&Note::DaysGuessed) {
                    notes.push(Note::DaysGuessed);
                }
                if day + seconds < last - 43_200.0 {
                    day += 86_400.0;
                }
                day + seconds
            }
            // A row without a time of its own goes with the one before.
            None => last,
        };
        last = seconds;
        out.push(seconds);
    }
    (out, is_absolute, notes)
}

/// Lays lives end to end where time begins again; the rows at which one begins.
fn lives(times: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let (mut out, mut resets, mut shift) = (Vec::with_capacity(times.len()), Vec::new(), 0.0);
    for (at, time) in times.iter().enumerate() {
        if at > 0 && *time < times[at - 1] {
            let step = if at > 1 { (times[at - 1] - times[at - 2]).max(0.0) } else { 0.0 };
            shift += times[at - 1] - time + step;
            resets.push(at);
        }
        out.push(time + shift);
    }
    (out, resets)
}

/// A counter becomes a rate; a gauge stays. `None` if nothing is known about it in most rows.
fn rate(t: &[f64], load: &[f64], resets: &[usize]) -> Option<Vec<f64>> {
    let known = load.iter().filter(|v| v.is_finite()).count();
    if known * 10 < load.len() * 9 || known < 2 {
        return None;
    }
    let mut filled = load.to_vec();
    for at in 1..filled.len() {
        if !filled[at].is_finite() {
            filled[at] = filled[at - 1];
        }
    }
    let first = filled.iter().copied().find(|v| v.is_finite())?;
    filled.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = first);
    let falls = (1..filled.len()).filter(|at| filled[*at] < filled[at - 1] && !resets.contains(at)).count();
    let rises = (1..filled.len()).filter(|at| filled[*at] > filled[at - 1]).count();
    // A gauge goes up and down; a counter only falls when its process begins again.
    if falls * 50 > filled.len() || rises * 2 < filled.len() {
        return Some(filled);
    }
    let mut out: Vec<f64> = (1..filled.len())
        .map(|at| {
            let (more, time) = (filled[at] - filled[at - 1], t[at] - t[at - 1]);
            if more < 0.0 || time <= 0.0 { f64::NAN } else { more / time }
        })
        .collect();
    let usual = out.iter().copied().find(|v| v.is_finite())?;
    out.insert(0, usual);
    let mut last = usual;
    for value in &mut out {
        if value.is_finite() { last = *value } else { *value = last }
    }
    Some(out)
}

/// A counter of full collections: where it rose, one ran since the row before.
fn counted(counts: &[f64]) -> Fulls {
    Fulls::Since((0..counts.len()).map(|at| at > 0 && counts[at] > counts[at - 1]).collect())
}

/// Marks of 0 and 1: where there is a 1, a collection ran before. Anything else is no evidence.
fn marked(marks: &[f64]) -> Fulls {
    let is_mark = |v: &f64| *v == 0.0 || *v == 1.0 || v.is_nan();
    let ones = marks.iter().filter(|v| **v == 1.0).count();
    // A counter that stopped at 1 has its ones at the end only.
    let falls = marks.windows(2).any(|pair| pair[0] == 1.0 && pair[1] == 0.0);
    match ones {
        n if n == marks.len() && n > 0 => Fulls::BeforeEach,
        1.. if marks.iter().all(is_mark) && falls => Fulls::Since(marks.iter().map(|v| *v == 1.0).collect()),
        _ => Fulls::Untold,
    }
}

/// Numbers without a unit: the memory of a process has at least a megabyte.
fn guess(measure: Measure, values: &[f64]) -> (Unit, Option<Note>) {
    let largest = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    let is_of_process =
        measure.is_of_process() || matches!(measure, Measure::Virtual | Measure::Heap | Measure::Committed);
    match largest {
        n if !is_of_process || n >= 1e6 || n == 0.0 => (Unit::Bytes, None),
        n if n >= 16_384.0 => (
            Unit::Kibi,
            Some(Note::UnitOfBytesGuessed("no unit of bytes in the file: taken as kB; --unit says otherwise")),
        ),
        _ => (
            Unit::Mebi,
            Some(Note::UnitOfBytesGuessed("no unit of bytes in the file: taken as MB; --unit says otherwise")),
        ),
    }
}

/// Rows by process. Processes one after the other are lives of one program; processes side by side stand alone.
fn processes(rows: &[(Option<Stamp>, u64)]) -> Result<Vec<Vec<usize>>> {
    let mut by_pid: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, (_, pid)) in rows.iter().enumerate() {
        by_pid.entry(*pid).or_default().push(at);
    }
    if by_pid.len() as u64 > limits::SERIES_PROCESSES {
        let kind = Kind::Limit { what: "processes of a series", limit: limits::SERIES_PROCESSES };
        return Err(Error::new(Stage::Ingest, kind));
    }
    let mut groups: Vec<Vec<usize>> = by_pid.into_values().collect();
    groups.sort_by_key(|group| group[0]);
    let is_side_by_side = groups.windows(2).any(|pair| pair[1][0] < pair[0][pair[0].len() - 1]);
    if is_side_by_side { Ok(groups) } else { Ok(vec![(0..rows.len()).collect()]) }
}
