//! What grew and who holds it: a table with bars and sparklines, then each grower with its way and what to do.

use super::markup::{Element, Html, code, el};
use super::path::path;
use super::table::{Cell, Column, Table, number, words};
use super::{Section, chart, cut, paragraph, place, section as titled, sentence, share, steps};
use crate::report::model::{GrowerFacts, OwnerFacts, Report};
use crate::report::numbers::{signed_size, signed_thousands, size, thousands};

/// Growers in the table, and those that are told in full.
const ROWS: usize = 50;
const TOLD: usize = 10;

pub(super) fn section(report: &Report) -> Option<Section> {
    if !report.is_series() {
        return None;
    }
    let mut body = Html::from(paragraph(&format!("{}.", sentence(report.growth_means))).class("soft"));
    if report.growers.is_empty() {
        body.put(paragraph("Nothing grew in a way that says leak."));
    } else {
        body.put(table("Growers, the largest first", &report.growers));
        for (number, grower) in (1..).zip(report.growers.iter().take(TOLD)) {
            body.put(told(number, grower));
        }
    }
    if !report.other_growth.is_empty() {
        body.put(el("h3").text("What grew, but not as a leak does"));
        body.put(table("Other growth", &report.other_growth));
    }
    if report.profiler_bytes > 0 {
        let bytes = size(report.profiler_bytes.unsigned_abs());
        body.put(el("p").class("soft").text(&format!("Left out: {bytes} of what takes the snapshots.")));
    }
    titled("growers", "Growers", body)
}

fn table(caption: &'static str, growers: &[GrowerFacts]) -> Table {
    use Column::{Drawing, Numbers, Words};
    let columns = [
        Words("What"),
        Words("Held by"),
        Numbers("Grew by"),
        Drawing("Share of growth"),
        Numbers("More objects"),
        Drawing("Objects in each snapshot"),
        Words("How"),
    ];
    Table::new(caption, &columns).rows(ROWS, growers.iter().map(row))
}

fn row(grower: &GrowerFacts) -> Vec<Cell> {
    let owner = &grower.owner;
    let name = owner.name.as_ref().map(|name| el("span").text(" ").with(code(&cut(name.as_str()))));
    let count = el("span").class("soft small").text(&steps(&grower.counts, thousands));
    vec![
        words(code(&cut(grower.class.as_str()))),
        words(el("span").text(owner.kind).with(name)),
        number(grower.growth, &signed_size(grower.growth)),
        words(Html::all([
            Html::from(chart::bar(grower.share)),
            el("span").class("small").text(&share(grower.share)).into(),
        ])),
        number(grower.delta_count, &signed_thousands(grower.delta_count)),
        words(Html::all([Html::from(chart::sparkline(&grower.counts)), count.into()])),
        words(Html::text(grower.pattern)),
    ]
}

/// One grower: who, by which way, where in the code, and what to do.
fn told(number: usize, grower: &GrowerFacts) -> Element {
    let owner = &grower.owner;
    let name = owner.name.as_ref().map(|name| el("span").text(" ").with(code(&cut(name.as_str()))));
    let summary = el("summary")
        .with(el("span").class("number").text(&format!("{number}. ")))
        .with(code(&cut(grower.class.as_str())))
        .text(&format!(" {} held by {}", signed_size(grower.growth), owner.kind))
        .with(name);
    let mut facts: Vec<(&str, Html)> = vec![(
        "Growth",
        Html::text(&format!(
            "{} more objects, {} more held; with all they hold {}",
            signed_thousands(grower.delta_count),
            signed_size(grower.growth),
            steps(&grower.retained, size)
        )),
    )];
    if let (Some(objects), Some(bytes)) = (grower.per_work, grower.bytes_per_work) {
        facts.push(("For each unit of work", Html::text(&format!("{objects} objects, {bytes:.0} bytes"))));
    }
    if let Some(location) = &grower.location {
        facts.push(("Class at", place(location).into()));
    }
    let open = if number == 1 { el("details").attr("open", "") } else { el("details") };
    open.class("told")
        .attr("id", &format!("grower-{number}"))
        .with(summary)
        .with(list(facts.into_iter().chain(about(owner))))
        .with(grower.paths.first().map(path))
        .with(advice(owner))
}

fn list<'a>(facts: impl IntoIterator<Item = (&'a str, Html)>) -> Element {
    let row = |(name, value): (&str, Html)| el("div").with(el("dt").text(name)).with(el("dd").with(value));
    el("dl").class("pairs").all(facts.into_iter().map(row))
}

/// What is known of an owner.
fn about(owner: &OwnerFacts) -> Vec<(&'static str, Html)> {
    let mut facts: Vec<(&str, Html)> = Vec::new();
    if let Some(event) = &owner.event {
        facts.push(("Event", code(&cut(event.as_str())).into()));
    }
    if let Some(function) = owner.function.as_ref().filter(|f| !f.as_str().is_empty()) {
        facts.push(("Function", code(&cut(function.as_str())).into()));
    }
    if let Some(location) = &owner.location {
        facts.push(("At", place(location).into()));
    }
    let sure = format!("{} (confidence: {})", owner.evidence.join("; "), owner.confidence);
    facts.push(("Evidence", Html::text(&sentence(&sure))));
    facts
}

/// Owner, evidence and advice, for what holds much.
pub(super) fn owner(owner: &OwnerFacts) -> Html {
    Html::all([Html::from(list(about(owner))), advice(owner)])
}

/// What to do, with a sketch of the code.
fn advice(owner: &OwnerFacts) -> Html {
    let text = owner
        .means
        .zip(owner.advice)
        .map(|(means, advice)| el("div").class("advice").with(paragraph(means)).with(paragraph(advice).class("do")));
    let sketch = |title: &'static str, code: &str| {
        let label = format!("Code, {}", title.to_lowercase());
        let pre = el("pre").attr("tabindex", "0").attr("role", "region").attr("aria-label", &label);
        el("div").with(el("p").class("label").text(title)).with(pre.with(el("code").text(code)))
    };
    let code = owner
        .before
        .zip(owner.after)
        .map(|(before, after)| el("div").class("sketch").with(sketch("Before", before)).with(sketch("After", after)));
    Html::all([Html::from(text), code.into()])
}
