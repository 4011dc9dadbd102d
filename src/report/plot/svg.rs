//! A plot as SVG: values, floor, the band of the slope, warm-up, restarts, full collections, limit. Every text is escaped,
//! and nothing in it is loaded, run or linked.

use super::{Picture, band, pictures};
use crate::report::escape::html as escaped;
use crate::report::numbers::size;
use crate::summarise::trend::model::Trend;
use crate::summarise::trend::words::duration;

const WIDE: f64 = 720.0;
const HIGH: f64 = 220.0;
/// Around the plot: left, top, right, bottom.
const MARGIN: (f64, f64, f64, f64) = (84.0, 28.0, 16.0, 30.0);

/// All columns that tell something, one below the other, at most `most`.
#[must_use]
pub fn svg(trend: &Trend, most: usize) -> String {
    let pictures = pictures(trend);
    let shown = &pictures[..pictures.len().min(most)];
    let height = HIGH * shown.len().max(1) as f64 + 24.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDE} {height}\" width=\"{WIDE}\" height=\"{height}\" role=\"img\" class=\"plot\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{}</title>\n<rect class=\"paper\" width=\"{WIDE}\" height=\"{height}\" fill=\"#fff\"/>\n<text x=\"8\" y=\"17\" font-weight=\"bold\">{}</text>\n",
        escaped(&trend.summary),
        escaped(&trend.summary),
    );
    for (at, picture) in shown.iter().enumerate() {
        out.push_str(&format!("<g transform=\"translate(0 {})\">\n{}</g>\n", 24.0 + HIGH * at as f64, plot(picture)));
    }
    out.push_str("</svg>\n");
    out
}

fn plot(picture: &Picture<'_>) -> String {
    let (left, top, right, bottom) = MARGIN;
    let (wide, high) = (WIDE - left - right, HIGH - top - bottom);
    let limit = picture.input.and_then(|input| input.limit).filter(|limit| *limit < 3.0 * picture.top);
    let most = limit.map_or(picture.top, |limit| limit.max(picture.top)) * 1.05;
    let x = |seconds: f64| left + wide * (seconds / picture.seconds).clamp(0.0, 1.0);
    let y = |bytes: f64| top + high * (1.0 - (bytes / most).clamp(0.0, 1.0));
    let line = picture.line;
    let mut out = format!(
        "<text x=\"{left}\" y=\"{:.1}\">{}: {}</text>\n",
        top - 8.0,
        escaped(line.measure.means()),
        escaped(line.verdict.name())
    );
    if let Some(warm_up) = line.warm_up_seconds.filter(|s| *s > 0.0) {
        out.push_str(&format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{:.1}\" height=\"{high:.1}\" class=\"warm-up\" fill=\"#f2f2f2\"><title>warm-up</title></rect>\n",
            x(warm_up) - left
        ));
    }
    for step in 0..=4 {
        let bytes = most * f64::from(step) / 4.0;
        out.push_str(&format!(
            "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\" class=\"grid\" stroke=\"#ddd\"/><text x=\"{2:.1}\" y=\"{3:.1}\" text-anchor=\"end\" class=\"soft\" fill=\"#555\">{4}</text>\n",
            left + wide,
            y(bytes),
            left - 6.0,
            y(bytes) + 4.0,
            escaped(&size(bytes as u64))
        ));
    }
    out.push_str(&format!(
        "<text x=\"{left}\" y=\"{0:.1}\" class=\"soft\" fill=\"#555\">0</text><text x=\"{1:.1}\" y=\"{0:.1}\" text-anchor=\"end\" class=\"soft\" fill=\"#555\">{2}</text>\n",
        HIGH - 10.0,
        left + wide,
        escaped(&duration(picture.seconds))
    ));
    let point = |t: f64, bytes: f64| format!("{:.1},{:.1}", x(t), y(bytes));
    let mut area: Vec<String> = line.points.iter().map(|[t, _, high]| point(*t, *high)).collect();
    area.extend(line.points.iter().rev().map(|[t, low, _]| point(*t, *low)));
    out.push_str(&format!(
        "<polygon points=\"{}\" class=\"values\" fill=\"#9ecae1\" stroke=\"#6baed6\" stroke-width=\"0.8\"/>\n",
        area.join(" ")
    ));
    if let Some(band) = band(line) {
        let (from, to) = (line.warm_up_seconds.unwrap_or(0.0), picture.seconds);
        let ([_, low_from, high_from], [_, low_to, high_to]) = (band(from), band(to));
        let corners = [(from, low_from), (from, high_from), (to, high_to), (to, low_to)];
        let corners: Vec<String> = corners.iter().map(|(t, bytes)| point(*t, *bytes)).collect();
        out.push_str(&format!(
            "<polygon points=\"{}\" fill=\"#e6550d\" fill-opacity=\"0.18\"><title>slope, 95 %</title></polygon>\n<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#e6550d\" stroke-dasharray=\"5 3\"/>\n",
            corners.join(" "),
            x(from),
            y(band(from)[0]),
            x(to),
            y(band(to)[0])
        ));
    }
    let floor: Vec<String> = line.floor.iter().map(|[t, bytes]| point(*t, *bytes)).collect();
    out.push_str(&format!("<polyline points=\"{}\" fill=\"none\" class=\"floor\" stroke=\"#08519c\" stroke-width=\"1.6\"><title>floor</title></polyline>\n", floor.join(" ")));
    if let Some(limit) = limit {
        out.push_str(&format!(
            "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\" class=\"limit\" stroke=\"#a50f15\" stroke-width=\"1.5\"><title>limit of the heap</title></line>\n",
            left + wide,
            y(limit)
        ));
    }
    for restart in picture.input.map_or(&[][..], |input| &input.restarts) {
        out.push_str(&format!(
            "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{top}\" y2=\"{1:.1}\" class=\"limit\" stroke=\"#a50f15\" stroke-dasharray=\"2 3\"><title>restart</title></line>\n",
            x(restart.seconds),
            top + high
        ));
    }
    // So many ticks that each can be seen.
    let fulls = picture.collections.map_or(&[][..], |one| &one.full_at);
    for at in fulls.iter().step_by(fulls.len().div_ceil(300).max(1)) {
        out.push_str(&format!(
            "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1:.1}\" y2=\"{2:.1}\" class=\"tick\" stroke=\"#555\"><title>full collection</title></line>\n",
            x(*at),
            top + high,
            top + high + 5.0
        ));
    }
    out
}
