//! Writes the sanitised snapshot as a pickle of protocol 4, which every Python since 3.4 reads: one forward pass, each file,
//! frame and stack once, and then by its place in the memory of the machine.

use super::Snapshot;
use super::columns::{Frame, Trace};
use crate::Result;
use crate::heap::StrId;
use crate::raw::ingest::role::Role;
use crate::raw::scrub::edits::Edits;
use crate::raw::scrub::sink::Sink;

/// Picklers hand lists over in batches of this size.
const BATCH: usize = 1000;

/// A place in memory that nothing has.
const NONE: u32 = u32::MAX;

/// Makes the snapshot and its list of traces, without attributes; behind it stands the list, empty.
const HEAD: &[&[u8]] = &[
    b"\x80\x04\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x93)\x81}(",
    b"\x8c\x06tracesh\x00\x8c\x07_Traces\x93)\x81}\x8c\x07_traces]",
];

struct Writer<'a, 's, 'w> {
    snapshot: &'a Snapshot<'a>,
    edits: &'a Edits,
    sink: &'s mut Sink<'w>,
    /// Places of the machine's memory that are taken.
    taken: u32,
    files: Vec<u32>,
    frames: Vec<u32>,
    stacks: Vec<u32>,
}

pub(super) fn write(snapshot: &Snapshot<'_>, edits: &Edits, sink: &mut Sink<'_>) -> Result<()> {
    for part in HEAD {
        sink.code(part)?;
    }
    let columns = &snapshot.columns;
    let mut writer = Writer {
        snapshot,
        edits,
        sink,
        taken: 1,
        files: vec![NONE; snapshot.files as usize],
        frames: vec![NONE; columns.frames.len()],
        stacks: vec![NONE; columns.stack_count()],
    };
    for batch in columns.traces.chunks(BATCH) {
        writer.sink.code(b"(")?;
        for trace in batch {
            writer.trace(trace)?;
        }
        writer.sink.code(b"e")?;
    }
    sink.code(b"sb\x8c\x0ftraceback_limit")?;
    number(snapshot.limit, sink)?;
    if snapshot.files < edits.count() {
        sink.code(b"\x8c\x09heapscrub](")?;
        let mut scratch = edits.scratch();
        for id in (snapshot.files..edits.count()).map(StrId) {
            sink.code(b"X")?;
            sink.counted_text(edits.entry(id, snapshot, &mut scratch))?;
        }
        sink.code(b"e")?;
    }
    sink.code(b"ub.")
}

impl Writer<'_, '_, '_> {
    fn trace(&mut self, trace: &Trace) -> Result<()> {
        if trace.total.is_some() {
            self.sink.code(b"(")?;
        }
        number(trace.domain.into(), self.sink)?;
        number(trace.size, self.sink)?;
        self.stack(trace.stack)?;
        match trace.total {
            Some(total) => {
                number(total.into(), self.sink)?;
                self.sink.code(b"t")
            }
            None => self.sink.code(b"\x87"),
        }
    }

    fn stack(&mut self, stack: u32) -> Result<()> {
        if self.stacks[stack as usize] != NONE {
            return self.recall(self.stacks[stack as usize]);
        }
        let frames = self.snapshot.columns.stack(stack);
        if frames.len() > 3 {
            self.sink.code(b"(")?;
        }
        for frame in frames {
            self.frame(*frame)?;
        }
        self.sink.code(match frames.len() {
            1 => b"\x85\x94",
            2 => b"\x86\x94",
            3 => b"\x87\x94",
            _ => b"t\x94",
        })?;
        self.stacks[stack as usize] = self.place();
        Ok(())
    }

    fn frame(&mut self, frame: u32) -> Result<()> {
        if self.frames[frame as usize] != NONE {
            return self.recall(self.frames[frame as usize]);
        }
        let Frame { file, line } = self.snapshot.columns.frames[frame as usize];
        if self.files[file as usize] == NONE {
            self.sink.code(b"X")?;
            let id = self.edits.id_for(StrId(file), Role::File);
            self.sink.counted_text(self.edits.entry(id, self.snapshot, &mut self.edits.scratch()))?;
            self.sink.code(b"\x94")?;
            self.files[file as usize] = self.place();
        } else {
            self.recall(self.files[file as usize])?;
        }
        number(line.into(), self.sink)?;
        self.sink.code(b"\x86\x94")?;
        self.frames[frame as usize] = self.place();
        Ok(())
    }

    /// The next place of the memory.
    fn place(&mut self) -> u32 {
        self.taken += 1;
        self.taken - 1
    }

    fn recall(&mut self, place: u32) -> Result<()> {
        if let Ok(short) = u8::try_from(place) {
            self.sink.code(b"h")?;
            return self.sink.binary(short.into(), 1);
        }
        self.sink.code(b"j")?;
        self.sink.binary(place.into(), 4)
    }
}

/// A number in the shortest form, as the pickler writes it.
fn number(value: u64, sink: &mut Sink<'_>) -> Result<()> {
    let (code, bytes): (&'static [u8], usize) = match value {
        0..=0xff => (b"K", 1),
        0x100..=0xffff => (b"M", 2),
        0x1_0000..=0x7fff_ffff => (b"J", 4),
        0x8000_0000..=0x7f_ffff_ffff => (b"\x8a\x05", 5),
        _ => (b"\x8a\x08", 8),
    };
    sink.code(code)?;
    sink.binary(value, bytes)
}
