//! Lines that follow each other, as one text: keys and prompts go over several. Windows overlap by as much as such a text has.

use super::read::{Item, NONE, Shape};
use crate::heap::StrId;
use crate::raw::ingest::context::{Composite, Part};

/// Bytes of a window, and of what it shares with the one before.
const WINDOW: u64 = 1 << 16;
const SHARED: u64 = 1 << 13;
/// Lines of a window.
const LINES: usize = 1024;

/// Where windows begin and end, as places.
pub(super) struct Windows {
    windows: Vec<(u32, u32, u32)>,
    /// The unit that stands for the end of a line.
    end: StrId,
}

impl Windows {
    /// Adds a unit for the end of a line if there are windows.
    pub(super) fn new(items: &[Item], units: &mut Vec<(u32, Shape)>) -> Self {
        let is_line = |item: &Item| units[item.unit.ix()].1 == Shape::Line;
        let (mut windows, mut first) = (Vec::new(), 0);
        while first < items.len() {
            if !is_line(&items[first]) {
                first += 1;
                continue;
            }
            let (mut last, mut bytes) = (first, 0);
            while last < items.len() && is_line(&items[last]) && bytes < WINDOW && last - first < LINES {
                bytes += u64::from(items[last].len) + 1;
                last += 1;
            }
            if last - first > 1 {
                windows.push((first as u32, last as u32, u32::try_from(bytes).unwrap_or(u32::MAX)));
            }
            if last == items.len() || !is_line(&items[last]) {
                first = last;
                continue;
            }
            // The next one begins a little before the end of this one, but behind its middle.
            let (mut next, mut shared) = (last, 0);
            while next > first + (last - first) / 2 + 1 && shared < SHARED {
                next -= 1;
                shared += u64::from(items[next].len) + 1;
            }
            first = next;
        }
        let end = StrId(units.len() as u32);
        if !windows.is_empty() {
            units.push((NONE, Shape::End));
        }
        Self { windows, end }
    }

    pub(super) fn all(&self) -> Vec<(Composite, u32)> {
        (0..).zip(&self.windows).map(|(n, (_, _, bytes))| (Composite::Rope(n), *bytes)).collect()
    }

    pub(super) fn parts(&self, composite: Composite, items: &[Item], out: &mut Vec<Part>) {
        out.clear();
        let Composite::Rope(n) = composite else { return };
        let Some((first, last, _)) = self.windows.get(n as usize) else { return };
        for item in &items[*first as usize..*last as usize] {
            if !out.is_empty() {
                out.push(Some(self.end));
            }
            out.push(Some(item.unit));
        }
    }
}
