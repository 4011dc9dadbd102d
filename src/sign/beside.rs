//! Signatures lie beside a bundle, in files named after the digest of its manifest: they are found whatever the bundle is
//! called, and adding one changes nothing that was signed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::envelope::Envelope;
use super::key::{PrivateKey, PublicKey};
use super::ssh::{Fault, SshSignature};
use super::ssh_keygen;
use super::statement::{Act, Statement};
use crate::bundle::manifest::Digest;
use crate::date::Date;
use crate::output::{Output, Packing};
use crate::report::build::hex;
use crate::{ConfigError, Error, Result, Stage};

/// A file that is larger is no signature.
const FILE_BYTES: u64 = 1 << 16;
/// Files that are looked at.
const FILES: usize = 256;

/// What is wrong with a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It is in no form that this program writes.
    Form,
    /// It is about another bundle.
    OtherBundle,
    /// It was not made by the key that it names, or over other bytes.
    Bad,
    /// It was made for something else than bundles.
    OtherNamespace,
    /// It goes by a digest that is not safe.
    OtherHash,
    /// Its key is of a kind that is not known.
    OtherKey,
    /// There is a statement without its signature, or the other way round.
    Half,
    /// It cannot be read, is a link, or is too large.
    Unreadable,
    /// There are too many of them.
    TooMany,
    /// ssh-keygen must check it, and cannot be run.
    NoSshKeygen,
}

impl Trouble {
    /// What it means, for people.
    #[must_use]
    pub const fn means(self) -> &'static str {
        match self {
            Self::Form => "is no statement in the form that heapscrub writes, so it was changed",
            Self::OtherBundle => "is about another bundle: it was copied or renamed",
            Self::Bad => "is not a signature of the key that it names over what it says",
            Self::OtherNamespace => "was signed for something else than bundles of heapscrub",
            Self::OtherHash => "was signed over a digest that is not safe",
            Self::OtherKey => "was signed with a key of an unknown kind",
            Self::Half => "is half of a statement and its signature; the other half is missing",
            Self::Unreadable => "cannot be read: it is a link, no file, or too large for a signature",
            Self::TooMany => "is one of too many signatures",
            Self::NoSshKeygen => "needs ssh-keygen to be checked, which cannot be run here",
        }
    }
}

/// A signature that was found beside a bundle.
#[derive(Clone, Debug)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// What was found out about it.
    pub what: What,
}

/// What was found out about a signature.
#[derive(Clone, Debug)]
pub enum What {
    /// It is good, by this key: the number of it among those that were passed.
    Good(Statement, usize),
    /// Its key is none of those that were passed; of SSH, it is a good one of that key.
    Unknown(Statement),
    /// Something is wrong.
    Wrong(Trouble),
}

/// Writes a signed statement beside a bundle: an envelope, or a statement and its signature of SSH. Returns the first
/// file.
///
/// # Errors
/// When a file of that name is there already, or cannot be written. Nothing is left behind then.
pub fn store(bundle: &Path, signed: &Signed, replace: bool) -> Result<Vec<PathBuf>> {
    let first = directory(bundle).join(name(&signed.manifest, signed.act, &signed.key));
    let mut second = first.clone().into_os_string();
    second.push(".sig");
    let paths = [first, second.into()];
    let files = paths.iter().zip([Some(&signed.text), signed.signature.as_ref()]);
    let mut made: Vec<(&PathBuf, Output)> = Vec::new();
    for (path, bytes) in files.filter_map(|(path, bytes)| Some((path, bytes?))) {
        let mut output = Output::file(path, replace)?.packed(Packing::Plain);
        output.fill(|out| out.write_all(bytes).map_err(|e| Error::io(Stage::Write, &e)))?;
        made.push((path, output));
    }
    let mut done = Vec::new();
    for (path, output) in made {
        if let Err(error) = output.publish() {
            // They are ours; the first error is the one that matters.
            done.iter().for_each(|path| drop(std::fs::remove_file(path)));
            return Err(error);
        }
        done.push(path.clone());
    }
    Ok(done)
}

/// A statement and its signature, ready to be written.
#[derive(Clone, Debug)]
pub struct Signed {
    manifest: Digest,
    act: Act,
    key: PublicKey,
    /// The envelope, or the statement.
    text: Vec<u8>,
    /// The signature, if it is not in an envelope.
    signature: Option<Vec<u8>>,
}

impl Signed {
    /// With a key of this program.
    #[must_use]
    pub fn by(key: &PrivateKey, manifest: Digest, act: Act, date: Date, kept: Option<Digest>) -> Self {
        let statement = Statement { manifest, act, date, signer: key.public().name(), kept };
        let text = Envelope::sign(&statement, key).to_json().into_bytes();
        Self { manifest, act, key: key.public(), text, signature: None }
    }

    /// With somebody's own key of SSH.
    ///
    /// # Errors
    /// When others can read the key, or ssh-keygen does not sign with it.
    pub fn by_ssh(
        path: &Path,
        manifest: Digest,
        act: Act,
        date: Date,
        kept: Option<Digest>,
    ) -> std::result::Result<Self, ConfigError> {
        let about = |signer| Statement { manifest, act, date, signer, kept };
        let (key, text, signature) = ssh_keygen::sign(path, about)?;
        Ok(Self { manifest, act, key, text: text.into_bytes(), signature: Some(signature) })
    }

    /// The name of the key.
    #[must_use]
    pub fn key_name(&self) -> String {
        self.key.name()
    }
}

/// The name of a file for a signature.
fn name(manifest: &Digest, act: Act, key: &PublicKey) -> String {
    let end = if matches!(key, PublicKey::Ed25519(_)) { "dsse.json" } else { "json" };
    format!("heapscrub-{}.{}-{}.{end}", hex(&manifest[..4]), act.name(), key.identity().short())
}

/// The directory in which the signatures of a bundle lie.
fn directory(bundle: &Path) -> PathBuf {
    let is_directory = bundle.is_dir();
    // `.` and `dir/` have a parent too.
    let whole =
        if is_directory { bundle.canonicalize().unwrap_or_else(|_| bundle.to_owned()) } else { bundle.to_owned() };
    whole.parent().map(Path::to_owned).unwrap_or_default()
}

/// The forms of files, by what their names end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Envelope,
    Statement,
    Signature,
}

/// Is this the name of a signature of this bundle? Its stem and which part it is.
fn part<'n>(name: &'n str, manifest: &Digest) -> Option<(&'n str, Part)> {
    let rest = name.strip_prefix("heapscrub-")?.strip_prefix(&hex(&manifest[..4]))?.strip_prefix('.')?;
    let (stem, end) = rest.split_once('.')?;
    let (act, digits) = stem.split_once('-')?;
    let is_ours = Act::ALL.iter().any(|a| a.name() == act)
        && digits.len() == 8
        && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let part = match end {
        "dsse.json" => Part::Envelope,
        "json" => Part::Statement,
        "json.sig" => Part::Signature,
        _ => return None,
    };
    is_ours.then_some((stem, part))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    // Neither a link nor a pipe is followed or waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file: File = rustix::fs::open(path, flags, Mode::empty()).ok()?.into();
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= FILE_BYTES).then_some(bytes)
}

/// Everything that lies beside a bundle as its signature, checked with these keys, in order of names.
///
/// # Errors
/// When the directory cannot be read.
pub(crate) fn all(bundle: &Path, manifest: &Digest, keys: &[PublicKey]) -> Result<Vec<Found>> {
    let failed = |e: &std::io::Error| Error::io(Stage::Receive, e);
    let mut files: BTreeMap<String, BTreeMap<Part, PathBuf>> = BTreeMap::new();
    let directory = directory(bundle);
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { &directory };
    for entry in std::fs::read_dir(directory).map_err(|e| failed(&e))? {
        let path = entry.map_err(|e| failed(&e))?.path();
        if let Some((stem, part)) = path.file_name().and_then(|n| n.to_str()).and_then(|name| part(name, manifest)) {
            let key = format!("{stem}{}", if part == Part::Envelope { ".dsse" } else { "" });
            files.entry(key).or_default().insert(part, path);
        }
    }
    let one = |(at, parts): (usize, BTreeMap<Part, PathBuf>)| {
        let path = parts.values().next().cloned().unwrap_or_default();
        let what = if at < FILES { look(&parts, manifest, keys) } else { Err(Trouble::TooMany) };
        Found { path, what: what.unwrap_or_else(What::Wrong) }
    };
    Ok(files.into_values().enumerate().take(FILES + 1).map(one).collect())
}

fn look(parts: &BTreeMap<Part, PathBuf>, manifest: &Digest, keys: &[PublicKey]) -> std::result::Result<What, Trouble> {
    let bytes = |part: Part| {
        let path = parts.get(&part).ok_or(Trouble::Half)?;
        read(path).ok_or(Trouble::Unreadable)
    };
    let at_hand = |statement: Statement, is_it: &dyn Fn(&PublicKey) -> bool| match keys.iter().position(is_it) {
        Some(key) => What::Good(statement, key),
        None => What::Unknown(statement),
    };
    let about = |statement: Option<Statement>| {
        let statement = statement.ok_or(Trouble::Form)?;
        if statement.manifest == *manifest { Ok(statement) } else { Err(Trouble::OtherBundle) }
    };
    if parts.contains_key(&Part::Envelope) {
        let envelope = Envelope::read(&bytes(Part::Envelope)?).ok_or(Trouble::Form)?;
        let statement = about(envelope.statement())?;
        // A key that is known by name must have signed it.
        let named = |key: &PublicKey| key.name() == envelope.keyid;
        if keys.iter().any(|key| named(key) && !envelope.is_signed_by(key)) {
            return Err(Trouble::Bad);
        }
        return Ok(at_hand(statement, &named));
    }
    let (text, file) = (bytes(Part::Statement)?, bytes(Part::Signature)?);
    let signature = SshSignature::read(&file).map_err(|fault| match fault {
        Fault::NoSignature => Trouble::Form,
        Fault::OtherNamespace => Trouble::OtherNamespace,
        Fault::OtherHash => Trouble::OtherHash,
        Fault::OtherKey => Trouble::OtherKey,
    })?;
    match ssh_keygen::check(&signature, &file, &text) {
        Ok(true) => {}
        Ok(false) => return Err(Trouble::Bad),
        Err(_) => return Err(Trouble::NoSshKeygen),
    }
    let statement = about(Statement::read(&text))?;
    if statement.signer != signature.key.fingerprint() {
        return Err(Trouble::Bad);
    }
    let identity = signature.key.identity();
    Ok(at_hand(statement, &|key| key.identity() == identity && matches!(key, PublicKey::Ssh(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_bundle_count() {
        let manifest = [0xab; 32];
        for (name, expected) in [
            ("heapscrub-abababab.made-0123abcd.dsse.json", Some(("made-0123abcd", Part::Envelope))),
            ("heapscrub-abababab.approved-0123abcd.json", Some(("approved-0123abcd", Part::Statement))),
            ("heapscrub-abababab.reviewed-0123abcd.json.sig", Some(("reviewed-0123abcd", Part::Signature))),
            ("heapscrub-abababab.zip", None),
            ("heapscrub-abababab.report.json", None),
            ("heapscrub-abababab.made-0123ABCD.json", None),
            ("heapscrub-abababab.made-0123abcd.json.bak", None),
            ("heapscrub-abababac.made-0123abcd.json", None),
        ] {
            assert_eq!(part(name, &manifest), expected, "{name}");
        }
    }
}
