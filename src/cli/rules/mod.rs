//! `heapscrub rules`: which rules are in force, what each one does, and whether those of a file are sound.

mod check;
mod explain;
mod list;

use std::path::PathBuf;

use anyhow::Result;
use heapscrub::Rules as Set;

use super::print::{say, shown};
use super::settings;

/// Show, explain, test and lint rules.
///
/// Rules say what must not stay: tokens, passwords, personal data, prompts. Most know it by its form, some by the key
/// that holds it. Keep rules say what may. All of them are part of the program; --rules adds your own, here and in
/// other commands.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Rules {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(List),
    Explain(Explain),
    Test(Test),
    Lint(Lint),
}

/// List the rules in force.
#[derive(Debug, clap::Args)]
struct List {
    /// Add a file of rules (TOML; may be repeated)
    #[arg(long, value_name = "FILE")]
    rules: Vec<PathBuf>,

    /// Print everything about all rules as JSON
    #[arg(long)]
    json: bool,

    /// Print the packs that are part of the program as a table of Markdown, as in README.md
    #[arg(long, conflicts_with_all = ["rules", "json"])]
    packs: bool,
}

/// Explain one rule: what it finds, how, and how to allow something.
#[derive(Debug, clap::Args)]
struct Explain {
    /// The id of a rule or keep rule, as in 'rules list' and in placeholders: [email#12] was found by 'email'
    #[arg(value_name = "ID")]
    id: String,

    /// Add a file of rules (TOML; may be repeated)
    #[arg(long, value_name = "FILE")]
    rules: Vec<PathBuf>,
}

/// Try the rules of files on their own examples and counterexamples.
///
/// Every example must be found and no counterexample may be. All failures are shown, and the exit code is 2 if there is
/// any. The files are compiled together with the embedded rules, as in a real run.
#[derive(Debug, clap::Args)]
struct Test {
    /// Files of rules (TOML)
    #[arg(value_name = "FILE", required_unless_present = "jsonl")]
    files: Vec<PathBuf>,

    /// Run all rules over texts instead: lines of JSON, {"text": ..., "key": ..., "owner": ...}, the last two if wanted;
    /// '-' reads standard input. For each line, one of JSON is printed: ids of rules, how sure they are, and places in
    /// bytes, never the text
    #[arg(long, value_name = "FILE")]
    jsonl: Option<PathBuf>,
}

/// Look for what is wrong or unwise in rules.
///
/// Errors: what does not compile or is not known, ids that are taken or not written like-this, patterns that find the
/// empty text or every ordinary word, examples that do not hold. Warnings: fewer than two examples or counterexamples,
/// rules that run on every text, keywords that occur in no example, descriptions that begin without a capital. The exit
/// code is 2 if there is an error.
#[derive(Debug, clap::Args)]
struct Lint {
    /// Files of rules (TOML); without any, the embedded rules
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &Rules) -> Result<()> {
    match &args.command {
        Command::List(List { packs: true, .. }) => list::packs(),
        Command::List(args) => list::run(&load(&args.rules, args.json)?, args.json),
        Command::Explain(args) => explain::run(&load(&args.rules, false)?, &args.id),
        Command::Test(Test { files, jsonl: Some(texts) }) => check::texts(&load(files, false)?, texts),
        Command::Test(args) => check::test(&read(&args.files)?),
        Command::Lint(args) => check::lint(&read(&args.files)?),
    }
}

/// The embedded rules and those of files. What the files turn off, change or leave out is told, on standard error.
pub(crate) fn load(files: &[PathBuf], is_quiet: bool) -> Result<Set> {
    let rules = Set::with(&read(files)?)?;
    if !is_quiet {
        rules.notes().iter().chain(rules.changes()).for_each(|line| say(line));
    }
    Ok(rules)
}

/// Files of rules as name and text.
pub(crate) fn read(files: &[PathBuf]) -> Result<Vec<(String, String)>> {
    let mut own = Vec::new();
    for file in files {
        own.push((shown(file), settings::read(file)?));
    }
    Ok(own)
}

/// `2 examples`, `1 example`, `no examples`
fn number(count: usize, thing: &str) -> String {
    match count {
        0 => format!("no {thing}s"),
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}
