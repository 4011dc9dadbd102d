//! The report: what a sanitised series of snapshots shows, and what was done to it. Every text in it is a `SafeText` or
//! stands in the program.

mod allocations;
pub mod budget;
pub(crate) mod build;
pub mod escape;
mod findings;
mod growth_means;
pub mod html;
mod kept;
mod markdown;
mod markdown_allocations;
mod markdown_findings;
pub(crate) mod model;
pub mod numbers;
pub mod plot;
mod verdict;

pub use self::build::build;
pub use self::model::Report;

impl Report {
    /// As JSON, for machines; `heapscrub schema` describes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Maps with keys of text and plain numbers always serialise.
        let json = serde_json::to_string_pretty(self).unwrap_or_else(|_| unreachable!("a report serialises"));
        escape::json(&json) + "\n"
    }

    /// As Markdown, for issues: never longer than the limit of trackers.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }

    /// As one page for browsers, complete in itself: it loads nothing, and works from a file.
    #[must_use]
    pub fn to_html(&self) -> String {
        html::render(self)
    }

    /// The JSON Schema of reports.
    #[must_use]
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Report);
        serde_json::to_string_pretty(&schema).unwrap_or_else(|_| unreachable!("a schema serialises"))
    }
}
