//! Snapshots of Python's `tracemalloc`, as `Snapshot.dump` and `pickle.dump` write them: Python 3.8 to 3.14, protocols 0 to 5.
//!
//! The file is a pickle, which is a program; `machine` reads it without being able to run anything. It has no objects and no
//! contents: blocks of memory, with the stack of source lines that allocated each. The only texts are paths of files.

mod columns;
mod lexer;
mod machine;
#[cfg(test)]
mod tests;
mod texts;
mod values;
mod write;

use rayon::prelude::*;

use self::columns::Columns;
use self::machine::{Machine, Read};
use self::texts::Texts;
use super::context::{ContextView, Held};
use super::role::{Role, RoleSet};
use super::{Format, Guess, Literal, Side, Source};
use crate::Result;
use crate::heap::sites::{Frame, Sites};
use crate::heap::{Counts, StrId};
use crate::raw::input::Input;
use crate::raw::scrub::edits::Edits;
use crate::raw::scrub::sink::Sink;
use crate::raw::scrub::wall::RawStr;

/// The attribute of a snapshot in which a sanitised file says that it is one. Python keeps it and nothing looks at it.
const ADDED: &[u8] = b"heapscrub";

/// The format.
#[derive(Debug)]
pub(crate) struct Tracemalloc;

impl Format for Tracemalloc {
    fn name(&self) -> &'static str {
        "tracemalloc"
    }

    fn sniff(&self, head: RawStr<'_>) -> Guess {
        let head = head.expose();
        // The class stands within the first bytes, behind the protocol, a frame and what makes objects.
        let head = &head[..head.len().min(96)];
        let is_pickle = matches!(head, [0x80, 2..=5, ..])
            || [&b"ccopy_reg\n"[..], b"ccopyreg\n"].iter().any(|start| head.starts_with(start));
        let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
        if is_pickle && has(b"tracemalloc") && has(b"Snapshot") { Guess::Sure } else { Guess::No }
    }

    fn open<'i>(&self, input: &'i Input) -> Result<Box<dyn Source + 'i>> {
        Ok(Box::new(Snapshot::read(input.bytes())?))
    }

    fn literals(&self, bytes: &[u8], each: &mut dyn FnMut(Literal<'_>)) -> Result<()> {
        lexer::literals(bytes, each)
    }
}

/// An opened snapshot. Texts are numbered as files in the order of their use, then those that this program added.
pub(super) struct Snapshot<'i> {
    bytes: usize,
    texts: Texts<'i>,
    columns: Columns,
    /// How many texts are files.
    files: u32,
    /// How many frames of each stack were kept when it was recorded.
    limit: u64,
}

impl<'i> Snapshot<'i> {
    fn read(bytes: &'i [u8]) -> Result<Self> {
        let Read { texts, columns, limit, added } = Machine::read(bytes)?;
        let files = (texts.len() - added.len()) as u32;
        Ok(Self { bytes: bytes.len(), texts, columns, files, limit })
    }
}

/// A number over a number and its place.
fn term(place: u64, value: u64) -> u64 {
    (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ value.wrapping_add(0x2545_f491_4f6c_dd1d))
        .wrapping_mul(0xff51_afd7_ed55_8ccd)
        .rotate_left(31)
}

impl Source for Snapshot<'_> {
    fn counts(&self) -> Counts {
        let nodes = self.columns.traces.len() as u64;
        Counts { bytes: self.bytes as u64, nodes, edges: 0, strings: self.texts.len() as u64 }
    }

    fn text<'a>(&'a self, id: StrId, _: &'a mut Vec<u8>) -> RawStr<'a> {
        RawStr::new(self.texts.get(id.0))
    }

    fn roles(&self, id: StrId) -> RoleSet {
        if id.0 < self.files { RoleSet::of(Role::File) } else { RoleSet::default() }
    }

    fn holders(&self, _: &dyn Fn(Held) -> bool, _: &mut dyn FnMut(&ContextView<'_>)) {}

    fn structure(&self) -> u64 {
        let Columns { frames, first, stacks, traces } = &self.columns;
        let sum = || 0_u64;
        let blocks = traces.par_iter().enumerate().map(|(at, trace)| {
            let at = (at as u64) << 2;
            let total = trace.total.map_or(u64::MAX, u64::from);
            let place = u64::from(trace.domain) << 32 | u64::from(trace.stack);
            [trace.size, place, total].into_iter().zip(at..).fold(0, |all, (value, at)| all ^ term(at, value))
        });
        let columns = [
            blocks.reduce(sum, u64::wrapping_add),
            frames
                .par_iter()
                .enumerate()
                .map(|(at, f)| term(at as u64 | 1 << 60, f.line.into()))
                .reduce(sum, u64::wrapping_add),
            first
                .par_iter()
                .enumerate()
                .map(|(at, n)| term(at as u64 | 1 << 61, u64::from(*n)))
                .reduce(sum, u64::wrapping_add),
            stacks
                .par_iter()
                .enumerate()
                .map(|(at, n)| term(at as u64 | 1 << 62, u64::from(*n)))
                .reduce(sum, u64::wrapping_add),
        ];
        columns.into_iter().fold(term(1 << 59, self.limit), u64::wrapping_add)
    }

    fn naming(&self, edits: &Edits, side: Side) -> u64 {
        let of = |id: u32| match side {
            Side::Input => u64::from(edits.named(StrId(id)).0),
            Side::Written => u64::from(edits.named(edits.original(StrId(id))).0),
        };
        let texts = match side {
            Side::Input => u64::from(edits.count()),
            Side::Written => self.texts.len() as u64,
        };
        let frames = self.columns.frames.iter().enumerate();
        frames.map(|(at, frame)| term(at as u64, of(frame.file))).fold(term(1 << 50, texts), u64::wrapping_add)
    }

    fn extension(&self) -> &'static str {
        "tracemalloc"
    }

    fn has_table(&self) -> bool {
        true
    }

    fn has_allocations(&self) -> bool {
        true
    }

    fn sites(&self) -> Option<Sites<'_>> {
        let Columns { frames, first, stacks, traces } = &self.columns;
        let frames = frames.iter().map(|frame| Frame { file: frame.file, line: frame.line }).collect();
        let blocks = traces.iter().map(|trace| (trace.stack, trace.domain, trace.size));
        Some(Sites::new(self.files, frames, first, stacks, blocks, self.limit))
    }

    fn write(&self, edits: &Edits, sink: &mut Sink<'_>) -> Result<()> {
        write::write(self, edits, sink)
    }
}
