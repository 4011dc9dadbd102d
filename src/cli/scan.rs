//! `heapscrub scan`: what rules find, and what each profile would do. Counts only.

use anyhow::Result;
use heapscrub::{Severity, Surveyed};
use serde_json::{Value, json};

use super::args::{Scan, ScanFormat};
use super::print::{output, plain_lines, thousands};
use super::settings::{self, Config};

pub(crate) fn level(word: &str) -> Result<Severity, String> {
    word.parse().map_err(|e: heapscrub::ConfigError| e.to_string())
}

/// Something of the severity that the user asked for was found.
#[derive(Debug)]
pub(crate) struct Found(pub(crate) String);

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Found {}

/// What one rule found in one role of one snapshot.
struct Row {
    snapshot: usize,
    rule: &'static str,
    severity: Severity,
    role: &'static str,
    shape: String,
    texts: u64,
}

pub(crate) fn run(args: &Scan) -> Result<()> {
    let format = match (args.format, args.common.json) {
        (None, false) => ScanFormat::Text,
        (None | Some(ScanFormat::Json), true) => ScanFormat::Json,
        (Some(format), false) => format,
        (Some(_), true) => anyhow::bail!("--json is the same as --format json; choose one form"),
    };
    let config = Config::read(args.common.config.as_deref())?;
    let mut settings = settings::settings(&args.common, &config)?;
    settings.survey = true;
    let inputs = settings::open(&args.inputs)?;
    let surveyed = heapscrub::survey(&inputs, &settings).map_err(|f| settings::named(f, &args.inputs))?;
    super::progress::clear();
    let mut rows = Vec::new();
    for (snapshot, one) in (1..).zip(&surveyed) {
        super::explain::tell(snapshot, &one.strict);
        super::explain::tell(snapshot, &one.balanced);
        rows.extend(one.strict.findings().map(|(rule, role, shape, texts)| Row {
            snapshot,
            rule,
            severity: settings.rules.severity_of(rule),
            role: role.name(),
            shape: shape.to_string(),
            texts,
        }));
    }
    rows.sort_by(|a, b| (b.severity, a.snapshot, b.texts, a.rule).cmp(&(a.severity, b.snapshot, a.texts, b.rule)));
    let text = match format {
        ScanFormat::Json => json_form(&rows, &surveyed).to_string(),
        ScanFormat::Sarif => sarif(&rows, &settings).to_string(),
        ScanFormat::Text => plain_lines(&table(&rows, &surveyed)),
    };
    if !args.common.quiet || format != ScanFormat::Text {
        output(&text)?;
    }
    let Some(level) = args.fail_on else { return Ok(()) };
    let bad: u64 = rows.iter().filter(|row| row.severity >= level).map(|row| row.texts).sum();
    if bad > 0 {
        return Err(Found(format!("{} texts of severity {level} or above were found", thousands(bad))).into());
    }
    Ok(())
}

fn table(rows: &[Row], surveyed: &[Surveyed]) -> String {
    let mut lines = Vec::new();
    for (snapshot, one) in (1..).zip(surveyed) {
        lines.push(format!(
            "snapshot {snapshot}: {}, {} objects, {} texts",
            one.format,
            thousands(one.counts.nodes),
            thousands(one.counts.strings)
        ));
        lines.push(format!("  {:<24} {:<9} {:<13} {:>9}  shape", "found by", "severity", "role", "texts"));
        let mine: Vec<&Row> = rows.iter().filter(|row| row.snapshot == snapshot).collect();
        for row in &mine {
            lines.push(format!(
                "  {:<24} {:<9} {:<13} {:>9}  {}",
                row.rule,
                row.severity,
                row.role,
                thousands(row.texts),
                row.shape
            ));
        }
        if mine.is_empty() {
            lines.push("  nothing".to_owned());
        }
        lines.push(format!("  {:<24} {:>12} {:>12} {:>12} {:>12}", "", "strict", "", "balanced", ""));
        lines.push(format!("  {:<24} {:>12} {:>12} {:>12} {:>12}", "role", "stays", "goes", "stays", "goes"));
        for (role, strict) in one.strict.roles() {
            let balanced = one.balanced.roles().find(|(r, _)| *r == role).map(|(_, c)| c).unwrap_or_default();
            lines.push(format!(
                "  {:<24} {:>12} {:>12} {:>12} {:>12}",
                role.name(),
                thousands(strict.kept()),
                thousands(strict.replaced),
                thousands(balanced.kept()),
                thousands(balanced.replaced)
            ));
        }
    }
    lines.push(
        "'heapscrub rules explain ID' tells about a rule. Counts are distinct texts; no text is shown.".to_owned(),
    );
    lines.join("\n")
}

fn json_form(rows: &[Row], surveyed: &[Surveyed]) -> Value {
    let snapshots = (1..).zip(surveyed).map(|(snapshot, one)| {
        let findings = rows.iter().filter(|row| row.snapshot == snapshot).map(|row| {
            json!({ "rule": row.rule, "severity": row.severity, "role": row.role, "shape": row.shape, "texts": row.texts })
        });
        let roles = one.strict.roles().map(|(role, strict)| {
            let balanced = one.balanced.roles().find(|(r, _)| *r == role).map(|(_, c)| c).unwrap_or_default();
            json!({
                "role": role.name(),
                "strict": { "stays": strict.kept(), "goes": strict.replaced },
                "balanced": { "stays": balanced.kept(), "goes": balanced.replaced },
            })
        });
        json!({
            "snapshot": snapshot,
            "format": one.format,
            "counts": one.counts,
            "findings": findings.collect::<Vec<_>>(),
            "roles": roles.collect::<Vec<_>>(),
        })
    });
    json!({
        "schema": "heapscrub.scan/1",
        "tool": concat!("heapscrub ", env!("CARGO_PKG_VERSION")),
        "snapshots": snapshots.collect::<Vec<_>>(),
    })
}

/// One result for each rule and role, with counts: trackers take a few thousand results at most.
fn sarif(rows: &[Row], settings: &heapscrub::Settings) -> Value {
    let level = |severity| match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low => "note",
    };
    let mut ids: Vec<&str> = rows.iter().map(|row| row.rule).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules = ids.iter().map(|id| {
        let info = settings.rules.catalogue().find(|info| info.id == *id);
        let describe = info.map_or("A rule or value of your own", |info| info.describe.as_str());
        json!({
            "id": id,
            "shortDescription": { "text": describe },
            "defaultConfiguration": { "level": level(settings.rules.severity_of(id)) },
        })
    });
    let results = rows.iter().map(|row| {
        let place = format!("snapshot-{}", row.snapshot);
        json!({
            "ruleId": row.rule,
            "level": level(row.severity),
            "message": { "text": format!("{} texts as {} ({})", row.texts, row.role, row.shape) },
            "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": place } },
                "logicalLocations": [{ "name": row.role, "kind": "member" }],
            }],
        })
    });
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": { "driver": {
                "name": "heapscrub",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "results": results.collect::<Vec<_>>(),
        }],
    })
}
