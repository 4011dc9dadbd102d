//! The report as Markdown, for issues. Trackers cut at 65,536 characters, so the least important rows go first.

use super::escape::{code, plain, short};
use super::markdown_allocations;
use super::markdown_findings::{self, list};
use super::model::{ClassFacts, Report};
use crate::limits;
use crate::report::numbers::{signed_size, signed_thousands, size, thousands};

/// Rows of tables that are tried, from many to few.
const ROWS: [usize; 8] = [500, 200, 100, 50, 25, 10, 3, 0];
/// Characters of a name or value, and of one when not even the fewest rows fit.
const LONG: usize = 160;
const SHORT: usize = 40;

pub(super) fn render(report: &Report) -> String {
    let tries = ROWS.map(|rows| (rows, LONG)).into_iter().chain([(0, SHORT)]);
    let mut text = String::new();
    for (rows, characters) in tries {
        text = with_rows(report, rows, characters);
        if text.chars().count() <= limits::MARKDOWN_CHARACTERS {
            return text;
        }
    }
    // Names are short and lists are few by now; whatever comes, the limit holds.
    short(&text, limits::MARKDOWN_CHARACTERS - 1)
}

/// A name or value as a code span, cut if it is long.
fn cell(text: &str, characters: usize) -> String {
    code(&short(&plain(text), characters))
}

fn with_rows(report: &Report, rows: usize, characters: usize) -> String {
    let mut out = String::from("# Heap report\n\n");
    if report.snapshots().next().is_some() {
        summary(report, characters, &mut out);
    }
    others(report, characters, &mut out);
    super::verdict::render(report, &|text| cell(text, characters), &mut out);
    markdown_findings::render(report, rows, characters, &mut out);
    markdown_allocations::render(report, rows, characters, &mut out);
    if report.inputs.iter().any(|input| input.has_graph) || report.allocations.is_none() {
        classes(report, rows, characters, &mut out);
    }
    evidence(report, rows, characters, &mut out);
    redaction(report, rows, &mut out);
    out.push_str(&format!("\n---\n{}, schema {}\n", report.tool, report.schema));
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn summary(report: &Report, characters: usize, out: &mut String) {
    line(out, "| snapshot | format | taken | objects | references | heap | file |");
    line(out, "| --- | --- | --- | ---: | ---: | ---: | ---: |");
    for input in report.snapshots().take(limits::MARKDOWN_INPUTS) {
        let taken = input.taken_at.as_ref().map_or_else(|| "not told".to_owned(), |t| cell(t.as_str(), characters));
        line(
            out,
            &format!(
                "| {} | {} | {taken} | {} | {} | {} | {} |",
                cell(input.label.as_str(), characters),
                input.format,
                thousands(input.nodes),
                thousands(input.edges),
                size(input.heap_bytes),
                size(input.bytes)
            ),
        );
    }
    more(out, report.snapshots().count().saturating_sub(limits::MARKDOWN_INPUTS) as u64, "snapshots");
    line(out, &format!("\nSeries: {}.\n", report.series.means));
}

/// What goes with the snapshots: logs and the like.
fn others(report: &Report, characters: usize, out: &mut String) {
    let others = || report.inputs.iter().filter(|input| !input.is_snapshot());
    if others().next().is_none() {
        return;
    }
    line(out, "| file without a heap | format | distinct texts | file |");
    line(out, "| --- | --- | ---: | ---: |");
    for input in others().take(limits::MARKDOWN_INPUTS) {
        let label = cell(input.label.as_str(), characters);
        line(out, &format!("| {label} | {} | {} | {} |", input.format, thousands(input.strings), size(input.bytes)));
    }
    more(out, others().count().saturating_sub(limits::MARKDOWN_INPUTS) as u64, "files");
    line(out, "");
}

fn more(out: &mut String, count: u64, what: &str) {
    if count > 0 {
        line(out, &format!("\n{} more {what} in `report.json`.", thousands(count)));
    }
}

fn classes(report: &Report, rows: usize, characters: usize, out: &mut String) {
    let is_series = report.is_series();
    let most = if is_series { rows.min(50) } else { rows };
    if is_series {
        let mut grown: Vec<&ClassFacts> = report.classes.iter().filter(|row| row.delta_retained > 0).collect();
        grown.sort_by_key(|row| std::cmp::Reverse(row.delta_retained));
        line(out, "\n## Classes that grew\n");
        line(
            out,
            "From the first snapshot to the last, by the bytes that would go with them. Contents are listed as well as what holds them.\n",
        );
        line(out, "| class | objects | more objects | bytes of their own | with all they hold |");
        line(out, "| --- | --- | ---: | ---: | ---: |");
        for row in grown.iter().take(most) {
            let text = format!(
                "| {}{} | {} | {} | {} | {} |",
                cell(row.class.as_str(), characters),
                if row.new { " (new)" } else { "" },
                list(&row.counts, thousands),
                signed_thousands(row.delta_count),
                signed_size(row.delta_shallow),
                signed_size(row.delta_retained)
            );
            line(out, &text);
        }
        more(out, grown.len().saturating_sub(most) as u64, "classes that grew");
    }
    line(out, "\n## Classes by size\n");
    line(out, "| class | objects | bytes of their own | with all they hold |");
    line(out, "| --- | ---: | ---: | ---: |");
    for row in report.classes.iter().take(most) {
        let class = cell(row.class.as_str(), characters);
        line(out, &format!("| {class} | {} | {} | {} |", thousands(row.count), size(row.shallow), size(row.retained)));
    }
    more(out, report.classes.len().saturating_sub(most) as u64 + report.classes_left_out, "classes");
}

fn evidence(report: &Report, rows: usize, characters: usize, out: &mut String) {
    let most = rows.clamp(1, limits::MARKDOWN_INPUTS);
    line(out, "\n## Evidence\n");
    line(out, "| what | known | how to get it |");
    line(out, "| --- | --- | --- |");
    for item in &report.evidence {
        let mut values: Vec<String> = item
            .values
            .iter()
            .take(most)
            .map(|v| match v.snapshot {
                Some(n) => format!("{n}: {}", cell(v.value.as_str(), characters)),
                None => cell(v.value.as_str(), characters),
            })
            .collect();
        if item.values.len() > most {
            values.push(format!("{} more in `report.json`", item.values.len() - most));
        }
        let known = match (item.state, values.is_empty()) {
            ("absent", _) => "no".to_owned(),
            (_, true) => "yes".to_owned(),
            (_, false) => values.join("; "),
        };
        line(out, &format!("| {} | {known} | {} |", item.what, item.how_to_get.map_or_else(String::new, code)));
    }
}

fn redaction(report: &Report, rows: usize, out: &mut String) {
    let redaction = &report.redaction;
    line(out, "\n## What was removed\n");
    line(out, &format!("Profile `{}`: {}.\n", redaction.profile, redaction.promise));
    line(out, "| role of a text | stayed | replaced |");
    line(out, "| --- | ---: | ---: |");
    for row in &redaction.roles {
        line(out, &format!("| {} | {} | {} |", row.role, thousands(row.kept), thousands(row.replaced)));
    }
    if !redaction.found.is_empty() {
        line(out, "\n| found by rule | role | texts |");
        line(out, "| --- | --- | ---: |");
        for row in redaction.found.iter().take(rows) {
            line(out, &format!("| `{}` | {} | {} |", row.rule, row.role, thousands(row.texts)));
        }
        more(out, redaction.found.len().saturating_sub(rows) as u64, "findings");
    }
    line(
        out,
        &format!(
            "\n{} found values were removed wherever they stood, {} short or ordinary ones where a whole text was equal. \
             {} rules were in force (sha256 `{}`). The result was re-opened and checked before it was released.\n",
            thousands(redaction.removed_everywhere),
            thousands(redaction.removed_where_whole),
            redaction.rules.count,
            redaction.rules.sha256
        ),
    );
    line(out, "Not covered:\n");
    for what in &redaction.not_covered {
        line(out, &format!("- {what}"));
    }
    for what in &redaction.weakened_by {
        line(out, &format!("- weakened by {what}"));
    }
    if redaction.left_out > 0 {
        line(out, &format!("- {} parts of the files were not understood and left out", redaction.left_out));
    }
}
