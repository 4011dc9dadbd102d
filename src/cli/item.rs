//! `heapscrub item`: one dump in, one line of JSON out; what every wrapper around many machines builds on. With a hidden
//! flag it is the worker of `heapscrub batch`.

use std::io::{BufRead, Read};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use heapscrub::batch::item::{Emit, Job};
use heapscrub::batch::{self, Row};
use heapscrub::{Error, Key, SafeText, Settings};
use serde_json::json;

use super::args::Common;
use super::print::{output, shown};
use super::settings::{self, Config};

const EXAMPLES: &str = "Examples:
  heapscrub item app.heapsnapshot --out-dir out --key-file job.key >> rows.jsonl
  heapscrub merge rows.jsonl -o all --key-file job.key";

/// What is written beside reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitName {
    /// Nothing
    Report,
    /// The sanitised snapshot, as .zst
    Snapshot,
    /// A bundle, as .zip
    Bundle,
}

impl EmitName {
    pub(crate) const fn emit(self) -> Emit {
        match self {
            Self::Report => Emit::Report,
            Self::Snapshot => Emit::Snapshot,
            Self::Bundle => Emit::Bundle,
        }
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Snapshot => "snapshot",
            Self::Bundle => "bundle",
        }
    }
}

/// Flags of every command that summarises single dumps.
#[derive(Debug, Args)]
pub(crate) struct Each {
    /// What is written beside the report of each dump. Nothing sanitised is kept unless you ask for it
    #[arg(long, value_name = "WHAT", value_enum, default_value = "report")]
    pub(crate) emit: EmitName,

    /// Classes in each report and row; 0 for all
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: usize,
}

/// Summarise one dump: one line of JSON on standard output, files under names that are digests.
///
/// This is what 'heapscrub batch' does with each dump, for those who spread the work themselves. The files get their names
/// when everything was checked, and a second run with the same key writes the same. The line is printed for a dump that
/// fails too; the exit code says then whether another try is worth it (5) or not (3, 4).
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Item {
    /// A dump: plain, .gz or .zst
    #[arg(required_unless_present = "worker", value_name = "INPUT")]
    pub(crate) input: Option<PathBuf>,

    /// The directory of results; they go into items/ below it
    #[arg(short, long = "out-dir", value_name = "DIR", required_unless_present = "worker")]
    pub(crate) out_dir: Option<PathBuf>,

    /// Take job and key from standard input
    #[arg(long, hide = true, conflicts_with_all = ["input", "out_dir", "key_file"])]
    pub(crate) worker: bool,

    #[command(flatten)]
    pub(crate) each: Each,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(args: &Item) -> Result<()> {
    if args.worker {
        return worker(args);
    }
    let config = Config::read(args.common.config.as_deref())?;
    let mut settings = settings::settings(&args.common, &config)?;
    let (Some(input), Some(out)) = (&args.input, &args.out_dir) else {
        anyhow::bail!("an input and --out-dir are needed")
    };
    let key = settings.key.as_ref().context("--key-file is needed: names and placeholders are made with it")?;
    let job = Job::of_file(input, out, key).with_context(|| shown(input))?;
    let job = Job { emit: args.each.emit.emit(), limit: args.each.limit, threads: args.common.jobs, ..job };
    let own = batch::item::job(key);
    let done = batch::item::run(&job, &mut settings);
    super::progress::clear();
    output(&done.as_ref().map_or_else(|error| failed(&own, &job, *error), Row::clone).line())?;
    done.map(drop).with_context(|| shown(input))
}

fn failed(own: &batch::Hex, job: &Job, error: Error) -> Row {
    batch::item::failed(own, job, error, SafeText::of_error(error))
}

/// One item of a batch. Job and key come over standard input; when that ends, so does the worker.
fn worker(args: &Item) -> Result<()> {
    let mut stdin = std::io::stdin().lock();
    let mut line = Vec::new();
    stdin.by_ref().take(1 << 20).read_until(b'\n', &mut line)?;
    let job: Job = serde_json::from_slice(&line).ok().context("no job on standard input")?;
    let key = Key::receive(&mut stdin)?;
    drop(stdin);
    std::thread::spawn(|| {
        // Nothing more is written to it while the batch lives.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        if !super::PUBLISHED.load(std::sync::atomic::Ordering::SeqCst) {
            heapscrub::abandon();
            std::process::exit(super::INTERRUPTED);
        }
    });
    bound(job.memory)?;
    let own = batch::item::job(&key);
    let config = Config::read(args.common.config.as_deref())?;
    let settings = settings::settings(&args.common, &config)?;
    let mut settings = Settings { key: Some(key), jobs: job.threads, ..settings };
    let done = batch::item::run(&job, &mut settings);
    super::PUBLISHED.store(true, std::sync::atomic::Ordering::SeqCst);
    let row = done.unwrap_or_else(|error| failed(&own, &job, error));
    output(&json!({ "row": row, "peak_bytes": peak() }).to_string())?;
    Ok(())
}

/// No more memory than this. What counts are pages that are written to and belong to nobody else, where the system can tell
/// them; mapped inputs do not.
fn bound(bytes: u64) -> Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    let resource = if cfg!(target_os = "linux") { Resource::Data } else { Resource::As };
    if bytes == 0 {
        return Ok(());
    }
    setrlimit(resource, limit).context("the memory of the worker cannot be bounded")
}

/// The most memory that this process had of its own, in bytes; 0 where nobody tells.
fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    };
    // Pages of mapped files are not its own.
    let (peak, file) = (field("VmHWM:").unwrap_or(0), field("RssFile:").unwrap_or(0));
    peak.saturating_sub(file) * 1024
}
