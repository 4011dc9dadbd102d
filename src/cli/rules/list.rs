//! `heapscrub rules list`.

use anyhow::Result;
use heapscrub::{KeepInfo, PackInfo, RuleInfo, Rules};
use serde_json::json;

use super::number;
use crate::cli::print::{output, plain_lines};
use crate::cli::wrap::{fill, terminal_width};

/// Columns that descriptions need at least to stand beside the rest.
const DESCRIBE: usize = 24;

pub(super) fn run(rules: &Rules, as_json: bool) -> Result<()> {
    let text = if as_json {
        json!({
            "schema": "heapscrub.rules/1",
            "rules": rules.catalogue().collect::<Vec<_>>(),
            "keep": rules.keep_rules().collect::<Vec<_>>(),
        })
        .to_string()
    } else {
        let head = ["rule", "category", "severity", "looks at", "what it finds"].map(str::to_owned);
        let rows = rules.catalogue().map(row).chain(rules.keep_rules().map(keep_row));
        plain_lines(&table(&[head].into_iter().chain(rows).collect::<Vec<_>>(), terminal_width()))
    };
    Ok(output(&text)?)
}

/// The embedded packs as a table.
pub(super) fn packs() -> Result<()> {
    let packs = Rules::packs();
    let row = |pack: &PackInfo| format!("| `{}` | {} | {} | {} |", pack.name, pack.rules, pack.by_key, pack.about);
    let head = "| pack | rules | by key | what they find |\n| --- | --- | --- | --- |".to_owned();
    Ok(output(&[head].into_iter().chain(packs.iter().map(row)).collect::<Vec<_>>().join("\n"))?)
}

fn row(rule: &RuleInfo) -> [String; 5] {
    let looks_at = if rule.is_context { "key" } else { "text" };
    [&rule.id, &rule.category, rule.severity.name(), looks_at, &rule.describe].map(str::to_owned)
}

fn keep_row(keep: &KeepInfo) -> [String; 5] {
    let what = format!("Keeps {}", number(keep.exact.len(), "text"));
    [&keep.id, "keep", "-", "text", &what].map(str::to_owned)
}

/// Rows as lines: one each for a pipe, within its width for a terminal.
fn table(rows: &[[String; 5]], width: Option<usize>) -> String {
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [widest(0), widest(1), widest(2), widest(3)];
    let taken = widths.iter().map(|w| w + 2).sum::<usize>();
    let mut lines = Vec::new();
    for row in rows {
        let beside = |describe: &str| {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}  ")).collect::<String>();
            cells + describe
        };
        match width {
            None => lines.push(beside(&row[4])),
            Some(width) if width >= taken + DESCRIBE => {
                let mut parts = fill(&row[4], width - taken).into_iter();
                lines.push(beside(&parts.next().unwrap_or_default()));
                lines.extend(parts.map(|part| format!("{:taken$}{part}", "")));
            }
            Some(width) => {
                lines.push(row[0].clone());
                let rest = format!("{}, {}, {}: {}", row[1], row[2], row[3], row[4]);
                lines.extend(fill(&rest, width.saturating_sub(2)).into_iter().map(|part| format!("  {part}")));
            }
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_the_terminal() {
        let rules = Rules::builtin();
        let rows: Vec<_> = rules.catalogue().map(row).chain(rules.keep_rules().map(keep_row)).collect();
        assert_eq!(table(&rows, None).lines().count(), rows.len());
        for width in [1, 20, 40, 60, 80, 100, 200] {
            let table = table(&rows, Some(width));
            for line in table.lines() {
                let words = line.split_whitespace().count();
                assert!(line.chars().count() <= width || words == 1, "{width}: {line}");
            }
        }
    }
}
