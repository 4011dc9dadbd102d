//! Raw dumps among other files: known by content, in whatever they are packed and whatever they are called.
//!
//! Also kinds that this version cannot scrub. Nothing of a file is given out but which kind it is.

mod kind;
mod look;
mod zip;

use std::path::Path;

pub use self::kind::Dump;
use self::look::Look;
use super::ingest::Source;
use super::input::Input;
use super::receive::Received;
use super::scrub::labels;
use super::scrub::verify::recheck;
use crate::heap::StrId;
use crate::pipeline::{Settings, with_threads};
use crate::profile::Profile;
use crate::{Error, Ingested, Kind, Result, Stage};

/// What was seen in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The kind of dump that it is or holds, unless that was sanitised.
    pub dump: Option<Dump>,
    /// Does it lie inside an archive or a packed file?
    pub is_packed: bool,
    /// What could not be looked into.
    pub closed: Option<&'static str>,
}

impl Seen {
    /// Looks at a file. Links, devices and empty files hold nothing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn in_file(path: &Path, settings: &Settings) -> Result<Self> {
        let meta = path.symlink_metadata().map_err(|e| Error::io(Stage::Input, &e))?;
        if !meta.is_file() || meta.len() == 0 {
            return Ok(Self::default());
        }
        let input = Input::as_it_is(path)?;
        let mut seen = with_threads(settings.jobs, || Look::new(settings, input.bytes().len()).file(&input))?;
        // Pieces of a bundle in parts are no snapshots by themselves; the bundle may be one that holds nothing raw.
        if seen.dump.is_some() && seen.is_packed && is_clean_bundle(path, settings) {
            seen.dump = None;
        }
        if seen.closed.is_some() && seen.dump.is_none() && is_named_like_a_dump(path) {
            seen.dump = Some(Dump::Closed);
        }
        Ok(seen)
    }
}

fn is_clean_bundle(path: &Path, settings: &Settings) -> bool {
    Received::open(&[path.to_owned()]).is_ok_and(|received| received.check(settings).is_ok())
}

/// Where nobody can look inside, the name decides.
fn is_named_like_a_dump(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let parts = ["heapsnapshot", "heaptimeline", "hprof", "heapdump", "heap-dump", "heap_dump", "coredump"];
    parts.iter().any(|part| name.contains(part))
        || name.starts_with("core.")
        || [".dmp.", ".mdmp.", ".jfr."].iter().any(|end| name.contains(end))
}

/// Was this dump sanitised, as far as rules of this program can tell? It must say so itself, and nothing may be found in it;
/// a kind that cannot say so must hold nothing but placeholders and what is vouched for.
fn is_sanitised(input: &Input, settings: &Settings) -> bool {
    let check = || -> Result<()> {
        let ingested = Ingested::read(input)?;
        let source = ingested.source();
        let profile = match (source.has_table(), is_marked(source)) {
            (true, false) => return Err(Error::new(Stage::Receive, Kind::UnknownFormat)),
            (true, true) => Profile::Balanced,
            (false, _) => Profile::Strict,
        };
        recheck(ingested, input, profile, settings)
    };
    check().is_ok()
}

/// Is there the entry that nothing refers to, in which a result of this program says what it is?
fn is_marked(source: &dyn Source) -> bool {
    let mut scratch = Vec::new();
    (0..source.counts().strings as u32)
        .map(StrId)
        .any(|id| source.roles(id).is_empty() && labels::mark(source.text(id, &mut scratch).expose()).is_some())
}

#[cfg(test)]
mod tests;
