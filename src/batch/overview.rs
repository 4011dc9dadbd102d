//! One page about all services: a table, ranked by growth. It loads nothing and runs nothing.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::row::{Rows, State, Why};
use super::series::{AllSeries, Service};
use crate::SafeText;
use crate::report::escape::{plain, short};
use crate::report::numbers::{size, thousands};

/// Services in the table.
const SERVICES: usize = 1000;
/// Classes named beside each.
const CLASSES: usize = 3;

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>Dumps by growth</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1c1c1c; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #d5d5d5; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere }
svg { display: block } polyline { fill: none; stroke: currentColor; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #161616 } th, td { border-color: #3a3a3a } }
</style>
</head>
<body>
"#;

/// For HTML: nothing that acts there.
fn html(text: &str) -> String {
    plain(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

fn name(text: &SafeText) -> String {
    format!("<code>{}</code>", html(&short(text.as_str(), 80)))
}

/// The page.
pub(crate) fn page(rows: &Rows, series: &AllSeries) -> String {
    let count = |state| rows.values().filter(|row| row.state == state).count() as u64;
    let (done, failed, skipped) = (count(State::Done), count(State::Failed), count(State::Skipped));
    let mut out = String::from(HEAD);
    out.push_str("<h1>Dumps by growth</h1>\n<p>");
    let bytes: u64 = rows.values().map(|row| row.input_bytes).sum();
    let _ = write!(
        out,
        "{} dumps summarised ({} plain), {} failed, {} files passed over.",
        thousands(done),
        size(bytes),
        thousands(failed),
        thousands(skipped)
    );
    out.push_str(" Sizes of several dumps stand side by side and are never added up. Texts of the dumps were replaced; equal placeholders stand for equal texts.</p>\n");
    out.push_str("<table><thead><tr><th>Service</th><th>Verdict</th><th class=n>Growth</th><th class=n>Last</th><th>Heap</th><th class=n>Dumps</th><th class=n>Failed</th><th class=n>Over budget</th><th>What grew</th></tr></thead><tbody>\n");
    for one in series.services.iter().take(SERVICES) {
        out.push_str(&service(one));
    }
    out.push_str("</tbody></table>\n");
    if series.services.len() > SERVICES {
        let _ = writeln!(out, "<p>{} more in series.json.</p>", thousands((series.services.len() - SERVICES) as u64));
    }
    out.push_str(&failures(rows));
    out.push_str("<h2>What the verdicts mean</h2>\n<p>leak: four dumps or more, each larger than the one before. bounded: it grew and levelled off. plateau: within 5 %. grew: two or three dumps cannot say more. noise: up and down. insufficient: one dump. Dumps of one service may be of several processes, so classes are compared and single objects are not; <code>heapscrub report</code> on dumps of one process tells who holds what grew.</p>\n");
    out.push_str("</body>\n</html>\n");
    out
}

fn service(one: &Service) -> String {
    let label = one.service.as_ref().map_or_else(|| "(no service told)".to_owned(), name);
    let sign = if one.growth < 0 { "−" } else { "+" };
    let classes: Vec<String> = one
        .classes
        .iter()
        .take(CLASSES)
        .map(|class| {
            let bytes = class.delta_retained.max(class.delta_shallow);
            let always = if class.monotone { ", in every dump" } else { "" };
            format!("{} +{}{always}", name(&class.class), size(bytes.max(0).unsigned_abs()))
        })
        .collect();
    format!(
        "<tr><td>{label}</td><td>{}</td><td class=n>{sign}{}</td><td class=n>{}</td><td>{}</td><td class=n>{}</td><td class=n>{}</td><td class=n>{}</td><td>{}</td></tr>\n",
        one.verdict,
        size(one.growth.unsigned_abs()),
        size(one.heap_bytes.last().copied().unwrap_or(0)),
        line(&one.heap_bytes),
        thousands(one.dumps),
        thousands(one.failed),
        thousands(one.broken.len() as u64),
        classes.join("<br>"),
    )
}

/// Sizes as a small line.
fn line(sizes: &[u64]) -> String {
    const WIDTH: f64 = 120.0;
    const HEIGHT: f64 = 24.0;
    let most = sizes.iter().copied().max().unwrap_or(0) as f64;
    if sizes.len() < 2 || most == 0.0 {
        return String::new();
    }
    let step = WIDTH / (sizes.len() - 1) as f64;
    let points = sizes.iter().enumerate().map(|(at, size)| {
        format!("{:.1},{:.1}", at as f64 * step, HEIGHT - (*size as f64 / most) * (HEIGHT - 2.0) - 1.0)
    });
    let points: Vec<String> = points.collect();
    format!(
        "<svg width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"bytes in each dump\"><polyline points=\"{}\"/></svg>",
        points.join(" ")
    )
}

fn failures(rows: &Rows) -> String {
    let mut by_class: BTreeMap<Why, u64> = BTreeMap::new();
    for row in rows.values().filter(|row| row.state == State::Failed) {
        if let Some(class) = row.class {
            *by_class.entry(class).or_default() += 1;
        }
    }
    if by_class.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<h2>Failed</h2>\n<table><thead><tr><th>Class</th><th class=n>Items</th><th>Worth another run</th></tr></thead><tbody>\n",
    );
    for (class, count) in by_class {
        let again = if class.is_worth_a_retry() { "yes" } else { "no" };
        let _ =
            writeln!(out, "<tr><td>{}</td><td class=n>{}</td><td>{again}</td></tr>", class.name(), thousands(count));
    }
    out + "</tbody></table>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_in_a_page() {
        let text = html("<script>alert('x')</script>\"&\u{202e}");
        assert_eq!(text, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\\u{202e}");
    }
}
