//! What the last snapshot holds: suspects, areas, owners of the program's own classes, the table of classes.

use super::growth::owner as about;
use super::markup::{Html, code, el};
use super::path::path;
use super::table::{Cell, Column, Table, number, words};
use super::treemap::{Area, treemap};
use super::{Section, chart, cut, paragraph, section, sentence, share};
use crate::report::model::{AreaFacts, ClassFacts, OwnerFacts, Report};
use crate::report::numbers::{signed_size, signed_thousands, size, thousands};

/// Classes in the table: more are slow to draw, and are in report.json.
const CLASSES: usize = 500;
const HOLDERS: usize = 60;
const SUSPECTS: usize = 10;

fn owner_cell(owner: &OwnerFacts) -> Cell {
    let name = owner.name.as_ref().map(|name| el("span").text(" ").with(code(&cut(name.as_str()))));
    words(el("span").text(owner.kind).with(name))
}

pub(super) fn suspects(report: &Report) -> Option<Section> {
    use Column::{Drawing, Numbers, Words};
    if report.suspects.is_empty() {
        return None;
    }
    let columns = [
        Words("Where the bytes gather"),
        Numbers("Holds"),
        Drawing("Share of the heap"),
        Words("Most of it"),
        Words("Owner"),
        Words("Confidence"),
    ];
    let rows = report.suspects.iter().map(|row| {
        let most = row.accumulates.as_ref().map_or_else(
            || el("span").text("one object"),
            |most| el("span").text(&format!("{} × ", thousands(most.count))).with(code(&cut(most.class.as_str()))),
        );
        vec![
            words(code(&cut(row.class.as_str()))),
            number(row.retained, &size(row.retained)),
            words(Html::all([
                Html::from(chart::bar(row.share)),
                el("span").class("small").text(&share(row.share)).into(),
            ])),
            words(most),
            owner_cell(&row.owner),
            words(Html::text(row.owner.confidence)),
        ]
    });
    let mut body = Html::default();
    if !report.is_series() {
        body.put(paragraph(&format!("{}.", sentence(report.growth_means))).class("soft"));
    }
    body.put(Table::new("What alone keeps much of the heap alive", &columns).rows(SUSPECTS, rows));
    for suspect in report.suspects.iter().take(SUSPECTS) {
        let name = suspect.name.as_ref().map(|name| el("span").text(" ").with(code(&cut(name.as_str()))));
        let summary = el("summary").with(code(&cut(suspect.class.as_str()))).with(name);
        let summary = summary.text(&format!(" holds {}", size(suspect.retained)));
        body.put(el("details").class("told").with(summary).with(path(&suspect.path)).with(about(&suspect.owner)));
    }
    section("suspects", "What holds most", body)
}

pub(super) fn areas(report: &Report) -> Option<Section> {
    if report.areas.is_empty() {
        return None;
    }
    let areas: Vec<Area> = report.areas.iter().map(area).collect();
    let label = "Areas by retained size; the table below says the same in numbers";
    let map = el("div").class("scroll").attr("tabindex", "0").attr("role", "region");
    let map = map.attr("aria-label", "Map of retained sizes").with(treemap(&areas, label));
    let key = |class: &'static str, text: &str| {
        let square = el("svg").class("key").attr("viewBox", "0 0 12 12").attr("aria-hidden", "true");
        let square =
            square.with(el("g").class(class).with(el("rect").class("outer").attr("width", "12").attr("height", "12")));
        el("li").with(square).text(text)
    };
    let keys = el("ul").class("keys").all([
        key("program", "the program's own classes"),
        key("plain", "plain objects and texts"),
        key("runtime", "classes of the runtime"),
        key("engine", "engine: code, shapes, everything else"),
    ]);
    let columns =
        [Column::Words("Area"), Column::Words("Inside"), Column::Numbers("Objects"), Column::Numbers("Retained")];
    let mut rows = Vec::new();
    report.areas.iter().for_each(|area| listed(area, None, &mut rows));
    let table = Table::new("The same areas as a table", &columns).rows(200, rows);
    let twin = el("details").with(el("summary").text("The same as a table")).with(table);
    let text = "All bytes of the last snapshot by what they hang on: each area would go with its objects, parts lie inside. Areas do not overlap.";
    let body = Html::all([Html::from(paragraph(text)), map.into(), keys.into(), twin.into()]);
    section("areas", "What the heap is made of", body)
}

fn kind(area: &AreaFacts) -> &'static str {
    match area.made_by {
        "program" => "program",
        "plain" => "plain",
        "runtime" => "runtime",
        _ => "engine",
    }
}

fn area(facts: &AreaFacts) -> Area {
    let count = if facts.count > 1 { format!("{} × ", thousands(facts.count)) } else { String::new() };
    Area {
        name: format!("{count}{}", cut(facts.class.as_str())),
        shown: size(facts.retained),
        size: facts.retained as f64,
        kind: kind(facts),
        parts: facts.parts.iter().map(area).collect(),
    }
}

fn listed(facts: &AreaFacts, inside: Option<&AreaFacts>, rows: &mut Vec<Vec<Cell>>) {
    rows.push(vec![
        words(code(&cut(facts.class.as_str()))),
        words(inside.map(|around| code(&cut(around.class.as_str())))),
        number(facts.count, &thousands(facts.count)),
        number(facts.retained, &size(facts.retained)),
    ]);
    facts.parts.iter().for_each(|part| listed(part, Some(facts), rows));
}

pub(super) fn holders(report: &Report) -> Option<Section> {
    use Column::{Numbers, Words};
    if report.holders.is_empty() {
        return None;
    }
    let columns =
        [Words("Class"), Numbers("Objects"), Numbers("With all they hold"), Words("Owner"), Words("Confidence")];
    let rows = report.holders.iter().map(|row| {
        vec![
            words(code(&cut(row.class.as_str()))),
            number(row.count, &thousands(row.count)),
            number(row.retained, &size(row.retained)),
            owner_cell(&row.owner),
            words(Html::text(row.owner.confidence)),
        ]
    });
    let table = Table::new("Classes of the program, and what keeps them alive", &columns).rows(HOLDERS, rows);
    section("holders", "Who holds the program's own classes", table.into())
}

pub(super) fn classes(report: &Report) -> Option<Section> {
    use Column::{Drawing, Numbers, Words};
    if report.classes.is_empty() {
        return None;
    }
    let mut columns = vec![Words("Class"), Numbers("Objects"), Numbers("Own bytes"), Numbers("With all they hold")];
    let is_series = report.is_series();
    if is_series {
        columns.extend([Numbers("More objects"), Numbers("More held"), Drawing("Objects in each snapshot")]);
    }
    let rows = report.classes.iter().map(|row| class(row, is_series));
    let table = Table::new("Classes by the bytes of their objects", &columns).rows(CLASSES, rows);
    section("classes", "Classes", table.and_more(report.classes_left_out).into())
}

fn class(row: &ClassFacts, is_series: bool) -> Vec<Cell> {
    let new = row.new.then(|| el("span").class("tag").text("new"));
    let mut cells = vec![
        words(Html::all([Html::from(code(&cut(row.class.as_str()))), new.into()])),
        number(row.count, &thousands(row.count)),
        number(row.shallow, &size(row.shallow)),
        number(row.retained, &size(row.retained)),
    ];
    if is_series {
        // Only what changes is worth a line.
        let moves = row.counts.iter().any(|n| Some(n) != row.counts.first());
        cells.extend([
            number(row.delta_count, &signed_thousands(row.delta_count)),
            number(row.delta_retained, &signed_size(row.delta_retained)),
            words(moves.then(|| chart::sparkline(&row.counts))),
        ]);
    }
    cells
}
