//! Plots of memory over time: block characters for terminals, SVG for pages. Numbers and words of the program only.

mod svg;
mod text;

use crate::summarise::trend::model::{CollectionFacts, InputFacts, Line, Trend};

pub use self::svg::svg;
pub use self::text::text;

/// What one plot shows.
struct Picture<'a> {
    line: &'a Line,
    input: Option<&'a InputFacts>,
    collections: Option<&'a CollectionFacts>,
    /// From 0 up.
    top: f64,
    seconds: f64,
}

/// The lines that are worth a plot, the one that decided first; addresses that are only reserved are not.
fn pictures(trend: &Trend) -> Vec<Picture<'_>> {
    let mut lines: Vec<&Line> =
        trend.lines.iter().filter(|line| line.points.len() > 1 && line.measure.is_shown()).collect();
    lines.sort_by_key(|line| (line.verdict != trend.verdict, line.measure));
    lines.into_iter().map(|line| picture(trend, line)).collect()
}

fn picture<'a>(trend: &'a Trend, line: &'a Line) -> Picture<'a> {
    let input = trend.inputs.iter().find(|input| input.input == line.input);
    let collections = trend.collections.iter().find(|one| one.input == line.input);
    let top = line.points.iter().map(|[_, _, high]| *high).fold(1.0, f64::max);
    let seconds = line.points.last().map_or(1.0, |point| point[0]).max(1e-9);
    Picture { line, input, collections, top, seconds }
}

/// The slope through the middle of the judged floor: the value at a time, for the estimate and both ends of its interval.
fn band(line: &Line) -> Option<impl Fn(f64) -> [f64; 3]> {
    let rates = line.bytes_per_hour?;
    let from = line.warm_up_seconds.unwrap_or(0.0);
    let judged: Vec<&[f64; 2]> = line.floor.iter().filter(|[t, _]| *t >= from).collect();
    let middle = |column: usize| {
        let mut values: Vec<f64> = judged.iter().map(|point| point[column]).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let (t0, y0) = (middle(0)?, middle(1)?);
    Some(move |t: f64| rates.map(|rate| y0 + rate / 3600.0 * (t - t0)))
}
