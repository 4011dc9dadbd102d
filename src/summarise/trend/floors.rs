//! Lower envelopes: what is left between collections and bursts is what the program keeps.

use super::statistics::{deviation, mean, median};

/// Fewest points of a floor that can be judged.
pub(super) const FEWEST: usize = 8;

/// How a series is cut into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Into parts of equal time.
    Time,
    /// Into parts of equal number.
    Number,
    /// The same for values that are floors already: parts are small, and the warm-up is a part of their number too.
    /// Collections bunch where memory is short; a cut by time leaves too few on the other side.
    Floors,
}

impl Cut {
    /// Samples that come in bunches are cut by time, others by number, which is the same but for gaps.
    pub(super) fn of(t: &[f64]) -> Self {
        if is_bunched(t) { Self::Time } else { Self::Number }
    }
}

/// Do samples come in bunches?
pub(super) fn is_bunched(t: &[f64]) -> bool {
    let steps: Vec<f64> = t.windows(2).map(|pair| pair[1] - pair[0]).collect();
    deviation(&steps) > mean(&steps)
}

/// The minimum of each of `blocks` parts of a series, with the time at which it was measured.
pub(super) fn floors(t: &[f64], y: &[f64], blocks: usize, cut: Cut) -> (Vec<f64>, Vec<f64>) {
    let n = y.len();
    let least = if cut == Cut::Floors { 2 } else { 3 };
    let blocks = blocks.min((n / least).max(FEWEST)).min(n.max(1));
    let edges: Vec<usize> = if cut == Cut::Time {
        let span = t[n - 1] - t[0];
        let at = |block: usize| t[0] + span * block as f64 / blocks as f64;
        (0..=blocks).map(|block| if block == blocks { n } else { t.partition_point(|t| *t < at(block)) }).collect()
    } else {
        (0..=blocks).map(|block| n * block / blocks).collect()
    };
    let lowest = edges.windows(2).filter_map(|edge| (edge[0]..edge[1]).min_by(|a, b| y[*a].total_cmp(&y[*b])));
    lowest.map(|at| (t[at], y[at])).unzip()
}

/// Takes out of a series what the load of the moment explains. The weight of the load comes from differences between
/// neighbouring parts, so that a trend cannot leak into it; from their means or their floors, whichever it explains
/// better. `None` if the load explains nothing.
pub(super) fn without_load(y: &[f64], load: &[f64]) -> Option<(Vec<f64>, f64)> {
    let blocks = 36.min(y.len() / 3);
    if blocks < 6 {
        return None;
    }
    let part = |b: usize| y.len() * b / blocks..y.len() * (b + 1) / blocks;
    let means = |values: &[f64]| -> Vec<f64> { (0..blocks).map(|b| mean(&values[part(b)])).collect() };
    let loads = means(load);
    if deviation(&loads) <= 0.05 * mean(&loads).abs() {
        return None;
    }
    let lowest = |b: usize| part(b).min_by(|i, k| y[*i].total_cmp(&y[*k])).unwrap_or(0);
    let lowest: Vec<usize> = (0..blocks).map(lowest).collect();
    let of_floors = weigh(
        &lowest.iter().map(|at| y[*at]).collect::<Vec<_>>(),
        &lowest.iter().map(|at| load[*at]).collect::<Vec<_>>(),
    );
    let of_means = weigh(&means(y), &loads);
    let (weight, correlation) = if of_floors.1 > of_means.1 { of_floors } else { of_means };
    if correlation <= 0.4 || weight <= 0.0 {
        return None;
    }
    let centre = mean(load);
    Some((y.iter().zip(load).map(|(y, l)| y - weight * (l - centre)).collect(), correlation))
}

/// The weight of the load in the steps between neighbours, and how much of them it explains (a correlation).
fn weigh(y: &[f64], load: &[f64]) -> (f64, f64) {
    let steps = |values: &[f64]| -> Vec<f64> { values.windows(2).map(|pair| pair[1] - pair[0]).collect() };
    let (dy, dl) = (steps(y), steps(load));
    let (cy, cl) = (mean(&dy), mean(&dl));
    let sum = |f: &dyn Fn(f64, f64) -> f64| dy.iter().zip(&dl).map(|(a, b)| f(*a, *b)).sum::<f64>();
    let cross = sum(&|y, l| (y - cy) * (l - cl));
    let spread = sum(&|y, _| (y - cy) * (y - cy)).sqrt() * sum(&|_, l| (l - cl) * (l - cl)).sqrt();
    let power = sum(&|_, l| l * l).max(f64::MIN_POSITIVE);
    (sum(&|y, l| y * l) / power, cross / spread.max(f64::MIN_POSITIVE))
}

/// What counts as growth of a floor at this level: a twentieth, and never less than 1 MiB.
pub(super) fn material(y: &[f64]) -> f64 {
    f64::max(f64::from(1 << 20), 0.05 * median(y).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_below_the_saw() {
        let t: Vec<f64> = (0..240).map(f64::from).collect();
        let y: Vec<f64> = t.iter().map(|t| 100.0 + t + (t % 6.0) * 30.0).collect();
        let (ft, fy) = floors(&t, &y, 24, Cut::of(&t));
        assert_eq!(ft.len(), 24);
        assert!(ft.iter().zip(&fy).all(|(t, y)| (y - 100.0 - t).abs() < 1e-9), "{fy:?}");
    }

    #[test]
    fn bunches_are_cut_by_time() {
        let t: Vec<f64> =
            (0..100).map(|i| if i < 10 { f64::from(i) * 10.0 } else { 100.0 + f64::from(i) / 100.0 }).collect();
        assert_eq!(Cut::of(&t), Cut::Time);
        let (ft, _) = floors(&t, &t, 10, Cut::Time);
        assert!(ft.len() >= 9, "{ft:?}");
    }

    #[test]
    fn the_load_of_the_moment_is_taken_out_and_the_trend_stays() {
        let n = 300;
        let load: Vec<f64> = (0..n).map(|i| 100.0 + 50.0 * (f64::from(i) / 20.0).sin()).collect();
        let y: Vec<f64> = load.iter().zip(0..).map(|(l, i)| 1000.0 + 3.0 * l + f64::from(i)).collect();
        let (without, _) = without_load(&y, &load).expect("the load explains most of it");
        let rise = without[n as usize - 1] - without[0];
        assert!((rise - 300.0).abs() < 60.0, "{rise}");
        assert!(without_load(&y, &vec![5.0; n as usize]).is_none());
    }
}
