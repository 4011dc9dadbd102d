//! Where the sanitised artifact goes: a file that has no name until it was verified.
//!
//! Nothing here sees raw text: bytes come from the sink, and are read back only by verify.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use zstd::zstd_safe::CParameter;

use crate::{Error, Kind, Result, Stage};

/// How the artifact is packed, told by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// As `.gz`.
    Gzip,
    /// As `.zst`.
    Zstd,
}

impl Packing {
    /// The packing that a file name asks for.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|e| e.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::Plain,
        }
    }
}

enum Target {
    File {
        path: PathBuf,
        replace: bool,
    },
    Stream(Box<dyn Write + Send>),
    /// A member of a bundle, which is published as a part of it.
    Member,
    Nowhere,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::File { .. } => "File",
            Self::Stream(_) => "Stream",
            Self::Member => "Member",
            Self::Nowhere => "Nowhere",
        })
    }
}

/// An output that is not there yet.
#[derive(Debug)]
pub struct Output {
    target: Target,
    scratch: Scratch,
    packing: Packing,
    level: i32,
    threads: u32,
}

fn failed(error: &io::Error) -> Error {
    Error::io(Stage::Write, error)
}

impl Output {
    /// An artifact that will get this name. `replace` allows it to take the place of an existing file.
    ///
    /// # Errors
    /// When the name is taken, or the directory cannot be written to.
    pub fn file(path: &Path, replace: bool) -> Result<Self> {
        // Only a file (or a link, which is replaced itself) may be replaced: never a device, a pipe or a directory.
        if path.symlink_metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_symlink()) {
            return Err(Error::new(Stage::Write, Kind::OutputNotAFile));
        }
        if !replace && path.symlink_metadata().is_ok() {
            return Err(Error::new(Stage::Write, Kind::OutputExists));
        }
        let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let target = Target::File { path: path.to_owned(), replace };
        Ok(Self { target, scratch: Scratch::new(directory)?, packing: Packing::of(path), level: 3, threads: 1 })
    }

    /// An artifact that goes to a stream (standard output), after it was verified.
    ///
    /// # Errors
    /// When the directory for temporary files cannot be written to.
    pub fn stream(out: Box<dyn Write + Send>) -> Result<Self> {
        Self::unnamed(Target::Stream(out))
    }

    /// A rehearsal: the same writer and the same checks, and nothing that could be published.
    ///
    /// # Errors
    /// When the directory for temporary files cannot be written to.
    pub fn rehearsal() -> Result<Self> {
        Self::unnamed(Target::Nowhere)
    }

    /// The same, with the file that has no name in this directory.
    pub(crate) fn rehearsal_in(directory: &Path) -> Result<Self> {
        let scratch = Scratch::new(directory)?.without_name()?;
        Ok(Self { target: Target::Nowhere, scratch, packing: Packing::Plain, level: 3, threads: 1 })
    }

    /// An artifact that becomes a member of a bundle in this directory.
    pub(crate) fn member(directory: &Path, packing: Packing) -> Result<Self> {
        let scratch = Scratch::new(directory)?.without_name()?;
        Ok(Self { target: Target::Member, scratch, packing, level: 3, threads: 1 })
    }

    /// Brings everything to the disk, so that giving the name takes no time.
    pub(crate) fn settle(&self) -> Result<()> {
        self.scratch.file.sync_all().map_err(|e| failed(&e))
    }

    /// Bytes written so far.
    pub(crate) fn size(&self) -> Result<u64> {
        self.scratch.file.metadata().map(|meta| meta.len()).map_err(|e| failed(&e))
    }

    /// The file of a member as it lies, and its size. Only a bundle of what was verified calls this.
    pub(crate) fn member_file(&self) -> Result<(File, u64)> {
        if !matches!(self.target, Target::Member) {
            return Err(Error::new(Stage::Write, Kind::Rehearsal));
        }
        let file = self.scratch.file.try_clone().map_err(|e| failed(&e))?;
        let size = file.metadata().map_err(|e| failed(&e))?.len();
        Ok((file, size))
    }

    /// Another packing than the name asks for.
    pub(crate) fn packed(mut self, packing: Packing) -> Self {
        self.packing = packing;
        self
    }

    fn unnamed(target: Target) -> Result<Self> {
        let scratch = Scratch::new(&std::env::temp_dir())?.without_name()?;
        Ok(Self { target, scratch, packing: Packing::Plain, level: 3, threads: 1 })
    }

    /// Level of compression and number of threads; the bytes do not depend on the threads.
    #[must_use]
    pub fn with_effort(mut self, level: i32, threads: u32) -> Self {
        (self.level, self.threads) = (level, threads.max(1));
        self
    }

    pub(crate) fn is_rehearsal(&self) -> bool {
        matches!(self.target, Target::Nowhere | Target::Member)
    }

    /// Runs a writer into the file, through the compressor if there is one.
    pub(crate) fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let file = &self.scratch.file;
        match self.packing {
            Packing::Plain => write(&mut &*file),
            Packing::Gzip => {
                let level = flate2::Compression::new(self.level.clamp(1, 9).unsigned_abs());
                let mut encoder = flate2::write::GzEncoder::new(BufWriter::new(file), level);
                write(&mut encoder)?;
                encoder.finish().and_then(|mut inner| inner.flush()).map_err(|e| failed(&e))
            }
            Packing::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(file, self.level).map_err(|e| failed(&e))?;
                // A frame made by one worker equals that of many; one made without workers does not.
                encoder.multithread(self.threads).map_err(|e| failed(&e))?;
                encoder.include_checksum(true).map_err(|e| failed(&e))?;
                // Workers hold several jobs in memory; the default size of one is 8 MiB.
                encoder.set_parameter(CParameter::JobSize(1 << 20)).map_err(|e| failed(&e))?;
                write(&mut encoder)?;
                encoder.finish().map(drop).map_err(|e| failed(&e))
            }
        }
    }

    /// The plain form of what was written, read back from the file.
    pub(crate) fn plain(&self) -> Result<File> {
        let mut file = self.scratch.file.try_clone().map_err(|e| failed(&e))?;
        file.rewind().map_err(|e| failed(&e))?;
        let mut unpacked: Box<dyn Read + '_> = match self.packing {
            Packing::Plain => return Ok(file),
            Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
            Packing::Zstd => Box::new(zstd::stream::read::Decoder::new(file).map_err(|e| failed(&e))?),
        };
        // Already sanitised, and without a name.
        let plain = Scratch::new(&self.scratch.directory)?.without_name()?;
        io::copy(&mut unpacked, &mut &plain.file).map_err(|e| failed(&e))?;
        plain.file.try_clone().map_err(|e| failed(&e))
    }

    /// Gives the file its name. Only what was verified is published.
    pub(crate) fn publish(self) -> Result<u64> {
        self.publish_as(false)
    }

    /// Gives one of several files its name; it is removed again if the program is interrupted before [`all_published`].
    pub(crate) fn publish_one_of_several(self) -> Result<u64> {
        self.publish_as(true)
    }

    fn publish_as(mut self, is_one_of_several: bool) -> Result<u64> {
        let size = self.scratch.file.metadata().map_err(|e| failed(&e))?.len();
        match &mut self.target {
            Target::File { path, replace } => {
                self.scratch.file.sync_all().map_err(|e| failed(&e))?;
                let mut names = partial();
                self.scratch.link(path, *replace)?;
                if is_one_of_several {
                    names.push(path.clone());
                }
            }
            Target::Stream(out) => {
                let mut file = &self.scratch.file;
                file.rewind().map_err(|e| failed(&e))?;
                match io::copy(&mut file, out).and_then(|_| out.flush()) {
                    Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {}
                    other => other.map_err(|e| failed(&e))?,
                }
            }
            Target::Member | Target::Nowhere => {}
        }
        Ok(size)
    }
}

/// Names that are not final, to be removed if the program is interrupted.
static PARTIAL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn partial() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of names is sound whatever happened to the thread that held it.
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget(path: &Path) {
    partial().retain(|known| known != path);
}

/// Several files belong together, and all of them have their names now.
pub(crate) fn all_published(paths: &[PathBuf]) {
    partial().retain(|known| !paths.contains(known));
}

/// Removes everything that has no final name yet; for the end of a program that is interrupted. Nothing can get a name
/// afterwards.
pub fn abandon() {
    // Never let go again: whoever wants to give a name waits until the program has ended.
    let names = ManuallyDrop::new(partial());
    for name in names.iter() {
        // Whatever cannot be removed now could not be removed later either.
        let _ = if name.is_dir() { std::fs::remove_dir_all(name) } else { std::fs::remove_file(name) };
    }
}

/// A file in a directory, readable by its owner only. Without a name where the file system can do that;
/// otherwise under a random name that is removed when it is dropped.
#[derive(Debug)]
struct Scratch {
    file: File,
    directory: PathBuf,
    name: Option<PathBuf>,
}

const PRIVATE: Mode = Mode::from_raw_mode(0o600);

impl Scratch {
    fn new(directory: &Path) -> Result<Self> {
        #[cfg(target_os = "linux")]
        if let Ok(fd) = rustix::fs::openat(CWD, directory, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, PRIVATE) {
            return Ok(Self { file: fd.into(), directory: directory.to_owned(), name: None });
        }
        let name = directory.join(random_name());
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let mut names = partial();
        let fd = rustix::fs::openat(CWD, &name, flags, PRIVATE).map_err(|e| failed(&e.into()))?;
        names.push(name.clone());
        Ok(Self { file: fd.into(), directory: directory.to_owned(), name: Some(name) })
    }

    /// Takes the random name away: the file vanishes with the process.
    fn without_name(mut self) -> Result<Self> {
        if let Some(name) = self.name.take() {
            forget(&name);
            std::fs::remove_file(name).map_err(|e| failed(&e))?;
        }
        Ok(self)
    }

    /// Gives the file its name; an existing file of that name is replaced in one step, or is an error.
    fn link(&mut self, path: &Path, replace: bool) -> Result<()> {
        let from = match &self.name {
            Some(name) => name.clone(),
            None => PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd())),
        };
        let link =
            |to: &Path| rustix::fs::linkat(CWD, &from, CWD, to, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from);
        if replace {
            let beside = self.directory.join(random_name());
            link(&beside).map_err(|e| failed(&e))?;
            return std::fs::rename(&beside, path).map_err(|e| {
                // The name is ours; if it cannot be removed either, the first error is the one that matters.
                let _ = std::fs::remove_file(&beside);
                failed(&e)
            });
        }
        link(path).map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => Error::new(Stage::Write, Kind::OutputExists),
            _ => failed(&e),
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(name) = self.name.take() {
            // Nothing can be done about a failure while dropping; the file is private to its owner.
            let _ = std::fs::remove_file(&name);
            forget(&name);
        }
    }
}

/// A directory under a random name until all of it was written and checked; removed when it is dropped before.
#[derive(Debug)]
pub(crate) struct PartialDirectory {
    path: PathBuf,
    published: bool,
}

impl PartialDirectory {
    pub(crate) fn new(parent: &Path) -> Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        let path = parent.join(random_name());
        let mut names = partial();
        std::fs::DirBuilder::new().mode(0o700).create(&path).map_err(|e| failed(&e))?;
        names.push(path.clone());
        Ok(Self { path, published: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of all files in it.
    pub(crate) fn size(&self) -> Result<u64> {
        let files = walkdir::WalkDir::new(&self.path).into_iter().map(|entry| {
            let meta = entry.and_then(|entry| entry.metadata()).map_err(|e| failed(&e.into()))?;
            Ok(if meta.is_file() { meta.len() } else { 0 })
        });
        files.sum()
    }

    /// Writes a file, readable by its owner only. The name is one of the closed list of members: at most one level deep.
    pub(crate) fn write(&self, name: &str, source: &mut dyn Read) -> Result<u64> {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        let path = self.path.join(name);
        // Not while the program is being interrupted, which removes the directory.
        let names = partial();
        if let Some(parent) = path.parent() {
            std::fs::DirBuilder::new().mode(0o700).recursive(true).create(parent).map_err(|e| failed(&e))?;
        }
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(path).map_err(|e| failed(&e))?;
        drop(names);
        let bytes = io::copy(source, &mut file).map_err(|e| failed(&e))?;
        file.sync_all().map_err(|e| failed(&e))?;
        Ok(bytes)
    }

    /// Gives the directory its name. Returns the bytes in it.
    pub(crate) fn publish(mut self, path: &Path) -> Result<u64> {
        let bytes = self.size()?;
        let mut names = partial();
        // In one step, and never over something that is there.
        #[cfg(target_os = "linux")]
        let renamed = rustix::fs::renameat_with(CWD, &self.path, CWD, path, rustix::fs::RenameFlags::NOREPLACE)
            .map_err(io::Error::from);
        #[cfg(not(target_os = "linux"))]
        let renamed = std::fs::rename(&self.path, path);
        renamed.map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => Error::new(Stage::Write, Kind::DirectoryExists),
            _ => failed(&e),
        })?;
        self.published = true;
        names.retain(|known| *known != self.path);
        drop(names);
        Ok(bytes)
    }
}

impl Drop for PartialDirectory {
    fn drop(&mut self) {
        if !self.published {
            // Nothing can be done about a failure while dropping; the directory is private to its owner.
            let _ = std::fs::remove_dir_all(&self.path);
            forget(&self.path);
        }
    }
}

fn random_name() -> String {
    use std::hash::{BuildHasher, RandomState};
    format!(".heapscrub-{:016x}.partial", RandomState::new().hash_one(std::process::id()))
}
