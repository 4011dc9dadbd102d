//! The stages as types. Each consumes the one before, so that no step can be left out.

use super::ingest::{self, Source};
use super::input::Input;
use super::scrub::decide::{Decision, decide};
use super::scrub::sink::Sink;
use super::scrub::verify::{Expected, verify};
use crate::heap::Counts;
use crate::ledger::Ledger;
use crate::output::Output;
use crate::pipeline::{Profile, Settings};
use crate::{Error, Kind, Result, Stage};

/// A snapshot that was read and understood.
pub struct Ingested<'i> {
    input: &'i Input,
    format: &'static str,
    source: Box<dyn Source + 'i>,
}

impl<'i> Ingested<'i> {
    /// Reads an input with the format that recognises it.
    ///
    /// # Errors
    /// When no format does, or the file is damaged, cut off, or holds parts that are not understood.
    pub fn read(input: &'i Input) -> Result<Self> {
        let (format, source) = ingest::open(input)?;
        Ok(Self { input, format, source })
    }

    /// What the snapshot holds, counted.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.source.counts()
    }
}

impl std::fmt::Debug for Ingested<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ingested({}, {:?})", self.format, self.counts())
    }
}

/// A snapshot of which every text is decided.
#[derive(Debug)]
pub struct Scrubbed<'i, 'r> {
    ingested: Ingested<'i>,
    decision: Decision<'r>,
}

impl<'i, 'r> Scrubbed<'i, 'r> {
    /// Decides for every text of all snapshots of a call, in every role, what becomes of it.
    ///
    /// # Errors
    /// When two texts get the same number under the key.
    pub fn all(mut ingested: Vec<Ingested<'i>>, settings: &'r Settings) -> Result<Vec<Self>> {
        let mut sources: Vec<&mut dyn Source> = Vec::new();
        for one in &mut ingested {
            sources.push(&mut *one.source);
        }
        let decisions = decide(&mut sources, settings)?;
        Ok(ingested.into_iter().zip(decisions).map(|(ingested, decision)| Self { ingested, decision }).collect())
    }

    /// Writes the sanitised artifact and checks it from its bytes.
    ///
    /// This makes [`Verified`] with a file, or without one when the output is a rehearsal.
    ///
    /// # Errors
    /// When writing fails, the input changed meanwhile, or anything is found that nobody vouches for.
    pub fn write(self, mut output: Output) -> Result<Verified> {
        let Ingested { input, format, source } = self.ingested;
        let before = source.counts();
        output.fill(|out| {
            let mut sink = Sink::new(out);
            source.write(&self.decision.edits, &mut sink)?;
            sink.finish()
        })?;
        input.check_unchanged()?;
        let expected = Expected::of(&*source);
        // The columns of the input are not needed any more; those of the output take their place.
        drop(source);
        let written = Input::from_written(&output.plain()?)?;
        let after = verify(&written, &self.decision, expected)?;
        let profile = self.decision.profile;
        Ok(Verified { format, profile, before, after, ledger: self.decision.ledger, output })
    }
}

/// A sanitised artifact that was re-opened and found clean. Nothing else can be published.
#[derive(Debug)]
pub struct Verified {
    format: &'static str,
    profile: Profile,
    before: Counts,
    after: Counts,
    ledger: Ledger,
    output: Output,
}

impl Verified {
    /// The format of the snapshot.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// The profile it was made with.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Counts of the input and of the sanitised artifact.
    #[must_use]
    pub fn counts(&self) -> (Counts, Counts) {
        (self.before, self.after)
    }

    /// What was kept and replaced.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Gives the artifact its name, or copies it to the stream it is meant for. Returns its size in bytes.
    ///
    /// # Errors
    /// When the name is taken meanwhile, the stream fails, or there is no file because it was a rehearsal.
    pub fn publish(self) -> Result<u64> {
        if self.output.is_rehearsal() {
            return Err(Error::new(Stage::Write, Kind::Rehearsal));
        }
        self.output.publish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::ingest::role::{Role, off};

    fn sample(name: &str) -> Input {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
        Input::open(&path).expect("sample")
    }

    fn scrub<'i, 'r>(input: &'i Input, settings: &'r Settings) -> Scrubbed<'i, 'r> {
        let ingested = Ingested::read(input).expect("sample");
        Scrubbed::all(vec![ingested], settings).expect("no key").remove(0)
    }

    fn rehearse(scrubbed: Scrubbed<'_, '_>) -> Result<Verified> {
        scrubbed.write(Output::rehearsal().expect("temporary file"))
    }

    /// A reader that overlooks any one role must not get past verify, on real files that have all roles.
    #[test]
    fn verify_notices_a_role_that_the_reader_overlooks() {
        let settings = Settings::default();
        let mut noticed = Vec::new();
        for file in ["helpdesk.heapsnapshot.zst", "page.heaptimeline.zst"] {
            let input = sample(file);
            let whole = rehearse(scrub(&input, &settings)).expect("clean");
            for (role, _) in whole.ledger().roles().filter(|(role, _)| *role != Role::Unused) {
                off::ROLE.set(Some(role));
                let scrubbed = scrub(&input, &settings);
                off::ROLE.set(None);
                let kind = rehearse(scrubbed).map(|_| ()).map_err(|e| e.kind);
                assert!(matches!(kind, Err(Kind::Residue { .. })), "{file}, {}: {kind:?}", role.name());
                noticed.push(role);
            }
        }
        let missing: Vec<_> = Role::ALL.iter().filter(|r| **r != Role::Unused && !noticed.contains(r)).collect();
        assert!(missing.is_empty(), "roles that no sample has: {missing:?}");
    }
}
