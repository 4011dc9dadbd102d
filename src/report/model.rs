//! The fields of a report. Within one major version of `schema`, fields are only added.

use schemars::JsonSchema;
use serde::Serialize;

use crate::SafeText;

/// The version of the format.
pub(crate) const SCHEMA: &str = "heapscrub.report/1";

/// A report on one or more snapshots that were sanitised in one call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// The version of this format: heapscrub.report/1.
    pub schema: &'static str,
    /// The program and its version.
    pub tool: &'static str,
    /// The snapshots, in order.
    pub inputs: Vec<InputFacts>,
    /// How the snapshots belong together.
    pub series: SeriesFacts,
    /// What is known about the process beside the snapshots, and what is not.
    pub evidence: Vec<Evidence>,
    /// What was removed, what stayed, and what that means.
    pub redaction: Redaction,
    /// Objects by class, largest in the last snapshot first.
    pub classes: Vec<ClassFacts>,
    /// Classes that are not in the list, because it was limited.
    pub classes_left_out: u64,
}

/// One snapshot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InputFacts {
    /// Its name in the bundle: snapshot-1, or the file name if that was asked for.
    pub label: SafeText,
    /// The format of the file.
    pub format: &'static str,
    /// Runtime and version, if somebody told.
    pub runtime: Option<SafeText>,
    /// When it was taken, if somebody told.
    pub taken_at: Option<SafeText>,
    /// Bytes of the sanitised file, unpacked.
    pub bytes: u64,
    /// Bytes of the input, unpacked.
    pub input_bytes: u64,
    /// Objects.
    pub nodes: u64,
    /// References.
    pub edges: u64,
    /// Distinct texts of the input.
    pub strings: u64,
    /// Bytes of all objects.
    pub heap_bytes: u64,
    /// Bytes outside of the heap, where the file tells.
    pub outside_bytes: Option<u64>,
    /// SHA-256 of the sanitised file, unpacked.
    pub sha256: String,
}

/// How the snapshots belong together.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SeriesFacts {
    /// single, one-process, other-order or different-processes.
    pub kind: &'static str,
    /// What that means for comparing them.
    pub means: &'static str,
}

/// One thing that is known, or not.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Evidence {
    /// What it is about.
    pub what: &'static str,
    /// in-file, told (by the sender), or absent.
    pub state: &'static str,
    /// What is known, for all snapshots or for the one that is named.
    pub values: Vec<EvidenceValue>,
    /// How to find it out, if it is absent.
    pub how_to_get: Option<&'static str>,
}

/// A value of some evidence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvidenceValue {
    /// The number of the snapshot, from 1; all of them if there is none.
    pub snapshot: Option<u32>,
    /// The value.
    pub value: SafeText,
}

/// What was done to the texts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Redaction {
    /// strict or balanced.
    pub profile: &'static str,
    /// What the profile promises.
    pub promise: &'static str,
    /// Were placeholders made under a key, so that they are equal across runs?
    pub keyed: bool,
    /// Rules in force.
    pub rules: RulesFacts,
    /// What rules found, by rule and role: distinct texts of all snapshots together.
    pub found: Vec<FoundFacts>,
    /// What stayed and what went, by the role a text plays.
    pub roles: Vec<RoleFacts>,
    /// Values that were found once and removed wherever else they stood.
    pub removed_everywhere: u64,
    /// Found values that are too short or too ordinary for that: removed where a whole text is equal.
    pub removed_where_whole: u64,
    /// What this profile does not cover.
    pub not_covered: Vec<&'static str>,
    /// What the sender did that keeps more than the profile would.
    pub weakened_by: Vec<String>,
    /// Parts of the files that were not understood and left out.
    pub left_out: u64,
    /// Every result was re-opened and checked before it was released.
    pub verified: bool,
}

/// Rules in force.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RulesFacts {
    /// How many.
    pub count: u32,
    /// SHA-256 over their texts.
    pub sha256: String,
}

/// What one rule found in one role.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FoundFacts {
    /// The id of the rule; `heapscrub rules explain ID` tells about it.
    pub rule: &'static str,
    /// The part that the texts play.
    pub role: &'static str,
    /// Distinct texts.
    pub texts: u64,
}

/// What became of the texts of one role.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RoleFacts {
    /// The part that the texts play.
    pub role: &'static str,
    /// Distinct texts that stayed.
    pub kept: u64,
    /// Distinct texts that were replaced, wholly or in part.
    pub replaced: u64,
}

/// Objects of one class.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClassFacts {
    /// The name as DevTools shows it.
    pub class: SafeText,
    /// Objects in the last snapshot.
    pub count: u64,
    /// Bytes of these objects themselves in the last snapshot.
    pub shallow: u64,
    /// Objects in each snapshot.
    pub counts: Vec<u64>,
    /// Bytes in each snapshot.
    pub shallows: Vec<u64>,
    /// Objects more in the last snapshot than in the first.
    pub delta_count: i64,
    /// Bytes more in the last snapshot than in the first.
    pub delta_shallow: i64,
}
