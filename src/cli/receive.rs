//! `heapscrub verify` and `heapscrub unpack`: a bundle that somebody sent.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapscrub::{Checked, Error, Received, Settings, Values};
use serde_json::json;

use super::args::{Unpack, Verify};
use super::print::{complain, output, say, size, thousands};
use super::settings::rules;

pub(crate) fn verify(args: &Verify) -> Result<()> {
    let mut values = Values::default();
    for file in &args.values_file {
        values.add(file).with_context(|| file.display().to_string())?;
    }
    let settings = Settings { rules: rules(args.rules.iter())?, values, jobs: args.jobs, ..Settings::default() };
    let received = open(&args.bundle)?;
    let checked = received.check(&settings).map_err(|errors| first_of(&errors, &args.bundle))?;
    if args.json {
        let snapshots: Vec<_> = checked.snapshots.iter().map(|counts| json!(counts)).collect();
        let line = json!({
            "schema": "heapscrub.verify/1",
            "ok": true,
            "digest": checked.digest,
            "made_by": format!("heapscrub {}", checked.version),
            "profile": checked.profile.name(),
            "keyed": checked.keyed,
            "members": checked.members,
            "parts": checked.parts,
            "snapshots": snapshots,
            "same_rules": checked.same_rules,
            "weakened": { "keep_rules": checked.weakened.0, "source_trees": checked.weakened.1 },
        });
        output(&line.to_string())?;
    } else if !args.quiet {
        say(&format!("{}: as it was made; nothing was found in it", shown(&args.bundle)));
        say(&details(&checked));
    }
    Ok(())
}

pub(crate) fn unpack(args: &Unpack) -> Result<()> {
    let settings = Settings { jobs: args.jobs, ..Settings::default() };
    let received = open(&args.bundle)?;
    let parent = args.directory.as_deref().unwrap_or(Path::new("."));
    let unpacked = received.unpack(parent, &settings);
    let (directory, checked) = unpacked.map_err(|errors| first_of(&errors, &args.bundle))?;
    // `./heapscrub-…` reads better without the dot.
    let directory = directory.strip_prefix(".").unwrap_or(&directory);
    if !args.quiet {
        say(&format!("{}: unpacked from a bundle that is as it was made", directory.display()));
        say(&details(&checked));
        let snapshots = directory.join("snapshots");
        if checked.snapshots.is_empty() {
            say("  next     read report.md there; the snapshots were left out by the sender");
        } else {
            say(&format!(
                "  next     read report.md there; open {} in Chrome: DevTools, Memory, Load profile",
                snapshots.display()
            ));
        }
    }
    Ok(())
}

fn open(paths: &[PathBuf]) -> Result<Received> {
    Received::open(paths).with_context(|| shown(paths))
}

fn shown(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}

/// All differences are told, the first one as the error.
fn first_of(errors: &[Error], paths: &[PathBuf]) -> anyhow::Error {
    for error in errors.iter().skip(1) {
        complain(&format!("{}: {error}", shown(paths)));
    }
    match errors.first() {
        Some(error) => anyhow::Error::new(*error).context(shown(paths)),
        None => anyhow::anyhow!("{}: failed", shown(paths)),
    }
}

fn details(checked: &Checked) -> String {
    let bytes = checked.snapshots.iter().map(|counts| counts.bytes).sum();
    let nodes: u64 = checked.snapshots.iter().map(|counts| counts.nodes).sum();
    let mut lines = vec![
        format!(
            "  made by  heapscrub {}, profile {}{}",
            checked.version,
            checked.profile.name(),
            if checked.keyed { ", under a key" } else { "" }
        ),
        format!(
            "  holds    {} members{}; {} snapshots, {} unpacked, {} objects",
            checked.members,
            if checked.parts > 1 { format!(" in {} parts", checked.parts) } else { String::new() },
            checked.snapshots.len(),
            size(bytes),
            thousands(nodes)
        ),
        format!("  digest   {} (first digits of the SHA-256 of manifest.json; ask the sender)", checked.digest),
    ];
    if !checked.same_rules {
        lines.push(
            "  note     it was made with other rules than this program has; the rules here find nothing in it"
                .to_owned(),
        );
    }
    let (keep, trees) = checked.weakened;
    if keep + trees > 0 {
        lines.push(format!(
            "  note     the sender kept more than the profile does: {keep} keep rules, names of {trees} source trees"
        ));
    }
    lines.join("\n")
}
