//! `heapscrub rules test` and `rules lint`.

use std::path::Path;

use anyhow::{Context as _, Result};
use heapscrub::{Level, Rules, Trial};

use super::number;
use crate::cli::print::{output, plain_lines, shown};
use crate::cli::settings::is_stream;

pub(super) fn test(files: &[(String, String)]) -> Result<()> {
    let trials = Rules::try_out(files);
    let widest = trials.iter().map(|trial| trial.rule.chars().count()).max().unwrap_or(0);
    let mut lines: Vec<String> = trials.iter().map(|trial| line(trial, widest)).collect();
    let failed = trials.iter().filter(|trial| !trial.failures.is_empty()).count();
    if failed == 0 {
        // Only together it shows whether ids are taken and limits kept.
        let all = Rules::with(files).map(|rules| rules.catalogue().count());
        if let Ok(all) = all {
            lines.push(format!("all hold; {all} rules in force with the embedded ones"));
        }
        output(&plain_lines(&lines.join("\n")))?;
        all?;
        return Ok(());
    }
    output(&plain_lines(&lines.join("\n")))?;
    anyhow::bail!("{failed} of {} failed", number(trials.len(), "rule"))
}

/// What all rules say about the texts of a file.
pub(super) fn texts(rules: &Rules, texts: &Path) -> Result<()> {
    let name = shown(texts);
    let input: Box<dyn std::io::Read> = if is_stream(texts) {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(texts).with_context(|| name.clone())?)
    };
    let mut lines = Vec::new();
    rules
        .examine_lines(input, |found| lines.push(serde_json::json!(found).to_string()))
        .with_context(|| name.clone())?;
    if !lines.is_empty() {
        output(&lines.join("\n"))?;
    }
    Ok(())
}

fn line(trial: &Trial, widest: usize) -> String {
    let rule = if trial.rule.is_empty() { "(file)" } else { &trial.rule };
    let tried = if trial.is_keep {
        format!("keep rule, {}", number(trial.examples, "text"))
    } else if trial.examples + trial.counterexamples == 0 && !trial.failures.is_empty() {
        "not tried".to_owned()
    } else {
        format!("{}, {}", number(trial.examples, "example"), number(trial.counterexamples, "counterexample"))
    };
    if trial.failures.is_empty() {
        return format!("ok      {rule:<widest$}  {tried}");
    }
    let faults = trial.failures.iter().map(|f| format!("\n          {}:{}: {}", f.file, f.line, f.what));
    format!("failed  {rule:<widest$}  {tried}{}", faults.collect::<String>())
}

pub(super) fn lint(files: &[(String, String)]) -> Result<()> {
    let findings = Rules::lint(files);
    let errors = findings.iter().filter(|finding| finding.level == Level::Error).count();
    let mut lines: Vec<String> = findings
        .iter()
        .map(|finding| match finding.level {
            Level::Error => format!("error    {finding}"),
            Level::Warning => format!("warning  {finding}"),
        })
        .collect();
    let summary = format!("{}, {}", number(errors, "error"), number(findings.len() - errors, "warning"));
    if errors == 0 {
        lines.push(summary.clone());
    }
    output(&plain_lines(&lines.join("\n")))?;
    anyhow::ensure!(errors == 0, "{summary}");
    Ok(())
}
