//! `heapscrub scrub`: snapshots in, sanitised snapshots out.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapscrub::{Error, Input, Kind, Output, Packing, Settings, Stage, Verified};
use serde_json::json;

use super::args::Scrub;
use super::print::{output, percent, say, shown, size, thousands};
use super::settings::{self, Config, is_stream, named};

pub(crate) fn run(args: &Scrub) -> Result<()> {
    let config = Config::read(args.common.config.as_deref())?;
    let mut settings = settings::settings(&args.common, &config)?;
    settings.survey |= args.dry_run;
    let targets = targets(args)?;
    let inputs = settings::open(&args.inputs)?;
    let level = args.level.or(config.level).unwrap_or(3);
    let outputs =
        targets.iter().map(|target| open(args, level, target.as_deref(), &inputs)).collect::<Result<Vec<_>>>()?;
    let verified =
        heapscrub::scrub(&inputs, outputs, &settings).map_err(|failure| named(failure, &args.inputs))?.verified;
    for (number, verified) in (1..).zip(&verified) {
        super::explain::tell(number, verified.ledger());
    }
    let ledgers: Vec<String> = verified
        .iter()
        .map(|v| if args.common.json { machine_ledger(v, &settings) } else { human_ledger(v, args.dry_run) })
        .collect();
    for ((verified, target), ledger) in verified.into_iter().zip(targets).zip(ledgers) {
        let done = if let Some(path) = target {
            let name = shown(&path);
            let bytes = verified.publish().with_context(|| name.clone())?;
            let name = if name == "-" { "standard output".to_owned() } else { name };
            format!("{name}: {}, verified", size(bytes))
        } else if settings.profile.is_strict() {
            "rehearsal: nothing was kept, nothing was found that nobody vouches for".to_owned()
        } else {
            "rehearsal: nothing was kept, nothing was found in the result".to_owned()
        };
        if args.common.json {
            output(&ledger)?;
        } else if !args.common.quiet {
            say(&done);
            say(&ledger);
        }
    }
    Ok(())
}

/// Where each result goes; nowhere for a rehearsal.
fn targets(args: &Scrub) -> Result<Vec<Option<PathBuf>>> {
    if args.dry_run {
        return Ok(args.inputs.iter().map(|_| None).collect());
    }
    match &args.output[..] {
        [dir] if args.inputs.len() > 1 && dir.is_dir() => {
            Ok((1..=args.inputs.len()).map(|n| Some(dir.join(format!("snapshot-{n}.heapsnapshot")))).collect())
        }
        outputs => {
            anyhow::ensure!(
                outputs.len() == args.inputs.len(),
                "{} inputs and {} outputs: pass -o once for each input, or one directory that exists",
                args.inputs.len(),
                outputs.len()
            );
            let mut names: Vec<&PathBuf> = outputs.iter().collect();
            names.sort();
            anyhow::ensure!(names.windows(2).all(|w| w[0] != w[1]), "two outputs have the same name");
            Ok(outputs.iter().cloned().map(Some).collect())
        }
    }
}

fn open(args: &Scrub, level: i32, target: Option<&Path>, inputs: &[Input]) -> Result<Output> {
    let Some(path) = target else { return Ok(Output::rehearsal()?) };
    if is_stream(path) {
        anyhow::ensure!(!args.common.json, "--json and -o - would both write to standard output; choose one");
        return Ok(Output::stream(Box::new(std::io::stdout()))?);
    }
    if inputs.iter().any(|input| input.is_same_file(path)) {
        return Err(Error::new(Stage::Write, Kind::OutputIsInput)).with_context(|| shown(path));
    }
    settings::no_device(path)?;
    anyhow::ensure!(Packing::of(path) != Packing::Gzip || level <= 9, "--level goes up to 9 for .gz");
    let output = Output::file(path, args.force).with_context(|| shown(path))?;
    Ok(output.with_effort(level, args.common.jobs.try_into().unwrap_or(u32::MAX).min(64)))
}

fn human_ledger(verified: &Verified, is_rehearsal: bool) -> String {
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
    ];
    if verified.profile().is_strict() {
        lines.push(format!(
            "  data     {} keys of dictionaries and of objects in doubt replaced",
            thousands(ledger.data_keys())
        ));
        lines.push(format!("  rules    {} looked at every kept name", ledger.rules));
    } else {
        lines.push(format!("  rules    {} looked at every text, its holders and its decoded forms", ledger.rules));
    }
    let found = ledger.propagated;
    if found.everywhere + found.whole_only > 0 {
        lines.push(format!(
            "  values   {} found values removed wherever they stand, {} short or ordinary ones where a whole text is equal",
            thousands(found.everywhere),
            thousands(found.whole_only)
        ));
    }
    lines.push(format!(
        "  {:<12} {:>10} {:>10} {:>12} {:>10} {:>13} {:>10}",
        "role", "runtime", "program", "source tree", "keep rule", "nothing found", "replaced"
    ));
    for (role, counts) in ledger.roles() {
        lines.push(format!(
            "  {:<12} {:>10} {:>10} {:>12} {:>10} {:>13} {:>10}",
            role.name(),
            thousands(counts.vocabulary),
            thousands(counts.code),
            thousands(counts.source_tree),
            thousands(counts.keep_rule),
            thousands(counts.nothing_found),
            thousands(counts.replaced)
        ));
    }
    if is_rehearsal || !verified.profile().is_strict() {
        lines.push(format!("  {:<22} {:<12} {:>8}  shape", "found by", "role", "texts"));
        let found = ledger.findings();
        lines.extend(found.map(|(rule, role, shape, count)| {
            format!("  {rule:<22} {:<12} {:>8}  {shape}", role.name(), thousands(count))
        }));
    }
    if verified.profile().is_strict() && ledger.weakened().is_empty() && ledger.data_keys() > 0 {
        lines
            .push("  more names of your own program stay readable with --names-from DIR (its source files)".to_owned());
    }
    if ledger.dropped > 0 {
        lines.push(format!("  left out {} parts of the file that are not understood", ledger.dropped));
    }
    lines.extend(ledger.weakened().iter().map(|what| format!("  weakened by {what}")));
    lines.join("\n")
}

/// File names stay out: this is what people attach.
fn machine_ledger(verified: &Verified, settings: &Settings) -> String {
    let (before, after) = verified.counts();
    let ledger = verified.ledger();
    let (kept, all) = ledger.names();
    let roles: serde_json::Map<_, _> =
        ledger.roles().map(|(role, counts)| (role.name().to_owned(), json!(counts))).collect();
    let findings = ledger.findings().map(
        |(rule, role, shape, count)| json!({ "rule": rule, "role": role, "shape": shape.to_string(), "texts": count }),
    );
    json!({
        "schema": "heapscrub.scrub/1",
        "tool": concat!("heapscrub ", env!("CARGO_PKG_VERSION")),
        "profile": verified.profile().name(),
        "keyed": settings.key.is_some(),
        "format": verified.format(),
        "input": before,
        "output": after,
        "names": { "kept": kept, "all": all },
        "roles": roles,
        "rules": { "count": ledger.rules, "sha256": ledger.rules_digest },
        "findings": findings.collect::<Vec<_>>(),
        "propagated": ledger.propagated,
        "left_out": ledger.dropped,
        "weakened": ledger.weakened(),
        "verified": true,
    })
    .to_string()
}
