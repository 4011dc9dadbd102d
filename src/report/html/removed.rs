//! What was removed, what stayed, what that does not cover, how to check it, and what is known beside the snapshots.

use super::markup::{Element, Html, code, el};
use super::table::{Column, Table, number, words};
use super::{Section, cut, paragraph, section as titled, sentence};
use crate::report::model::{Evidence, Report};
use crate::report::numbers::{percent, size, thousands};

const ROWS: usize = 100;
const VALUES: usize = 12;

pub(super) fn section(report: &Report) -> Option<Section> {
    use Column::{Numbers, Words};
    let redaction = &report.redaction;
    let promise = paragraph("Profile ").with(el("strong").text(redaction.profile));
    let promise = promise.text(&format!(": {}.", redaction.promise)).class("lead");
    let columns = [Words("Role of a text"), Numbers("Stayed"), Numbers("Replaced"), Numbers("Replaced, of all")];
    let rows = redaction.roles.iter().map(|row| {
        let all = row.kept.saturating_add(row.replaced);
        vec![
            words(Html::text(row.role)),
            number(row.kept, &thousands(row.kept)),
            number(row.replaced, &thousands(row.replaced)),
            number(row.replaced.saturating_mul(1000).checked_div(all).unwrap_or(0), &percent(row.replaced, all)),
        ]
    });
    let roles = Table::new("Distinct texts of all inputs, by the part they play", &columns).rows(ROWS, rows);
    let columns = [Words("Rule"), Words("Role"), Numbers("Texts")];
    let rows = redaction
        .found
        .iter()
        .map(|row| vec![words(code(row.rule)), words(Html::text(row.role)), number(row.texts, &thousands(row.texts))]);
    let found = Table::new("What rules found", &columns).rows(ROWS, rows);
    let found = (!redaction.found.is_empty()).then_some(found);
    let everywhere = format!(
        "{} found values were removed wherever they stood, {} short or ordinary ones where a whole text was equal.",
        thousands(redaction.removed_everywhere),
        thousands(redaction.removed_where_whole)
    );
    let body = Html::all([
        Html::from(promise),
        roles.into(),
        found.into(),
        paragraph(&everywhere).into(),
        not_covered(report).into(),
        verify(report).into(),
    ]);
    titled("removed", "What was removed, what stayed", body)
}

fn not_covered(report: &Report) -> Element {
    let redaction = &report.redaction;
    let mut items: Vec<String> = redaction.not_covered.iter().map(|what| sentence(what)).collect();
    items.extend(redaction.weakened_by.iter().map(|what| format!("Weakened by {what}")));
    if redaction.left_out > 0 {
        items.push(format!("{} parts of the files were not understood and left out", thousands(redaction.left_out)));
    }
    let keyed = if redaction.keyed {
        "Placeholders were made under a key: equal texts have equal placeholders across runs under that key"
    } else {
        "Placeholders are numbered anew in each run; equal texts have equal placeholders"
    };
    items.push(keyed.to_owned());
    let list = el("ul").all(items.iter().map(|item| el("li").text(item)));
    el("div").class("note").with(el("h3").text("What this does not cover")).with(list)
}

fn verify(report: &Report) -> Element {
    let command = |text: &str| {
        let pre = el("pre").attr("tabindex", "0").attr("role", "region").attr("aria-label", "Command");
        pre.with(code(text))
    };
    let rules = format!(
        "{} rules were in force. Every result was re-opened and checked before it was released. To check it again, as the receiver:",
        thousands(u64::from(report.redaction.rules.count))
    );
    el("div")
        .with(el("h3").text("How to check it"))
        .with(paragraph(&rules))
        .with(command("heapscrub verify BUNDLE"))
        .with(paragraph("Without heapscrub, in the unpacked folder; it compares digests only:"))
        .with(command("sha256sum --ignore-missing -c SHA256SUMS"))
}

pub(super) fn evidence(report: &Report) -> Option<Section> {
    use Column::Words;
    let columns = [Words("What"), Words("Known"), Words("How to get it")];
    let rows = report.evidence.iter().map(|item| {
        let mark = if item.state == "absent" { el("span").class("lack") } else { el("span").class("have") };
        vec![
            words(Html::text(item.what)),
            words(mark.text(&known(item))),
            words(item.how_to_get.map(|how| el("span").text(how))),
        ]
    });
    let there = report.evidence.iter().filter(|item| item.state != "absent").count();
    let text = format!("{there} of {} things that help to judge a leak are known.", report.evidence.len());
    let table = Table::new("Evidence", &columns).rows(ROWS, rows);
    let body = Html::all([Html::from(paragraph(&text)), table.into()]);
    (!report.evidence.is_empty()).then(|| titled("evidence", "Evidence checklist", body)).flatten()
}

fn known(item: &Evidence) -> String {
    let value = |value: &crate::report::model::EvidenceValue| match value.snapshot {
        Some(n) => format!("{n}: {}", cut(value.value.as_str())),
        None => cut(value.value.as_str()),
    };
    let mut values: Vec<String> = item.values.iter().take(VALUES).map(value).collect();
    if item.values.len() > VALUES {
        values.push(format!("{} more in report.json", item.values.len() - VALUES));
    }
    match (item.state, values.is_empty()) {
        ("absent", _) => "no".to_owned(),
        (state, true) => format!("yes, {state}"),
        (state, false) => format!("{} ({state})", values.join("; ")),
    }
}

pub(super) fn provenance(report: &Report) -> Option<Section> {
    use Column::{Numbers, Words};
    let columns = [Words("File"), Words("Format"), Words("Runtime"), Numbers("Sanitised"), Words("SHA-256, unpacked")];
    let rows = report.inputs.iter().map(|input| {
        vec![
            words(code(&cut(input.label.as_str()))),
            words(Html::text(input.format)),
            words(Html::text(&input.runtime.as_ref().map_or_else(|| "not told".to_owned(), |r| cut(r.as_str())))),
            number(input.bytes, &size(input.bytes)),
            words(code(&input.sha256)),
        ]
    });
    let pair = |name: &str, value: Html| el("div").with(el("dt").text(name)).with(el("dd").with(value));
    let list = el("dl").class("pairs").all([
        pair("Made by", Html::text(report.tool)),
        pair("Schema", code(report.schema).into()),
        pair("Rules", Html::text(&thousands(u64::from(report.redaction.rules.count)))),
        pair("Digest of the rules", code(&report.redaction.rules.sha256).into()),
        pair("Series", Html::text(report.series.means)),
    ]);
    let table = Table::new("What it was made from", &columns).rows(ROWS, rows);
    titled("provenance", "Provenance", Html::all([Html::from(list), table.into()]))
}
