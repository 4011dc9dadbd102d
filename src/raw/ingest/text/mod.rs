//! Logs and other texts: lines, JSON, JSON line by line, and lines of JSON among others.
//!
//! A unit is a line, or a string or number of JSON, each for itself; keys of JSON are units by their text. What stands
//! between units is syntax of this module's own list. Nothing that is not text, and nothing that looks like a part of a
//! heap dump, is taken for one.

mod encoding;
mod holders;
mod json;
mod lexer;
mod read;
mod sniff;
mod windows;
mod write;

use self::encoding::Text;
pub(in crate::raw) use self::json::is_whole as is_json;
use self::read::{Item, Shape, Tree};
pub(in crate::raw) use self::sniff::dump;
use self::windows::Windows;
use super::context::{Composite, ContextView, Held, Joined, Part};
use super::role::{Role, RoleSet};
use super::{Format, Guess, Literal, Side, Source};
use crate::heap::{Counts, StrId};
use crate::raw::input::Input;
use crate::raw::scrub::edits::Edits;
use crate::raw::scrub::sink::Sink;
use crate::raw::scrub::wall::RawStr;
use crate::{Error, Kind, Result, Stage};

/// The format. It takes what no other format recognises, so it is asked last.
#[derive(Debug)]
pub(crate) struct TextFile;

impl Format for TextFile {
    fn name(&self) -> &'static str {
        "text"
    }

    fn sniff(&self, head: RawStr<'_>) -> Guess {
        if sniff::is_text(head.expose()) { Guess::Sure } else { Guess::No }
    }

    fn open<'i>(&self, input: &'i Input) -> Result<Box<dyn Source + 'i>> {
        Ok(Box::new(Document::read(input.bytes())?))
    }

    fn literals(&self, bytes: &[u8], each: &mut dyn FnMut(Literal<'_>)) -> Result<()> {
        lexer::literals(bytes, each)
    }

    fn parts<'b>(&self, bytes: &'b [u8]) -> Vec<(usize, &'b [u8])> {
        crate::raw::scrub::lexer::parts(bytes)
    }

    fn has_role(&self, role: Role) -> bool {
        role.is_of_log() || matches!(role, Role::Value | Role::Number)
    }
}

/// An opened text.
pub(super) struct Document<'i> {
    text: Text<'i>,
    /// Bytes of the input.
    bytes: u64,
    /// Every place of a unit, in order.
    items: Vec<Item>,
    /// The first place of each unit, and what it is.
    units: Vec<(u32, Shape)>,
    tree: Tree,
    windows: Windows,
    extension: &'static str,
    /// A number over the ends of lines.
    ends: u64,
}

impl<'i> Document<'i> {
    fn read(bytes: &'i [u8]) -> Result<Self> {
        sniff::check(bytes)?;
        let text = Text::new(bytes)?;
        let read = read::Reader::new(text.bytes(), text.start()).read()?;
        let read::Read { items, mut units, tree, extension, ends } = read;
        let windows = Windows::new(&items, &mut units);
        Ok(Self { text, bytes: bytes.len() as u64, items, units, tree, windows, extension, ends })
    }

    fn shape(&self, id: StrId) -> Shape {
        self.units[id.ix()].1
    }

    /// The place of a unit; nothing for the end of a line.
    fn place(&self, id: StrId) -> Option<&[u8]> {
        let item = self.items.get(self.units[id.ix()].0 as usize)?;
        Some(item.of(self.text.bytes()))
    }
}

impl Source for Document<'_> {
    fn counts(&self) -> Counts {
        Counts { bytes: self.bytes, nodes: 0, edges: 0, strings: self.units.len() as u64 }
    }

    fn text<'a>(&'a self, id: StrId, scratch: &'a mut Vec<u8>) -> RawStr<'a> {
        let Some(place) = self.place(id) else { return RawStr::new(b"\n") };
        encoding::decoded(place, self.shape(id).is_quoted(), scratch)
    }

    fn roles(&self, id: StrId) -> RoleSet {
        RoleSet::of(self.shape(id).role())
    }

    fn composites(&self) -> Vec<(Composite, u32)> {
        self.windows.all()
    }

    fn parts(&self, composite: Composite, out: &mut Vec<Part>) -> Joined {
        self.windows.parts(composite, &self.items, out);
        Joined::InOrder
    }

    fn holders(&self, wanted: &dyn Fn(Held) -> bool, each: &mut dyn FnMut(&ContextView<'_>)) {
        self.holders_of(0..self.units.len() as u32, wanted, each);
    }

    fn holders_in(
        &self,
        (part, parts): (usize, usize),
        wanted: &dyn Fn(Held) -> bool,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        let at = |part: usize| (self.units.len() as u64 * part as u64 / parts as u64) as u32;
        self.holders_of(at(part)..at(part + 1), wanted, each);
    }

    fn structure(&self) -> u64 {
        self.ends
    }

    fn naming(&self, edits: &Edits, side: Side) -> u64 {
        match side {
            Side::Written => write::sum(self.text.whole()),
            // What writing gives, once more. A failure gives a number that no file has.
            Side::Input => write::expected(self, edits).unwrap_or(u64::MAX),
        }
    }

    fn extension(&self) -> &'static str {
        self.extension
    }

    fn write(&self, edits: &Edits, sink: &mut Sink<'_>) -> Result<()> {
        write::write(self, edits, sink)
    }
}

/// An error about the text at a place.
fn bad(what: &'static str, at: usize) -> Error {
    Error::new(Stage::Ingest, Kind::Malformed { what }).at(at as u64)
}
