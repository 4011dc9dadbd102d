//! Is it a leak? Numbers of memory over time in, a verdict with its reasons out.
//!
//! Floors, a warm-up that does not count, a test for a trend that is corrected for values that depend on their
//! neighbours, the interval of the slope, shapes that level off, equivalence for "does not grow", nine settings that vote.
//! A collected heap never leaks without evidence of full collections. ARCHITECTURE.md says how good this is and on which
//! series it was tuned.

mod apart;
mod floors;
mod judge;
mod live;
mod lives;
pub(crate) mod model;
pub(crate) mod recording;
mod shapes;
mod statistics;
mod together;
pub(crate) mod words;

use self::apart::{Seen, gate, look, start};
pub use self::judge::Verdict;
pub use self::model::{Cause, Trend};
use self::model::{CollectionFacts, InputFacts, Line, Restart, SCHEMA};
use self::recording::Recording;
pub use self::recording::{Measure, Runtime};
use self::together::{Reason, Said, Subject};

/// Says what the recordings of a call tell; each comes with the number of its file, from 1.
pub(crate) fn tell(recordings: &[(u32, Recording)]) -> Trend {
    let mut seen: Vec<Seen> = recordings.iter().map(|(_, recording)| look(recording)).collect();
    let subjects = subjects(recordings);
    for members in &subjects {
        // A log of collections is evidence for what other files say about the same process.
        let fulls = members.iter().map(|at| seen[*at].fulls).max().unwrap_or(0);
        let is_collected = members.iter().any(|at| seen[*at].is_collected);
        for at in members {
            seen[*at].lines.iter_mut().for_each(|line| gate(line, is_collected, fulls));
        }
    }
    let mut said: Vec<(Said, &Vec<usize>)> = Vec::new();
    for members in &subjects {
        said.push((subject(recordings, &seen, members).say(), members));
    }
    // Of several processes the one that says most speaks for all; one that may leak says more than one that does not.
    let worst = |said: &Said| match (said.verdict, said.reason) {
        (Verdict::Leak, _) => 5,
        (Verdict::Insufficient, Reason::Uncollected | Reason::OutsideMayLeak) => 4,
        (Verdict::Noise, _) => 3,
        (Verdict::Bounded, _) => 2,
        (Verdict::Plateau, _) => 1,
        (Verdict::Insufficient, _) => 0,
    };
    let chosen = said.iter().rev().max_by_key(|(said, _)| worst(said));
    let Some((chosen, members)) = chosen else {
        let empty = Subject { seen: Vec::new(), lines: Vec::new(), runtime: Runtime::Unknown };
        return trend(recordings, &seen, &empty.say(), &empty, &[]);
    };
    let subject = subject(recordings, &seen, members);
    let mut trend = trend(recordings, &seen, chosen, &subject, members);
    if let (true, Some(first)) = (said.len() > 1, members.first()) {
        let (input, process) = number(recordings, *first);
        trend.summary += &format!(" (process {process} of file {input})");
        for (other, others) in said.iter().filter(|(_, others)| *others != *members) {
            let (input, process) = number(recordings, others[0]);
            trend.why.push(format!("process {process} of file {input}: {}", other.verdict.name()));
        }
    }
    trend
}

/// The file of a recording, and its number among the processes of that file; both from 1.
fn number(recordings: &[(u32, Recording)], at: usize) -> (u32, u32) {
    let input = recordings[at].0;
    (input, 1 + recordings[..at].iter().filter(|(other, _)| *other == input).count() as u32)
}

/// Which recordings are about one process: all files that tell about one process each go together; of a file with
/// several processes each stands alone.
fn subjects(recordings: &[(u32, Recording)]) -> Vec<Vec<usize>> {
    let alone = |at: usize| recordings.iter().filter(|(input, _)| *input == recordings[at].0).count() == 1;
    let (single, several): (Vec<usize>, Vec<usize>) = (0..recordings.len()).partition(|at| alone(*at));
    let first = if single.is_empty() { None } else { Some(single) };
    first.into_iter().chain(several.into_iter().map(|at| vec![at])).collect()
}

fn subject<'a>(recordings: &[(u32, Recording)], seen: &'a [Seen], members: &[usize]) -> Subject<'a> {
    let runtime = members.iter().map(|at| recordings[*at].1.runtime).find(|r| *r != Runtime::Unknown);
    Subject {
        seen: members.iter().map(|at| &seen[*at]).collect(),
        lines: members.iter().flat_map(|at| seen[*at].lines.iter()).collect(),
        runtime: runtime.unwrap_or_default(),
    }
}

fn trend(
    recordings: &[(u32, Recording)],
    seen: &[Seen],
    said: &Said,
    subject: &Subject<'_>,
    members: &[usize],
) -> Trend {
    let of_subject = |has: &dyn Fn(&Recording) -> bool| members.iter().any(|at| has(&recordings[*at].1));
    let load = of_subject(&|r| r.load.is_some());
    let limit = of_subject(&|r| r.limit.is_some());
    let mut lines: Vec<Line> = Vec::new();
    for (at, seen) in seen.iter().enumerate() {
        let (input, process) = number(recordings, at);
        lines.extend(seen.lines.iter().map(|line| Line { input, process, ..line.clone() }));
    }
    Trend {
        schema: SCHEMA,
        tool: concat!("heapscrub ", env!("CARGO_PKG_VERSION")),
        verdict: said.verdict,
        cause: said.cause,
        confidence: (said.confidence * 100.0).round() / 100.0,
        summary: words::summary(said, &subject.lines),
        why: words::why(said, subject),
        evidence: words::evidence(said, subject, load, limit),
        inputs: recordings.iter().zip(seen).map(|((input, recording), seen)| facts(*input, recording, seen)).collect(),
        lines,
        collections: recordings.iter().zip(seen).filter_map(|((input, _), seen)| collections(*input, seen)).collect(),
    }
}

fn facts(input: u32, recording: &Recording, seen: &Seen) -> InputFacts {
    let start = start(recording);
    let rows_end = recording.t.last().copied().unwrap_or(start);
    let end = recording.collections.last().map_or(rows_end, |last| last.t.max(rows_end));
    let mut notes: Vec<&'static str> = seen.notes.iter().map(|n| words::note(*n)).collect();
    notes.dedup();
    InputFacts {
        input,
        format: recording.format,
        runtime: recording.runtime,
        label: recording.label.clone(),
        rows: recording.rows.used,
        rows_damaged: recording.rows.damaged,
        damaged_lines: recording.rows.damaged_lines.clone(),
        is_cut: recording.rows.is_cut,
        texts_left_out: recording.rows.texts_left_out,
        notes,
        seconds: (end - start).max(0.0),
        limit: recording.limit,
        restarts: seen.cuts.iter().map(|(at, why)| Restart { seconds: recording.t[*at] - start, why: *why }).collect(),
    }
}

fn collections(input: u32, seen: &Seen) -> Option<CollectionFacts> {
    let pressure = seen.pressure?;
    let at = seen.exhaustion;
    Some(CollectionFacts {
        input,
        count: pressure.collections as u64,
        full: pressure.fulls as u64,
        full_by_half: pressure.fulls_by_half.map(|n| n as u64),
        pauses_by_half: pressure.pauses_by_half,
        is_rising: pressure.is_rising,
        at_limit: at.map_or(0, |at| at.at_limit as u64),
        futile: at.map_or(0, |at| at.futile as u64),
        near_limit_from_the_start: at.is_some_and(|at| at.from_the_start),
        full_at: seen.full_at.clone(),
    })
}

impl Trend {
    /// One for each verdict, with every word that there is between them.
    pub(crate) fn spoken() -> Vec<Self> {
        let words = words::all();
        let one = |verdict: Verdict| Self { verdict, why: words.clone(), ..Self::nothing() };
        Verdict::ALL.map(one).to_vec()
    }

    /// Of no file.
    pub(crate) fn nothing() -> Self {
        tell(&[])
    }

    /// What the floor of the column that decided grew by in the judged time; of several the most.
    #[must_use]
    pub fn growth(&self) -> Option<f64> {
        let lines = self.lines.iter().filter(|line| line.verdict == self.verdict);
        lines.filter_map(|line| line.growth).max_by(f64::total_cmp)
    }

    /// As JSON, for machines; `heapscrub schema trend` describes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_else(|_| unreachable!("numbers and words serialise")) + "\n"
    }

    /// The JSON Schema of it.
    #[must_use]
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Trend);
        serde_json::to_string_pretty(&schema).unwrap_or_else(|_| unreachable!("a schema serialises"))
    }
}
