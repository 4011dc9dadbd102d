//! What a column is called, and what that means. Names that are not known say nothing and are left out.

use super::units::Unit;
use crate::summarise::trend::{Measure, Runtime};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Field {
    /// Times; seconds in one of the unit, if the name says.
    Time(Option<f64>),
    Bytes(Measure, Option<Unit>),
    Load,
    Pid,
    /// Full collections: a counter.
    Fulls,
    /// Collections, perhaps full ones: only marks of 0 and 1 count.
    Marks,
    Limit(Option<Unit>),
    /// What the process is called: tells the runtime.
    Command,
}

/// Words that say whose number it is, before what it is.
const WHOSE: [&str; 20] = [
    "process",
    "proc",
    "nodejs",
    "node",
    "js",
    "v8",
    "jvm",
    "container",
    "go",
    "memstats",
    "python",
    "dotnet",
    "ruby",
    "ps",
    "psutil",
    "app",
    "memory",
    "mem",
    "kube",
    "pod",
];

/// The words of a name: `heapUsed`, `heap_used` and `Heap Used (MB)` have the same.
fn words(name: &[u8]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut before = b' ';
    for b in name.iter().take(120).copied() {
        let is_word = b.is_ascii_alphanumeric() || b == b'%';
        let begins = !before.is_ascii_alphanumeric() && before != b'%'
            || (before.is_ascii_lowercase() && b.is_ascii_uppercase());
        if is_word {
            if begins || out.is_empty() {
                out.push(String::new());
            }
            if let Some(last) = out.last_mut() {
                last.push(char::from(b.to_ascii_lowercase()));
            }
        }
        before = b;
    }
    out
}

/// What a name means.
pub(super) fn field(name: &[u8]) -> Option<Field> {
    let all = words(name);
    let all: Vec<&str> = all.iter().map(String::as_str).filter(|word| *word != "in").collect();
    let unit = all.last().filter(|_| all.len() > 1).and_then(|word| Unit::of(word.as_bytes()));
    let seconds = all.last().filter(|_| all.len() > 1).and_then(|word| seconds(word));
    let named = if unit.is_some() || seconds.is_some() { &all[..all.len() - 1] } else { &all[..] };
    let mut from = 0;
    loop {
        let rest = named.get(from..).filter(|rest| !rest.is_empty())?;
        if let Some(field) = known(&rest.join("_"), unit, seconds) {
            return Some(field);
        }
        if !WHOSE.contains(&rest[0]) {
            return None;
        }
        from += 1;
    }
}

fn seconds(word: &str) -> Option<f64> {
    Some(match word {
        "ns" | "nanos" | "nanoseconds" => 1e-9,
        "us" | "micros" | "microseconds" => 1e-6,
        "ms" | "millis" | "milliseconds" | "msec" => 1e-3,
        "s" | "sec" | "secs" | "seconds" => 1.0,
        "min" | "minutes" => 60.0,
        "h" | "hours" => 3600.0,
        _ => return None,
    })
}

fn known(name: &str, unit: Option<Unit>, seconds_of: Option<f64>) -> Option<Field> {
    let bytes = |measure| Some(Field::Bytes(measure, unit));
    match name {
        "t" | "ts" | "time" | "timestamp" | "date" | "datetime" | "epoch" | "elapsed" | "uptime" | "when" | "unix"
        | "time_stamp" | "unix_time" | "date_time" => Some(Field::Time(seconds_of)),
        "seconds" | "ms" | "millis" | "milliseconds" | "minutes" | "hours" => Some(Field::Time(seconds(name))),
        "rss" | "resident" | "res" | "resident_memory" | "resident_set" | "resident_set_size" | "vm_rss" | "vmrss"
        | "working_set" | "workingset" | "rss_memory" | "memory_rss" => bytes(Measure::Resident),
        "pss" => bytes(Measure::Proportional),
        "uss" | "private" | "private_bytes" | "private_memory" | "unique" => bytes(Measure::Private),
        "anonymous" | "anon" | "rss_anon" | "rssanon" | "pss_anon" => bytes(Measure::Anonymous),
        "vms" | "vsz" | "vsize" | "vm_size" | "vmsize" | "virt" | "virtual" | "virtual_memory" => {
            bytes(Measure::Virtual)
        }
        "swap" | "vm_swap" | "vmswap" | "swapped" => bytes(Measure::Swap),
        "heap" | "heap_used" | "used_heap" | "used_heap_size" | "heap_size_used" | "heap_usage" | "heap_alloc"
        | "heap_inuse" | "heap_in_use" | "heap_size" | "used_js_heap_size" | "memory_used_heap" | "gc_heap_size"
        | "managed_heap" | "total_memory" => bytes(Measure::Heap),
        "heap_total" | "total_heap" | "total_heap_size" | "heap_committed" | "committed" | "heap_sys"
        | "heap_size_total" | "total_js_heap_size" | "committed_heap" => bytes(Measure::Committed),
        "live" | "live_set" | "live_data" | "live_data_size" | "gc_live_data_size" | "heap_after_gc"
        | "heap_after_full_gc" | "after_full_gc" | "next_gc" => bytes(Measure::Live),
        "external" | "external_memory" | "external_memory_size" => bytes(Measure::External),
        "array_buffers" | "arraybuffers" | "buffers" => bytes(Measure::Buffers),
        "memory" | "mem" | "bytes" | "value" | "usage" | "used" | "memory_usage" | "mem_usage" | "mem_used"
        | "memory_used" | "memory_current" | "used_memory" => bytes(Measure::Memory),
        "heap_size_limit" | "heap_limit" | "heap_max" | "max_heap" | "limit" | "memory_limit" | "max" | "max_bytes"
        | "js_heap_size_limit" | "memory_max" => Some(Field::Limit(unit)),
        "load"
        | "requests"
        | "request"
        | "request_count"
        | "requests_total"
        | "rps"
        | "qps"
        | "users"
        | "connections"
        | "clients"
        | "sessions"
        | "throughput"
        | "work"
        | "ops"
        | "operations"
        | "jobs"
        | "messages"
        | "iterations"
        | "iteration"
        | "active_requests"
        | "active_users"
        | "concurrency"
        | "http_requests_total" => Some(Field::Load),
        "pid" | "process_id" | "processid" => Some(Field::Pid),
        "full_gc" | "full_gcs" | "full_gc_count" | "gc_full" | "major_gc" | "major_gcs" | "major_gc_count"
        | "majors" | "mark_compact" | "mark_compacts" | "mark_sweep" | "mark_sweeps" | "full_collections" => {
            Some(Field::Fulls)
        }
        "gc" | "forced_gc" | "gc_forced" | "after_gc" => Some(Field::Marks),
        "command" | "cmd" | "comm" | "args" | "name" => Some(Field::Command),
        _ => None,
    }
}

/// The runtime that a name of a column gives away.
pub(super) fn runtime_of_column(name: &[u8]) -> Runtime {
    let words = words(name);
    let has = |word: &str| words.iter().any(|w| w == word);
    let joined = words.join("_");
    match () {
        () if has("nodejs") || has("v8") || joined == "heap_total" || joined == "array_buffers" => Runtime::V8,
        () if joined.contains("js_heap_size") => Runtime::V8,
        () if has("jvm") => Runtime::Jvm,
        () if has("memstats") => Runtime::Go,
        () if has("dotnet") => Runtime::Dotnet,
        () => Runtime::Unknown,
    }
}

/// The runtime that a command line or the name of a process gives away: its first word without the folder.
pub(super) fn runtime_of_command(command: &[u8]) -> Runtime {
    let first = command.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or(b"");
    let program = first.rsplit(|b| *b == b'/').next().unwrap_or(first);
    let letters = program.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    match &*program[..letters].to_ascii_lowercase() {
        b"node" | b"nodejs" | b"deno" | b"electron" | b"chrome" | b"chromium" => Runtime::V8,
        b"java" => Runtime::Jvm,
        b"python" | b"pypy" => Runtime::Python,
        b"ruby" | b"irb" | b"puma" => Runtime::Ruby,
        b"dotnet" => Runtime::Dotnet,
        _ => Runtime::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<Field>) {
        assert_eq!(field(name.as_bytes()), expected, "{name}");
    }

    #[test]
    fn names_of_columns() {
        let bytes = |measure, unit| Some(Field::Bytes(measure, unit));
        check("t_ms", Some(Field::Time(Some(1e-3))));
        check("timestamp", Some(Field::Time(None)));
        check("Elapsed (s)", Some(Field::Time(Some(1.0))));
        check("heapUsed", bytes(Measure::Heap, None));
        check("Heap Used (MB)", bytes(Measure::Heap, Some(Unit::Mebi)));
        check("process_resident_memory_bytes", bytes(Measure::Resident, Some(Unit::Bytes)));
        check("nodejs_heap_size_used_bytes", bytes(Measure::Heap, Some(Unit::Bytes)));
        check("go_memstats_heap_inuse_bytes", bytes(Measure::Heap, Some(Unit::Bytes)));
        check("container_memory_working_set_bytes", bytes(Measure::Resident, Some(Unit::Bytes)));
        check("rss_kb", bytes(Measure::Resident, Some(Unit::Kibi)));
        check("arrayBuffers", bytes(Measure::Buffers, None));
        check("memory", bytes(Measure::Memory, None));
        check("requests", Some(Field::Load));
        check("PID", Some(Field::Pid));
        check("customer", None);
        check("cpu_percent", None);
        check("", None);
    }

    #[test]
    fn runtimes_by_their_programs() {
        assert_eq!(runtime_of_command(b"/usr/bin/node --trace-gc app.js"), Runtime::V8);
        assert_eq!(runtime_of_command(b"python3.11 work.py"), Runtime::Python);
        assert_eq!(runtime_of_command(b"java"), Runtime::Jvm);
        assert_eq!(runtime_of_command(b"nginx: worker"), Runtime::Unknown);
        assert_eq!(runtime_of_column(b"heapTotal"), Runtime::V8);
    }
}
