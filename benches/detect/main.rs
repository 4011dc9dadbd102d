//! How fast rules run over the texts of a heap, and how long they take to be ready.
//!
//! usage: cargo bench --bench detect -- FILE...     (tables made by benches/detect/strings.mjs)

use std::time::Instant;

use heapscrub::Rules;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    // Other work on the machine only ever makes a run longer.
    let best = |seconds: Vec<f64>| seconds.into_iter().fold(f64::MAX, f64::min);
    let start = |own: &[(String, String)]| {
        let started = Instant::now();
        Rules::with(own).expect("sound");
        started.elapsed().as_secs_f64()
    };
    println!("start-up: {:.1} ms", best((0..9).map(|_| start(&[])).collect()) * 1e3);
    let rules = Rules::builtin();
    for file in files {
        let table = std::fs::read(&file).expect("readable");
        let (mut texts, mut rest) = (Vec::new(), &table[..]);
        while let Some((len, behind)) = rest.split_first_chunk::<4>() {
            let (text, behind) = behind.split_at(u32::from_le_bytes(*len) as usize);
            texts.push(text);
            rest = behind;
        }
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let (mut seconds, mut found) = (Vec::new(), 0);
        for _ in 0..15 {
            let started = Instant::now();
            found = texts.iter().map(|text| rules.places(text)).sum();
            seconds.push(started.elapsed().as_secs_f64());
        }
        let seconds = best(seconds);
        println!(
            "{file}: {:.1} MB/s ({} texts, {bytes} bytes, {found} places, {seconds:.3} s)",
            bytes as f64 / seconds / 1e6,
            texts.len()
        );
    }
}
