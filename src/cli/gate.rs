//! `heapscrub gate`: may this bundle leave?

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use heapscrub::gate::{self, Policy, Verdict};
use heapscrub::sign::PublicKey;
use heapscrub::{Date, Received, Settings, hex};

use super::print::{complain, output, say, shown};
use super::settings;

const EXAMPLES: &str = "Examples:
  heapscrub init --policy -o policy.toml
  heapscrub gate heapscrub-1a2b3c4d.zip --policy policy.toml
  heapscrub gate heapscrub-1a2b3c4d.zip --policy policy.toml --format junit > gate.xml";

/// Say whether a bundle may leave, by a policy.
///
/// The bundle is checked as 'heapscrub verify' does, and held against everything that the policy asks for: profile, rules,
/// what was found, sizes, age, recipient, purpose, last day, and who signed, approved and reviewed it. All reasons for a
/// refusal are told at once, each with what to do next. Signatures lie beside the bundle.
///
/// Ends with 0 if it may leave, 1 if not, 6 if it or a signature is not as it was made.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Gate {
    /// A bundle: a .zip, a .tar.zst, a directory, or one of its parts if the others lie beside it
    #[arg(required = true, value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,

    /// What the bundle must be, and who must stand by it (TOML; 'heapscrub init --policy' writes one)
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) policy: PathBuf,

    /// The form of the result [default: text; --json is the same as --format json]
    #[arg(long, value_name = "F", value_enum)]
    pub(crate) format: Option<Form>,

    /// Add a file of rules (TOML) that must find nothing in it (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,

    /// Print the result as JSON on standard output
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Number of threads (default: one for each processor)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) jobs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    Text,
    Json,
    Sarif,
    Junit,
}

/// The bundle was refused, and the reasons were told. Holds the exit code.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) u8);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bundle may not leave")
    }
}

impl std::error::Error for Refused {}

pub(crate) fn run(args: &Gate) -> Result<()> {
    let settings =
        Settings { rules: settings::rules(args.rules.iter(), true)?, jobs: args.jobs, ..Settings::default() };
    let policy = policy(&args.policy, &settings)?;
    // A bundle that is not there is nothing to judge.
    std::fs::metadata(&args.bundle).with_context(|| shown(&args.bundle))?;
    let (verdict, digest) = judged(args, &policy, &settings)?;
    super::progress::clear();
    let (bundle, name) = (shown(&args.bundle), shown(&args.policy));
    let form = args.format.unwrap_or(if args.json { Form::Json } else { Form::Text });
    match form {
        Form::Json => output(&gate::to_json(&verdict, &bundle, &name, digest.as_deref()).to_string())?,
        Form::Sarif => output(&gate::sarif(&verdict, &bundle).to_string())?,
        Form::Junit => output(gate::junit(&verdict).trim_end())?,
        Form::Text if args.quiet && verdict.passes() => {}
        Form::Text => text(&verdict, &bundle, &name, digest.as_deref()),
    }
    if verdict.passes() { Ok(()) } else { Err(Refused(if verdict.is_tampered { 6 } else { 1 }).into()) }
}

fn judged(args: &Gate, policy: &Policy, settings: &Settings) -> Result<(Verdict, Option<String>)> {
    let received = match Received::open(std::slice::from_ref(&args.bundle)) {
        Ok(received) => received,
        // Whether a disk works is not for a policy to judge.
        Err(error) if error.exit_code() == 5 => return Err(error).with_context(|| shown(&args.bundle)),
        Err(error) => return Ok((gate::unopened(error), None)),
    };
    let errors = received.check(settings).err().unwrap_or_default();
    let signatures = received.signatures(&args.bundle, policy.keys()).with_context(|| shown(&args.bundle))?;
    let declared = received.declared(settings);
    let verdict = gate::judge(policy, &declared, &errors, &signatures, Date::today());
    Ok((verdict, Some(hex(&declared.digest))))
}

/// Reads a policy; files of keys count from where it lies.
fn policy(path: &Path, settings: &Settings) -> Result<Policy> {
    let text = settings::read(path)?;
    let base = path.parent().unwrap_or(Path::new(""));
    Policy::read(&shown(path), &text, &settings.rules, &|file| PublicKey::read(&base.join(file))).map_err(|faults| {
        let (last, others) = faults.split_last().map_or((String::new(), &faults[..]), |(l, o)| (l.to_string(), o));
        others.iter().for_each(|fault| complain(&fault.to_string()));
        anyhow::anyhow!(last)
    })
}

fn text(verdict: &Verdict, bundle: &str, policy: &str, digest: Option<&str>) {
    let count = verdict.refusals().count();
    let head = match count {
        0 => format!("{bundle}: may leave; all {} checks of {policy} passed", verdict.checks.len()),
        1 => format!("{bundle}: may not leave, by {policy}: 1 reason"),
        _ => format!("{bundle}: may not leave, by {policy}: {count} reasons"),
    };
    let mut lines = vec![head];
    for (check, refusal) in verdict.refusals() {
        lines.push(format!("  {:<12} {}", check.id, refusal.what));
        lines.push(format!("  {:<12} why   {}", "", refusal.why));
        if !refusal.next.is_empty() {
            lines.push(format!("  {:<12} next  {}", "", refusal.next));
        }
    }
    lines.extend(verdict.notes.iter().map(|note| format!("  note         {note}")));
    lines.extend(digest.map(|digest| format!("  digest       {digest} (SHA-256 of manifest.json)")));
    say(&lines.join("\n"));
}
