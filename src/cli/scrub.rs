//! `heapscrub scrub`: one snapshot in, one sanitised snapshot out.

use std::path::Path;

use anyhow::{Context, Result};
use heapscrub::{Error, Input, Kind, Output, Packing, Rules, Settings, SourceNames, Stage, Verified};
use serde_json::json;

use super::args::Scrub;
use super::print::{output, percent, say, size, thousands};

pub(crate) fn run(args: &Scrub) -> Result<()> {
    let settings = settings(args)?;
    let from = args.input.display().to_string();
    let input =
        if is_stream(&args.input) { Input::from_reader(std::io::stdin().lock()) } else { Input::open(&args.input) };
    let input = input.with_context(|| from.clone())?;
    let verified = heapscrub::scrub(&input, target(args, &input)?, &settings).with_context(|| from)?;
    let ledger = if args.json { machine_ledger(&verified) } else { human_ledger(&verified) };
    let done = if args.dry_run {
        "rehearsal: nothing was kept, nothing was found that nobody vouches for".to_owned()
    } else {
        let name = args.output.as_deref().map_or_else(String::new, |o| o.display().to_string());
        let bytes = verified.publish().with_context(|| name.clone())?;
        let name = if name == "-" { "standard output".to_owned() } else { name };
        format!("{name}: {}, verified", size(bytes))
    };
    if args.json {
        output(&ledger)?;
    } else if !args.quiet {
        say(&done);
        say(&ledger);
    }
    Ok(())
}

fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn settings(args: &Scrub) -> Result<Settings> {
    let mut names = SourceNames::default();
    for dir in &args.names_from {
        names.add(dir).with_context(|| dir.display().to_string())?;
    }
    let mut own = Vec::new();
    for file in &args.rules {
        let name = file.display().to_string();
        own.push((name.clone(), std::fs::read_to_string(file).with_context(|| name)?));
    }
    Ok(Settings { rules: Rules::with(&own)?, names, jobs: args.jobs })
}

fn target(args: &Scrub, input: &Input) -> Result<Output> {
    let Some(path) = args.output.as_deref().filter(|_| !args.dry_run) else { return Ok(Output::rehearsal()?) };
    if is_stream(path) {
        anyhow::ensure!(!args.json, "--json and -o - would both write to standard output; choose one");
        return Ok(Output::stream(Box::new(std::io::stdout()))?);
    }
    if input.is_same_file(path) {
        return Err(Error::new(Stage::Write, Kind::OutputIsInput)).with_context(|| path.display().to_string());
    }
    anyhow::ensure!(Packing::of(path) != Packing::Gzip || args.level <= 9, "--level goes up to 9 for .gz");
    let output = Output::file(path, args.force).with_context(|| path.display().to_string())?;
    Ok(output.with_effort(args.level, args.jobs.try_into().unwrap_or(u32::MAX).min(64)))
}

fn human_ledger(verified: &Verified) -> String {
    let (before, after) = verified.counts();
    let ledger = verified.ledger();
    let (kept, all) = ledger.names();
    let mut lines = vec![
        format!(
            "  graph    {} nodes and {} edges, all as they were ({}, {} plain)",
            thousands(after.nodes),
            thousands(after.edges),
            verified.format(),
            size(before.bytes)
        ),
        format!("  names    {} of {} kept: keys, variables, classes, functions", percent(kept, all), thousands(all)),
        format!("  data     {} keys of dictionaries and of objects in doubt replaced", thousands(ledger.data_keys())),
        format!("  rules    {} looked at every kept name", ledger.rules),
        format!(
            "  {:<12} {:>10} {:>10} {:>12} {:>10} {:>10}",
            "role", "runtime", "program", "source tree", "keep rule", "replaced"
        ),
    ];
    for (role, counts) in ledger.roles() {
        lines.push(format!(
            "  {:<12} {:>10} {:>10} {:>12} {:>10} {:>10}",
            role.name(),
            thousands(counts.vocabulary),
            thousands(counts.code),
            thousands(counts.source_tree),
            thousands(counts.keep_rule),
            thousands(counts.replaced)
        ));
    }
    if ledger.weakened.is_empty() && ledger.data_keys() > 0 {
        lines
            .push("  more names of your own program stay readable with --names-from DIR (its source files)".to_owned());
    }
    if ledger.dropped > 0 {
        lines.push(format!("  left out {} parts of the file that are not understood", ledger.dropped));
    }
    lines.extend(ledger.weakened.iter().map(|what| format!("  weakened by {what}")));
    lines.join("\n")
}

/// File names stay out: this is what people attach.
fn machine_ledger(verified: &Verified) -> String {
    let (before, after) = verified.counts();
    let ledger = verified.ledger();
    let (kept, all) = ledger.names();
    let roles: serde_json::Map<_, _> =
        ledger.roles().map(|(role, counts)| (role.name().to_owned(), json!(counts))).collect();
    json!({
        "schema": "heapscrub.scrub/1",
        "tool": concat!("heapscrub ", env!("CARGO_PKG_VERSION")),
        "profile": "strict",
        "format": verified.format(),
        "input": before,
        "output": after,
        "names": { "kept": kept, "all": all },
        "roles": roles,
        "rules": { "count": ledger.rules, "sha256": ledger.rules_digest },
        "left_out": ledger.dropped,
        "weakened": ledger.weakened,
        "verified": true,
    })
    .to_string()
}
