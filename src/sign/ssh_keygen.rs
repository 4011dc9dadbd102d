//! What the program `ssh-keygen` does for us: it signs, since it knows agents, passphrases and security keys; and it
//! checks signatures of keys that are not ed25519.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::NAMESPACE;
use super::key::{PublicKey, open_private};
use super::ssh::{SshKey, SshSignature, Verdict};
use super::statement::Statement;
use crate::ConfigError;
use crate::output::PartialDirectory;

const MISSING: &str = "ssh-keygen cannot be run; install OpenSSH, or use a key of 'heapscrub keygen'";

fn fault(message: &'static str) -> ConfigError {
    ConfigError::new(message)
}

/// Runs it with this on its standard input; what it writes, if it was content. It asks for a passphrase or a touch on
/// the terminal by itself.
fn run(args: &[&OsStr], input: &[u8]) -> Result<Option<Vec<u8>>, ConfigError> {
    let mut command = Command::new("ssh-keygen");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|_| fault(MISSING))?;
    if let Some(mut pipe) = child.stdin.take() {
        // Whoever does not want it all says so by its status.
        let _ = pipe.write_all(input);
    }
    let out = child.wait_with_output().map_err(|_| fault(MISSING))?;
    Ok(out.status.success().then_some(out.stdout))
}

/// The public key that belongs to a key file of SSH, or to a `.pub` file whose private half an agent holds.
fn public(path: &Path) -> Result<SshKey, ConfigError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".pub");
    let file = if path.extension().is_some_and(|end| end == "pub") {
        path.to_owned()
    } else {
        drop(open_private(path)?);
        PathBuf::from(beside)
    };
    let key = if file.exists() {
        PublicKey::read(&file)?
    } else {
        let out = run(&["-y".as_ref(), "-f".as_ref(), path.as_os_str()], b"")?;
        PublicKey::parse(&out.ok_or_else(|| fault("ssh-keygen cannot read this key, or the passphrase was wrong"))?)?
    };
    match key {
        PublicKey::Ssh(key) => Ok(key),
        PublicKey::Ed25519(_) => Err(fault("is no key of SSH; --key takes keys of 'heapscrub keygen'")),
    }
}

/// Signs a statement with somebody's own key. `about` makes the statement for the name of the key.
///
/// # Errors
/// When others can read the key, ssh-keygen is missing or fails, or it signed with another key.
pub(super) fn sign(
    path: &Path,
    about: impl FnOnce(String) -> Statement,
) -> Result<(PublicKey, String, Vec<u8>), ConfigError> {
    let key = public(path)?;
    let statement = about(key.fingerprint()).to_json();
    let args = ["-Y", "sign", "-n", NAMESPACE, "-f"].map(OsStr::new);
    let args = [&args[..], &[path.as_os_str()]].concat();
    let file = run(&args, statement.as_bytes())?;
    let file = file.ok_or_else(|| fault("ssh-keygen did not sign: see what it says with ssh-keygen -Y sign"))?;
    let signature = SshSignature::read(&file).map_err(|_| fault("ssh-keygen wrote a signature of an unknown form"))?;
    if signature.key != key {
        return Err(fault("the .pub file beside this key belongs to another key"));
    }
    match check(&signature, &file, statement.as_bytes())? {
        true => Ok((PublicKey::Ssh(key), statement, file)),
        false => Err(fault("ssh-keygen wrote a signature that does not verify")),
    }
}

/// Is it a good signature over this message? Keys that are not ed25519 are asked about.
pub(super) fn check(signature: &SshSignature, file: &[u8], message: &[u8]) -> Result<bool, ConfigError> {
    match signature.check(message) {
        Verdict::Good => Ok(true),
        Verdict::Bad => Ok(false),
        Verdict::AskSshKeygen => ask(&signature.key, file, message),
    }
}

fn ask(key: &SshKey, file: &[u8], message: &[u8]) -> Result<bool, ConfigError> {
    const WHO: &str = "signer";
    let failed = |_| fault("the directory for temporary files cannot be written");
    let directory = PartialDirectory::new(&std::env::temp_dir()).map_err(failed)?;
    let allowed = format!("{WHO} namespaces=\"{NAMESPACE}\" {}\n", key.to_line());
    directory.write("allowed", &mut allowed.as_bytes()).map_err(failed)?;
    directory.write("signature", &mut &*file).map_err(failed)?;
    let (allowed, signature) = (directory.path().join("allowed"), directory.path().join("signature"));
    let args = ["-Y", "verify", "-n", NAMESPACE, "-I", WHO, "-f"].map(OsStr::new);
    let args = [&args[..], &[allowed.as_os_str(), "-s".as_ref(), signature.as_os_str()]].concat();
    run(&args, message).map(|out| out.is_some())
}
