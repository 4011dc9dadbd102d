//! Every column of a recording on its own.

use super::judge::{Judged, Numbers, Verdict, judge};
use super::live::{self, Exhaustion, FEWEST_FULLS, Pressure, judge_live, pressure};
use super::lives::{Why, cuts, idle_from, judge_lives};
use super::model::Line;
use super::recording::{Collection, Column, Fulls, Measure, Note, Recording, Runtime};
use super::shapes::Kind;
use super::statistics::median;

/// Points of a plot.
const POINTS: usize = 240;

/// A recording with what was found in it.
pub(super) struct Seen {
    pub(super) lines: Vec<Line>,
    pub(super) is_collected: bool,
    pub(super) cuts: Vec<(usize, Why)>,
    pub(super) fulls: usize,
    pub(super) exhaustion: Option<Exhaustion>,
    pub(super) is_tight: bool,
    pub(super) pressure: Option<Pressure>,
    pub(super) full_at: Vec<f64>,
    /// Since when there was no load any more, in seconds from the first row.
    pub(super) idle_from: Option<f64>,
    pub(super) notes: Vec<Note>,
}

/// Judges all columns.
pub(super) fn look(recording: &Recording) -> Seen {
    let cuts = cuts(recording);
    let rows = recording.t.len();
    let idle = recording.load.as_ref().and_then(|load| idle_from(&recording.t, load));
    let end = idle.unwrap_or(rows);
    let cuts_inside: Vec<(usize, Why)> = cuts.iter().copied().filter(|(at, _)| *at < end).collect();
    let fulls = full_values(recording);
    let start = start(recording);
    let mut lines = Vec::new();
    let mut exhaustion = None;
    let mut columns = recording.columns.clone();
    columns.extend(outside(recording));
    for column in &columns {
        let judged = judge_lives(recording, &column.values, &cuts_inside, end);
        lines.push(line(column.measure, &judged, recording, &column.values, start));
    }
    let before_each = recording.fulls == Fulls::BeforeEach;
    if !fulls.is_empty() && !before_each {
        let (judged, at) = judge_live(&fulls, recording.limit);
        exhaustion = at;
        let (t, values): (Vec<f64>, Vec<f64>) = fulls.iter().map(|full| (full.t, full.after)).unzip();
        let only = Recording { t, ..Recording::default() };
        lines.push(line(Measure::Live, &judged, &only, &values, start));
    }
    if !recording.collections.is_empty() && columns.is_empty() {
        // What is left after any collection is a floor that garbage blurs: it can acquit, and nothing else.
        let (t, values): (Vec<f64>, Vec<f64>) =
            recording.collections.iter().filter(|c| c.after.is_finite()).map(|c| (c.t, c.after)).unzip();
        let judged = judge(&t, &values, None);
        let only = Recording { t, ..Recording::default() };
        lines.push(line(Measure::Heap, &judged, &only, &values, start));
    }
    let count = if before_each { rows } else { fulls.len() };
    let pressure = (!recording.collections.is_empty()).then(|| pressure(&recording.collections));
    let full_at = fulls.iter().map(|full| full.t - start).collect();
    let idle_from = idle.map(|at| recording.t[at - 1] - start);
    let notes = recording.notes.clone();
    let is_collected = is_collected(recording);
    // Z and Shenandoah look at the whole heap every time, so the number of full ones says nothing there.
    let has_young = recording.collections.iter().any(|c| !c.is_full);
    let is_tight = has_young && live::is_tight(&recording.collections, recording.limit);
    Seen { lines, is_collected, is_tight, cuts, fulls: count, exhaustion, pressure, full_at, idle_from, notes }
}

/// The first moment that a recording tells about.
pub(super) fn start(recording: &Recording) -> f64 {
    let rows = recording.t.first().copied().unwrap_or(f64::INFINITY);
    let logged = recording.collections.first().map_or(f64::INFINITY, |c| c.t);
    if rows.min(logged).is_finite() { rows.min(logged) } else { 0.0 }
}

/// Never "leak" of a collected heap without evidence of full collections: what nobody collected yet looks the same.
pub(super) fn gate(line: &mut Line, is_collected: bool, fulls: usize) {
    if is_collected
        && line.measure.holds_garbage()
        && fulls < FEWEST_FULLS
        && matches!(line.verdict, Verdict::Leak | Verdict::Bounded | Verdict::Noise)
    {
        line.without_evidence = Some(line.verdict);
        line.verdict = Verdict::Insufficient;
        line.confidence = 0.9;
    }
}

/// Does garbage stay until a collector finds it? If nobody says what runs the program, a column called heap does.
fn is_collected(recording: &Recording) -> bool {
    let has_heap = recording.columns.iter().any(|column| {
        matches!(column.measure, Measure::Heap | Measure::Committed | Measure::External | Measure::Buffers)
    });
    recording.runtime.is_collected() || recording.runtime == Runtime::Unknown && has_heap
}

/// What full collections left: from a log, or from the samples behind one.
fn full_values(recording: &Recording) -> Vec<Collection> {
    let logged: Vec<Collection> =
        recording.collections.iter().copied().filter(|c| c.is_full && c.after.is_finite()).collect();
    if !logged.is_empty() {
        return logged;
    }
    let heap = recording.columns.iter().find(|column| column.measure == Measure::Heap);
    let (Fulls::Since(since), Some(heap)) = (&recording.fulls, heap) else { return Vec::new() };
    let rows = since.iter().zip(&heap.values).zip(&recording.t).filter(|((ran, value), _)| **ran && value.is_finite());
    let missing = f64::NAN;
    rows.map(|((_, value), t)| Collection {
        t: *t,
        before: missing,
        after: *value,
        capacity: recording.limit.unwrap_or(missing),
        pause_ms: missing,
        is_full: true,
    })
    .collect()
}

/// What is resident beyond the heap.
fn outside(recording: &Recording) -> Option<Column> {
    let column = |measure| recording.columns.iter().find(|column| column.measure == measure);
    let (resident, committed) = (column(Measure::Resident)?, column(Measure::Committed)?);
    let values: Vec<f64> = resident.values.iter().zip(&committed.values).map(|(r, c)| (r - c).max(0.0)).collect();
    Some(Column { measure: Measure::Outside, values })
}

fn line(measure: Measure, judged: &Judged, recording: &Recording, values: &[f64], start: f64) -> Line {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let (first, last) = (finite.first().copied().unwrap_or(0.0), finite.last().copied().unwrap_or(0.0));
    let numbers = judged.numbers.as_ref();
    let an_hour = |slope: f64| if slope.is_finite() { slope * 3600.0 } else { 0.0 };
    let limit = recording.limit.filter(|_| matches!(measure, Measure::Heap | Measure::Live));
    let hours_to_limit = numbers
        .filter(|n| n.slope > 0.0 && judged.verdict == Verdict::Leak)
        .zip(limit)
        .map(|(n, limit)| (limit - last) / (n.slope * 3600.0))
        .filter(|hours| *hours > 0.0);
    Line {
        input: 0,
        process: 0,
        measure,
        verdict: judged.verdict,
        without_evidence: None,
        confidence: judged.confidence,
        votes: judged.votes,
        samples: finite.len() as u64,
        first,
        last,
        level: numbers.map(|n| n.level),
        ratio_to_baseline: numbers.and_then(ratio),
        bytes_per_hour: numbers
            .filter(|n| n.low.is_finite() && n.high.is_finite())
            .map(|n| [an_hour(n.slope), an_hour(n.low), an_hour(n.high)]),
        p: numbers.map(|n| n.p),
        growth: numbers.map(|n| n.growth),
        material: numbers.map(|n| n.material),
        decay: numbers.and_then(|n| n.decay),
        shape: numbers.and_then(shape),
        load: judged.load,
        warm_up_seconds: numbers.map(|n| (n.from - start).max(0.0)),
        hours_to_limit,
        floor: numbers
            .map(|n| n.floor.0.iter().zip(&n.floor.1).map(|(t, y)| [t - start, *y]).collect())
            .unwrap_or_default(),
        points: points(&recording.t, values, start),
    }
}

fn shape(numbers: &Numbers) -> Option<&'static str> {
    if numbers.is_staircase {
        return Some("stairs");
    }
    numbers.levelling.map(|shape| match shape.kind {
        Kind::Ramp => "ramp",
        Kind::Curve => "curve",
        Kind::Step => "step",
    })
}

/// The floor at the end over the floor after the warm-up.
fn ratio(numbers: &Numbers) -> Option<f64> {
    let (t, y) = &numbers.floor;
    let from = t.partition_point(|t| *t < numbers.from);
    let judged = y.get(from..).filter(|y| y.len() >= 3)?;
    let base = median(&judged[..3]);
    (base > 0.0).then(|| median(&judged[judged.len() - 3..]) / base)
}

/// Lowest and highest of every few values.
fn points(t: &[f64], values: &[f64], start: f64) -> Vec<[f64; 3]> {
    let n = values.len();
    let parts = POINTS.min(n);
    let part = |part: usize| {
        let (from, to) = (n * part / parts, n * (part + 1) / parts);
        let kept = values[from..to].iter().copied().filter(|v| v.is_finite());
        let (low, high) = kept.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        low.is_finite().then(|| [t[from] - start, low, high])
    };
    (0..parts).filter_map(part).collect()
}
