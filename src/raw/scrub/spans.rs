//! Places in a text: which of those that were found become one, and which parts of them may be cut out.

use super::find::{Hit, names as names_in};
use super::labels::Piece;
use super::tags::Kind;
use crate::raw::ingest::role::Role;

/// Places that were found together with others; those that overlap are one, of the kind that was found.
pub(super) fn joined(found: &[(usize, usize, Kind)], others: &[(usize, usize, Kind)]) -> Vec<(usize, usize, Kind)> {
    let mut all: Vec<_> =
        found.iter().map(|span| (*span, true)).chain(others.iter().map(|span| (*span, false))).collect();
    all.sort_unstable();
    let mut out: Vec<((usize, usize, Kind), bool)> = Vec::new();
    for ((start, end, kind), is_found) in all {
        match out.last_mut() {
            Some((last, was_found)) if start < last.1 => {
                last.1 = last.1.max(end);
                if is_found && !*was_found {
                    (last.2, *was_found) = (kind, true);
                }
            }
            _ => out.push(((start, end, kind), is_found)),
        }
    }
    out.into_iter().map(|(span, _)| span).collect()
}

/// The places to cut out in a role: those that overlap are one, and count as the kind of the longest.
pub(super) fn merged(text: &[u8], hits: &[Hit], role: Role) -> Vec<(usize, usize, Kind)> {
    let mut out: Vec<(usize, usize, Kind)> = Vec::new();
    let mut longest = 0;
    // Hits are in order of their starts.
    for hit in hits.iter().filter(|hit| role.is_value() || !hit.value_only) {
        // Never through the middle of a character.
        let is_inside = |at: usize| text.get(at).is_some_and(|b| b & 0xc0 == 0x80);
        let (mut start, mut end) = (hit.start as usize, hit.end as usize);
        while start > 0 && is_inside(start) {
            start -= 1;
        }
        while is_inside(end) {
            end += 1;
        }
        match out.last_mut() {
            Some(last) if start < last.1 => {
                // A rule that knows what it found tells more than chance.
                let by_chance = last.2 == Kind::Rule(0) && end - start == longest;
                if end - start > longest || by_chance {
                    (longest, last.2) = (end - start, hit.kind);
                }
                last.1 = last.1.max(end);
            }
            _ => {
                longest = end - start;
                out.push((start, end, hit.kind));
            }
        }
    }
    out
}

/// The parts of places that stand within names: words and ids of the engine stay.
pub(super) fn within_names(spans: &[(usize, usize, Kind)], pieces: &[Piece<'_>]) -> Vec<(usize, usize, Kind)> {
    let mut out = Vec::new();
    for (from, name) in names_in(pieces) {
        for (start, end, kind) in spans {
            let (start, end) = ((*start).max(from), (*end).min(from + name.len()));
            if start < end {
                out.push((start, end, *kind));
            }
        }
    }
    out
}
