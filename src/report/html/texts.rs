//! Texts of the last snapshot by what they look like, those that are there several times, large stores, and what must be
//! removed, cleared or closed. Never a text: only placeholders and counts.

use super::markup::{Html, code, el};
use super::table::{Cell, Column, Table, number, words};
use super::{Section, cut, paragraph, section as titled, steps};
use crate::report::model::{HandleFacts, Report};
use crate::report::numbers::{size, thousands};

const ROWS: usize = 50;

pub(super) fn section(report: &Report) -> Option<Section> {
    use Column::{Numbers, Words};
    let mut body = Html::default();
    if !report.census.is_empty() {
        let columns = [Words("Looks like"), Words("Kept by"), Numbers("Texts"), Numbers("Bytes")];
        let rows = report.census.iter().map(|row| {
            vec![
                words(Html::text(row.kind)),
                words(Html::text(row.owner)),
                number(row.count, &thousands(row.count)),
                number(row.bytes, &size(row.bytes)),
            ]
        });
        body.put(Table::new("Texts by what they look like and who keeps them", &columns).rows(ROWS, rows));
    }
    if !report.duplicates.is_empty() {
        body.put(el("h3").text("Texts that are there several times"));
        body.put(paragraph(&format!("One of each would save {}.", size(report.duplicates_wasted))));
        let columns = [Words("Text"), Numbers("Times"), Numbers("Bytes"), Numbers("One would save")];
        let rows = report.duplicates.iter().map(|row| {
            vec![
                words(code(&cut(row.text.as_str()))),
                number(row.count, &thousands(row.count)),
                number(row.bytes, &size(row.bytes)),
                number(row.wasted, &size(row.wasted)),
            ]
        });
        body.put(Table::new("Duplicates, by what they waste", &columns).rows(ROWS, rows));
    }
    if !report.large.is_empty() {
        body.put(el("h3").text("Large arrays, buffers and collections"));
        let columns = [Words("Class"), Numbers("Own bytes"), Words("Kept by")];
        let rows = report.large.iter().map(|row| {
            let name = row.name.as_ref().map(|name| el("span").text(" ").with(code(&cut(name.as_str()))));
            vec![
                words(code(&cut(row.class.as_str()))),
                number(row.bytes, &size(row.bytes)),
                words(el("span").text(row.owner).with(name)),
            ]
        });
        body.put(Table::new("Large stores", &columns).rows(ROWS, rows));
    }
    titled("texts", "Texts and large stores", body)
}

pub(super) fn handles(report: &Report) -> Option<Section> {
    if report.handles.is_empty() {
        return None;
    }
    let row = |what: &'static str, of: fn(&HandleFacts) -> u64| -> Vec<Cell> {
        let values: Vec<u64> = report.handles.iter().map(of).collect();
        vec![words(Html::text(what)), words(el("span").class("numbers").text(&steps(&values, thousands)))]
    };
    let rows = [
        row("listeners", |h| h.listeners),
        row("timers that run once", |h| h.timers),
        row("intervals", |h| h.intervals),
        row("open sockets, streams, files, workers", |h| h.open_handles),
        row("promises that something waits for", |h| h.waiting_promises),
        row("elements out of the page", |h| h.detached),
    ];
    let columns = [Column::Words("What"), Column::Words("In each snapshot")];
    let table = Table::new("Things that must be removed, cleared or closed", &columns).rows(ROWS, rows);
    titled("handles", "Listeners, timers, handles", table.into())
}
