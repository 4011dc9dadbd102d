//! `heapscrub keygen`, `heapscrub approve`, and what `heapscrub share` signs: who stands by a bundle.

use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use heapscrub::sign::{Act, PrivateKey, Signed, store};
use heapscrub::{Bundle, Date, Digest, Received, Settings, Terms, check_terms, hex};
use serde_json::json;

use super::print::{output, say, shown};
use super::settings;

const KEYGEN_EXAMPLES: &str = "Examples:
  heapscrub keygen -o ~/.config/heapscrub/release.key
  heapscrub share app.heapsnapshot --sign ~/.config/heapscrub/release.key";
const APPROVE_EXAMPLES: &str = "Examples:
  heapscrub approve heapscrub-1a2b3c4d.zip --ssh-key ~/.ssh/id_ed25519
  heapscrub approve heapscrub-1a2b3c4d.zip --key release.key --reviewed kept.txt";

/// For whom a bundle is, what for, until when, and who made it.
#[derive(Debug, Args)]
pub(crate) struct TermsFlags {
    /// Who shall get it: an organisation, a team or a role. Bound in the manifest, and not cut out of anything
    #[arg(long, value_name = "WHO")]
    pub(crate) recipient: Option<String>,

    /// What it is for. Bound in the manifest
    #[arg(long, value_name = "WHAT")]
    pub(crate) purpose: Option<String>,

    /// The last day on which it may be used: a day (2026-12-31) or a number of days (30d). Bound in the manifest
    #[arg(long, value_name = "DAY")]
    pub(crate) expires: Option<String>,

    /// Bind the day on which it was made in the manifest, without other terms
    #[arg(long)]
    pub(crate) dated: bool,

    /// Sign the bundle with this key (heapscrub keygen makes one); the signature goes beside it
    #[arg(long, value_name = "KEY")]
    pub(crate) sign: Option<PathBuf>,
}

/// Make a key to sign bundles with.
///
/// The private key is readable by its owner only; the public one, beside it with .pub at its end, is for those who check.
/// Both are PEM files of ed25519, which openssl reads too.
#[derive(Debug, Args)]
#[command(after_help = KEYGEN_EXAMPLES)]
pub(crate) struct Keygen {
    /// Where the private key goes; never over a file that is there
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Approve a bundle: sign a statement about it, beside it.
///
/// The bundle is checked first, as 'heapscrub verify' does; what is not as it was made is not approved. The statement is
/// about the digest of its manifest and of no other bundle. Several people can approve one bundle, each with their own
/// key, at any time: nothing of the bundle is changed.
#[derive(Debug, Args)]
#[command(after_help = APPROVE_EXAMPLES)]
pub(crate) struct Approve {
    /// A bundle: a .zip, a .tar.zst, a directory, or one of its parts if the others lie beside it
    #[arg(required = true, value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,

    /// Your own key of SSH; ssh-keygen signs, so agents, passphrases and security keys work. A .pub file means that an
    /// agent has the private half
    #[arg(long, value_name = "FILE", required_unless_present = "key", conflicts_with = "key")]
    pub(crate) ssh_key: Option<PathBuf>,

    /// A key of 'heapscrub keygen'
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,

    /// Also state that you read what stayed readable: the list of it that you read, whose digest goes into the statement
    #[arg(long, value_name = "LIST")]
    pub(crate) reviewed: Option<PathBuf>,

    /// Replace your earlier approval of this bundle
    #[arg(long)]
    pub(crate) force: bool,

    /// Print what was done as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The day that is written into what is made: that of SOURCE_DATE_EPOCH, if builds shall be reproducible, or today.
fn day() -> Result<Date> {
    match std::env::var_os("SOURCE_DATE_EPOCH") {
        None => Ok(Date::today()),
        Some(seconds) => {
            let seconds = seconds.to_str().and_then(|text| text.parse().ok());
            let seconds = seconds.context("SOURCE_DATE_EPOCH is set, but is no number of seconds since 1970")?;
            Ok(Date::at(Duration::from_secs(seconds)))
        }
    }
}

/// The terms that were asked for, and the key to sign with.
pub(crate) fn terms(flags: &TermsFlags, settings: &Settings) -> Result<(Option<Terms>, Option<PrivateKey>)> {
    let key = flags.sign.as_deref().map(|path| PrivateKey::read(path).with_context(|| shown(path))).transpose()?;
    let asked = flags.dated || flags.recipient.is_some() || flags.purpose.is_some() || flags.expires.is_some();
    if !asked {
        return Ok((None, key));
    }
    let made = day()?;
    let expires = flags.expires.as_deref().map(|text| last_day(text, made)).transpose()?;
    let terms = Terms::new(made, flags.recipient.as_deref(), flags.purpose.as_deref(), expires)?;
    check_terms(&terms, settings)?;
    Ok((Some(terms), key))
}

fn last_day(text: &str, made: Date) -> Result<Date> {
    let days = || text.trim_end_matches("days").trim_end_matches('d').trim().parse().ok();
    Date::read(text)
        .or_else(|| made.after(days()?))
        .context("--expires takes a day such as 2026-12-31, or a number of days such as 30d")
}

/// Signs that this program made a bundle. The signature gets its name before the bundle does: a bundle without it could
/// be taken for one that was never signed.
pub(crate) fn made(bundle: &Bundle, key: Option<&PrivateKey>, replace: bool) -> Result<Vec<PathBuf>> {
    let (Some(key), Some(path)) = (key, bundle.paths().first()) else { return Ok(Vec::new()) };
    let signed = Signed::by(key, bundle.digest(), Act::Made, day()?, None);
    store(path, &signed, replace).context("the signature")
}

/// Removes signatures of a bundle that could not be published.
pub(crate) fn take_back(signed: &[PathBuf]) {
    for path in signed {
        // They are ours, and useless without the bundle. The first error is the one that matters.
        let _ = std::fs::remove_file(path);
    }
}

pub(crate) fn keygen(args: &Keygen) -> Result<()> {
    let mut public = args.output.clone().into_os_string();
    public.push(".pub");
    let public = PathBuf::from(public);
    for path in [&args.output, &public] {
        anyhow::ensure!(path.symlink_metadata().is_err(), "{} exists already; keys are never replaced", shown(path));
    }
    let key = PrivateKey::generate()?;
    write_new(&args.output, 0o600, key.to_pem().as_bytes())?;
    let written = write_new(&public, 0o644, key.public().to_text().as_bytes());
    written.inspect_err(|_| drop(std::fs::remove_file(&args.output)))?;
    if !args.quiet {
        say(&format!("{}: a private key; keep it to yourself, nobody can replace it", shown(&args.output)));
        say(&format!("{}: the public key, for those who check; its name is {}", shown(&public), key.public().name()));
    }
    Ok(())
}

fn write_new(path: &Path, mode: u32, bytes: &[u8]) -> Result<()> {
    let written = || {
        let mut file = std::fs::File::options().write(true).create_new(true).mode(mode).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    written().with_context(|| shown(path))
}

pub(crate) fn approve(args: &Approve) -> Result<()> {
    let paths = [args.bundle.clone()];
    let received = Received::open(&paths).with_context(|| shown(&args.bundle))?;
    let settings = Settings { rules: settings::rules([].iter(), false)?, ..Settings::default() };
    let checked = received.check(&settings).map_err(|errors| super::receive::tell(&errors, &paths))?;
    let kept = args.reviewed.as_deref().map(digest_of).transpose()?;
    let (manifest, date) = (received.digest(), day()?);
    let acts = [Some(Act::Approved), kept.map(|_| Act::Reviewed)];
    let mut files = Vec::new();
    let mut name = String::new();
    for act in acts.into_iter().flatten() {
        let kept = kept.filter(|_| act == Act::Reviewed);
        let signed = match (&args.ssh_key, &args.key) {
            (Some(path), _) => Signed::by_ssh(path, manifest, act, date, kept).with_context(|| shown(path))?,
            (None, Some(path)) => {
                let key = PrivateKey::read(path).with_context(|| shown(path))?;
                Signed::by(&key, manifest, act, date, kept)
            }
            (None, None) => anyhow::bail!("a key is needed: --ssh-key or --key"),
        };
        files.extend(store(&args.bundle, &signed, args.force).context("the approval")?);
        name = signed.key_name();
    }
    if args.json {
        let line = json!({
            "schema": "heapscrub.approve/1",
            "manifest_sha256": hex(&manifest),
            "key": name,
            "date": date.to_string(),
            "files": files.iter().map(|p| p.display().to_string()).collect::<Vec<_>>(),
        });
        output(&line.to_string())?;
    } else if !args.quiet {
        say(&format!("{}: checked, and approved by {name}", shown(&args.bundle)));
        say(&format!("  digest   {} (first digits of the SHA-256 of manifest.json)", checked.digest));
        for file in &files {
            say(&format!("  signed   {}; send it along with the bundle", shown(file)));
        }
    }
    Ok(())
}

/// The digest of a list that somebody read.
fn digest_of(path: &Path) -> Result<Digest> {
    use sha2::Digest as _;
    const LIST_BYTES: u64 = 1 << 30;
    let (mut hash, mut chunk) = (sha2::Sha256::new(), vec![0; 1 << 16]);
    let file = std::fs::File::open(path).with_context(|| shown(path))?;
    let (mut file, mut bytes) = (file.take(LIST_BYTES + 1), 0);
    loop {
        let n = file.read(&mut chunk).with_context(|| shown(path))?;
        if n == 0 {
            break;
        }
        bytes += n as u64;
        hash.update(&chunk[..n]);
    }
    anyhow::ensure!(
        (1..=LIST_BYTES).contains(&bytes),
        "{}: is empty, or too large for a list that was read",
        shown(path)
    );
    Ok(hash.finalize().into())
}
