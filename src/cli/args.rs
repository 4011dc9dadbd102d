//! The command line: what can be said, and the help for it.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::{rules, shell};

/// Makes heap snapshots safe to share.
#[derive(Debug, Parser)]
#[command(version, about, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

macro_rules! exit_codes {
    () => {
        "Exit codes: 0 done; 1 the result failed its check; 2 usage, rules or settings; 3 the input is damaged or not understood; 4 a limit was reached; 5 input or output failed; 130 interrupted."
    };
}
const EXIT_CODES: &str = exit_codes!();

macro_rules! examples {
    () => {
        "Examples:
  heapscrub scrub app.heapsnapshot -o clean.heapsnapshot
  heapscrub scrub app.heapsnapshot -o clean.heapsnapshot.zst --names-from src
  heapscrub scrub before.heapsnapshot after.heapsnapshot -o clean/ --values-file customers.txt
  heapscrub scrub app.heapsnapshot.gz --dry-run"
    };
}
const EXAMPLES: &str = examples!();
const EXAMPLES_AND_CODES: &str = concat!(examples!(), "\n\n", exit_codes!());

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Scrub(Scrub),
    Rules(rules::Rules),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// Write a sanitised copy of a snapshot.
///
/// Every text of the snapshot is replaced by a placeholder such as [text#12], unless it is a name of the runtime
/// or of the program itself. Equal texts get equal placeholders, so duplicates stay visible. Objects, references
/// and sizes stay as they are: the copy opens in Chrome DevTools and gives the same analysis.
///
/// The copy is re-opened and checked before it gets its name. If anything is found that nobody vouches for,
/// nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES_AND_CODES)]
pub(crate) struct Scrub {
    /// Snapshots (.heapsnapshot, .heaptimeline) of Node.js, Chrome, Electron, Deno or Bun; plain, .gz or .zst; '-' reads
    /// standard input. What is found in one of them is removed from all
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Where the sanitised copy goes; a name that ends in .zst or .gz is compressed; '-' writes to standard output. For
    /// several inputs: as many files in the same order, or one directory that exists, for snapshot-1.heapsnapshot and so on
    #[arg(short, long, value_name = "FILE", required_unless_present = "dry_run")]
    pub(crate) output: Vec<PathBuf>,

    /// What may stay: strict keeps only names that somebody vouches for (for results that leave the company); balanced
    /// keeps everything but what rules, keys and chance find (for results that stay among people you trust)
    #[arg(long, value_name = "P", default_value = "strict", value_parser = ["strict", "balanced"])]
    pub(crate) profile: String,

    /// Values that must not stay, one on each line: addresses of staff, names of customers (may be repeated). They are
    /// read and never written
    #[arg(long, value_name = "FILE")]
    pub(crate) values_file: Vec<PathBuf>,

    /// A key (any 16 bytes or more, readable by you alone): equal texts get equal placeholders in every run with it, and
    /// nobody without it can find out which text a placeholder stands for by trying
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,

    /// Also keep names that stand in the source files below this directory (your own program; may be repeated)
    #[arg(long, value_name = "DIR")]
    pub(crate) names_from: Vec<PathBuf>,

    /// Add a file of rules (TOML): patterns that must not stay, texts that may (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,

    /// Replace the output file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Do everything but keep no file: shows what would stay and go, and what rules find, as counts
    #[arg(long, conflicts_with_all = ["output", "force"])]
    pub(crate) dry_run: bool,

    /// Print the ledger as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Number of threads (default: one for each processor); the result is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) jobs: usize,

    /// Level of compression: 1 to 19 for .zst, 1 to 9 for .gz
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(i32).range(1..=19))]
    pub(crate) level: i32,
}
