//! The verdict of a report, and the four parts of a leak report in Markdown.

use super::escape::code;
use super::model::{GrowerFacts, PartFacts, PartsFacts, Report, VerdictFacts};
use super::numbers::{percent, signed_size, size};
use super::plot;
use crate::summarise::trend::model::{Cause, Trend};
use crate::summarise::verdict::{Grown, Known, all_said, decide};

/// Columns of a plot in Markdown.
const WIDTH: usize = 90;

/// Decides from what was found.
pub(super) fn of(
    growers: &[GrowerFacts],
    other: &[GrowerFacts],
    is_series: bool,
    snapshots: usize,
    work: Option<&[f64]>,
    trends: Option<(Option<&Trend>, Option<&Trend>)>,
) -> VerdictFacts {
    let grown = |grower: &&GrowerFacts| Grown {
        share: grower.share,
        owner: grower.owner.kind,
        is_artefact: is_artefact(grower),
    };
    let all = || growers.iter().chain(other);
    let with = |patterns: &[&str]| -> Vec<Grown> {
        all().filter(|g| patterns.contains(&g.pattern) && g.growth > 0).map(|g| grown(&g)).collect()
    };
    let (steady, slowing, moving) = (with(&["steady", "grew"]), with(&["slowing", "stopped"]), with(&["fluctuating"]));
    let (trend, after) = trends.unwrap_or_default();
    let known = Known {
        snapshots,
        is_series,
        steady: &steady,
        slowing: &slowing,
        moving: &moving,
        has_work: work.is_some(),
        trend,
        after,
    };
    let said = decide(&known);
    let first = (!growers.is_empty()).then_some(0);
    let next = (growers.len() > 1).then_some(1);
    let part = |at: usize, grower: Option<u32>| PartFacts {
        is_there: said.parts[at].0,
        means: said.parts[at].1,
        grower: grower.filter(|_| said.parts[at].0),
    };
    let still_rises = after.is_some_and(|after| after.verdict == crate::Verdict::Leak);
    VerdictFacts {
        verdict: said.verdict,
        cause: said.cause,
        confidence: said.confidence,
        summary: said.summary,
        by_chance: said.by_chance,
        parts: PartsFacts {
            over_time: part(0, None),
            what_grows: part(1, first),
            fix: part(2, first),
            after_the_fix: part(3, next.filter(|_| still_rises)),
        },
        why: said.why,
        evidence: said.evidence,
    }
}

/// Every word that a verdict and memory over time can have, and none of a file.
pub(super) fn blank() -> (VerdictFacts, Trend) {
    let trends = Trend::spoken();
    let said = all_said(&trends);
    let mut why: Vec<String> = said.iter().flat_map(|said| said.why.clone()).collect();
    why.extend(said.iter().flat_map(|said| [said.verdict, said.summary, said.cause.name()]).map(str::to_owned));
    why.extend(said.iter().flat_map(|said| said.parts.map(|(_, means)| means.to_owned())));
    why.sort();
    why.dedup();
    let evidence = said.into_iter().flat_map(|said| said.evidence).collect();
    let all = trends.into_iter().reduce(|mut all, one| {
        all.why.extend(one.why);
        all.why.push(one.summary);
        all.evidence.extend(one.evidence);
        all
    });
    let facts = of(&[], &[], true, 3, None, None);
    (VerdictFacts { why, evidence, ..facts }, all.unwrap_or_else(Trend::nothing))
}

/// A console that keeps what was logged, or an extension: neither is part of the page.
fn is_artefact(grower: &GrowerFacts) -> bool {
    let of_console = |text: &str| text.contains("DevTools console");
    let steps = || grower.paths.iter().flat_map(|path| &path.steps);
    !grower.paths.is_empty()
        && steps().any(|step| {
            of_console(step.class.as_str())
                || of_console(step.edge.as_str())
                || step.name.as_ref().is_some_and(|name| of_console(name.as_str()))
        })
}

/// The verdict and the four parts, at the beginning of a report.
pub(super) fn render(report: &Report, cell: &dyn Fn(&str) -> String, out: &mut String) {
    let verdict = &report.verdict;
    out.push_str(&format!("## Is it a leak?\n\n**{}** (cause: {}", verdict.summary, verdict.cause.name()));
    if verdict.cause != Cause::None {
        out.push_str(&format!(", confidence {}", percent((verdict.confidence * 100.0) as u64, 100)));
    }
    out.push_str(")\n\n");
    for why in &verdict.why {
        out.push_str(&format!("- {why}\n"));
    }
    let parts = &verdict.parts;
    out.push_str("\n### 1. Evidence over time\n\n");
    match &report.trend {
        Some(trend) => trend_of(trend, out),
        None => out.push_str(&format!("{}\n", parts.over_time.means)),
    }
    out.push_str("\n### 2. What grows, and the way to it\n\n");
    match report.growers.first().filter(|_| parts.what_grows.is_there) {
        Some(grower) => grower_of(grower, cell, out),
        None => out.push_str(&format!("{}\n", parts.what_grows.means)),
    }
    out.push_str("\n### 3. The fix at the root\n\n");
    match report.growers.first().and_then(|grower| grower.owner.advice).filter(|_| parts.fix.is_there) {
        Some(advice) => out.push_str(&format!("{advice}\n")),
        None => out.push_str(&format!("{}\n", parts.fix.means)),
    }
    out.push_str(&format!("\n### 4. After the fix\n\n{}\n", parts.after_the_fix.means));
    if let Some(next) = parts.after_the_fix.grower.and_then(|at| report.growers.get(at as usize)) {
        out.push('\n');
        grower_of(next, cell, out);
    }
    if let Some(trend) = &report.trend_after {
        out.push('\n');
        trend_of(trend, out);
    }
    out.push('\n');
}

fn trend_of(trend: &Trend, out: &mut String) {
    out.push_str(&format!(
        "{} (cause: {})\n\n```\n{}```\n",
        trend.summary,
        trend.cause.name(),
        plot::text(trend, WIDTH, 1)
    ));
    for why in trend.why.iter().take(6) {
        out.push_str(&format!("- {why}\n"));
    }
}

fn grower_of(grower: &GrowerFacts, cell: &dyn Fn(&str) -> String, out: &mut String) {
    out.push_str(&format!(
        "{}, {} of all growth ({}), held by {}",
        cell(grower.class.as_str()),
        percent((grower.share * 1000.0) as u64, 1000),
        signed_size(grower.growth),
        grower.owner.kind
    ));
    if let Some(name) = &grower.owner.name {
        out.push_str(&format!(" {}", cell(name.as_str())));
    }
    let retained: Vec<String> = grower.retained.iter().take(12).map(|bytes| size(*bytes)).collect();
    out.push_str(&format!("; with all it holds {}\n", retained.join(" → ")));
    if let Some(path) = grower.paths.first() {
        let steps: Vec<String> =
            path.steps.iter().take(24).map(|step| format!("{} {}", step.edge, step.class)).collect();
        out.push_str(&format!("\n{}\n", code(&super::escape::short(&steps.join(" → "), 1200))));
    }
}
