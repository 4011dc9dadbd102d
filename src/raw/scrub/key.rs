//! The key for placeholders that are equal across runs: `--key-file`.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::{Error, Kind, Result, Stage, limits};

/// A key of the user's. Without it, nobody can tell which text a placeholder stands for, not even by trying.
pub struct Key(Zeroizing<Vec<u8>>);

impl Key {
    /// Reads a key: any bytes, at least 16 of them, in a file that only its owner can read.
    ///
    /// # Errors
    /// When the file cannot be read, others can read it, or it is too short or too long.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |e: &std::io::Error| Error::io(Stage::Input, e);
        let file = File::open(path).map_err(|e| failed(&e))?;
        let meta = file.metadata().map_err(|e| failed(&e))?;
        if meta.mode() & 0o077 != 0 {
            return Err(Error::new(Stage::Input, Kind::KeyNotPrivate));
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(limits::KEY_BYTES.1 as usize + 1));
        file.take(limits::KEY_BYTES.1 + 1).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
        if !(limits::KEY_BYTES.0..=limits::KEY_BYTES.1).contains(&(bytes.len() as u64)) {
            return Err(Error::new(Stage::Input, Kind::KeyLength));
        }
        Ok(Self(bytes))
    }

    /// Makes a new key in this file, readable by its owner alone, if there is none yet; then reads it. A half-written key
    /// never has the name.
    ///
    /// # Errors
    /// When the file can neither be made nor read.
    pub fn read_or_make(path: &Path) -> Result<Self> {
        use std::io::Write;
        use std::os::unix::fs::OpenOptionsExt;
        let failed = |e: &std::io::Error| Error::io(Stage::Write, e);
        if path.symlink_metadata().is_err() {
            let mut bytes = Zeroizing::new([0_u8; 32]);
            let busy = |_| Error::new(Stage::Write, Kind::Io(std::io::ErrorKind::ResourceBusy));
            getrandom::fill(&mut *bytes).map_err(busy)?;
            let beside = path.with_extension(format!("{}.partial", std::process::id()));
            let made = File::options().write(true).create_new(true).mode(0o600).open(&beside).and_then(|mut file| {
                file.write_all(&*bytes)?;
                file.sync_all()?;
                // Never over a key that somebody else made meanwhile.
                std::fs::hard_link(&beside, path)
            });
            // Whether it can be removed or not, the first error is the one that matters.
            let _ = std::fs::remove_file(&beside);
            match made {
                Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(&e)),
                _ => {}
            }
        }
        Self::read(path)
    }

    /// Hands the key to a worker, through a pipe.
    ///
    /// # Errors
    /// When the pipe breaks.
    pub fn hand_over(&self, pipe: &mut dyn std::io::Write) -> std::io::Result<()> {
        pipe.write_all(&(self.0.len() as u16).to_be_bytes())?;
        pipe.write_all(&self.0)
    }

    /// Takes a key that was handed over.
    ///
    /// # Errors
    /// When the pipe ends before the key does, or its length is none that keys have.
    pub fn receive(pipe: &mut dyn Read) -> Result<Self> {
        let failed = |e: std::io::Error| Error::io(Stage::Input, &e);
        let mut len = [0; 2];
        pipe.read_exact(&mut len).map_err(failed)?;
        let len = u16::from_be_bytes(len);
        if !(limits::KEY_BYTES.0..=limits::KEY_BYTES.1).contains(&u64::from(len)) {
            return Err(Error::new(Stage::Input, Kind::KeyLength));
        }
        let mut bytes = Zeroizing::new(vec![0; usize::from(len)]);
        pipe.read_exact(&mut bytes).map_err(failed)?;
        Ok(Self(bytes))
    }

    /// What stands for these bytes where they must not stand: equal for equal bytes, and nobody without the key can try
    /// which ones they are.
    #[must_use]
    pub(crate) fn stands_for(&self, purpose: &[u8], parts: &[&[u8]]) -> [u8; 16] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).unwrap_or_else(|_| unreachable!("any length"));
        mac.update(purpose);
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        let digest = mac.finalize().into_bytes();
        std::array::from_fn(|at| digest[at])
    }

    #[cfg(test)]
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    fn keyed(&self, purpose: &[u8], text: &[u8]) -> u64 {
        // HMAC takes keys of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).unwrap_or_else(|_| unreachable!("any length"));
        mac.update(purpose);
        mac.update(text);
        let digest = mac.finalize().into_bytes();
        digest.iter().take(8).fold(0, |n, b| n << 8 | u64::from(*b))
    }

    /// The number for a text.
    pub(super) fn digest(&self, text: &[u8]) -> u64 {
        self.keyed(b"heapscrub text 1\0", text)
    }

    /// What marks files that were sanitised with this key.
    pub(super) fn mark(&self) -> u64 {
        self.keyed(b"heapscrub mark 1\0", b"")
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}
