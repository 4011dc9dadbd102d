//! What was done, line by line, each on the disk before the next item counts: a crash loses nothing but what was running.
//!
//! Private (mode 0600, in a directory of mode 0700): it names the files of the archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::hex::Hex;
use super::place::Place;
use super::row::Row;
use crate::raw::names::Names;
use crate::{Error, Kind, Result, Stage};

/// The directory of what a job keeps for itself, below that of its results.
pub const STATE: &str = ".state";

/// One line.
#[derive(Debug, Serialize, Deserialize)]
struct Line<T> {
    /// What stands for the settings it was done with.
    settings: Hex,
    /// How often it was tried.
    attempts: u32,
    /// How long it took, in milliseconds.
    took_ms: u64,
    /// The most memory that its worker had, in bytes.
    peak_bytes: u64,
    place: Place,
    row: Row<T>,
}

/// What was done of one item.
#[derive(Debug)]
pub struct Entry {
    /// What came of it.
    pub row: Row,
    /// What stands for the settings it was done with.
    pub(crate) settings: Hex,
    pub(crate) took_ms: u64,
    pub(crate) place: Place,
}

/// How an item went, beside what came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) attempts: u32,
    pub(crate) took_ms: u64,
    pub(crate) peak_bytes: u64,
}

/// The journal of a job; nobody else writes it meanwhile.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// Bytes of whole lines.
    end: u64,
    settings: Hex,
    /// Lines that could not be read; their items are done again.
    pub damaged: u64,
}

fn failed(error: &std::io::Error) -> Error {
    Error::io(Stage::Write, error)
}

/// Makes the directory of what a job keeps for itself.
///
/// # Errors
/// When it cannot be made.
pub fn state_directory(out: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(out).map_err(|e| failed(&e))?;
    let state = out.join(STATE);
    match std::fs::DirBuilder::new().mode(0o700).create(&state) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => Err(failed(&e)),
        _ => Ok(state),
    }
}

/// Takes away what a run that was killed could not give its name any more.
fn sweep(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_partial = name.starts_with(".heapscrub-") && name.ends_with(".partial");
        if is_partial || name.ends_with(".partial.zst") {
            // What cannot be removed does no harm: it is sanitised, and no row names it.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

impl Journal {
    /// Opens the journal of a job, and reads what was done. The last line of an item counts. A last line that was cut off is
    /// taken away.
    ///
    /// # Errors
    /// When it cannot be read or written, or another run of this job is going on.
    pub(crate) fn open(state: &Path, settings: Hex, names: &mut Names<'_>) -> Result<(Self, BTreeMap<Hex, Entry>)> {
        let path = state.join("journal.jsonl");
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(path).map_err(|e| failed(&e))?;
        let busy = |_| Error::new(Stage::Write, Kind::Io(std::io::ErrorKind::ResourceBusy));
        rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).map_err(busy)?;
        let mut journal = Self { file, end: 0, settings, damaged: 0 };
        let entries = journal.read(names)?;
        journal.cut()?;
        // Nobody else writes here now.
        if let Some(out) = state.parent() {
            sweep(out);
            sweep(&out.join(super::item::ITEMS));
        }
        Ok((journal, entries))
    }

    fn read(&mut self, names: &mut Names<'_>) -> Result<BTreeMap<Hex, Entry>> {
        let mut entries = BTreeMap::new();
        let mut reader = BufReader::new(&self.file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let got = reader.read_until(b'\n', &mut line).map_err(|e| failed(&e))?;
            if line.last() != Some(&b'\n') {
                return Ok(entries);
            }
            self.end += got as u64;
            match serde_json::from_slice::<Line<String>>(&line) {
                Ok(Line { settings, took_ms, place, row, .. }) => {
                    let row = row.vouched(names);
                    entries.insert(row.item.clone(), Entry { row, settings, took_ms, place });
                }
                Err(_) => self.damaged += 1,
            }
        }
    }

    /// Takes away what stands behind the last whole line.
    fn cut(&mut self) -> Result<()> {
        self.file.set_len(self.end).map_err(|e| failed(&e))?;
        self.file.seek(SeekFrom::Start(self.end)).map(drop).map_err(|e| failed(&e))
    }

    /// Writes a line, down to the disk.
    pub(crate) fn append(&mut self, place: &Place, row: &Row, effort: Effort) -> Result<()> {
        let Effort { attempts, took_ms, peak_bytes } = effort;
        let line = Line {
            settings: self.settings.clone(),
            attempts,
            took_ms,
            peak_bytes,
            place: place.clone(),
            row: row.clone(),
        };
        let mut text = serde_json::to_vec(&line).unwrap_or_else(|_| unreachable!("a line serialises"));
        text.push(b'\n');
        let done = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        if let Err(error) = done {
            self.cut()?;
            return Err(failed(&error));
        }
        self.end += text.len() as u64;
        Ok(())
    }
}
