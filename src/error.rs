//! One error type for everything that has seen input.
//!
//! `Error` is `Copy`: the compiler proves that it owns no text, so no error can carry a piece of a snapshot.
//! [`ConfigError`] is for rules and settings, which the user wrote; it may quote those, never input.

use std::{fmt, io};

use crate::bundle::member::MemberName;

/// Which stage of the pipeline failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Opening and decompressing the input.
    Input,
    /// Reading the format.
    Ingest,
    /// Deciding what is replaced.
    Scrub,
    /// Writing the sanitised artifact.
    Write,
    /// Re-reading and checking what was written.
    Verify,
    /// Opening what somebody else shared.
    Receive,
}

/// What failed. Payloads are numbers and static words only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The first bytes are of no format that we read.
    UnknownFormat,
    /// A known file that is not a snapshot; `hint` says what it is and what to do.
    WrongFormat {
        /// What the file is, and what to capture instead.
        hint: &'static str,
    },
    /// There is nothing in the file.
    Empty,
    /// The file ends before the format does.
    Truncated {
        /// The part in which it ends.
        what: &'static str,
    },
    /// The file breaks the rules of its format.
    Malformed {
        /// What was expected.
        what: &'static str,
    },
    /// Too many rows of a table cannot be read.
    DamagedRows {
        /// The line of the first one, from 1.
        line: u64,
        /// How many.
        damaged: u64,
        /// Of how many.
        rows: u64,
    },
    /// A table has no column of that name.
    NoSuchColumn {
        /// The flag that names it.
        what: &'static str,
    },
    /// A part of the format that this version does not understand.
    Unsupported {
        /// Which part.
        what: &'static str,
    },
    /// A bound from `limits` was reached.
    Limit {
        /// What was counted.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// Texts that nobody vouched for were found in what was written.
    Residue {
        /// How many.
        count: u64,
        /// Where the first one stands.
        what: &'static str,
    },
    /// The written artifact does not have the structure of the input.
    Changed {
        /// Which part differs.
        what: &'static str,
    },
    /// The input file was changed by somebody while it was read.
    InputChanged,
    /// A directory given for names holds no source file.
    NoSourceFiles,
    /// A values file holds no value.
    NoValues,
    /// A values file is not UTF-8.
    ValuesEncoding,
    /// A quote in a table of values is never closed.
    ValuesQuote {
        /// The line in which it begins, from 1.
        line: u64,
    },
    /// Others than its owner can read the key file.
    KeyNotPrivate,
    /// The key is too short or too long.
    KeyLength,
    /// Two texts got the same number under the key.
    TagCollision,
    /// The snapshots of one process are not in the order in which they were taken.
    OutOfOrder {
        /// The right order.
        order: Order,
    },
    /// There are not as many numbers of work as snapshots.
    WorkCount {
        /// How many numbers.
        given: u32,
        /// How many snapshots.
        snapshots: u32,
    },
    /// Rows of several jobs, made with different keys.
    JobsDiffer,
    /// The output exists already.
    OutputExists,
    /// The output names something that is not a file: a device, a pipe, a directory.
    OutputNotAFile,
    /// A directory of that name exists already.
    DirectoryExists,
    /// The output is the input.
    OutputIsInput,
    /// What a sender says about a bundle is something that was removed from it, or that a rule finds.
    TermsFound,
    /// A rehearsal has nothing to publish.
    Rehearsal,
    /// A received bundle is not as it was made.
    Tampered {
        /// What differs.
        what: &'static str,
        /// The member, if it is one that bundles have.
        member: Option<MemberName>,
    },
    /// A part of a received bundle does not lie beside the others.
    PartMissing {
        /// Its number, from 1.
        number: u32,
        /// How many there are.
        of: u32,
    },
    /// Texts that nobody vouched for were found in a received bundle.
    Unclean {
        /// How many.
        count: u64,
        /// Where.
        member: MemberName,
    },
    /// A received bundle holds something that bundles never hold.
    Hostile {
        /// What.
        what: &'static str,
    },
    /// The operating system said no.
    Io(io::ErrorKind),
}

/// Numbers of inputs, from 1, in the order in which they were taken. Long lists are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    inputs: [u16; 16],
    len: usize,
}

impl Order {
    pub(crate) fn new(order: &[usize]) -> Self {
        let mut inputs = [0; 16];
        for (slot, input) in inputs.iter_mut().zip(order) {
            *slot = u16::try_from(input + 1).unwrap_or(u16::MAX);
        }
        Self { inputs, len: order.len() }
    }

    /// Are there more inputs than [`Self::inputs`] gives?
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.len > self.inputs.len()
    }

    /// The inputs, from 1.
    pub fn inputs(&self) -> impl Iterator<Item = u16> {
        self.inputs.into_iter().take(self.len)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.inputs().map(|n| n.to_string()).collect();
        write!(f, "{}{}", list.join(", "), if self.is_cut() { ", ..." } else { "" })
    }
}

/// A failure: stage, kind, byte offset. Paths are added by the command line, for the terminal only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// The stage that failed.
    pub stage: Stage,
    /// What failed.
    pub kind: Kind,
    /// Where in the (decompressed) input or output.
    pub offset: Option<u64>,
}

/// The result of everything that touches input.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error without a place.
    #[must_use]
    pub const fn new(stage: Stage, kind: Kind) -> Self {
        Self { stage, kind, offset: None }
    }

    /// The same error, with the byte offset at which it was noticed.
    #[must_use]
    pub const fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// An error of the operating system; its kind is kept, its message is not.
    #[must_use]
    pub fn io(stage: Stage, error: &io::Error) -> Self {
        Self::new(stage, Kind::Io(error.kind()))
    }

    /// The documented exit code of the program for this error.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self.kind {
            Kind::Residue { .. } | Kind::Changed { .. } | Kind::Unclean { .. } | Kind::TagCollision => 1,
            Kind::NoSourceFiles
            | Kind::NoValues
            | Kind::ValuesEncoding
            | Kind::ValuesQuote { .. }
            | Kind::KeyNotPrivate
            | Kind::KeyLength
            | Kind::OutOfOrder { .. }
            | Kind::WorkCount { .. }
            | Kind::JobsDiffer
            | Kind::OutputExists
            | Kind::OutputNotAFile
            | Kind::DirectoryExists
            | Kind::OutputIsInput
            | Kind::NoSuchColumn { .. }
            | Kind::TermsFound
            | Kind::Rehearsal => 2,
            Kind::UnknownFormat
            | Kind::WrongFormat { .. }
            | Kind::Empty
            | Kind::Truncated { .. }
            | Kind::Malformed { .. }
            | Kind::DamagedRows { .. }
            | Kind::Unsupported { .. } => 3,
            Kind::Limit { .. } => 4,
            Kind::Tampered { .. } | Kind::PartMissing { .. } | Kind::Hostile { .. } => 6,
            Kind::InputChanged | Kind::Io(_) => 5,
        }
    }

    /// What the user can do about it; empty when the message says it all.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self.kind {
            Kind::UnknownFormat => {
                "expected a V8 .heapsnapshot or .heaptimeline, what tracemalloc.Snapshot.dump writes, or a log (text, JSON, JSONL); plain, .gz or .zst"
            }
            Kind::Truncated { .. } => {
                "the file was cut off while it was written, as happens when a process runs out of memory or disk; take the snapshot again with more free memory"
            }
            Kind::Malformed { .. } => "the file is damaged; copy it again from its source, or take a new snapshot",
            Kind::DamagedRows { .. } => {
                "a few damaged rows are left out and told, more than one in ten are not; look at the line, or cut the file there"
            }
            Kind::NoSuchColumn { .. } => {
                "pass the name of a column as it stands in the first line, or its number from 1"
            }
            Kind::Unsupported { .. } => {
                "nothing was written, because what is not understood cannot be vouched for; a newer heapscrub may read it"
            }
            Kind::Limit { .. } if matches!(self.stage, Stage::Write) => {
                "nothing was written; choose a larger --max-size, or another container or packing"
            }
            Kind::Limit { .. } => "nothing was written; if the file is genuine, decompress it first",
            Kind::Residue { .. } | Kind::Changed { .. } => {
                "nothing was written; this is a fault in heapscrub, please report it with the numbers above (they hold no content)"
            }
            Kind::InputChanged => "wait until the snapshot is complete, then run again",
            Kind::NoSourceFiles => "pass the directory of the program's JavaScript or TypeScript files",
            Kind::NoValues => "put one value on each line",
            Kind::ValuesEncoding => "save the list as UTF-8 and run again",
            Kind::ValuesQuote { .. } => {
                "close it, or write two quotes where one is meant; a list that is no table should not end in .csv or .tsv"
            }
            Kind::KeyNotPrivate => {
                "take the rights of others away (chmod 600), and make a new key if they may have read it"
            }
            Kind::KeyLength => "make a key with: head -c 32 /dev/urandom > FILE; chmod 600 FILE",
            Kind::TagCollision => "nothing was written; run again with another key",
            Kind::OutOfOrder { .. } => {
                "pass them in the order in which they were taken, or pass --keep-order if you know better"
            }
            Kind::WorkCount { .. } => "give one for each, as they were counted when it was taken",
            Kind::Tampered { .. } => {
                "do not trust this file: ask the sender for it again, and compare its digest with the one they see"
            }
            Kind::PartMissing { .. } => "put all parts of the bundle into one directory",
            Kind::Unclean { .. } => {
                "do not pass it on: it holds texts that were not removed, or rules here know more than the sender's; tell the sender"
            }
            Kind::TermsFound => {
                "nothing was written; name an organisation, a team or a role, and say the purpose without names of people"
            }
            Kind::Hostile { .. } => "nothing was unpacked; heapscrub never writes such a file",
            Kind::JobsDiffer => "nothing was written; run all parts of a job with the same --key-file",
            Kind::OutputExists => "choose another name, or pass --force to replace it",
            Kind::DirectoryExists => "choose another name, or remove the directory first; it is never replaced",
            Kind::OutputNotAFile => "choose the name of a file; '-' writes to standard output",
            Kind::OutputIsInput => "the input is never modified; choose another name for the output",
            Kind::WrongFormat { .. } | Kind::Empty | Kind::Rehearsal | Kind::Io(_) => "",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match self.stage {
            Stage::Input => "input",
            Stage::Ingest => "ingest",
            Stage::Scrub => "scrub",
            Stage::Write => "write",
            Stage::Verify => "verify",
            Stage::Receive => "bundle",
        };
        write!(f, "{stage}: {}", self.kind)?;
        self.offset.map_or(Ok(()), |o| write!(f, " at byte {o}"))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnknownFormat => f.write_str("not a snapshot format that is known"),
            Self::WrongFormat { hint } => f.write_str(hint),
            Self::Empty => f.write_str("the file is empty"),
            Self::Truncated { what } => write!(f, "the file ends in the middle of {what}"),
            Self::Malformed { what } => write!(f, "malformed: expected {what}"),
            Self::DamagedRows { line, damaged, rows } => {
                write!(f, "{damaged} of {rows} rows cannot be read, the first one in line {line}")
            }
            Self::NoSuchColumn { what } => write!(f, "no column of the name that {what} says"),
            Self::Unsupported { what } => write!(f, "not understood: {what}"),
            Self::Limit { what, limit } => write!(f, "limit reached: {what} (at most {limit})"),
            Self::Residue { count, what } => {
                write!(f, "{count} texts in the written file are not vouched for, the first one {what}")
            }
            Self::Changed { what } => write!(f, "the written file differs from the input in its {what}"),
            Self::InputChanged => f.write_str("the input changed while it was read"),
            Self::NoSourceFiles => f.write_str("no source file below this directory"),
            Self::ValuesEncoding => f.write_str("the values file is not UTF-8 text"),
            Self::ValuesQuote { line } => write!(f, "a quote in line {line} of the values file is never closed"),
            Self::NoValues => f.write_str("the values file holds no value"),
            Self::KeyNotPrivate => f.write_str("others than its owner can read the key file"),
            Self::KeyLength => f.write_str("a key has 16 to 4096 bytes"),
            Self::TagCollision => f.write_str("two different texts got the same placeholder under this key"),
            Self::OutOfOrder { order } => {
                write!(f, "the snapshots look like ones of one process, taken in the order {order}")
            }
            Self::WorkCount { given, snapshots } => {
                write!(f, "--work has {given} numbers for {snapshots} snapshots")
            }
            Self::Tampered { what, member: Some(name) } => write!(f, "{name}: {what}"),
            Self::Tampered { what, member: None } => f.write_str(what),
            Self::PartMissing { number, of } => write!(f, "part {number} of {of} is missing"),
            Self::Unclean { count, member } => write!(f, "{member}: {count} texts in it are not vouched for"),
            Self::Hostile { what } => write!(f, "refused: the file holds {what}"),
            Self::JobsDiffer => {
                f.write_str("these results were made with different keys, so their placeholders do not fit together")
            }
            Self::OutputExists => f.write_str("the output file exists already"),
            Self::DirectoryExists => f.write_str("the directory exists already"),
            Self::OutputNotAFile => f.write_str("the output is a device, a pipe or a directory"),
            Self::OutputIsInput => f.write_str("input and output are the same file"),
            Self::TermsFound => f.write_str(
                "--recipient or --purpose holds something that rules find or that was removed from the snapshots",
            ),
            Self::Rehearsal => f.write_str("a rehearsal has no file to publish"),
            Self::Io(io::ErrorKind::NotFound) => f.write_str("no such file or directory"),
            Self::Io(io::ErrorKind::StorageFull) => f.write_str("no space left on the device"),
            Self::Io(kind) => write!(f, "{kind}"),
        }
    }
}

impl std::error::Error for Error {}

/// A fault in rules, profiles or settings. It may quote what the user wrote there; it never saw a snapshot.
#[derive(Debug)]
pub struct ConfigError(String);

impl ConfigError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

/// From this likeness on a word is offered for a mistyped one.
const ALIKE: f64 = 0.7;

/// The known word that is nearest to a mistyped one, if any is near.
#[must_use]
pub fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let word = word.to_lowercase();
    let near = known.map(|k| (strsim::jaro_winkler(&word, &k.to_lowercase()), k)).filter(|(score, _)| *score >= ALIKE);
    near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, word)| word)
}

/// Does a word that is not known look like a mistyped one? Anything else may be a piece of a file that was given by
/// mistake, and is not repeated.
#[must_use]
pub fn is_repeatable(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ');
    !word.is_empty() && word.len() <= WORD_BYTES && word.chars().all(is_plain)
}

/// The longest word that is repeated.
const WORD_BYTES: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_are_repeated() {
        for word in ["profil", "heap limit", "rss.1", "names-from"] {
            assert!(is_repeatable(word), "{word}");
        }
        for other in ["", "maria@example.test", "a\u{1b}b", "a_word_of_more_than_24_bytes", "Łódź", "a\nb"] {
            assert!(!is_repeatable(other), "{other:?}");
        }
    }

    #[test]
    fn a_long_order_is_cut_with_a_sign() {
        let order = |n: usize| Order::new(&(0..n).collect::<Vec<_>>());
        assert!(!order(16).is_cut() && order(17).is_cut());
        assert!(order(17).to_string().ends_with("16, ...") && order(16).to_string().ends_with("15, 16"));
    }

    #[test]
    fn an_error_cannot_own_text() {
        fn is_copy<T: Copy>() {}
        is_copy::<Error>();
    }

    #[test]
    fn message_form() {
        let error = Error::new(Stage::Ingest, Kind::Malformed { what: "node_fields" }).at(812);
        assert_eq!(error.to_string(), "ingest: malformed: expected node_fields at byte 812");
    }
}
