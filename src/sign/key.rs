//! Keys: ed25519 as PEM files, which openssl reads, and the public keys of SSH.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use base64ct::{Base64, Encoding};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::ssh::SshKey;
use crate::ConfigError;
use crate::report::build::hex;

/// What stands before the 32 bytes of an ed25519 key in its file: PKCS#8 for the private one, SPKI for the public one.
const PRIVATE: &[u8] = &[0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
const PUBLIC: &[u8] = &[0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0];
const PRIVATE_LABEL: &str = "PRIVATE KEY";
const PUBLIC_LABEL: &str = "PUBLIC KEY";

/// The largest key file; RSA keys of 16 kbit have about 3 kB.
const FILE_BYTES: u64 = 1 << 14;

/// What tells whether two keys are one, in whatever form they are written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(Vec<u8>);

impl Identity {
    pub(super) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// A few digits for names of files.
    pub(crate) fn short(&self) -> String {
        hex(&Sha256::digest(&self.0)[..4])
    }
}

/// A key to sign with. It is wiped when it is dropped.
pub struct PrivateKey(SigningKey);

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PrivateKey")
    }
}

fn fault(message: &'static str) -> ConfigError {
    ConfigError::new(message)
}

/// Reads a small file; nothing of it is in the error.
fn read(file: File) -> Result<Zeroizing<Vec<u8>>, ConfigError> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(FILE_BYTES as usize + 1));
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|_| fault("cannot be read"))?;
    if bytes.len() as u64 > FILE_BYTES { Err(fault("is too large for a key")) } else { Ok(bytes) }
}

/// Opens a file with a private key: one that only its owner can read.
pub(super) fn open_private(path: &Path) -> Result<File, ConfigError> {
    let file = File::open(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => fault("no such file"),
        _ => fault("cannot be opened"),
    })?;
    let meta = file.metadata().map_err(|_| fault("cannot be read"))?;
    if !meta.is_file() {
        return Err(fault("is not a file"));
    }
    if meta.mode() & 0o077 != 0 {
        return Err(fault(
            "others than its owner can read this private key: take their rights away (chmod 600), and make a new key if they may have read it",
        ));
    }
    Ok(file)
}

impl PrivateKey {
    /// A new key, from the randomness of the system.
    ///
    /// # Errors
    /// When the system has none.
    pub fn generate() -> Result<Self, ConfigError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|_| fault("the system gives no random numbers"))?;
        Ok(Self(SigningKey::from_bytes(&seed)))
    }

    /// Reads a key file as `heapscrub keygen` and `openssl genpkey -algorithm ed25519` write it.
    ///
    /// # Errors
    /// When others can read it, or it is no ed25519 key.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let bytes = read(open_private(path)?)?;
        if contains(&bytes, b"ENCRYPTED PRIVATE KEY") {
            return Err(fault("is a key with a passphrase, which only keys of SSH can have here (approve --ssh-key)"));
        }
        let der = unwrap(&bytes, PRIVATE_LABEL).ok_or_else(|| {
            fault("is no private ed25519 key in PEM form: 'heapscrub keygen' makes one; --ssh-key takes keys of SSH")
        })?;
        let seed: Zeroizing<[u8; 32]> = match der.strip_prefix(PRIVATE).and_then(|seed| seed.try_into().ok()) {
            Some(seed) => Zeroizing::new(seed),
            None => return Err(fault("is a private key of another kind: only ed25519 is used")),
        };
        Ok(Self(SigningKey::from_bytes(&seed)))
    }

    /// The text of its file.
    #[must_use]
    pub fn to_pem(&self) -> Zeroizing<String> {
        let seed = Zeroizing::new(self.0.to_bytes());
        wrap(&Zeroizing::new([PRIVATE, &*seed].concat()), PRIVATE_LABEL)
    }

    /// The half that others check with.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey::Ed25519(self.0.verifying_key())
    }

    pub(super) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

/// A key that signatures are checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicKey {
    /// A PEM file.
    Ed25519(VerifyingKey),
    /// A line of SSH.
    Ssh(SshKey),
}

impl PublicKey {
    /// Reads a file: PEM (`heapscrub keygen`, openssl) or a public key of SSH (`id_ed25519.pub`).
    ///
    /// # Errors
    /// When it is neither.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let file = File::open(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => fault("no such file"),
            _ => fault("cannot be opened"),
        })?;
        if !file.metadata().is_ok_and(|meta| meta.is_file()) {
            return Err(fault("is not a file"));
        }
        Self::parse(&read(file)?)
    }

    /// The same from a text.
    ///
    /// # Errors
    /// When it is no key, or one that everybody could sign with.
    pub fn parse(text: &[u8]) -> Result<Self, ConfigError> {
        if let Some(der) = unwrap(text, PUBLIC_LABEL) {
            let bytes = der.strip_prefix(PUBLIC).and_then(|key| <[u8; 32]>::try_from(key).ok());
            let bytes = bytes.ok_or_else(|| fault("is a public key of another kind: PEM is read for ed25519 only"))?;
            return Ok(Self::Ed25519(sound(&bytes)?));
        }
        if contains(text, b"PRIVATE KEY") {
            return Err(fault("is a private key; the public one belongs here"));
        }
        let line = std::str::from_utf8(text).ok().map(str::trim).filter(|line| !line.contains('\n'));
        let key = line.and_then(SshKey::read);
        key.map(Self::Ssh).ok_or_else(|| {
            fault("is no public key: expected a PEM file of 'heapscrub keygen', or one line such as 'ssh-ed25519 AAAA...'")
        })
    }

    /// The text of its file.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Ed25519(key) => wrap(&[PUBLIC, key.as_bytes()].concat(), PUBLIC_LABEL).to_string(),
            Self::Ssh(key) => key.to_line() + "\n",
        }
    }

    /// How statements name it: the SHA-256 of the public key as openssl writes it (DER), or what `ssh-keygen -l` prints.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Ed25519(key) => hex(&Sha256::digest([PUBLIC, key.as_bytes()].concat())),
            Self::Ssh(key) => key.fingerprint(),
        }
    }

    /// Equal for one key in two forms.
    #[must_use]
    pub fn identity(&self) -> Identity {
        match self {
            Self::Ed25519(key) => Identity::new(key.as_bytes().to_vec()),
            Self::Ssh(key) => key.identity(),
        }
    }
}

/// Is this signature made by this key? Strictly: no second signature can be made from one.
pub(super) fn is_signed(key: &VerifyingKey, message: &[u8], signature: &[u8]) -> bool {
    Signature::from_slice(signature).is_ok_and(|signature| key.verify_strict(message, &signature).is_ok())
}

/// A key that is a point of the curve, and not one of those few under which anything verifies.
pub(super) fn sound(bytes: &[u8; 32]) -> Result<VerifyingKey, ConfigError> {
    let key = VerifyingKey::from_bytes(bytes).ok().filter(|key| !key.is_weak() && is_reduced(bytes));
    key.ok_or_else(|| fault("is no sound ed25519 key"))
}

/// Is the number that a point is written as below the prime (2^255 - 19), so that no point is written in two ways?
fn is_reduced(bytes: &[u8; 32]) -> bool {
    let [first, middle @ .., last] = bytes;
    last & 0x7f != 0x7f || middle.iter().any(|b| *b != 0xff) || *first < 0xed
}

fn wrap(der: &[u8], label: &str) -> Zeroizing<String> {
    let digits = Zeroizing::new(Base64::encode_string(der));
    Zeroizing::new(format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", *digits))
}

/// The bytes of a PEM text of one line of digits.
fn unwrap(text: &[u8], label: &str) -> Option<Zeroizing<Vec<u8>>> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let inner = text.strip_prefix(&format!("-----BEGIN {label}-----"))?;
    let digits = inner.strip_suffix(&format!("-----END {label}-----"))?.trim();
    // Never grown, so that no copy is left behind.
    let mut lines = Zeroizing::new(String::with_capacity(digits.len()));
    digits.lines().for_each(|line| lines.push_str(line));
    Base64::decode_vec(&lines).ok().map(Zeroizing::new)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let key = PrivateKey::generate().expect("a key");
        let public = PublicKey::parse(key.public().to_text().as_bytes()).expect("a key");
        assert_eq!(public, key.public());
        assert_eq!(public.name().len(), 64);
        let der = unwrap(key.to_pem().as_bytes(), PRIVATE_LABEL).expect("PEM");
        assert_eq!(der.len(), PRIVATE.len() + 32);
        let signature = key.sign(b"message");
        let PublicKey::Ed25519(check) = public else { unreachable!("it is one") };
        assert!(is_signed(&check, b"message", &signature));
        assert!(!is_signed(&check, b"messagf", &signature));
        assert!(!is_signed(&check, b"message", &signature[..63]));
    }

    #[test]
    fn keys_under_which_anything_verifies_are_none() {
        // Points of small order, and a number that is no point.
        let mut one = [0; 32];
        one[0] = 1;
        for bytes in [[0; 32], one, [0xff; 32]] {
            assert!(sound(&bytes).is_err());
        }
        // Numbers from the prime on write points in a second way.
        for number in 0..19 {
            let mut bytes = [0xff; 32];
            (bytes[0], bytes[31]) = (0xed + number, 0x7f);
            assert!(sound(&bytes).is_err());
        }
        let key = PrivateKey::generate().expect("a key").public();
        let PublicKey::Ed25519(key) = key else { unreachable!("it is one") };
        assert!(sound(key.as_bytes()).is_ok());
    }

    #[test]
    fn a_private_key_is_never_taken_for_a_public_one() {
        let key = PrivateKey::generate().expect("a key");
        let message = PublicKey::parse(key.to_pem().as_bytes()).expect_err("private").to_string();
        assert!(message.contains("the public one belongs here"));
    }
}
