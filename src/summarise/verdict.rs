//! Is what grew between snapshots a leak? Two snapshots say that something grew, and no more. Three and more can say
//! "leak", with the chance of being wrong that N values in a rising row have; memory over time says more.
//!
//! Numbers and closed words in, a verdict with its reasons out.

use super::trend::model::{Cause, Needed, Trend};
use super::trend::{Measure, Verdict};

/// What a call knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known<'a> {
    /// Snapshots.
    pub(crate) snapshots: usize,
    /// They are of one process, in the order in which they were taken.
    pub(crate) is_series: bool,
    /// Things that grew in every snapshot and not less at the end: their share of all growth, and what holds them.
    pub(crate) steady: &'a [Grown],
    /// Things that grew and stopped or slowed down.
    pub(crate) slowing: &'a [Grown],
    /// Things that went up and down.
    pub(crate) moving: &'a [Grown],
    /// Was work told for each snapshot?
    pub(crate) has_work: bool,
    /// Memory over time.
    pub(crate) trend: Option<&'a Trend>,
    /// The same with the fix.
    pub(crate) after: Option<&'a Trend>,
}

/// One thing that grew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grown {
    /// Of all growth.
    pub(crate) share: f64,
    /// The kind of what holds it.
    pub(crate) owner: &'static str,
    /// A browser's console or an extension holds it.
    pub(crate) is_artefact: bool,
}

/// What is said.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// leak, bounded, plateau, grew, noise or insufficient.
    pub(crate) verdict: &'static str,
    pub(crate) cause: Cause,
    pub(crate) confidence: f64,
    pub(crate) summary: &'static str,
    pub(crate) why: Vec<String>,
    pub(crate) evidence: Vec<Needed>,
    /// The chance that steady values rise in every snapshot.
    pub(crate) by_chance: Option<f64>,
    /// Every part of a leak report: is it there?
    pub(crate) parts: [(bool, &'static str); 4],
}

/// A thing with less of all growth than this is not what leaks.
const SHARE: f64 = 0.02;

/// One in N!.
pub(crate) fn by_chance(snapshots: usize) -> f64 {
    1.0 / (1..=snapshots.min(20)).map(|n| n as f64).product::<f64>()
}

/// What the numbers alone say, without memory over time.
fn alone(known: &Known<'_>) -> (&'static str, Cause, f64, &'static str) {
    let main: Vec<&Grown> = known.steady.iter().filter(|g| g.share >= SHARE).collect();
    // Held against nothing: the confidence is no probability.
    let most: f64 = match known.snapshots {
        3 => 0.8,
        4 => 0.9,
        _ => 0.97,
    };
    match () {
        () if known.snapshots < 2 => {
            ("insufficient", Cause::Unknown, 1.0, "insufficient: one snapshot shows what is big, not what grows")
        }
        () if !known.is_series => (
            "insufficient",
            Cause::Unknown,
            1.0,
            "insufficient: only snapshots of one process, in their order, can tell growth from difference",
        ),
        () if known.snapshots == 2 => {
            if known.steady.is_empty() && known.slowing.is_empty() && known.moving.is_empty() {
                ("plateau", Cause::None, 0.5, "plateau: nothing grew between the two snapshots; two cannot say more")
            } else {
                ("grew", Cause::Unknown, 0.5, "grew: two snapshots show that something grew, not that it goes on")
            }
        }
        () if !main.is_empty() && main.iter().all(|g| g.is_artefact) => (
            "grew",
            Cause::BrowserArtefact,
            most.min(0.8),
            "grew: a console or an extension of the browser holds what grew, not the page",
        ),
        () if !main.is_empty() => {
            ("leak", Cause::Leak, most, "leak: something grew in every snapshot and not less at the end")
        }
        () if !known.slowing.is_empty() => (
            "bounded",
            Cause::CacheFilling,
            0.6,
            "bounded: what grew slowed down or stopped, as caches, pools and warm-up do",
        ),
        () if !known.moving.is_empty() => {
            ("noise", Cause::BatchSize, 0.5, "noise: what grew went up and down, as batches and queues do")
        }
        () => ("plateau", Cause::None, 0.6, "plateau: nothing grew that a program holds"),
    }
}

/// Decides.
pub(crate) fn decide(known: &Known<'_>) -> Said {
    let (mut verdict, mut cause, mut confidence, mut summary) = alone(known);
    let mut why = Vec::new();
    let chance = (known.is_series && known.snapshots >= 3).then(|| by_chance(known.snapshots));
    if let Some(chance) = chance {
        why.push(format!(
            "of steady values one in {:.0} rises over {} snapshots by chance; {} things rose in every one, {} slowed down or stopped, {} went up and down",
            1.0 / chance,
            known.snapshots,
            known.steady.len(),
            known.slowing.len(),
            known.moving.len()
        ));
    }
    if let Some(trend) = known.trend {
        why.push(format!("memory over time: {}", trend.summary));
        (verdict, cause, confidence, summary) = with_trend((verdict, cause, confidence, summary), trend, known);
    }
    if let Some(after) = known.after {
        why.push(format!("memory over time with the fix: {}", after.summary));
    }
    let parts = parts(known, verdict);
    let evidence = evidence(known);
    Said { verdict, cause, confidence, summary, why, evidence, by_chance: chance, parts }
}

type Verdicts = (&'static str, Cause, f64, &'static str);

/// Snapshots are taken after a full collection, so they know what garbage is; memory over time knows whether it goes on.
fn with_trend(alone: Verdicts, trend: &Trend, known: &Known<'_>) -> Verdicts {
    match (alone.0, trend.verdict) {
        ("leak", Verdict::Leak) => (
            "leak",
            if trend.cause == Cause::NativeMemory { Cause::NativeMemory } else { Cause::Leak },
            alone.2.max(trend.confidence).min(0.97),
            "leak: memory rises over time, and what grew in every snapshot is known",
        ),
        ("leak", Verdict::Plateau | Verdict::Bounded) => (
            "grew",
            if trend.verdict == Verdict::Bounded { Cause::CacheFilling } else { Cause::BatchSize },
            0.5,
            "grew: something rose in every snapshot, but memory over time does not go on rising",
        ),
        ("plateau" | "bounded" | "noise", Verdict::Leak) if known.snapshots >= 2 => {
            let is_outside = trend.cause == Cause::NativeMemory
                || !trend
                    .lines
                    .iter()
                    .any(|l| l.verdict == Verdict::Leak && matches!(l.measure, Measure::Heap | Measure::Live));
            if is_outside {
                (
                    "leak",
                    Cause::NativeMemory,
                    trend.confidence.min(0.8),
                    "leak outside of the heap: memory of the process rises, and the snapshots do not show it",
                )
            } else {
                (
                    "leak",
                    Cause::Unknown,
                    trend.confidence.min(0.6),
                    "leak: memory rises over time, but these snapshots do not show what grows; take them further apart",
                )
            }
        }
        ("insufficient" | "grew", Verdict::Leak) => (
            "leak",
            trend.cause,
            trend.confidence,
            "leak: memory rises over time; three snapshots under the same load would show what grows",
        ),
        ("insufficient" | "grew", Verdict::Bounded) => {
            ("bounded", trend.cause, trend.confidence, "bounded: memory rose over time and levelled off")
        }
        ("insufficient" | "grew", Verdict::Plateau) => {
            ("plateau", trend.cause, trend.confidence, "plateau: memory over time does not grow")
        }
        ("plateau", _) if trend.cause == Cause::RuntimeConfiguration => (
            "plateau",
            Cause::RuntimeConfiguration,
            trend.confidence,
            "plateau: nothing grows, but the program keeps nearly as much as the heap may hold",
        ),
        _ => alone,
    }
}

/// Everything that can be said, with trends of every verdict.
pub(crate) fn all_said(trends: &[Trend]) -> Vec<Said> {
    let one = [Grown { share: 1.0, owner: "cache", is_artefact: false }];
    let artefact = [Grown { is_artefact: true, ..one[0] }];
    let grown: [[&[Grown]; 3]; 5] =
        [[&one, &[], &[]], [&artefact, &[], &[]], [&[], &one, &[]], [&[], &[], &one], [&[], &[], &[]]];
    let mut out = Vec::new();
    for (snapshots, is_series) in [(1, false), (2, true), (2, false), (3, true)] {
        for [steady, slowing, moving] in grown {
            for trend in trends.iter().map(Some).chain([None]) {
                let known = Known {
                    snapshots,
                    is_series,
                    steady,
                    slowing,
                    moving,
                    has_work: trend.is_some(),
                    trend,
                    after: trend,
                };
                out.push(decide(&known));
            }
        }
    }
    out
}

/// What each part of a leak report says, or that it is missing.
const PARTS: [[&str; 2]; 3] = [
    ["memory over time was recorded", "missing: record memory over time under the same load, and pass it with --trend"],
    [
        "what grew in every snapshot, who holds it and the way to it are listed first under what grew",
        "missing: take three or more snapshots of one process under the same load",
    ],
    ["the advice beside what grew most", "missing: nothing is known to grow, so nothing is known to fix"],
];

fn parts(known: &Known<'_>, verdict: &str) -> [(bool, &'static str); 4] {
    let has = [known.trend.is_some(), !known.steady.is_empty(), known.steady.iter().any(|g| g.owner != "unknown")];
    let part = |at: usize| (has[at], PARTS[at][usize::from(!has[at])]);
    let after = match known.after.map(|after| after.verdict) {
        _ if verdict == "plateau" && known.after.is_none() => (true, "nothing grows, so there is nothing to fix"),
        Some(Verdict::Plateau) => (true, "plateau with the fix: memory does not grow any more"),
        Some(Verdict::Bounded) => (true, "bounded with the fix: memory levels off"),
        Some(Verdict::Leak) => {
            (true, "it still rises with the fix: the next thing to chase is the second one under what grew")
        }
        Some(Verdict::Noise | Verdict::Insufficient) => {
            (false, "missing: what was recorded with the fix cannot tell; record it longer")
        }
        None => (
            false,
            "missing: fix the first one, record memory again under the same load, and pass it with --trend-after",
        ),
    };
    [part(0), part(1), part(2), after]
}

fn evidence(known: &Known<'_>) -> Vec<Needed> {
    let need = |what, is_there, there: &str, how: &str| Needed {
        what,
        is_there,
        detail: if is_there { there } else { how }.to_owned(),
    };
    vec![
        need(
            "three snapshots of one process",
            known.is_series && known.snapshots >= 3,
            "they were passed in the order in which they were taken",
            "take three or more of one process under the same load, after warm-up, and pass them in one call",
        ),
        need(
            "work between snapshots",
            known.has_work,
            "told with --work",
            "count requests or jobs at each snapshot, and pass --work 200,400,600",
        ),
        need(
            "memory over time",
            known.trend.is_some(),
            "passed with --trend",
            "record process.memoryUsage() after gc(), or RSS, every few seconds, and pass it with --trend",
        ),
        need(
            "memory over time with the fix",
            known.after.is_some(),
            "passed with --trend-after",
            "record the same with the fix, and pass it with --trend-after",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(share: f64) -> Grown {
        Grown { share, owner: "cache", is_artefact: false }
    }

    fn series(snapshots: usize) -> Known<'static> {
        Known { snapshots, is_series: true, ..Known::default() }
    }

    fn trend(verdict: Verdict, cause: Cause) -> Trend {
        Trend { verdict, cause, confidence: 0.9, ..Trend::nothing() }
    }

    #[track_caller]
    fn check(known: &Known<'_>, verdict: &str, cause: Cause) {
        let said = decide(known);
        assert_eq!((said.verdict, said.cause), (verdict, cause), "{said:?}");
        let named = said.evidence.iter().all(|needed| !needed.detail.is_empty());
        assert!(named && said.summary.starts_with(verdict), "{said:?}");
    }

    #[test]
    fn the_chance_of_a_rising_row() {
        for (snapshots, one_in) in [(2, 2.0), (3, 6.0), (4, 24.0), (5, 120.0)] {
            assert!((by_chance(snapshots) * one_in - 1.0).abs() < 1e-12);
        }
        let steady = [grown(0.9)];
        let said = decide(&Known { steady: &steady, ..series(3) });
        assert!(said.why[0].contains("one in 6 rises over 3 snapshots"), "{said:?}");
        assert_eq!(said.by_chance, Some(1.0 / 6.0));
    }

    #[test]
    fn snapshots_alone() {
        let (one, small) = ([grown(0.9)], [grown(0.001)]);
        let artefact = [Grown { is_artefact: true, ..grown(0.9) }];
        check(&Known { snapshots: 1, ..Known::default() }, "insufficient", Cause::Unknown);
        check(&Known { snapshots: 3, steady: &one, ..Known::default() }, "insufficient", Cause::Unknown);
        check(&Known { steady: &one, ..series(2) }, "grew", Cause::Unknown);
        check(&Known { steady: &one, ..series(3) }, "leak", Cause::Leak);
        check(&Known { steady: &small, ..series(3) }, "plateau", Cause::None);
        check(&Known { steady: &artefact, ..series(3) }, "grew", Cause::BrowserArtefact);
        check(&Known { slowing: &one, ..series(4) }, "bounded", Cause::CacheFilling);
        check(&Known { moving: &one, ..series(4) }, "noise", Cause::BatchSize);
        check(&series(3), "plateau", Cause::None);
        let confidence = |snapshots| decide(&Known { steady: &one, ..series(snapshots) }).confidence;
        assert!(confidence(3) < confidence(4) && confidence(4) < confidence(5));
    }

    #[test]
    fn memory_over_time_confirms_or_contradicts() {
        let one = [grown(0.9)];
        let (leak, flat) = (trend(Verdict::Leak, Cause::Leak), trend(Verdict::Plateau, Cause::None));
        let native = trend(Verdict::Leak, Cause::NativeMemory);
        let full = trend(Verdict::Plateau, Cause::RuntimeConfiguration);
        check(&Known { steady: &one, trend: Some(&leak), ..series(3) }, "leak", Cause::Leak);
        check(&Known { steady: &one, trend: Some(&flat), ..series(3) }, "grew", Cause::BatchSize);
        check(&Known { trend: Some(&native), ..series(3) }, "leak", Cause::NativeMemory);
        check(&Known { trend: Some(&full), ..series(3) }, "plateau", Cause::RuntimeConfiguration);
        check(&Known { snapshots: 1, trend: Some(&leak), ..Known::default() }, "leak", Cause::Leak);
    }

    #[test]
    fn the_four_parts() {
        let one = [grown(0.9)];
        let (leak, flat) = (trend(Verdict::Leak, Cause::Leak), trend(Verdict::Plateau, Cause::None));
        let whole = decide(&Known { steady: &one, trend: Some(&leak), after: Some(&flat), ..series(3) });
        assert!(whole.parts.iter().all(|(is_there, _)| *is_there), "{:?}", whole.parts);
        assert!(whole.parts[3].1.starts_with("plateau"));
        let still = decide(&Known { steady: &one, trend: Some(&leak), after: Some(&leak), ..series(3) });
        assert!(still.parts[3].1.contains("next thing to chase"));
        let bare = decide(&Known { steady: &one, ..series(3) });
        assert_eq!(bare.parts.map(|(is_there, _)| is_there), [false, true, true, false]);
    }
}
