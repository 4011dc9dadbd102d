//! What a snapshot says, as numbers: frames, stacks of frames, and blocks of memory with the stack that allocated each.
//! Equal frames are one, equal stacks are one, so that groups are numbers.

use std::hash::{BuildHasher, Hasher, RandomState};

use rustc_hash::FxHashMap;

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The number of its text.
    pub(super) file: u32,
    pub(super) line: u32,
}

/// A block of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trace {
    pub(super) size: u64,
    /// Which allocator it came from.
    pub(super) domain: u32,
    pub(super) stack: u32,
    /// How many frames there were before the stack was cut, where the file tells.
    pub(super) total: Option<u32>,
}

/// Everything a file says about memory.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) frames: Vec<Frame>,
    /// The frames of stack `n` are `stacks[first[n]..first[n + 1]]`, the most recent call first.
    pub(super) first: Vec<u32>,
    pub(super) stacks: Vec<u32>,
    pub(super) traces: Vec<Trace>,
}

impl Columns {
    pub(super) fn stack(&self, number: u32) -> &[u32] {
        &self.stacks[self.first[number as usize] as usize..self.first[number as usize + 1] as usize]
    }

    pub(super) fn stack_count(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// The same with the traces in this order, and everything else in the order in which it is used. Also gives the texts
    /// in the order of their use, as files of frames. What is not used is not there any more.
    pub(super) fn in_order_of_use(&self, order: &[u32], texts: usize) -> (Self, Vec<u32>) {
        const NONE: u32 = u32::MAX;
        let mut out = Self { first: vec![0], ..Self::default() };
        let (mut files, mut file_of) = (Vec::new(), vec![NONE; texts]);
        let (mut frame_of, mut stack_of) = (vec![NONE; self.frames.len()], vec![NONE; self.stack_count()]);
        out.traces.reserve_exact(order.len());
        for trace in order.iter().map(|number| self.traces[*number as usize]) {
            let stack = &mut stack_of[trace.stack as usize];
            if *stack == NONE {
                *stack = out.stack_count() as u32;
                for frame in self.stack(trace.stack) {
                    let number = &mut frame_of[*frame as usize];
                    if *number == NONE {
                        *number = out.frames.len() as u32;
                        let Frame { file, line } = self.frames[*frame as usize];
                        if file_of[file as usize] == NONE {
                            file_of[file as usize] = files.len() as u32;
                            files.push(file);
                        }
                        out.frames.push(Frame { file: file_of[file as usize], line });
                    }
                    out.stacks.push(*number);
                }
                out.first.push(out.stacks.len() as u32);
            }
            out.traces.push(Trace { stack: *stack, ..trace });
        }
        (out, files)
    }
}

/// A hash under a random key, so that nobody can make a file in which everything collides. Few instructions: files have
/// millions of frames.
#[derive(Clone)]
struct Mixer {
    seed: u64,
    factor: u64,
}

impl Mixer {
    fn new() -> Self {
        let random = |n: u64| {
            let mut hasher = RandomState::new().build_hasher();
            hasher.write_u64(n);
            hasher.finish()
        };
        Self { seed: random(1), factor: random(2) | 1 }
    }

    fn mix(&self, state: u64, value: u64) -> u64 {
        let product = u128::from(state ^ value ^ self.seed).wrapping_mul(u128::from(self.factor));
        (product as u64) ^ (product >> 64) as u64
    }
}

/// Numbers frames and stacks by what they are.
pub(super) struct Numbers {
    mixer: Mixer,
    by_frame: FxHashMap<u64, u32>,
    by_stack: FxHashMap<u64, u32>,
}

impl Numbers {
    pub(super) fn new() -> Self {
        Self { mixer: Mixer::new(), by_frame: FxHashMap::default(), by_stack: FxHashMap::default() }
    }

    pub(super) fn frame(&mut self, columns: &mut Columns, frame: Frame) -> u32 {
        let mut key = self.mixer.mix(1, u64::from(frame.file) << 32 | u64::from(frame.line));
        while let Some(number) = self.by_frame.get(&key) {
            if columns.frames[*number as usize] == frame {
                return *number;
            }
            key = key.wrapping_add(1);
        }
        let number = columns.frames.len() as u32;
        columns.frames.push(frame);
        self.by_frame.insert(key, number);
        number
    }

    pub(super) fn stack(&mut self, columns: &mut Columns, frames: impl Iterator<Item = u32>) -> u32 {
        let start = columns.stacks.len();
        columns.stacks.extend(frames);
        let mixed = columns.stacks[start..].iter().fold(2, |key, frame| self.mixer.mix(key, u64::from(*frame)));
        let mut key = self.mixer.mix(mixed, (columns.stacks.len() - start) as u64);
        while let Some(number) = self.by_stack.get(&key) {
            if columns.stack(*number) == &columns.stacks[start..] {
                let number = *number;
                columns.stacks.truncate(start);
                return number;
            }
            key = key.wrapping_add(1);
        }
        let number = columns.stack_count() as u32;
        columns.first.push(columns.stacks.len() as u32);
        self.by_stack.insert(key, number);
        number
    }
}
