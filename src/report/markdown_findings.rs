//! What grew and who holds it, as Markdown: a table for the quick look, then each grower with its way and what to do.

use super::escape::{code, plain, short};
use super::model::{GrowerFacts, Location, OwnerFacts, PathFacts, Report, StepFacts};
use super::numbers::{percent, signed_size, signed_thousands, size, thousands};
use crate::limits;

/// Growers and suspects that are told in full, with the way to them.
const TOLD: usize = 8;
/// Steps of a way that are shown.
const STEPS: usize = 14;

/// A name or value as a code span, cut if it is long.
fn cell(text: &str, characters: usize) -> String {
    code(&short(&plain(text), characters))
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn share(of_one: f64) -> String {
    percent((of_one.clamp(0.0, 1.0) * 10_000.0) as u64, 10_000)
}

pub(super) fn render(report: &Report, rows: usize, characters: usize, out: &mut String) {
    growers(report, rows, characters, out);
    suspects(report, rows, characters, out);
    holders(report, rows, characters, out);
    texts(report, rows, characters, out);
    handles(report, out);
}

fn growers(report: &Report, rows: usize, characters: usize, out: &mut String) {
    if !report.is_series() {
        return;
    }
    line(out, "\n## What grew\n");
    line(out, &format!("What this can say: {}.\n", report.growth_means));
    if report.growers.is_empty() {
        line(out, "Nothing grew in a way that says leak.\n");
    } else {
        line(out, "| held | objects | more objects | held by | grew by | share | owner | sure |");
        line(out, "| --- | --- | ---: | --- | ---: | ---: | --- | --- |");
        for row in report.growers.iter().take(rows.max(3)) {
            line(out, &grower(row, characters));
        }
        let more = report.growers.len().saturating_sub(rows.max(3));
        if more > 0 {
            line(out, &format!("\n{more} more in `report.json`."));
        }
        for (number, row) in (1..).zip(report.growers.iter().take(TOLD.min(rows.max(1)))) {
            told(number, row, (characters, language(report)), out);
        }
    }
    if !report.other_growth.is_empty() && rows > 0 {
        line(out, "\n### What grew, but not as a leak does\n");
        line(out, "| held | objects | how | held by | grew by |");
        line(out, "| --- | --- | --- | --- | ---: |");
        for row in report.other_growth.iter().take(rows) {
            let text = format!(
                "| {} | {} | {} | {} | {} |",
                cell(row.class.as_str(), characters),
                list(&row.counts, thousands),
                row.pattern,
                owner_cell(&row.owner, characters),
                signed_size(row.growth)
            );
            line(out, &text);
        }
    }
    if report.profiler_bytes > 0 {
        line(out, &format!("\nLeft out: {} of what takes the snapshots.", size(report.profiler_bytes.unsigned_abs())));
    }
}

pub(super) fn list(numbers: &[u64], show: fn(u64) -> String) -> String {
    let shown: Vec<String> = numbers.iter().take(limits::MARKDOWN_INPUTS).map(|n| show(*n)).collect();
    shown.join(" → ")
}

fn grower(row: &GrowerFacts, characters: usize) -> String {
    let holder = row.holder.as_ref().map_or_else(
        || "not found".to_owned(),
        |holder| {
            let name = holder.name.as_ref().map(|name| format!(" {}", cell(name.as_str(), characters)));
            let count = if holder.count > 1 { format!("{} × ", thousands(holder.count)) } else { String::new() };
            format!("{count}{}{}", cell(holder.class.as_str(), characters), name.unwrap_or_default())
        },
    );
    format!(
        "| {} | {} | {} | {holder} | {} | {} | {} | {} |",
        cell(row.class.as_str(), characters),
        list(&row.counts, thousands),
        signed_thousands(row.delta_count),
        signed_size(row.growth),
        share(row.share),
        row.owner.kind,
        row.owner.confidence
    )
}

fn owner_cell(owner: &OwnerFacts, characters: usize) -> String {
    match &owner.name {
        Some(name) => format!("{} {}", owner.kind, cell(name.as_str(), characters)),
        None => owner.kind.to_owned(),
    }
}

fn place(location: &Location, characters: usize) -> String {
    let script = match &location.script {
        Some(script) => plain(script.as_str()),
        None => format!("script {}", location.script_id),
    };
    let column = if location.column == 0 { String::new() } else { format!(":{}", location.column) };
    code(&format!("{}:{}{column}", short(&script, characters), location.line))
}

/// One grower: who, by which way, where in the code, and what to do.
fn told(number: usize, row: &GrowerFacts, (characters, language): (usize, &str), out: &mut String) {
    let owner = &row.owner;
    line(
        out,
        &format!("\n### {number}. {}: {}\n", cell(row.class.as_str(), characters), owner_cell(owner, characters)),
    );
    let mut facts =
        vec![format!("{} more objects, {} more held", signed_thousands(row.delta_count), signed_size(row.growth))];
    if let (Some(objects), Some(bytes)) = (row.per_work, row.bytes_per_work) {
        facts.push(format!("{objects} objects and {bytes:.0} bytes for each unit of work"));
    }
    if let Some(event) = &owner.event {
        facts.push(format!("event {}", cell(event.as_str(), characters)));
    }
    if let Some(function) = owner.function.as_ref().filter(|f| !f.as_str().is_empty()) {
        facts.push(format!("function {}", cell(function.as_str(), characters)));
    }
    if let Some(location) = &owner.location {
        facts.push(format!("at {}", place(location, characters)));
    }
    if let Some(location) = &row.location {
        facts.push(format!("class at {}", place(location, characters)));
    }
    line(out, &format!("{}.\n", facts.join("; ")));
    line(out, &format!("Evidence: {}.\n", owner.evidence.join("; ")));
    if let Some(way) = row.paths.first() {
        path(way, characters, out);
    }
    advice(owner, language, out);
}

/// The language of the program, as it marks blocks of code, and the sign of its comments.
fn language(report: &Report) -> &'static str {
    let is_python = report.allocations.is_some() && !report.inputs.iter().any(|input| input.has_graph);
    if is_python { "python\n#" } else { "js\n//" }
}

fn advice(owner: &OwnerFacts, language: &str, out: &mut String) {
    if let (Some(means), Some(advice)) = (owner.means, owner.advice) {
        line(out, &format!("{means} {advice}\n"));
    }
    if let (Some(before), Some(after)) = (owner.before, owner.after) {
        let sign = language.split('\n').next_back().unwrap_or_default();
        line(out, &format!("```{language} before\n{before}\n{sign} after\n{after}\n```"));
    }
}

/// A way as a block of lines, from the root to what is held.
fn path(way: &PathFacts, characters: usize, out: &mut String) {
    line(out, &format!("Way of {} of the objects looked at:\n", share(way.share)));
    let skipped = way.steps.len().saturating_sub(STEPS);
    for (at, step) in way.steps.iter().enumerate() {
        if skipped > 0 && at == STEPS / 2 {
            line(out, &format!("- … {skipped} steps, in `report.json`"));
        }
        if skipped > 0 && (STEPS / 2..STEPS / 2 + skipped).contains(&at) {
            continue;
        }
        line(out, &format!("- {}", way_step(step, characters)));
    }
    line(out, "");
}

fn way_step(step: &StepFacts, characters: usize) -> String {
    if let ("call", Some(location)) = (step.edge_kind, &step.location) {
        let repeats = if step.repeats > 1 { format!(", {} times", step.repeats) } else { String::new() };
        return format!("{}{repeats}", place(location, characters));
    }
    if step.edge_kind == "gap" {
        return format!("… {} steps", step.edge.as_str());
    }
    let edge = match step.edge_kind {
        "element" | "hidden" => code(&format!("[{}]", step.edge.as_str())),
        "variable" => format!("variable {}", cell(step.edge.as_str(), characters)),
        "property" => code(&format!(".{}", short(&plain(step.edge.as_str()), characters))),
        _ => cell(step.edge.as_str(), characters),
    };
    let name = step.name.as_ref().filter(|n| !n.as_str().is_empty());
    let name = name.map(|name| format!(" {}", cell(name.as_str(), characters))).unwrap_or_default();
    let at = step.location.as_ref().map(|location| format!(" at {}", place(location, characters))).unwrap_or_default();
    let repeats = if step.repeats > 1 { format!(", {} times", step.repeats) } else { String::new() };
    let holder = if step.is_holder { " **← holds what grew**" } else { "" };
    format!(
        "{edge} → {}{name}{at}{repeats}, holds {}{holder}",
        cell(step.class.as_str(), characters),
        size(step.retained)
    )
}

fn suspects(report: &Report, rows: usize, characters: usize, out: &mut String) {
    if report.suspects.is_empty() {
        return;
    }
    line(out, "\n## What holds most\n");
    let single = if !report.is_series() { format!("Mind that {}.\n", report.growth_means) } else { String::new() };
    line(out, &single);
    line(out, "| where the bytes gather | holds | of the heap | most of it | owner | sure |");
    line(out, "| --- | ---: | ---: | --- | --- | --- |");
    for row in report.suspects.iter().take(rows.max(3)) {
        let most = row.accumulates.as_ref().map_or_else(
            || "one object".to_owned(),
            |most| format!("{} × {}", thousands(most.count), cell(most.class.as_str(), characters)),
        );
        let text = format!(
            "| {} | {} | {} | {most} | {} | {} |",
            cell(row.class.as_str(), characters),
            size(row.retained),
            share(row.share),
            owner_cell(&row.owner, characters),
            row.owner.confidence
        );
        line(out, &text);
    }
    if !report.is_series() {
        for row in report.suspects.iter().take(TOLD.min(3).min(rows)) {
            let title =
                format!("\n### {}: {}\n", cell(row.class.as_str(), characters), owner_cell(&row.owner, characters));
            line(out, &title);
            line(out, &format!("Evidence: {}.\n", row.owner.evidence.join("; ")));
            path(&row.path, characters, out);
            advice(&row.owner, language(report), out);
        }
    }
}

fn holders(report: &Report, rows: usize, characters: usize, out: &mut String) {
    if report.holders.is_empty() || rows == 0 {
        return;
    }
    line(out, "\n## Who holds the program's own classes\n");
    line(out, "| class | objects | bytes with all they hold | owner | sure |");
    line(out, "| --- | ---: | ---: | --- | --- |");
    let shown = rows.min(25);
    for row in report.holders.iter().take(shown) {
        let text = format!(
            "| {} | {} | {} | {} | {} |",
            cell(row.class.as_str(), characters),
            thousands(row.count),
            size(row.retained),
            owner_cell(&row.owner, characters),
            row.owner.confidence
        );
        line(out, &text);
    }
    let more = report.holders.len().saturating_sub(shown);
    if more > 0 {
        line(out, &format!("\n{more} more in `report.json`."));
    }
}

fn texts(report: &Report, rows: usize, characters: usize, out: &mut String) {
    if rows == 0 {
        return;
    }
    let few = rows.min(10);
    if !report.census.is_empty() {
        line(out, "\n## Texts by what they look like and who keeps them\n");
        line(out, "| looks like | kept by | texts | bytes |");
        line(out, "| --- | --- | ---: | ---: |");
        for row in report.census.iter().take(few) {
            line(out, &format!("| {} | {} | {} | {} |", row.kind, row.owner, thousands(row.count), size(row.bytes)));
        }
    }
    if !report.duplicates.is_empty() {
        let saved = size(report.duplicates_wasted);
        line(out, &format!("\n## Texts that are there several times\n\nOne of each would save {saved}.\n"));
        line(out, "| text | times | bytes | one would save |");
        line(out, "| --- | ---: | ---: | ---: |");
        for row in report.duplicates.iter().take(few) {
            let (text, count) = (cell(row.text.as_str(), characters), thousands(row.count));
            line(out, &format!("| {text} | {count} | {} | {} |", size(row.bytes), size(row.wasted)));
        }
    }
    if !report.large.is_empty() {
        line(out, "\n## Large arrays, buffers and collections\n");
        line(out, "| class | own bytes | kept by |");
        line(out, "| --- | ---: | --- |");
        for row in report.large.iter().take(few) {
            let name =
                row.name.as_ref().map(|name| format!(" {}", cell(name.as_str(), characters))).unwrap_or_default();
            line(
                out,
                &format!("| {} | {} | {}{name} |", cell(row.class.as_str(), characters), size(row.bytes), row.owner),
            );
        }
    }
}

fn handles(report: &Report, out: &mut String) {
    if report.handles.is_empty() {
        return;
    }
    line(out, "\n## What must be removed, cleared or closed\n");
    line(out, "| what | in each snapshot |");
    line(out, "| --- | --- |");
    let mut row = |what: &str, of: fn(&super::model::HandleFacts) -> u64| {
        let values: Vec<u64> = report.handles.iter().map(of).collect();
        line(out, &format!("| {what} | {} |", list(&values, thousands)));
    };
    row("listeners", |h| h.listeners);
    row("timers that run once", |h| h.timers);
    row("intervals", |h| h.intervals);
    row("open sockets, streams, files, workers", |h| h.open_handles);
    row("promises that something waits for", |h| h.waiting_promises);
    row("elements out of the page", |h| h.detached);
}
