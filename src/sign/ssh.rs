//! Public keys and signatures of SSH, as `ssh-keygen -Y sign` writes them (PROTOCOL.sshsig).

use base64ct::{Base64, Base64Unpadded, Encoding};
use sha2::{Digest as _, Sha256, Sha512};

use super::NAMESPACE;
use super::key::{Identity, is_signed, sound};

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshKey {
    /// As SSH sends it: the kind, then what the kind has.
    wire: Vec<u8>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ed25519([u8; 32]),
    /// In a security key: the key, and the digest of the application it is for.
    Hardware([u8; 32], [u8; 32]),
    /// One of [`OTHERS`]; ssh-keygen checks those.
    Other(usize),
}

const ED25519: &str = "ssh-ed25519";
const HARDWARE: &str = "sk-ssh-ed25519@openssh.com";
/// Kinds that are checked by ssh-keygen.
const OTHERS: [&str; 5] = [
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
];

/// Reads what SSH calls strings: a length, then as many bytes.
struct Wire<'b>(&'b [u8]);

impl<'b> Wire<'b> {
    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.bytes(4).map(|b| b.iter().fold(0, |n, b| n << 8 | u32::from(*b)))
    }

    fn string(&mut self) -> Option<&'b [u8]> {
        let len = self.number()?;
        self.bytes(usize::try_from(len).ok()?)
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

fn push(out: &mut Vec<u8>, string: &[u8]) {
    out.extend((string.len() as u32).to_be_bytes());
    out.extend(string);
}

impl SshKey {
    /// Reads a line such as `ssh-ed25519 AAAA... comment`.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
        let (kind, digits) = (words.next()?, words.next()?);
        let key = Self::of(Base64::decode_vec(digits).ok()?)?;
        (key.kind_name() == kind).then_some(key)
    }

    fn of(wire: Vec<u8>) -> Option<Self> {
        let mut rest = Wire(&wire);
        let name = std::str::from_utf8(rest.string()?).ok()?;
        let point = |bytes: &[u8]| {
            let bytes = <[u8; 32]>::try_from(bytes).ok()?;
            sound(&bytes).ok().map(|_| bytes)
        };
        let kind = match name {
            ED25519 => Kind::Ed25519(point(rest.string()?)?),
            HARDWARE => Kind::Hardware(point(rest.string()?)?, Sha256::digest(rest.string()?).into()),
            _ => {
                let other = OTHERS.iter().position(|other| *other == name)?;
                // What the kinds have is ssh-keygen's to judge; here it only has to be well formed.
                while !rest.0.is_empty() {
                    rest.string()?;
                }
                Kind::Other(other)
            }
        };
        rest.end()?;
        Some(Self { wire, kind })
    }

    fn kind_name(&self) -> &'static str {
        match self.kind {
            Kind::Ed25519(_) => ED25519,
            Kind::Hardware(..) => HARDWARE,
            Kind::Other(other) => OTHERS[other],
        }
    }

    /// The line without a comment.
    pub(super) fn to_line(&self) -> String {
        format!("{} {}", self.kind_name(), Base64::encode_string(&self.wire))
    }

    pub(super) fn fingerprint(&self) -> String {
        format!("SHA256:{}", Base64Unpadded::encode_string(&Sha256::digest(&self.wire)))
    }

    pub(super) fn identity(&self) -> Identity {
        match self.kind {
            // The same number may stand in a PEM file.
            Kind::Ed25519(key) => Identity::new(key.to_vec()),
            Kind::Hardware(..) | Kind::Other(_) => Identity::new(self.wire.clone()),
        }
    }
}

/// A signature, whose signer is named in it but not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SshSignature {
    pub(super) key: SshKey,
    hash: Hash,
    signature: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    Sha256,
    Sha512,
}

/// What is wrong with a file that should be a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is none.
    NoSignature,
    /// It was made for something else.
    OtherNamespace,
    /// It goes by a digest that is not safe.
    OtherHash,
    /// Its key is of a kind that is not known.
    OtherKey,
}

/// What was found out about a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Good,
    Bad,
    /// ssh-keygen knows this kind of key.
    AskSshKeygen,
}

const MAGIC: &[u8] = b"SSHSIG";
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----\n";
const END: &str = "\n-----END SSH SIGNATURE-----\n";

impl SshSignature {
    /// Reads a file as `ssh-keygen -Y sign` writes it.
    pub(super) fn read(file: &[u8]) -> Result<Self, Fault> {
        let text = std::str::from_utf8(file).ok();
        let inner = text.and_then(|text| text.strip_prefix(BEGIN)?.strip_suffix(END));
        // One way of breaking lines, so that one signature is one file.
        let is_broken_well = |inner: &&str| {
            let mut lines = inner.lines().rev();
            lines.next().is_some_and(|last| (1..=70).contains(&last.len())) && lines.all(|line| line.len() == 70)
        };
        let digits: String = inner.filter(is_broken_well).ok_or(Fault::NoSignature)?.split('\n').collect();
        Self::of(&Base64::decode_vec(&digits).map_err(|_| Fault::NoSignature)?)
    }

    fn of(blob: &[u8]) -> Result<Self, Fault> {
        let none = Fault::NoSignature;
        let mut rest = Wire(blob);
        if rest.bytes(MAGIC.len()) != Some(MAGIC) || rest.number() != Some(1) {
            return Err(none);
        }
        let mut string = || rest.string().ok_or(none);
        let (key, namespace, reserved, hash, signature) = (string()?, string()?, string()?, string()?, string()?);
        rest.end().ok_or(none)?;
        if namespace != NAMESPACE.as_bytes() {
            return Err(Fault::OtherNamespace);
        }
        if !reserved.is_empty() {
            return Err(none);
        }
        let hash = match hash {
            b"sha256" => Hash::Sha256,
            b"sha512" => Hash::Sha512,
            _ => return Err(Fault::OtherHash),
        };
        let key = SshKey::of(key.to_vec()).ok_or(Fault::OtherKey)?;
        Ok(Self { key, hash, signature: signature.to_vec() })
    }

    /// Is it a signature of the key in it over this message?
    pub(super) fn check(&self, message: &[u8]) -> Verdict {
        let good = match self.key.kind {
            Kind::Ed25519(key) => self.is_ed25519(&key, &self.signed(message)),
            Kind::Hardware(key, application) => self.is_hardware(&key, &application, &self.signed(message)),
            Kind::Other(_) => return Verdict::AskSshKeygen,
        };
        if good == Some(true) { Verdict::Good } else { Verdict::Bad }
    }

    /// The bytes that the key signs.
    fn signed(&self, message: &[u8]) -> Vec<u8> {
        let (name, digest): (&[u8], Vec<u8>) = match self.hash {
            Hash::Sha256 => (b"sha256", Sha256::digest(message).to_vec()),
            Hash::Sha512 => (b"sha512", Sha512::digest(message).to_vec()),
        };
        let mut out = MAGIC.to_vec();
        for string in [NAMESPACE.as_bytes(), b"", name, &digest] {
            push(&mut out, string);
        }
        out
    }

    fn is_ed25519(&self, key: &[u8; 32], signed: &[u8]) -> Option<bool> {
        let mut rest = Wire(&self.signature);
        let (kind, signature) = (rest.string()?, rest.string()?);
        rest.end()?;
        Some(kind == ED25519.as_bytes() && is_signed(&sound(key).ok()?, signed, signature))
    }

    /// A security key signs the digest of its application, flags, a counter and the digest of the message.
    fn is_hardware(&self, key: &[u8; 32], application: &[u8; 32], signed: &[u8]) -> Option<bool> {
        const SOMEBODY_TOUCHED_IT: u8 = 1;
        let mut rest = Wire(&self.signature);
        let (kind, signature, flags, counter) = (rest.string()?, rest.string()?, rest.bytes(1)?, rest.bytes(4)?);
        rest.end()?;
        let message = [application, flags, counter, &Sha256::digest(signed)].concat();
        let touched = flags[0] & SOMEBODY_TOUCHED_IT != 0;
        Some(kind == HARDWARE.as_bytes() && touched && is_signed(&sound(key).ok()?, &message, signature))
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    fn blob(strings: [&[u8]; 5]) -> Vec<u8> {
        let mut out = [MAGIC, &[0, 0, 0, 1]].concat();
        strings.iter().for_each(|string| push(&mut out, string));
        out
    }

    fn wire(strings: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        strings.iter().for_each(|string| push(&mut out, string));
        out
    }

    /// No security key is at hand, so this one is made from its description.
    #[test]
    fn a_security_key_must_have_been_touched() {
        let secret = SigningKey::from_bytes(&[9; 32]);
        let public = wire(&[HARDWARE.as_bytes(), secret.verifying_key().as_bytes(), b"ssh:"]);
        let made = |flags: u8, namespace: &str| {
            let mut out = MAGIC.to_vec();
            for string in [namespace.as_bytes(), b"", b"sha512", &Sha512::digest(b"message")] {
                push(&mut out, string);
            }
            let rest = [flags, 0, 0, 0, 5];
            let message = [&Sha256::digest(b"ssh:")[..], &rest, &Sha256::digest(&out)].concat();
            let signature = secret.sign(&message).to_bytes();
            let mut all = wire(&[HARDWARE.as_bytes(), &signature]);
            all.extend(rest);
            SshSignature::of(&blob([&public, namespace.as_bytes(), b"", b"sha512", &all]))
        };
        let good = made(1, NAMESPACE).expect("a signature");
        assert_eq!((good.check(b"message"), good.check(b"other")), (Verdict::Good, Verdict::Bad));
        assert_eq!(made(0, NAMESPACE).expect("a signature").check(b"message"), Verdict::Bad);
        assert_eq!(made(1, "file"), Err(Fault::OtherNamespace));
    }

    #[test]
    fn what_is_no_signature() {
        let key = wire(&[ED25519.as_bytes(), SigningKey::from_bytes(&[9; 32]).verifying_key().as_bytes()]);
        let namespace = NAMESPACE.as_bytes();
        let fault = |strings| SshSignature::of(&blob(strings)).expect_err("no signature");
        assert_eq!(fault([&key, b"git", b"", b"sha512", b""]), Fault::OtherNamespace);
        assert_eq!(fault([&key, namespace, b"x", b"sha512", b""]), Fault::NoSignature);
        assert_eq!(fault([&key, namespace, b"", b"sha1", b""]), Fault::OtherHash);
        assert_eq!(fault([&wire(&[b"ssh-dss", b"x"]), namespace, b"", b"sha512", b""]), Fault::OtherKey);
        for len in 0..40 {
            let whole = blob([&key, namespace, b"", b"sha512", b"x"]);
            assert!(SshSignature::of(&whole[..whole.len() - 1 - len]).is_err());
        }
        assert_eq!(
            SshSignature::read(b"-----BEGIN SSH SIGNATURE-----\n\n-----END SSH SIGNATURE-----\n"),
            Err(Fault::NoSignature)
        );
    }
}
