//! A text put together from units, and what is found in it cut back onto them.

use zeroize::Zeroizing;

use super::find::{Findings, Hit};
use super::tags::{self, Bound, Kind};
use crate::limits;
use crate::raw::ingest::Source;
use crate::raw::ingest::context::Part;

/// A text put together from units.
#[derive(Default)]
pub(super) struct Joint {
    pub(super) parts: Vec<Part>,
    pub(super) bytes: Zeroizing<Vec<u8>>,
    /// Where each part ends.
    ends: Vec<usize>,
}

impl Joint {
    pub(super) fn join(&mut self, run: &[Part], source: &dyn Source, raw: &mut Vec<u8>) {
        self.bytes.clear();
        self.ends.clear();
        for id in run.iter().flatten() {
            self.bytes.extend_from_slice(source.text(*id, raw).expose());
            self.ends.push(self.bytes.len());
        }
    }

    fn part_at(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end <= at)
    }

    pub(super) fn crosses(&self, start: usize, end: usize) -> bool {
        start < end && self.part_at(start) != self.part_at(end - 1)
    }

    /// Pieces of a list are one text only if it begins with a piece, or a good part of it stands in the first.
    pub(super) fn is_one(&self, start: usize) -> bool {
        let part = self.part_at(start);
        let from = if part == 0 { 0 } else { self.ends[part - 1] };
        start == from || self.ends[part] - start >= limits::FIRST_PIECE_BYTES
    }

    /// Cuts a place of the joined text back onto the units it consists of.
    pub(super) fn cut_back(&self, run: &[Part], start: usize, end: usize, kind: Kind, out: &mut Findings) {
        for (part, id) in run.iter().enumerate().skip(self.part_at(start)) {
            let from = if part == 0 { 0 } else { self.ends[part - 1] };
            if from >= end {
                break;
            }
            let (first, last) = (start.max(from) - from, end.min(self.ends[part]) - from);
            if let (Some(id), true) = (*id, first < last) {
                out.hits.push(Hit { id, start: first as u32, end: last as u32, kind, value_only: true });
            }
        }
    }

    /// Too long to be read: every part goes.
    pub(super) fn replace_all(&self, source: &dyn Source, bound: Bound, raw: &mut Vec<u8>, out: &mut Findings) {
        for id in self.parts.iter().flatten() {
            let text = source.text(*id, raw).expose();
            if !text.is_empty() && tags::parse(text, bound).is_none() {
                let end = text.len() as u32;
                out.hits.push(Hit { id: *id, start: 0, end, kind: Kind::Text, value_only: true });
            }
        }
    }
}
