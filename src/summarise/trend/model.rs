//! The fields of what `heapscrub trend` says. Within one major version of `schema`, fields are only added.

use schemars::JsonSchema;
use serde::Serialize;

use super::judge::Verdict;
use super::lives::Why;
use super::recording::{Measure, Runtime};
use crate::SafeText;

/// The version of the format.
pub(crate) const SCHEMA: &str = "heapscrub.trend/1";

/// Where growth comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The program keeps what it does not need any more.
    Leak,
    /// A cache, a pool or a table that is filled to its limit.
    CacheFilling,
    /// More work at a time, or larger pieces of it.
    BatchSize,
    /// Tools that watch a page: the console, an extension.
    BrowserArtefact,
    /// The heap is configured too small for what the program keeps, or too large to be collected.
    RuntimeConfiguration,
    /// Memory outside of the heap that is collected.
    NativeMemory,
    /// What was measured cannot tell.
    Unknown,
    /// Nothing grows.
    None,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Leak,
        Self::CacheFilling,
        Self::BatchSize,
        Self::BrowserArtefact,
        Self::RuntimeConfiguration,
        Self::NativeMemory,
        Self::Unknown,
        Self::None,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leak => "leak",
            Self::CacheFilling => "cache-filling",
            Self::BatchSize => "batch-size",
            Self::BrowserArtefact => "browser-artefact",
            Self::RuntimeConfiguration => "runtime-configuration",
            Self::NativeMemory => "native-memory",
            Self::Unknown => "unknown",
            Self::None => "none",
        }
    }
}

/// What memory over time says about a program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Trend {
    /// The version of this format: heapscrub.trend/1.
    pub schema: &'static str,
    /// The program and its version.
    pub tool: &'static str,
    /// leak, bounded, plateau, noise or insufficient.
    pub verdict: Verdict,
    /// Where growth comes from.
    pub cause: Cause,
    /// From 0 to 1: how many settings agree, how rare such a rise is by chance, how large it is. Not a probability.
    pub confidence: f64,
    /// What it means, in one sentence.
    pub summary: String,
    /// Why.
    pub why: Vec<String>,
    /// What the verdict rests on, and what is missing.
    pub evidence: Vec<Needed>,
    /// The files.
    pub inputs: Vec<InputFacts>,
    /// Every column of every process.
    pub lines: Vec<Line>,
    /// What collections did, if a log tells.
    pub collections: Vec<CollectionFacts>,
}

/// One thing that a verdict needs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Needed {
    /// What it is.
    pub what: &'static str,
    /// Is it there?
    pub is_there: bool,
    /// What is there, or how to get it.
    pub detail: String,
}

/// One process in one file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InputFacts {
    /// The number of the file, from 1.
    pub input: u32,
    /// The format of the file.
    pub format: &'static str,
    /// What runs the program, as far as the file or the user says.
    pub runtime: Runtime,
    /// What the file calls it, if that was asked for; without what rules and values find in it.
    pub label: Option<SafeText>,
    /// Rows that count.
    pub rows: u64,
    /// Rows that could not be read.
    pub rows_damaged: u64,
    /// The first of their lines.
    pub damaged_lines: Vec<u64>,
    /// The last line was cut off.
    pub is_cut: bool,
    /// Columns, labels and command lines that were left out.
    pub texts_left_out: u64,
    /// How it was understood where it does not say.
    pub notes: Vec<&'static str>,
    /// Seconds from the first to the last row.
    pub seconds: f64,
    /// The most that the heap may take, in bytes.
    pub limit: Option<f64>,
    /// Restarts, in seconds from the first row.
    pub restarts: Vec<Restart>,
}

/// The end of one life of a program and the beginning of the next.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Restart {
    /// Seconds from the first row.
    pub seconds: f64,
    /// How it was noticed.
    pub why: Why,
}

/// One column and its verdict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Line {
    /// The file, from 1, and the process in it, from 1.
    pub input: u32,
    /// The process in that file, from 1.
    pub process: u32,
    /// What it measures.
    pub measure: Measure,
    /// The verdict on this column alone.
    pub verdict: Verdict,
    /// What the numbers alone would say, where evidence about the collector is missing.
    pub without_evidence: Option<Verdict>,
    /// From 0 to 1.
    pub confidence: f64,
    /// How many of the nine settings say leak, bounded, plateau, noise, insufficient.
    pub votes: [u32; 5],
    /// Samples.
    pub samples: u64,
    /// The first and the last value.
    pub first: f64,
    /// The last value.
    pub last: f64,
    /// The middle of the floor in the judged window.
    pub level: Option<f64>,
    /// The floor at the end over the floor after the warm-up.
    pub ratio_to_baseline: Option<f64>,
    /// Bytes for each hour, by the floor: the estimate and the interval that holds it in 95 of 100 cases.
    pub bytes_per_hour: Option<[f64; 3]>,
    /// The chance of such a rise where there is none.
    pub p: Option<f64>,
    /// What the floor grew by in the judged window.
    pub growth: Option<f64>,
    /// Less than this does not count as growth.
    pub material: Option<f64>,
    /// The slope of the second half over that of the first.
    pub decay: Option<f64>,
    /// The shape that describes it better than a line: ramp, curve, step, stairs.
    pub shape: Option<&'static str>,
    /// How much of it the load of the moment explains (a correlation), if that was taken out.
    pub load: Option<f64>,
    /// Seconds at the start that count as warm-up.
    pub warm_up_seconds: Option<f64>,
    /// Hours until the limit is reached at this slope, if there is one.
    pub hours_to_limit: Option<f64>,
    /// The floor: seconds and bytes.
    pub floor: Vec<[f64; 2]>,
    /// The values, thinned to at most 480: seconds, lowest and highest.
    pub points: Vec<[f64; 3]>,
}

/// What collections did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CollectionFacts {
    /// The file, from 1.
    pub input: u32,
    /// All of them.
    pub count: u64,
    /// Those that looked at the whole heap.
    pub full: u64,
    /// Full ones in the first and in the second half of the time.
    pub full_by_half: [u64; 2],
    /// The share of time in which the program stood still, in each half.
    pub pauses_by_half: [f64; 2],
    /// They take more and more.
    pub is_rising: bool,
    /// Full collections at the end that left nine tenths of the limit in use.
    pub at_limit: u64,
    /// Those that freed less than a twentieth.
    pub futile: u64,
    /// Was the heap near its limit from the start on?
    pub near_limit_from_the_start: bool,
    /// Full collections: seconds.
    pub full_at: Vec<f64>,
}
