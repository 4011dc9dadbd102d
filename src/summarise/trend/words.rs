//! What is said about verdicts, for people: sentences of the program, with numbers in them.

use super::judge::Verdict;
use super::live::FEWEST_FULLS;
use super::model::{Cause, Line, Needed};
use super::recording::{Measure, Note, Runtime};
use super::together::{Reason, Said, Subject};
use crate::report::numbers::size;

/// A number of bytes with its sign.
pub(crate) fn signed(bytes: f64) -> String {
    let shown = size(bytes.abs().min(9e18) as u64);
    if bytes < 0.0 { format!("-{shown}") } else { format!("+{shown}") }
}

/// A time in the unit that suits it.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

pub(super) const fn note(note: Note) -> &'static str {
    match note {
        Note::NoTimes => "no times in the file: samples are taken to be at equal distances of one second",
        Note::UnitOfTimeGuessed => "no unit of time in the file: taken as seconds",
        Note::UnitOfBytesGuessed(unit) => unit,
        Note::OutOfOrder => "rows were not in order of time and were sorted",
        Note::DaysGuessed => "times without dates: midnight is where the clock falls back",
    }
}

/// The verdict in one sentence.
pub(super) fn summary(said: &Said, lines: &[&Line]) -> String {
    let line = said.line.and_then(|at| lines.get(at));
    let what = line.map_or("memory", |line| line.measure.means());
    let rate = line.and_then(|line| line.bytes_per_hour).map(|[slope, ..]| signed(slope) + " an hour");
    match said.reason {
        Reason::Nothing => "nothing in these files tells about memory over time".to_owned(),
        Reason::HeapLeaks | Reason::ProcessLeaks => {
            format!(
                "leak: {what} rises by {} and does not level off",
                rate.unwrap_or_else(|| "every sample".to_owned())
            )
        }
        Reason::HeapReachedItsLimit => {
            "leak: the heap rose to its limit, where full collections free next to nothing".to_owned()
        }
        Reason::OutsideLeaks => {
            format!(
                "leak outside of the heap: the heap is flat, {what} rises by {}",
                rate.unwrap_or_else(|| "every sample".to_owned())
            )
        }
        Reason::BuffersLeak => {
            format!(
                "leak of buffers: {what}, rises by {}; small objects of the heap hold it",
                rate.unwrap_or_else(|| "every sample".to_owned())
            )
        }
        Reason::OutsideMayLeak => {
            format!(
                "insufficient: {what} rises although the heap is flat, but without full collections it may be garbage"
            )
        }
        Reason::Uncollected => format!(
            "insufficient: {what} {}, but too few full collections ran to tell garbage from what is kept",
            match line.and_then(|line| line.without_evidence) {
                Some(Verdict::Leak) => "rises",
                Some(Verdict::Bounded) => "rose and levelled off",
                _ => "moves",
            }
        ),
        Reason::HeapLevelsOff | Reason::ProcessLevelsOff => {
            format!("bounded: {what} rose and levelled off, as caches, pools and warm-up do")
        }
        Reason::NearItsLimit => {
            "no growth, but the program keeps nearly as much as the heap may hold: it spends its time collecting"
                .to_owned()
        }
        Reason::LoadExplains => format!("plateau: {what} follows the load and does not rise beyond it"),
        Reason::NothingGrows => format!("plateau: {what} does not grow"),
        Reason::TooUneven => format!("noise: {what} moves more than a trend would; a longer series may tell"),
        Reason::TooFew => match line.filter(|line| (2..20).contains(&line.samples)) {
            Some(line) => format!(
                "insufficient: {what} went from {} to {}, and {} moments tell nothing about a trend",
                size(line.first as u64),
                size(line.last as u64),
                line.samples
            ),
            None => "insufficient: too few samples to tell anything".to_owned(),
        },
    }
}

/// Why, line by line.
pub(super) fn why(said: &Said, subject: &Subject<'_>) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(line) = said.line.and_then(|at| subject.lines.get(at)) {
        out.extend(numbers(line));
    }
    for (at, line) in subject.lines.iter().enumerate() {
        if said.line != Some(at) && !matches!(line.measure, Measure::Virtual) {
            out.push(format!(
                "{}: {}, {} to {}",
                line.measure.means(),
                told(line),
                size(line.first as u64),
                size(line.last as u64)
            ));
        }
    }
    for seen in &subject.seen {
        if let Some(at) = seen.exhaustion {
            out.push(format!(
                "the last {} full collections left at least 90 % of the limit of {} in use, {} of them freed less than 5 %",
                at.at_limit,
                size(at.limit as u64),
                at.futile
            ));
        }
        if let Some(pressure) = seen.pressure.filter(|p| p.is_rising) {
            out.push(format!(
                "collections take more and more: {} full ones in the first half of the time, {} in the second; the program stood still for {:.1} % and {:.1} % of the time",
                pressure.fulls_by_half[0],
                pressure.fulls_by_half[1],
                100.0 * pressure.pauses_by_half[0],
                100.0 * pressure.pauses_by_half[1]
            ));
        }
        if !seen.cuts.is_empty() {
            out.push(format!("the program was restarted {} times; each life was judged on its own", seen.cuts.len()));
        }
        if let Some(at) = seen.idle_from {
            out.push(format!("there was no load after {}: what came later was not judged", duration(at)));
        }
    }
    out
}

fn told(line: &Line) -> String {
    match line.without_evidence {
        Some(raw) => format!("insufficient ({} by its numbers alone)", raw.name()),
        None => line.verdict.name().to_owned(),
    }
}

fn numbers(line: &Line) -> Vec<String> {
    let mut out = vec![format!(
        "{}: {}, {} samples, {} to {}",
        line.measure.means(),
        told(line),
        line.samples,
        size(line.first as u64),
        size(line.last as u64)
    )];
    let total: u32 = line.votes.iter().sum();
    if total > 1 {
        let votes = Verdict::ALL.iter().zip(line.votes).filter(|(_, votes)| *votes > 0);
        let votes: Vec<String> = votes.map(|(verdict, votes)| format!("{votes} say {}", verdict.name())).collect();
        out.push(format!("of {total} ways to cut floors and warm-up, {}", votes.join(", ")));
    }
    if let (Some([slope, low, high]), Some(p)) = (line.bytes_per_hour, line.p) {
        let chance = if p < 0.0001 { "less than 1 in 10,000".to_owned() } else { format!("{p:.4}") };
        out.push(format!(
            "the floor changes by {} an hour (95 %: {} to {}); chance of such a rise where there is none: {chance}",
            signed(slope),
            signed(low),
            signed(high)
        ));
    }
    if let (Some(growth), Some(material)) = (line.growth, line.material) {
        out.push(format!(
            "growth of the floor {}; less than {} would not count",
            signed(growth),
            size(material as u64)
        ));
    }
    if let Some(decay) = line.decay.filter(|_| line.growth.is_some_and(|g| g > 0.0)) {
        out.push(format!("the second half rises at {:.0} % of the speed of the first", 100.0 * decay));
    }
    if let Some(shape) = line.shape {
        out.push(match shape {
            "stairs" => "it rises in steps that are never given back".to_owned(),
            "ramp" => "a ramp that ends describes it better than a line".to_owned(),
            "step" => "one step describes it better than a line".to_owned(),
            _ => "a curve that levels off describes it better than a line".to_owned(),
        });
    }
    if let Some(ratio) = line.ratio_to_baseline {
        out.push(format!("{ratio:.2} times the baseline after the warm-up"));
    }
    if let Some(hours) = line.hours_to_limit {
        out.push(format!("at this speed the limit is reached in {}", duration(hours * 3600.0)));
    }
    out
}

/// What the verdict rests on, and how to get what is missing.
pub(super) fn evidence(said: &Said, subject: &Subject<'_>, load: bool, limit: bool) -> Vec<Needed> {
    let mut out = Vec::new();
    let mut need = |what, is_there, detail: String| out.push(Needed { what, is_there, detail });
    let samples = subject.lines.iter().map(|line| line.samples).max().unwrap_or(0);
    need(
        "samples",
        samples >= 20,
        match samples {
            20.. => format!("{samples}"),
            _ => format!("{samples}; at least 20 are needed, from after the warm-up on, under steady load"),
        },
    );
    let fulls = subject.fulls();
    let needs_fulls = subject.runtime.is_collected() || subject.lines.iter().any(|l| l.measure == Measure::Heap);
    if needs_fulls {
        let enough = fulls >= FEWEST_FULLS;
        let how = match subject.runtime {
            Runtime::Jvm => {
                "run with -Xlog:gc:file=gc.log until five full collections ran (jcmd PID GC.run forces one), and pass the log too"
            }
            Runtime::Go => "record go_memstats_next_gc_bytes, or run with GODEBUG=gctrace=1",
            _ => {
                "run node with --trace-gc and pass the log too, or with --expose-gc, call gc() before each sample, and pass --after-gc"
            }
        };
        need(
            "full collections",
            enough,
            if enough { format!("{fulls}") } else { format!("{fulls} of {FEWEST_FULLS}; {how}") },
        );
    }
    if subject.runtime == Runtime::Unknown {
        need("runtime", false, "not told: taken as one without a collector for memory of the process; --runtime v8, jvm, go, dotnet, ruby, python or native says it".to_owned());
    }
    need(
        "load",
        load,
        if load {
            "a column".to_owned()
        } else {
            "not told: a column of requests, sessions or jobs tells growth by load from growth over time".to_owned()
        },
    );
    let has_heap = subject.lines.iter().any(|l| matches!(l.measure, Measure::Heap | Measure::Live));
    let has_process = subject.lines.iter().any(|l| l.measure.is_of_process());
    if !has_heap && subject.runtime.is_collected() {
        need(
            "heap",
            false,
            "process.memoryUsage(), a log of collections or a heap metric tells the heap from what is outside of it"
                .to_owned(),
        );
    }
    if !has_process {
        need(
            "memory of the process",
            false,
            "RSS over time (ps -o rss, /proc/PID/status) tells whether memory grows outside of the heap".to_owned(),
        );
    }
    if has_heap {
        need(
            "limit of the heap",
            limit,
            if limit {
                "known".to_owned()
            } else {
                "not told: v8.getHeapStatistics().heap_size_limit or -Xmx; --limit 512MB says it".to_owned()
            },
        );
    }
    if said.verdict == Verdict::Noise {
        need("a longer series", false, "twice as long, at the same distances, under steady load".to_owned());
    }
    if said.verdict == Verdict::Leak {
        need(
            "what grows",
            false,
            "three heap snapshots under the same load: heapscrub report 1.heapsnapshot 2.heapsnapshot 3.heapsnapshot"
                .to_owned(),
        );
    }
    out
}

/// Every sentence, with nothing in its gaps, and every word for a verdict, a cause, a measure or a runtime.
pub(super) fn all() -> Vec<String> {
    let line = Line {
        input: 1,
        process: 1,
        measure: Measure::Heap,
        verdict: Verdict::Leak,
        without_evidence: Some(Verdict::Leak),
        confidence: 0.0,
        votes: [1; 5],
        samples: 2,
        first: 0.0,
        last: 0.0,
        level: None,
        ratio_to_baseline: Some(1.0),
        bytes_per_hour: Some([0.0; 3]),
        p: Some(0.0),
        growth: Some(1.0),
        material: Some(0.0),
        decay: Some(0.0),
        shape: Some("ramp"),
        load: None,
        warm_up_seconds: None,
        hours_to_limit: Some(1.0),
        floor: Vec::new(),
        points: Vec::new(),
    };
    let mut out = Vec::new();
    for measure in Measure::ALL {
        for shape in ["ramp", "step", "curve", "stairs"] {
            out.extend(numbers(&Line { measure, shape: Some(shape), ..line.clone() }));
            out.push(shape.to_owned());
        }
        for reason in Reason::ALL {
            for rate in [None, Some([0.0; 3])] {
                let one = Line { measure, bytes_per_hour: rate, ..line.clone() };
                let said = Said { verdict: Verdict::Noise, cause: Cause::None, confidence: 0.0, reason, line: Some(0) };
                out.push(summary(&said, &[&one]));
            }
        }
        out.extend([measure.name(), measure.means()].map(str::to_owned));
    }
    for runtime in Runtime::ALL {
        let subject = Subject { seen: Vec::new(), lines: Vec::new(), runtime };
        for verdict in Verdict::ALL {
            let said = Said { verdict, cause: Cause::None, confidence: 0.0, reason: Reason::Nothing, line: None };
            out.extend(evidence(&said, &subject, true, true).into_iter().map(|needed| needed.detail));
            out.push(verdict.name().to_owned());
        }
        out.push(runtime.name().to_owned());
    }
    let formats = ["csv", "numbers", "json", "pairs", "ps", "proc-status", "smaps-rollup", "pmap", "node-gc", "jvm-gc"];
    out.extend(formats.iter().chain(&["prometheus", "memory-profiler"]).map(|word| (*word).to_owned()));
    out.extend(Cause::ALL.map(|cause| cause.name().to_owned()));
    out.sort();
    out.dedup();
    out
}
