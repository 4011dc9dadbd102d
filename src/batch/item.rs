//! One dump: in, a report and a row out. A worker does this, and so does `heapscrub item`.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::hex::Hex;
use super::place::Place;
use super::row::{Extension, Row, State, Why, Written};
use crate::raw::input::archive;
use crate::{
    Bundle, CheckedReport, Choice, Container, Error, Input, Key, Kind, Output, Result, SafeText, Settings, Stage,
    report,
};

/// What is written beside the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Emit {
    /// Nothing.
    #[default]
    Report,
    /// The sanitised snapshot.
    Snapshot,
    /// A bundle.
    Bundle,
}

/// What a worker is told, beside its settings and the key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The dump.
    pub place: Place,
    /// What stands for it.
    pub item: Hex,
    /// The directory of results.
    pub out: PathBuf,
    /// What is written beside the report.
    pub emit: Emit,
    /// Classes in report and row; 0 for all.
    pub limit: usize,
    /// Threads.
    pub threads: usize,
    /// Bytes of memory that the worker may take; 0 for no bound.
    pub memory: u64,
    /// Read the dump and say what stands for its content, nothing else.
    pub only_digest: bool,
}

/// The directory of results of single items, below that of all results.
pub(crate) const ITEMS: &str = "items";

impl Job {
    /// Prepares the summary of one file that lies nowhere but here.
    ///
    /// # Errors
    /// When the file is not there.
    pub fn of_file(path: &Path, out: &Path, key: &Key) -> Result<Self> {
        let failed = |e: &std::io::Error| Error::io(Stage::Input, e);
        let full = std::fs::canonicalize(path).map_err(|e| failed(&e))?;
        let called = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (bytes, changed_ns) = Input::open_state(&full)?;
        let place = Place::new(&full, called, bytes, changed_ns);
        let item = place.key(key);
        let emit = Emit::default();
        Ok(Self { place, item, out: out.to_owned(), emit, limit: 1000, threads: 0, memory: 0, only_digest: false })
    }

    pub(crate) fn file(&self, end: &str) -> PathBuf {
        self.out.join(ITEMS).join(format!("{}.{end}", self.item))
    }
}

/// What stands for a key: rows of one job have the same.
#[must_use]
pub fn job(key: &Key) -> Hex {
    job_of(key)
}

/// The row of an item that failed.
#[must_use]
pub fn failed(job: &Hex, of: &Job, error: Error, why: SafeText) -> Row {
    let mut row = Row::failed(job.clone(), of.item.clone(), Why::of(error), why);
    archive::look(&of.place.path(), &mut |seen| {
        let numbers: Vec<u32> = seen.members.iter().map(|member| member.number).collect();
        if let Some(probe) = seen.probe.ok().filter(|_| numbers == of.place.members) {
            row.format = Some(SafeText::literal(probe.format));
        }
    });
    Row { changed: of.place.changed(), file_bytes: of.place.bytes, ..row }
}

pub(crate) fn job_of(key: &Key) -> Hex {
    Hex::of(&key.stands_for(b"heapscrub job 1\0", &[]))
}

/// Summarises a dump. Files are placed under their names when everything was checked, the report last.
///
/// # Errors
/// Any failure of any stage; then nothing is left behind that an index would name.
pub fn run(job: &Job, settings: &mut Settings) -> Result<Row> {
    let key = settings.key.as_ref().ok_or(Error::new(Stage::Input, Kind::KeyLength))?;
    let input = Input::within(&job.place.path(), &job.place.members)?;
    if input.file_state() != Some((job.place.bytes, job.place.changed_ns)) {
        return Err(Error::new(Stage::Input, Kind::InputChanged));
    }
    let mut row = Row::new(job_of(key), job.item.clone(), State::Done);
    row.input = Some(Hex::of(&input.stands_for(key)));
    (row.input_bytes, row.changed, row.file_bytes) = (input.plain_bytes(), job.place.changed(), job.place.bytes);
    if job.only_digest {
        return Ok(row);
    }
    (settings.report, settings.survey, settings.jobs) = (true, true, job.threads);
    let settings = &*settings;
    std::fs::create_dir_all(job.out.join(ITEMS)).map_err(|e| Error::io(Stage::Write, &e))?;
    let bundle = Choice {
        container: Container::Zip,
        level: 3,
        threads: 1,
        path: Some(job.file("zip")),
        force: true,
        ..Choice::default()
    };
    let unnamed = job.file("partial.zst");
    let outputs = match job.emit {
        Emit::Report => vec![Output::rehearsal_in(&job.out.join(ITEMS))?],
        Emit::Snapshot => vec![Output::file(&unnamed, true)?],
        Emit::Bundle => bundle.outputs(1)?,
    };
    let mut outcome = crate::scrub(std::slice::from_ref(&input), outputs, settings).map_err(|failure| failure.error)?;
    let report = report::build(&outcome, settings, job.limit);
    let checked = outcome.check_report(&report)?;
    let mut row = row.told(&report);
    outcome.check_row(&row.line_without_digests())?;
    match job.emit {
        Emit::Report => {}
        Emit::Snapshot => {
            for verified in std::mem::take(&mut outcome.verified) {
                let end = format!("{}.zst", verified.extension());
                verified.publish()?;
                let path = job.file(&end);
                std::fs::rename(&unnamed, &path).map_err(|e| Error::io(Stage::Write, &e))?;
                row.written.push(written(&path, &end)?);
            }
        }
        Emit::Bundle => {
            let made = Bundle::assemble(&outcome, &report, settings, &bundle).map_err(|unmade| unmade.error)?;
            made.publish()?;
            row.written.push(written(&job.file("zip"), "zip")?);
        }
    }
    row.report = Some(Hex::of(&Sha256::digest(checked.json.as_bytes())));
    CheckedReport::publish(&checked.json, Output::file(&job.file("report.json"), true)?)?;
    Ok(row)
}

/// What was written under this name.
fn written(path: &Path, end: &str) -> Result<Written> {
    let failed = |e: &std::io::Error| Error::io(Stage::Write, e);
    let mut file = std::fs::File::open(path).map_err(|e| failed(&e))?;
    let mut digest = Sha256::new();
    let (mut bytes, mut piece) = (0, vec![0; 1 << 17]);
    loop {
        let got = file.read(&mut piece).map_err(|e| failed(&e))?;
        if got == 0 {
            break;
        }
        digest.update(&piece[..got]);
        bytes += got as u64;
    }
    let extension = Extension::new(end).ok_or(Error::new(Stage::Write, Kind::Rehearsal))?;
    Ok(Written { extension, bytes, sha256: Hex::of(&digest.finalize()) })
}

/// Are the results of a row still there, as they were made?
pub(crate) fn is_there(row: &Row, out: &Path) -> bool {
    let place = |end: &str| out.join(ITEMS).join(format!("{}.{end}", row.item));
    let Some(report) = &row.report else { return row.state != State::Done };
    let is_report = |bytes: Vec<u8>| Hex::of(&Sha256::digest(&bytes)) == *report;
    std::fs::read(place("report.json")).is_ok_and(is_report)
        && row
            .written
            .iter()
            .all(|one| written(&place(one.extension.as_str()), one.extension.as_str()).as_ref() == Ok(one))
}
