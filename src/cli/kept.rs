//! `heapscrub kept`: what can still be read in a bundle, for the people who let it leave.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use heapscrub::{CheckedReport, Date, Output, Readable, Received, Settings, Terms};
use serde_json::json;

use super::args::Receive;
use super::print::{output, say, shown, thousands};
use super::receive::tell;
use super::settings;

const EXAMPLES: &str = "Examples:
  heapscrub kept heapscrub-1a2b3c4d.zip
  heapscrub kept heapscrub-1a2b3c4d.zip --format html -o kept.html
  heapscrub kept heapscrub-1a2b3c4d.zip --mark 1,4,7-9 --deny deny.txt   (then: share again with --values-file deny.txt)
  heapscrub kept heapscrub-1a2b3c4d.zip --record review.json --reviewer \"team payments\"";

/// List every text of a bundle that can still be read, those that most should be looked at first.
///
/// The bundle is checked as 'heapscrub verify' does. Keys of data, digits, what looks made, what looks like a person's name
/// and what stands in one place come first. What must not leave is marked by its number, in the page, or in the first
/// column of the CSV, and written to a list that the next run takes with --values-file.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Kept {
    /// The form of the list [default: text; --json counts only]
    #[arg(long, value_name = "F", value_enum)]
    pub(crate) format: Option<Form>,

    /// Where it goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,

    /// Texts in the list for terminals; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,

    /// Also list what every runtime carries
    #[arg(long)]
    pub(crate) all: bool,

    /// Texts that must not leave, by their numbers: 1,4,7-9
    #[arg(long, value_name = "N,N", value_parser = numbers)]
    pub(crate) mark: Option<Numbers>,

    /// The CSV of this bundle, with anything in the first column of texts that must not leave
    #[arg(long, value_name = "FILE", conflicts_with = "mark")]
    pub(crate) marked: Option<PathBuf>,

    /// Write the marked texts to this file, for --values-file
    #[arg(long, value_name = "FILE")]
    pub(crate) deny: Option<PathBuf>,

    /// Write down that the list was looked at: digest of the bundle, counts, reviewer and day; no text of it
    #[arg(long, value_name = "FILE", requires = "reviewer")]
    pub(crate) record: Option<PathBuf>,

    /// Who looked at it: a team or a role
    #[arg(long, value_name = "TEXT", requires = "record")]
    pub(crate) reviewer: Option<String>,

    #[command(flatten)]
    pub(crate) receive: Receive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    Text,
    Html,
    Csv,
}

/// Numbers of texts.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(Vec<usize>);

/// The most numbers that one range may stand for.
const RANGE: usize = 100_000;

/// Reads `1,4,7-9`.
fn numbers(text: &str) -> Result<Numbers, String> {
    let bad = || "expected numbers like 1,4,7-9".to_owned();
    let one = |text: &str| text.trim().parse::<usize>().map_err(|_| bad());
    let mut all = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (one(from)?, one(to)?);
        if from == 0 || to < from || to - from > RANGE {
            return Err(bad());
        }
        all.extend(from..=to);
    }
    all.sort_unstable();
    all.dedup();
    Ok(Numbers(all))
}

pub(crate) fn run(args: &Kept) -> Result<()> {
    anyhow::ensure!(
        !(args.receive.json && args.format.is_some()),
        "--json and --format say different things; choose one"
    );
    let marks = args.mark.is_some() || args.marked.is_some();
    anyhow::ensure!(marks == args.deny.is_some(), "--deny belongs to --mark or --marked, and they to it");
    // A reviewer is written like a recipient: plainly, and without an address.
    if let Some(reviewer) = &args.reviewer {
        Terms::new(Date::today(), Some(reviewer), None, None).map_err(|_| {
            anyhow::anyhow!("--reviewer takes 1 to 100 plain letters, digits and blanks, and no address")
        })?;
    }
    let settings = Settings { jobs: args.receive.jobs, ..Settings::default() };
    let received = Received::open(&args.receive.bundle).with_context(|| "the bundle")?;
    let readable = received.readable(&settings, args.all).map_err(|errors| tell(&errors, &args.receive.bundle))?;
    let marked = marked(args, &readable)?;
    if let Some(path) = &args.deny {
        let numbers = marked.as_deref().unwrap_or_default();
        let text = readable.deny(numbers).context("--mark: there is no text with one of these numbers")?;
        anyhow::ensure!(!text.is_empty(), "nothing is marked");
        write(path, &text, args.force)?;
        told(
            args,
            &format!(
                "{}: {} texts; pass it to the next run with --values-file",
                shown(path),
                thousands(numbers.len() as u64)
            ),
        );
    }
    if let (Some(path), Some(reviewer)) = (&args.record, &args.reviewer) {
        let record = readable.record(marked.as_ref().map_or(0, Vec::len), reviewer, Date::today());
        write(path, &record, args.force)?;
        told(args, &format!("{}: written down", shown(path)));
    }
    list(args, &readable)
}

fn marked(args: &Kept, readable: &Readable) -> Result<Option<Vec<usize>>> {
    if let Some(path) = &args.marked {
        let table = settings::read(path)?;
        let marked = readable.marked(&table).with_context(|| format!("{}: no CSV of this bundle", shown(path)))?;
        return Ok(Some(marked));
    }
    Ok(args.mark.as_ref().map(|numbers| numbers.0.clone()))
}

fn list(args: &Kept, readable: &Readable) -> Result<()> {
    if args.receive.json {
        let risky = readable.texts.iter().filter(|kept| kept.risk > 0).count();
        let line = json!({
            "schema": "heapscrub.kept/1",
            "manifest_sha256": heapscrub::hex(&readable.digest),
            "texts": readable.texts.len(),
            "with_a_reason_to_look": risky,
            "words_of_runtimes": readable.known,
        });
        return Ok(output(&line.to_string())?);
    }
    // Whoever marks has seen the list.
    if args.format.is_none() && args.output.is_none() && (args.deny.is_some() || args.record.is_some()) {
        return Ok(());
    }
    let text = match args.format.unwrap_or(Form::Text) {
        Form::Text => readable.to_text(if args.output.is_some() { 0 } else { args.limit }),
        Form::Html => readable.to_html(),
        Form::Csv => readable.to_csv(),
    };
    match args.output.as_deref().filter(|path| !settings::is_stream(path)) {
        Some(path) => write(path, &text, args.force)?,
        None => output(text.trim_end())?,
    }
    let count = thousands(readable.texts.len() as u64);
    told(
        args,
        &format!(
            "{count} texts can be read; {} words that every runtime carries are not listed",
            thousands(readable.known)
        ),
    );
    Ok(())
}

fn told(args: &Kept, line: &str) {
    if !args.receive.quiet {
        say(line);
    }
}

fn write(path: &Path, text: &str, force: bool) -> Result<()> {
    settings::no_device(path)?;
    let file = Output::file(path, force).with_context(|| shown(path))?;
    CheckedReport::publish(text, file).with_context(|| shown(path))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges() {
        assert_eq!(numbers("7-9,1,4,4").map(|n| n.0), Ok(vec![1, 4, 7, 8, 9]));
        for text in ["", "0", "9-7", "1-999999999", "a", "1,,2"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
