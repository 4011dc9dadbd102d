//! The row of an item in the index: what came of one dump. `heapscrub schema batch` prints its form.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hex::Hex;
use crate::raw::names::Names;
use crate::{Error, Kind, Report, SafeText, Stage};

/// The version of the form.
pub(crate) const SCHEMA: &str = "heapscrub.batch/1";

/// What came of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nothing in it is a dump.
    Skipped,
    /// It could not be summarised.
    Failed,
    /// It was summarised.
    Done,
}

/// Why an item was skipped or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// No format that is known; files of a directory that are no dumps are passed over with this.
    Unknown,
    /// A known thing that this version does not read.
    Unsupported,
    /// The file breaks the rules of its format.
    Damaged,
    /// The file ends before the format does.
    Truncated,
    /// There is nothing in the file.
    Empty,
    /// A bound was reached: a bomb, too many members, archives in archives in archives.
    Limit,
    /// It takes more memory than there is for all items together, or than it was given.
    Memory,
    /// It took longer than an item may.
    Time,
    /// Something that nobody vouches for was found in what was written; nothing of it was kept.
    Residue,
    /// A digest or a signature is not right.
    Mismatch,
    /// The file cannot be read.
    Unreadable,
    /// The file was changed after it was found.
    Changed,
    /// No space is left where results go.
    NoSpace,
    /// Results cannot be written for another reason.
    Unwritable,
    /// Something ended the worker.
    Killed,
    /// A fault of the program itself.
    Fault,
    /// Settings that do not fit this item.
    Settings,
}

impl Why {
    /// All of them.
    const ALL: [Self; 17] = [
        Self::Unknown,
        Self::Unsupported,
        Self::Damaged,
        Self::Truncated,
        Self::Empty,
        Self::Limit,
        Self::Memory,
        Self::Time,
        Self::Residue,
        Self::Mismatch,
        Self::Unreadable,
        Self::Changed,
        Self::NoSpace,
        Self::Unwritable,
        Self::Killed,
        Self::Fault,
        Self::Settings,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Unsupported => "unsupported",
            Self::Damaged => "damaged",
            Self::Truncated => "truncated",
            Self::Empty => "empty",
            Self::Limit => "limit",
            Self::Memory => "memory",
            Self::Time => "time",
            Self::Residue => "residue",
            Self::Mismatch => "mismatch",
            Self::Unreadable => "unreadable",
            Self::Changed => "changed",
            Self::NoSpace => "no-space",
            Self::Unwritable => "unwritable",
            Self::Killed => "killed",
            Self::Fault => "fault",
            Self::Settings => "settings",
        }
    }

    /// May it go well the next time, without a change to the file?
    #[must_use]
    pub const fn is_worth_a_retry(self) -> bool {
        matches!(self, Self::Unreadable | Self::Changed | Self::NoSpace | Self::Unwritable | Self::Killed)
    }

    pub(crate) fn of(error: Error) -> Self {
        match error.kind {
            Kind::UnknownFormat => Self::Unknown,
            Kind::WrongFormat { .. } | Kind::Unsupported { .. } => Self::Unsupported,
            Kind::Empty => Self::Empty,
            Kind::Truncated { .. } => Self::Truncated,
            Kind::Limit { .. } => Self::Limit,
            Kind::InputChanged => Self::Changed,
            Kind::Io(std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) => Self::NoSpace,
            // Busy: no room for threads.
            Kind::Io(std::io::ErrorKind::OutOfMemory | std::io::ErrorKind::ResourceBusy) => Self::Memory,
            Kind::Io(_) if error.stage == Stage::Write => Self::Unwritable,
            Kind::Io(_) => Self::Unreadable,
            _ => match error.exit_code() {
                1 => Self::Residue,
                3 => Self::Damaged,
                6 => Self::Mismatch,
                _ => Self::Settings,
            },
        }
    }
}

/// What came of one dump. `T` is a text: `SafeText`, or what was read and nobody has looked at yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row<T = SafeText> {
    /// The version of this form: heapscrub.batch/1.
    pub schema: T,
    /// What stands for the key of the job: rows of different keys do not go together.
    pub job: Hex,
    /// What stands for the place of the dump, its size and the time of its last change.
    pub item: Hex,
    /// What came of it.
    pub state: State,
    /// Why it was skipped or failed.
    pub class: Option<Why>,
    /// The same in words.
    pub why: Option<T>,
    /// Its place, if file names shall be kept.
    pub name: Option<T>,
    /// The service it is of, from the pattern or the file of labels.
    pub service: Option<T>,
    /// When it was taken, from the pattern or the file of labels.
    pub time: Option<T>,
    /// When the file was last changed, in seconds since 1970.
    pub changed: i64,
    /// Bytes of the file that it lies in.
    pub file_bytes: u64,
    /// The format.
    pub format: Option<T>,
    /// strict or balanced.
    pub profile: Option<T>,
    /// Bytes of the dump, unpacked.
    pub input_bytes: u64,
    /// What stands for its content: equal contents have equal ones.
    pub input: Option<Hex>,
    /// Does it have a graph of objects?
    pub has_graph: bool,
    /// Objects.
    pub nodes: u64,
    /// References.
    pub edges: u64,
    /// Distinct texts.
    pub strings: u64,
    /// Bytes of all objects.
    pub heap_bytes: u64,
    /// What rules found.
    pub found: Vec<RowFound<T>>,
    /// Objects by class, largest first. Retained bytes of several dumps must never be added up.
    pub classes: Vec<RowClass<T>>,
    /// Classes that are not in the list.
    pub classes_left_out: u64,
    /// SHA-256 of its report.
    pub report: Option<Hex>,
    /// What else was written, with its SHA-256.
    pub written: Vec<Written>,
}

/// What one rule found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowFound<T> {
    /// The id of the rule.
    pub rule: T,
    /// Distinct texts.
    pub texts: u64,
}

/// Objects of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowClass<T> {
    /// The class.
    pub class: T,
    /// The path of its script, where the dump tells it.
    pub script: Option<T>,
    /// Objects.
    pub count: u64,
    /// Their own bytes.
    pub shallow: u64,
    /// Bytes that would go with all of them.
    pub retained: u64,
}

/// A file beside the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    /// The end of its name.
    pub extension: Extension,
    /// Its bytes.
    pub bytes: u64,
    /// What it holds.
    pub sha256: Hex,
}

/// How files beside reports end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Extension(String);

impl Extension {
    pub(crate) fn new(text: &str) -> Option<Self> {
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.';
        (text.len() <= 32 && text.bytes().all(is_plain) && !text.contains("..")).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Extension {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        Self::new(&text).ok_or("the end of a file name")
    }
}

impl From<Extension> for String {
    fn from(extension: Extension) -> Self {
        extension.0
    }
}

impl Row {
    /// A row that says nothing yet.
    pub(crate) fn new(job: Hex, item: Hex, state: State) -> Self {
        Self {
            schema: SafeText::literal(SCHEMA),
            job,
            item,
            state,
            class: None,
            why: None,
            name: None,
            service: None,
            time: None,
            changed: 0,
            file_bytes: 0,
            format: None,
            profile: None,
            input_bytes: 0,
            input: None,
            has_graph: false,
            nodes: 0,
            edges: 0,
            strings: 0,
            heap_bytes: 0,
            found: Vec::new(),
            classes: Vec::new(),
            classes_left_out: 0,
            report: None,
            written: Vec::new(),
        }
    }

    /// An item that came to nothing.
    pub(crate) fn failed(job: Hex, item: Hex, class: Why, why: SafeText) -> Self {
        Self { class: Some(class), why: Some(why), ..Self::new(job, item, State::Failed) }
    }

    /// What a report of one dump says.
    pub(crate) fn told(mut self, report: &Report) -> Self {
        if let Some(input) = report.inputs.first() {
            self.format = Some(SafeText::literal(input.format));
            (self.input_bytes, self.has_graph) = (input.input_bytes, input.has_graph);
            (self.nodes, self.edges, self.strings) = (input.nodes, input.edges, input.strings);
            self.heap_bytes = input.heap_bytes;
        }
        self.profile = Some(SafeText::literal(report.redaction.profile));
        let mut found: BTreeMap<&'static str, u64> = BTreeMap::new();
        for one in &report.redaction.found {
            *found.entry(one.rule).or_default() += one.texts;
        }
        self.found = found.into_iter().map(|(rule, texts)| RowFound { rule: SafeText::literal(rule), texts }).collect();
        // Classes of one name in several places of one script are one here: places move from build to build.
        let mut classes: Vec<RowClass<SafeText>> = Vec::new();
        let mut at: BTreeMap<(SafeText, Option<SafeText>), usize> = BTreeMap::new();
        for one in &report.classes {
            let script = one.location.as_ref().and_then(|place| place.script.clone());
            let key = (one.class.clone(), script.clone());
            if let Some(known) = at.get(&key).and_then(|at| classes.get_mut(*at)) {
                known.count += one.count;
                known.shallow += one.shallow;
                // One may hold the other: the larger of them is certain.
                known.retained = known.retained.max(one.retained);
                continue;
            }
            at.insert(key, classes.len());
            let (count, shallow, retained) = (one.count, one.shallow, one.retained);
            classes.push(RowClass { class: one.class.clone(), script, count, shallow, retained });
        }
        (self.classes, self.classes_left_out) = (classes, report.classes_left_out);
        self
    }

    /// One line of an index.
    #[must_use]
    pub fn line(&self) -> String {
        // Plain numbers and texts always serialise.
        serde_json::to_string(self).unwrap_or_else(|_| unreachable!("a row serialises"))
    }

    /// Its line without digests: they are computed from numbers and bytes, and a rule may take one for something by chance.
    pub(crate) fn line_without_digests(&self) -> String {
        let none = Hex::of(&[]);
        let written = self.written.iter().map(|one| Written { sha256: none.clone(), ..one.clone() }).collect();
        let (job, item) = (none.clone(), none);
        Self { job, item, input: None, report: None, written, ..self.clone() }.line()
    }

    /// The JSON Schema of rows.
    #[must_use]
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        serde_json::to_string_pretty(&schema).unwrap_or_else(|_| unreachable!("a schema serialises"))
    }
}

impl Row<String> {
    /// Reads a line; nothing if it is none of ours.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let row: Self = serde_json::from_slice(line).ok()?;
        (row.schema == SCHEMA).then_some(row)
    }

    /// Looks at every text of it.
    pub(crate) fn vouched(self, names: &mut Names<'_>) -> Row {
        let mut again = |text: String| names.again(&text);
        Row {
            schema: SafeText::literal(SCHEMA),
            job: self.job,
            item: self.item,
            state: self.state,
            class: self.class,
            why: self.why.map(&mut again),
            name: self.name.map(&mut again),
            service: self.service.map(&mut again),
            time: self.time.map(&mut again),
            changed: self.changed,
            file_bytes: self.file_bytes,
            format: self.format.map(&mut again),
            profile: self.profile.map(&mut again),
            input_bytes: self.input_bytes,
            input: self.input,
            has_graph: self.has_graph,
            nodes: self.nodes,
            edges: self.edges,
            strings: self.strings,
            heap_bytes: self.heap_bytes,
            found: self.found.into_iter().map(|f| RowFound { rule: again(f.rule), texts: f.texts }).collect(),
            classes: self
                .classes
                .into_iter()
                .map(|class| RowClass {
                    class: again(class.class),
                    script: class.script.map(&mut again),
                    count: class.count,
                    shallow: class.shallow,
                    retained: class.retained,
                })
                .collect(),
            classes_left_out: self.classes_left_out,
            report: self.report,
            written: self.written,
        }
    }
}

/// Every word that stands in the program and can stand in a row.
pub(crate) fn own() -> Vec<String> {
    let text = || SafeText::literal("");
    let class = RowClass { class: text(), script: None, count: 0, shallow: 0, retained: 0 };
    let written = Written { extension: Extension(String::new()), bytes: 0, sha256: Hex::of(&[]) };
    let full = Row {
        found: vec![RowFound { rule: text(), texts: 0 }],
        classes: vec![class],
        written: vec![written],
        ..Row::new(Hex::of(&[]), Hex::of(&[]), State::Done)
    };
    let failed = |class| Row { class: Some(class), state: State::Failed, ..full.clone() }.line();
    let skipped = Row { state: State::Skipped, ..full.clone() }.line();
    [full.line(), skipped].into_iter().chain(Why::ALL.into_iter().map(failed)).collect()
}

/// Rows by item: what a job came to. Two sets fold into one in any order, with the same result.
pub type Rows = BTreeMap<Hex, Row>;
