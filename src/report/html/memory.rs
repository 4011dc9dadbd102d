//! Memory over time: what was recorded beside the snapshots, or the sizes of the snapshots themselves.

use super::markup::{Element, Html, el};
use super::table::{Column, Table, number, words};
use super::{Section, chart, cut, paragraph, sentence};
use crate::report::model::Report;
use crate::report::numbers::{size, thousands};
use crate::report::plot;
use crate::summarise::trend::model::Trend;

/// Columns of memory that are drawn.
const PLOTS: usize = 3;
const INPUTS: usize = 50;

fn told(trend: &Trend, label: &'static str) -> Html {
    let why = el("ul").all(trend.why.iter().take(8).map(|why| el("li").text(&sentence(why))));
    Html::all([
        Html::from(paragraph(&sentence(&trend.summary)).class("lead")),
        drawn(Html::drawn(plot::svg(trend, PLOTS)), label).into(),
        why.into(),
    ])
}

fn drawn(svg: Html, label: &'static str) -> Element {
    el("div").class("scroll").attr("tabindex", "0").attr("role", "region").attr("aria-label", label).with(svg)
}

pub(super) fn section(report: &Report) -> Option<Section> {
    let mut body = Html::default();
    match &report.trend {
        Some(trend) => body.put(told(trend, "Memory over time, drawn")),
        None if report.is_series() => {
            let sizes: Vec<_> = report.snapshots().map(|input| (cut(input.label.as_str()), input.heap_bytes)).collect();
            body.put(paragraph(&format!("{}.", sentence(report.series.means))));
            let label = "Bytes of all objects in each snapshot; the table below has the numbers";
            body.put(drawn(chart::columns(&sizes, label).into(), "Heap of each snapshot, drawn"));
        }
        None => {}
    }
    if let Some(after) = &report.trend_after {
        body.put(el("h3").text("After the fix"));
        body.put(told(after, "Memory after the fix, drawn"));
    }
    if report.snapshots().next().is_some() {
        body.put(inputs(report));
    }
    if report.trend.is_none() && !body.is_empty() {
        body.put(el("p").class("soft").text(&format!("{}.", sentence(report.verdict.parts.over_time.means))));
    }
    super::section("memory", "Memory over time", body)
}

fn inputs(report: &Report) -> Table {
    use Column::{Numbers, Words};
    let columns = [
        Words("Snapshot"),
        Words("Taken"),
        Numbers("Heap"),
        Numbers("Objects"),
        Numbers("References"),
        Numbers("File"),
    ];
    let row = |input: &crate::report::model::InputFacts| {
        let taken = input.taken_at.as_ref().map_or_else(|| "not told".to_owned(), |taken| cut(taken.as_str()));
        vec![
            words(el("code").text(&cut(input.label.as_str()))),
            words(Html::text(&taken)),
            number(input.heap_bytes, &size(input.heap_bytes)),
            number(input.nodes, &thousands(input.nodes)),
            number(input.edges, &thousands(input.edges)),
            number(input.bytes, &size(input.bytes)),
        ]
    };
    Table::new("The snapshots", &columns).rows(INPUTS, report.snapshots().map(row))
}
