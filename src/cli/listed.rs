//! What `heapscrub verify --values-file` tells: lines of the list and counts, never a value.

use std::path::PathBuf;

use heapscrub::Search;
use serde_json::{Value, json};

use super::print::{shown, thousands};

/// Values stand in the bundle, and it was told which.
#[derive(Debug)]
pub(crate) struct Stands;

impl std::fmt::Display for Stands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("listed values stand in the bundle")
    }
}

impl std::error::Error for Stands {}

/// Lines that are told one by one.
const MOST: usize = 50;

fn file(files: &[PathBuf], number: u32) -> String {
    files.get(number as usize).map_or_else(String::new, |path| shown(path))
}

/// For people.
pub(crate) fn details(search: &Search, files: &[PathBuf], bundle: &str) -> String {
    let mut values: Vec<(u32, u64)> = search.found.iter().map(|one| (one.file, one.line)).collect();
    values.dedup();
    let looked_for = thousands(search.looked_for);
    let mut lines = vec![match values.len() {
        0 => format!("{bundle}: none of {looked_for} values stands in it, in any encoding"),
        found => format!(
            "{bundle}: values of {} lines stand in it, of {looked_for} that were looked for",
            thousands(found as u64)
        ),
    }];
    for one in search.found.iter().take(MOST) {
        let name = if files.len() > 1 { format!("{}, ", file(files, one.file)) } else { String::new() };
        let times = if one.texts == 1 { "1 text".to_owned() } else { format!("{} texts", thousands(one.texts)) };
        lines.push(format!("  found    {name}line {}: in {times} of {}", one.line, one.member));
    }
    if search.found.len() > MOST {
        lines.push(format!("           and {} more; --json lists all", search.found.len() - MOST));
    }
    if values.first().is_some_and(|(_, line)| *line == 1) {
        lines.push("  note     line 1 may be names of columns: --values-column takes one of them".to_owned());
    }
    if let Some((first, at)) = search.skipped.first() {
        let name = if files.len() > 1 { format!("{}, ", file(files, *first)) } else { String::new() };
        lines.push(format!(
            "  note     {} values were not looked for, the first one in {name}line {at}: they have fewer than three characters, or are words that every runtime has",
            thousands(search.skipped.len() as u64)
        ));
    }
    lines.join("\n")
}

/// For programs.
pub(crate) fn facts(search: &Search, files: &[PathBuf]) -> Value {
    let place = |number: u32, line: u64| json!({ "file": file(files, number), "line": line });
    let found = search.found.iter().map(|one| {
        let mut row = place(one.file, one.line);
        row["member"] = one.member.to_string().into();
        row["texts"] = one.texts.into();
        row
    });
    json!({
        "looked_for": search.looked_for,
        "found": found.collect::<Vec<_>>(),
        "not_looked_for": search.skipped.iter().map(|(file, line)| place(*file, *line)).collect::<Vec<_>>(),
    })
}
