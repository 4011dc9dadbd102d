//! What a file of memory over time holds, as numbers and closed lists. Readers fill it; nothing in it was a text of the
//! file but the label, which went through the wall.

use crate::SafeText;

/// What a column of numbers measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Objects of a collected heap, garbage included.
    Heap,
    /// What is left of a collected heap after a full collection.
    Live,
    /// What the runtime has taken from the system for its heap.
    Committed,
    /// Memory that objects of the heap hold outside of it.
    External,
    /// The buffers among it.
    Buffers,
    /// Memory of the process in RAM.
    Resident,
    /// The same, shared pages counted in part.
    Proportional,
    /// Memory that the process shares with nobody.
    Private,
    /// Memory of the process that is not from files.
    Anonymous,
    /// Addresses the process has reserved.
    Virtual,
    /// Memory of the process in swap.
    Swap,
    /// Memory, of which nobody says what it is.
    Memory,
    /// What is resident and not of the heap, counted from two columns.
    Outside,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Heap,
        Self::Live,
        Self::Committed,
        Self::External,
        Self::Buffers,
        Self::Resident,
        Self::Proportional,
        Self::Private,
        Self::Anonymous,
        Self::Virtual,
        Self::Swap,
        Self::Memory,
        Self::Outside,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Live => "live",
            Self::Committed => "committed",
            Self::External => "external",
            Self::Buffers => "buffers",
            Self::Resident => "resident",
            Self::Proportional => "proportional",
            Self::Private => "private",
            Self::Anonymous => "anonymous",
            Self::Virtual => "virtual",
            Self::Swap => "swap",
            Self::Memory => "memory",
            Self::Outside => "outside",
        }
    }

    /// What it is, for people.
    #[must_use]
    pub const fn means(self) -> &'static str {
        match self {
            Self::Heap => "heap in use",
            Self::Live => "heap after full collections",
            Self::Committed => "heap taken from the system",
            Self::External => "memory outside of the heap, held by its objects",
            Self::Buffers => "buffers outside of the heap",
            Self::Resident => "resident memory of the process (RSS)",
            Self::Proportional => "resident memory, shared pages in part (PSS)",
            Self::Private => "private memory of the process (USS)",
            Self::Anonymous => "anonymous memory of the process",
            Self::Virtual => "reserved addresses",
            Self::Swap => "swapped memory",
            Self::Memory => "memory",
            Self::Outside => "resident memory beyond the heap",
        }
    }

    /// Is it memory of the whole process as the system sees it?
    pub(crate) const fn is_of_process(self) -> bool {
        matches!(self, Self::Resident | Self::Proportional | Self::Private | Self::Anonymous | Self::Memory)
    }

    /// Is it worth a plot?
    pub(crate) const fn is_shown(self) -> bool {
        !matches!(self, Self::Virtual | Self::Swap)
    }

    /// Does garbage of a collected heap count in it until a full collection?
    pub(crate) const fn holds_garbage(self) -> bool {
        !matches!(self, Self::Live)
    }
}

/// What runs the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Runtime {
    /// Nobody says.
    #[default]
    Unknown,
    /// Node.js, Deno, Electron, Chromium.
    V8,
    /// Java and its relatives.
    Jvm,
    /// Go.
    Go,
    /// .NET.
    Dotnet,
    /// Ruby.
    Ruby,
    /// CPython, which frees most objects at once.
    Python,
    /// No collector: C, C++, Rust.
    Native,
}

impl Runtime {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Unknown, Self::V8, Self::Jvm, Self::Go, Self::Dotnet, Self::Ruby, Self::Python, Self::Native];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::V8 => "v8",
            Self::Jvm => "jvm",
            Self::Go => "go",
            Self::Dotnet => "dotnet",
            Self::Ruby => "ruby",
            Self::Python => "python",
            Self::Native => "native",
        }
    }

    /// Does garbage stay until a collector finds it?
    #[must_use]
    pub const fn is_collected(self) -> bool {
        matches!(self, Self::V8 | Self::Jvm | Self::Go | Self::Dotnet | Self::Ruby)
    }
}

/// What is known about full collections.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Fulls {
    /// Nothing.
    #[default]
    Untold,
    /// One ran right before each sample.
    BeforeEach,
    /// For each sample: did one run since the sample before?
    Since(Vec<bool>),
}

/// A column of numbers, one for each time; NaN where there is none.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) measure: Measure,
    pub(crate) values: Vec<f64>,
}

/// One collection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Collection {
    /// Seconds.
    pub(crate) t: f64,
    /// Bytes in use before and after; NaN where nobody says.
    pub(crate) before: f64,
    pub(crate) after: f64,
    /// What the heap may grow to at that moment.
    pub(crate) capacity: f64,
    /// For how long the program stood still.
    pub(crate) pause_ms: f64,
    /// Was the whole heap looked at?
    pub(crate) is_full: bool,
}

/// What is told about the rows of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    /// Rows that count.
    pub(crate) used: u64,
    /// Rows that could not be read, and the first of their lines.
    pub(crate) damaged: u64,
    pub(crate) damaged_lines: Vec<u64>,
    /// The last line was cut off.
    pub(crate) is_cut: bool,
    /// Columns, labels, command lines and other texts that were left out.
    pub(crate) texts_left_out: u64,
}

/// A note on how a file was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Note {
    NoTimes,
    UnitOfTimeGuessed,
    UnitOfBytesGuessed(&'static str),
    OutOfOrder,
    DaysGuessed,
}

/// Everything that one process shows in one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    pub(crate) format: &'static str,
    pub(crate) runtime: Runtime,
    /// The process, if it has a number; another number is another life of the program.
    pub(crate) pids: Vec<u64>,
    /// Seconds, ascending: lives stand end to end.
    pub(crate) t: Vec<f64>,
    /// Rows at which time began again.
    pub(crate) resets: Vec<usize>,
    /// Are they seconds since 1970, so that files can be laid beside each other?
    pub(crate) is_absolute: bool,
    pub(crate) columns: Vec<Column>,
    /// Load of each moment: a gauge, or the rate of a counter.
    pub(crate) load: Option<Vec<f64>>,
    pub(crate) fulls: Fulls,
    pub(crate) collections: Vec<Collection>,
    /// The most the heap may take, if the file says.
    pub(crate) limit: Option<f64>,
    pub(crate) label: Option<SafeText>,
    pub(crate) rows: Rows,
    pub(crate) notes: Vec<Note>,
}
