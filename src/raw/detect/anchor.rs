//! Where a match of a pattern can be noticed cheaply: a few places in a row, at its beginning or inside it, that every
//! match has and that little else has. `://` and what may follow it, rather than the name of a host before it.
//!
//! Every match of a pattern holds one of its anchors, at most `back` bytes behind its own beginning. So a pattern need be
//! tried only there, and nothing is lost.

use regex_syntax::hir::{Hir, HirKind, Look};

use super::shape::{Bytes, Shape};

/// Alternatives that get an anchor each.
const ALTERNATIVES: usize = 128;
/// Elements of a sequence at which an anchor may begin.
const ELEMENTS: usize = 12;
/// Places that count when anchors are compared.
const JUDGED: usize = 6;
/// Places by which the prefilter notices an anchor.
const NOTICED: usize = 4;

/// A few places in a row.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    /// The bytes that can stand at each place.
    pub(super) places: Vec<Bytes>,
    /// How many bytes of a match can stand before it.
    pub(super) back: usize,
    /// The bytes that can stand right before it.
    pub(super) before: Bytes,
    /// Can it stand at the beginning of a text?
    pub(super) at_start: bool,
}

/// The anchors of an expression: none if a match may begin nearly anywhere.
pub(super) fn anchors(hir: &Hir) -> Option<Vec<Anchor>> {
    choose(&[hir], &Shape::EMPTY, 0, None).map(|choice| choice.anchors)
}

struct Choice {
    /// Work for each byte of a text, as far as can be told.
    cost: f64,
    anchors: Vec<Anchor>,
}

/// The cheapest anchors of elements in a row, behind `back` bytes, with `tail` behind them.
fn choose(elements: &[&Hir], tail: &Shape, mut back: usize, look: Option<Look>) -> Option<Choice> {
    let mut flat = Vec::new();
    elements.iter().for_each(|element| flatten(element, &mut flat));
    let mut shapes = vec![tail.clone()];
    for element in flat.iter().rev() {
        let shape = Shape::of(element).before(&shapes[shapes.len() - 1]);
        shapes.push(shape);
    }
    shapes.reverse();
    let (mut best, mut look): (Option<Choice>, _) = (None, look);
    let mut consider = |choice: Choice| {
        if best.as_ref().is_none_or(|best| choice.cost < best.cost) {
            best = Some(choice);
        }
    };
    let mut seen = 0;
    for (i, element) in flat.iter().enumerate() {
        if let HirKind::Look(this) = element.kind() {
            look = Some(*this);
            continue;
        }
        seen += 1;
        if seen > ELEMENTS {
            break;
        }
        if let Some(anchor) = Anchor::new(&shapes[i], back, look) {
            consider(Choice { cost: anchor.cost(), anchors: vec![anchor] });
        }
        if let HirKind::Alternation(parts) = element.kind()
            && parts.len() <= ALTERNATIVES
        {
            let each = parts.iter().map(|part| choose(&[part], &shapes[i + 1], back, look));
            let sum = |all: Option<Choice>, one: Option<Choice>| {
                let (mut all, one) = (all?, one?);
                all.cost += one.cost;
                all.anchors.extend(one.anchors);
                Some(all)
            };
            let all = each.fold(Some(Choice { cost: 0.0, anchors: Vec::new() }), sum);
            if let Some(choice) = all {
                consider(choice);
            }
        }
        let longest = element.properties().maximum_len();
        back = longest.map_or(usize::MAX, |longest| back.saturating_add(longest));
        look = None;
    }
    best
}

/// Sequences and groups as one row.
fn flatten<'h>(hir: &'h Hir, out: &mut Vec<&'h Hir>) {
    match hir.kind() {
        HirKind::Concat(parts) => parts.iter().for_each(|part| flatten(part, out)),
        HirKind::Capture(capture) => flatten(&capture.sub, out),
        HirKind::Empty => {}
        _ => out.push(hir),
    }
}

impl Anchor {
    fn new(shape: &Shape, back: usize, look: Option<Look>) -> Option<Self> {
        let places = shape.at[..shape.shortest()].to_vec();
        let first = places.first()?;
        let (before, at_start) = before(look, first);
        let anchor = Self { places, back, before, at_start };
        // What fits nearly everywhere is no anchor.
        (anchor.chance() < 0.2).then_some(anchor)
    }

    /// How many places of a text fit, roughly.
    fn chance(&self) -> f64 {
        let starts_only = self.before == Bytes::NONE;
        let before = if starts_only { 0.001 } else { share(&self.before) };
        self.places.iter().take(JUDGED).map(share).product::<f64>() * before
    }

    fn cost(&self) -> f64 {
        let each = match self.back {
            0 => 1.0,
            1..=NEAR => 4.0,
            usize::MAX => 40.0,
            _ => 15.0,
        };
        // What begins like much else must be looked at more closely, time and again.
        let noticed: f64 = self.places.iter().take(NOTICED).map(share).product();
        self.chance() * each + noticed * 0.05
    }
}

/// Bytes before an anchor that are tried one by one.
pub(super) const NEAR: usize = 12;

/// What can stand before a place, by the condition that stands there in the pattern.
fn before(look: Option<Look>, first: &Bytes) -> (Bytes, bool) {
    const WORDS: Bytes = Bytes::words();
    const OTHERS: Bytes = Bytes::words().others();
    match look {
        Some(Look::Start) => (Bytes::NONE, true),
        Some(Look::StartLF) => (Bytes::filled([b'\n'].into_iter()), true),
        Some(Look::WordAscii) if first.is_within(&WORDS) => (OTHERS, true),
        Some(Look::WordAscii) if first.is_within(&OTHERS) => (WORDS, false),
        _ => (Bytes::ALL, true),
    }
}

/// The share that these bytes have in the texts of heaps, roughly.
fn share(set: &Bytes) -> f64 {
    let sum = |set: &Bytes| set.iter().map(|byte| SHARES[usize::from(byte)]).sum::<f64>().min(1.0);
    // Of nearly all bytes, the few others are counted.
    if set.len() > 128 { 1.0 - sum(&set.others()) } else { sum(set) }
}

const SHARES: [f64; 256] = {
    let (mut shares, mut byte) = ([0.0; 256], 0);
    while byte < 256 {
        shares[byte] = match byte as u8 {
            b' ' => 0.1,
            b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 0.055,
            b'j' | b'q' | b'x' | b'z' | b'k' | b'v' => 0.005,
            b'a'..=b'z' => 0.018,
            b'A'..=b'Z' => 0.004,
            b'0'..=b'9' => 0.009,
            b'.' | b'/' | b'-' | b'_' | b',' | b':' | b'"' | b'=' | b'(' | b')' | b'\n' => 0.008,
            byte if byte.is_ascii_graphic() => 0.003,
            _ => 0.0003,
        };
        byte += 1;
    }
    shares
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The anchors of a pattern: bytes before, and the first places.
    #[track_caller]
    fn check(pattern: &str, expected: &str) {
        let mut parser = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build();
        let place = |set: &Bytes| match set.iter().count() {
            1 => char::from(set.iter().next().expect("one")).to_string(),
            2..4 => format!("[{}]", set.iter().map(char::from).collect::<String>()),
            _ => "?".to_owned(),
        };
        let anchors = anchors(&parser.parse(pattern).expect("valid")).unwrap_or_default();
        let told: Vec<String> = anchors
            .iter()
            .map(|a| format!("{}:{}", a.back, a.places.iter().take(5).map(place).collect::<String>()))
            .collect();
        assert_eq!(told.join(" "), expected, "{pattern}");
    }

    #[test]
    fn anchors_of_patterns() {
        check(r"\bghp_[A-Za-z0-9]{20,}", "0:ghp_?");
        check("(?:abcd|efgh)[0-9]+", "0:abcd? 0:efgh?");
        check(r"[A-Za-z0-9.]{1,64}@[a-z]+\.[a-z]{2,}", "64:@????");
        check(r#"(?:^|[;"'])(?:pwd|password)="#, "1:pwd= 1:passw");
        check(r"[^x]+QQ[0-9]", &format!("{}:QQ?", usize::MAX));
        check(".*", "");
        check("[a-z]*", "");
    }
}
