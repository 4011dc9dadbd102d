//! Where memory was allocated, over the snapshots of a call: the groups of Python's `tracemalloc` with its own arithmetic and
//! order, and what grew.
//!
//! A block says which lines asked for it and not who holds it. So growth is told by the line, with the stacks of calls as
//! the ways to it.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashMap};

use super::growth::Pattern;
use super::owner_kind::OwnerKind;
use crate::heap::sites::{Frame, Sites, Sum};

/// Growers that are told in full, stacks that are told of each, and bytes that are noise.
const MOST: usize = 24;
const STACKS: usize = 3;
const LEAST_BYTES: u64 = 1024;

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Program,
    /// A package or the library, which may say what it is for.
    Library(Option<OwnerKind>),
    /// What loads modules.
    Interpreter,
    /// What takes the snapshots.
    Profiler,
}

/// What blocks are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Line,
    File,
    Stack,
}

impl By {
    /// The word of `tracemalloc`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Line => "lineno",
            Self::File => "filename",
            Self::Stack => "traceback",
        }
    }

    /// Every way to put blocks together: by what, and counted for every frame of their stacks?
    pub(crate) const ALL: [(Self, bool); 5] =
        [(Self::Line, false), (Self::File, false), (Self::Stack, false), (Self::Line, true), (Self::File, true)];
}

/// A group of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The number of the frame, file or stack.
    pub(crate) key: u32,
    pub(crate) sum: Sum,
}

/// A group in two snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) key: u32,
    pub(crate) before: Sum,
    pub(crate) after: Sum,
}

impl Change {
    /// Bytes and blocks more.
    pub(crate) fn more(&self) -> (i64, i64) {
        let less = |a: u64, b: u64| {
            i64::try_from(i128::from(a) - i128::from(b)).unwrap_or(if a < b { i64::MIN } else { i64::MAX })
        };
        (less(self.after.bytes, self.before.bytes), less(self.after.blocks, self.before.blocks))
    }
}

/// One snapshot, by the numbers of the call.
#[derive(Debug)]
struct Taken {
    by_stack: Vec<Sum>,
    by_domain: BTreeMap<u32, Sum>,
    limit: u64,
}

/// The snapshots of a call. Frames and stacks have one number in all of them.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    frames: Vec<Frame>,
    stacks: Vec<Box<[u32]>>,
    frame_numbers: HashMap<Frame, u32>,
    stack_numbers: HashMap<Box<[u32]>, u32>,
    /// By file: its place in the order of names, and whose it is.
    ranks: Vec<u32>,
    origins: Vec<Origin>,
    /// By the number of the input.
    taken: BTreeMap<usize, Taken>,
}

impl Allocations {
    /// Adds a snapshot; `files` gives the number in the call of each of its files.
    pub(crate) fn add(&mut self, input: usize, sites: &Sites<'_>, files: &[u32]) {
        let frames: Vec<u32> = sites
            .frames
            .iter()
            .map(|frame| {
                let frame = Frame { file: files[frame.file as usize], line: frame.line };
                let next = self.frames.len() as u32;
                *self.frame_numbers.entry(frame).or_insert_with(|| {
                    self.frames.push(frame);
                    next
                })
            })
            .collect();
        let mut by_stack = vec![Sum::default(); self.stacks.len()];
        for (local, sum) in sites.by_stack.iter().enumerate() {
            let stack: Box<[u32]> = sites.stack(local).iter().map(|frame| frames[*frame as usize]).collect();
            let number = match self.stack_numbers.get(&stack) {
                Some(number) => *number,
                None => {
                    self.stacks.push(stack.clone());
                    self.stack_numbers.insert(stack, self.stacks.len() as u32 - 1);
                    by_stack.push(Sum::default());
                    self.stacks.len() as u32 - 1
                }
            };
            by_stack[number as usize].add(*sum);
        }
        self.taken.insert(input, Taken { by_stack, by_domain: sites.by_domain.clone(), limit: sites.limit });
    }

    /// Tells the order of the names of files and whose they are, and forgets what only adding needs.
    pub(crate) fn complete(&mut self, ranks: Vec<u32>, origins: Vec<Origin>) {
        (self.ranks, self.origins) = (ranks, origins);
        (self.frame_numbers, self.stack_numbers) = (HashMap::new(), HashMap::new());
    }

    /// How many snapshots there are.
    pub(crate) fn snapshots(&self) -> usize {
        self.taken.len()
    }

    fn nth(&self, at: usize) -> Option<&Taken> {
        self.taken.values().nth(at)
    }

    /// Frames of a stack that were kept, in each snapshot.
    pub(crate) fn limits(&self) -> Vec<u64> {
        self.taken.values().map(|taken| taken.limit).collect()
    }

    /// All blocks of each snapshot.
    pub(crate) fn totals(&self) -> Vec<Sum> {
        let total = |taken: &Taken| {
            let mut all = Sum::default();
            taken.by_stack.iter().for_each(|sum| all.add(*sum));
            all
        };
        self.taken.values().map(total).collect()
    }

    /// Blocks by allocator, in each snapshot.
    pub(crate) fn domains(&self) -> BTreeMap<u32, Vec<Sum>> {
        let mut out: BTreeMap<u32, Vec<Sum>> = BTreeMap::new();
        for (at, taken) in self.taken.values().enumerate() {
            for (domain, sum) in &taken.by_domain {
                out.entry(*domain).or_insert_with(|| vec![Sum::default(); self.taken.len()])[at] = *sum;
            }
        }
        out
    }

    /// The frames of a group as places, the oldest call first. Files have line 0.
    pub(crate) fn places(&self, by: By, key: u32) -> Vec<Frame> {
        match by {
            By::Line => vec![self.frames[key as usize]],
            By::File => vec![Frame { file: key, line: 0 }],
            By::Stack => self.stacks[key as usize].iter().rev().map(|frame| self.frames[*frame as usize]).collect(),
        }
    }

    /// Sums of every group, by its number. Cumulative: a block counts once for each frame of its stack.
    fn sums(&self, taken: &Taken, by: By, cumulative: bool, counts: &dyn Fn(&[u32]) -> bool) -> Vec<Sum> {
        let keys = match by {
            By::Line => self.frames.len(),
            By::File => self.ranks.len(),
            By::Stack => self.stacks.len(),
        };
        let mut out = vec![Sum::default(); keys];
        for (number, sum) in taken.by_stack.iter().enumerate().filter(|(_, sum)| sum.blocks > 0) {
            let stack = &self.stacks[number];
            if !counts(stack) {
                continue;
            }
            let frames = if cumulative { &stack[..] } else { &stack[..stack.len().min(1)] };
            if by == By::Stack {
                out[number].add(*sum);
                continue;
            }
            for frame in frames {
                let key = if by == By::Line { *frame } else { self.frames[*frame as usize].file };
                out[key as usize].add(*sum);
            }
        }
        out
    }

    /// The order of stacks in Python: file names by characters, then lines, from the oldest call on.
    fn order(&self, by: By, a: u32, b: u32) -> Ordering {
        let place = |frame: u32| {
            let Frame { file, line } = self.frames[frame as usize];
            (self.ranks[file as usize], line)
        };
        match by {
            By::Line => place(a).cmp(&place(b)),
            By::File => self.ranks[a as usize].cmp(&self.ranks[b as usize]),
            By::Stack => {
                let places = |stack: u32| self.stacks[stack as usize].iter().rev().map(|frame| place(*frame));
                places(a).cmp(places(b))
            }
        }
    }

    /// `Snapshot.statistics`: the groups of a snapshot, the largest first.
    pub(crate) fn statistics(&self, at: usize, by: By, cumulative: bool) -> Vec<Row> {
        let Some(taken) = self.nth(at) else { return Vec::new() };
        let sums = self.sums(taken, by, cumulative, &|_| true);
        let rows = (0..).zip(sums).map(|(key, sum)| Row { key, sum });
        let mut rows: Vec<Row> = rows.filter(|row| row.sum.blocks > 0).collect();
        rows.sort_unstable_by(|a, b| {
            (b.sum.bytes, b.sum.blocks).cmp(&(a.sum.bytes, a.sum.blocks)).then_with(|| self.order(by, b.key, a.key))
        });
        rows
    }

    /// `Snapshot.compare_to`: the groups of two snapshots, what changed most first.
    pub(crate) fn compare(&self, old: usize, new: usize, by: By, cumulative: bool) -> Vec<Change> {
        let (Some(old), Some(new)) = (self.nth(old), self.nth(new)) else { return Vec::new() };
        let sums = |taken| self.sums(taken, by, cumulative, &|_| true);
        let rows = (0..).zip(sums(old).into_iter().zip(sums(new)));
        let rows = rows.map(|(key, (before, after))| Change { key, before, after });
        let mut rows: Vec<Change> = rows.filter(|row| row.before.blocks > 0 || row.after.blocks > 0).collect();
        let key = |row: &Change| {
            let Change { before, after, .. } = row;
            (after.bytes.abs_diff(before.bytes), after.bytes, after.blocks.abs_diff(before.blocks), after.blocks)
        };
        rows.sort_unstable_by(|a, b| key(b).cmp(&key(a)).then_with(|| self.order(by, b.key, a.key)));
        rows
    }

    fn origin(&self, frame: u32) -> Origin {
        self.origins[self.frames[frame as usize].file as usize]
    }

    /// What grew from the first snapshot to the last, by line, without what the profiler and the interpreter allocate.
    pub(crate) fn growth(&self, work: Option<&[f64]>) -> SiteGrowth {
        let is_own = |stack: &[u32]| {
            stack.first().is_some_and(|top| !matches!(self.origin(*top), Origin::Profiler | Origin::Interpreter))
        };
        let of = |counts: &dyn Fn(&[u32]) -> bool| -> Vec<Vec<Sum>> {
            self.taken.values().map(|taken| self.sums(taken, By::Line, false, counts)).collect()
        };
        let (own, others) = (of(&is_own), of(&|stack| !is_own(stack)));
        let grown = |sums: &[Vec<Sum>], key: usize| -> i64 {
            let bytes = |at: Option<&Vec<Sum>>| at.map_or(0, |sums| i64::try_from(sums[key].bytes).unwrap_or(i64::MAX));
            bytes(sums.last()).saturating_sub(bytes(sums.first()))
        };
        let all =
            |sums: &[Vec<Sum>]| (0..self.frames.len()).map(|key| grown(sums, key).max(0)).fold(0, i64::saturating_add);
        let (total, left_out) = (all(&own), all(&others));
        let least = (total / 100).max(LEAST_BYTES as i64);
        let mut lines: Vec<(i64, u32)> = (0..self.frames.len() as u32)
            .map(|key| (grown(&own, key as usize), key))
            .filter(|(growth, _)| *growth >= least)
            .collect();
        lines.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| self.order(By::Line, a.1, b.1)));
        lines.truncate(MOST);
        let sites = lines.into_iter().map(|(growth, frame)| {
            let history: Vec<Sum> = own.iter().map(|sums| sums[frame as usize]).collect();
            let bytes: Vec<u64> = history.iter().map(|sum| sum.bytes).collect();
            let ways = self.ways(frame);
            let (owner, near) = ways.first().map_or((None, None), |way| self.owner(way.stack));
            Site {
                place: self.frames[frame as usize],
                growth,
                pattern: Pattern::of(&bytes, work),
                history,
                ways,
                owner,
                near,
            }
        });
        SiteGrowth { sites: sites.collect(), total, left_out }
    }

    /// The stacks that allocated at a line, those that grew most first.
    fn ways(&self, frame: u32) -> Vec<Way> {
        let sum = |taken: Option<&Taken>, stack: usize| {
            taken.and_then(|taken| taken.by_stack.get(stack)).copied().unwrap_or_default()
        };
        let (first, last) = (self.taken.values().next(), self.taken.values().next_back());
        let here = self.stacks.iter().enumerate().filter(|(_, stack)| stack.first() == Some(&frame));
        let mut ways: Vec<(u64, Way)> = here
            .map(|(stack, _)| {
                let (before, after) = (sum(first, stack), sum(last, stack));
                (after.bytes.saturating_sub(before.bytes), Way { stack: stack as u32, sum: after })
            })
            .filter(|(_, way)| way.sum.blocks > 0)
            .collect();
        ways.sort_by_key(|(growth, way)| (Reverse(*growth), Reverse(way.sum.bytes), way.stack));
        ways.into_iter().map(|(_, way)| way).take(STACKS).collect()
    }

    /// What the calls say about who keeps it, and the program's own line that is nearest.
    fn owner(&self, stack: u32) -> (Option<OwnerKind>, Option<Frame>) {
        let stack = &self.stacks[stack as usize];
        let hint = stack.iter().find_map(|frame| match self.origin(*frame) {
            Origin::Library(hint) => hint,
            _ => None,
        });
        let near = stack.iter().find(|frame| self.origin(**frame) == Origin::Program);
        (hint, near.map(|frame| self.frames[*frame as usize]))
    }
}

/// A stack of calls, with what it allocated in the last snapshot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) stack: u32,
    pub(crate) sum: Sum,
}

/// A line at which more and more was allocated.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) place: Frame,
    /// Bytes more in the last snapshot than in the first.
    pub(crate) growth: i64,
    pub(crate) pattern: Pattern,
    /// In each snapshot.
    pub(crate) history: Vec<Sum>,
    pub(crate) ways: Vec<Way>,
    /// What a library on the way is for.
    pub(crate) owner: Option<OwnerKind>,
    /// The nearest line of the program's own.
    pub(crate) near: Option<Frame>,
}

/// What grew.
#[derive(Debug, Default)]
pub(crate) struct SiteGrowth {
    /// The largest first.
    pub(crate) sites: Vec<Site>,
    pub(crate) total: i64,
    /// Of the profiler and the interpreter.
    pub(crate) left_out: i64,
}
