//! Thresholds for memory in continuous integration: a report is held against a file of limits.

use serde::Deserialize;

use super::Report;
use super::model::{ClassFacts, GrowerFacts};
use super::numbers::{signed_size, signed_thousands, size};
use crate::error::ConfigError;

const GRAMMAR: &str = "a budget has max_heap_growth, max_new_class, allow_steady_growth = false, and [[class]] with name and \
                       max_growth or max_more_objects; sizes look like \"10 MB\"";

/// What a report must keep to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Growth of the heap from the first snapshot to the last.
    #[serde(default, deserialize_with = "bytes")]
    max_heap_growth: Option<u64>,
    /// A class that the first snapshot did not have may hold at most this.
    #[serde(default, deserialize_with = "bytes")]
    max_new_class: Option<u64>,
    /// May something grow as leaks do: in every snapshot, and not less at the end?
    #[serde(default)]
    allow_steady_growth: Option<bool>,
    /// Limits for classes by name.
    #[serde(default)]
    class: Vec<ClassBudget>,
}

/// Limits for the classes that a name stands for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassBudget {
    /// A name; `*` stands for any characters, `?` for one.
    name: String,
    /// Growth of the bytes that would go with the objects of a class.
    #[serde(default, deserialize_with = "bytes")]
    max_growth: Option<u64>,
    /// Objects more.
    #[serde(default)]
    max_more_objects: Option<u64>,
}

/// One limit, held against a report.
#[derive(Debug)]
pub struct Held {
    /// What the limit is about, in the words of the budget.
    pub what: String,
    /// Why it is not kept; nothing if it is.
    pub broken: Option<String>,
}

fn bytes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Size {
        Bytes(u64),
        Words(String),
    }
    match Size::deserialize(deserializer)? {
        Size::Bytes(n) => Ok(Some(n)),
        Size::Words(words) => parse(&words)
            .map(Some)
            .ok_or_else(|| serde::de::Error::custom("expected a size such as \"500 kB\" or \"10 MB\"")),
    }
}

fn parse(words: &str) -> Option<u64> {
    let words = words.trim();
    let at = words.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(words.len());
    let number: f64 = words[..at].parse().ok()?;
    let unit = match words[at..].trim().to_ascii_lowercase().as_str() {
        "" | "b" | "bytes" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let bytes = number * unit;
    (0.0..1e18).contains(&bytes).then_some(bytes as u64)
}

impl Budget {
    /// Reads a file of limits, given with its name.
    ///
    /// # Errors
    /// When it is not TOML, has a setting that is not known, or sets no limit.
    pub fn read(name: &str, text: &str) -> Result<Self, ConfigError> {
        let budget: Self = toml::from_str(text).map_err(|e| {
            // What stands there is not repeated: the file may be another one than the user meant.
            let before = e.span().map(|span| &text.as_bytes()[..span.start.min(text.len())]);
            let line = before.map(|b| format!(", line {}", 1 + b.iter().filter(|b| **b == b'\n').count()));
            ConfigError::new(format!("{name}{}: {GRAMMAR}", line.unwrap_or_default()))
        })?;
        let empty = budget.class.iter().find(|class| class.max_growth.is_none() && class.max_more_objects.is_none());
        if let Some(class) = empty {
            let nth = 1 + budget.class.iter().position(|c| std::ptr::eq(c, class)).unwrap_or(0);
            let message = format!("{name}: [[class]] {nth} has no limit; give max_growth or max_more_objects");
            return Err(ConfigError::new(message));
        }
        let sets = budget.max_heap_growth.is_some()
            || budget.max_new_class.is_some()
            || budget.allow_steady_growth == Some(false)
            || !budget.class.is_empty();
        if !sets {
            return Err(ConfigError::new(format!("{name}: no limit is set; {GRAMMAR}")));
        }
        Ok(budget)
    }

    /// Holds a report against every limit. The report must list all classes.
    #[must_use]
    pub fn hold(&self, report: &Report) -> Vec<Held> {
        let mut out = Vec::new();
        let is_series = report.is_series();
        if !is_series {
            let broken = Some("there is only one snapshot, which cannot show growth".to_owned());
            out.push(Held { what: "two snapshots or more".to_owned(), broken });
        }
        if let Some(limit) = self.max_heap_growth {
            let heap = |input: Option<&super::model::InputFacts>| input.map_or(0, |i| i.heap_bytes);
            let (last, first) = (report.snapshots().next_back(), report.snapshots().next());
            let grown = heap(last).saturating_sub(heap(first));
            out.push(Held {
                what: format!("the heap grows by at most {}", size(limit)),
                broken: (grown > limit).then(|| format!("it grew by {}", size(grown))),
            });
        }
        if let Some(limit) = self.max_new_class {
            let broken = |row: &&ClassFacts| is_series && row.new && row.retained > limit;
            let rows: Vec<String> = report.classes.iter().filter(broken).map(told_new).collect();
            out.push(Held { what: format!("no new class holds more than {}", size(limit)), broken: joined(&rows) });
        }
        if self.allow_steady_growth == Some(false) {
            let rows: Vec<String> =
                report.growers.iter().filter(|row| row.pattern == "steady").map(told_grower).collect();
            out.push(Held { what: "nothing grows in every snapshot".to_owned(), broken: joined(&rows) });
        }
        for class in &self.class {
            let about = |row: &&ClassFacts| is_like(&class.name, row.class.as_str());
            if let Some(limit) = class.max_growth {
                let over = |row: &&ClassFacts| row.delta_retained > 0 && row.delta_retained.unsigned_abs() > limit;
                let rows: Vec<String> = report.classes.iter().filter(about).filter(over).map(told_growth).collect();
                out.push(Held {
                    what: format!("'{}' grows by at most {}", class.name, size(limit)),
                    broken: joined(&rows),
                });
            }
            if let Some(limit) = class.max_more_objects {
                let over = |row: &&ClassFacts| row.delta_count > 0 && row.delta_count.unsigned_abs() > limit;
                let rows: Vec<String> = report.classes.iter().filter(about).filter(over).map(told_count).collect();
                out.push(Held {
                    what: format!("'{}' has at most {limit} more objects", class.name),
                    broken: joined(&rows),
                });
            }
        }
        out
    }
}

/// A class over several dumps: of one process or of many.
#[derive(Debug)]
pub(crate) struct Over<'o> {
    /// The class.
    pub(crate) name: &'o str,
    /// Bytes that would go with it, in each dump.
    pub(crate) retained: &'o [u64],
    /// Objects more in the last than in the first.
    pub(crate) delta_count: i64,
    /// More in each dump than in the one before, in three dumps or more?
    pub(crate) is_steady: bool,
}

impl Budget {
    /// Holds dumps of one service against every limit. Returns what is broken, in the words of the budget.
    pub(crate) fn hold_dumps(&self, heap: &[u64], classes: &[Over<'_>]) -> Vec<String> {
        let grown = |sizes: &[u64]| match (sizes.first(), sizes.last()) {
            (Some(first), Some(last)) => last.saturating_sub(*first),
            _ => 0,
        };
        let any = |is: &dyn Fn(&Over<'_>) -> bool| classes.iter().any(is);
        let mut broken = Vec::new();
        if let Some(limit) = self.max_heap_growth.filter(|limit| grown(heap) > *limit) {
            broken.push(format!("the heap grows by at most {}", size(limit)));
        }
        let is_new = |class: &Over<'_>| class.retained.len() > 1 && class.retained.first() == Some(&0);
        let holds = |class: &Over<'_>| class.retained.last().copied().unwrap_or(0);
        if let Some(limit) = self.max_new_class.filter(|limit| any(&|c| is_new(c) && holds(c) > *limit)) {
            broken.push(format!("no new class holds more than {}", size(limit)));
        }
        if self.allow_steady_growth == Some(false) && any(&|class| class.is_steady) {
            broken.push("nothing grows in every snapshot".to_owned());
        }
        for class in &self.class {
            let about = |over: &Over<'_>| is_like(&class.name, over.name);
            if let Some(limit) = class.max_growth.filter(|limit| any(&|c| about(c) && grown(c.retained) > *limit)) {
                broken.push(format!("'{}' grows by at most {}", class.name, size(limit)));
            }
            let more = |over: &Over<'_>| u64::try_from(over.delta_count).unwrap_or(0);
            if let Some(limit) = class.max_more_objects.filter(|limit| any(&|c| about(c) && more(c) > *limit)) {
                broken.push(format!("'{}' has at most {limit} more objects", class.name));
            }
        }
        broken
    }
}

fn told_new(row: &ClassFacts) -> String {
    format!("{} holds {}", row.class, size(row.retained))
}

fn told_growth(row: &ClassFacts) -> String {
    format!("{} {}", row.class, signed_size(row.delta_retained))
}

fn told_count(row: &ClassFacts) -> String {
    format!("{} {}", row.class, signed_thousands(row.delta_count))
}

fn told_grower(row: &GrowerFacts) -> String {
    format!("{} {}, held by {}", row.class, signed_size(row.growth), row.owner.kind)
}

/// The first few of what breaks a limit, and how many there are.
fn joined(rows: &[String]) -> Option<String> {
    const FEW: usize = 10;
    let more = rows.len().saturating_sub(FEW);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!rows.is_empty()).then(|| format!("{}{more}", rows[..rows.len().min(FEW)].join("; ")))
}

/// Does a name match a pattern in which `*` stands for any characters and `?` for one?
fn is_like(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The limits as JUnit, which build servers show.
#[must_use]
pub fn junit(held: &[Held]) -> String {
    let failures = held.iter().filter(|h| h.broken.is_some()).count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"memory budget\" tests=\"{}\" failures=\"{failures}\">\n",
        held.len()
    );
    for one in held {
        let name = escaped(&one.what);
        match &one.broken {
            None => out.push_str(&format!("  <testcase classname=\"heapscrub\" name=\"{name}\"/>\n")),
            Some(why) => out.push_str(&format!(
                "  <testcase classname=\"heapscrub\" name=\"{name}\">\n    <failure message=\"{}\"/>\n  </testcase>\n",
                escaped(why)
            )),
        }
    }
    out.push_str("</testsuite>\n");
    out
}

/// For XML, in text and in quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in super::escape::plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_patterns() {
        for (pattern, name, expected) in [
            ("Cached*", "CachedAnswer", true),
            ("*Context", "ListenerContext", true),
            ("?ab", "xab", true),
            ("*a*b*", "xxaxxb", true),
            ("Cached", "CachedAnswer", false),
            ("*", "", true),
            ("{id, *}", "{id, text}", true),
        ] {
            assert_eq!(is_like(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn sizes_and_faults_of_a_budget() {
        let read = |text: &str| Budget::read("budget.toml", text);
        assert_eq!(read("max_heap_growth = \"10 MB\"").expect("a budget").max_heap_growth, Some(10_000_000));
        assert_eq!(parse("1.5 KiB"), Some(1536));
        for wrong in
            ["", "max_heap_growth = \"ten\"", "max_growth = 1", "[[class]]\nname = \"A\"", "max_heap_growth = -1"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn junit_escapes() {
        let held = [Held { what: "a".to_owned(), broken: Some("<b> & \"c\"".to_owned()) }];
        assert!(junit(&held).contains("message=\"&lt;b&gt; &amp; &quot;c&quot;\""));
    }
}
