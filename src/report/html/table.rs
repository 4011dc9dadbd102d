//! Tables: a caption, columns of names or numbers, at most so many rows, and how many there are beside them. The script
//! of the page makes them sortable, and long ones searchable.

use super::markup::{Element, Html, el};
use crate::report::numbers::thousands;

/// From so many rows on, a table can be searched.
const SEARCHABLE: usize = 12;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Names and words.
    Words(&'static str),
    /// Numbers, right-aligned, sorted by what they are.
    Numbers(&'static str),
    /// Drawings; not sorted.
    Drawing(&'static str),
}

/// A cell.
#[derive(Clone, Debug)]
pub struct Cell {
    shown: Html,
    /// By what it is sorted, where the text does not tell.
    order: Option<i128>,
}

/// A cell of words.
pub fn words(shown: impl Into<Html>) -> Cell {
    Cell { shown: shown.into(), order: None }
}

/// A cell with a number and the way it is shown.
pub fn number(order: impl Into<i128>, shown: &str) -> Cell {
    Cell { shown: Html::text(shown), order: Some(order.into()) }
}

/// A table that is being put together.
#[derive(Clone, Debug)]
pub struct Table {
    caption: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// Rows that there are beside these.
    more: u64,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(caption: &'static str, columns: &[Column]) -> Self {
        Self { caption, columns: columns.to_vec(), rows: Vec::new(), more: 0 }
    }

    /// Adds at most `most` rows, and counts the others.
    #[must_use]
    pub fn rows(mut self, most: usize, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        let mut rows = rows.into_iter();
        self.rows.extend(rows.by_ref().take(most));
        self.more += rows.count() as u64;
        self
    }

    /// Counts rows that are not even here.
    #[must_use]
    pub const fn and_more(mut self, more: u64) -> Self {
        self.more += more;
        self
    }
}

fn head(column: Column) -> Element {
    let cell = el("th").attr("scope", "col");
    match column {
        Column::Words(name) => cell.text(name),
        Column::Numbers(name) => cell.class("n").text(name),
        Column::Drawing(name) => cell.class("d").text(name),
    }
}

fn cell(column: Column, cell: Cell) -> Element {
    let td = match column {
        Column::Words(_) => el("td"),
        Column::Numbers(_) => el("td").class("n"),
        Column::Drawing(_) => el("td").class("d"),
    };
    let td = match cell.order {
        Some(order) => td.attr("data-v", &order.to_string()),
        None => td,
    };
    td.with(cell.shown)
}

impl From<Table> for Html {
    fn from(Table { caption, columns, rows, more }: Table) -> Self {
        let tools = if rows.len() >= SEARCHABLE { "find" } else { "sort" };
        let mut body = el("tbody");
        for row in rows {
            body = body.with(el("tr").all(columns.iter().zip(row).map(|(column, it)| cell(*column, it))));
        }
        let head = el("thead").with(el("tr").all(columns.iter().map(|column| head(*column))));
        let table = el("table").attr("data-tools", tools).with(el("caption").text(caption)).with(head).with(body);
        let scroll = el("div")
            .class("scroll")
            .attr("tabindex", "0")
            .attr("role", "region")
            .attr("aria-label", caption)
            .with(table);
        let more = (more > 0).then(|| {
            el("p").class("more").text(&format!("{} more in ", thousands(more))).with(el("code").text("report.json"))
        });
        Self::all([Self::from(scroll), Self::from(more)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_beyond_the_limit_are_counted() {
        let rows = (0..7_i32).map(|n| vec![number(n, "<7>")]);
        let html = Html::from(Table::new("few", &[Column::Numbers("n")]).rows(3, rows).and_more(2));
        assert_eq!(html.as_str().matches("<td").count(), 3);
        assert!(html.as_str().contains("&lt;7&gt;") && html.as_str().contains("6 more in "));
    }
}
