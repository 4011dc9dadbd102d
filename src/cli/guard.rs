//! `heapscrub guard`: are there raw dumps among these files?

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use heapscrub::{Seen, Settings};
use serde_json::json;

use super::print::{complain, output, say, shown, thousands};
use super::scan::Found;

const EXAMPLES: &str = "Examples:
  heapscrub guard .
  git diff --cached --name-only --diff-filter=d -z | xargs -0 heapscrub guard";

/// Look for raw dumps among files, for hooks and builds: ends with 1 if there is one.
///
/// Dumps are known by content, whatever they are called, also inside gzip, zstd, zip and tar: heap snapshots of V8 and
/// JavaScriptCore, HPROF, JFR, PHD, tracemalloc, memray, pyheap, Ruby, Go, Dart, Erlang, core dumps and minidumps. Results of
/// heapscrub pass, plain and in bundles, as long as its rules find nothing in them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Guard {
    /// Files, or directories with all that is below them (what git keeps for itself is left out)
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print the result as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing but what was found
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Number of threads (default: one for each processor)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) jobs: usize,
}

pub(crate) fn run(args: &Guard) -> Result<()> {
    let settings = Settings { jobs: args.jobs, ..Settings::default() };
    let (mut raw, mut closed, mut files) = (Vec::new(), Vec::new(), 0_u64);
    for path in &args.paths {
        std::fs::symlink_metadata(path).with_context(|| shown(path))?;
        let is_ours = |entry: &walkdir::DirEntry| entry.depth() == 0 || entry.file_name() != ".git";
        for entry in walkdir::WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(is_ours) {
            let entry = entry.map_err(|e| anyhow::Error::from(std::io::Error::from(e)).context(shown(path)))?;
            if !entry.file_type().is_file() {
                continue;
            }
            files += 1;
            let seen = Seen::in_file(entry.path(), &settings).with_context(|| shown(entry.path()))?;
            match (seen.dump, seen.closed) {
                (Some(dump), _) => raw.push((entry.into_path(), dump, seen.is_packed)),
                (None, Some(what)) => closed.push((entry.into_path(), what)),
                (None, None) => {}
            }
        }
    }
    if args.json {
        let name = |path: &Path| path.to_string_lossy().into_owned();
        let raw = raw
            .iter()
            .map(|(path, dump, is_packed)| json!({ "path": name(path), "dump": dump.id(), "packed": is_packed }));
        let closed = closed.iter().map(|(path, what)| json!({ "path": name(path), "what": what }));
        let (raw, closed): (Vec<_>, Vec<_>) = (raw.collect(), closed.collect());
        output(&json!({ "schema": "heapscrub.guard/1", "files": files, "raw": raw, "closed": closed }).to_string())?;
    } else if !args.quiet {
        for (path, what) in &closed {
            say(&format!("note: {}: {what} is not looked into", shown(path)));
        }
    }
    if raw.is_empty() {
        if !args.json && !args.quiet {
            say(&format!("{} files: no raw dump among them", thousands(files)));
        }
        return Ok(());
    }
    for (path, dump, is_packed) in &raw {
        let packed = if *is_packed { ", packed" } else { "" };
        complain(&format!("{}: {}{packed}, not sanitised", shown(path), dump.describe()));
    }
    say(
        "  next     make something of it that can be shared ('heapscrub share FILE'), and take the raw file out: git rm --cached FILE",
    );
    Err(Found(format!("{} of {} files hold raw memory of a process", raw.len(), thousands(files))).into())
}
