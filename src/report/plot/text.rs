//! A plot for the terminal.

use super::{Picture, pictures};
use crate::report::numbers::size;
use crate::summarise::trend::model::Trend;
use crate::summarise::trend::words::duration;

/// Lines of a plot.
const HIGH: usize = 8;
/// The eighths of a character, from the bottom up.
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The columns that tell most, one plot for each, `width` characters wide.
#[must_use]
pub fn text(trend: &Trend, width: usize, most: usize) -> String {
    let plots: Vec<String> = pictures(trend).iter().take(most).map(|picture| plot(picture, width)).collect();
    plots.join("\n")
}

/// Full blocks up to the lowest value of a moment, light ones up to the highest: between them is what collections free.
fn plot(picture: &Picture<'_>, width: usize) -> String {
    let columns = width.saturating_sub(14).clamp(16, 120);
    let mut low = vec![f64::NAN; columns];
    let mut high = vec![f64::NAN; columns];
    for [t, least, most] in &picture.line.points {
        let at = ((t / picture.seconds * (columns - 1) as f64) as usize).min(columns - 1);
        low[at] = least.min(if low[at].is_nan() { *least } else { low[at] });
        high[at] = most.max(if high[at].is_nan() { *most } else { high[at] });
    }
    // Gaps take what stands before them.
    for values in [&mut low, &mut high] {
        let mut last = values.iter().copied().find(|v| v.is_finite()).unwrap_or(0.0);
        for value in values.iter_mut() {
            if value.is_finite() { last = *value } else { *value = last }
        }
    }
    let mut out = format!("{}, {}\n", picture.line.measure.means(), picture.line.verdict.name());
    for row in (0..HIGH).rev() {
        let (floor, each) = (row as f64, HIGH as f64 / picture.top);
        let label = match row {
            r if r == HIGH - 1 => size(picture.top as u64),
            0 => "0".to_owned(),
            _ => String::new(),
        };
        out.push_str(&format!("{label:>11} │"));
        for at in 0..columns {
            let (low, high) = (low[at] * each - floor, high[at] * each - floor);
            out.push(match () {
                () if low >= 1.0 => '█',
                () if low > 0.0 && (high - low < 1.0 || high <= 1.0) => {
                    EIGHTHS[(low * 8.0).ceil().clamp(1.0, 8.0) as usize]
                }
                () if high > 0.15 => '░',
                () => ' ',
            });
        }
        out.push('\n');
    }
    out.push_str(&format!("{:>11} └{}\n", "", axis(picture, columns)));
    let end = duration(picture.seconds);
    out.push_str(&format!("{:>13}0{:>width$}\n", "", end, width = columns.saturating_sub(1)));
    out
}

/// The axis of time, with restarts and the end of the warm-up.
fn axis(picture: &Picture<'_>, columns: usize) -> String {
    let mut axis = vec!['─'; columns];
    let at = |seconds: f64| ((seconds / picture.seconds * (columns - 1) as f64).max(0.0) as usize).min(columns - 1);
    if let Some(warm_up) = picture.line.warm_up_seconds.filter(|s| *s > 0.0) {
        axis[at(warm_up)] = '┬';
    }
    for restart in picture.input.map_or(&[][..], |input| &input.restarts) {
        axis[at(restart.seconds)] = '╳';
    }
    axis.into_iter().collect()
}
