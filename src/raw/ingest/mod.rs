//! One folder per format. A format turns bytes into text units with roles, and writes them back through the sink.

pub(crate) mod context;
mod refused;
pub(crate) mod role;
pub(crate) mod series;
pub(crate) mod text;
mod tracemalloc;
pub(crate) mod v8;

use self::context::{Composite, ContextView, Held, Joined, Part, TextUnit};
use self::role::{Role, RoleSet};
pub(in crate::raw) use self::v8::Shapes;
use super::input::Input;
use super::scrub::edits::Edits;
use super::scrub::sink::Sink;
use super::scrub::wall::RawStr;
use crate::heap::graph::Heap;
use crate::heap::series::Sketch;
use crate::heap::sites::Sites;
use crate::heap::{Counts, StrId};
use crate::{Error, Kind, Result, Stage};

/// How sure a format is that a file is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guess {
    No,
    Sure,
}

/// How good the evidence is that a key is a name and not data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Nobody vouches for it.
    None,
    /// A runtime uses the word, but it is an ordinary one: somebody's name or password may be the same.
    Weak,
    /// The program's own code names it, or it is put together in a way that only programmers do.
    Strong,
}

/// Whose code names a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namer {
    /// The runtime's own.
    Runtime,
    /// The program's.
    Program,
}

/// The stateless entry point of a format.
pub(crate) trait Format: Sync {
    /// The name used in ledgers.
    fn name(&self) -> &'static str;
    /// Looks at the first 4 KiB; allocates nothing.
    fn sniff(&self, head: RawStr<'_>) -> Guess;
    /// Reads the whole input into columns.
    fn open<'i>(&self, input: &'i Input) -> Result<Box<dyn Source + 'i>>;
    /// A look at a written file that shares nothing with the reader: every text in it. What stands between texts must be
    /// syntax of the format and nothing else.
    fn literals(&self, bytes: &[u8], each: &mut dyn FnMut(Literal<'_>)) -> Result<()>;
    /// Do texts of such files play this part?
    fn has_role(&self, role: Role) -> bool {
        !role.is_of_log()
    }
    /// Parts of a written file, with their places, that can be looked at together: if in each alone nothing but texts and
    /// syntax is found, these are just those of the whole.
    fn parts<'b>(&self, bytes: &'b [u8]) -> Vec<(usize, &'b [u8])> {
        vec![(0, bytes)]
    }
}

/// A text of a written file, found without the reader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal<'a> {
    /// Where it stands.
    pub(in crate::raw) at: u64,
    /// As it is written.
    pub(in crate::raw) written: RawStr<'a>,
    /// What it says.
    pub(in crate::raw) text: RawStr<'a>,
    /// Is it a word of the format itself?
    pub(in crate::raw) is_word: bool,
}

/// Which of the two readings of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The input.
    Input,
    /// The file that was written of it.
    Written,
}

/// What a node is as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeText {
    /// No node has this number.
    NoNode,
    /// It is no text.
    NoText,
    /// It is put together from others.
    Joined,
    /// It is this one.
    Unit(StrId),
}

/// An opened input: numbered text units with their roles, and a writer.
///
/// What has defaults is for heaps with a graph; logs and the like have none, and need none of it.
pub(crate) trait Source: Send + Sync {
    fn counts(&self) -> Counts;
    /// One unit, decoded to UTF-8 where it is valid Unicode; `scratch` is used when it had escapes.
    fn text<'a>(&'a self, id: StrId, scratch: &'a mut Vec<u8>) -> RawStr<'a>;
    /// Every role that the unit plays.
    fn roles(&self, id: StrId) -> RoleSet;
    /// The unit as a whole.
    fn unit<'a>(&'a self, id: StrId, scratch: &'a mut Vec<u8>) -> TextUnit<'a> {
        TextUnit { id, roles: self.roles(id), text: self.text(id, scratch) }
    }
    /// Every text that is put together and is no part of another, with its bytes when joined.
    fn composites(&self) -> Vec<(Composite, u32)> {
        Vec::new()
    }
    /// The parts of a composite.
    fn parts(&self, _: Composite, out: &mut Vec<Part>) -> Joined {
        out.clear();
        Joined::InOrder
    }
    /// Every holder of every text under a key that is wanted, in the order of the file.
    fn holders(&self, wanted: &dyn Fn(Held) -> bool, each: &mut dyn FnMut(&ContextView<'_>));
    /// The holders of one of so many parts of the file, so that parts can be looked at together; each holder is in one of
    /// them.
    fn holders_in(
        &self,
        (part, _): (usize, usize),
        wanted: &dyn Fn(Held) -> bool,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        if part == 0 {
            self.holders(wanted, each);
        }
    }
    /// Was this text cut by the snapshot, so that it may end within a secret?
    fn is_cut(&self, _: &[u8]) -> bool {
        false
    }
    /// Puts the keys of objects in doubt of which the evidence does not say that they are names.
    fn doubt(&mut self, _: &dyn Fn(StrId, Role) -> Evidence) {}
    /// Whose live code names the unit: constant pools, scopes, functions.
    fn named_by(&self, _: StrId) -> Option<Namer> {
        None
    }
    /// Source texts of files, whose words name things too.
    fn source_texts(&self) -> &[(StrId, Namer)] {
        &[]
    }
    /// The highest id that a node has.
    fn highest_id(&self) -> u64 {
        0
    }
    /// The text that the node with this number is, as the runtime's own tools number nodes.
    fn text_of_node(&self, _: u64) -> Result<NodeText> {
        Ok(NodeText::NoNode)
    }
    /// A number over everything but texts and their ids; equal for input and output.
    fn structure(&self) -> u64;
    /// A number over what every place of the file refers to, and over how many texts there are: equal if each place of the
    /// written file got what the edits say.
    fn naming(&self, edits: &Edits, side: Side) -> u64;
    /// How many parts of the file were not understood and left out.
    fn dropped(&self) -> u32 {
        0
    }
    /// How files of this kind end, so that other tools know them.
    fn extension(&self) -> &'static str;
    /// Is there a graph of objects? Only sources that have one make up a series, and what grew is told of them.
    fn has_graph(&self) -> bool {
        false
    }
    /// Can the file say of itself that it was sanitised, in an entry of its table that nothing refers to? If not, the
    /// receiver goes by the form of placeholders.
    fn has_table(&self) -> bool {
        false
    }
    /// Does it tell where memory was allocated, in place of a graph?
    fn has_allocations(&self) -> bool {
        false
    }
    /// Where memory was allocated, if that is what the file tells in place of a graph.
    fn sites(&self) -> Option<Sites<'_>> {
        None
    }
    /// What tells whether two snapshots are of one process; nothing without a graph.
    fn sketch(&self) -> Result<Option<Sketch>> {
        Ok(None)
    }
    /// The graph with all that a report is computed from, if there is one; and the shapes of its plain objects. Older
    /// snapshots of a call are read with the shapes of the newest. Numbers of objects are left out where nobody wants them.
    fn heap(&self, _: Option<&Shapes>, _wants_ids: bool) -> Result<Option<(Heap<'_>, Shapes)>> {
        Ok(None)
    }
    /// Streams the sanitised artifact in one forward pass over the input.
    fn write(&self, edits: &Edits, sink: &mut Sink<'_>) -> Result<()>;
}

/// Texts come last: other formats are told from them by their first bytes.
static FORMATS: &[&dyn Format] = &[&v8::V8, &tracemalloc::Tracemalloc, &text::TextFile];

/// Opens an input with the format that recognises it.
pub(in crate::raw) fn open(input: &Input) -> Result<(&'static str, Box<dyn Source + '_>)> {
    let format = recognise(input.head())?;
    Ok((format.name(), format.open(input)?))
}

/// The format that recognises the beginning of a file.
pub(in crate::raw) fn recognise(head: RawStr<'_>) -> Result<&'static dyn Format> {
    let known = refused::hint(head.expose()).or_else(|| text::dump(head.expose()));
    // What is known to be something else is no text, though it may be written in letters.
    let others = if known.is_some() { &FORMATS[..FORMATS.len() - 1] } else { FORMATS };
    let found = others.iter().find(|f| f.sniff(head) == Guess::Sure);
    found
        .copied()
        .ok_or_else(|| Error::new(Stage::Ingest, known.map_or(Kind::UnknownFormat, |hint| Kind::WrongFormat { hint })))
}
