//! The report as one page for browsers: what leaks, who holds it, what to do; then everything behind it. It is complete in
//! itself, loads nothing, and works from a file.

mod answer;
pub mod chart;
mod growth;
mod heap;
pub mod markup;
mod memory;
mod page;
mod path;
pub(crate) mod read;
mod removed;
pub mod table;
mod texts;
pub mod treemap;

pub use self::page::page;

use self::markup::{Element, Html, code, el};
use super::escape::{plain, short};
use super::model::{Location, Report};
use super::numbers::percent;

/// Characters of a name.
const LONG: usize = 160;

/// The whole page.
pub(super) fn render(report: &Report) -> String {
    let sections = [
        memory::section(report),
        growth::section(report),
        heap::suspects(report),
        heap::areas(report),
        heap::holders(report),
        heap::classes(report),
        texts::section(report),
        texts::handles(report),
        removed::section(report),
        removed::evidence(report),
        removed::provenance(report),
    ];
    let sections: Vec<Section> = sections.into_iter().flatten().collect();
    let link = |section: &Section| el("li").with(el("a").attr("href", &format!("#{}", section.id)).text(section.title));
    let contents = el("nav").attr("aria-label", "Contents").with(el("ul").all(sections.iter().map(link)));
    let skip = el("a").class("skip").attr("href", "#main").text("Skip to the report");
    let main = el("main").attr("id", "main").with(answer::of(report)).with(contents);
    let main = main.all(sections.into_iter().map(Section::html));
    page("Heap report", &Html::all([Html::from(skip), main.into(), footer(report).into()]))
}

fn footer(report: &Report) -> Element {
    let text = format!("{}, schema {}. This page loads nothing and sends nothing.", report.tool, report.schema);
    el("footer").with(el("p").text(&text))
}

/// A part of the page with a title that can be linked to.
struct Section {
    id: &'static str,
    title: &'static str,
    body: Html,
}

impl Section {
    fn html(self) -> Element {
        let title = format!("{}-title", self.id);
        el("section")
            .attr("id", self.id)
            .attr("aria-labelledby", &title)
            .with(el("h2").attr("id", &title).text(self.title))
            .with(self.body)
    }
}

/// A section if there is anything to say.
fn section(id: &'static str, title: &'static str, body: Html) -> Option<Section> {
    (!body.is_empty()).then_some(Section { id, title, body })
}

/// A name, cut if it is long.
fn cut(text: &str) -> String {
    short(&plain(text), LONG)
}

fn share(of_one: f64) -> String {
    percent((of_one.clamp(0.0, 1.0) * 10_000.0) as u64, 10_000)
}

fn place(location: &Location) -> Element {
    let script = location.script.as_ref().map_or_else(|| format!("script {}", location.script_id), |s| cut(s.as_str()));
    code(&format!("{script}:{}:{}", location.line, location.column))
}

fn paragraph(text: &str) -> Element {
    el("p").text(text)
}

/// The first letter of a sentence of the program, large.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Numbers one after the other, at most a dozen.
fn steps(values: &[u64], show: fn(u64) -> String) -> String {
    let shown: Vec<String> = values.iter().take(12).map(|n| show(*n)).collect();
    shown.join(" → ") + if values.len() > 12 { " …" } else { "" }
}
