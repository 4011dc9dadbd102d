//! Which of a few shapes describes a series best: flat, a line, a ramp that ends, a curve that levels off, one step.

use super::statistics::{mean, median};

/// The best of the shapes that stop rising.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levelling {
    pub(super) kind: Kind,
    /// Where the rise ends, as a part of the window; for a curve, its time constant.
    pub(super) at: f64,
    /// What a curve would still rise from the end of the window on.
    pub(super) left: f64,
    /// By how much its criterion is better than that of the line, and that of no change.
    pub(super) over_line: f64,
    pub(super) over_flat: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ramp,
    Curve,
    Step,
}

/// Fits `y = a + b g` by least squares: the Bayesian criterion with so many free numbers, and `a` and `b`.
fn fit(y: &[f64], g: &[f64], free: f64) -> (f64, f64, f64) {
    let (my, mg) = (mean(y), mean(g));
    let (mut cross, mut power) = (0.0, 0.0);
    for (y, g) in y.iter().zip(g) {
        cross += (y - my) * (g - mg);
        power += (g - mg) * (g - mg);
    }
    let b = if power > 0.0 { cross / power } else { 0.0 };
    let a = my - b * mg;
    let rest: f64 = y.iter().zip(g).map(|(y, g)| (y - a - b * g) * (y - a - b * g)).sum();
    let scale: f64 = y.iter().map(|y| y * y).sum();
    let n = y.len() as f64;
    (n * (rest.max(1e-12 * scale + 1e-9) / n).ln() + free * n.ln(), a, b)
}

/// Compares the shapes.
pub(super) fn compare(t: &[f64], y: &[f64]) -> Levelling {
    let n = y.len();
    let first = t[0];
    let span = (t[n - 1] - first).max(1e-9);
    let x: Vec<f64> = t.iter().map(|t| (t - first) / span).collect();
    let flat = fit(y, &vec![0.0; n], 1.0).0;
    let line = fit(y, &x, 2.0).0;
    let mut best: Option<(f64, Kind, f64, f64)> = None;
    let mut offer = |(criterion, _, b): (f64, f64, f64), kind, at, left: f64| {
        if b > 0.0 && best.is_none_or(|(least, ..)| criterion < least) {
            best = Some((criterion, kind, at, b * left));
        }
    };
    for step in 0..34 {
        let knee = 0.08 + 0.77 * f64::from(step) / 33.0;
        let ramp: Vec<f64> = x.iter().map(|x| x.min(knee)).collect();
        offer(fit(y, &ramp, 3.0), Kind::Ramp, knee, 0.0);
        let jump: Vec<f64> = x.iter().map(|x| f64::from(u8::from(*x > knee))).collect();
        let above = jump.iter().filter(|g| **g > 0.0).count();
        if above > 1 && above + 1 < n {
            offer(fit(y, &jump, 3.0), Kind::Step, knee, 0.0);
        }
    }
    for step in 0..30 {
        let tau = 0.04 * (1.5_f64 / 0.04).powf(f64::from(step) / 29.0);
        let curve: Vec<f64> = x.iter().map(|x| 1.0 - (-x / tau).exp()).collect();
        offer(fit(y, &curve, 3.0), Kind::Curve, tau, (-1.0 / tau).exp());
    }
    let (criterion, kind, at, left) = best.unwrap_or((flat, Kind::Ramp, 1.0, 0.0));
    Levelling { kind, at, left, over_line: line - criterion, over_flat: flat - criterion }
}

/// Jumps of a floor: which steps between neighbours stand out from the others by this much, upwards and downwards.
pub(super) fn jumps(y: &[f64], least: f64) -> (Vec<usize>, Vec<usize>) {
    let steps: Vec<f64> = y.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let centre = median(&steps);
    let spread = 1.4826 * median(&steps.iter().map(|s| (s - centre).abs()).collect::<Vec<_>>());
    let least = least.max(4.0 * spread);
    let at = |keep: &dyn Fn(f64) -> bool| {
        steps.iter().enumerate().filter(|(_, s)| keep(**s)).map(|(at, _)| at).collect::<Vec<_>>()
    };
    (at(&|s| s > least), at(&|s| s < -least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shape: impl Fn(f64) -> f64, expected: Kind) {
        let t: Vec<f64> = (0..32).map(f64::from).collect();
        // A little that is no shape, so that fits are not perfect.
        let y: Vec<f64> = t.iter().map(|t| shape(t / 31.0) + 0.01 * (t * 7.0).sin()).collect();
        let found = compare(&t, &y);
        assert_eq!(found.kind, expected, "{found:?}");
        assert!(found.over_line > 6.0 && found.over_flat > 10.0, "{found:?}");
    }

    #[test]
    fn shapes_are_told_apart() {
        check(|x| x.min(0.4), Kind::Ramp);
        check(|x| 1.0 - (-x / 0.15).exp(), Kind::Curve);
        check(|x| if x > 0.5 { 1.0 } else { 0.0 }, Kind::Step);
    }

    #[test]
    fn a_line_is_better_than_any_shape_that_ends() {
        let t: Vec<f64> = (0..32).map(f64::from).collect();
        let y: Vec<f64> = t.iter().map(|t| t / 31.0 + 0.01 * (t * 7.0).sin()).collect();
        assert!(compare(&t, &y).over_line < 2.0);
    }

    #[test]
    fn jumps_stand_out() {
        let y: Vec<f64> = (0..40).map(|i| f64::from(i / 10) * 5.0 + 0.1 * f64::from(i).sin()).collect();
        assert_eq!(jumps(&y, 1.0), (vec![9, 19, 29], vec![]));
    }
}
