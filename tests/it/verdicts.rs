//! Is it a leak? What reports and bundles say of snapshots and memory over time together.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::support::Lab;

fn desk(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/desk-leak").join(name)
}

fn snapshot(number: u32) -> PathBuf {
    desk(&format!("snapshot-{number}.heapsnapshot.zst"))
}

#[track_caller]
fn report(snapshots: &[PathBuf], flags: &[(&str, PathBuf)]) -> Value {
    let mut args: Vec<PathBuf> = vec!["report".into(), "--format".into(), "json".into()];
    args.extend(snapshots.iter().cloned());
    args.extend(flags.iter().flat_map(|(flag, value)| [PathBuf::from(flag), value.clone()]));
    let run = Lab::new().run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_slice(&run.stdout).expect("JSON")
}

fn all() -> [PathBuf; 3] {
    [snapshot(1), snapshot(2), snapshot(3)]
}

#[test]
fn three_snapshots_with_memory_before_and_after_the_fix_give_all_four_parts() {
    let (before, after) = (desk("memory-before.csv"), desk("memory-after.csv"));
    let said = report(&all(), &[("--trend", before.clone()), ("--trend-after", after)]);
    let verdict = &said["verdict"];
    assert_eq!((&verdict["verdict"], &verdict["cause"]), (&"leak".into(), &"leak".into()), "{verdict:#}");
    for part in ["over_time", "what_grows", "fix", "after_the_fix"] {
        assert_eq!(verdict["parts"][part]["is_there"], true, "{part}: {verdict:#}");
    }
    assert_eq!(said["trend"]["verdict"], "leak");
    assert_eq!(said["trend_after"]["verdict"], "plateau");
    assert!((verdict["by_chance"].as_f64().expect("chance") - 1.0 / 6.0).abs() < 1e-9);
    let grower = &said["growers"][verdict["parts"]["fix"]["grower"].as_u64().expect("grower") as usize];
    assert!(grower["owner"]["advice"].is_string() && !grower["paths"][0]["steps"].as_array().expect("way").is_empty());
    // A fix that changes nothing: the next one is named.
    let still = report(&all(), &[("--trend", before.clone()), ("--trend-after", before)]);
    assert_eq!(still["verdict"]["parts"]["after_the_fix"]["grower"], 1);
}

#[test]
fn two_snapshots_say_that_something_grew_and_one_says_nothing() {
    let two = report(&[snapshot(1), snapshot(2)], &[]);
    assert_eq!((&two["verdict"]["verdict"], &two["verdict"]["cause"]), (&"grew".into(), &"unknown".into()));
    assert_eq!(two["verdict"]["by_chance"], Value::Null);
    let one = report(&[snapshot(1)], &[]);
    assert_eq!(one["verdict"]["verdict"], "insufficient");
    let three = report(&all(), &[]);
    assert_eq!(three["verdict"]["verdict"], "leak");
    assert_eq!(three["verdict"]["parts"]["over_time"]["is_there"], false);
    // Memory that does not go on rising contradicts what rose in every snapshot.
    let flat = report(&all(), &[("--trend", desk("memory-after.csv"))]);
    assert_eq!(flat["verdict"]["verdict"], "grew", "{:#}", flat["verdict"]);
}

#[test]
fn a_bundle_holds_the_four_parts_and_passes_its_check() {
    let lab = Lab::new();
    // A customer may be called like a word of the program.
    let values = lab.input("customers.txt", b"plateau\nheap in use\nMemory over time\nErika Mustermann\n");
    let bundle = lab.out("leak.zip");
    let (before, after) = (desk("memory-before.csv"), desk("memory-after.csv"));
    let flags: [&Path; 8] = [
        "--trend".as_ref(),
        &before,
        "--trend-after".as_ref(),
        &after,
        "--values-file".as_ref(),
        &values,
        "-o".as_ref(),
        &bundle,
    ];
    let snapshots = all();
    let args: Vec<&Path> =
        ["share".as_ref()].into_iter().chain(snapshots.iter().map(PathBuf::as_path)).chain(flags).collect();
    let run = lab.run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = lab.run(&["verify".as_ref(), bundle.as_os_str()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = lab.run(&["unpack".as_ref(), bundle.as_os_str(), "-C".as_ref(), lab.out("").as_os_str()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let unpacked =
        std::fs::read_dir(lab.out("")).expect("directory").map(|e| e.expect("entry").path()).find(|p| p.is_dir());
    let report = std::fs::read_to_string(unpacked.expect("unpacked").join("report.md")).expect("report");
    let places: Vec<usize> =
        ["### 1. Evidence over time", "### 2. What grows", "### 3. The fix at the root", "### 4. After the fix"]
            .iter()
            .map(|part| report.find(part).expect(part))
            .collect();
    assert!(places.is_sorted() && report.contains("plateau with the fix"), "{places:?}");
}

#[test]
fn a_series_that_cannot_be_read_stops_the_report() {
    let lab = Lab::new();
    let poem = lab.input("poem.txt", b"CANARY-kfhwtrnq\n");
    let run = lab.run(&["report".as_ref(), snapshot(1).as_os_str(), "--trend".as_ref(), poem.as_os_str()]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("poem.txt") && !run.stderr.contains("CANARY"),
        "{}",
        run.stderr
    );
}
