//! The only orchestration: one input through all stages, on a thread pool of its own.

use crate::raw::detect::Rules;
use crate::raw::scrub::names::SourceNames;
use crate::{Error, Ingested, Input, Kind, Output, Result, Stage, Verified};

/// What a run needs to know beside its input and output.
#[derive(Debug)]
pub struct Settings {
    /// The rules in force.
    pub rules: Rules,
    /// Names of the user's own source trees.
    pub names: SourceNames,
    /// Threads; 0 means one for each processor. The output does not depend on it.
    pub jobs: usize,
}

/// Reads, scrubs, writes and verifies one snapshot. What comes back can be published, or only counted if the
/// output is a rehearsal.
///
/// # Errors
/// Any failure of any stage. Nothing is left behind then.
pub fn scrub(input: &Input, output: Output, settings: &Settings) -> Result<Verified> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.jobs).build();
    let pool = pool.map_err(|_| Error::new(Stage::Input, Kind::Io(std::io::ErrorKind::ResourceBusy)))?;
    pool.install(|| Ingested::read(input)?.scrub(&settings.rules, &settings.names).write(output))
}
