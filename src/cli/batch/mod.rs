//! `heapscrub batch`: many dumps on one machine.

mod shards;
mod watch;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::Args;
use heapscrub::batch::discover::{Wanted, discover};
use heapscrub::batch::glob_of;
use heapscrub::batch::labels::LabelRules;
use heapscrub::batch::plan::{self, Item};
use heapscrub::batch::schedule::{self, Came, Run};
use heapscrub::batch::{Rows, Shard, index, journal, settings_digest};
use heapscrub::report::budget::Budget;
use heapscrub::{Date, Key, Settings};

use super::args::Common;
use super::item::Each;
use super::print::shown;
use super::settings::{self, Config};

/// Some items could not be summarised; the exit code says whether another run may.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) code: u8,
    text: String,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failed {}

const EXAMPLES: &str = "Examples:
  heapscrub batch /archive/dumps -o out --plan
  heapscrub batch /archive/dumps -o out --series '(?<service>[^/]+)/(?<time>[0-9-]+)\\.heapsnapshot'
  find /archive -name '*.heapsnapshot*' | heapscrub batch - -o out --max-memory 8GiB
  heapscrub batch /archive/dumps -o out-3 --shard 3/8 --key-file job.key

Exit codes: 0 every dump was summarised; 1 all were, and limits of the budget are broken; 3 some failed for good; 5 some failed for reasons that may pass, or the run ended early: run it again; 2 usage, rules or settings; 130 interrupted.";

/// Summarise an archive of dumps: a report for each, and one page that ranks services by growth.
///
/// Dumps are found by their content: in directories, behind patterns, in lists on standard input, in tar and zip archives,
/// packed or not. Each is summarised by a process of its own (--jobs says how many run beside each other), within bounds of
/// memory and time. What is done is written down
/// at once: after a crash the same command goes on where it was.
///
/// Nothing of the dumps is written but reports, and an index of them: index.jsonl, index.csv, series.json, overview.html.
/// Names of files are in none of these unless you ask for it; .state/journal.jsonl, which only you can read, has them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Batch {
    /// Files, directories and patterns; '-' reads names from standard input, one on each line
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// The directory of results
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    /// Say what would be done and what it takes; do nothing
    #[arg(long)]
    pub(crate) plan: bool,

    /// Only what looks like this (may be repeated): * within a name, ** over directories
    #[arg(long, value_name = "PATTERN")]
    pub(crate) include: Vec<String>,

    /// Nothing that looks like this (may be repeated)
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,

    /// Only files that were changed since then: 2026-11-01, or 7d, 12h
    #[arg(long, value_name = "WHEN", value_parser = since)]
    pub(crate) since: Option<i64>,

    /// What a path says of a dump, as a regular expression with the groups (?<service>...) and (?<time>...)
    #[arg(long, value_name = "REGEX")]
    pub(crate) series: Option<String>,

    /// The same from a file: CSV with the columns path, service, time
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,

    /// Hold each service against the limits in this file, from its first dump to its last; end with status 1 if one is broken
    #[arg(long, value_name = "FILE")]
    pub(crate) budget: Option<PathBuf>,

    /// Write the names of the dumps into the index. They may name customers
    #[arg(long)]
    pub(crate) keep_file_names: bool,

    /// Memory for all workers together, such as 8GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = super::settings::size)]
    pub(crate) max_memory: Option<u64>,

    /// Time that one dump may take, such as 90s, 20m or 3h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = span)]
    pub(crate) max_time: Duration,

    /// Do not believe that a dump is unchanged because place, size and time are: read it again
    #[arg(long)]
    pub(crate) rehash: bool,

    /// Do one of several parts, such as 0/8 (needs --key-file, the same for all). In indexed jobs of Kubernetes and arrays of
    /// AWS Batch the part is known; Kubernetes does not tell how many there are, so there it is --shard auto/8
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,

    #[command(flatten)]
    pub(crate) each: Each,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(args: &Batch) -> Result<()> {
    let config = Config::read(args.common.config.as_deref())?;
    let mut settings = settings::settings(&args.common, &config)?;
    let budget = args.budget.as_deref().map(budget).transpose()?;
    let rules = label_rules(args)?;
    let has_key = settings.key.is_some();
    let shard = shards::of(args.shard.as_deref(), &|name| std::env::var(name).ok())?;
    anyhow::ensure!(shard.is_none() || has_key, "a part of a job needs --key-file: all parts must have the same key");
    let state = journal::state_directory(&args.output).with_context(|| shown(&args.output))?;
    if settings.key.is_none() {
        let path = state.join("key");
        settings.key = Some(Key::read_or_make(&path).with_context(|| shown(&path))?);
    }
    let key = settings.key.as_ref().context("a key")?;
    let wanted = wanted(args)?;
    watch::looking(args.common.quiet);
    let found = discover(&wanted);
    let all = index::items(found, key);
    let items: Vec<Item> = all.into_iter().filter(|item| shard.is_none_or(|s: Shard| s.has(item))).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = if args.common.jobs == 0 { cores } else { args.common.jobs };
    let memory = args.max_memory.unwrap_or_else(free_memory);
    let run = Run {
        program: std::env::current_exe().context("the program does not know where it lies")?,
        args: worker_args(args),
        key,
        settings: &settings,
        digest: settings_digest(key, &said(args)?),
        out: std::path::absolute(&args.output)?,
        emit: args.each.emit.emit(),
        limit: args.each.limit,
        jobs,
        threads: (cores / jobs).max(1),
        memory,
        time: args.max_time,
        rehash: args.rehash,
    };
    let (journal, entries) =
        schedule::journal(&run, &state).with_context(|| format!("{} (another run may be going on)", shown(&state)))?;
    let measured = index::measured(entries.values());
    let plan = plan::plan(&items, memory, jobs, measured);
    if args.plan {
        return watch::plan(&plan, memory, jobs, args.common.json);
    }
    let mut watch = watch::Watch::new(&items, args.common.quiet, args.keep_file_names);
    watch.damaged(index::damaged(&journal));
    let came = schedule::run(&run, &items, journal, entries, &mut |event| watch.see(event));
    super::progress::clear();
    finish(args, &items, came, (&rules, budget.as_ref()), &settings, &mut watch)
}

fn finish(
    args: &Batch,
    items: &[Item],
    mut came: Came,
    (rules, budget): (&LabelRules, Option<&Budget>),
    settings: &Settings,
    watch: &mut watch::Watch<'_>,
) -> Result<()> {
    index::label(&mut came.rows, items, rules, args.keep_file_names, settings);
    if let Some(error) = came.stopped {
        return Err(
            anyhow::Error::new(error).context("the run ended early; what is done is kept, run the same command again")
        );
    }
    index::list_failed(&came.rows, items, &args.output.join(journal::STATE)).with_context(|| shown(&args.output))?;
    let made = super::merge::write(&came.rows, &args.output, budget, settings)?;
    watch.end(&came, &made, &args.output, args.common.json)?;
    verdict(&came.rows)?;
    held(&made)
}

/// The exit code: whether another run may help comes first.
fn verdict(rows: &Rows) -> Result<()> {
    let classes: Vec<_> =
        rows.values().filter(|row| row.state == heapscrub::batch::State::Failed).filter_map(|row| row.class).collect();
    let again = classes.iter().filter(|class| class.is_worth_a_retry()).count();
    let failed = |code, text| Err(Failed { code, text }.into());
    if again > 0 {
        return failed(
            super::IO,
            format!("{again} of {} dumps failed for reasons that may pass; run the same command again", rows.len()),
        );
    }
    if !classes.is_empty() {
        return failed(3, format!("{} of {} dumps failed for good", classes.len(), rows.len()));
    }
    Ok(())
}

/// Limits for services.
pub(crate) fn budget(path: &Path) -> Result<Budget> {
    Ok(Budget::read(&shown(path), &settings::read(path)?)?)
}

/// Limits of the budget that are broken are worth an exit code of their own.
pub(crate) fn held(made: &index::Index) -> Result<()> {
    let broken = made.services.iter().filter(|one| !one.broken.is_empty()).count();
    if broken == 0 {
        return Ok(());
    }
    let text = format!("{broken} of {} services break limits of the budget", made.services.len());
    Err(Failed { code: super::FOUND, text }.into())
}

fn label_rules(args: &Batch) -> Result<LabelRules> {
    let mut rules = LabelRules::default();
    if let Some(pattern) = &args.series {
        rules.pattern(pattern)?;
    }
    if let Some(file) = &args.labels {
        rules.file(file)?;
    }
    Ok(rules)
}

fn wanted(args: &Batch) -> Result<Wanted> {
    let globs = |patterns: &[String]| patterns.iter().map(|p| Ok(glob_of(p)?)).collect::<Result<Vec<_>>>();
    let mut roots = Vec::new();
    for path in &args.paths {
        if !settings::is_stream(path) {
            roots.push(path.clone());
            continue;
        }
        for line in std::io::stdin().lock().split(b'\n') {
            use std::os::unix::ffi::OsStringExt;
            let line = line.context("standard input")?;
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            if !line.is_empty() {
                roots.push(PathBuf::from(OsString::from_vec(line.to_vec())));
            }
        }
    }
    let out = std::fs::canonicalize(&args.output).with_context(|| shown(&args.output))?;
    Ok(Wanted {
        roots,
        include: globs(&args.include)?,
        exclude: globs(&args.exclude)?,
        since: args.since,
        not_in: vec![out],
    })
}

/// Flags that workers need too. The key is none of them.
fn worker_args(args: &Batch) -> Vec<OsString> {
    let Common { profile, config, values_file, names_from, rules, .. } = &args.common;
    let mut out: Vec<OsString> = vec!["--quiet".into()];
    let mut push = |flag: &str, value: &Path| out.extend([flag.into(), value.as_os_str().to_owned()]);
    let lists = [("--values-file", values_file), ("--names-from", names_from), ("--rules", rules)];
    for (flag, files) in lists {
        files.iter().for_each(|file| push(flag, file));
    }
    config.iter().for_each(|file| push("--config", file));
    if let Some(profile) = profile {
        out.extend(["--profile".into(), profile.into()]);
    }
    out
}

/// Everything that results depend on: what is done again when it changes.
fn said(args: &Batch) -> Result<Vec<Vec<u8>>> {
    let Common { profile, config, values_file, names_from, rules, .. } = &args.common;
    let mut said = vec![
        env!("CARGO_PKG_VERSION").into(),
        profile.as_deref().unwrap_or_default().into(),
        args.each.emit.word().into(),
        args.each.limit.to_string().into_bytes(),
    ];
    let own = profile.iter().filter(|name| super::profiles::is_file(name)).map(PathBuf::from).collect::<Vec<_>>();
    let files = [config.as_slice_of(), &own, values_file.as_slice(), rules.as_slice()];
    for list in files {
        said.push(list.len().to_string().into_bytes());
        for file in list {
            said.push(std::fs::read(file).with_context(|| shown(file))?);
        }
    }
    said.extend(names_from.iter().map(|dir| dir.as_os_str().as_encoded_bytes().to_vec()));
    Ok(said)
}

/// An optional file as a list.
trait AsSlice {
    fn as_slice_of(&self) -> &[PathBuf];
}

impl AsSlice for Option<PathBuf> {
    fn as_slice_of(&self) -> &[PathBuf] {
        self.as_ref().map_or(&[], std::slice::from_ref)
    }
}

/// `2026-11-01`, `7d` or `12h`, in seconds since 1970.
fn since(text: &str) -> Result<i64, String> {
    if let Some(date) = Date::read(text) {
        return Ok(date.since(Date::at(Duration::ZERO)) * 86_400);
    }
    let back = span(text).ok().map(|span| i64::try_from(span.as_secs()).unwrap_or(i64::MAX));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let back = back.ok_or_else(|| "a day such as 2026-11-01, or a time from now back such as 7d or 12h".to_owned())?;
    Ok(i64::try_from(now).unwrap_or(i64::MAX) - back)
}

/// `90s`, `20m`, `3h` or `7d`.
fn span(text: &str) -> Result<Duration, String> {
    let wrong = || "a time such as 90s, 20m, 3h or 7d".to_owned();
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let number = text[..text.len() - 1].parse::<u32>().ok().filter(|n| *n > 0).ok_or_else(wrong)?;
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

/// Three quarters of the memory that is free, and that this process may have.
fn free_memory() -> u64 {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = available.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    // Where the system does not tell, what every machine has.
    let free = kilobytes.map_or(2 << 30, |kilobytes| kilobytes * 1024);
    let group =
        std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse::<u64>().ok());
    free.min(group.unwrap_or(u64::MAX)) / 4 * 3
}

/// Items by class, for the summary.
pub(super) type ByClass = BTreeMap<&'static str, u64>;
