//! The list of readable texts, for terminals, browsers and spreadsheets.

use super::escape::{csv, plain, short};
use super::html::markup::{Html, code, el};
use super::html::page;
use super::html::table::{Column, Table, number, words};
use super::numbers::thousands;
use crate::raw::receive::Readable;
use crate::{Date, hex};

/// Rows of a page: more are slow to draw, and are in the CSV.
const ROWS: usize = 2_000;
/// Characters of a text on a page and on a terminal.
const LONG: usize = 400;
const LINE: usize = 60;

impl Readable {
    /// One line for each text, `limit` of them (0: all).
    #[must_use]
    pub fn to_text(&self, limit: usize) -> String {
        let most = if limit == 0 { self.texts.len() } else { limit };
        let mut out = format!("{:>6}  {:>4}  {:<LINE$}  roles; why\n", "number", "risk", "text");
        for (number, kept) in (1..).zip(self.texts.iter().take(most)) {
            let text = short(&plain(kept.text.as_str()), LINE - 1);
            let why = if kept.signs.is_empty() { String::new() } else { format!("; {}", kept.signs.join(", ")) };
            out.push_str(&format!("{number:>6}  {:>4}  {text:<LINE$}  {}{why}\n", kept.risk, kept.roles.join(", ")));
        }
        let more = self.texts.len().saturating_sub(most);
        if more > 0 {
            out.push_str(&format!("{} more; --limit 0 shows all\n", thousands(more as u64)));
        }
        out
    }

    /// What must go, for `--values-file`: each line of each of these texts. `None` if there is no such number.
    #[must_use]
    pub fn deny(&self, numbers: &[usize]) -> Option<String> {
        let mut out = String::new();
        for number in numbers {
            let kept = self.texts.get(number.checked_sub(1)?)?;
            let lines = kept.text.as_str().lines().map(str::trim).filter(|line| !line.is_empty());
            lines.for_each(|line| out.push_str(&format!("{line}\n")));
        }
        Some(out)
    }

    /// The numbers that were marked in a table that [`Self::to_csv`] wrote. `None` if it is not that of this bundle.
    #[must_use]
    pub fn marked(&self, table: &str) -> Option<Vec<usize>> {
        let mut lines = table.trim_start_matches('\u{feff}').lines();
        lines.next().filter(|head| head.replace('"', "").starts_with("deny,number"))?;
        let mut marked = Vec::new();
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let (mark, rest) = line.split_once(',')?;
            let number: usize = rest.split(',').next()?.trim_matches('"').parse().ok()?;
            self.texts.get(number.checked_sub(1)?)?;
            if !mark.trim_matches('"').trim().is_empty() {
                marked.push(number);
            }
        }
        Some(marked)
    }

    /// That somebody looked at the list: digest and counts, who and when; no text of the list.
    #[must_use]
    pub fn record(&self, marked: usize, reviewer: &str, day: Date) -> String {
        let record = serde_json::json!({
            "schema": "heapscrub.review/1",
            "manifest_sha256": hex(&self.digest),
            "texts": self.texts.len(),
            "marked": marked,
            "reviewer": reviewer,
            "date": day.to_string(),
        });
        format!("{record:#}\n")
    }

    /// A table for spreadsheets, with a column to mark what must go.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut out = String::from("deny,number,risk,text,roles,places,why\n");
        for (number, kept) in (1..).zip(&self.texts) {
            out.push_str(&format!(
                ",{number},{},{},{},{},{}\n",
                kept.risk,
                csv(kept.text.as_str()),
                csv(&kept.roles.join(", ")),
                kept.places,
                csv(&kept.signs.join(", "))
            ));
        }
        out
    }

    /// A page with boxes to mark what must go. It sends nothing: what was marked becomes a command to run.
    #[must_use]
    pub fn to_html(&self) -> String {
        let digest = hex(&self.digest[..4]);
        let columns = [
            Column::Drawing("Must go"),
            Column::Numbers("Number"),
            Column::Numbers("Risk"),
            Column::Words("Text"),
            Column::Words("Roles"),
            Column::Numbers("Places"),
            Column::Words("Why"),
        ];
        let rows = (1_u32..).zip(&self.texts).map(|(n, kept)| {
            let label = format!("Text {n} must go");
            let mark = el("span").attr("data-mark", &n.to_string()).attr("data-label", &label);
            vec![
                words(mark),
                number(n, &thousands(u64::from(n))),
                number(kept.risk, &kept.risk.to_string()),
                words(code(&short(&plain(kept.text.as_str()), LONG))),
                words(Html::text(&kept.roles.join(", "))),
                number(kept.places, &thousands(kept.places)),
                words(Html::text(&kept.signs.join(", "))),
            ]
        });
        let table = Table::new("Readable texts, those that most should be looked at first", &columns).rows(ROWS, rows);
        let head = format!("{} texts can be read in bundle {digest}", thousands(self.texts.len() as u64));
        let known = format!(
            "{} words that every runtime carries are not listed; heapscrub kept --all lists them.",
            thousands(self.known)
        );
        let how = "Mark what must not leave. The command below writes the list for the next run, which takes it with --values-file.";
        let command = "heapscrub kept BUNDLE --mark NUMBERS --deny deny.txt";
        let command = el("pre")
            .attr("tabindex", "0")
            .attr("role", "region")
            .attr("aria-label", "Command")
            .with(code(command).attr("data-command", ""));
        let main = el("main").attr("id", "main").with(el("header").with(el("h1").text(&head))).all([
            el("p").text(&known),
            el("p").text(how),
            command,
        ]);
        page("Readable texts", &main.with(table).into())
    }
}
