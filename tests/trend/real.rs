//! Real series, recorded with the tools that people use: `samples/series/record.sh` says how, `truth.json` what is true.

use serde_json::Value;

use super::{said, sample, trend, verdict};

fn truth() -> Vec<Value> {
    let text = std::fs::read_to_string(sample("truth.json")).expect("truth");
    let truth: Value = serde_json::from_str(&text).expect("JSON");
    truth["series"].as_array().expect("a list").clone()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().expect("text").to_owned()).collect()
}

#[test]
fn real_series_are_right_or_say_what_is_missing() {
    let truth = truth();
    assert!(truth.len() >= 20, "{}", truth.len());
    let mut formats = std::collections::BTreeSet::new();
    for one in &truth {
        let files =
            texts(&one["files"]).iter().map(|name| sample(name).to_string_lossy().into_owned()).collect::<Vec<_>>();
        let args: Vec<String> = files.into_iter().chain(texts(&one["flags"])).collect();
        let found = said(&args);
        let (told, cause) = verdict(&found);
        assert!(texts(&one["right"]).iter().any(|right| right == told), "{one}\n{found:#}");
        if let Some(expected) = one["cause"].as_str() {
            assert_eq!(cause, expected, "{one}\n{found:#}");
        }
        if told == "insufficient" {
            let missing =
                found["evidence"].as_array().expect("evidence").iter().any(|needed| needed["is_there"] == false);
            assert!(missing, "{one}");
        }
        for input in found["inputs"].as_array().expect("inputs") {
            formats.insert(input["format"].as_str().expect("format").to_owned());
            assert_eq!(input["rows_damaged"], 0, "{one}");
        }
    }
    // Every reader has a real file.
    let all = [
        "csv",
        "json",
        "jvm-gc",
        "memory-profiler",
        "node-gc",
        "pmap",
        "proc-status",
        "prometheus",
        "ps",
        "smaps-rollup",
    ];
    assert_eq!(formats.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn command_lines_and_labels_stay_out_unless_they_are_wanted() {
    for (name, word) in [
        ("python-flat.ps.log.zst", "work.py"),
        ("python-leak.dat.zst", "work.py"),
        ("python-leak.pmap-1", "work.py"),
        ("prometheus.json.zst", "erika-shop"),
    ] {
        let file = sample(name);
        for format in ["text", "json", "svg"] {
            let run = trend(&[file.as_os_str(), "--format".as_ref(), format.as_ref()]);
            let out = String::from_utf8(run.stdout).expect("UTF-8");
            assert!(run.status.success() && !out.contains("erika") && !out.contains(word), "{name}: {out}");
        }
        let run = trend(&[file.as_os_str(), "--keep-labels".as_ref()]);
        let out = String::from_utf8(run.stdout).expect("UTF-8");
        assert!(out.contains(word), "{name}: {out}");
    }
}
