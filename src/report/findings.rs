//! What was found out about the heaps, in the words of a report.

use super::allocations::{self, AllocationFacts};
use super::growth_means;
use super::model::{
    Accumulated, AreaFacts, CensusFacts, ClassFacts, DuplicateFacts, GrowerFacts, HandleFacts, HeldBy, HolderFacts,
    LargeFacts, Location, OwnerFacts, PathFacts, Report, SCHEMA, StepFacts, SuspectFacts,
};
use crate::heap::graph::{CLASS_WORDS, EdgeKind, Maker, Place};
use crate::raw::facts::{ClassHistory, Findings};
use crate::summarise::advice::advice;
use crate::summarise::growth::{Grower, History, Pattern, delta};
use crate::summarise::owner_kind::{OwnerKind, Runtime};
use crate::summarise::owners::{Confidence, Owner, why};
use crate::summarise::paths::{EdgeName, Path, PathStep};
use crate::summarise::single::{Handles, TextKind};
use crate::summarise::tree::Area;
use crate::{Outcome, SafeText, Settings};

const EMPTY_NAME: &str = "(no name)";
/// What no area of its own is shown for.
const REST: &str = "(everything else)";

impl Report {
    /// A report that says nothing.
    pub(super) fn empty() -> Self {
        Self {
            schema: SCHEMA,
            tool: concat!("heapscrub ", env!("CARGO_PKG_VERSION")),
            inputs: Vec::new(),
            series: super::model::SeriesFacts { kind: "", means: "" },
            verdict: super::verdict::of(&[], &[], false, 1, None, None),
            trend: None,
            trend_after: None,
            evidence: Vec::new(),
            redaction: super::model::Redaction::default(),
            growers: Vec::new(),
            other_growth: Vec::new(),
            growth_bytes: 0,
            profiler_bytes: 0,
            growth_means: "",
            holders: Vec::new(),
            suspects: Vec::new(),
            areas: Vec::new(),
            duplicates: Vec::new(),
            duplicates_wasted: 0,
            census: Vec::new(),
            large: Vec::new(),
            handles: Vec::new(),
            allocations: None,
            classes: Vec::new(),
            classes_left_out: 0,
        }
    }
}

/// Completes a report with what was found. `limit`: classes in the list, 0 for all.
pub(super) fn told(
    report: Report,
    outcome: &Outcome<'_>,
    found: &Findings,
    settings: &Settings,
    limit: usize,
) -> Report {
    let words = Words { found, work: settings.work.as_deref() };
    let sites = found.allocations.as_ref().map(|found| allocations::Words { found, work: words.work });
    let is_graph = outcome.verified.iter().any(crate::Verified::has_graph);
    let of_sites = sites.as_ref().filter(|_| !is_graph);
    let (mut growers, mut other_growth) = of_sites.map(allocations::Words::growers).unwrap_or_default();
    let site_growth = of_sites.and_then(|words| words.found.growth.as_ref());
    for grower in found.growth.iter().flat_map(|growth| &growth.growers) {
        let list = match grower.pattern {
            Pattern::Grew | Pattern::Steady => &mut growers,
            Pattern::Slowing | Pattern::Stopped | Pattern::Fluctuating => &mut other_growth,
        };
        list.push(words.grower(grower));
    }
    let mut classes: Vec<ClassFacts> = found
        .classes
        .iter()
        .filter(|class| class.history.counts.iter().any(|n| *n > 0))
        .map(|c| words.class(c))
        .collect();
    classes.sort_by(|a, b| {
        let key = |row: &ClassFacts| (std::cmp::Reverse(row.shallow), std::cmp::Reverse(row.count));
        key(a).cmp(&key(b)).then_with(|| a.class.cmp(&b.class))
    });
    let left_out = if limit == 0 { 0 } else { classes.len().saturating_sub(limit) };
    classes.truncate(classes.len() - left_out);
    let total = found.total;
    Report {
        growers,
        other_growth,
        growth_bytes: found.growth.as_ref().map(|g| g.total).or(site_growth.map(|g| g.total)).unwrap_or(0),
        profiler_bytes: found.growth.as_ref().map(|g| g.profiler).or(site_growth.map(|g| g.left_out)).unwrap_or(0),
        holders: found
            .holders
            .iter()
            .map(|holder| {
                let class = found.class(holder.class);
                HolderFacts {
                    class: class.name.clone(),
                    location: words.location(class.place),
                    count: last(&class.history.counts),
                    retained: last(&class.history.retained),
                    owner: words.owner(&holder.owner),
                    paths: words.paths(&holder.paths),
                }
            })
            .collect(),
        suspects: found
            .suspects
            .iter()
            .map(|suspect| SuspectFacts {
                class: found.class(suspect.class).name.clone(),
                name: found.owner_name(&suspect.owner),
                retained: suspect.retained,
                share: share(suspect.retained as f64, total as f64),
                accumulates: suspect.holds.map(|(class, count, retained)| Accumulated {
                    class: found.class(class).name.clone(),
                    count,
                    retained,
                }),
                owner: words.owner(&suspect.owner),
                path: words.path(&suspect.path),
            })
            .collect(),
        areas: found.areas.iter().map(|area| words.area(area)).collect(),
        duplicates: found
            .duplicates
            .0
            .iter()
            .map(|row| DuplicateFacts {
                text: words.name(row.text),
                count: row.count,
                bytes: row.bytes,
                wasted: row.wasted,
            })
            .collect(),
        duplicates_wasted: found.duplicates.1,
        census: found
            .census
            .iter()
            .map(|row| CensusFacts {
                kind: row.kind.name(),
                owner: row.owner.name(),
                count: row.count,
                bytes: row.bytes,
            })
            .collect(),
        large: found
            .large
            .iter()
            .map(|row| LargeFacts {
                class: found.class(row.class).name.clone(),
                bytes: row.bytes,
                owner: row.owner.kind.name(),
                name: found.owner_name(&row.owner),
            })
            .collect(),
        allocations: sites.as_ref().map(|words| words.facts(limit)),
        handles: outcome
            .verified
            .iter()
            .filter(|v| v.has_graph())
            .filter_map(|v| Some(handles(&v.facts()?.handles)))
            .collect(),
        classes,
        classes_left_out: left_out as u64,
        ..report
    }
}

fn handles(found: &Handles) -> HandleFacts {
    HandleFacts {
        listeners: found.listeners,
        timers: found.timers,
        intervals: found.intervals,
        open_handles: found.open,
        waiting_promises: found.waiting_promises,
        detached: found.detached,
    }
}

fn last(values: &[u64]) -> u64 {
    values.last().copied().unwrap_or(0)
}

pub(super) fn share(part: f64, whole: f64) -> f64 {
    // Four digits are enough for people, and the same everywhere.
    if whole > 0.0 { (part / whole * 10_000.0).round() / 10_000.0 } else { 0.0 }
}

/// Finds words for numbers.
struct Words<'f> {
    found: &'f Findings,
    work: Option<&'f [f64]>,
}

impl Words<'_> {
    fn name(&self, id: crate::heap::StrId) -> SafeText {
        match self.found.names.get(&id) {
            Some(name) if !name.as_str().is_empty() => name.clone(),
            _ => SafeText::literal(EMPTY_NAME),
        }
    }

    fn location(&self, place: Option<Place>) -> Option<Location> {
        place.map(|place| Location {
            script: self.found.scripts.get(&place.script).cloned(),
            script_id: place.script,
            line: place.line.saturating_add(1),
            column: place.column.saturating_add(1),
        })
    }

    fn area(&self, area: &Area) -> AreaFacts {
        AreaFacts {
            class: area.class.map_or(SafeText::literal(REST), |class| self.found.class(class).name.clone()),
            made_by: area.maker.name(),
            count: area.count,
            retained: area.retained,
            parts: area.parts.iter().map(|part| self.area(part)).collect(),
        }
    }

    fn class(&self, class: &ClassHistory) -> ClassFacts {
        let History { counts, shallow, retained } = &class.history;
        ClassFacts {
            class: class.name.clone(),
            location: self.location(class.place),
            count: last(counts),
            shallow: last(shallow),
            retained: last(retained),
            distance: (last(counts) > 0).then_some(class.distance),
            counts: counts.clone(),
            shallows: shallow.clone(),
            retaineds: retained.clone(),
            delta_count: delta(counts),
            delta_shallow: delta(shallow),
            delta_retained: delta(retained),
            added: class.changed.map(|c| c.added),
            removed: class.changed.map(|c| c.removed),
            added_bytes: class.changed.map(|c| c.added_bytes),
            removed_bytes: class.changed.map(|c| c.removed_bytes),
            new: counts.len() > 1 && counts[0] == 0,
        }
    }

    fn grower(&self, grower: &Grower) -> GrowerFacts {
        let class = self.found.class(grower.class);
        let History { counts, shallow, retained } = &class.history;
        let growth = self.found.growth.as_ref().map_or(0, |growth| growth.total);
        let done = self.work.and_then(|work| Some(work.last()? - work.first()?)).filter(|done| *done > 0.0);
        let held_by = grower.holder.map(|_| HeldBy {
            class: self.holder_class(grower),
            name: self.found.owner_name(&grower.owner),
            count: grower.holders,
            retained: grower.held.clone(),
        });
        GrowerFacts {
            class: class.name.clone(),
            location: self.location(class.place),
            holder: held_by,
            growth: grower.growth,
            share: share(grower.growth as f64, growth as f64),
            new_objects: grower.new_objects,
            pattern: grower.pattern.name(),
            monotone: matches!(grower.pattern, Pattern::Grew | Pattern::Steady | Pattern::Slowing),
            counts: counts.clone(),
            shallow: shallow.clone(),
            retained: retained.clone(),
            delta_count: delta(counts),
            delta_shallow: delta(shallow),
            delta_retained: delta(retained),
            new: counts.first() == Some(&0),
            per_work: done.map(|done| share(delta(counts) as f64, done)),
            bytes_per_work: done.map(|done| share(grower.growth as f64, done)),
            owner: self.owner(&grower.owner),
            paths: self.paths(&grower.paths),
        }
    }

    fn holder_class(&self, grower: &Grower) -> SafeText {
        let step = grower.paths.iter().flat_map(|path| &path.steps).find(|step| step.is_holder);
        match step.map(|step| step.class).or(grower.holder_class) {
            Some(class) => self.found.class(class).name.clone(),
            None => SafeText::literal(EMPTY_NAME),
        }
    }

    fn owner(&self, owner: &Owner) -> OwnerFacts {
        let known = advice(owner.kind, self.found.runtime);
        OwnerFacts {
            kind: owner.kind.name(),
            name: self.found.owner_name(owner),
            function: self.found.name_of(owner.function),
            event: self.found.name_of(owner.event),
            confidence: owner.confidence.name(),
            evidence: owner.evidence.clone(),
            location: self.location(owner.place),
            means: known.map(|a| a.means),
            advice: known.map(|a| a.advice),
            before: known.map(|a| a.before),
            after: known.map(|a| a.after),
        }
    }

    fn paths(&self, paths: &[Path]) -> Vec<PathFacts> {
        paths.iter().map(|path| self.path(path)).collect()
    }

    fn path(&self, path: &Path) -> PathFacts {
        PathFacts {
            count: path.count,
            share: share(path.count as f64, path.of as f64),
            steps: path.steps.iter().map(|step| self.step(step)).collect(),
        }
    }

    fn step(&self, step: &PathStep) -> StepFacts {
        let (edge_kind, edge) = match step.name {
            EdgeName::Text(id) => (step.kind.name(), self.name(id)),
            EdgeName::Index(n) => (step.kind.name(), SafeText::numbered("", n)),
            EdgeName::Gap(n) => ("gap", SafeText::numbered("", n)),
        };
        let class = self.found.class(step.class);
        StepFacts {
            edge_kind,
            edge,
            class: class.name.clone(),
            name: step.called.map(|id| self.name(id)),
            retained: step.retained,
            location: self.location(step.place),
            repeats: step.repeats,
            is_holder: step.is_holder,
        }
    }
}

/// A report with every word of this file and none of a snapshot.
pub(super) fn blank() -> Report {
    let name = || Some(SafeText::literal(EMPTY_NAME));
    let edges = [
        EdgeKind::Variable,
        EdgeKind::Element,
        EdgeKind::Property,
        EdgeKind::Internal,
        EdgeKind::Hidden,
        EdgeKind::Shortcut,
        EdgeKind::Weak,
    ];
    let step = |edge_kind| StepFacts {
        edge_kind,
        edge: SafeText::literal("(key)"),
        class: SafeText::literal(EMPTY_NAME),
        name: name(),
        retained: 0,
        location: None,
        repeats: 2,
        is_holder: true,
    };
    let steps: Vec<StepFacts> =
        edges.map(EdgeKind::name).into_iter().chain(["gap", allocations::CALL]).map(step).collect();
    let path = PathFacts { count: 0, share: 0.0, steps };
    let of_runtime = |kind: OwnerKind, confidence: Confidence, runtime: Runtime| {
        let known = advice(kind, runtime);
        OwnerFacts {
            kind: kind.name(),
            name: name(),
            function: name(),
            event: name(),
            confidence: confidence.name(),
            evidence: why::ALL.to_vec(),
            location: None,
            means: known.map(|a| a.means),
            advice: known.map(|a| a.advice),
            before: known.map(|a| a.before),
            after: known.map(|a| a.after),
        }
    };
    let owner = |kind, confidence| of_runtime(kind, confidence, Runtime::JavaScript);
    let levels = [Confidence::Low, Confidence::Medium, Confidence::High];
    let patterns = [Pattern::Grew, Pattern::Steady, Pattern::Slowing, Pattern::Stopped, Pattern::Fluctuating];
    let grower = |((kind, confidence), pattern): ((OwnerKind, Confidence), Pattern)| GrowerFacts {
        class: SafeText::literal(EMPTY_NAME),
        location: None,
        holder: Some(HeldBy { class: SafeText::literal(EMPTY_NAME), name: name(), count: 0, retained: vec![0, 0] }),
        growth: 0,
        share: 0.0,
        new_objects: 0,
        pattern: pattern.name(),
        monotone: false,
        counts: vec![0, 0],
        shallow: vec![0, 0],
        retained: vec![0, 0],
        delta_count: 0,
        delta_shallow: 0,
        delta_retained: 0,
        new: true,
        per_work: Some(0.0),
        bytes_per_work: Some(0.0),
        owner: owner(kind, confidence),
        paths: vec![path.clone()],
    };
    let of_others = Runtime::ALL.into_iter().skip(1).flat_map(|runtime| OwnerKind::ALL.map(|kind| (kind, runtime)));
    let of_others = of_others.map(|(kind, runtime)| {
        let owner = of_runtime(kind, Confidence::Low, runtime);
        GrowerFacts { owner, ..grower(((kind, Confidence::Low), Pattern::Grew)) }
    });
    let others: Vec<GrowerFacts> = of_others.collect();
    let kinds = OwnerKind::ALL.into_iter().zip(levels.into_iter().cycle()).zip(patterns.into_iter().cycle());
    let class = |name| ClassFacts {
        class: SafeText::literal(name),
        location: None,
        count: 0,
        shallow: 0,
        retained: 0,
        distance: None,
        counts: vec![0, 0],
        shallows: vec![0, 0],
        retaineds: vec![0, 0],
        delta_count: 0,
        delta_shallow: 1,
        delta_retained: 1,
        added: None,
        removed: None,
        added_bytes: None,
        removed_bytes: None,
        new: true,
    };
    let area = |maker: Maker| AreaFacts {
        class: SafeText::literal(REST),
        made_by: maker.name(),
        count: 0,
        retained: 0,
        parts: Vec::new(),
    };
    let census = TextKind::ALL.iter().flat_map(|kind| {
        OwnerKind::ALL.iter().map(|owner| CensusFacts { kind: kind.name(), owner: owner.name(), count: 0, bytes: 0 })
    });
    Report {
        growers: kinds.clone().map(grower).chain(others).collect(),
        other_growth: kinds.map(grower).collect(),
        profiler_bytes: 1,
        holders: vec![HolderFacts {
            class: SafeText::literal(EMPTY_NAME),
            location: None,
            count: 0,
            retained: 0,
            owner: owner(OwnerKind::Unknown, Confidence::Low),
            paths: vec![path.clone()],
        }],
        suspects: vec![SuspectFacts {
            class: SafeText::literal(EMPTY_NAME),
            name: name(),
            retained: 0,
            share: 0.0,
            accumulates: Some(Accumulated { class: SafeText::literal(EMPTY_NAME), count: 0, retained: 0 }),
            owner: owner(OwnerKind::Cache, Confidence::High),
            path,
        }],
        areas: Maker::ALL.into_iter().map(area).collect(),
        duplicates: growth_means::ALL
            .into_iter()
            .chain(allocations::words())
            .chain(["(text)"])
            .map(|text| DuplicateFacts { text: SafeText::literal(text), count: 0, bytes: 0, wasted: 0 })
            .collect(),
        duplicates_wasted: 1,
        census: census.collect(),
        large: vec![LargeFacts { class: SafeText::literal(EMPTY_NAME), bytes: 0, owner: "cache", name: name() }],
        allocations: Some(AllocationFacts::blank()),
        handles: vec![handles(&Handles::default())],
        classes: CLASS_WORDS.map(class).to_vec(),
        classes_left_out: 1,
        ..Report::empty()
    }
}
