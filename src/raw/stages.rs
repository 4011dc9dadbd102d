//! The stages as types. Each consumes the one before, so that no step can be left out.

use sha2::{Digest, Sha256};

use super::facts::{Analysis, Facts, Findings, NodeTable};
use super::ingest::{self, Source};
use super::input::Input;
use super::scrub::added::Told;
use super::scrub::decide::{Decision, Decisions, decide};
use super::scrub::guard::Guard;
use super::scrub::sink::Sink;
use super::scrub::verify::{Expected, verify};
use super::scrub::wall::SafeText;
use super::text_kind;
use crate::heap::Counts;
use crate::heap::series::{Series, Sketch};
use crate::ledger::Ledger;
use crate::output::Output;
use crate::pipeline::{Settings, Step};
use crate::profile::Profile;
use crate::summarise::single::TextKind;
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

    /// The reader behind it.
    pub(in crate::raw) fn into_source(self) -> Box<dyn Source + 'i> {
        self.source
    }

    /// The same to look at.
    pub(in crate::raw) fn source(&self) -> &dyn Source {
        &*self.source
    }

    /// What tells whether it is of the same process as another.
    pub(crate) fn sketch(&self) -> Result<Option<Sketch>> {
        self.source.sketch()
    }

    /// Does it have a graph of objects?
    pub(crate) fn has_graph(&self) -> bool {
        self.source.has_graph()
    }

    /// Does it tell where memory was allocated?
    pub(crate) fn has_allocations(&self) -> bool {
        self.source.has_allocations()
    }

    /// A number over everything but texts.
    pub(crate) fn structure(&self) -> u64 {
        self.source.structure()
    }

    /// How files of this kind end.
    pub(crate) fn extension(&self) -> &'static str {
        self.source.extension()
    }
}

impl std::fmt::Debug for Ingested<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ingested({}, {:?})", self.format, self.counts())
    }
}

/// The snapshots of a call, of which every text is decided.
#[derive(Debug)]
pub struct Scrubbing<'i, 'r> {
    /// In the order of the inputs.
    pub snapshots: Vec<Scrubbed<'i, 'r>>,
    /// What must not stand in anything that goes with them.
    pub guard: Guard<'r>,
    /// What the user told, scrubbed.
    pub told: Vec<Told>,
    /// Names of the snapshots, scrubbed, if they shall have any.
    pub labels: Vec<SafeText>,
}

/// What would be done to a snapshot.
#[derive(Debug)]
pub struct Surveyed {
    /// The format of the snapshot.
    pub format: &'static str,
    /// What it holds.
    pub counts: Counts,
    /// What the profile strict would keep and replace, and what rules find.
    pub strict: Ledger,
    /// What the profile balanced would keep and replace.
    pub balanced: Ledger,
}

impl Surveyed {
    /// Decides for every text of all snapshots of a call, and writes nothing.
    pub(crate) fn all(mut ingested: Vec<Ingested<'_>>, settings: &Settings) -> Result<Vec<Self>> {
        let mut ledgers = |profile| {
            let mut sources: Vec<&mut dyn Source> = Vec::new();
            for one in &mut ingested {
                sources.push(&mut *one.source);
            }
            let decisions = decide(&mut sources, settings, profile)?.decisions;
            Ok(decisions.into_iter().map(|decision| decision.ledger).collect::<Vec<_>>())
        };
        let (strict, balanced) = (ledgers(Profile::Strict)?, ledgers(Profile::Balanced)?);
        let ledgers = strict.into_iter().zip(balanced);
        let all = ingested.iter().zip(ledgers).map(|(one, (strict, balanced))| Self {
            format: one.format,
            counts: one.counts(),
            strict,
            balanced,
        });
        Ok(all.collect())
    }
}

/// A snapshot of which every text is decided.
#[derive(Debug)]
pub struct Scrubbed<'i, 'r> {
    ingested: Ingested<'i>,
    decision: Decision<'r>,
    settings: &'r Settings,
    number: usize,
    /// Is it the last snapshot of the call?
    is_last: bool,
}

impl<'i, 'r> Scrubbed<'i, 'r> {
    /// Decides for every text of all snapshots of a call, in every role, what becomes of it.
    ///
    /// # Errors
    /// When two texts get the same number under the key.
    pub fn all(mut ingested: Vec<Ingested<'i>>, settings: &'r Settings) -> Result<Scrubbing<'i, 'r>> {
        let mut sources: Vec<&mut dyn Source> = Vec::new();
        for one in &mut ingested {
            sources.push(&mut *one.source);
        }
        let Decisions { decisions, guard, told, labels } = decide(&mut sources, settings, settings.profile)?;
        let pairs = ingested.into_iter().zip(decisions).enumerate();
        let scrubbed =
            pairs.map(|(number, (ingested, decision))| Self { ingested, decision, settings, number, is_last: false });
        Ok(Scrubbing { snapshots: scrubbed.collect(), guard, told, labels })
    }

    /// Writes the sanitised artifact and checks it from its bytes.
    ///
    /// This makes [`Verified`] with a file, or without one when the output is a rehearsal.
    ///
    /// # Errors
    /// When writing fails, the input changed meanwhile, or anything is found that nobody vouches for.
    pub fn write(self, output: Output) -> Result<Verified> {
        let (written, decision) = self.write_file(output)?;
        let (after, source) = written.check(decision)?;
        drop(source);
        Ok(written.verified(after, None, None))
    }

    /// Writes the sanitised artifact.
    fn write_file(self, mut output: Output) -> Result<(Written<'r>, Decision<'r>)> {
        let Ingested { input, format, source } = self.ingested;
        let Self { mut decision, settings, number, .. } = self;
        let (before, extension) = (source.counts(), source.extension());
        let (has_graph, has_allocations) = (source.has_graph(), source.has_allocations());
        settings.progress.tell(Step::Writing(number));
        output.fill(|out| {
            let mut sink = Sink::new(out);
            source.write(&decision.edits, &mut sink)?;
            sink.finish()
        })?;
        input.check_unchanged()?;
        let expected = Expected::of(format, &*source, &decision.edits);
        let kinds = if settings.report && self.is_last { text_kind::all(&*source) } else { Vec::new() };
        // The columns of the input are not needed any more; those of the output take their place.
        drop(source);
        let file = Input::from_written(&output.plain()?)?;
        let (ledger, profile) = (std::mem::take(&mut decision.ledger), decision.profile);
        let written = Written {
            format,
            extension,
            has_graph,
            has_allocations,
            before,
            profile,
            ledger,
            expected,
            kinds,
            settings,
            number,
            output,
            file,
        };
        Ok((written, decision))
    }
}

/// A written artifact that nobody has looked at yet.
struct Written<'r> {
    format: &'static str,
    extension: &'static str,
    has_graph: bool,
    has_allocations: bool,
    before: Counts,
    profile: Profile,
    ledger: Ledger,
    expected: Expected,
    /// What the texts looked like before they were replaced.
    kinds: Vec<TextKind>,
    settings: &'r Settings,
    number: usize,
    output: Output,
    file: Input,
}

impl Written<'_> {
    /// Checks the artifact from its bytes. Returns its counts and the reader that read it. The decisions are not needed
    /// any more then; they make room for the analysis.
    fn check(&self, decision: Decision<'_>) -> Result<(Counts, Box<dyn Source + '_>)> {
        self.settings.progress.tell(Step::Verifying(self.number));
        verify(&self.file, &decision, self.expected)
    }

    /// Only for what passed the check.
    fn verified(self, after: Counts, plain_sha256: Option<[u8; 32]>, facts: Option<Facts>) -> Verified {
        let Self { format, extension, has_graph, has_allocations, before, ledger, output, profile, .. } = self;
        Verified {
            format,
            extension,
            has_graph,
            has_allocations,
            profile,
            before,
            after,
            plain_sha256,
            facts,
            ledger,
            output,
        }
    }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Writes and checks the snapshots of a call, each into its output, and computes what a report tells of them. The last
/// snapshot comes first, since what grew is read from it; it stays at hand until the others have been looked at.
///
/// # Errors
/// Any failure, with the number of the input.
pub(crate) fn finish(
    snapshots: Vec<Scrubbed<'_, '_>>,
    outputs: Vec<Output>,
    guard: &Guard<'_>,
    series: &Series,
    settings: &Settings,
) -> Result<(Vec<Verified>, Option<Findings>), (usize, Error)> {
    // Among those with a graph, which are what a report computes with; without any, the last of all.
    let graphs: Vec<usize> = (0..snapshots.len()).filter(|n| snapshots[*n].ingested.has_graph()).collect();
    let mut pairs: Vec<_> = snapshots.into_iter().zip(outputs).enumerate().collect();
    let last = graphs.last().copied().unwrap_or(pairs.len().saturating_sub(1));
    if pairs.is_empty() {
        return Ok((Vec::new(), None));
    }
    let (_, (scrubbed, output)) = pairs.remove(last);
    let at = |number: usize| move |error: Error| (number, error);
    let (written_last, decision) = Scrubbed { is_last: true, ..scrubbed }.write_file(output).map_err(at(last))?;
    let (after_last, source_last) = written_last.check(decision).map_err(at(last))?;
    let mut analysis = settings.report.then(|| Analysis::new(guard, graphs.len(), series, settings.node_table));
    let (sha_last, facts_last) = match &mut analysis {
        None => (None, None),
        Some(analysis) => {
            let bytes = written_last.file.bytes();
            let allocations = analysis.allocations(&*source_last, last);
            let (sha, facts) = rayon::join(|| digest(bytes), || analysis.last(&*source_last));
            (Some(sha), facts.map_err(at(last))?.or(allocations))
        }
    };
    let mut verified = Vec::with_capacity(pairs.len() + 1);
    for (number, (scrubbed, output)) in pairs.into_iter().rev() {
        let one = || -> Result<Verified> {
            let (written, decision) = scrubbed.write_file(output)?;
            let (after, source) = written.check(decision)?;
            let Some(analysis) = &mut analysis else {
                drop(source);
                return Ok(written.verified(after, None, None));
            };
            let bytes = written.file.bytes();
            let allocations = analysis.allocations(&*source, number);
            let graph = graphs.binary_search(&number).ok();
            let earlier = || graph.map_or(Ok(None), |graph| analysis.earlier(&*source, graph));
            let (sha, facts) = rayon::join(|| digest(bytes), earlier);
            let facts = facts?.or(allocations);
            drop(source);
            Ok(written.verified(after, Some(sha), facts))
        };
        verified.push(one().map_err(at(number))?);
    }
    settings.progress.tell(Step::Summarising);
    let work = settings.work.as_deref();
    let findings = analysis.and_then(|analysis| analysis.findings(&*source_last, &written_last.kinds, work));
    drop(source_last);
    verified.reverse();
    verified.insert(last, written_last.verified(after_last, sha_last, facts_last));
    Ok((verified, findings))
}

/// A sanitised artifact that was re-opened and found clean. Nothing else can be published.
#[derive(Debug)]
pub struct Verified {
    format: &'static str,
    extension: &'static str,
    has_graph: bool,
    has_allocations: bool,
    profile: Profile,
    before: Counts,
    after: Counts,
    plain_sha256: Option<[u8; 32]>,
    facts: Option<Facts>,
    ledger: Ledger,
    output: Output,
}

impl Verified {
    /// The format of the snapshot.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// How files of this kind end.
    #[must_use]
    pub fn extension(&self) -> &'static str {
        self.extension
    }

    /// Does it have a graph of objects? Logs have none.
    #[must_use]
    pub fn has_graph(&self) -> bool {
        self.has_graph
    }

    /// Does it tell where memory was allocated, in place of a graph?
    #[must_use]
    pub fn has_allocations(&self) -> bool {
        self.has_allocations
    }

    /// The digest of the artifact, unpacked, if a report was asked for.
    pub(crate) fn plain_sha256(&self) -> Option<[u8; 32]> {
        self.plain_sha256
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

    /// What a report tells of it, if one was asked for.
    pub(crate) fn facts(&self) -> Option<&Facts> {
        self.facts.as_ref()
    }

    /// Numbers of every node, if they were asked for.
    #[must_use]
    pub fn nodes(&self) -> Option<&NodeTable> {
        self.facts.as_ref()?.nodes.as_ref()
    }

    /// The artifact as a member of a bundle.
    pub(crate) fn output(&self) -> &Output {
        &self.output
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
        Scrubbed::all(vec![ingested], settings).expect("no key").snapshots.remove(0)
    }

    fn rehearse(scrubbed: Scrubbed<'_, '_>) -> Result<Verified> {
        scrubbed.write(Output::rehearsal().expect("temporary file"))
    }

    /// A reader that overlooks any one role must not get past verify, on real files that have all roles.
    #[test]
    fn verify_notices_a_role_that_the_reader_overlooks() {
        let settings = Settings::default();
        let mut noticed = Vec::new();
        let log = "INFO request of Zebulon failed\n{\"took\":12,\"zebulon\":\"x\",\"msg\":\"started\",\"n\":7}\n";
        let log = Input::from_reader(log.as_bytes()).expect("memory");
        let files = ["helpdesk.heapsnapshot.zst", "page.heaptimeline.zst", "python-leak/snapshot-1.tracemalloc.zst"];
        let samples = files.map(|file| (file, sample(file)));
        for (file, input) in samples.into_iter().chain([("log", log)]) {
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
