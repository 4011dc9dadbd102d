//! The only orchestration: all inputs of a call through all stages, on a thread pool of its own.

use crate::bundle::terms::Terms;
use crate::error::Order;
use crate::heap::series::{self, Series};
use crate::profile::{Numbers, Profile};
use crate::raw::detect::Rules;
use crate::raw::facts::Findings;
use crate::raw::scrub::added::{Context, Told};
use crate::raw::scrub::guard::{Guard, Medium};
use crate::raw::scrub::key::Key;
use crate::raw::scrub::names::SourceNames;
use crate::raw::scrub::values::Values;
use crate::raw::stages::{self, Scrubbing, Surveyed};
use crate::summarise::trend::Trend;
use crate::{Error, Ingested, Input, Kind, Output, Report, Result, SafeText, Scrubbed, Stage, Verified};

/// What a run needs to know beside its inputs and outputs.
#[derive(Debug)]
pub struct Settings {
    /// What may stay.
    pub profile: Profile,
    /// What the numbers of placeholders are.
    pub numbers: Numbers,
    /// The rules in force.
    pub rules: Rules,
    /// Names of the user's own source trees.
    pub names: SourceNames,
    /// Values that must not stay.
    pub values: Values,
    /// The key for placeholders that are equal across runs.
    pub key: Option<Key>,
    /// What the user knows and no snapshot tells.
    pub context: Context,
    /// Read what a report needs.
    pub report: bool,
    /// Keep the numbers of every node for comparisons with other tools.
    pub node_table: bool,
    /// Work that was done when each snapshot was taken, in any unit.
    pub work: Option<Vec<f64>>,
    /// Take the snapshots in the order in which they were given.
    pub keep_order: bool,
    /// Memory over time, for the report.
    pub trend: Option<Trend>,
    /// Memory over time with the fix.
    pub trend_after: Option<Trend>,
    /// Who wants to know where the run has got to.
    pub progress: Progress,
    /// Numbers of nodes about which shall be told why their texts were or were not replaced.
    pub explain: Vec<u64>,
    /// Count what rules find even where everything goes anyway.
    pub survey: bool,
    /// Threads; 0 means one for each processor. The output does not depend on it.
    pub jobs: usize,
}

impl Settings {
    /// The profile `strict` with these rules, and nothing else.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            profile: Profile::default(),
            numbers: Numbers::default(),
            rules,
            names: SourceNames::default(),
            values: Values::default(),
            key: None,
            context: Context::default(),
            report: false,
            node_table: false,
            work: None,
            keep_order: false,
            trend: None,
            trend_after: None,
            progress: Progress::default(),
            explain: Vec::new(),
            survey: false,
            jobs: 0,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new(Rules::builtin())
    }
}

/// Where a run has got to; inputs are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reading an input.
    Reading(usize),
    /// Deciding what stays, for all inputs.
    Scrubbing,
    /// Writing a sanitised artifact.
    Writing(usize),
    /// Re-opening and checking it.
    Verifying(usize),
    /// Computing what grew and who holds it.
    Summarising,
    /// Putting a bundle together.
    Packing,
    /// Re-opening and checking the bundle.
    Checking,
}

/// Who wants to know where a run has got to.
#[derive(Default)]
pub struct Progress(Option<Box<dyn Fn(Step) + Send + Sync>>);

impl Progress {
    /// Calls this at each step.
    #[must_use]
    pub fn new(tell: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(tell)))
    }

    pub(crate) fn tell(&self, step: Step) {
        if let Some(tell) = &self.0 {
            tell(step);
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Progress" } else { "Progress(nobody)" })
    }
}

/// What failed, and at which input.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// The number of the input, from 0; none if it is about all of them.
    pub input: Option<usize>,
    /// What failed.
    pub error: Error,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { input: None, error }
    }
}

/// What came of a call.
#[derive(Debug)]
pub struct Outcome<'r> {
    /// The sanitised artifacts, in the order of the inputs.
    pub verified: Vec<Verified>,
    pub(crate) guard: Guard<'r>,
    pub(crate) told: Vec<Told>,
    pub(crate) labels: Vec<SafeText>,
    pub(crate) series: Series,
    pub(crate) findings: Option<Findings>,
}

impl Outcome<'_> {
    /// Looks at a report in its final forms: only what passes can leave.
    ///
    /// # Errors
    /// When a rule or a found value is found in it.
    pub fn check_report(&self, report: &Report) -> Result<CheckedReport> {
        let (json, markdown, html) = (report.to_json(), report.to_markdown(), report.to_html());
        self.guard.check(json.as_bytes(), Medium::Json, "in the report")?;
        self.guard.check(markdown.as_bytes(), Medium::Text, "in the report")?;
        self.guard.check(html.as_bytes(), Medium::Html, "in the report")?;
        Ok(CheckedReport { json, markdown, html })
    }
}

impl Outcome<'_> {
    /// Looks at the terms of a bundle, which nothing is cut out of.
    pub(crate) fn check_terms(&self, terms: &Terms) -> Result<()> {
        look_at_terms(&self.guard, terms)
    }
}

/// Looks at the terms of a bundle with the rules and the values of a call, before anything is read.
///
/// # Errors
/// When something is found in them.
pub fn check_terms(terms: &Terms, settings: &Settings) -> Result<()> {
    look_at_terms(&Guard::of_values(settings), terms)
}

fn look_at_terms(guard: &Guard<'_>, terms: &Terms) -> Result<()> {
    let texts = [&terms.recipient, &terms.purpose].into_iter().flatten();
    let is_clean = |text: &String| guard.count(text.as_bytes(), Medium::Text) == Some(0);
    if texts.into_iter().all(is_clean) { Ok(()) } else { Err(Error::new(Stage::Scrub, Kind::TermsFound)) }
}

impl Outcome<'_> {
    /// Looks at a text that was made from a report: only what passes can leave.
    ///
    /// # Errors
    /// When a rule or a found value is found in it.
    pub fn check_text(&self, text: &str) -> Result<()> {
        self.guard.check(text.as_bytes(), Medium::Text, "in what was made from the report")
    }
}

impl Outcome<'_> {
    /// Looks at a row of an index.
    pub(crate) fn check_row(&self, line: &str) -> Result<()> {
        self.guard.check(line.as_bytes(), Medium::Json, "in the row of the index")
    }
}

/// A report in which nothing was found.
#[derive(Debug)]
pub struct CheckedReport {
    /// For machines.
    pub json: String,
    /// For people, in issues.
    pub markdown: String,
    /// For people, in a browser.
    pub html: String,
}

impl CheckedReport {
    /// Writes one of its forms to a file, and gives that its name. Returns its size.
    ///
    /// # Errors
    /// When writing fails, or the name is taken meanwhile.
    pub fn publish(text: &str, mut output: Output) -> Result<u64> {
        output.fill(|out| out.write_all(text.as_bytes()).map_err(|e| Error::io(Stage::Write, &e)))?;
        output.publish()
    }
}

/// Reads, scrubs, writes and verifies the snapshots of one call, each into its output. What was found in one is removed
/// from all. What comes back can be published, or only counted if the output is a rehearsal.
///
/// # Errors
/// Any failure of any stage. Nothing is left behind then.
pub fn scrub<'r>(inputs: &[Input], outputs: Vec<Output>, settings: &'r Settings) -> Result<Outcome<'r>, Failure> {
    let at = |input: usize| move |error: Error| Failure { input: Some(input), error };
    with_threads(settings.jobs, || {
        let read = inputs.iter().enumerate().map(|(i, input)| {
            settings.progress.tell(Step::Reading(i));
            Ingested::read(input).map_err(at(i))
        });
        let ingested = read.collect::<Result<Vec<_>, _>>()?;
        let series = if settings.report { series_of(&ingested, settings)? } else { Series::Single };
        settings.progress.tell(Step::Scrubbing);
        let Scrubbing { snapshots, guard, told, labels } = Scrubbed::all(ingested, settings)?;
        let finished = stages::finish(snapshots, outputs, &guard, &series, settings);
        let (verified, findings) = finished.map_err(|(input, error)| at(input)(error))?;
        Ok(Outcome { verified, guard, told, labels, series, findings })
    })?
}

/// Tells what rules find in snapshots and what each profile would do. Nothing is written.
///
/// # Errors
/// When an input cannot be read, or two texts get the same number under the key.
pub fn survey(inputs: &[Input], settings: &Settings) -> Result<Vec<Surveyed>, Failure> {
    with_threads(settings.jobs, || {
        let read = inputs.iter().enumerate().map(|(i, input)| {
            settings.progress.tell(Step::Reading(i));
            Ingested::read(input).map_err(|error| Failure { input: Some(i), error })
        });
        let ingested = read.collect::<Result<Vec<_>, _>>()?;
        settings.progress.tell(Step::Scrubbing);
        Ok(Surveyed::all(ingested, settings)?)
    })?
}

/// Runs on a thread pool of its own.
pub(crate) fn with_threads<T: Send>(jobs: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let busy = Error::new(Stage::Input, Kind::Io(std::io::ErrorKind::ResourceBusy));
    Ok(pool.map_err(|_| busy)?.install(work))
}

/// Snapshots of one process must be in the order in which they were taken.
fn series_of(ingested: &[Ingested<'_>], settings: &Settings) -> Result<Series> {
    // Logs and the like may stand anywhere among them.
    let graphs: Vec<usize> = (0..ingested.len()).filter(|n| ingested[*n].has_graph()).collect();
    let sites: Vec<&Ingested<'_>> = ingested.iter().filter(|one| one.has_allocations()).collect();
    let snapshots = if graphs.is_empty() { sites.len() } else { graphs.len() };
    let works = settings.work.as_ref().map_or(snapshots, Vec::len);
    if works != snapshots {
        let kind = Kind::WorkCount { given: works as u32, snapshots: snapshots as u32 };
        return Err(Error::new(Stage::Ingest, kind));
    }
    if graphs.is_empty() && sites.len() > 1 {
        let is_twice = sites.windows(2).any(|pair| pair[0].structure() == pair[1].structure());
        return Ok(if is_twice { Series::Repeated } else { Series::Given });
    }
    if graphs.len() < 2 {
        return Ok(Series::Single);
    }
    let sketches = graphs.iter().map(|n| ingested[*n].sketch()).collect::<Result<Vec<_>>>()?;
    match series::judge(&sketches.iter().flatten().collect::<Vec<_>>()) {
        Series::OutOfOrder(order) if !settings.keep_order => {
            let order: Vec<usize> = order.into_iter().filter_map(|n| graphs.get(n).copied()).collect();
            Err(Error::new(Stage::Ingest, Kind::OutOfOrder { order: Order::new(&order) }))
        }
        series => Ok(series),
    }
}
