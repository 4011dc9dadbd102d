//! Many dumps of one service, in the order in which they were taken: what grew, since when, in how many steps.
//!
//! Sizes of several dumps stand side by side and are never added up: what one dump retains, another retains too.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::row::{Row, Rows, State};
use crate::SafeText;
use crate::raw::names::Names;
use crate::report::budget::{Budget, Over};
use crate::summarise::verdict::by_chance;

/// The version of the form.
pub(crate) const SCHEMA: &str = "heapscrub.batch-series/1";
/// Classes that are told of each service.
const CLASSES: usize = 100;
/// Growth below this share of the first size is none.
const MATERIAL: f64 = 0.05;

/// What became of one service.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Service {
    /// The service; nothing for dumps that no pattern tells the service of.
    pub service: Option<SafeText>,
    /// Dumps that were summarised.
    pub dumps: u64,
    /// Dumps that failed.
    pub failed: u64,
    /// Limits of the budget that are broken, from the first dump to the last.
    pub broken: Vec<SafeText>,
    /// The items, in the order in which they were taken.
    pub items: Vec<String>,
    /// When each was taken: as the pattern or the labels tell it, else when its file was last changed.
    pub times: Vec<SafeText>,
    /// Bytes of all objects in each.
    pub heap_bytes: Vec<u64>,
    /// Bytes more in the last than in the first.
    pub growth: i64,
    /// More in every dump than in the one before?
    pub monotone: bool,
    /// leak, bounded, plateau, grew, noise or insufficient.
    pub verdict: &'static str,
    /// The chance that something steady rises in every dump.
    pub by_chance: Option<f64>,
    /// Classes that grew, by the bytes that they came to retain.
    pub classes: Vec<ClassSeries>,
    /// Classes that grew and are not in the list.
    pub classes_left_out: u64,
}

/// One class over the dumps of a service.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClassSeries {
    /// The class.
    pub class: SafeText,
    /// The path of its script.
    pub script: Option<SafeText>,
    /// When it was there first.
    pub first_seen: SafeText,
    /// More objects in every dump than in the one before?
    pub monotone: bool,
    /// Objects in each dump.
    pub counts: Vec<u64>,
    /// Their own bytes.
    pub shallow: Vec<u64>,
    /// Bytes that would go with them.
    pub retained: Vec<u64>,
    /// Objects more in the last dump than in the first.
    pub delta_count: i64,
    /// Bytes more.
    pub delta_shallow: i64,
    /// Retained bytes more.
    pub delta_retained: i64,
}

/// All services, those that grew most first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct AllSeries {
    /// The version of this form: heapscrub.batch-series/1.
    pub(crate) schema: &'static str,
    /// The services.
    pub(crate) services: Vec<Service>,
}

/// Every word that stands in the program and can stand in a series.
pub(crate) fn own() -> String {
    let text = || SafeText::literal("");
    let class = ClassSeries {
        class: text(),
        script: None,
        first_seen: text(),
        monotone: false,
        counts: Vec::new(),
        shallow: Vec::new(),
        retained: Vec::new(),
        delta_count: 0,
        delta_shallow: 0,
        delta_retained: 0,
    };
    let verdicts = ["leak", "bounded", "plateau", "grew", "noise", "insufficient"];
    let service = |verdict| Service { verdict, classes: vec![class.clone()], ..one(None, Vec::new()) };
    let all = AllSeries { schema: SCHEMA, services: verdicts.map(service).to_vec() };
    serde_json::to_string(&all).unwrap_or_else(|_| unreachable!("series serialise"))
}

/// Puts the dumps of each service in order, and says what grew.
pub(crate) fn tell(rows: &Rows, budget: Option<(&Budget, &mut Names<'_>)>) -> AllSeries {
    let mut by_service: BTreeMap<Option<&SafeText>, Vec<&Row>> = BTreeMap::new();
    for row in rows.values().filter(|row| row.state != State::Skipped) {
        by_service.entry(row.service.as_ref()).or_default().push(row);
    }
    let mut services: Vec<Service> = by_service.into_iter().map(|(service, rows)| one(service, rows)).collect();
    if let Some((budget, names)) = budget {
        for service in &mut services {
            let over = |class: &ClassSeries| class.monotone && class.counts.len() > 2;
            let classes: Vec<Over<'_>> = service
                .classes
                .iter()
                .map(|class| Over {
                    name: class.class.as_str(),
                    retained: &class.retained,
                    delta_count: class.delta_count,
                    is_steady: over(class),
                })
                .collect();
            let broken = budget.hold_dumps(&service.heap_bytes, &classes);
            service.broken = broken.iter().map(|what| names.again(what)).collect();
        }
    }
    for service in &mut services {
        service.classes_left_out = service.classes.len().saturating_sub(CLASSES) as u64;
        service.classes.truncate(CLASSES);
    }
    // Dumps that nothing is told of may be of anything: what they say together comes last.
    let rank = |one: &Service| (one.service.is_none(), std::cmp::Reverse(one.growth), one.service.clone());
    services.sort_by_key(rank);
    AllSeries { schema: SCHEMA, services }
}

/// When a dump was taken.
fn time(row: &Row) -> SafeText {
    row.time.clone().unwrap_or_else(|| SafeText::shown(row.changed.unsigned_abs(), spelled))
}

/// `2026-11-19T08:00:00Z`.
fn spelled(seconds: u64) -> String {
    let day = crate::Date::at(std::time::Duration::from_secs(seconds));
    format!("{day}T{:02}:{:02}:{:02}Z", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

/// Texts as people order them: runs of digits by their numbers.
fn in_order(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        let digits = |text: &[u8]| text.iter().take_while(|c| c.is_ascii_digit()).count();
        let (x, y) = (digits(a), digits(b));
        if x > 0 && y > 0 {
            let number =
                |text: &[u8]| text.iter().position(|c| *c != b'0').map_or(Vec::new(), |at| text[at..].to_vec());
            let (left, right) = (number(&a[..x]), number(&b[..y]));
            let order = left.len().cmp(&right.len()).then_with(|| left.cmp(&right));
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (&a[x..], &b[y..]);
            continue;
        }
        match (a.split_first(), b.split_first()) {
            (Some((x, left)), Some((y, right))) if x == y => (a, b) = (left, right),
            (left, right) => return left.map(|(c, _)| c).cmp(&right.map(|(c, _)| c)),
        }
    }
}

fn delta(values: &[u64]) -> i64 {
    let (first, last) = (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0));
    i64::try_from(i128::from(last) - i128::from(first)).unwrap_or(i64::MAX)
}

fn rises(values: &[u64]) -> bool {
    values.len() > 1 && values.windows(2).all(|pair| pair[0] < pair[1])
}

fn one(service: Option<&SafeText>, rows: Vec<&Row>) -> Service {
    let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count() as u64;
    let failed = count(&|row| row.state == State::Failed);
    let mut done: Vec<&Row> = rows.iter().filter(|row| row.state == State::Done && row.has_graph).copied().collect();
    done.sort_by(|a, b| in_order(time(a).as_str(), time(b).as_str()).then_with(|| a.item.cmp(&b.item)));
    let heap_bytes: Vec<u64> = done.iter().map(|row| row.heap_bytes).collect();
    let classes = classes(&done);
    let (growth, monotone) = (delta(&heap_bytes), rises(&heap_bytes));
    Service {
        service: service.cloned(),
        dumps: count(&|row| row.state == State::Done),
        failed,
        broken: Vec::new(),
        items: done.iter().map(|row| row.item.to_string()).collect(),
        times: done.iter().map(|row| time(row)).collect(),
        growth,
        monotone,
        verdict: verdict(&heap_bytes),
        by_chance: monotone.then(|| by_chance(heap_bytes.len())),
        heap_bytes,
        classes,
        classes_left_out: 0,
    }
}

/// What the sizes alone say. Three dumps in rising order come out of steady ones in one case of six, so it takes four.
fn verdict(sizes: &[u64]) -> &'static str {
    let (Some(first), Some(last)) = (sizes.first().map(|n| *n as f64), sizes.last().map(|n| *n as f64)) else {
        return "insufficient";
    };
    let material = first * MATERIAL;
    let (least, most) = sizes.iter().fold((f64::MAX, 0.0_f64), |(a, b), n| (a.min(*n as f64), b.max(*n as f64)));
    let middle = sizes[sizes.len() / 2] as f64;
    match sizes.len() {
        0 | 1 => "insufficient",
        2 | 3 if last - first > material => "grew",
        2 | 3 => "plateau",
        _ if most - least <= material => "plateau",
        // All but a little of the growth was over half-way.
        _ if last - first > material && last - middle <= (last - first) * 0.1 => "bounded",
        _ if rises(sizes) => "leak",
        _ => "noise",
    }
}

/// Classes that the last dump has more of than the first.
fn classes(done: &[&Row]) -> Vec<ClassSeries> {
    type Key<'k> = (&'k SafeText, Option<&'k SafeText>);
    let mut points: BTreeMap<Key<'_>, Vec<(usize, [u64; 3])>> = BTreeMap::new();
    for (at, row) in done.iter().enumerate() {
        for class in &row.classes {
            let key = (&class.class, class.script.as_ref());
            points.entry(key).or_default().push((at, [class.count, class.shallow, class.retained]));
        }
    }
    let series = points.into_iter().map(|((class, script), points)| {
        let mut columns = [(); 3].map(|()| vec![0; done.len()]);
        for (at, values) in &points {
            for (column, value) in columns.iter_mut().zip(values) {
                column[*at] = *value;
            }
        }
        let [counts, shallow, retained] = columns;
        let first = points.first().map_or(0, |(at, _)| *at);
        ClassSeries {
            class: class.clone(),
            script: script.cloned(),
            first_seen: time(done[first]),
            monotone: rises(&counts),
            delta_count: delta(&counts),
            delta_shallow: delta(&shallow),
            delta_retained: delta(&retained),
            counts,
            shallow,
            retained,
        }
    });
    let mut all: Vec<ClassSeries> = series.filter(|one| one.delta_count > 0 || one.delta_shallow > 0).collect();
    all.sort_by(|a, b| {
        let keys = |one: &ClassSeries| (one.delta_retained, one.delta_shallow, one.delta_count);
        keys(b).cmp(&keys(a)).then_with(|| (&a.class, &a.script).cmp(&(&b.class, &b.script)))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_count_as_numbers() {
        for (a, b, expected) in [
            ("9", "10", Ordering::Less),
            ("a9b", "a10", Ordering::Less),
            ("007", "7", Ordering::Equal),
            ("2026-11-09", "2026-11-10", Ordering::Less),
            ("a", "b", Ordering::Less),
            ("a", "a1", Ordering::Less),
        ] {
            assert_eq!(in_order(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn what_sizes_say() {
        for (sizes, expected) in [
            (&[][..], "insufficient"),
            (&[1000], "insufficient"),
            (&[1000, 1200], "grew"),
            (&[1000, 1010, 1020], "plateau"),
            (&[1000, 1200, 1400, 1600], "leak"),
            (&[1000, 1800, 1990, 2000], "bounded"),
            (&[1000, 1300, 1100, 1600, 1000], "noise"),
            (&[1000, 1010, 1005, 1020, 1000], "plateau"),
        ] {
            assert_eq!(verdict(sizes), expected, "{sizes:?}");
        }
    }

    #[test]
    fn times_of_files() {
        assert_eq!(spelled(1_795_075_200 + 3_661), "2026-11-19T09:01:01Z");
    }
}
