//! One folder per format. A format turns bytes into text units with roles, and writes them back through the sink.

pub(crate) mod role;
pub(crate) mod v8;

use self::role::RoleSet;
use super::input::Input;
use super::scrub::edits::Edits;
use super::scrub::sink::Sink;
use super::scrub::wall::RawStr;
use crate::heap::{Counts, StrId};
use crate::{Error, Kind, Result, Stage};

/// How sure a format is that a file is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guess {
    No,
    Sure,
}

/// The stateless entry point of a format.
pub(crate) trait Format: Sync {
    /// The name used in ledgers.
    fn name(&self) -> &'static str;
    /// Looks at the first 4 KiB; allocates nothing.
    fn sniff(&self, head: RawStr<'_>) -> Guess;
    /// Reads the whole input into columns.
    fn open<'i>(&self, input: &'i Input) -> Result<Box<dyn Source + 'i>>;
}

/// An opened snapshot: numbered text units with their roles, and a writer.
pub(crate) trait Source: Sync {
    fn counts(&self) -> Counts;
    /// One unit, decoded to UTF-8 where it is valid Unicode; `scratch` is used when it had escapes.
    fn text<'a>(&'a self, id: StrId, scratch: &'a mut Vec<u8>) -> RawStr<'a>;
    /// Every role that the unit plays.
    fn roles(&self, id: StrId) -> RoleSet;
    /// Makes data of all keys of an object of the program that has one key nobody vouches for.
    fn demote(&mut self, is_vouched: &dyn Fn(StrId) -> bool);
    /// Units that live code of the program itself names: constant pools, scopes, functions, class fields.
    fn is_program_name(&self, id: StrId) -> bool;
    /// Source texts of the program's own files, whose words are names of the program.
    fn program_sources(&self) -> &[StrId];
    /// A number over everything but texts and their ids; equal for input and output.
    fn structure(&self) -> u64;
    /// A number over the text ids used by nodes and edges, each mapped to its original first.
    fn naming(&self, original: &dyn Fn(StrId) -> StrId) -> u64;
    /// How many parts of the file were not understood and left out.
    fn dropped(&self) -> u32;
    /// Streams the sanitised artifact in one forward pass over the input.
    fn write(&self, edits: &Edits, sink: &mut Sink<'_>) -> Result<()>;
}

static FORMATS: &[&dyn Format] = &[&v8::V8];

/// Opens an input with the format that recognises it.
pub(in crate::raw) fn open(input: &Input) -> Result<(&'static str, Box<dyn Source + '_>)> {
    let head = input.head();
    let format = FORMATS.iter().find(|f| f.sniff(head) == Guess::Sure).ok_or_else(|| unknown(head.expose()))?;
    Ok((format.name(), format.open(input)?))
}

/// Names what a file is when it is a known thing that is not a snapshot.
fn unknown(head: &[u8]) -> Error {
    let starts = |magic: &[u8]| head.starts_with(magic);
    let hint = match () {
        () if starts(b"JAVA PROFILE") => Some("this is a JVM heap dump (HPROF), which this version does not read"),
        () if starts(b"FLR\0") => Some("this is a Java Flight Recording, which this version does not read"),
        () if starts(b"\x7fELF") => {
            Some("this is an ELF file (a program or a core dump); take a heap snapshot with the runtime's own tool")
        }
        () if starts(b"MDMP") => Some("this is a minidump; take a heap snapshot with the runtime's own tool"),
        () if starts(b"PK\x03\x04") => Some("this is a zip archive; unpack it and pass the snapshot inside"),
        () if head.get(257..262) == Some(b"ustar") => {
            Some("this is a tar archive; unpack it and pass the snapshot inside")
        }
        () if starts(b"{\"version\":") => {
            Some("this looks like a JavaScriptCore snapshot; in Bun, call generateHeapSnapshot(\"v8\") instead")
        }
        () if starts(b"{\"head\":") => {
            Some("this looks like a sampling profile (.heapprofile), which holds no heap; take a heap snapshot")
        }
        () => None,
    };
    Error::new(Stage::Ingest, hint.map_or(Kind::UnknownFormat, |hint| Kind::WrongFormat { hint }))
}
