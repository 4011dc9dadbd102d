//! `heapscrub report`: the report alone.

use std::path::Path;

use anyhow::{Context, Result};
use heapscrub::report::budget::{self, Budget, Held};
use heapscrub::{CheckedReport, Error, Kind, NodeTable, Outcome, Output, Stage, report};

use super::args::{ReportFormat, ReportOnly};
use super::print::{output, plain, say, shown, size};
use super::scan::Found;
use super::settings::{self, Config};

pub(crate) fn run(args: &ReportOnly) -> Result<()> {
    anyhow::ensure!(
        !(args.common.json && args.format.is_some_and(|format| format != ReportFormat::Json)),
        "--json and --format say different things; choose one"
    );
    let config = Config::read(args.common.config.as_deref())?;
    let mut settings = settings::settings(&args.common, &config)?;
    settings::tell(&mut settings, &args.told, &config, &args.inputs)?;
    settings.survey = true;
    settings.node_table = args.node_table.is_some();
    let budget = args.budget.as_deref().map(|path| {
        let text = settings::read(path)?;
        Ok::<_, anyhow::Error>(Budget::read(&shown(path), &text)?)
    });
    let budget = budget.transpose()?;
    let inputs = settings::open(&args.inputs)?;
    let target = args.output.as_deref().filter(|path| !settings::is_stream(path));
    let name = target.map(shown).unwrap_or_default();
    if target.is_some_and(|path| inputs.iter().any(|input| input.is_same_file(path))) {
        return Err(Error::new(Stage::Write, Kind::OutputIsInput)).context(name);
    }
    target.map_or(Ok(()), settings::no_device)?;
    let target = target.map(|path| Output::file(path, args.force).with_context(|| name.clone())).transpose()?;
    let outputs = inputs.iter().map(|_| Output::rehearsal()).collect::<Result<Vec<_>, _>>()?;
    let outcome = heapscrub::scrub(&inputs, outputs, &settings).map_err(|f| settings::named(f, &args.inputs))?;
    for (number, verified) in (1..).zip(&outcome.verified) {
        super::explain::tell(number, verified.ledger());
    }
    let report = report::build(&outcome, &settings, args.told.limit);
    let checked = outcome.check_report(&report)?;
    super::progress::clear();
    if let Some(directory) = &args.node_table {
        for (number, verified) in (1..).zip(&outcome.verified) {
            node_table(directory, number, verified.nodes())?;
        }
    }
    let text = match args.format {
        Some(ReportFormat::Json) => &checked.json,
        None if args.common.json => &checked.json,
        Some(ReportFormat::Html) => &checked.html,
        Some(ReportFormat::Md) | None => &checked.markdown,
    };
    match target {
        None => output(text.trim_end())?,
        Some(target) => {
            let bytes = CheckedReport::publish(text, target).with_context(|| name.clone())?;
            if !args.common.quiet {
                say(&format!("{name}: {}", size(bytes)));
            }
        }
    }
    match budget {
        None => Ok(()),
        Some(budget) => hold(args, &outcome, &budget.hold(&report::build(&outcome, &settings, 0))),
    }
}

/// Tells which limits are broken. They are told on standard error, so that a report on standard output stays whole.
fn hold(args: &ReportOnly, outcome: &Outcome<'_>, held: &[Held]) -> Result<()> {
    if let Some(path) = &args.junit {
        let text = budget::junit(held);
        outcome.check_text(&text)?;
        let target = Output::file(path, args.force).with_context(|| shown(path))?;
        CheckedReport::publish(&text, target).with_context(|| shown(path))?;
    }
    let broken: Vec<&Held> = held.iter().filter(|one| one.broken.is_some()).collect();
    for one in &broken {
        let why = one.broken.as_deref().unwrap_or_default();
        say(&format!("  broken   {}: {}", plain(&one.what), plain(why)));
    }
    if broken.is_empty() {
        if !args.common.quiet {
            say(&format!("budget: {} limits kept", held.len()));
        }
        return Ok(());
    }
    Err(Found(format!("{} of {} limits of the budget are broken", broken.len(), held.len())).into())
}

/// One file for each column. They hold numbers only.
fn node_table(directory: &Path, number: u32, nodes: Option<&NodeTable>) -> Result<()> {
    let nodes = nodes.context("this format has no graph, so there is no table of nodes")?;
    let write = |column: &str, bytes: Vec<u8>| {
        let path = directory.join(format!("snapshot-{number}.{column}"));
        std::fs::write(&path, bytes).with_context(|| shown(&path))
    };
    write("distance.i32", nodes.distance.iter().flat_map(|n| n.to_le_bytes()).collect())?;
    write("dominator.u32", nodes.dominator.iter().flat_map(|n| n.to_le_bytes()).collect())?;
    write("self.u64", nodes.own.iter().flat_map(|n| n.to_le_bytes()).collect())?;
    write("retained.u64", nodes.retained.iter().flat_map(|n| n.to_le_bytes()).collect())
}
