//! How fast rules run over the texts of a heap, on one core with all gates, and how long rules take to be ready.
//!
//! usage: cargo bench --bench detect -- TABLE...     (benches/run makes the tables with benches/detect/strings.mjs)
//! Ends with 1 when a bar is missed: 200 MB/s on the first table, 50 ms for 500 rules.

#![allow(clippy::print_stdout)] // a bench prints

use std::time::Instant;

use heapscrub::Rules;

/// Rules of a user's own that look like those of real services, so that there are 500.
fn many() -> Vec<(String, String)> {
    let built_in = Rules::builtin().catalogue().count();
    let rule = |n: usize| {
        let name: String = (0..5).map(|i| char::from(b'a' + ((n * 7 + n / 26 * (i + 3) + i * 5) % 26) as u8)).collect();
        format!(
            "[[rule]]
id = 'own-{n}'
category = 'saas'
describe = 'Tokens'
match = '\\b{name}{n}_(?:live|test)_(?<secret>[A-Za-z0-9]{{24,40}})\\b'
cut = '\\b{name}{n}_(?:live|test)_[A-Za-z0-9]{{4,}}$'
keywords = ['{name}{n}_']
examples = ['{name}{n}_live_0123456789abcdefABCDEF01', 'x {name}{n}_test_abcdefghijklmnopqrstuvwx y']
counterexamples = ['{name}{n}_', '{name}{n}_live_']
"
        )
    };
    vec![("own.toml".to_owned(), (built_in..500).map(rule).collect())]
}

/// Seconds that this thread has been on a processor.
fn on_processor() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(stat.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

/// The shortest of several runs: other work on a machine only ever makes one longer.
fn best(runs: usize, is_one_thread: bool, mut run: impl FnMut()) -> f64 {
    let seconds = (0..runs).map(|_| {
        let (started, before) = (Instant::now(), on_processor());
        run();
        // Where the system tells, only what this thread did counts.
        let seconds = before.and_then(|before| Some(on_processor()? - before)).filter(|_| is_one_thread);
        seconds.unwrap_or_else(|| started.elapsed().as_secs_f64())
    });
    seconds.fold(f64::MAX, f64::min)
}

fn main() {
    let mut missed = false;
    let own = many();
    for own in [&[][..], &own] {
        let count = Rules::with(own).expect("sound").catalogue().count();
        let ms = best(15, false, || drop(Rules::with(own).expect("sound"))) * 1e3;
        missed |= ms > 50.0;
        println!("{} start-up, {count} rules (bar 50 ms): {ms:.1} ms", if ms > 50.0 { "MISSED" } else { "ok    " });
    }
    let rules = Rules::builtin();
    for (i, file) in std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).enumerate() {
        let table = std::fs::read(&file).expect("readable");
        let (mut texts, mut rest) = (Vec::new(), &table[..]);
        while let Some((len, behind)) = rest.split_first_chunk::<4>() {
            let (text, behind) = behind.split_at(u32::from_le_bytes(*len) as usize);
            texts.push(text);
            rest = behind;
        }
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let mut places = 0;
        let seconds = best(15, true, || places = texts.iter().map(|text| rules.places(text)).sum());
        let speed = bytes as f64 / seconds / 1e6;
        missed |= i == 0 && speed < 200.0;
        let verdict = if i > 0 {
            "      "
        } else if speed < 200.0 {
            "MISSED"
        } else {
            "ok    "
        };
        let name = std::path::Path::new(&file).file_stem().unwrap_or_default().to_string_lossy();
        println!(
            "{verdict} all rules and gates, one core, {name}: {speed:.0} MB/s ({} texts of {} bytes on average, {places} places)",
            texts.len(),
            bytes / texts.len().max(1)
        );
    }
    std::process::exit(i32::from(missed));
}
