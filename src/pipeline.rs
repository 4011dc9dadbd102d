//! The only orchestration: all inputs of a call through all stages, on a thread pool of its own.

use crate::raw::detect::Rules;
use crate::raw::scrub::key::Key;
use crate::raw::scrub::names::SourceNames;
use crate::raw::scrub::values::Values;
use crate::{Error, Ingested, Input, Kind, Output, Scrubbed, Stage, Verified};

/// What may stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Only names that somebody vouches for; every value goes. For results that leave the company.
    #[default]
    Strict,
    /// Everything but what rules, holders and chance find. For results that stay within one circle of trust.
    Balanced,
}

impl Profile {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Balanced => "balanced",
        }
    }
}

/// What a run needs to know beside its inputs and outputs.
#[derive(Debug, Default)]
pub struct Settings {
    /// What may stay.
    pub profile: Profile,
    /// The rules in force.
    pub rules: Rules,
    /// Names of the user's own source trees.
    pub names: SourceNames,
    /// Values that must not stay.
    pub values: Values,
    /// The key for placeholders that are equal across runs.
    pub key: Option<Key>,
    /// Count what rules find even where everything goes anyway.
    pub survey: bool,
    /// Threads; 0 means one for each processor. The output does not depend on it.
    pub jobs: usize,
}

/// What failed, and at which input.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// The number of the input, from 0.
    pub input: usize,
    /// What failed.
    pub error: Error,
}

/// Reads, scrubs, writes and verifies the snapshots of one call, each into its output. What was found in one is removed
/// from all. What comes back can be published, or only counted if the output is a rehearsal.
///
/// # Errors
/// Any failure of any stage. Nothing is left behind then.
pub fn scrub(inputs: &[Input], outputs: Vec<Output>, settings: &Settings) -> Result<Vec<Verified>, Failure> {
    let at = |input: usize| move |error: Error| Failure { input, error };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.jobs).build();
    let busy = Error::new(Stage::Input, Kind::Io(std::io::ErrorKind::ResourceBusy));
    let pool = pool.map_err(|_| at(0)(busy))?;
    pool.install(|| {
        let read = inputs.iter().enumerate().map(|(i, input)| Ingested::read(input).map_err(at(i)));
        let ingested = read.collect::<Result<Vec<_>, _>>()?;
        let scrubbed = Scrubbed::all(ingested, settings).map_err(at(0))?;
        let written = scrubbed.into_iter().zip(outputs).enumerate();
        written.map(|(i, (scrubbed, output))| scrubbed.write(output).map_err(at(i))).collect()
    })
}
