//! The way from a root to what is held: a list from the outside to the inside, in which the holder is marked.

use super::markup::{Element, Html, code, el};
use super::{cut, place, share};
use crate::report::model::{PathFacts, StepFacts};
use crate::report::numbers::size;

/// Steps that are shown.
const STEPS: usize = 24;

/// A way, and how many of the objects have it.
pub(super) fn path(way: &PathFacts) -> Html {
    let skipped = way.steps.len().saturating_sub(STEPS);
    let mut list = el("ol").class("path");
    for (at, one) in way.steps.iter().enumerate() {
        if skipped > 0 && at == STEPS / 2 {
            list = list.with(gap(&format!("{skipped} more steps, in report.json")));
        }
        if (STEPS / 2..STEPS / 2 + skipped).contains(&at) {
            continue;
        }
        list = list.with(step(one, at + 1 == way.steps.len()));
    }
    let told = format!("The way from a root, of {} of the objects looked at.", share(way.share));
    Html::all([Html::from(el("p").class("soft").text(&told)), list.into()])
}

fn gap(text: &str) -> Element {
    el("li").class("gap").text(text)
}

fn step(step: &StepFacts, is_last: bool) -> Element {
    if step.edge_kind == "gap" {
        return gap(&format!("{} steps", step.edge.as_str()));
    }
    let edge = cut(step.edge.as_str());
    let edge = match step.edge_kind {
        "element" | "hidden" => format!("[{edge}]"),
        "property" => format!(".{edge}"),
        _ => edge,
    };
    let variable = (step.edge_kind == "variable").then(|| el("span").class("soft").text("variable "));
    let name = step.name.as_ref().filter(|n| !n.as_str().is_empty());
    let item = match (step.is_holder, is_last) {
        (true, _) => el("li").class("holder"),
        (false, true) => el("li").class("end"),
        (false, false) => el("li"),
    };
    let edge = el("span").class("edge").with(variable).with(code(&edge));
    let to = el("span")
        .class("to")
        .with(el("strong").with(code(&cut(step.class.as_str()))))
        .with(name.map(|name| Html::all([Html::text(" "), code(&cut(name.as_str())).into()])))
        .with(step.location.as_ref().map(|location| el("span").class("soft").text(" at ").with(place(location))))
        .with((step.repeats > 1).then(|| el("span").class("soft").text(&format!(", {} times", step.repeats))));
    let holds = el("span").class("holds").text(&size(step.retained));
    let mark = step.is_holder.then(|| el("span").class("mark").text("holds what grew"));
    item.with(edge).with(el("span").class("body").with(to).with(mark)).with(holds)
}
