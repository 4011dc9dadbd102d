//! Where a dump lies: a file, or a member of an archive.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::hex::Hex;
use crate::Key;

/// A path that survives JSON even if it is no UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
enum Spelled {
    Text(String),
    Bytes(Vec<u8>),
}

/// Where a dump lies, and in which state the file was when it was found. Private: names of customers may be in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    path: Spelled,
    /// What the path is called in patterns: from the directory on that the user named.
    pub(crate) called: String,
    /// The numbers of the members that lead to it.
    pub(crate) members: Vec<u32>,
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub(crate) changed_ns: i128,
}

impl Place {
    pub(crate) fn new(path: &Path, called: String, bytes: u64, changed_ns: i128) -> Self {
        let raw = path.as_os_str().as_bytes();
        let spelled = match std::str::from_utf8(raw) {
            Ok(text) => Spelled::Text(text.to_owned()),
            Err(_) => Spelled::Bytes(raw.to_vec()),
        };
        Self { path: spelled, called, members: Vec::new(), bytes, changed_ns }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        match &self.path {
            Spelled::Text(text) => PathBuf::from(text),
            Spelled::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes.clone())),
        }
    }

    /// What it is called, for people: the path, and the members behind exclamation marks.
    #[must_use]
    pub fn called(&self) -> &str {
        &self.called
    }

    /// When the file was last changed, in seconds since 1970.
    pub(crate) fn changed(&self) -> i64 {
        i64::try_from(self.changed_ns.div_euclid(1_000_000_000)).unwrap_or(0)
    }

    /// What stands for it where it must not stand: place, size and time of the last change.
    pub(crate) fn key(&self, key: &Key) -> Hex {
        let path = self.path();
        let members: Vec<u8> = self.members.iter().flat_map(|n| n.to_be_bytes()).collect();
        let parts =
            [path.as_os_str().as_bytes(), &members, &self.bytes.to_be_bytes()[..], &self.changed_ns.to_be_bytes()[..]];
        Hex::of(&key.stands_for(b"heapscrub item 1\0", &parts))
    }
}
