//! The fields of a report. Within one major version of `schema`, fields are only added.

use schemars::JsonSchema;
use serde::Serialize;

use super::allocations::AllocationFacts;
use crate::SafeText;
use crate::summarise::trend::model::{Cause, Needed, Trend};

/// The version of the format.
pub(crate) const SCHEMA: &str = "heapscrub.report/1";

/// A report on one or more snapshots that were sanitised in one call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// The version of this format: heapscrub.report/1.
    pub schema: &'static str,
    /// The program and its version.
    pub tool: &'static str,
    /// The inputs, in order: snapshots, and what goes with them.
    pub inputs: Vec<InputFacts>,
    /// How the snapshots belong together.
    pub series: SeriesFacts,
    /// Is it a leak?
    pub verdict: VerdictFacts,
    /// Memory over time, if it was passed.
    pub trend: Option<Trend>,
    /// Memory over time with the fix, if it was passed.
    pub trend_after: Option<Trend>,
    /// What is known about the process beside the snapshots, and what is not.
    pub evidence: Vec<Evidence>,
    /// What was removed, what stayed, and what that means.
    pub redaction: Redaction,
    /// What grew, and who holds it: the largest growth of a holder first. Empty with a single snapshot.
    pub growers: Vec<GrowerFacts>,
    /// What grew, but not in a way that says leak: it stopped, slowed down, or went up and down.
    pub other_growth: Vec<GrowerFacts>,
    /// Bytes by which holders grew, all together.
    pub growth_bytes: i64,
    /// Growth of what takes snapshots, which is left out; of Python also that of the import system.
    pub profiler_bytes: i64,
    /// What the lists of growers can say, and what they cannot.
    pub growth_means: &'static str,
    /// Who holds the program's own classes in the last snapshot, those that hold most first.
    pub holders: Vec<HolderFacts>,
    /// What alone keeps much of the last snapshot alive. One snapshot cannot show growth.
    pub suspects: Vec<SuspectFacts>,
    /// What the bytes of the last snapshot hang on: areas that do not overlap and add up to the whole heap.
    pub areas: Vec<AreaFacts>,
    /// Texts that the last snapshot has several times, by the bytes that one of each would save.
    pub duplicates: Vec<DuplicateFacts>,
    /// Bytes that one of each text would save, for all texts.
    pub duplicates_wasted: u64,
    /// Texts of the last snapshot by what they look like and who keeps them; never the texts.
    pub census: Vec<CensusFacts>,
    /// Large arrays, buffers and collections of the last snapshot.
    pub large: Vec<LargeFacts>,
    /// Things that must be removed, cleared or closed, in each snapshot.
    pub handles: Vec<HandleFacts>,
    /// Where memory was allocated, if that is what the snapshots tell.
    pub allocations: Option<AllocationFacts>,
    /// Objects by class, largest in the last snapshot first.
    pub classes: Vec<ClassFacts>,
    /// Classes that are not in the list, because it was limited.
    pub classes_left_out: u64,
}

impl Report {
    /// The inputs that are snapshots: with a graph of objects, or with places where memory was allocated.
    pub(crate) fn snapshots(&self) -> impl DoubleEndedIterator<Item = &InputFacts> {
        self.inputs.iter().filter(|input| input.is_snapshot())
    }

    /// Are there several snapshots to compare?
    pub(crate) fn is_series(&self) -> bool {
        self.snapshots().nth(1).is_some()
    }
}

/// One input: a snapshot, or a log that goes with them.
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
    /// Does it have a graph of objects? Logs have none.
    pub has_graph: bool,
    /// Does it tell where memory was allocated, in place of a graph?
    pub has_allocations: bool,
    /// Objects, or blocks of memory.
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

impl InputFacts {
    /// Is it a snapshot, and no text file?
    #[must_use]
    pub const fn is_snapshot(&self) -> bool {
        self.has_graph || self.has_allocations
    }
}

/// How the snapshots belong together.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SeriesFacts {
    /// single, one-process, as-given, repeated, other-order or different-processes.
    pub kind: &'static str,
    /// What that means for comparing them.
    pub means: &'static str,
}

/// Is it a leak?
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerdictFacts {
    /// leak, bounded, plateau, grew (all that two snapshots can say), noise or insufficient.
    pub verdict: &'static str,
    /// Where growth comes from.
    pub cause: Cause,
    /// From 0 to 1; not a probability.
    pub confidence: f64,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// Why.
    pub why: Vec<String>,
    /// The chance that a value that does not grow rises in every snapshot: one in N!.
    pub by_chance: Option<f64>,
    /// What the verdict rests on, and what is missing.
    pub evidence: Vec<Needed>,
    /// The four parts of a leak report.
    pub parts: PartsFacts,
}

/// The four parts of a leak report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartsFacts {
    /// Evidence over time.
    pub over_time: PartFacts,
    /// What grows, and the way to it: the number of the first grower, from 0.
    pub what_grows: PartFacts,
    /// The fix at the root: the grower whose advice it is.
    pub fix: PartFacts,
    /// The plateau after the fix, or the next thing to chase.
    pub after_the_fix: PartFacts,
}

/// One part of a leak report.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PartFacts {
    /// Is it there?
    pub is_there: bool,
    /// What it says, or how to get it.
    pub means: &'static str,
    /// The place in `growers`, from 0, if it is about one.
    pub grower: Option<u32>,
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
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
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

/// Objects of one class. Objects whose bytes belong to an owner are counted with the owner.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClassFacts {
    /// The name as DevTools shows it.
    pub class: SafeText,
    /// Where its constructor is. Classes of one name in several places are several rows.
    pub location: Option<Location>,
    /// Objects in the last snapshot.
    pub count: u64,
    /// Bytes of these objects themselves in the last snapshot.
    pub shallow: u64,
    /// Bytes that would go with all of them in the last snapshot.
    pub retained: u64,
    /// References between a root and the nearest of them; 100,000,000 and more: only the engine reaches them.
    pub distance: Option<i32>,
    /// Objects in each snapshot.
    pub counts: Vec<u64>,
    /// Bytes in each snapshot.
    pub shallows: Vec<u64>,
    /// Retained bytes in each snapshot.
    pub retaineds: Vec<u64>,
    /// Objects more in the last snapshot than in the first.
    pub delta_count: i64,
    /// Bytes more in the last snapshot than in the first.
    pub delta_shallow: i64,
    /// Retained bytes more in the last snapshot than in the first.
    pub delta_retained: i64,
    /// Objects of the last snapshot that the first did not have; nothing where objects cannot be told apart.
    pub added: Option<u64>,
    /// Objects of the first snapshot that the last does not have.
    pub removed: Option<u64>,
    /// Bytes of those that were added.
    pub added_bytes: Option<u64>,
    /// Bytes of those that were removed.
    pub removed_bytes: Option<u64>,
    /// Did the first snapshot have none?
    pub new: bool,
}

/// A place in a source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Location {
    /// The path or address of the script, where the file tells it.
    pub script: Option<SafeText>,
    /// The engine's number for the script.
    pub script_id: u32,
    /// From 1.
    pub line: u32,
    /// From 1; 0 where the file knows lines only.
    pub column: u32,
}

/// Something that grew, with who holds it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrowerFacts {
    /// The class of what is held, or the line that allocated it.
    pub class: SafeText,
    /// Where the constructor of the class is, or that line.
    pub location: Option<Location>,
    /// What holds it.
    pub holder: Option<HeldBy>,
    /// Bytes that the holder came to hold from the first snapshot to the last.
    pub growth: i64,
    /// Of all growth, between 0 and 1.
    pub share: f64,
    /// Objects of the class that are new in the holder.
    pub new_objects: u64,
    /// steady, slowing, stopped, fluctuating; grew if there are only two snapshots.
    pub pattern: &'static str,
    /// More in every snapshot than in the one before?
    pub monotone: bool,
    /// Objects of the class in each snapshot, wherever they are.
    pub counts: Vec<u64>,
    /// Their own bytes.
    pub shallow: Vec<u64>,
    /// Bytes that would go with them.
    pub retained: Vec<u64>,
    /// Objects more in the last snapshot than in the first.
    pub delta_count: i64,
    /// Bytes more.
    pub delta_shallow: i64,
    /// Retained bytes more.
    pub delta_retained: i64,
    /// Did the first snapshot have none?
    pub new: bool,
    /// Objects more for each unit of work, if it was told.
    pub per_work: Option<f64>,
    /// Bytes more for each unit of work.
    pub bytes_per_work: Option<f64>,
    /// What keeps them alive, and what to do about it.
    pub owner: OwnerFacts,
    /// Ways from a root to these objects, the most frequent first.
    pub paths: Vec<PathFacts>,
}

/// The object that holds what grew.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HeldBy {
    /// Its class.
    pub class: SafeText,
    /// The variable or field that leads to it.
    pub name: Option<SafeText>,
    /// How many such holders there are.
    pub count: u64,
    /// Bytes that they held in each snapshot.
    pub retained: Vec<u64>,
}

/// What keeps objects alive.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OwnerFacts {
    /// What it is: cache, set, list, event-listener, interval, … or unknown.
    pub kind: &'static str,
    /// The variable or field that leads to it, or its function.
    pub name: Option<SafeText>,
    /// The function that holds on: a listener, the callback of a timer.
    pub function: Option<SafeText>,
    /// The event that is listened to.
    pub event: Option<SafeText>,
    /// high (the runtime's own structure), medium (other things look alike) or low (a guess by names).
    pub confidence: &'static str,
    /// What the graph shows.
    pub evidence: Vec<&'static str>,
    /// Where that function, or the owner, stands in a source text.
    pub location: Option<Location>,
    /// Why objects stay.
    pub means: Option<&'static str>,
    /// What to do at the root.
    pub advice: Option<&'static str>,
    /// A sketch of code that leaks.
    pub before: Option<&'static str>,
    /// The same code without the leak.
    pub after: Option<&'static str>,
}

/// Ways that say the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathFacts {
    /// Objects of the sample that have such a way.
    pub count: u64,
    /// Their share of the sample, between 0 and 1.
    pub share: f64,
    /// From the root to the object.
    pub steps: Vec<StepFacts>,
}

/// One step of a way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepFacts {
    /// How the object before refers to this one: property, element, variable, internal, hidden, shortcut; call for a line that calls; gap for steps
    /// that are left out.
    pub edge_kind: &'static str,
    /// The name or index of the reference, or how many steps are left out.
    pub edge: SafeText,
    /// The class of the object it leads to.
    pub class: SafeText,
    /// The name of the function or group of roots it leads to.
    pub name: Option<SafeText>,
    /// Bytes that would go with this object.
    pub retained: u64,
    /// Where the function stands.
    pub location: Option<Location>,
    /// How often this step comes in a row, alone or with those beside it.
    pub repeats: u32,
    /// Is this the object that holds what grew?
    pub is_holder: bool,
}

/// Who holds the objects of a class.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HolderFacts {
    /// The class.
    pub class: SafeText,
    /// Where its constructor is.
    pub location: Option<Location>,
    /// Objects in the last snapshot.
    pub count: u64,
    /// Bytes that would go with them.
    pub retained: u64,
    /// What keeps them alive.
    pub owner: OwnerFacts,
    /// Ways from a root to these objects, the most frequent first.
    pub paths: Vec<PathFacts>,
}

/// Something that alone keeps much of the heap alive.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SuspectFacts {
    /// The class of the object where the bytes gather.
    pub class: SafeText,
    /// The variable or field that leads to it.
    pub name: Option<SafeText>,
    /// Bytes that would go with it.
    pub retained: u64,
    /// Of the whole heap, between 0 and 1.
    pub share: f64,
    /// What there is most of in it.
    pub accumulates: Option<Accumulated>,
    /// What keeps alive what is in it.
    pub owner: OwnerFacts,
    /// The way to it.
    pub path: PathFacts,
}

/// Objects of one class that nothing but a root, or the area around them, keeps alive.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AreaFacts {
    /// The class.
    pub class: SafeText,
    /// Whose it is: program, plain (objects and texts without a class of their own), runtime or engine.
    pub made_by: &'static str,
    /// Objects.
    pub count: u64,
    /// Bytes that would go with them.
    pub retained: u64,
    /// What they alone keep alive, the largest parts of it.
    pub parts: Vec<AreaFacts>,
}

/// What there is most of in a suspect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Accumulated {
    /// The class.
    pub class: SafeText,
    /// Objects.
    pub count: u64,
    /// Bytes that would go with them.
    pub retained: u64,
}

/// A text that is there several times.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DuplicateFacts {
    /// Its placeholder.
    pub text: SafeText,
    /// How often it is there.
    pub count: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Bytes that one of them alone would save.
    pub wasted: u64,
}

/// Texts of one kind with one kind of owner.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct CensusFacts {
    /// What they look like: json, html, source, base64-or-hex, prompt, log, address-or-path, other.
    pub kind: &'static str,
    /// The kind of owner that keeps them.
    pub owner: &'static str,
    /// Texts.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A large array, buffer or collection.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LargeFacts {
    /// Its class.
    pub class: SafeText,
    /// Its own bytes.
    pub bytes: u64,
    /// The kind of owner that keeps it.
    pub owner: &'static str,
    /// What that is called.
    pub name: Option<SafeText>,
}

/// Things that must be removed, cleared or closed.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct HandleFacts {
    /// Functions that emitters, event targets and pages call.
    pub listeners: u64,
    /// Timers that run once.
    pub timers: u64,
    /// Timers that run again and again.
    pub intervals: u64,
    /// Sockets, streams, files and workers.
    pub open_handles: u64,
    /// Promises that something waits for.
    pub waiting_promises: u64,
    /// Elements that are out of the page.
    pub detached: u64,
}
