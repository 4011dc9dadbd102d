//! `heapscrub merge`: results of parts of a job fold into one index.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use heapscrub::Settings;
use heapscrub::batch::{Rows, index, merge};
use heapscrub::report::budget::Budget;
use serde_json::json;

use super::args::Labelling;
use super::print::{output, say, shown};
use super::settings::{self, Config};

/// The most that one index has; it is read into memory.
const INDEX_BYTES: u64 = 16 << 30;

const EXAMPLES: &str = "Examples:
  heapscrub merge out-0 out-1 out-2 -o all
  cat rows/*.jsonl | heapscrub merge - -o all";

/// Fold results of parts of a job, or of single dumps, into one index.
///
/// Takes directories of 'heapscrub batch', files of lines that 'heapscrub item' printed, and such lines on standard input
/// ('-'). The order does not matter, and what is there twice counts once. The result is the same, byte for byte, as that of
/// one run over everything with the same key.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Merge {
    /// Directories with an index.jsonl, or files of such lines; '-' reads standard input
    #[arg(required = true, value_name = "RESULTS")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The directory of the new index
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    /// Hold each service against the limits in this file; end with status 1 if one is broken
    #[arg(long, value_name = "FILE")]
    pub(crate) budget: Option<PathBuf>,

    /// Print the services as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) labelling: Labelling,
}

pub(crate) fn run(args: &Merge) -> Result<()> {
    let common = args.labelling.common(args.json, args.quiet);
    let config = Config::read(common.config.as_deref())?;
    let settings = settings::settings(&common, &config)?;
    let budget = args.budget.as_deref().map(super::batch::budget).transpose()?;
    let mut rows = Rows::new();
    for input in &args.inputs {
        let name = shown(input);
        let bytes = read(input).with_context(|| name.clone())?;
        let more = merge::read(&bytes, &settings).with_context(|| format!("{name} (the place is a line)"))?;
        rows = merge::fold(rows, more);
    }
    merge::one_job(&rows)?;
    std::fs::create_dir_all(&args.output).with_context(|| shown(&args.output))?;
    let services = write(&rows, &args.output, budget.as_ref(), &settings)?;
    if args.json {
        output(&json!({ "rows": rows.len(), "services": services.services }).to_string())?;
    } else if !args.quiet {
        say(&format!("{}: {} rows of {} services", shown(&args.output), rows.len(), services.services.len()));
    }
    super::batch::held(&services)
}

/// Writes what a job leaves.
pub(crate) fn write(rows: &Rows, out: &Path, budget: Option<&Budget>, settings: &Settings) -> Result<index::Index> {
    let made = index::of(rows, budget, settings);
    made.publish(out, settings).with_context(|| shown(out))?;
    Ok(made)
}

fn read(input: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if settings::is_stream(input) {
        std::io::stdin().lock().take(INDEX_BYTES).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let path = if input.is_dir() { input.join("index.jsonl") } else { input.to_owned() };
    std::fs::File::open(path)?.take(INDEX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
