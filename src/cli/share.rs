//! `heapscrub share`: snapshots in, one bundle out.

use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use heapscrub::{
    Bundle, Choice, Container, Error, Kind, Pack, Published, Report, SafeText, Settings, Stage, hex, report,
};
use serde_json::json;

use super::args::{ContainerName, PackName, Share};
use super::print::{output, percent, plain, say, short, shown, size, thousands};
use super::settings::{self, Config};
use super::sign;

/// What most trackers accept.
const ATTACHMENT: u64 = 25_000_000;
/// Characters of a class name in the summary.
const CLASS_NAME: usize = 60;

pub(crate) fn run(args: &Share) -> Result<()> {
    let config = Config::read(args.common.config.as_deref())?;
    let mut settings = settings::settings(&args.common, &config)?;
    settings::tell(&mut settings, &args.told, &config, &args.inputs)?;
    // The sender wants to know what was there.
    settings.survey = true;
    let (terms, key) = sign::terms(&args.terms, &settings)?;
    let choice = Choice { terms, ..choice(args, &config)? };
    anyhow::ensure!(
        key.is_none() || choice.path.as_deref().is_none_or(|path| !settings::is_stream(path)),
        "a signature lies beside the bundle, and standard output has no such place; choose a file"
    );
    let inputs = settings::open(&args.inputs)?;
    let name = choice.path.as_ref().map_or_else(|| "the bundle".to_owned(), |path| shown(path));
    if choice.path.as_deref().is_some_and(|path| inputs.iter().any(|input| input.is_same_file(path))) {
        return Err(Error::new(Stage::Write, Kind::OutputIsInput)).context(name);
    }
    let outputs = choice.outputs(inputs.len()).with_context(|| name.clone())?;
    let outcome = heapscrub::scrub(&inputs, outputs, &settings).map_err(|f| settings::named(f, &args.inputs))?;
    for (number, verified) in (1..).zip(&outcome.verified) {
        super::explain::tell(number, verified.ledger());
    }
    let report = report::build(&outcome, &settings, args.told.limit);
    let bundle = Bundle::assemble(&outcome, &report, &settings, &choice).map_err(|unmade| {
        let about = unmade.path.map_or_else(|| name.clone(), |path| shown(&path));
        anyhow::Error::new(unmade.error).context(about)
    })?;
    if let Some(path) = bundle.paths().iter().find(|path| inputs.iter().any(|input| input.is_same_file(path))) {
        return Err(Error::new(Stage::Write, Kind::OutputIsInput)).with_context(|| shown(path));
    }
    let names = outcome.verified.iter().map(|v| v.ledger().names()).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let signed = sign::made(&bundle, key.as_ref(), args.force)?;
    let published = bundle.publish().with_context(|| name).inspect_err(|_| sign::take_back(&signed))?;
    super::PUBLISHED.store(true, Ordering::SeqCst);
    super::progress::clear();
    if args.common.json {
        let paths: Vec<String> = published.paths.iter().map(|p| p.display().to_string()).collect();
        let line = json!({
            "schema": "heapscrub.share/1",
            "paths": paths,
            "bytes": published.bytes,
            "digest": hex(&published.digest[..4]),
            "manifest_sha256": hex(&published.digest),
            "signatures": signed.iter().map(|p| p.display().to_string()).collect::<Vec<_>>(),
            "report": report,
        });
        output(&line.to_string())?;
    } else if !args.common.quiet {
        say(&summary(&report, &published, &settings, &choice, names));
        for path in &signed {
            say(&format!("  signed   {}; send it along, and your public key by another way", shown(path)));
        }
    }
    Ok(())
}

fn choice(args: &Share, config: &Config) -> Result<Choice> {
    let path = args.output.clone();
    let ends = |end: &str| path.as_ref().is_some_and(|p| p.to_string_lossy().ends_with(end));
    let by_name = match () {
        () if ends(".zip") => Some(Container::Zip),
        () if ends(".tar.zst") => Some(Container::TarZst),
        () if ends("/") => Some(Container::Directory),
        () => None,
    };
    let asked = match (args.container, config.container.as_deref()) {
        (Some(ContainerName::Zip), _) => Some(Container::Zip),
        (Some(ContainerName::Dir), _) => Some(Container::Directory),
        (Some(ContainerName::TarZst), _) => Some(Container::TarZst),
        (None, Some("zip")) => by_name.or(Some(Container::Zip)),
        (None, Some("dir")) => by_name.or(Some(Container::Directory)),
        (None, Some("tar.zst")) => by_name.or(Some(Container::TarZst)),
        (None, Some(other)) => anyhow::bail!("no container{}; there are zip, dir and tar.zst", settings::quoted(other)),
        (None, None) => by_name,
    };
    let container = asked.unwrap_or_default();
    anyhow::ensure!(
        by_name.is_none_or(|named| named == container),
        "--container and the name of the output say different things"
    );
    let pack = match (args.pack, config.pack.as_deref()) {
        (Some(PackName::Zst), _) | (None, Some("zst") | None) => Pack::Zst,
        (Some(PackName::Deflate), _) | (None, Some("deflate")) => Pack::Deflate,
        (None, Some(other)) => anyhow::bail!("no way to pack{}; there are zst and deflate", settings::quoted(other)),
    };
    let level = args.level.or(config.level).unwrap_or(3);
    anyhow::ensure!(pack == Pack::Zst || level <= 9, "--level goes up to 9 with --pack deflate");
    let is_stream = path.as_deref().is_some_and(settings::is_stream);
    anyhow::ensure!(
        !(is_stream && args.common.json),
        "--json and -o - would both write to standard output; choose one"
    );
    anyhow::ensure!(
        !(is_stream && container == Container::Directory),
        "a directory cannot be written to standard output; choose --container zip or tar.zst"
    );
    anyhow::ensure!(
        !(is_stream && std::io::IsTerminal::is_terminal(&std::io::stdout())),
        "a bundle is no text for a terminal; send standard output to a file"
    );
    let threads = if args.common.jobs == 0 {
        std::thread::available_parallelism().map_or(1, usize::from)
    } else {
        args.common.jobs
    };
    Ok(Choice {
        container,
        pack,
        level,
        threads: threads.min(64) as u32,
        max_size: args.max_size.or(config.max_size),
        no_snapshot: args.no_snapshot,
        path,
        force: args.force,
        terms: None,
    })
}

/// What the sender wants to know, in about ten lines.
fn summary(report: &Report, published: &Published, settings: &Settings, choice: &Choice, kept: (u64, u64)) -> String {
    let names: Vec<String> = published.paths.iter().map(|p| shown(p)).collect();
    let listed = if names == ["-"] { "standard output".to_owned() } else { names.join("\n") };
    let mut lines = vec![format!("{listed}: {}, verified", size(published.bytes))];
    let inputs = &report.inputs;
    let snapshots: Vec<_> = inputs.iter().filter(|input| input.is_snapshot()).collect();
    let others = inputs.len() - snapshots.len();
    let objects = snapshots.last().map_or(0, |input| input.nodes);
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let bytes = size(inputs.iter().map(|input| input.input_bytes).sum());
    let logs = format!("{others} text file{}", plural(others));
    lines.push(match (snapshots.len(), others) {
        (0, _) => format!("  read     {logs}, {bytes} plain; no snapshot"),
        (count, _) => format!(
            "  read     {count} snapshot{}{}, {bytes} plain, {} objects{}; series: {}",
            plural(count),
            if others == 0 { String::new() } else { format!(" and {logs}") },
            thousands(objects),
            if count == 1 { "" } else { " in the last" },
            report.series.kind
        ),
    });
    let replaced: u64 = report.redaction.roles.iter().map(|role| role.replaced).sum();
    lines.push(format!(
        "  removed  {} texts; {} of {} names of program and runtime stayed ({})",
        thousands(replaced),
        thousands(kept.0),
        thousands(kept.1),
        percent(kept.0, kept.1)
    ));
    let mut by_rule: Vec<(&str, u64)> = Vec::new();
    for found in &report.redaction.found {
        match by_rule.iter_mut().find(|(rule, _)| *rule == found.rule) {
            Some((_, texts)) => *texts += found.texts,
            None => by_rule.push((found.rule, found.texts)),
        }
    }
    by_rule.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    if !by_rule.is_empty() {
        let some: Vec<String> =
            by_rule.iter().take(6).map(|(rule, texts)| format!("{rule} {}", thousands(*texts))).collect();
        let more = by_rule.len().saturating_sub(6);
        let more = if more > 0 { format!(" and {more} more kinds") } else { String::new() };
        lines.push(format!("  among it {}{more}", some.join(", ")));
    }
    lines.extend(growth(report));
    let absent: Vec<&str> = report.evidence.iter().filter(|e| e.state == "absent").map(|e| e.what).collect();
    if !absent.is_empty() {
        lines.push(format!(
            "  unknown  {} (--context tells the receiver; report.md says how to get it)",
            absent.join(", ")
        ));
    }
    lines.extend(report.redaction.weakened_by.iter().map(|what| format!("  weakened by {what}")));
    if report.redaction.left_out > 0 {
        lines.push(format!("  left out {} parts of the files that are not understood", report.redaction.left_out));
    }
    if !settings.profile.is_strict() {
        lines.push(
            "  note     texts that nothing was found in are readable; share it only with people you trust".to_owned(),
        );
    }
    let largest = published.bytes / published.paths.len().max(1) as u64;
    if choice.max_size.is_none() && largest > ATTACHMENT {
        lines.push("  size     above the 25 MB that most trackers accept: --max-size 25MB splits it, --level 19 packs tighter, --no-snapshot leaves the snapshots out".to_owned());
    }
    lines.push(format!(
        "  next     attach {}; the receiver reads README.txt in it, or runs: heapscrub unpack {}",
        if published.paths.len() > 1 { "all parts" } else { "it" },
        published.paths.first().filter(|p| !settings::is_stream(p)).map_or_else(|| "BUNDLE".to_owned(), |p| shown(p))
    ));
    lines.join("\n")
}

/// What grew and who holds it, in at most a few lines.
fn growth(report: &Report) -> Vec<String> {
    const MOST: usize = 4;
    let name = |text: &SafeText| short(&plain(text.as_str()), CLASS_NAME);
    if report.inputs.iter().filter(|input| input.is_snapshot()).count() < 2 {
        return Vec::new();
    }
    let grew = report.growers.iter().take(MOST).enumerate().map(|(at, row)| {
        let objects = match row.delta_count {
            more @ 1.. => format!(", {} more", thousands(more.unsigned_abs())),
            _ => String::new(),
        };
        let owner = row.owner.name.as_ref().map(|owner| format!(" {}", name(owner))).unwrap_or_default();
        let label = if at == 0 { "grew    " } else { "        " };
        format!(
            "  {label} {} +{}{objects}: {}{owner}",
            name(&row.class),
            size(row.growth.unsigned_abs()),
            row.owner.kind
        )
    });
    let mut lines: Vec<String> = grew.collect();
    match report.growers.len() {
        0 => lines.push("  grew     nothing in a way that says leak".to_owned()),
        all if all > MOST => lines.push(format!("           and {} more, in the report", all - MOST)),
        _ => {}
    }
    lines
}
