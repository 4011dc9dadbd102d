//! A treemap: areas as large as what they stand for, as square as possible, one level of parts inside each.

use super::markup::{Element, el};
use crate::report::escape::short;

const WIDE: f64 = 960.0;
const HIGH: f64 = 440.0;
/// The line above parts that tells what they are parts of.
const TITLE: f64 = 20.0;
/// About how wide a character of a label is.
const CHARACTER: f64 = 7.4;

/// Something with a size, and parts of it.
#[derive(Clone, Debug)]
pub struct Area {
    /// What it is called.
    pub name: String,
    /// Its size for people.
    pub shown: String,
    /// Its size.
    pub size: f64,
    /// The class of the style sheet that colours it.
    pub kind: &'static str,
    /// Parts of it; what they leave over is its own.
    pub parts: Vec<Area>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Rect {
    x: f64,
    y: f64,
    wide: f64,
    high: f64,
}

/// Draws it. `label` says what it shows; a table beside it says the same in words.
#[must_use]
pub fn treemap(areas: &[Area], label: &str) -> Element {
    let view = format!("0 0 {WIDE} {HIGH}");
    let out = el("svg").class("treemap").attr("viewBox", &view).attr("role", "img").attr("aria-label", label);
    let whole = Rect { x: 0.0, y: 0.0, wide: WIDE, high: HIGH };
    let sizes: Vec<f64> = areas.iter().map(|area| area.size).collect();
    out.all(areas.iter().zip(squarified(&sizes, whole)).map(|(area, rect)| outer(area, rect)))
}

fn outer(area: &Area, rect: Rect) -> Element {
    let inside = Rect { x: rect.x + 3.0, y: rect.y + TITLE, wide: rect.wide - 6.0, high: rect.high - TITLE - 3.0 };
    let group = el("g").class(area.kind).with(shape(area, rect, "outer"));
    if area.parts.is_empty() || inside.wide < 40.0 || inside.high < 24.0 {
        return group.with(label(area, rect));
    }
    let known: f64 = area.parts.iter().map(|part| part.size).sum();
    let mut sizes: Vec<f64> = area.parts.iter().map(|part| part.size).collect();
    // What is its own takes its share of the room and stays empty.
    sizes.push((area.size - known).max(0.0));
    let inner = area
        .parts
        .iter()
        .zip(squarified(&sizes, inside))
        .map(|(part, rect)| el("g").class(part.kind).with(shape(part, rect, "inner")).with(label(part, rect)));
    group.with(label(area, Rect { high: TITLE, ..rect })).all(inner)
}

fn shape(area: &Area, rect: Rect, class: &'static str) -> Element {
    let number = |n: f64| format!("{:.1}", n.max(0.0));
    el("rect")
        .class(class)
        .attr("x", &number(rect.x + 0.5))
        .attr("y", &number(rect.y + 0.5))
        .attr("width", &number(rect.wide - 1.0))
        .attr("height", &number(rect.high - 1.0))
        .with(el("title").text(&format!("{}: {}", area.name, area.shown)))
}

/// The name, and the size below or behind it, as far as there is room.
fn label(area: &Area, rect: Rect) -> Option<Element> {
    let room = ((rect.wide - 10.0) / CHARACTER).max(0.0) as usize;
    if room < 4 || rect.high < 16.0 {
        return None;
    }
    let line = |y: f64, class: &'static str, text: &str| {
        let at = el("text").class(class).attr("x", &format!("{:.1}", rect.x + 6.0)).attr("y", &format!("{y:.1}"));
        at.text(&short(text, room.saturating_sub(1)))
    };
    let (name, y) = (area.name.clone(), rect.y + 14.0);
    if rect.high >= 36.0 {
        return Some(el("g").with(line(y, "name", &name)).with(line(y + 15.0, "size", &area.shown)));
    }
    let both = format!("{name}  {}", area.shown);
    Some(el("g").with(line(y, "name", if both.chars().count() < room { &both } else { &name })))
}

/// Rectangles for sizes that fall, each row as square as it gets (Bruls, Huizing and van Wijk).
fn squarified(sizes: &[f64], whole: Rect) -> Vec<Rect> {
    let sum: f64 = sizes.iter().sum();
    let area = whole.wide.max(0.0) * whole.high.max(0.0);
    let scale = if sum > 0.0 { area / sum } else { 0.0 };
    let (mut left, mut out, mut at) = (whole, Vec::with_capacity(sizes.len()), 0);
    while at < sizes.len() {
        let side = left.wide.min(left.high).max(1e-9);
        let mut row = 1;
        while at + row < sizes.len()
            && worst(&sizes[at..=at + row], scale, side) <= worst(&sizes[at..at + row], scale, side)
        {
            row += 1;
        }
        let filled: f64 = sizes[at..at + row].iter().sum::<f64>() * scale;
        let deep = filled / side;
        let mut along = 0.0;
        for size in &sizes[at..at + row] {
            let long = if deep > 0.0 { size * scale / deep } else { 0.0 };
            out.push(if left.wide >= left.high {
                Rect { x: left.x, y: left.y + along, wide: deep, high: long }
            } else {
                Rect { x: left.x + along, y: left.y, wide: long, high: deep }
            });
            along += long;
        }
        left = if left.wide >= left.high {
            Rect { x: left.x + deep, wide: (left.wide - deep).max(0.0), ..left }
        } else {
            Rect { y: left.y + deep, high: (left.high - deep).max(0.0), ..left }
        };
        at += row;
    }
    out
}

/// How far from square the worst of a row is.
fn worst(row: &[f64], scale: f64, side: f64) -> f64 {
    let sum: f64 = row.iter().sum::<f64>() * scale;
    let of = |n: &f64| {
        let area = n * scale;
        if area <= 0.0 {
            return f64::MAX;
        }
        ((side * side * area) / (sum * sum)).max((sum * sum) / (side * side * area))
    };
    row.iter().map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_as_large_as_their_sizes_and_stay_inside() {
        let whole = Rect { x: 0.0, y: 0.0, wide: 600.0, high: 400.0 };
        for sizes in [vec![6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], vec![1.0], vec![1e12, 1.0, 0.0], vec![0.0], vec![]] {
            let sum: f64 = sizes.iter().sum();
            let rects = squarified(&sizes, whole);
            assert_eq!(rects.len(), sizes.len());
            for (size, rect) in sizes.iter().zip(&rects) {
                let expected = if sum > 0.0 { size / sum * 240_000.0 } else { 0.0 };
                assert!((rect.wide * rect.high - expected).abs() < 1e-3, "{sizes:?}: {rect:?}");
                assert!(rect.x >= -1e-6 && rect.x + rect.wide <= 600.001 && rect.y + rect.high <= 400.001);
            }
        }
    }
}
