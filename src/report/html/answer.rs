//! The first screen: what leaks, who holds it, what to do.

use super::markup::{Element, Html, code, el};
use super::{cut, paragraph, place, sentence, share};
use crate::report::model::{GrowerFacts, OwnerFacts, Report, SuspectFacts};
use crate::report::numbers::{percent, signed_size, signed_thousands, size, thousands};
use crate::summarise::trend::model::Cause;

pub(super) fn of(report: &Report) -> Element {
    let header = el("header").with(el("p").class("kind").text("Heap report").with(badges(report)));
    let has_heap = report.snapshots().next().is_some();
    let header = header.with(title(report, has_heap));
    let cards = match (report.growers.first(), report.suspects.first()) {
        (Some(grower), _) => Some(grown(report, grower)),
        (None, Some(suspect)) => Some(held(report, suspect)),
        (None, None) => None,
    };
    let why = (has_heap || report.trend.is_some()).then(|| why(report));
    header.with(cards).with(why).with(facts(report))
}

fn badges(report: &Report) -> Html {
    let badge = |class: &'static str, text: &str| el("span").class(class).text(text);
    let profile = badge("badge", &format!("{} profile", report.redaction.profile));
    let verified = report.redaction.verified.then(|| badge("badge good", "verified before it was released"));
    let weakened = (!report.redaction.weakened_by.is_empty())
        .then(|| badge("badge warn", "the sender kept more than the profile"));
    Html::all([Html::from(profile), verified.into(), weakened.into()])
}

fn title(report: &Report, has_heap: bool) -> Html {
    let verdict = &report.verdict;
    if !has_heap && report.trend.is_none() {
        return Html::all([
            Html::from(el("h1").text("Files without a heap")),
            paragraph("Nothing here has a graph of objects: the report tells what was removed and what stayed.").into(),
        ]);
    }
    let word = el("span").class(match verdict.verdict {
        "leak" => "verdict bad",
        "grew" | "insufficient" => "verdict warn",
        _ => "verdict good",
    });
    let word = word.text(&sentence(verdict.verdict));
    // The summary begins with the verdict, which stands before it already.
    let rest = verdict.summary.split_once(": ").map_or(verdict.summary, |(_, rest)| rest);
    let line = match report.growers.first() {
        Some(grower) => {
            let owner = &grower.owner;
            let holder =
                el("span").text(&format!("{} ", owner.kind)).with(owner.name.as_ref().map(|n| code(&cut(n.as_str()))));
            el("span").with(code(&cut(grower.class.as_str()))).text(" held by ").with(holder)
        }
        None => el("span").text(&sentence(rest)),
    };
    let lead = report.growers.first().map(|_| el("p").class("lead").text(&format!("{}.", sentence(rest))));
    Html::all([Html::from(el("h1").with(word).text(" ").with(line)), lead.into()])
}

fn card(title: &'static str, body: Html) -> Element {
    el("div").class("card").with(el("h2").text(title)).with(body)
}

fn big(text: &str) -> Element {
    el("p").class("big").with(code(text))
}

fn grown(report: &Report, grower: &GrowerFacts) -> Element {
    let leaks = report.verdict.verdict == "leak";
    let growth = format!(
        "{} held, {} objects, {} of all growth.",
        signed_size(grower.growth),
        signed_thousands(grower.delta_count),
        share(grower.share)
    );
    let class = grower.location.as_ref().map(|at| el("p").class("soft").text("Class at ").with(place(at)));
    let more = report.growers.len().saturating_sub(1);
    let others = (more > 0).then(|| {
        let text = format!("{more} more {}", if more == 1 { "thing grew" } else { "things grew" });
        el("p").with(el("a").attr("href", "#growers").text(&text))
    });
    let what = Html::all([
        Html::from(big(&cut(grower.class.as_str()))),
        paragraph(&growth).into(),
        class.into(),
        others.into(),
    ]);
    let held = grower.holder.as_ref().map(|holder| {
        let (count, verb) = match holder.count {
            0 | 1 => (String::new(), " holds it."),
            many => (format!("{} × ", thousands(many)), " hold it."),
        };
        el("p").text(&count).with(code(&cut(holder.class.as_str()))).text(verb)
    });
    el("div")
        .class("cards")
        .with(card(if leaks { "What leaks" } else { "What grew" }, what))
        .with(card("Who holds it", Html::all([owner(&grower.owner), held.into()])))
        .with(card("What to do", todo(&grower.owner, report.verdict.parts.fix.means)))
}

fn owner(owner: &OwnerFacts) -> Html {
    let name = owner.name.as_ref().map(|name| el("span").text(" ").with(code(&cut(name.as_str()))));
    let first = el("p").class("big").text(owner.kind).with(name);
    let function = owner.function.as_ref().filter(|f| !f.as_str().is_empty());
    let function = function.map(|f| el("p").text("Function ").with(code(&cut(f.as_str()))));
    let event = owner.event.as_ref().map(|event| el("p").text("Event ").with(code(&cut(event.as_str()))));
    let at = owner.location.as_ref().map(|at| el("p").text("At ").with(place(at)));
    let sure = el("p").class("soft").text(&format!("Confidence: {}.", owner.confidence));
    Html::all([Html::from(first), function.into(), event.into(), at.into(), sure.into()])
}

fn todo(owner: &OwnerFacts, otherwise: &str) -> Html {
    let code = owner.after.map(|_| el("p").with(el("a").attr("href", "#grower-1").text("Code before and after")));
    match owner.advice {
        Some(advice) => Html::all([Html::from(paragraph(advice)), code.into()]),
        None => paragraph(&sentence(otherwise)).into(),
    }
}

fn held(report: &Report, suspect: &SuspectFacts) -> Element {
    let holds = format!("{}, {} of the heap.", size(suspect.retained), share(suspect.share));
    let most = suspect.accumulates.as_ref().map(|most| {
        let text = format!("Most of it: {} of class ", thousands(most.count));
        paragraph(&text).with(code(&cut(most.class.as_str())))
    });
    let what = Html::all([Html::from(big(&cut(suspect.class.as_str()))), paragraph(&holds).into(), most.into()]);
    let next = if report.is_series() { report.verdict.parts.fix.means } else { report.series.means };
    el("div")
        .class("cards")
        .with(card("What holds most", what))
        .with(card("Who holds it", owner(&suspect.owner)))
        .with(card("What to do", paragraph(&format!("{}.", sentence(next))).into()))
}

fn why(report: &Report) -> Html {
    let verdict = &report.verdict;
    let mut head = format!("Why: cause {}", verdict.cause.name());
    if verdict.cause != Cause::None {
        head.push_str(&format!(", confidence {}", percent((verdict.confidence * 100.0) as u64, 100)));
    }
    let items = verdict.why.iter().map(|why| el("li").text(&sentence(why)));
    let missing = verdict.evidence.iter().map(|needed| {
        let (class, mark) = if needed.is_there { ("have", "there") } else { ("lack", "missing") };
        el("li").class(class).text(&format!("{}, {mark}: {}", sentence(needed.what), needed.detail))
    });
    let why = el("details").attr("open", "").class("why").with(el("summary").text(&head)).with(el("ul").all(items));
    let (known, all) = (verdict.evidence.iter().filter(|needed| needed.is_there).count(), verdict.evidence.len());
    let rests = (all > 0).then(|| {
        let summary = el("summary").text(&format!("What it rests on: {known} of {all}"));
        el("details").class("why").with(summary).with(el("ul").class("checks").all(missing))
    });
    Html::all([Html::from(why), rests.into()])
}

fn facts(report: &Report) -> Element {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let snapshots = report.snapshots().count();
    if let Some(last) = report.snapshots().next_back() {
        rows.push(("Snapshots", thousands(snapshots as u64)));
        rows.push(("Objects in the last", thousands(last.nodes)));
        rows.push(("Heap in the last", size(last.heap_bytes)));
        if let Some(bytes) = last.outside_bytes {
            rows.push(("Outside of the heap", size(bytes)));
        }
    }
    if snapshots > 1 {
        rows.push(("Growth of holders", signed_size(report.growth_bytes)));
    }
    if report.inputs.len() > snapshots {
        rows.push(("Files without a heap", thousands((report.inputs.len() - snapshots) as u64)));
    }
    let replaced = report.redaction.roles.iter().map(|role| role.replaced).sum();
    rows.push(("Texts replaced", thousands(replaced)));
    let row = |(name, value): (&str, String)| el("div").with(el("dt").text(name)).with(el("dd").text(&value));
    el("dl").class("facts").all(rows.into_iter().map(row))
}
