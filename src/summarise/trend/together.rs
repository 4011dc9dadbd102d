//! All columns and files together: what grows, and what that says about where it comes from.
//!
//! Files of one call are taken to be about one process; processes of one file are told apart.

use super::apart::Seen;
use super::judge::Verdict;
use super::live::FEWEST_FULLS;
use super::model::{Cause, Line};
use super::recording::{Measure, Runtime};

/// What is said about the process as a whole.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) verdict: Verdict,
    pub(super) cause: Cause,
    pub(super) confidence: f64,
    pub(super) reason: Reason,
    /// The line that decided.
    pub(super) line: Option<usize>,
}

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Nothing,
    HeapLeaks,
    HeapReachedItsLimit,
    ProcessLeaks,
    OutsideLeaks,
    BuffersLeak,
    OutsideMayLeak,
    Uncollected,
    HeapLevelsOff,
    ProcessLevelsOff,
    NearItsLimit,
    LoadExplains,
    NothingGrows,
    TooUneven,
    TooFew,
}

impl Reason {
    pub(super) const ALL: [Self; 15] = [
        Self::Nothing,
        Self::HeapLeaks,
        Self::HeapReachedItsLimit,
        Self::ProcessLeaks,
        Self::OutsideLeaks,
        Self::BuffersLeak,
        Self::OutsideMayLeak,
        Self::Uncollected,
        Self::HeapLevelsOff,
        Self::ProcessLevelsOff,
        Self::NearItsLimit,
        Self::LoadExplains,
        Self::NothingGrows,
        Self::TooUneven,
        Self::TooFew,
    ];
}

/// Everything that is known about one process.
pub(super) struct Subject<'a> {
    pub(super) seen: Vec<&'a Seen>,
    pub(super) lines: Vec<&'a Line>,
    pub(super) runtime: Runtime,
}

impl Subject<'_> {
    fn find(&self, measure: Measure) -> Option<(usize, &Line)> {
        self.lines.iter().enumerate().find(|(_, line)| line.measure == measure).map(|(at, line)| (at, *line))
    }

    /// The column that tells most about the heap.
    fn heap(&self) -> Option<(usize, &Line)> {
        let live = self.find(Measure::Live).filter(|(_, line)| line.verdict != Verdict::Insufficient);
        live.or_else(|| self.find(Measure::Heap)).or_else(|| self.find(Measure::Live))
    }

    /// The column that tells most about the process.
    fn process(&self) -> Option<(usize, &Line)> {
        // Private memory grows with the process alone; what is shared comes and goes with others.
        let order = [Measure::Private, Measure::Proportional, Measure::Resident, Measure::Anonymous, Measure::Memory];
        order.into_iter().find_map(|measure| self.find(measure))
    }

    pub(super) fn fulls(&self) -> usize {
        self.seen.iter().map(|seen| seen.fulls).max().unwrap_or(0)
    }

    /// Puts all columns together.
    pub(super) fn say(&self) -> Said {
        let said = |verdict, cause, confidence: f64, reason, line| Said { verdict, cause, confidence, reason, line };
        let (heap, process) = (self.heap(), self.process());
        let exhausted = self.seen.iter().find_map(|seen| seen.exhaustion);
        if let Some((at, line)) = heap.filter(|(_, line)| line.verdict == Verdict::Leak) {
            let held = self.held().filter(|(_, held)| held.growth.unwrap_or(0.0) > 2.0 * line.growth.unwrap_or(0.0));
            if let Some((at, held)) = held {
                let confidence = line.confidence.min(held.confidence);
                return said(Verdict::Leak, Cause::NativeMemory, confidence, Reason::BuffersLeak, Some(at));
            }
            let reason = if exhausted.is_some_and(|e| !e.from_the_start && e.futile >= 3) {
                Reason::HeapReachedItsLimit
            } else {
                Reason::HeapLeaks
            };
            return said(Verdict::Leak, Cause::Leak, line.confidence, reason, Some(at));
        }
        if let Some(outside) = self.outside(heap) {
            return outside;
        }
        let Some((at, line)) = heap.or(process) else {
            return said(Verdict::Insufficient, Cause::Unknown, 1.0, Reason::Nothing, None);
        };
        let is_tight = exhausted.is_some_and(|e| e.from_the_start) || self.seen.iter().any(|seen| seen.is_tight);
        if heap.is_some() && is_tight && line.verdict != Verdict::Insufficient {
            return said(line.verdict, Cause::RuntimeConfiguration, line.confidence, Reason::NearItsLimit, Some(at));
        }
        match line.verdict {
            Verdict::Leak => said(Verdict::Leak, Cause::Leak, self.of_unknown(line), Reason::ProcessLeaks, Some(at)),
            Verdict::Bounded if heap.is_some() => {
                said(Verdict::Bounded, Cause::CacheFilling, line.confidence, Reason::HeapLevelsOff, Some(at))
            }
            Verdict::Bounded => {
                said(Verdict::Bounded, Cause::CacheFilling, line.confidence, Reason::ProcessLevelsOff, Some(at))
            }
            Verdict::Plateau if line.load.is_some() => {
                said(Verdict::Plateau, Cause::BatchSize, line.confidence, Reason::LoadExplains, Some(at))
            }
            Verdict::Plateau => self.beside_a_flat_heap(at, line, heap.and(process)),
            Verdict::Noise => said(Verdict::Noise, Cause::Unknown, line.confidence, Reason::TooUneven, Some(at)),
            Verdict::Insufficient if line.without_evidence.is_some() => {
                said(Verdict::Insufficient, Cause::Unknown, line.confidence, Reason::Uncollected, Some(at))
            }
            Verdict::Insufficient => self.without_a_heap(at, heap.and(process)),
        }
    }

    /// Memory that objects of the heap hold outside of it, if it rises.
    fn held(&self) -> Option<(usize, &Line)> {
        let mut all = [Measure::External, Measure::Buffers].into_iter().filter_map(|measure| self.find(measure));
        all.find(|(_, line)| rises(line))
    }

    /// Memory that grows although the heap does not.
    fn outside(&self, heap: Option<(usize, &Line)>) -> Option<Said> {
        let (_, heap) = heap?;
        let is_flat = matches!(heap.verdict, Verdict::Plateau | Verdict::Bounded);
        if !is_flat {
            return None;
        }
        let held = self.held();
        // Where the file says how much the heap has taken, what is beyond it decides; else all that is resident.
        let outside = self.find(Measure::Outside).or_else(|| self.process()).filter(|(_, line)| rises(line));
        let (at, line, reason) = match (held, outside) {
            (Some((at, line)), _) => (at, line, Reason::BuffersLeak),
            (None, Some((at, line))) => (at, line, Reason::OutsideLeaks),
            (None, None) => return None,
        };
        // Buffers go when the objects that hold them are collected, so they need full collections as evidence too.
        let is_sure = self.fulls() >= FEWEST_FULLS || (held.is_none() && heap.measure == Measure::Heap);
        let (verdict, reason) =
            if is_sure { (Verdict::Leak, reason) } else { (Verdict::Insufficient, Reason::OutsideMayLeak) };
        let confidence = if self.fulls() >= FEWEST_FULLS { line.confidence } else { line.confidence.min(0.6) };
        Some(Said { verdict, cause: Cause::NativeMemory, confidence, reason, line: Some(at) })
    }

    /// The heap is flat: does the process as a whole say something else?
    fn beside_a_flat_heap(&self, at: usize, heap: &Line, process: Option<(usize, &Line)>) -> Said {
        match process {
            Some((at, line)) if line.verdict == Verdict::Bounded => Said {
                verdict: Verdict::Bounded,
                // What the runtime took for its heap and does not give back is a matter of its settings.
                cause: match self.find(Measure::Committed) {
                    Some((_, taken)) if taken.verdict == Verdict::Bounded => Cause::RuntimeConfiguration,
                    _ => Cause::CacheFilling,
                },
                confidence: line.confidence,
                reason: Reason::ProcessLevelsOff,
                line: Some(at),
            },
            _ => Said {
                verdict: Verdict::Plateau,
                cause: Cause::None,
                confidence: heap.confidence,
                reason: Reason::NothingGrows,
                line: Some(at),
            },
        }
    }

    /// Too little is known about the heap; the process as a whole can still be flat.
    fn without_a_heap(&self, at: usize, process: Option<(usize, &Line)>) -> Said {
        let flat = process.filter(|(_, line)| line.verdict == Verdict::Plateau);
        let (verdict, cause, reason) = match flat {
            Some(_) => (Verdict::Plateau, Cause::None, Reason::NothingGrows),
            None => (Verdict::Insufficient, Cause::Unknown, Reason::TooFew),
        };
        let confidence = flat.map_or(1.0, |(_, line)| line.confidence);
        Said { verdict, cause, confidence, reason, line: Some(flat.map_or(at, |(at, _)| at)) }
    }

    /// If nobody says what runs the program, it may be one whose garbage looks like this.
    fn of_unknown(&self, line: &Line) -> f64 {
        if self.runtime == Runtime::Unknown { line.confidence * 0.8 } else { line.confidence }
    }
}

fn rises(line: &Line) -> bool {
    line.verdict == Verdict::Leak || line.without_evidence == Some(Verdict::Leak)
}
