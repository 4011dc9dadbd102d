//! A reader of pickles that knows what `tracemalloc` writes and nothing else.
//!
//! A pickle is a program for a small machine with a stack. This machine has no way to call, import or build anything: its
//! values are numbers, texts, and the few shapes of which a snapshot consists. Any opcode, name or shape beside these is
//! refused where it stands. Protocols 0 to 5.

use super::columns::{Columns, Frame, Numbers, Trace};
use super::texts::Texts;
use super::values::{Dict, Global, List, Value};
use crate::{Error, Kind, Result, Stage, limits};

/// What was read.
pub(super) struct Read<'i> {
    pub(super) texts: Texts<'i>,
    pub(super) columns: Columns,
    pub(super) limit: u64,
    /// Texts that this program added, by number.
    pub(super) added: Vec<u32>,
}

pub(super) struct Machine<'i> {
    bytes: &'i [u8],
    at: usize,
    /// Where the frame of bytes ends that the machine is in.
    frame_end: Option<usize>,
    stack: Vec<Value>,
    marks: Vec<u32>,
    memo: Vec<Value>,
    /// Was what stands on top remembered already?
    is_remembered: bool,
    texts: Texts<'i>,
    columns: Columns,
    numbers: Numbers,
    lists: Vec<List>,
    dicts: Vec<Dict>,
    /// Which classes have been made an object of.
    made: [bool; 2],
    limit: u64,
    /// The list of traces of the snapshot, and that of texts.
    kept: Option<(u8, Option<u8>)>,
}

const WORDS: [&[u8]; 7] =
    [b"tracemalloc", b"Snapshot", b"traces", b"_Traces", b"_traces", b"traceback_limit", super::ADDED];

const CUT: Kind = Kind::Truncated { what: "the pickle" };
const OPCODE: &str = "an instruction of this pickle, which no snapshot of tracemalloc has; nothing was run";
const NAME: &str = "a name that this pickle imports, which no snapshot of tracemalloc does; nothing was run";
const SHAPE: &str = "a snapshot of tracemalloc and nothing else in the pickle";
const MEMO: &str = "places of the pickle's memory in order";
const FRAME: &str = "frames of the pickle that hold what they say";
const NUMBERS: &str = "whole numbers of zero or more that tracemalloc can count";
const TEXT: &str = "a text of the pickle in its protocol";

impl<'i> Machine<'i> {
    pub(super) fn read(bytes: &'i [u8]) -> Result<Read<'i>> {
        let mut machine = Self {
            bytes,
            at: 0,
            frame_end: None,
            stack: Vec::new(),
            marks: Vec::new(),
            memo: Vec::new(),
            is_remembered: false,
            texts: Texts::default(),
            columns: Columns { first: vec![0], ..Columns::default() },
            numbers: Numbers::new(),
            lists: Vec::new(),
            dicts: Vec::new(),
            made: [false; 2],
            limit: 0,
            kept: None,
        };
        machine.run()?;
        machine.finish()
    }

    fn error(&self, kind: Kind) -> Error {
        Error::new(Stage::Ingest, kind).at(self.at as u64)
    }

    fn malformed(&self, what: &'static str) -> Error {
        self.error(Kind::Malformed { what })
    }

    fn take(&mut self, count: usize) -> Result<&'i [u8]> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len()).ok_or(self.error(CUT))?;
        let found = &self.bytes[self.at..end];
        self.at = end;
        Ok(found)
    }

    /// A number of so many bytes, the lowest first.
    fn word(&mut self, bytes: usize) -> Result<u64> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    fn line(&mut self) -> Result<&'i [u8]> {
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'\n', &rest[..rest.len().min(limits::PICKLE_TEXT * 6)]);
        let end = match end {
            Some(end) => end,
            None if rest.len() > limits::PICKLE_TEXT * 6 => return Err(self.long()),
            None => return Err(self.error(CUT)),
        };
        self.at += end + 1;
        Ok(&rest[..end])
    }

    fn long(&self) -> Error {
        self.error(Kind::Limit { what: "bytes of one text of the pickle", limit: limits::PICKLE_TEXT as u64 })
    }

    fn run(&mut self) -> Result<()> {
        loop {
            match self.frame_end {
                Some(end) if self.at > end => return Err(self.malformed(FRAME)),
                Some(end) if self.at == end => self.frame_end = None,
                _ => {}
            }
            let opcode = self.take(1)?[0];
            match opcode {
                // The most frequent ones first.
                0x94 => self.put(self.memo.len() as u64)?,
                b'K' => self.number(1)?,
                b'h' => self.get(1)?,
                b'j' => self.get(4)?,
                b'(' => self.mark()?,
                b't' => self.tuple_from_mark()?,
                0x85..=0x87 => self.tuple(usize::from(opcode - 0x84))?,
                b'M' => self.number(2)?,
                b'J' => self.number(4)?,
                0x8a => self.long_number()?,
                0x8c => self.counted_text(1)?,
                b'X' => self.counted_text(4)?,
                0x8d => self.counted_text(8)?,
                b'e' => self.append_from_mark()?,
                b'.' => return self.stop(),
                0x95 => self.frame()?,
                0x80 => self.protocol()?,
                _ => self.rare(opcode)?,
            }
        }
    }

    /// What comes a few times in a file, or in old protocols only.
    fn rare(&mut self, opcode: u8) -> Result<()> {
        match opcode {
            b'V' => {
                let line = self.line()?;
                let text = self.texts.escaped(line).ok_or(self.malformed(TEXT))?;
                self.text(text)
            }
            b'I' => {
                let line = self.line()?;
                self.decimal(line)
            }
            b'L' => {
                let line = self.line()?;
                let digits = line.strip_suffix(b"L").ok_or(self.malformed(NUMBERS))?;
                self.decimal(digits)
            }
            b'p' | b'g' => {
                let line = self.line()?;
                let place = digits(line).ok_or(self.malformed(MEMO))?;
                if opcode == b'p' { self.put(place) } else { self.recall(place) }
            }
            b'q' | b'r' => {
                let place = self.word(if opcode == b'q' { 1 } else { 4 })?;
                self.put(place)
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.global(module, name)
            }
            0x93 => self.stack_global(),
            b')' => self.push(Value::EmptyTuple),
            b'N' => self.push(Value::Nothing),
            b']' => self.list(),
            b'}' => self.dict(),
            b'l' | b'd' => {
                // A list or dictionary of what stands above the mark; the pickler makes empty ones only.
                let from = self.marks.pop().ok_or(self.malformed(SHAPE))? as usize;
                if from != self.stack.len() {
                    return Err(self.malformed(SHAPE));
                }
                if opcode == b'l' { self.list() } else { self.dict() }
            }
            b'a' => self.append(1),
            b's' => self.set(2),
            b'u' => {
                let from = self.marks.pop().ok_or(self.malformed(SHAPE))? as usize;
                self.set(self.stack.len() - from)
            }
            0x81 => self.new_object(Value::EmptyTuple),
            b'R' => self.reduce(),
            b'b' => self.build(),
            _ => {
                self.at -= 1;
                Err(self.error(Kind::Unsupported { what: OPCODE }))
            }
        }
    }

    fn push(&mut self, value: Value) -> Result<()> {
        if self.stack.len() >= limits::PICKLE_STACK {
            let kind = Kind::Limit { what: "values on the stack of the pickle", limit: limits::PICKLE_STACK as u64 };
            return Err(self.error(kind));
        }
        self.stack.push(value);
        self.is_remembered = false;
        Ok(())
    }

    /// What stands on top, above the nearest mark.
    fn pop(&mut self) -> Result<Value> {
        let floor = self.marks.last().map_or(0, |mark| *mark as usize);
        if self.stack.len() <= floor {
            return Err(self.malformed(SHAPE));
        }
        self.stack.pop().ok_or(self.malformed(SHAPE))
    }

    fn mark(&mut self) -> Result<()> {
        if self.marks.len() >= limits::PICKLE_MARKS {
            let kind = Kind::Limit { what: "marks inside marks of the pickle", limit: limits::PICKLE_MARKS as u64 };
            return Err(self.error(kind));
        }
        self.marks.push(self.stack.len() as u32);
        Ok(())
    }

    fn protocol(&mut self) -> Result<()> {
        let is_first = self.at == 1;
        let protocol = self.word(1)?;
        if is_first && (2..=5).contains(&protocol) {
            return Ok(());
        }
        Err(self.error(Kind::Unsupported { what: "the protocol of the pickle; 0 to 5 are known" }))
    }

    fn frame(&mut self) -> Result<()> {
        let len = self.word(8)?;
        let end = usize::try_from(len).ok().and_then(|len| self.at.checked_add(len));
        let end = end.filter(|end| *end <= self.bytes.len()).ok_or(self.error(CUT))?;
        if self.frame_end.is_some() || len == 0 {
            return Err(self.malformed(FRAME));
        }
        self.frame_end = Some(end);
        Ok(())
    }

    fn number(&mut self, bytes: usize) -> Result<()> {
        let number = self.word(bytes)?;
        if bytes == 4 && number > i32::MAX as u64 {
            return Err(self.malformed(NUMBERS));
        }
        self.push(Value::Number(number))
    }

    /// A number of up to 255 bytes, of which no more than 63 bits may be used.
    fn long_number(&mut self) -> Result<()> {
        let len = self.word(1)? as usize;
        let bytes = self.take(len)?;
        let (low, high) = bytes.split_at(len.min(8));
        let is_small = high.iter().all(|byte| *byte == 0) && high.len() <= 1;
        let number = low.iter().rev().fold(0_u64, |n, byte| n << 8 | u64::from(*byte));
        let is_negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        if !is_small || is_negative || number > i64::MAX as u64 {
            return Err(self.malformed(NUMBERS));
        }
        self.push(Value::Number(number))
    }

    fn decimal(&mut self, line: &[u8]) -> Result<()> {
        let number = digits(line).ok_or(self.malformed(NUMBERS))?;
        self.push(Value::Number(number))
    }

    fn counted_text(&mut self, bytes: usize) -> Result<()> {
        let len = self.word(bytes)?;
        let left = (self.bytes.len() - self.at) as u64;
        if len > left {
            return Err(self.error(CUT));
        }
        if len > limits::PICKLE_TEXT as u64 {
            return Err(self.long());
        }
        let text = self.take(len as usize)?;
        let text = self.texts.plain(text);
        self.text(text)
    }

    fn text(&mut self, text: u32) -> Result<()> {
        if self.texts.len() as u64 > limits::INDEX {
            return Err(self.error(Kind::Limit { what: "texts", limit: limits::INDEX }));
        }
        self.push(Value::Text(text))
    }

    /// Remembers what stands on top. Picklers number the places one after the other.
    fn put(&mut self, place: u64) -> Result<()> {
        let floor = self.marks.last().map_or(0, |mark| *mark as usize);
        let top = self.stack.last().copied().filter(|_| self.stack.len() > floor);
        let top = top.ok_or(self.malformed(SHAPE))?;
        if place != self.memo.len() as u64 || self.is_remembered {
            return Err(self.malformed(MEMO));
        }
        self.is_remembered = true;
        self.memo.push(top);
        Ok(())
    }

    fn get(&mut self, bytes: usize) -> Result<()> {
        let place = self.word(bytes)?;
        self.recall(place)
    }

    fn recall(&mut self, place: u64) -> Result<()> {
        let value = usize::try_from(place).ok().and_then(|place| self.memo.get(place)).copied();
        self.push(value.ok_or(self.malformed(MEMO))?)
    }

    fn global(&mut self, module: &[u8], name: &[u8]) -> Result<()> {
        let found = Global::of(module, name).ok_or(self.error(Kind::Unsupported { what: NAME }))?;
        self.push(Value::Global(found))
    }

    fn stack_global(&mut self) -> Result<()> {
        let (Value::Text(name), Value::Text(module)) = (self.pop()?, self.pop()?) else {
            return Err(self.malformed(SHAPE));
        };
        let found = Global::of(self.texts.get(module), self.texts.get(name));
        self.push(Value::Global(found.ok_or(self.error(Kind::Unsupported { what: NAME }))?))
    }

    fn list(&mut self) -> Result<()> {
        let number = self.lists.len() as u8;
        if number >= 2 {
            return Err(self.malformed(SHAPE));
        }
        self.lists.push(List::default());
        self.push(Value::List(number))
    }

    fn dict(&mut self) -> Result<()> {
        let number = self.dicts.len() as u8;
        if number >= 2 {
            return Err(self.malformed(SHAPE));
        }
        self.dicts.push(Dict::default());
        self.push(Value::Dict(number))
    }

    fn tuple_from_mark(&mut self) -> Result<()> {
        let from = self.marks.pop().ok_or(self.malformed(SHAPE))? as usize;
        let value = self.tuple_of(from)?;
        self.stack.truncate(from);
        self.push(value)
    }

    fn tuple(&mut self, count: usize) -> Result<()> {
        let floor = self.marks.last().map_or(0, |mark| *mark as usize);
        let from = self.stack.len().checked_sub(count).filter(|from| *from >= floor);
        let from = from.ok_or(self.malformed(SHAPE))?;
        let value = self.tuple_of(from)?;
        self.stack.truncate(from);
        self.push(value)
    }

    /// A tuple is a frame, a stack of frames, a block of memory, or what the reconstructor is called with.
    fn tuple_of(&mut self, from: usize) -> Result<Value> {
        use Value::{Frame as F, Number as N, Stack as S, Text as T};
        let small = |n: u64| u32::try_from(n).map_err(|_| self.malformed(NUMBERS));
        let (size, domain, stack, total) = match self.stack[from..] {
            [] => return Ok(Value::EmptyTuple),
            [T(file), N(line)] => {
                let frame = Frame { file, line: small(line)? };
                return Ok(F(self.numbers.frame(&mut self.columns, frame)));
            }
            [
                Value::Global(class @ (Global::Snapshot | Global::Traces)),
                Value::Global(Global::Object),
                Value::Nothing,
            ] => {
                return Ok(Value::Arguments(class));
            }
            [N(domain), N(size), S(stack)] => (size, small(domain)?, stack, None),
            [N(domain), N(size), S(stack), N(total)] => (size, small(domain)?, stack, Some(small(total)?)),
            [F(_), ..] => {
                let frames = &self.stack[from..];
                if frames.iter().any(|value| !matches!(value, F(_))) {
                    return Err(self.malformed(SHAPE));
                }
                let numbers = frames.iter().filter_map(|value| if let F(frame) = value { Some(*frame) } else { None });
                let stack = self.numbers.stack(&mut self.columns, numbers);
                if self.columns.stacks.len() as u64 > limits::INDEX {
                    return Err(self.error(Kind::Limit { what: "frames", limit: limits::INDEX }));
                }
                return Ok(S(stack));
            }
            _ => return Err(self.malformed(SHAPE)),
        };
        if self.columns.traces.len() as u64 >= limits::INDEX {
            return Err(self.error(Kind::Limit { what: "traces", limit: limits::INDEX }));
        }
        self.columns.traces.push(Trace { size, domain, stack, total });
        Ok(Value::Trace(self.columns.traces.len() as u32 - 1))
    }

    fn append_from_mark(&mut self) -> Result<()> {
        let from = self.marks.pop().ok_or(self.malformed(SHAPE))? as usize;
        self.append(self.stack.len() - from)
    }

    /// Moves what stands above a list into it.
    fn append(&mut self, count: usize) -> Result<()> {
        let floor = self.marks.last().map_or(0, |mark| *mark as usize);
        let from = self.stack.len().checked_sub(count).filter(|from| *from > floor);
        let from = from.ok_or(self.malformed(SHAPE))?;
        let Value::List(number) = self.stack[from - 1] else { return Err(self.malformed(SHAPE)) };
        let list = &mut self.lists[usize::from(number)];
        for value in &self.stack[from..] {
            match value {
                Value::Trace(trace) if list.texts.is_empty() => list.traces.push(*trace),
                Value::Text(text) if list.traces.is_empty() => list.texts.push(*text),
                _ => return Err(self.malformed(SHAPE)),
            }
        }
        self.stack.truncate(from);
        Ok(())
    }

    /// Puts pairs of key and value into the dictionary below them.
    fn set(&mut self, count: usize) -> Result<()> {
        let floor = self.marks.last().map_or(0, |mark| *mark as usize);
        let from = self.stack.len().checked_sub(count).filter(|from| *from > floor && count.is_multiple_of(2));
        let from = from.ok_or(self.malformed(SHAPE))?;
        let Value::Dict(number) = self.stack[from - 1] else { return Err(self.malformed(SHAPE)) };
        let mut dict = self.dicts[usize::from(number)];
        for pair in self.stack[from..].chunks_exact(2) {
            let Value::Text(key) = pair[0] else { return Err(self.malformed(SHAPE)) };
            let is_new = match (self.texts.get(key), pair[1]) {
                (b"traces", Value::Traces(list)) => dict.wrapped.replace(list).is_none(),
                (b"_traces", Value::List(list)) => dict.traces.replace(list).is_none(),
                (b"traceback_limit", Value::Number(limit)) => dict.limit.replace(limit).is_none(),
                (super::ADDED, Value::List(list)) => dict.added.replace(list).is_none(),
                _ => return Err(self.error(Kind::Unsupported { what: "an attribute of the snapshot" })),
            };
            if !is_new {
                return Err(self.malformed(SHAPE));
            }
        }
        self.dicts[usize::from(number)] = dict;
        self.stack.truncate(from);
        Ok(())
    }

    /// An object of a class, without attributes.
    fn new_object(&mut self, arguments: Value) -> Result<()> {
        let (given, class) = (self.pop()?, self.pop()?);
        let Value::Global(class @ (Global::Snapshot | Global::Traces)) = class else {
            return Err(self.malformed(SHAPE));
        };
        let made = &mut self.made[usize::from(class == Global::Traces)];
        if given != arguments || std::mem::replace(made, true) {
            return Err(self.malformed(SHAPE));
        }
        self.push(Value::Bare(class))
    }

    /// The one call that protocols 0 and 1 write: an object of a class, without attributes. Nothing is called.
    fn reduce(&mut self) -> Result<()> {
        match (self.pop()?, self.pop()?) {
            (Value::Arguments(class), Value::Global(Global::Reconstructor)) => {
                self.push(Value::Global(class))?;
                self.push(Value::EmptyTuple)?;
                self.new_object(Value::EmptyTuple)
            }
            _ => Err(self.error(Kind::Unsupported { what: OPCODE })),
        }
    }

    /// Gives an object its attributes.
    fn build(&mut self) -> Result<()> {
        let (Value::Dict(dict), Value::Bare(class)) = (self.pop()?, self.pop()?) else {
            return Err(self.malformed(SHAPE));
        };
        let built = match (class, self.dicts[usize::from(dict)]) {
            (Global::Traces, Dict { traces: Some(list), wrapped: None, limit: None, added: None }) => {
                Value::Traces(list)
            }
            (Global::Snapshot, Dict { traces: None, wrapped: Some(list), limit: Some(limit), added })
                if self.kept.is_none() && added != Some(list) =>
            {
                (self.limit, self.kept) = (limit, Some((list, added)));
                Value::Snapshot
            }
            _ => return Err(self.malformed(SHAPE)),
        };
        self.push(built)
    }

    fn stop(&mut self) -> Result<()> {
        if self.stack != [Value::Snapshot] || !self.marks.is_empty() {
            return Err(self.malformed(SHAPE));
        }
        if self.frame_end.is_some_and(|end| end != self.at) {
            return Err(self.malformed(FRAME));
        }
        if self.at != self.bytes.len() {
            return Err(self.malformed("nothing behind the end of the pickle"));
        }
        Ok(())
    }

    /// Puts everything in the order of its use.
    fn finish(self) -> Result<Read<'i>> {
        let shape = Error::new(Stage::Ingest, Kind::Malformed { what: SHAPE });
        let (list, added) = self.kept.ok_or(shape)?;
        let mut lists = self.lists;
        let order = std::mem::take(lists.get_mut(usize::from(list)).ok_or(shape)?);
        let added = added.and_then(|list| lists.get_mut(usize::from(list))).map(std::mem::take).unwrap_or_default();
        if !order.texts.is_empty() || !added.traces.is_empty() {
            return Err(shape);
        }
        let (columns, mut used) = self.columns.in_order_of_use(&order.traces, self.texts.len());
        let sizes = |columns: &Columns| (columns.frames.len(), columns.stacks.len());
        let is_all = order.traces.len() >= self.columns.traces.len() && sizes(&columns) == sizes(&self.columns);
        let is_file: rustc_hash::FxHashSet<u32> = used.iter().copied().collect();
        let mut is_added = rustc_hash::FxHashSet::default();
        let added: Vec<u32> =
            added.texts.into_iter().filter(|text| !is_file.contains(text) && is_added.insert(*text)).collect();
        let files = used.len() as u32;
        used.extend(&added);
        // Words of the format are no texts; anything else that no trace refers to could be anything.
        let is_word = |text: u32| WORDS.contains(&self.texts.get(text));
        let is_known = |text: &u32| is_file.contains(text) || is_added.contains(text) || is_word(*text);
        if !is_all || !(0..self.texts.len() as u32).all(|text| is_known(&text)) {
            let what = "parts of the pickle that no trace refers to";
            return Err(Error::new(Stage::Ingest, Kind::Unsupported { what }));
        }
        let added = (files..used.len() as u32).collect();
        Ok(Read { texts: self.texts.reordered(&used), columns, limit: self.limit, added })
    }
}

/// A number in decimal, as the pickler writes it.
fn digits(line: &[u8]) -> Option<u64> {
    let is_plain = match line {
        [b'0'] => true,
        [b'0', ..] | [] => false,
        _ => line.len() <= 19 && line.iter().all(u8::is_ascii_digit),
    };
    let number = || line.iter().try_fold(0_u64, |n, d| n.checked_mul(10)?.checked_add(u64::from(d - b'0')));
    if is_plain { number().filter(|n| *n <= i64::MAX as u64) } else { None }
}
