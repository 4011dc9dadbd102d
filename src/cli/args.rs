//! The command line: what can be said, and the help for it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::{batch, gate, guard, item, kept, merge, profiles, rules, shell, sign};

/// Makes heap snapshots safe to share.
#[derive(Debug, Parser)]
#[command(version, about, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

macro_rules! exit_codes {
    () => {
        "Exit codes: 0 done; 1 the result failed its check, or something was found; 2 usage, rules or settings; 3 the input is damaged or not understood; 4 a limit was reached; 5 input or output failed; 6 a bundle is not as it was made; 130 interrupted."
    };
}
const EXIT_CODES: &str = exit_codes!();

macro_rules! scrub_examples {
    () => {
        "Examples:
  heapscrub scrub app.heapsnapshot -o clean.heapsnapshot
  heapscrub scrub app.heapsnapshot -o clean.heapsnapshot.zst --names-from src
  heapscrub scrub before.heapsnapshot after.heapsnapshot -o clean/ --values-file customers.txt
  heapscrub scrub app.heapsnapshot.gz --dry-run"
    };
}
const SCRUB_EXAMPLES: &str = scrub_examples!();
const SCRUB_EXAMPLES_AND_CODES: &str = concat!(scrub_examples!(), "\n\n", exit_codes!());

const SHARE_EXAMPLES: &str = "Examples:
  heapscrub share app.heapsnapshot
  heapscrub share 1.heapsnapshot 2.heapsnapshot 3.heapsnapshot -o leak.zip --context runtime=\"node 20.20.2\"
  heapscrub share big.heapsnapshot --max-size 25MB --level 19
  heapscrub share app.heapsnapshot --sign release.key --recipient \"Acme support\" --purpose \"a leak\" --expires 30d
  heapscrub share app.heapsnapshot --profile unlinkable";
const RECEIVE_EXAMPLES: &str = "Examples:
  heapscrub verify heapscrub-1a2b3c4d.zip
  heapscrub unpack heapscrub-1a2b3c4d.zip
  heapscrub unpack leak.part1of3.zip -C /tmp";
const VERIFY_EXAMPLES: &str = "Examples:
  heapscrub verify heapscrub-1a2b3c4d.zip
  heapscrub verify heapscrub-1a2b3c4d.zip --values-file customers.csv --values-column email
  heapscrub verify heapscrub-1a2b3c4d.zip --values-file staff.txt --json";
const REPORT_EXAMPLES: &str = "Examples:
  heapscrub report app.heapsnapshot
  heapscrub report 1.heapsnapshot 2.heapsnapshot 3.heapsnapshot --format html -o report.html";
const SCAN_EXAMPLES: &str = "Examples:
  heapscrub scan app.heapsnapshot
  heapscrub scan *.heapsnapshot --fail-on high --format sarif > findings.sarif";

const INIT_EXAMPLES: &str = "Examples:
  heapscrub init
  heapscrub init --policy -o policy.toml";
const TREND_EXAMPLES: &str = "Examples:
  heapscrub trend memory.csv
  heapscrub trend memory.csv gc.log --limit 512MB
  heapscrub trend memory.csv --fail-on leak --format svg -o memory.svg
  while sleep 1; do date -Is; ps -o pid,rss,args -p PID; done > ps.log   (then: heapscrub trend ps.log)";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Share(Share),
    Unpack(Unpack),
    Verify(Verify),
    Kept(kept::Kept),
    Scrub(Scrub),
    Report(ReportOnly),
    Scan(Scan),
    Guard(guard::Guard),
    Trend(TrendOf),
    Batch(batch::Batch),
    Item(item::Item),
    Merge(merge::Merge),
    Keygen(sign::Keygen),
    Approve(sign::Approve),
    Gate(gate::Gate),
    Profiles(profiles::Profiles),
    Init(Init),
    Schema(Schema),
    Rules(rules::Rules),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// Flags of every command that reads snapshots.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// What may stay: strict keeps only names that somebody vouches for (for results that leave the company); balanced
    /// keeps everything but what rules, keys and chance find (for results that stay among people you trust);
    /// pseudonymised, unlinkable, hipaa-identifiers, pci; or a file of your own that ends in .toml. 'heapscrub profiles'
    /// tells what each finds, removes unseen, and leaves [default: strict]
    #[arg(long, value_name = "P")]
    pub(crate) profile: Option<String>,

    /// Settings from a file (TOML; 'heapscrub init' writes one with all of them). Flags go before it
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Values that must not stay, one on each line, or the cells of a table (.csv, .tsv): addresses of staff, names of
    /// customers (may be repeated). They are read and never written
    #[arg(long, value_name = "FILE")]
    pub(crate) values_file: Vec<PathBuf>,

    /// Of tables, only this column: its name in the first row, or its number from 1 (may be repeated)
    #[arg(long, value_name = "COLUMN")]
    pub(crate) values_column: Vec<String>,

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

    /// Also tell why the text of this node was or was not replaced, by its number in DevTools: @1234 (may be repeated).
    /// The text is not shown
    #[arg(long, value_name = "@NODE", value_parser = super::explain::node)]
    pub(crate) explain: Vec<u64>,

    /// Print what was done as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Number of threads (default: one for each processor); the result is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) jobs: usize,
}

/// Flags about what no snapshot tells.
#[derive(Debug, Args)]
pub(crate) struct Told {
    /// What the file does not hold, for the report: runtime, build, time, heap-limit, container-limit, workload, rss,
    /// external, gc; 'rss.2=540MB' is about the second snapshot (may be repeated). It is scrubbed like any text
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) context: Vec<String>,

    /// The same from a file, one on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) context_file: Vec<PathBuf>,

    /// Memory over time, as 'heapscrub trend' reads it (may be repeated): the report says then whether it goes on
    #[arg(long, value_name = "SERIES")]
    pub(crate) trend: Vec<PathBuf>,

    /// The same, recorded with the fix: the report says then whether it ended
    #[arg(long, value_name = "SERIES")]
    pub(crate) trend_after: Vec<PathBuf>,

    /// Take the snapshots in the order given, even if they were taken in another one
    #[arg(long)]
    pub(crate) keep_order: bool,

    /// Call the snapshots by their file names in the report, instead of snapshot-1 and so on
    #[arg(long)]
    pub(crate) keep_file_names: bool,

    /// Work that was done when each snapshot was taken, in any unit: requests, jobs, minutes. Growth is told for each
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    pub(crate) work: Vec<f64>,

    /// Classes in the report; 0 for all
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: usize,
}

/// Write a bundle that can be attached to an issue: sanitised snapshots, a report, a manifest.
///
/// Every snapshot is scrubbed, written, re-opened and checked, as 'heapscrub scrub' does. The report is made from what
/// was checked. The bundle is re-opened, and every member is looked at once more, before it gets its name. If anything is
/// found that nobody vouches for, nothing is written.
///
/// Several snapshots of one process, in the order in which they were taken, show what grew.
#[derive(Debug, Args)]
#[command(after_help = SHARE_EXAMPLES)]
pub(crate) struct Share {
    /// Snapshots of Node.js, Chrome, Electron, Deno or Bun; plain, .gz or .zst; '-' reads standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Where the bundle goes [default: heapscrub-DIGEST.zip in the working directory]; '-' writes to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// What holds the members [default: zip, or what the name of the output says]
    #[arg(long, value_name = "C", value_enum)]
    pub(crate) container: Option<ContainerName>,

    /// How snapshots are packed: zst is small; deflate opens by double click [default: zst]
    #[arg(long, value_name = "P", value_enum)]
    pub(crate) pack: Option<PackName>,

    /// Level of compression: 1 to 19 for zst, 1 to 9 for deflate [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=19))]
    pub(crate) level: Option<i32>,

    /// Split a bundle that is larger, such as 25MB, into parts that 'heapscrub unpack' joins
    #[arg(long, value_name = "SIZE", value_parser = super::settings::size)]
    pub(crate) max_size: Option<u64>,

    /// Leave the snapshots out: the report alone
    #[arg(long)]
    pub(crate) no_snapshot: bool,

    /// Replace the output if it exists
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) terms: sign::TermsFlags,
    #[command(flatten)]
    pub(crate) told: Told,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContainerName {
    Zip,
    Dir,
    #[value(name = "tar.zst")]
    TarZst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackName {
    Zst,
    Deflate,
}

/// Flags of every command that opens a bundle.
#[derive(Debug, Args)]
pub(crate) struct Receive {
    /// A bundle: a .zip, a .tar.zst, a directory, or one of its parts if the others lie beside it
    #[arg(required = true, value_name = "BUNDLE")]
    pub(crate) bundle: Vec<PathBuf>,

    /// Print what was done as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Number of threads (default: one for each processor)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) jobs: usize,
}

/// Check a bundle and write its members as plain files.
///
/// Everything that 'heapscrub verify' checks is checked first. The files go into a new directory named after the
/// bundle. If anything is wrong, nothing is written.
#[derive(Debug, Args)]
#[command(after_help = RECEIVE_EXAMPLES)]
pub(crate) struct Unpack {
    /// The directory in which the new one is made [default: the working directory]
    #[arg(short = 'C', long = "directory", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) receive: Receive,
}

/// Check a bundle that somebody sent.
///
/// Digests and counts must be those of the manifest, nothing may be missing, added or changed, and the rules of this
/// program must find nothing in any member. With --values-file, none of these values may stand in it either: not in any
/// case, form of accents, base64, hexadecimal, percent, JSON or HTML escapes, UTF-16, nor several of these inside each
/// other, nor put together from pieces. Values of fewer than eight characters count as words of their own. Numbers of the
/// graph (ids, sizes, indices) are not compared. Ends with 1 if one stands there.
#[derive(Debug, Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct Verify {
    /// Values that must not stand in it: one on each line, or the cells of a table (.csv, .tsv). They are looked for in
    /// every member and every encoding; lines and counts are told, never a value (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub(crate) values_file: Vec<PathBuf>,

    /// Of tables, only this column: its name in the first row, or its number from 1 (may be repeated)
    #[arg(long, value_name = "COLUMN", requires = "values_file")]
    pub(crate) values_column: Vec<String>,

    /// Add a file of rules (TOML) that must find nothing in it (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) receive: Receive,
}

/// Write a sanitised copy of a snapshot.
///
/// Every text of the snapshot is replaced by a placeholder such as [text#12], unless it is a name of the runtime
/// or of the program itself. Equal texts get equal placeholders, so duplicates stay visible. Objects, references
/// and sizes stay as they are: the copy opens in Chrome DevTools and gives the same analysis.
///
/// The copy is re-opened and checked before it gets its name. If anything is found that nobody vouches for,
/// nothing is written.
#[derive(Debug, Args)]
#[command(after_help = SCRUB_EXAMPLES, after_long_help = SCRUB_EXAMPLES_AND_CODES)]
pub(crate) struct Scrub {
    /// Snapshots (.heapsnapshot, .heaptimeline) of Node.js, Chrome, Electron, Deno or Bun, and logs (text, JSON); plain,
    /// .gz or .zst; '-' reads standard input. What is found in one of them is removed from all
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Where the sanitised copy goes; a name that ends in .zst or .gz is compressed; '-' writes to standard output. For
    /// several inputs: as many files in the same order, or one directory that exists, for snapshot-1.heapsnapshot and so on
    #[arg(short, long, value_name = "FILE", required_unless_present = "dry_run")]
    pub(crate) output: Vec<PathBuf>,

    /// Replace the output file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Do everything but keep no file: shows what would stay and go, and what rules find, as counts
    #[arg(long, conflicts_with_all = ["output", "force"])]
    pub(crate) dry_run: bool,

    /// Level of compression: 1 to 19 for .zst, 1 to 9 for .gz [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=19))]
    pub(crate) level: Option<i32>,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// Write only the report, and no snapshot.
///
/// The snapshots go through the same writer and the same checks as for 'heapscrub share', and nothing of them is kept.
#[derive(Debug, Args)]
#[command(name = "report", after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportOnly {
    /// Snapshots, in the order in which they were taken; '-' reads standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The form of the report [default: md; --json is the same as --format json]
    #[arg(long, value_name = "F", value_enum)]
    pub(crate) format: Option<ReportFormat>,

    /// Where it goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the output file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Hold the report against the limits in this file; end with status 1 if one is broken (docs in README)
    #[arg(long, value_name = "FILE")]
    pub(crate) budget: Option<PathBuf>,

    /// Write what came of the limits as JUnit, for build servers
    #[arg(long, value_name = "FILE", requires = "budget")]
    pub(crate) junit: Option<PathBuf>,

    /// Write distance, dominator, own and retained size of every node into this directory, as columns of little-endian
    /// numbers, for comparisons with other tools
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) node_table: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) told: Told,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Json,
    Md,
    Html,
}

/// Tell what rules find in snapshots, and what each profile would do, as counts.
///
/// Nothing is written, and no text is shown: findings by rule, role and number.
#[derive(Debug, Args)]
#[command(after_help = SCAN_EXAMPLES)]
pub(crate) struct Scan {
    /// Snapshots; '-' reads standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// End with exit code 1 if anything of this severity or above is found: low, medium, high, critical
    #[arg(long, value_name = "LEVEL", value_parser = super::scan::level)]
    pub(crate) fail_on: Option<heapscrub::Severity>,

    /// The form of the result [default: text; --json is the same as --format json]
    #[arg(long, value_name = "F", value_enum)]
    pub(crate) format: Option<ScanFormat>,

    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanFormat {
    Text,
    Json,
    Sarif,
}

/// Say whether memory over time is a leak.
///
/// The verdict is leak, bounded (it rose and levelled off), plateau, noise or insufficient, with the reasons, and with
/// what evidence is missing and how to get it. Several files are taken to be about one process. Reads CSV, JSON lines of
/// process.memoryUsage(), ps, top, psutil, /proc/PID/status, smaps_rollup, pmap -x, node --trace-gc, java -Xlog:gc,
/// answers of Prometheus to range queries, and memory_profiler.
///
/// A collected heap is never called a leak without evidence of full collections.
#[derive(Debug, Args)]
#[command(name = "trend", after_help = TREND_EXAMPLES)]
pub(crate) struct TrendOf {
    /// Files of memory over time; plain, .gz or .zst; '-' reads standard input
    #[arg(required = true, value_name = "SERIES")]
    pub(crate) inputs: Vec<PathBuf>,

    /// The form of the result [default: text; --json is the same as --format json]
    #[arg(long, value_name = "F", value_enum)]
    pub(crate) format: Option<TrendFormat>,

    /// Where it goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the output file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// End with exit code 1 on this verdict: leak; growth (leak or bounded); unsure (anything but plateau and bounded)
    #[arg(long, value_name = "V", value_enum)]
    pub(crate) fail_on: Option<FailOn>,

    /// End with exit code 1 if the floor grows by more than this in the judged time, such as 20MB
    #[arg(long, value_name = "SIZE", value_parser = super::settings::size)]
    pub(crate) max_growth: Option<u64>,

    /// The column of times, by its name or its number from 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) time: Option<String>,

    /// A column of memory; the others do not count then (may be repeated)
    #[arg(long, value_name = "COLUMN")]
    pub(crate) bytes: Vec<String>,

    /// The column of load: requests, sessions, jobs; as a counter or a gauge
    #[arg(long, value_name = "COLUMN")]
    pub(crate) load: Option<String>,

    /// What numbers of memory count where the file does not say: B, kB, MB, GB, pages
    #[arg(long, value_name = "U", value_parser = super::trend::unit)]
    pub(crate) unit: Option<heapscrub::Unit>,

    /// Every value was taken right after a full collection
    #[arg(long)]
    pub(crate) after_gc: bool,

    /// What runs the program: v8, jvm, go, dotnet, ruby, python, native
    #[arg(long, value_name = "R", value_parser = super::trend::runtime)]
    pub(crate) runtime: Option<heapscrub::Runtime>,

    /// The most that the heap may take, such as 512MB
    #[arg(long, value_name = "SIZE", value_parser = super::settings::size)]
    pub(crate) limit: Option<u64>,

    /// Show command lines and labels of the file; rules and --values-file cut what they find out of them
    #[arg(long)]
    pub(crate) keep_labels: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) common: Labelling,
}

/// What labels are cut with.
#[derive(Debug, Args)]
pub(crate) struct Labelling {
    /// Settings from a file (TOML). Flags go before it
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Values that must not stay in labels, one on each line (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub(crate) values_file: Vec<PathBuf>,

    /// Add a file of rules (TOML) for labels (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,
}

impl Labelling {
    /// As flags of a command that reads snapshots.
    pub(crate) fn common(&self, json: bool, quiet: bool) -> Common {
        Common {
            profile: None,
            config: self.config.clone(),
            values_file: self.values_file.clone(),
            values_column: Vec::new(),
            key_file: None,
            names_from: Vec::new(),
            rules: self.rules.clone(),
            explain: Vec::new(),
            json,
            quiet,
            jobs: 0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrendFormat {
    Text,
    Json,
    Svg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Leak,
    Growth,
    Unsure,
}

/// Write a file with all settings, commented out, as a start for your own; or a policy for 'heapscrub gate'.
#[derive(Debug, Args)]
#[command(after_help = INIT_EXAMPLES)]
pub(crate) struct Init {
    /// Where it goes; '-' writes to standard output [default: heapscrub.toml, or policy.toml with --policy]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write a policy: what a bundle must be before it may leave, and who must stand by it
    #[arg(long)]
    pub(crate) policy: bool,
}

/// Print the JSON Schema of reports.
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// What to describe
    #[arg(value_enum, default_value = "report")]
    pub(crate) what: SchemaOf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    Report,
    Trend,
    Batch,
}
