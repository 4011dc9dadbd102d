//! The key for placeholders that are equal across runs: `--key-file`.

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
        let file = std::fs::File::open(path).map_err(|e| failed(&e))?;
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
