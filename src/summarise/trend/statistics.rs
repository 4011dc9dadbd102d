//! Tests and estimates for short series of numbers. No randomness, no state.

/// The chance that a standard normal value is below `z`.
pub(super) fn normal_below(z: f64) -> f64 {
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z.abs() < 4.0 {
        // The series of the integral: every term follows from the one before.
        let (mut term, mut sum, mut k) = (z, z, 1.0);
        while term.abs() > 1e-17 {
            k += 2.0;
            term *= z * z / k;
            sum += term;
        }
        return (0.5 + density * sum).clamp(0.0, 1.0);
    }
    // Far out, the continued fraction of the tail.
    let x = z.abs();
    let tail = (1..=40).rev().fold(x, |below, k| x + f64::from(k) / below);
    if z > 0.0 { 1.0 - density / tail } else { density / tail }
}

/// The middle value; 0 for none.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => 0.0,
        (n, half) if n % 2 == 1 => sorted[half],
        (_, half) => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Standard deviation of all values.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    mean(&values.iter().map(|v| (v - centre) * (v - centre)).collect::<Vec<_>>()).sqrt()
}

/// Slopes between all pairs of points, sorted.
fn slopes(t: &[f64], y: &[f64]) -> Vec<f64> {
    let mut out = Vec::with_capacity(t.len() * t.len() / 2);
    for i in 0..t.len() {
        for j in i + 1..t.len() {
            if t[j] > t[i] {
                out.push((y[j] - y[i]) / (t[j] - t[i]));
            }
        }
    }
    out.sort_by(f64::total_cmp);
    out
}

/// The median of all slopes between two points (Theil and Sen): a few odd points do not move it.
pub(super) fn slope(t: &[f64], y: &[f64]) -> f64 {
    median(&slopes(t, y))
}

/// A test for a trend, and the slope with its interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trend {
    /// The statistic of Mann and Kendall in standard deviations.
    pub(super) z: f64,
    /// The chance of such a rise where there is none.
    pub(super) p: f64,
    pub(super) slope: f64,
    /// The interval that holds the slope in 95 of 100 cases.
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Ranks from 0; equal values in the order in which they stand.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut out = vec![0.0; values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        out[at] = rank as f64;
    }
    out
}

/// By how much values that depend on their neighbours widen the variance (Hamed and Rao): the autocorrelation of the
/// ranks of what is left without the slope. Only ever wider, never narrower: that is what keeps false alarms rare.
fn widening(t: &[f64], y: &[f64], slope: f64) -> f64 {
    let n = y.len();
    let rest: Vec<f64> = t.iter().zip(y).map(|(t, y)| y - slope * t).collect();
    let mut r = ranks(&rest);
    let centre = mean(&r);
    r.iter_mut().for_each(|v| *v -= centre);
    let power: f64 = r.iter().map(|v| v * v).sum::<f64>().max(1e-9);
    let size = n as f64;
    let mut sum = 0.0;
    for lag in 1..=(n - 3).min(n / 3) {
        let product: f64 = r.iter().zip(&r[lag..]).map(|(a, b)| a * b).sum();
        let correlation = product / power;
        if correlation.abs() > 1.96 / size.sqrt() {
            let left = size - lag as f64;
            sum += left * (left - 1.0) * (left - 2.0) * correlation;
        }
    }
    (1.0 + 2.0 * sum / (size * (size - 1.0) * (size - 2.0))).max(1.0)
}

/// Looks for a rise (Mann and Kendall, corrected for values that depend on their neighbours) and estimates the slope.
pub(super) fn trend(t: &[f64], y: &[f64]) -> Trend {
    let n = y.len();
    if n < 4 {
        let span = if n > 1 { t[n - 1] - t[0] } else { 0.0 };
        let slope = if span > 0.0 { (y[n - 1] - y[0]) / span } else { 0.0 };
        return Trend { z: 0.0, p: 0.5, slope, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let mut score = 0.0;
    for i in 0..n {
        for j in i + 1..n {
            score += (y[j] - y[i]).partial_cmp(&0.0).map_or(0.0, |order| f64::from(order as i8));
        }
    }
    let size = n as f64;
    let mut variance = size * (size - 1.0) * (2.0 * size + 5.0);
    let mut sorted = y.to_vec();
    sorted.sort_by(f64::total_cmp);
    for tie in sorted.chunk_by(|a, b| a == b) {
        let c = tie.len() as f64;
        variance -= c * (c - 1.0) * (2.0 * c + 5.0);
    }
    let slopes = slopes(t, y);
    let slope = median(&slopes);
    let deviation = (variance / 18.0 * widening(t, y, slope)).max(1e-9).sqrt();
    let z = if score == 0.0 { 0.0 } else { (score - score.signum()) / deviation };
    // The interval of the slope is made of the slopes so many ranks away from the middle.
    let (count, reach) = (slopes.len() as f64, 1.96 * deviation);
    let at = |rank: f64| slopes.get(rank.clamp(0.0, (count - 1.0).max(0.0)) as usize).copied().unwrap_or(0.0);
    let (low, high) = (at(((count - reach) / 2.0).floor()), at(((count + reach) / 2.0).ceil()));
    Trend { z, p: 1.0 - normal_below(z), slope, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution() {
        for (z, expected) in
            [(0.0, 0.5), (1.0, 0.841_344_746), (-1.96, 0.024_997_895), (3.0, 0.998_650_102), (-5.0, 2.866_515_7e-7)]
        {
            assert!((normal_below(z) - expected).abs() < 1e-9 * (1.0 + expected), "{z}: {}", normal_below(z));
        }
        assert!((normal_below(3.999_999) - normal_below(4.000_001)).abs() < 1e-8, "both forms meet");
    }

    #[test]
    fn a_line_has_its_slope_and_no_doubt() {
        let t: Vec<f64> = (0..30).map(f64::from).collect();
        let y: Vec<f64> = t.iter().map(|t| 5.0 + 3.0 * t).collect();
        let found = trend(&t, &y);
        assert!((found.slope - 3.0).abs() < 1e-9 && (found.low - 3.0).abs() < 1e-9 && (found.high - 3.0).abs() < 1e-9);
        // What is left of a line is all equal, which looks like dependence: the variance is wider than it need be.
        assert!(found.p < 0.01, "{found:?}");
        let flat = trend(&t, &vec![7.0; 30]);
        assert!(flat.p >= 0.5 && flat.slope == 0.0, "{flat:?}");
        let falling: Vec<f64> = y.iter().map(|y| -y).collect();
        assert!(trend(&t, &falling).p > 0.99);
    }

    /// For values without a trend, a rise is found as often as the level says: all orders of six values are tried.
    #[test]
    fn a_rise_by_chance_is_as_rare_as_promised() {
        fn orders(rest: &[f64], done: &mut Vec<f64>, each: &mut dyn FnMut(&[f64])) {
            if rest.is_empty() {
                return each(done);
            }
            for at in 0..rest.len() {
                let mut left = rest.to_vec();
                done.push(left.remove(at));
                orders(&left, done, each);
                done.pop();
            }
        }
        let t: Vec<f64> = (0..6).map(f64::from).collect();
        let (mut all, mut found) = (0, 0);
        orders(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut Vec::new(), &mut |y| {
            all += 1;
            found += u32::from(trend(&t, y).p < 0.01);
        });
        assert_eq!(all, 720);
        assert!(f64::from(found) / 720.0 <= 0.01, "{found}");
    }

    #[test]
    fn few_values_say_nothing() {
        assert!(trend(&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0]).p >= 0.5);
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0, 1.0]), 2.0);
        assert_eq!(deviation(&[2.0, 4.0]), 1.0);
    }
}
