//! `heapscrub verify` and `heapscrub unpack`: a bundle that somebody sent.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapscrub::{Checked, Date, Error, Received, Settings, Terms, Values, Weakened};
use serde_json::{Value, json};

use super::args::{Unpack, Verify};
use super::listed;
use super::print::{complain, output, say, shown, size, thousands};
use super::settings::rules;

pub(crate) fn verify(args: &Verify) -> Result<()> {
    let mut values = Values::default();
    for file in &args.values_file {
        values.add(file, &args.values_column).with_context(|| shown(file))?;
    }
    let settings = Settings { jobs: args.receive.jobs, ..Settings::new(rules(args.rules.iter(), false)?) };
    let received = open(&args.receive.bundle)?;
    let checked = received.check(&settings);
    // What rules find says nothing about the values; a bundle that was changed is not worth a look.
    let is_whole = checked.as_ref().err().is_none_or(|errors| errors.iter().all(|error| error.exit_code() == 1));
    let search = if is_whole && values.count() > 0 {
        Some(received.search(&values, args.receive.jobs).with_context(|| all(&args.receive.bundle))?)
    } else {
        None
    };
    let stands = search.as_ref().is_some_and(|search| !search.found.is_empty());
    if args.receive.json && (stands || checked.is_ok()) {
        let mut line = checked.as_ref().map_or_else(|_| json!({}), facts);
        line["schema"] = "heapscrub.verify/1".into();
        line["ok"] = (checked.is_ok() && !stands).into();
        if let Some(search) = &search {
            line["values"] = listed::facts(search, &args.values_file);
        }
        output(&line.to_string())?;
    }
    let is_told = args.receive.json || args.receive.quiet;
    if let Some(search) = search.as_ref().filter(|_| stands || !is_told) {
        say(&listed::details(search, &args.values_file, &all(&args.receive.bundle)));
    }
    let checked = checked.map_err(|errors| tell(&errors, &args.receive.bundle))?;
    if stands {
        return Err(listed::Stands.into());
    }
    if !is_told {
        say(&format!("{}: as it was made; nothing was found in it", all(&args.receive.bundle)));
        say(&details(&checked));
    }
    Ok(())
}

pub(crate) fn unpack(args: &Unpack) -> Result<()> {
    let settings = Settings { jobs: args.receive.jobs, ..Settings::default() };
    let received = open(&args.receive.bundle)?;
    let parent = args.directory.as_deref().unwrap_or(Path::new("."));
    let unpacked = received.unpack(parent, &settings);
    let (directory, checked) = unpacked.map_err(|errors| tell(&errors, &args.receive.bundle))?;
    // `./heapscrub-…` reads better without the dot.
    let directory = directory.strip_prefix(".").unwrap_or(&directory);
    if args.receive.json {
        let mut line = facts(&checked);
        line["schema"] = "heapscrub.unpack/1".into();
        line["directory"] = directory.to_string_lossy().into();
        output(&line.to_string())?;
    } else if !args.receive.quiet {
        say(&format!("{}: unpacked from a bundle that is as it was made", shown(directory)));
        say(&details(&checked));
        let snapshots = directory.join("snapshots");
        if checked.snapshots.is_empty() {
            say("  next     open report.html there in a browser; the snapshots were left out by the sender");
        } else {
            say(&format!(
                "  next     open report.html there in a browser, and {} in Chrome: DevTools, Memory, Load profile",
                shown(&snapshots)
            ));
        }
    }
    Ok(())
}

fn open(paths: &[PathBuf]) -> Result<Received> {
    Received::open(paths).with_context(|| all(paths))
}

fn all(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| shown(path)).collect();
    names.join(", ")
}

/// Differences that are told one by one; a bundle that was made anew may have thousands.
const DIFFERENCES: usize = 20;

/// What differs was told already. The exit code and the advice are those of the first difference, its source.
#[derive(Debug)]
pub(crate) struct Told(Error);

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bundle is not as it was made")
    }
}

impl std::error::Error for Told {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Tells what differs, in order.
pub(crate) fn tell(errors: &[Error], paths: &[PathBuf]) -> anyhow::Error {
    let Some(first) = errors.first() else { return anyhow::anyhow!("{}: failed", all(paths)) };
    for error in errors.iter().take(DIFFERENCES) {
        complain(&format!("{}: {error}", all(paths)));
    }
    if errors.len() > DIFFERENCES {
        complain(&format!("{}: and {} more", all(paths), errors.len() - DIFFERENCES));
    }
    Told(*first).into()
}

fn facts(checked: &Checked) -> Value {
    json!({
        "digest": checked.digest,
        "made_by": format!("heapscrub {}", checked.version),
        "profile": checked.profile.name(),
        "keyed": checked.keyed,
        "members": checked.members,
        "parts": checked.parts,
        "snapshots": checked.snapshots.iter().map(|counts| json!(counts)).collect::<Vec<_>>(),
        "same_rules": checked.same_rules,
        "weakened": {
            "keep_rules": checked.weakened.keep_rules,
            "rules_off": checked.weakened.rules_off,
            "source_trees": checked.weakened.source_trees,
        },
        "terms": checked.terms.as_ref().map(terms),
    })
}

fn terms(terms: &Terms) -> Value {
    let day = |date: Date| date.to_string();
    json!({
        "made": day(terms.made),
        "recipient": terms.recipient,
        "purpose": terms.purpose,
        "expires": terms.expires.map(day),
    })
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
    if let Some(terms) = &checked.terms {
        let is_over = terms.expires.is_some_and(|day| day < Date::today());
        lines.push(format!("  terms    {}{}", terms.spoken(), if is_over { "; that day is over" } else { "" }));
    }
    if !checked.same_rules {
        lines.push(
            "  note     it was made with other rules than this program has; the rules here find nothing in it"
                .to_owned(),
        );
    }
    if !checked.weakened.is_nothing() {
        let Weakened { keep_rules, rules_off, source_trees } = checked.weakened;
        lines.push(format!(
            "  note     the sender kept more than the profile does: {keep_rules} keep rules, {rules_off} rules off, names of {source_trees} source trees"
        ));
    }
    lines.join("\n")
}
