//! Where memory was allocated, as Markdown.

use super::allocations::{AllocationFacts, FrameFacts};
use super::escape::{code, plain, short};
use super::model::Report;
use super::numbers::{signed_size, signed_thousands, size, thousands};

/// Rows of each table.
const ROWS: usize = 25;
/// Frames of a stack that are shown.
const FRAMES: usize = 4;

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// The last calls of a stack, the oldest first.
fn places(frames: &[FrameFacts], characters: usize) -> String {
    let skipped = frames.len().saturating_sub(FRAMES);
    let one = |frame: &FrameFacts| match frame.line {
        0 => short(&plain(frame.file.as_str()), characters),
        n => format!("{}:{n}", short(&plain(frame.file.as_str()), characters)),
    };
    let shown: Vec<String> = frames[skipped..].iter().map(one).collect();
    let more = if skipped > 0 { format!("{skipped} more → ") } else { String::new() };
    code(&format!("{more}{}", shown.join(" → ")))
}

pub(super) fn render(report: &Report, rows: usize, characters: usize, out: &mut String) {
    let Some(facts) = &report.allocations else { return };
    line(out, "\n## Where memory was allocated\n");
    totals(facts, out);
    let rows = rows.min(ROWS);
    for group in facts.groups.iter().filter(|group| !group.cumulative && group.by != "filename") {
        let (title, of) = if group.by == "lineno" { ("line", "lines") } else { ("stack of calls", "stacks of calls") };
        line(out, &format!("\n### By {title}, in the last snapshot\n"));
        line(out, &format!("| {title} | bytes | blocks |"));
        line(out, "| --- | ---: | ---: |");
        for row in group.last.iter().take(rows) {
            let place = places(&row.frames, characters);
            line(out, &format!("| {place} | {} | {} |", size(row.bytes), thousands(row.blocks)));
        }
        more(group.last.len(), rows, group.last_left_out, of, out);
        if group.compared.is_empty() {
            continue;
        }
        line(out, &format!("\n### By {title}, the last snapshot beside the first\n"));
        line(out, &format!("| {title} | bytes | more bytes | blocks | more blocks |"));
        line(out, "| --- | ---: | ---: | ---: | ---: |");
        for row in group.compared.iter().take(rows) {
            let numbers = [
                size(row.bytes),
                signed_size(row.delta_bytes),
                thousands(row.blocks),
                signed_thousands(row.delta_blocks),
            ];
            line(out, &format!("| {} | {} |", places(&row.frames, characters), numbers.join(" | ")));
        }
        more(group.compared.len(), rows, group.compared_left_out, of, out);
    }
    line(out, "\nNot told by such snapshots:\n");
    for what in &facts.cannot_tell {
        line(out, &format!("- {what}"));
    }
}

fn totals(facts: &AllocationFacts, out: &mut String) {
    let list = |numbers: Vec<String>| numbers.join(" → ");
    let shown = |numbers: &[u64], show: fn(u64) -> String| list(numbers.iter().map(|n| show(*n)).collect());
    let text = format!(
        "{} bytes in {} blocks; {} frames of each stack were kept.",
        shown(&facts.bytes, size),
        shown(&facts.blocks, thousands),
        shown(&facts.traceback_limits, thousands)
    );
    line(out, &text);
    for domain in facts.domains.iter().filter(|_| facts.domains.len() > 1).take(ROWS) {
        let (bytes, blocks) = (shown(&domain.bytes, size), shown(&domain.blocks, thousands));
        line(out, &format!("\nAllocator {}: {bytes} in {blocks} blocks.", domain.domain));
    }
}

fn more(rows: usize, shown: usize, left_out: u64, of: &str, out: &mut String) {
    let count = rows.saturating_sub(shown) as u64;
    if count > 0 {
        line(out, &format!("\n{} more {of} in `report.json`.", thousands(count)));
    }
    if left_out > 0 {
        line(out, &format!("\n{} more {of} are not listed.", thousands(left_out)));
    }
}
