//! What a job leaves: `index.jsonl`, `index.csv`, `series.json`, `overview.html`. All of it is computed from the rows alone,
//! so equal rows give equal bytes.

use std::path::{Path, PathBuf};

use super::discover::Found;
use super::journal::{Entry, Journal};
use super::labels::LabelRules;
use super::overview;
use super::plan::Item;
use super::row::{Row, Rows, State};
use super::series::{self, Service};
use crate::raw::names::Names;
use crate::raw::scrub::guard::{Guard, Medium};
use crate::report::budget::Budget;
use crate::{CheckedReport, Key, Output, Result, SafeText, Settings};

/// Items of what was found, in the order of their places.
#[must_use]
pub fn items(found: Vec<Found>, key: &Key) -> Vec<Item> {
    found.into_iter().map(|found| Item::new(found, key)).collect()
}

/// Says in the rows which services they are of and when they were taken, as far as the rules tell it; and, if that is wanted,
/// what their files are called. All of it without what rules and values find in it.
pub fn label(rows: &mut Rows, items: &[Item], rules: &LabelRules, keep_file_names: bool, settings: &Settings) {
    let mut names = Names::new(settings);
    for item in items {
        let Some(row) = rows.get_mut(&item.key) else { continue };
        let (service, time) = rules.of(&item.place);
        row.service = service.and_then(|word| names.told(&word));
        row.time = time.and_then(|word| names.told(&word));
        row.name = keep_file_names.then(|| names.told(item.place.called())).flatten();
    }
}

/// What a job leaves, as bytes.
#[derive(Debug)]
pub struct Index {
    /// One row for each line.
    pub jsonl: String,
    /// Rows without digests, which is what rules look at.
    rows_told: Vec<String>,
    /// Series without digests.
    series_told: String,
    /// The same without classes, for spreadsheets.
    pub csv: String,
    /// Services over time.
    pub series: String,
    /// One page about them.
    pub html: String,
    /// Services, those that grew most first.
    pub services: Vec<Service>,
}

/// Computes what a job leaves. The budget holds for each service, from its first dump to its last.
#[must_use]
pub fn of(rows: &Rows, budget: Option<&Budget>, settings: &Settings) -> Index {
    let lines: String = rows.values().map(|row| row.line() + "\n").collect();
    let rows_told = rows.values().map(Row::line_without_digests).collect();
    let mut names = Names::new(settings);
    let series = series::tell(rows, budget.map(|budget| (budget, &mut names)));
    let json = serde_json::to_string_pretty(&series).unwrap_or_else(|_| unreachable!("series serialise")) + "\n";
    let mut plain = series.clone();
    plain.services.iter_mut().for_each(|service| service.items.clear());
    let series_told = serde_json::to_string(&plain).unwrap_or_else(|_| unreachable!("series serialise"));
    Index {
        jsonl: lines,
        rows_told,
        series_told,
        csv: csv(rows),
        html: overview::page(rows, &series),
        series: json,
        services: series.services,
    }
}

impl Index {
    /// Looks at every member in its final form, and gives them their names; those that are there are replaced. Returns the
    /// names.
    ///
    /// # Errors
    /// When something is found in one of them, or they cannot be written.
    pub fn publish(&self, out: &Path, settings: &Settings) -> Result<Vec<PathBuf>> {
        let guard = Guard::of_values(settings);
        for line in &self.rows_told {
            guard.check(line.as_bytes(), Medium::Json, "in the index")?;
        }
        guard.check(self.series_told.as_bytes(), Medium::Json, "in the series")?;
        let members = [
            ("overview.html", &self.html),
            ("series.json", &self.series),
            ("index.csv", &self.csv),
            ("index.jsonl", &self.jsonl),
        ];
        let outputs =
            members.iter().map(|(name, _)| Output::file(&out.join(name), true)).collect::<Result<Vec<_>>>()?;
        for ((_, text), output) in members.iter().zip(outputs) {
            CheckedReport::publish(text, output)?;
        }
        Ok(members.iter().map(|(name, _)| out.join(name)).collect())
    }
}

const COLUMNS: &str = "item,state,class,why,name,service,time,changed,format,file_bytes,input_bytes,heap_bytes,nodes,edges,strings,found,classes,report\r\n";

fn csv(rows: &Rows) -> String {
    let mut out = String::from(COLUMNS);
    for row in rows.values() {
        out.push_str(&csv_line(row));
    }
    out
}

fn csv_line(row: &Row) -> String {
    let text = |text: &Option<SafeText>| text.as_ref().map_or_else(String::new, |text| cell(text.as_str()));
    let numbers = [row.file_bytes, row.input_bytes, row.heap_bytes, row.nodes, row.edges, row.strings];
    let counts = [row.found.iter().map(|f| f.texts).sum(), row.classes.len() as u64 + row.classes_left_out];
    let mut cells = vec![
        row.item.to_string(),
        format!("{:?}", row.state).to_lowercase(),
        row.class.map_or("", super::row::Why::name).to_owned(),
        text(&row.why),
        text(&row.name),
        text(&row.service),
        text(&row.time),
        row.changed.to_string(),
        text(&row.format),
    ];
    cells.extend(numbers.iter().chain(&counts).map(u64::to_string));
    cells.push(row.report.as_ref().map(ToString::to_string).unwrap_or_default());
    cells.join(",") + "\r\n"
}

/// A cell that no spreadsheet takes for a formula.
fn cell(text: &str) -> String {
    let text = crate::report::escape::plain(text);
    let acts = text.trim_start().starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if acts { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\n', '\r', ';']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// Writes down which items failed, with the names of their files: private, like the journal.
///
/// # Errors
/// When it cannot be written.
pub fn list_failed(rows: &Rows, items: &[Item], state: &Path) -> Result<()> {
    let mut out = String::new();
    for item in items {
        let Some(row) = rows.get(&item.key).filter(|row| row.state == State::Failed) else { continue };
        let line = serde_json::json!({
            "item": row.item, "class": row.class, "why": row.why, "path": item.place.path().to_string_lossy(),
            "called": item.place.called(),
        });
        out.push_str(&(line.to_string() + "\n"));
    }
    CheckedReport::publish(&out, Output::file(&state.join("failed.jsonl"), true)?).map(drop)
}

/// Bytes per second and processor that earlier runs of this job got through, if there were enough of them.
#[must_use]
pub fn measured<'e>(entries: impl Iterator<Item = &'e Entry>) -> Option<f64> {
    let sums = entries.fold((0_u64, 0_u64, 0_u64), |(count, bytes, ms), entry| {
        (count + 1, bytes + entry.row.input_bytes.max(entry.place.bytes), ms + entry.took_ms)
    });
    let (count, bytes, ms) = sums;
    (count >= 10 && ms > 0 && bytes > 0).then(|| bytes as f64 * 1000.0 / ms as f64)
}

/// How many lines of a journal could not be read.
#[must_use]
pub fn damaged(journal: &Journal) -> u64 {
    journal.damaged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for (text, expected) in [
            ("plain", "plain"),
            ("=1+1", "'=1+1"),
            (" @x", "' @x"),
            ("-1", "'-1"),
            ("a,b", "\"a,b\""),
            ("=\"x\"", "\"'=\"\"x\"\"\""),
            ("\tx", "\\u{9}x"),
        ] {
            assert_eq!(cell(text), expected, "{text:?}");
        }
    }
}
