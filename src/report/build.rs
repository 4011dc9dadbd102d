//! Puts a report together from what was verified.

use std::collections::BTreeMap;

use super::model::{
    Evidence, EvidenceValue, FoundFacts, InputFacts, Redaction, Report, RoleFacts, RulesFacts, SCHEMA, SeriesFacts,
};
use super::numbers::size;
use super::{allocations, findings, growth_means, verdict};
use crate::bundle::member::label;
use crate::heap::series::Series;
use crate::profile::Numbers;
use crate::raw::detect::builtin_ids;
use crate::{Ledger, Outcome, Profile, Role, SafeText, Settings, Topic, Verified};

const GROWTH: &str = "three or more snapshots of one process under steady load, after warm-up, passed in one call";

/// Makes the report of a call. `limit`: classes in the list, 0 for all.
#[must_use]
pub fn build(outcome: &Outcome<'_>, settings: &Settings, limit: usize) -> Report {
    let report = Report {
        schema: SCHEMA,
        tool: concat!("heapscrub ", env!("CARGO_PKG_VERSION")),
        inputs: (0..).zip(&outcome.verified).map(|(i, verified)| input(outcome, i, verified)).collect(),
        series: series(&outcome.series),
        evidence: evidence(outcome),
        redaction: redaction(&outcome.verified, settings),
        growth_means: growth_means::of(&outcome.series, graphs(outcome)),
        ..Report::empty()
    };
    let mut report = match &outcome.findings {
        None => report,
        Some(found) => findings::told(report, outcome, found, settings, limit),
    };
    if settings.numbers == Numbers::Same {
        // Texts that look the same are not equal then.
        (report.duplicates, report.duplicates_wasted) = (Vec::new(), 0);
    }
    (report.trend, report.trend_after) = (settings.trend.clone(), settings.trend_after.clone());
    let snapshots = graphs(outcome);
    let is_series = matches!(outcome.series, Series::InOrder | Series::Given);
    let trends = (report.trend.as_ref(), report.trend_after.as_ref());
    report.verdict = verdict::of(
        &report.growers,
        &report.other_growth,
        is_series,
        snapshots,
        settings.work.as_deref(),
        Some(trends),
    );
    if !has_graph(outcome) && report.allocations.is_some() {
        report.growth_means = allocations::means(snapshots, outcome.series == Series::Repeated);
        let part = &mut report.verdict.parts.what_grows;
        part.means = if part.is_there { allocations::part() } else { part.means };
        let fix = &mut report.verdict.parts.fix;
        fix.means = if fix.is_there || report.growers.is_empty() { fix.means } else { allocations::fix() };
    }
    report
}

fn has_graph(outcome: &Outcome<'_>) -> bool {
    outcome.verified.iter().any(Verified::has_graph)
}

/// How many snapshots are compared: those with a graph of objects, or else those that tell where memory was allocated.
fn graphs(outcome: &Outcome<'_>) -> usize {
    let is_graph = has_graph(outcome);
    let counts = |verified: &&Verified| if is_graph { verified.has_graph() } else { verified.has_allocations() };
    outcome.verified.iter().filter(counts).count()
}

/// Reports with every word of the program and none of a snapshot: what they hold is nothing to find in a report.
pub(crate) fn blank() -> Vec<Report> {
    let kinds = [
        Series::Single,
        Series::InOrder,
        Series::Given,
        Series::Repeated,
        Series::OutOfOrder(Vec::new()),
        Series::Different,
    ];
    let spoken = verdict::blank();
    let one = |(profile, kind): (Profile, &Series)| {
        let value = EvidenceValue { snapshot: Some(1), value: SafeText::literal("") };
        let topics = Topic::ALL.into_iter().map(|topic| (topic.name(), topic.how()));
        let known = [("heap size", ""), ("growth over time", GROWTH)].into_iter().chain(topics);
        let evidence = known.flat_map(|(what, how)| {
            let told = Evidence { what, state: "told", values: vec![value.clone()], how_to_get: None };
            [told, Evidence { what, state: "absent", values: Vec::new(), how_to_get: Some(how) }]
        });
        let rules = builtin_ids().iter().chain(&["own-rule", "listed"]);
        let found =
            rules.zip(Role::ALL.iter().cycle()).map(|(rule, role)| FoundFacts { rule, role: role.name(), texts: 0 });
        let input = |label| InputFacts {
            label: SafeText::literal(label),
            format: "v8",
            runtime: None,
            taken_at: None,
            bytes: 0,
            input_bytes: 0,
            has_graph: true,
            has_allocations: false,
            nodes: 0,
            edges: 0,
            strings: 0,
            heap_bytes: 0,
            outside_bytes: None,
            sha256: String::new(),
        };
        Report {
            schema: SCHEMA,
            tool: concat!("heapscrub ", env!("CARGO_PKG_VERSION")),
            inputs: ["snapshot-1", "snapshot-2", "snapshot-3"].map(input).to_vec(),
            series: series(kind),
            evidence: evidence.collect(),
            redaction: Redaction {
                profile: profile.name(),
                promise: profile.promise(),
                keyed: false,
                rules: RulesFacts { count: 0, sha256: String::new() },
                found: found.collect(),
                roles: Role::ALL.iter().map(|role| RoleFacts { role: role.name(), kept: 0, replaced: 0 }).collect(),
                removed_everywhere: 0,
                removed_where_whole: 0,
                not_covered: profile.not_covered().to_vec(),
                weakened_by: Ledger::weakened_by(1, 1),
                left_out: 1,
                verified: true,
            },
            growth_means: growth_means::of(kind, 3),
            verdict: spoken.0.clone(),
            trend: Some(spoken.1.clone()),
            ..findings::blank()
        }
    };
    [Profile::Strict, Profile::Balanced]
        .into_iter()
        .flat_map(|p| kinds.iter().map(move |kind| (p, kind)))
        .map(one)
        .collect()
}

fn told(outcome: &Outcome<'_>, topic: Topic, snapshot: u32) -> Option<SafeText> {
    let about = |wanted| outcome.told.iter().find(|t| t.topic == topic && t.snapshot == wanted);
    about(Some(snapshot)).or_else(|| about(None)).map(|told| told.text.clone())
}

fn input(outcome: &Outcome<'_>, index: u32, verified: &Verified) -> InputFacts {
    let (before, after) = verified.counts();
    let facts = verified.facts();
    let number = index + 1;
    InputFacts {
        label: outcome.labels.get(index as usize).cloned().unwrap_or_else(|| {
            let word = label(verified.extension());
            SafeText::numbered(word, number)
        }),
        format: verified.format(),
        runtime: told(outcome, Topic::Runtime, number),
        taken_at: told(outcome, Topic::Time, number),
        bytes: after.bytes,
        input_bytes: before.bytes,
        has_graph: verified.has_graph(),
        has_allocations: verified.has_allocations(),
        nodes: after.nodes,
        edges: after.edges,
        strings: before.strings,
        heap_bytes: facts.map_or(0, |facts| facts.heap_bytes),
        outside_bytes: facts.and_then(|facts| facts.outside_bytes),
        sha256: verified.plain_sha256().map(|sha256| hex(&sha256)).unwrap_or_default(),
    }
}

/// Bytes as hexadecimal digits.
/// Bytes as digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn series(series: &Series) -> SeriesFacts {
    let (kind, means) = match series {
        Series::Single => (
            "single",
            "one snapshot tells what is big, not what grows; take two more under the same load and pass all three",
        ),
        Series::InOrder => {
            ("one-process", "snapshots that look like ones of one process, in the order in which they were taken")
        }
        Series::Given => (
            "as-given",
            "snapshots that do not number what they hold: that they are of one process and in order is taken as given",
        ),
        Series::Repeated => ("repeated", "at least one snapshot was passed twice, so nothing can be said about growth"),
        Series::OutOfOrder(_) => {
            ("other-order", "snapshots of one process, kept in an order in which they were not taken")
        }
        Series::Different => (
            "different-processes",
            "snapshots of different processes or builds: classes can be compared, single objects cannot",
        ),
    };
    SeriesFacts { kind, means }
}

fn evidence(outcome: &Outcome<'_>) -> Vec<Evidence> {
    let mut out = Vec::new();
    let count = graphs(outcome);
    let numbered = (1..).zip(&outcome.verified).filter_map(|(n, v)| Some((n, v.facts()?)));
    let sizes =
        numbered.map(|(n, facts)| EvidenceValue { snapshot: Some(n), value: SafeText::shown(facts.heap_bytes, size) });
    out.push(Evidence { what: "heap size", state: "in-file", values: sizes.collect(), how_to_get: None });
    let is_series = matches!(outcome.series, Series::InOrder | Series::Given) && count >= 3;
    out.push(Evidence {
        what: "growth over time",
        state: if is_series { "in-file" } else { "absent" },
        values: Vec::new(),
        how_to_get: (!is_series)
            .then_some("three or more snapshots of one process under steady load, after warm-up, passed in one call"),
    });
    for topic in Topic::ALL {
        let values: Vec<EvidenceValue> = outcome
            .told
            .iter()
            .filter(|told| told.topic == topic)
            .map(|told| EvidenceValue { snapshot: told.snapshot, value: told.text.clone() })
            .collect();
        let in_file = (1..).zip(&outcome.verified).filter_map(|(n, v)| {
            let bytes = v.facts()?.outside_bytes.filter(|_| topic == Topic::External)?;
            Some(EvidenceValue { snapshot: Some(n), value: SafeText::shown(bytes, size) })
        });
        let in_file: Vec<EvidenceValue> = in_file.collect();
        let (state, values) = match (values.is_empty(), in_file.is_empty()) {
            (false, _) => ("told", values),
            (true, false) => ("in-file", in_file),
            (true, true) => ("absent", Vec::new()),
        };
        let how_to_get = (state == "absent").then_some(topic.how());
        out.push(Evidence { what: topic.name(), state, values, how_to_get });
    }
    out
}

fn redaction(verified: &[Verified], settings: &Settings) -> Redaction {
    let (mut found, mut roles) = (BTreeMap::new(), BTreeMap::new());
    let (mut left_out, mut weakened, mut values) = (0, Vec::new(), (0, 0));
    let mut rules = RulesFacts { count: 0, sha256: String::new() };
    for ledger in verified.iter().map(Verified::ledger) {
        for (rule, role, _, texts) in ledger.findings() {
            *found.entry((rule, role)).or_insert(0) += texts;
        }
        for (role, counts) in ledger.roles() {
            let sum: &mut (u64, u64) = roles.entry(role).or_default();
            *sum = (sum.0 + counts.kept(), sum.1 + counts.replaced);
        }
        left_out += u64::from(ledger.dropped);
        // The same for every snapshot of a call.
        weakened = ledger.weakened();
        values = (ledger.propagated.everywhere, ledger.propagated.whole_only);
        rules = RulesFacts { count: ledger.rules, sha256: ledger.rules_digest.clone() };
    }
    let found = found.into_iter().map(|((rule, role), texts)| FoundFacts { rule, role: Role::name(role), texts });
    let mut found: Vec<FoundFacts> = found.collect();
    found.sort_by(|a, b| b.texts.cmp(&a.texts).then((a.rule, a.role).cmp(&(b.rule, b.role))));
    let roles = roles.into_iter().map(|(role, (kept, replaced))| RoleFacts { role: role.name(), kept, replaced });
    Redaction {
        profile: settings.profile.name(),
        promise: settings.profile.promise(),
        keyed: settings.key.is_some(),
        rules,
        found,
        roles: roles.collect(),
        removed_everywhere: values.0,
        removed_where_whole: values.1,
        not_covered: settings.profile.not_covered().to_vec(),
        weakened_by: weakened,
        left_out,
        verified: true,
    }
}

impl Profile {
    /// What it promises, for people.
    #[must_use]
    pub const fn promise(self) -> &'static str {
        match self {
            Self::Strict | Self::OwnStrict => {
                "every text was replaced unless it is a name that the runtime or the program's own code uses; found values stand nowhere"
            }
            Self::Pseudonymised => {
                "as strict, with placeholders that are equal in all bundles of one key: pseudonymised and not anonymous, personal data for whoever can get the key"
            }
            Self::Unlinkable => {
                "as strict, and nothing tells which of the removed texts were equal; sizes and references stay"
            }
            Self::HipaaIdentifiers => {
                "as strict, with random placeholders; whether what is left is de-identified is for a person to say"
            }
            Self::Pci => "as strict, with random placeholders: card data went whole, and no digest of a number is left",
            Self::Balanced | Self::OwnBalanced => {
                "what rules, keys and chance find was cut out everywhere; other texts stayed readable: for people you trust"
            }
        }
    }

    /// What it does not cover, for people.
    #[must_use]
    pub const fn not_covered(self) -> &'static [&'static str] {
        const STRUCTURE: &str = "structure: how many objects of which class there were, their sizes, and which texts are equal to each other";
        const NAMES: &str =
            "names that the program's own code uses: classes, functions, variables, keys, files below its root";
        const SIZES: &str = "structure: how many objects of which class there were, what they refer to, and their sizes, those of texts too";
        match self {
            Self::Unlinkable => &[SIZES, NAMES],
            Self::Strict | Self::OwnStrict | Self::Pseudonymised | Self::HipaaIdentifiers | Self::Pci => {
                &[STRUCTURE, NAMES]
            }
            Self::Balanced | Self::OwnBalanced => &[
                STRUCTURE,
                NAMES,
                "texts that no rule, key or list knows: names of people in sentences, documents, formats of your own",
            ],
        }
    }
}
