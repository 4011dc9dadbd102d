//! What is left after full collections: the only evidence about a collected heap that garbage cannot blur.

use super::floors::{Cut, material};
use super::judge::{DECAY, Judged, LEVEL, Numbers, Verdict, judge_cut};
use super::recording::Collection;
use super::statistics::{median, trend};

/// Full collections that are needed. For five values, a strict rise by chance has one in 5! = 120 cases.
pub(super) const FEWEST_FULLS: usize = 5;

/// From so many on, floors can be cut into parts.
const MANY_FULLS: usize = 24;

/// A heap at its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exhaustion {
    /// Full collections at the end that left at least nine tenths of the limit in use.
    pub(super) at_limit: usize,
    /// Those among them that freed less than a twentieth.
    pub(super) futile: usize,
    /// When the first of them ran.
    pub(super) since: f64,
    /// The limit.
    pub(super) limit: f64,
    /// Was the heap near its limit from the start on?
    pub(super) from_the_start: bool,
}

/// Judges a heap by what full collections left.
pub(super) fn judge_live(fulls: &[Collection], limit: Option<f64>) -> (Judged, Option<Exhaustion>) {
    let exhaustion = exhaustion(fulls, limit);
    // What a heap at its limit shows is the limit: the growth before it is what counts.
    let judged = match exhaustion {
        Some(at) if !at.from_the_start => {
            let before: Vec<&Collection> = fulls.iter().filter(|full| full.t <= at.since).collect();
            let judged = judge_values(&before);
            match judged.verdict {
                Verdict::Leak => judged,
                _ => before_the_limit(&before, at, judged),
            }
        }
        _ => judge_values(&fulls.iter().collect::<Vec<_>>()),
    };
    (judged, exhaustion)
}

fn judge_values(fulls: &[&Collection]) -> Judged {
    let (t, y): (Vec<f64>, Vec<f64>) = fulls.iter().map(|full| (full.t, full.after)).unzip();
    match y.len() {
        0..FEWEST_FULLS => Judged::insufficient(),
        FEWEST_FULLS..MANY_FULLS => few(&t, &y),
        _ => judge_cut(&t, &y, None, Cut::Floors),
    }
}

/// Full collections that free nothing at the limit say that the heap filled up. Where it was before tells whether it
/// grew to there.
fn before_the_limit(before: &[&Collection], at: Exhaustion, otherwise: Judged) -> Judged {
    let (Some(first), Some(last)) = (before.first(), before.last()) else { return otherwise };
    let y: Vec<f64> = before.iter().map(|full| full.after).collect();
    let growth = last.after - first.after;
    let material = material(&y);
    // Not one step back by more than what counts, on the way to a limit at which nothing can be freed.
    let rises = y.windows(2).all(|pair| pair[1] > pair[0] - material / 4.0);
    if before.len() < 2 || at.futile < 3 || growth < 2.0 * material || !rises {
        return otherwise;
    }
    let t: Vec<f64> = before.iter().map(|full| full.t).collect();
    let found = trend(&t, &y);
    let numbers = Numbers {
        p: found.p,
        slope: growth / (last.t - first.t).max(1e-9),
        low: found.low,
        high: found.high,
        decay: None,
        growth,
        growth_all: growth,
        material,
        level: median(&y),
        levelling: None,
        is_staircase: false,
        from: first.t,
        floor: (t, y),
    };
    let mut votes = [0; 5];
    votes[Verdict::Leak as usize] = 1;
    // By the rule, not by the statistics: a cache that is too large for its heap looks the same.
    Judged { verdict: Verdict::Leak, confidence: 0.7, votes, numbers: Some(numbers), load: None }
}

/// Five to nineteen values: too few for floors, so each value counts.
fn few(t: &[f64], y: &[f64]) -> Judged {
    let skip = if y.len() >= 8 { y.len() / 6 } else { 0 };
    let (kept_t, kept_y) = (&t[skip..], &y[skip..]);
    let n = kept_y.len();
    let found = trend(kept_t, kept_y);
    let window = kept_t[n - 1] - kept_t[0];
    let material = material(kept_y);
    let rises_strictly = kept_y.windows(2).all(|pair| pair[1] > pair[0]);
    let p = if rises_strictly { 1.0 / (1..=n.min(12)).product::<usize>() as f64 } else { found.p };
    let growth = kept_y[n - 1] - kept_y[0];
    let half = n / 2;
    let rate = |from: usize, to: usize| (kept_y[to] - kept_y[from]) / (kept_t[to] - kept_t[from]).max(1e-9);
    let (early, late) = (rate(0, half), rate(half, n - 1));
    let goes_on = early > 0.0 && late / early > DECAY;
    let verdict = if p < LEVEL && growth >= material && goes_on {
        Verdict::Leak
    } else if growth >= material && !goes_on {
        Verdict::Bounded
    } else if growth.abs() < material || found.high * window < material {
        Verdict::Plateau
    } else {
        Verdict::Noise
    };
    let size = 0.6 + 0.4 * (growth.abs() / (3.0 * material)).min(1.0);
    let confidence = if verdict == Verdict::Leak { (1.0 - p) * size * 0.9 } else { 0.8 };
    let mut votes = [0; 5];
    votes[verdict as usize] = 1;
    let numbers = Numbers {
        p,
        slope: found.slope,
        low: found.low,
        high: found.high,
        decay: (early > 0.0).then(|| late / early),
        growth,
        growth_all: y[y.len() - 1] - y[0],
        material,
        level: median(kept_y),
        levelling: None,
        is_staircase: false,
        from: kept_t[0],
        floor: (t.to_vec(), y.to_vec()),
    };
    Judged { verdict, confidence, votes, numbers: Some(numbers), load: None }
}

/// Is the heap at its limit at the end, whatever collections do?
fn exhaustion(fulls: &[Collection], told: Option<f64>) -> Option<Exhaustion> {
    let capacity = fulls.iter().map(|full| full.capacity).filter(|c| c.is_finite()).fold(0.0, f64::max);
    let limit = told.filter(|limit| *limit > 0.0).unwrap_or(capacity);
    let last = fulls.last()?;
    if limit <= 0.0 || !last.after.is_finite() {
        return None;
    }
    let is_at_limit = |full: &Collection| {
        // Without a limit that somebody told, the heap must have stopped growing: its size is the limit then.
        let has_grown = told.is_some() || full.capacity >= 0.98 * limit;
        has_grown && full.after >= 0.9 * limit
    };
    // A process that ran out of memory may clear everything in its last moment.
    let end = fulls.len() - fulls.iter().rev().take(2).take_while(|full| !is_at_limit(full)).count();
    let at_limit = fulls[..end].iter().rev().take_while(|full| is_at_limit(full)).count();
    if at_limit < 3 {
        return None;
    }
    let tail = &fulls[end - at_limit..end];
    let futile = tail.iter().filter(|full| full.before - full.after < 0.05 * full.before).count();
    let (first, since) = (&fulls[0], tail[0].t);
    let from_the_start = first.after >= 0.85 * limit;
    Some(Exhaustion { at_limit, futile, since, limit, from_the_start })
}

/// Does the program keep nearly as much as the heap may hold, all the time? Then most collections are full ones.
pub(super) fn is_tight(collections: &[Collection], told: Option<f64>) -> bool {
    let fulls: Vec<&Collection> = collections.iter().filter(|c| c.is_full && c.after.is_finite()).collect();
    let sizes = || fulls.iter().map(|full| full.capacity);
    let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    // A heap that has never been smaller has the size that it may have.
    let limit = told.or((most > 0.0 && least > 0.95 * most).then_some(most));
    let early: Vec<f64> = fulls[..fulls.len() / 2].iter().map(|full| full.after).collect();
    fulls.len() >= 2 * FEWEST_FULLS
        && 2 * fulls.len() > collections.len()
        && limit.is_some_and(|limit| median(&early) > 0.7 * limit)
}

/// Numbers about the collections themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pressure {
    pub(super) collections: usize,
    pub(super) fulls: usize,
    /// Full collections in the first and in the second half of the time.
    pub(super) fulls_by_half: [usize; 2],
    /// The share of time in which the program stood still, in each half.
    pub(super) pauses_by_half: [f64; 2],
    /// Both of them tell that collections take more and more.
    pub(super) is_rising: bool,
}

/// How often collections ran and how much time they took, early and late.
pub(super) fn pressure(collections: &[Collection]) -> Pressure {
    let (Some(first), Some(last)) = (collections.first(), collections.last()) else { return Pressure::default() };
    let (span, mut out) = (last.t - first.t, Pressure { collections: collections.len(), ..Pressure::default() });
    for one in collections {
        let half = usize::from(one.t > first.t + span / 2.0);
        out.fulls_by_half[half] += usize::from(one.is_full);
        out.pauses_by_half[half] += if one.pause_ms.is_finite() { one.pause_ms / 1000.0 } else { 0.0 };
    }
    out.fulls = out.fulls_by_half[0] + out.fulls_by_half[1];
    out.pauses_by_half = out.pauses_by_half.map(|seconds| if span > 0.0 { seconds / (span / 2.0) } else { 0.0 });
    let [early, late] = out.fulls_by_half;
    out.is_rising = late >= 5 && late >= 2 * early.max(1)
        || out.pauses_by_half[1] > 0.02 && out.pauses_by_half[1] > 2.0 * out.pauses_by_half[0];
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: f64 = 1_048_576.0;

    fn fulls(values: &[(f64, f64, f64)], capacity: f64) -> Vec<Collection> {
        let one = |(t, before, after): &(f64, f64, f64)| Collection {
            t: *t,
            before: before * MB,
            after: after * MB,
            capacity: capacity * MB,
            pause_ms: 2.0,
            is_full: true,
        };
        values.iter().map(one).collect()
    }

    #[track_caller]
    fn check(values: &[(f64, f64, f64)], capacity: f64, expected: Verdict) -> Option<Exhaustion> {
        let (judged, exhaustion) = judge_live(&fulls(values, capacity), None);
        assert_eq!(judged.verdict, expected, "{judged:?} {exhaustion:?}");
        exhaustion
    }

    #[test]
    fn few_full_collections() {
        let rising: Vec<_> = (0..6).map(f64::from).map(|i| (i * 10.0, 40.0 + 6.0 * i, 20.0 + 5.0 * i)).collect();
        check(&rising, 200.0, Verdict::Leak);
        check(&rising[..4], 200.0, Verdict::Insufficient);
        let flat: Vec<_> = (0..6).map(f64::from).map(|i| (i * 10.0, 40.0, 20.0 + 0.1 * (i % 2.0))).collect();
        check(&flat, 200.0, Verdict::Plateau);
        let filling: Vec<_> =
            [5.0, 15.0, 22.0, 24.0, 24.2, 24.3].iter().zip(0..).map(|(y, i)| (f64::from(i), 40.0, *y)).collect();
        check(&filling, 200.0, Verdict::Bounded);
    }

    /// A leak that ends at the limit of the heap: full collections become frequent there, and free nothing.
    #[test]
    fn a_leak_that_ends_at_the_limit_is_no_plateau() {
        let mut values = vec![(10.0, 20.0, 12.0), (14.0, 21.0, 15.0), (16.0, 22.0, 18.0)];
        values.extend((0..60).map(|i| (17.0 + f64::from(i) / 20.0, 23.0, 22.5)));
        let at = check(&values, 24.0, Verdict::Leak).expect("at its limit");
        assert!(at.futile >= 50 && !at.from_the_start, "{at:?}");
        // The last moment of a process that ran out of memory.
        values.push((21.0, 23.0, 1.0));
        assert!(check(&values, 24.0, Verdict::Leak).is_some());
    }

    #[test]
    fn a_heap_that_is_near_its_limit_from_the_start_does_not_leak() {
        let values: Vec<_> = (0..50).map(f64::from).map(|i| (i, 23.5, 22.0 + 0.1 * (i % 3.0))).collect();
        let at = check(&values, 24.0, Verdict::Plateau).expect("at its limit");
        assert!(at.from_the_start);
    }

    #[test]
    fn a_heap_that_is_tight_all_the_time() {
        let values: Vec<_> = (0..50).map(f64::from).map(|i| (i, 21.0, 18.0)).collect();
        assert!(is_tight(&fulls(&values, 23.0), None));
        assert!(!is_tight(&fulls(&values, 60.0), None), "there is room");
        let mut mostly_young = fulls(&values, 23.0);
        mostly_young.iter_mut().skip(15).for_each(|c| c.is_full = false);
        assert!(!is_tight(&mostly_young, None));
    }

    #[test]
    fn collections_that_take_more_and_more() {
        let early = (0..5).map(|i| (f64::from(i) * 10.0, 20.0, 10.0));
        let late = (0..40).map(|i| (50.0 + f64::from(i), 20.0, 18.0));
        let found = pressure(&fulls(&early.chain(late).collect::<Vec<_>>(), 24.0));
        assert!(found.is_rising && found.fulls == 45, "{found:?}");
        let steady: Vec<_> = (0..40).map(|i| (f64::from(i), 20.0, 10.0)).collect();
        assert!(!pressure(&fulls(&steady, 24.0)).is_rising);
    }
}
