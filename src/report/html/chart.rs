//! Small drawings in SVG: bars, sparklines, columns. They never stand alone: the numbers stand beside them as text.

use super::markup::{Element, el};
use crate::report::numbers::size;

/// A share between 0 and 1 as a bar.
#[must_use]
pub fn bar(share: f64) -> Element {
    let wide = (share.clamp(0.0, 1.0) * 100.0).round().max(1.0);
    let rect = |class: &'static str, wide: f64| {
        el("rect").class(class).attr("width", &format!("{wide}")).attr("height", "8").attr("rx", "2")
    };
    drawing("bar", "0 0 100 8").attr("preserveAspectRatio", "none").with(rect("back", 100.0)).with(rect("full", wide))
}

fn drawing(class: &'static str, view: &str) -> Element {
    el("svg").class(class).attr("viewBox", view).attr("aria-hidden", "true").attr("focusable", "false")
}

/// Values one after the other, as a line from the lowest to the highest.
#[must_use]
pub fn sparkline(values: &[u64]) -> Element {
    const WIDE: f64 = 96.0;
    const HIGH: f64 = 24.0;
    let (least, most) = values.iter().fold((u64::MAX, 0), |(least, most), n| (least.min(*n), most.max(*n)));
    let span = most.saturating_sub(least).max(1) as f64;
    let step = (WIDE - 8.0) / (values.len().max(2) - 1) as f64;
    let at = |(i, n): (usize, &u64)| {
        let y = if most == least { HIGH / 2.0 } else { HIGH - 4.0 - (HIGH - 8.0) * ((n - least) as f64 / span) };
        (4.0 + step * i as f64, y)
    };
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(at).collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.0},{y:.0}")).collect();
    let dots = points
        .iter()
        .map(|(x, y)| el("circle").attr("cx", &format!("{x:.0}")).attr("cy", &format!("{y:.0}")).attr("r", "2"));
    drawing("spark", "0 0 96 24").with(el("polyline").attr("points", &line.join(" "))).all(if values.len() <= 12 {
        dots.collect()
    } else {
        Vec::new()
    })
}

/// Sizes with what they belong to, as columns from 0 up.
#[must_use]
pub fn columns(values: &[(String, u64)], label: &str) -> Element {
    const WIDE: f64 = 720.0;
    const BASE: f64 = 168.0;
    const HIGH: f64 = 132.0;
    let most = values.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1) as f64;
    let each = WIDE / values.len().max(1) as f64;
    let wide = (each * 0.6).min(96.0);
    let mut out =
        el("svg").class("columns").attr("viewBox", "0 0 720 196").attr("role", "img").attr("aria-label", label);
    let number = |n: f64| format!("{n:.0}");
    for (i, (name, bytes)) in values.iter().enumerate() {
        let (middle, high) = (each * (i as f64 + 0.5), (HIGH * *bytes as f64 / most).max(1.0));
        let rect = el("rect").attr("x", &number(middle - wide / 2.0)).attr("y", &number(BASE - high));
        out = out.with(rect.attr("width", &number(wide)).attr("height", &number(high)).attr("rx", "3"));
        // Of many columns only some can be written on.
        let every = values.len().div_ceil(8);
        if i % every == 0 || i + 1 == values.len() {
            let text = |y: f64, text: &str| {
                el("text").attr("x", &number(middle)).attr("y", &number(y)).attr("text-anchor", "middle").text(text)
            };
            out = out.with(text(BASE - high - 8.0, &size(*bytes)).class("value")).with(text(BASE + 18.0, name));
        }
    }
    let line = el("line").attr("x1", "0").attr("x2", "720").attr("y1", "168").attr("y2", "168");
    out.with(line)
}
