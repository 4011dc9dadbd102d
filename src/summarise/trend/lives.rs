//! A program that was restarted meanwhile lived several times; each life is judged on its own.

use std::ops::Range;

use super::floors::material;
use super::judge::{Judged, SAMPLES, Verdict, judge};
use super::recording::Recording;
use super::statistics::{median, trend};

/// Why one life ended and the next began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The number of the process changed.
    Process,
    /// Time began again.
    Time,
    /// Memory fell back to where it began: a restart, or everything was let go at once.
    Base,
}

/// Where a recording is cut: the first row of each life but the first, and why.
pub(super) fn cuts(recording: &Recording) -> Vec<(usize, Why)> {
    let mut cuts = Vec::new();
    for at in 1..recording.t.len() {
        let pid = |at: usize| recording.pids.get(at).copied().unwrap_or(0);
        if pid(at) != pid(at - 1) && pid(at) != 0 && pid(at - 1) != 0 {
            cuts.push((at, Why::Process));
        } else if recording.resets.contains(&at) {
            cuts.push((at, Why::Time));
        }
    }
    if cuts.is_empty() {
        let of_process = recording.columns.iter().find(|column| column.measure.is_of_process());
        cuts = of_process.map_or_else(Vec::new, |column| falls(&column.values));
    }
    cuts
}

/// Rows at which memory fell back to where the life began, after it had risen all the time.
fn falls(y: &[f64]) -> Vec<(usize, Why)> {
    let (n, mut cuts, mut start) = (y.len(), Vec::new(), 0);
    let few = (n / 40).clamp(2, 12);
    let mut at = SAMPLES;
    while at + few <= n {
        let life = at - start;
        let (before, after) = (&y[at - few.min(life)..at], &y[at..at + few]);
        let low_before = before.iter().copied().fold(f64::INFINITY, f64::min);
        let base = median(&y[start..start + few.min(life)]);
        let risen = low_before - base;
        let is_back = risen > 0.3 * base
            && risen > 5.0 * material(before)
            && y[at] < base + 0.2 * risen
            && median(after) < base + 0.2 * risen;
        // A burst falls back too, but most of its life is flat; a collector makes a saw of many teeth.
        if life >= SAMPLES && life * 6 >= n && is_back && has_risen(&y[start..at]) {
            cuts.push((at, Why::Base));
            (start, at) = (at, at + SAMPLES);
            continue;
        }
        at += 1;
    }
    cuts
}

/// Has a life risen all the time? Its floor is higher in each sixth than in the one before.
fn has_risen(y: &[f64]) -> bool {
    let lowest = |part: usize| {
        let part = &y[y.len() * part / 6..y.len() * (part + 1) / 6];
        part.iter().copied().fold(f64::INFINITY, f64::min)
    };
    (1..6).all(|part| lowest(part) > lowest(part - 1))
}

/// The lives as ranges of rows.
pub(super) fn lives(rows: usize, cuts: &[(usize, Why)]) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(cuts.iter().map(|(at, _)| *at));
    let ends = cuts.iter().map(|(at, _)| *at).chain([rows]);
    starts.zip(ends).map(|(from, to)| from..to).collect()
}

/// Rows from which on there was no load any more: what happens then says nothing about what load does.
pub(super) fn idle_from(t: &[f64], load: &[f64]) -> Option<usize> {
    let n = load.len();
    let busy = median(load);
    if n < 2 * SAMPLES || busy <= 0.0 {
        return None;
    }
    let last = load.iter().rposition(|load| *load > 0.1 * busy)? + 1;
    (last >= SAMPLES && t[n - 1] - t[last - 1] > 0.1 * (t[n - 1] - t[0])).then_some(last)
}

/// What the lives say together: the verdict of most samples, unless a third of them leaks.
pub(super) fn together(parts: Vec<(usize, Judged)>, t: &[Vec<f64>], y: &[Vec<f64>], why: Option<Why>) -> Judged {
    let told: usize = parts.iter().filter(|(_, j)| j.verdict != Verdict::Insufficient).map(|(n, _)| n).sum();
    if told == 0 {
        return pooled(t, y).unwrap_or_else(Judged::insufficient);
    }
    let weight = |verdict| parts.iter().filter(|(_, j)| j.verdict == verdict).map(|(n, _)| n).sum::<usize>();
    let verdict = if 3 * weight(Verdict::Leak) >= told {
        Verdict::Leak
    } else {
        let order = [Verdict::Plateau, Verdict::Bounded, Verdict::Noise];
        order.into_iter().max_by_key(|v| weight(*v)).unwrap_or(Verdict::Noise)
    };
    let longest = parts.into_iter().filter(|(_, j)| j.verdict == verdict).max_by_key(|(n, _)| *n);
    let Some((n, mut judged)) = longest else { return Judged::insufficient() };
    let _ = n;
    if verdict == Verdict::Leak && why == Some(Why::Base) {
        // Nobody says that the process ended: something may have let go of everything.
        judged.confidence *= 0.7;
    }
    judged
}

/// Several lives, each too short: do they all rise? The tests of all of them are added up.
fn pooled(t: &[Vec<f64>], y: &[Vec<f64>]) -> Option<Judged> {
    let long: Vec<usize> = (0..t.len()).filter(|at| t[*at].len() >= 6).collect();
    if long.len() < 3 {
        return None;
    }
    let found: Vec<_> = long.iter().map(|at| trend(&t[*at], &y[*at])).collect();
    let z = found.iter().map(|f| f.z).sum::<f64>() / (found.len() as f64).sqrt();
    let rises = long.iter().zip(&found).all(|(at, f)| {
        let span = t[*at].last().zip(t[*at].first()).map_or(0.0, |(last, first)| last - first);
        f.slope * span > material(&y[*at])
    });
    if z < 3.0 || !rises {
        return None;
    }
    let mut votes = [0; 5];
    votes[Verdict::Leak as usize] = 1;
    Some(Judged { verdict: Verdict::Leak, confidence: 0.6, votes, numbers: None, load: None })
}

/// Judges one column over the lives of the program.
pub(super) fn judge_lives(recording: &Recording, values: &[f64], cuts: &[(usize, Why)], end: usize) -> Judged {
    let (mut parts, mut ts, mut ys) = (Vec::new(), Vec::new(), Vec::new());
    for life in lives(end, cuts) {
        let kept: Vec<usize> = life.filter(|at| values[*at].is_finite()).collect();
        let t: Vec<f64> = kept.iter().map(|at| recording.t[*at]).collect();
        let y: Vec<f64> = kept.iter().map(|at| values[*at]).collect();
        let load = recording.load.as_ref().map(|load| kept.iter().map(|at| load[*at]).collect::<Vec<_>>());
        parts.push((y.len(), judge(&t, &y, load.as_deref())));
        ts.push(t);
        ys.push(y);
    }
    match (parts.len(), parts.pop()) {
        (1, Some((_, only))) => only,
        (_, Some(last)) => {
            parts.push(last);
            together(parts, &ts, &ys, cuts.first().map(|(_, why)| *why))
        }
        (_, None) => Judged::insufficient(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::recording::{Column, Measure};
    use super::*;

    const MB: f64 = 1_048_576.0;

    fn recording(values: Vec<f64>, pids: Vec<u64>) -> Recording {
        let t = (0..values.len()).map(|i| i as f64).collect();
        Recording { t, pids, columns: vec![Column { measure: Measure::Resident, values }], ..Recording::default() }
    }

    fn saw(lives: usize, each: usize) -> Vec<f64> {
        (0..lives * each).map(|i| (50.0 + 100.0 * (i % each) as f64 / each as f64) * MB).collect()
    }

    #[test]
    fn a_program_that_is_restarted_before_it_runs_out_of_memory() {
        for pids in [Vec::new(), (0..180).map(|i| 100 + i / 60).collect()] {
            let why = if pids.is_empty() { Why::Base } else { Why::Process };
            let recording = recording(saw(3, 60), pids);
            let cuts = cuts(&recording);
            assert_eq!(cuts, [(60, why), (120, why)]);
            let judged = judge_lives(&recording, &recording.columns[0].values, &cuts, 180);
            assert_eq!(judged.verdict, Verdict::Leak, "{judged:?}");
        }
    }

    #[test]
    fn lives_that_are_too_short_are_judged_together() {
        let recording = recording(saw(8, 10), (0..80).map(|i| 100 + i / 10).collect());
        let cuts = cuts(&recording);
        assert_eq!(cuts.len(), 7);
        assert_eq!(judge_lives(&recording, &recording.columns[0].values, &cuts, 80).verdict, Verdict::Leak);
    }

    #[test]
    fn a_burst_is_no_life() {
        let mut values = vec![50.0 * MB; 200];
        values[100..108].fill(150.0 * MB);
        assert_eq!(cuts(&recording(values, Vec::new())), []);
        let saw_of_a_collector = saw(20, 10);
        assert_eq!(cuts(&recording(saw_of_a_collector, Vec::new())), []);
    }

    #[test]
    fn the_time_without_load_is_known() {
        let t: Vec<f64> = (0..100).map(f64::from).collect();
        let mut load = vec![30.0; 100];
        assert_eq!(idle_from(&t, &load), None);
        load[70..].fill(0.0);
        assert_eq!(idle_from(&t, &load), Some(70));
    }
}
