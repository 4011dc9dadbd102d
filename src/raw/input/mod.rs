//! Opens an input as bytes: a mapped file, or memory for standard input and compressed files.
//!
//! Raw bytes never go to a temporary file. The single `unsafe` of the crate (the map) lives here.

pub(crate) mod archive;
mod compressed;

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::raw::ingest;
use crate::raw::scrub::key::Key;
use crate::raw::scrub::wall::RawStr;
use crate::{Error, Kind, Result, Stage, limits};

/// An opened input. It is read only; nothing in this crate can write through it.
pub struct Input {
    bytes: Bytes,
    file: Option<(File, Identity)>,
}

enum Bytes {
    Mapped(memmap2::Mmap),
    Owned(Zeroizing<Vec<u8>>),
}

/// How much a format looks at to recognise its files.
const HEAD_BYTES: u64 = 4096;

/// What tells whether a file is still the one that was opened.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Identity {
    fn of(meta: &Metadata) -> Self {
        Self { device: meta.dev(), inode: meta.ino(), size: meta.size(), modified: (meta.mtime(), meta.mtime_nsec()) }
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::io(Stage::Input, error)
}

impl Input {
    /// Opens a file: plain files are mapped, `.gz` and `.zst` (known by content) are decompressed into memory.
    ///
    /// # Errors
    /// When the file cannot be read, is empty, is a damaged archive, or grows past a limit.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, compressed::inflate)
    }

    fn open_with(path: &Path, inflate: impl Fn(&[u8]) -> Result<Option<Zeroizing<Vec<u8>>>>) -> Result<Self> {
        let file = File::open(path).map_err(|e| failed(&e))?;
        let meta = file.metadata().map_err(|e| failed(&e))?;
        if meta.is_dir() {
            return Err(Error::new(Stage::Input, Kind::Io(std::io::ErrorKind::IsADirectory)));
        }
        if !meta.is_file() {
            return Self::from_reader(file);
        }
        if meta.len() == 0 {
            return Err(Error::new(Stage::Input, Kind::Empty));
        }
        let identity = Identity::of(&meta);
        // SAFETY: the map is private and read-only. Another process that truncates the file while it is mapped
        // ends this one with SIGBUS: no output is left behind, and SECURITY.md says so.
        #[allow(unsafe_code)]
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| failed(&e))?;
        let bytes = match inflate(&map)? {
            Some(plain) => Bytes::Owned(plain),
            None => Bytes::Mapped(map),
        };
        Ok(Self { bytes, file: Some((file, identity)) })
    }

    /// Opens a file that may be a bundle: as it is, or unpacked if it is one frame of zstd and nothing else, so that
    /// nothing hides behind or between frames.
    pub(in crate::raw) fn bundle(path: &Path) -> Result<Self> {
        if std::fs::metadata(path).map_err(|e| failed(&e))?.is_file() {
            return Self::open_with(path, |bytes| {
                if compressed::is_zstd(bytes) { compressed::one_frame(bytes).map(Some) } else { Ok(None) }
            });
        }
        Err(Error::new(Stage::Input, Kind::UnknownFormat))
    }

    /// Maps a file of a received directory as it is, packed or not.
    pub(in crate::raw) fn as_it_is(path: &Path) -> Result<Self> {
        Self::open_with(path, |_| Ok(None))
    }

    /// A member of a received bundle: of so many bytes, unpacked once if it is packed.
    pub(in crate::raw) fn member(reader: impl Read, bytes: u64, is_packed: bool) -> Result<Self> {
        let mut all = Zeroizing::new(Vec::new());
        reader.take(bytes.saturating_add(1)).read_to_end(&mut all).map_err(|e| failed(&e))?;
        let bytes = if is_packed { compressed::one_frame(&all)? } else { all };
        Ok(Self { bytes: Bytes::Owned(bytes), file: None })
    }

    /// Reads everything from a stream (standard input, a pipe) into memory.
    ///
    /// # Errors
    /// As for [`Input::open`].
    pub fn from_reader(mut reader: impl Read) -> Result<Self> {
        let mut bytes = Zeroizing::new(Vec::new());
        // A stream of something else is not read to its end: it may have none.
        reader.by_ref().take(HEAD_BYTES).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
        if !bytes.is_empty() && !compressed::is_packed(&bytes) {
            ingest::recognise(RawStr::new(&bytes))?;
        }
        Self::rest(bytes, reader, limits::PLAIN_BYTES)
    }

    /// Opens a file of memory over time; a pipe is read to its end, within the bound of such files.
    ///
    /// # Errors
    /// As for [`Input::open`].
    pub fn series(path: &Path) -> Result<Self> {
        let meta = std::fs::metadata(path).map_err(|e| failed(&e))?;
        if meta.is_file() || meta.is_dir() {
            return Self::open(path);
        }
        Self::series_from(File::open(path).map_err(|e| failed(&e))?)
    }

    /// The same from a stream (standard input).
    ///
    /// # Errors
    /// As for [`Input::open`].
    pub fn series_from(reader: impl Read) -> Result<Self> {
        Self::rest(Zeroizing::new(Vec::new()), reader, limits::SERIES_BYTES)
    }

    /// Reads a member of an archive into memory: the numbers lead to it, one for each archive in an archive.
    pub(crate) fn within(path: &Path, numbers: &[u32]) -> Result<Self> {
        if numbers.is_empty() { Self::open(path) } else { archive::member(path, numbers) }
    }

    /// What stands for the content where it must not stand: equal for equal contents under one key.
    pub(crate) fn stands_for(&self, key: &Key) -> [u8; 16] {
        let sha256: [u8; 32] = Sha256::digest(self.bytes()).into();
        key.stands_for(b"heapscrub input 1\0", &[&sha256])
    }

    /// The same of a file that is not opened yet.
    pub(crate) fn open_state(path: &Path) -> Result<(u64, i128)> {
        let meta = std::fs::metadata(path).map_err(|e| failed(&e))?;
        Ok((meta.size(), i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec())))
    }

    /// Bytes when unpacked.
    pub(crate) fn plain_bytes(&self) -> u64 {
        self.bytes().len() as u64
    }

    /// The size and the time of the last change (nanoseconds) of the file that was opened.
    pub(crate) fn file_state(&self) -> Option<(u64, i128)> {
        let (_, identity) = self.file.as_ref()?;
        let (seconds, nanoseconds) = identity.modified;
        Some((identity.size, i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)))
    }

    /// Reads what is left of a stream.
    fn rest(mut bytes: Zeroizing<Vec<u8>>, reader: impl Read, most: u64) -> Result<Self> {
        reader.take(most + 1 - bytes.len() as u64).read_to_end(&mut bytes).map_err(|e| failed(&e))?;
        if bytes.len() as u64 > most {
            let kind = Kind::Limit { what: "bytes of input", limit: most };
            return Err(Error::new(Stage::Input, kind));
        }
        if bytes.is_empty() {
            return Err(Error::new(Stage::Input, Kind::Empty));
        }
        let bytes = match compressed::inflate(&bytes)? {
            Some(plain) => plain,
            None => bytes,
        };
        Ok(Self { bytes: Bytes::Owned(bytes), file: None })
    }

    /// Maps a file that this program wrote itself.
    pub(in crate::raw) fn from_written(file: &File) -> Result<Self> {
        // SAFETY: the file is ours, has no name or a name nobody knows yet, and is not written any more.
        #[allow(unsafe_code)]
        let map = unsafe { memmap2::Mmap::map(file) }.map_err(|e| Error::io(Stage::Verify, &e))?;
        Ok(Self { bytes: Bytes::Mapped(map), file: None })
    }

    /// Is `path` this very file?
    #[must_use]
    pub fn is_same_file(&self, path: &Path) -> bool {
        let (Some((_, mine)), Ok(meta)) = (&self.file, std::fs::metadata(path)) else { return false };
        (mine.device, mine.inode) == (meta.dev(), meta.ino())
    }

    /// Fails if the file was written to since it was opened.
    pub(in crate::raw) fn check_unchanged(&self) -> Result<()> {
        let Some((file, before)) = &self.file else { return Ok(()) };
        let now = Identity::of(&file.metadata().map_err(|e| failed(&e))?);
        if now == *before { Ok(()) } else { Err(Error::new(Stage::Input, Kind::InputChanged)) }
    }

    /// The plain bytes.
    pub(in crate::raw) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }

    /// The first bytes, for guessing the format.
    pub(in crate::raw) fn head(&self) -> RawStr<'_> {
        let bytes = self.bytes();
        RawStr::new(&bytes[..bytes.len().min(HEAD_BYTES as usize)])
    }
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Input({} bytes)", self.bytes().len())
    }
}
