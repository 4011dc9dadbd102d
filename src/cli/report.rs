//! `heapscrub report`: the report alone.

use std::path::Path;

use anyhow::{Context, Result};
use heapscrub::{CheckedReport, Error, Kind, NodeTable, Output, Stage, report};

use super::args::{ReportFormat, ReportOnly};
use super::print::{output, say, shown, size};
use super::settings::{self, Config};

pub(crate) fn run(args: &ReportOnly) -> Result<()> {
    anyhow::ensure!(
        !(args.common.json && args.format == Some(ReportFormat::Md)),
        "--json and --format md say different things; choose one"
    );
    let config = Config::read(args.common.config.as_deref())?;
    let mut settings = settings::settings(&args.common, &config)?;
    settings::tell(&mut settings, &args.told, &config, &args.inputs)?;
    settings.survey = true;
    settings.node_table = args.node_table.is_some();
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
    Ok(())
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
