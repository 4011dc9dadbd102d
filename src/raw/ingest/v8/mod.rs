//! V8 heap snapshots: Node.js, Chromium, Deno, Electron, and Bun's V8 form; `.heapsnapshot` and `.heaptimeline`.
//!
//! The reader goes from bytes straight into columns, indexed by the header (`layout`); no text is copied.

mod analysis;
mod composites;
mod context;
mod graph;
mod layout;
mod numbers;
mod program;
mod roles;
mod sections;
mod spelled;
mod strings;
mod words;
mod write;

use rayon::prelude::*;

pub(in crate::raw) use self::analysis::{Shapes, shown};
use self::graph::Graph;
use self::layout::{FLAT, Layout, Refers};
use self::numbers::{Numbers, term};
use self::program::Program;
use self::roles::Roles;
use self::sections::{Outline, Section, Token, trace_tokens};
use self::spelled::{Targets, unspell};
use self::strings::utf16_units;
pub(in crate::raw) use self::strings::{decode, end_of_literal};
use self::words::Word;
use super::context::{Composite, ContextView, Held, Joined, Part};
use super::role::{Role, RoleSet};
use super::{Evidence, Format, Guess, Literal, Namer, NodeText, Side, Source};
use crate::heap::graph::Heap;
use crate::heap::series::Sketch;
use crate::heap::{Counts, StrId};
use crate::raw::input::Input;
use crate::raw::scrub::edits::Edits;
use crate::raw::scrub::lexer;
use crate::raw::scrub::sink::Sink;
use crate::raw::scrub::wall::RawStr;
use crate::{Error, Kind, Result, Stage, limits};

/// The format.
#[derive(Debug)]
pub(crate) struct V8;

/// Objects and references that the header claims to come. Only a guess at the memory that reading takes rests on it.
pub(in crate::raw) fn claimed(head: &[u8]) -> Option<(u64, u64)> {
    let number = |key: &[u8]| {
        let digits = &head[memchr::memmem::find(head, key)? + key.len()..];
        let digits = digits.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let end = digits.iter().position(|b| !b.is_ascii_digit())?;
        std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
    };
    Some((number(b"\"node_count\"")?, number(b"\"edge_count\"")?))
}

impl Format for V8 {
    fn name(&self) -> &'static str {
        "v8"
    }

    fn sniff(&self, head: RawStr<'_>) -> Guess {
        let start = head.expose().trim_ascii_start();
        let mut rest = start;
        for part in [&b"{"[..], b"\"snapshot\"", b":", b"{"] {
            match rest.strip_prefix(part) {
                Some(tail) => rest = tail.trim_ascii_start(),
                // A file cut within its first bytes is still ours, and gets the message for cut files.
                None if !start.is_empty() && head.expose().len() < 4096 && part.starts_with(rest) => {
                    return Guess::Sure;
                }
                None => return Guess::No,
            }
        }
        Guess::Sure
    }

    fn open<'i>(&self, input: &'i Input) -> Result<Box<dyn Source + 'i>> {
        Ok(Box::new(Snapshot::read(input.bytes())?))
    }

    fn literals(&self, bytes: &[u8], each: &mut dyn FnMut(Literal<'_>)) -> Result<()> {
        let mut decoded = Vec::new();
        lexer::literals(bytes, |at, written| {
            decode(written, &mut decoded);
            let (text, is_word) = (RawStr::new(&decoded), layout::is_format_word(&decoded));
            each(Literal { at: at as u64, written: RawStr::new(written), text, is_word });
            Ok(())
        })
    }

    fn parts<'b>(&self, bytes: &'b [u8]) -> Vec<(usize, &'b [u8])> {
        lexer::parts(bytes)
    }
}

/// An opened snapshot.
pub(super) struct Snapshot<'i> {
    bytes: &'i [u8],
    layout: Layout,
    outline: Outline,
    graph: Graph,
    roles: Roles,
    units: Vec<RoleSet>,
    /// Texts of the flat sections with the roles they play there.
    flat_texts: Vec<(StrId, Role)>,
    program: Program,
    words: Vec<Word>,
    /// Edges that lead elsewhere in the output, so that the graph spells nothing.
    targets: Targets,
    structure: u64,
}

impl<'i> Snapshot<'i> {
    fn read(bytes: &'i [u8]) -> Result<Self> {
        let outline = Outline::read(bytes)?;
        let layout = Layout::read(&bytes[outline.header.clone()])?;
        let strings = outline.strings.len();
        let missing = |what| Error::new(Stage::Ingest, Kind::Malformed { what });
        let nodes = outline.range(Section::Nodes).ok_or_else(|| missing("a nodes section"))?;
        let edges = outline.range(Section::Edges).ok_or_else(|| missing("an edges section"))?;
        let graph = Graph::read(bytes, &layout, (nodes.start, nodes.end), (edges.start, edges.end), strings)?;
        let words = words::classify(bytes, &outline.strings, &graph.class_names(&layout, strings));
        let is_short = |id: u32| outline.strings.raw(bytes, id as usize).len() == 1;
        let ((program, targets), roles) = rayon::join(
            || (Program::new(&layout, &graph, &words), unspell(&layout, &graph, &words, is_short)),
            || Roles::new(&layout, &graph, &words),
        );
        let (units, flat_texts) = (Vec::new(), Vec::new());
        let mut snapshot =
            Self { bytes, layout, outline, graph, roles, units, flat_texts, program, words, targets, structure: 0 };
        snapshot.read_rest()?;
        snapshot.collect_units();
        Ok(snapshot)
    }

    fn collect_units(&mut self) {
        self.units = self.roles.of_units(&self.layout, &self.graph, self.outline.strings.len());
        for (id, role) in &self.flat_texts {
            self.units[id.ix()].insert(*role);
        }
    }

    /// Checks the smaller sections, takes the roles of their texts, and sums everything up.
    fn read_rest(&mut self) -> Result<()> {
        let mut sum = self.graph.sum;
        for at in 0..self.outline.sections.len() {
            let (section, range) = self.outline.sections[at].clone();
            match section {
                Section::Nodes | Section::Edges => {}
                Section::TraceTree => {
                    let mut place = 1 << 62;
                    trace_tokens(&self.bytes[range.clone()], range.start, |token| {
                        place += 1;
                        let value = match token {
                            Token::Open => -1,
                            Token::Close => -2,
                            Token::Comma => -3,
                            Token::Number(n) => n,
                        };
                        sum = sum.wrapping_add(term(place, value));
                        Ok(())
                    })?;
                }
                Section::Flat(index) => sum = sum.wrapping_add(self.read_flat(index, range)?),
            }
        }
        let functions = self.outline.range(Section::Flat(0)).map_or(0, |r| self.rows_in(0, r));
        if self.layout.count("trace_function_count").is_some_and(|n| n != functions as i64) {
            let what = "trace_function_count of the header to be the true count";
            return Err(Error::new(Stage::Ingest, Kind::Malformed { what }));
        }
        for (name, value) in self.layout.counts() {
            sum = sum.wrapping_add(term(name.len() as u64 + (1 << 61), value));
        }
        self.structure = sum;
        Ok(())
    }

    fn rows_in(&self, index: usize, range: std::ops::Range<usize>) -> usize {
        let stride = self.layout.flat[index].as_ref().map_or(1, Vec::len).max(1);
        let mut numbers = Numbers::new(&self.bytes[range.clone()], range.start);
        let mut count = 0;
        while let Ok(Some(_)) = numbers.next() {
            count += 1;
        }
        count / stride
    }

    fn read_flat(&mut self, index: usize, range: std::ops::Range<usize>) -> Result<u64> {
        let bad = |what| Error::new(Stage::Ingest, Kind::Malformed { what }).at(range.start as u64);
        let mut numbers = Numbers::new(&self.bytes[range.clone()], range.start);
        let (mut sum, mut place) = (0_u64, 0_usize);
        let empty = Vec::new();
        let fields = self.layout.flat[index].as_ref().unwrap_or(&empty);
        while let Some(value) = numbers.next()? {
            let Some((_, refers)) = fields.get(place % fields.len().max(1)) else {
                return Err(bad("the header to list the fields of each section"));
            };
            match refers {
                Refers::Signed => {}
                _ if value < 0 => return Err(bad("numbers of zero or more")),
                Refers::Number => {}
                Refers::Text(role) => {
                    let id = u32::try_from(value).ok().filter(|id| (*id as usize) < self.outline.strings.len());
                    let id = id.ok_or_else(|| bad("names inside the strings section"))?;
                    self.flat_texts.push((StrId(id), *role));
                }
                Refers::Node => {
                    let stride = self.layout.node_fields.len() as i64;
                    if value % stride != 0 || value / stride >= self.graph.nodes() as i64 {
                        return Err(bad("references to nodes"));
                    }
                }
            }
            if !matches!(refers, Refers::Text(_)) {
                sum = sum.wrapping_add(term((place as u64) << 4 | index as u64 | 1 << 60, value));
            }
            place += 1;
        }
        if place % fields.len().max(1) == 0 { Ok(sum) } else { Err(bad(FLAT[index].section)) }
    }
}

impl Source for Snapshot<'_> {
    fn counts(&self) -> Counts {
        Counts {
            bytes: self.bytes.len() as u64,
            nodes: self.graph.nodes() as u64,
            edges: self.graph.edge_to.len() as u64,
            strings: self.outline.strings.len() as u64,
        }
    }

    fn text<'a>(&'a self, id: StrId, scratch: &'a mut Vec<u8>) -> RawStr<'a> {
        self.outline.strings.text(self.bytes, id.ix(), scratch)
    }

    fn roles(&self, id: StrId) -> RoleSet {
        self.units[id.ix()]
    }

    fn composites(&self) -> Vec<(Composite, u32)> {
        self.all_composites()
    }

    fn parts(&self, composite: Composite, out: &mut Vec<Part>) -> Joined {
        self.parts_of(composite, out)
    }

    fn holders(&self, wanted: &dyn Fn(Held) -> bool, each: &mut dyn FnMut(&ContextView<'_>)) {
        self.all_holders(0..self.graph.nodes() as u32, wanted, each);
    }

    fn holders_in(
        &self,
        (part, parts): (usize, usize),
        wanted: &dyn Fn(Held) -> bool,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        let at = |part: usize| (self.graph.nodes() as u64 * part as u64 / parts as u64) as u32;
        self.all_holders(at(part)..at(part + 1), wanted, each);
    }

    fn is_cut(&self, text: &[u8]) -> bool {
        text.len() >= limits::CUT_UNITS && utf16_units(text) >= limits::CUT_UNITS
    }

    fn doubt(&mut self, evidence: &dyn Fn(StrId, Role) -> Evidence) {
        self.roles.doubt(&self.layout, &self.graph, evidence);
        self.collect_units();
    }

    fn named_by(&self, id: StrId) -> Option<Namer> {
        self.program.named[id.ix()]
    }

    fn source_texts(&self) -> &[(StrId, Namer)] {
        &self.program.sources
    }

    fn highest_id(&self) -> u64 {
        self.graph.highest_id
    }

    fn text_of_node(&self, id: u64) -> Result<NodeText> {
        let Some(node) = self.node_of(id)? else { return Ok(NodeText::NoNode) };
        Ok(match self.held(node) {
            Some(Held::Unit(text)) => NodeText::Unit(text),
            Some(Held::Joined(_) | Held::Slice(_)) => NodeText::Joined,
            None => NodeText::NoText,
        })
    }

    fn structure(&self) -> u64 {
        self.structure
    }

    fn naming(&self, edits: &Edits, side: Side) -> u64 {
        let of = |id: u32| match side {
            Side::Input => i64::from(edits.named(StrId(id)).0),
            Side::Written => i64::from(edits.named(edits.original(StrId(id))).0),
        };
        let texts = match side {
            Side::Input => i64::from(edits.count()),
            Side::Written => self.outline.strings.len() as i64,
        };
        let nodes = self.graph.node_name.par_iter().enumerate().map(|(n, id)| term(n as u64, of(*id)));
        let edges = self.graph.edge_name.par_iter().zip(&self.graph.edge_type).enumerate().map(|(e, (name, kind))| {
            let is_indexed = self.layout.edge_types[usize::from(*kind)].is_indexed();
            if is_indexed { 0 } else { term(e as u64 | 1 << 40, of(*name)) }
        });
        let sum = || 0_u64;
        let sums = [nodes.reduce(sum, u64::wrapping_add), edges.reduce(sum, u64::wrapping_add)];
        sums.into_iter().fold(term(1 << 50, texts), u64::wrapping_add)
    }

    fn dropped(&self) -> u32 {
        self.outline.dropped + self.layout.dropped
    }

    fn extension(&self) -> &'static str {
        // DevTools goes by the ending: only a timeline has allocations with their stacks.
        if self.layout.count("trace_function_count").is_some_and(|n| n > 0) { "heaptimeline" } else { "heapsnapshot" }
    }

    fn has_graph(&self) -> bool {
        true
    }

    fn has_table(&self) -> bool {
        true
    }

    fn sketch(&self) -> Result<Option<Sketch>> {
        Ok(Some(self.read_sketch()?))
    }

    fn heap(&self, shapes: Option<&Shapes>, wants_ids: bool) -> Result<Option<(Heap<'_>, Shapes)>> {
        Ok(Some(self.read_heap(shapes, wants_ids)?))
    }

    fn write(&self, edits: &Edits, sink: &mut Sink<'_>) -> Result<()> {
        write::write(self, edits, sink)
    }
}
