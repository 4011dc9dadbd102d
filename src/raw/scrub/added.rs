//! `--context`: what the user knows and no snapshot tells (the runtime, limits, the load). It is scrubbed like any text.

use std::io::Read;
use std::path::Path;

use super::wall::SafeText;
use crate::error::ConfigError;
use crate::limits;

/// A thing that the user can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Runtime and version.
    Runtime,
    /// The most that the runtime lets the heap grow to.
    HeapLimit,
    /// The most that the container or machine gives.
    ContainerLimit,
    /// What the process did meanwhile.
    Workload,
    /// Which build of the program it was.
    Build,
    /// When a snapshot was taken.
    Time,
    /// Memory of the process as the system counts it.
    Rss,
    /// Memory outside of the heap, as the runtime counts it.
    External,
    /// Collections and what they freed.
    Gc,
}

impl Topic {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 9] = [
        Self::Runtime,
        Self::Build,
        Self::Time,
        Self::HeapLimit,
        Self::ContainerLimit,
        Self::Workload,
        Self::Rss,
        Self::External,
        Self::Gc,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Runtime => "runtime",
            Self::HeapLimit => "heap-limit",
            Self::ContainerLimit => "container-limit",
            Self::Workload => "workload",
            Self::Build => "build",
            Self::Time => "time",
            Self::Rss => "rss",
            Self::External => "external",
            Self::Gc => "gc",
        }
    }

    /// How to find it out.
    #[must_use]
    pub const fn how(self) -> &'static str {
        match self {
            Self::Runtime => {
                "node --version, or the version page of the browser; then --context runtime=\"node 20.20.2\""
            }
            Self::HeapLimit => {
                "v8.getHeapStatistics().heap_size_limit, or --max-old-space-size; then --context heap-limit=4GB"
            }
            Self::ContainerLimit => {
                "memory.max of the cgroup, or the limit of the pod; then --context container-limit=6GB"
            }
            Self::Workload => {
                "requests served, users, hours under load at each snapshot; then --context workload=\"200 requests between snapshots\""
            }
            Self::Build => "the version or commit of the program; then --context build=2.4.1",
            Self::Time => "when each snapshot was taken; then --context time.1=10:00 --context time.2=11:00",
            Self::Rss => "process.memoryUsage().rss at each snapshot; then --context rss.1=310MB --context rss.2=540MB",
            Self::External => {
                "process.memoryUsage().external and arrayBuffers at each snapshot; then --context external.1=20MB"
            }
            Self::Gc => {
                "node --trace-gc, or whether a full collection ran before; then --context gc=\"full before each\""
            }
        }
    }

    fn of(word: &str) -> Option<Self> {
        let word: String = word.trim().chars().map(|c| if matches!(c, ' ' | '_') { '-' } else { c }).collect();
        Self::ALL.into_iter().find(|topic| topic.name().eq_ignore_ascii_case(&word))
    }
}

/// What the user told, before it was scrubbed.
#[derive(Debug, Default)]
pub struct Context {
    pub(super) told: Vec<(Topic, Option<u32>, String)>,
    /// Names that the snapshots shall have in the report.
    pub(super) labels: Vec<String>,
}

impl Context {
    pub(super) fn is_empty(&self) -> bool {
        self.told.is_empty() && self.labels.is_empty()
    }
}

/// What the user told, ready for a report.
#[derive(Clone, Debug)]
pub struct Told {
    /// What it is about.
    pub topic: Topic,
    /// The snapshot it is about, from 1; all of them if none is named.
    pub snapshot: Option<u32>,
    /// What was told, without what rules and values found in it.
    pub text: SafeText,
}

impl Context {
    /// Adds `key=value`; `key.2=value` is about the second snapshot.
    ///
    /// # Errors
    /// When there is no `=`, the key is unknown, or the value is empty, too long, or told twice.
    pub fn add(&mut self, pair: &str) -> Result<(), ConfigError> {
        let fault = |message: String| Err(ConfigError::new(message));
        let Some((key, value)) = pair.split_once('=') else {
            return fault(format!("--context needs the form key=value; keys are {}", keys()));
        };
        let (word, snapshot) = match key.split_once('.') {
            Some((word, number)) => match number.trim().parse::<u32>() {
                Ok(number @ 1..) => (word, Some(number)),
                _ => {
                    return fault(format!(
                        "--context{}: behind the dot goes the number of a snapshot, from 1",
                        told(key)
                    ));
                }
            },
            None => (key, None),
        };
        let Some(topic) = Topic::of(word) else {
            let near = crate::error::nearest(word.trim(), Topic::ALL.iter().map(|t| t.name()));
            let hint = near.map_or_else(|| format!("keys are {}", keys()), |near| format!("did you mean '{near}'?"));
            return fault(match told(word.trim()).as_str() {
                "" => format!("--context: no such key; keys are {}", keys()),
                word => format!("--context: no key{word}; {hint}"),
            });
        };
        let (key, value) = (key.trim(), value.trim());
        if value.is_empty() || value.len() > limits::CONTEXT_BYTES || value.chars().any(char::is_control) {
            return fault(format!("--context {key}: a value is one line of at most {} bytes", limits::CONTEXT_BYTES));
        }
        if self.told.iter().any(|(t, s, _)| (*t, *s) == (topic, snapshot)) {
            return fault(format!("--context {key} is given twice"));
        }
        self.told.push((topic, snapshot, value.to_owned()));
        Ok(())
    }

    /// Adds the lines of a file, each `key=value`; blank lines and lines that begin with `#` do not count.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is faulty.
    pub fn add_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let name = crate::report::escape::plain(&path.to_string_lossy());
        let fault = |what: &str| ConfigError::new(format!("{name}: {what}"));
        let file = std::fs::File::open(path).map_err(|e| fault(&e.to_string()))?;
        let mut bytes = Vec::new();
        file.take(limits::CONTEXT_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|e| fault(&e.to_string()))?;
        if bytes.len() as u64 > limits::CONTEXT_FILE_BYTES {
            return Err(fault("larger than 1 MiB, so it is no context file"));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| fault("not UTF-8 text"))?;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            if !line.trim_start().starts_with('#') {
                self.add(line).map_err(|e| ConfigError::new(format!("{name}, line {}: {e}", number + 1)))?;
            }
        }
        Ok(())
    }

    /// Gives the next snapshot a name of its own (`--keep-file-names`).
    pub fn label(&mut self, name: &str) {
        self.labels.push(name.to_owned());
    }

    /// The highest number of a snapshot that something is told about.
    #[must_use]
    pub fn highest_snapshot(&self) -> u32 {
        self.told.iter().filter_map(|(_, snapshot, _)| *snapshot).max().unwrap_or(0)
    }
}

/// ` 'word'` if it looks like a mistyped one. Anything else may be a line of a file that was given by mistake.
fn told(word: &str) -> String {
    if crate::error::is_repeatable(word) { format!(" '{word}'") } else { String::new() }
}

fn keys() -> String {
    Topic::ALL.map(Topic::name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_values_and_faults() {
        let mut context = Context::default();
        for good in ["runtime=node 20.20.2", "heap_limit = 4GB", "Container Limit=6GB", "rss.2=540MB", "rss.1=300MB"] {
            context.add(good).expect(good);
        }
        assert_eq!(context.told.len(), 5);
        assert_eq!(context.highest_snapshot(), 2);
        let fault = |pair: &str| Context::default().add(pair).expect_err(pair).to_string();
        assert!(fault("runtme=x").contains("did you mean 'runtime'?"));
        assert!(fault("runtime").contains("key=value"));
        for line in ["maria@example.test=x", "maria@example.test.1=x", "rss.maria@example.test=x"] {
            assert!(!fault(line).contains("maria"), "{}", fault(line));
        }
        assert!(fault("rss.0=1").contains("from 1"));
        assert!(fault("rss=").contains("one line"));
        assert!(context.add("runtime=again").expect_err("twice").to_string().contains("twice"));
    }
}
