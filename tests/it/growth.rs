//! What grew and who holds it, on the samples that leak: through the program, compared with what is known about them.

use std::path::PathBuf;

use serde_json::Value;

use super::snapshot::Snapshot;
use super::support::{Lab, contains, leak_sample, sample};

fn inputs(lab: &Lab, name: &str) -> Vec<PathBuf> {
    (1..=3).map(|n| lab.input(&format!("{n}.heapsnapshot"), &leak_sample(name, n))).collect()
}

fn report(lab: &Lab, inputs: &[PathBuf], flags: &[&str]) -> Value {
    let mut args: Vec<PathBuf> = vec!["report".into()];
    args.extend(inputs.iter().cloned());
    args.extend(["--format", "json", "--limit", "0"].iter().chain(flags).map(PathBuf::from));
    let run = lab.run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_slice(&run.stdout).expect("JSON")
}

fn truth(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name).join("truth.json");
    serde_json::from_slice(&std::fs::read(path).expect("truth")).expect("JSON")
}

fn rows<'r>(report: &'r Value, list: &str, class: &str) -> Vec<&'r Value> {
    report[list].as_array().expect("a list").iter().filter(|row| row["class"] == class).collect()
}

#[test]
fn planted_leaks_are_growers_with_their_owners_and_healthy_classes_are_not() {
    let lab = Lab::new();
    let report = report(&lab, &inputs(&lab, "desk-leak"), &["--work", "480,720,960"]);
    let truth = truth("desk-leak");
    // The class that a grower tells is the outermost one: a request is told with its listener, a timer with its job.
    let expected = [
        ("CachedAnswer", "cache", "entries"),
        ("ListenerContext", "event-listener", "ticket"),
        ("PollJob", "interval", ""),
        ("ChatMessage", "chat-history", "messages"),
    ];
    let growers = report["growers"].as_array().expect("growers");
    let first: Vec<&str> = growers.iter().take(expected.len()).map(|g| g["class"].as_str().expect("a name")).collect();
    for (class, owner, word) in expected {
        assert!(first.contains(&class), "{class} is not among {first:?}");
        let grower = rows(&report, "growers", class)[0];
        let planted =
            truth["classes"].as_array().expect("classes").iter().find(|row| row["class"] == class).expect(class);
        assert_eq!(grower["counts"], planted["counts"], "{class}");
        assert_eq!(grower["owner"]["kind"], owner, "{class}: {}", grower["owner"]);
        assert_eq!(grower["pattern"], "steady", "{class}");
        let per_work = planted["per_round"].as_f64().expect("a number") / 240.0;
        assert_eq!(grower["per_work"].as_f64(), Some(per_work), "{class}");
        let words = format!("{} {}", grower["owner"], grower["paths"]);
        assert!(words.contains(word), "{class}: no {word} in {words}");
        assert!(grower["owner"]["advice"].is_string() && grower["owner"]["after"].is_string());
    }
    for row in truth["classes"].as_array().expect("classes").iter().filter(|row| row["leak"] == false) {
        let class = row["class"].as_str().expect("a name");
        assert!(rows(&report, "growers", class).is_empty(), "{class} is blamed");
    }
}

#[test]
fn a_page_that_leaks_is_told_by_what_holds_it() {
    let lab = Lab::new();
    let report = report(&lab, &inputs(&lab, "page-leak"), &[]);
    let truth = truth("page-leak");
    for row in truth["classes"].as_array().expect("classes") {
        let class = row["class"].as_str().expect("a name");
        let found = rows(&report, "classes", class);
        let counts = found.first().map_or_else(|| serde_json::json!([0, 0, 0]), |row| row["counts"].clone());
        assert_eq!(counts, row["counts"], "{class}");
        if row["leak"] == false {
            assert!(rows(&report, "growers", class).is_empty(), "{class} is blamed");
        }
    }
    for class in ["PanelView", "ResizeContext", "TranscriptRow"] {
        assert_eq!(rows(&report, "growers", class).len(), 1, "{class}");
    }
    assert_eq!(rows(&report, "growers", "ResizeContext")[0]["owner"]["kind"], "event-target");
}

#[test]
fn two_snapshots_say_only_that_something_grew_and_one_says_less() {
    let lab = Lab::new();
    let all = inputs(&lab, "desk-leak");
    let two = report(&lab, &all[..2], &[]);
    assert!(two["growers"].as_array().expect("growers").iter().all(|g| g["pattern"] == "grew"));
    assert!(two["growth_means"].as_str().expect("a text").contains("not that it goes on growing"));
    let one = report(&lab, &all[2..], &[]);
    assert!(one["growers"].as_array().expect("growers").is_empty());
    assert!(one["growth_means"].as_str().expect("a text").contains("cannot show growth"));
    assert!(!one["suspects"].as_array().expect("suspects").is_empty());
    assert!(!rows(&one, "holders", "CachedAnswer").is_empty());
    for list in ["duplicates", "census", "large"] {
        assert!(!one[list].as_array().expect(list).is_empty(), "{list}");
    }
    assert!(one["handles"][0]["intervals"].as_u64() > Some(50) && one["handles"][0]["listeners"].as_u64() > Some(200));
}

#[test]
fn snapshots_of_different_processes_are_compared_by_class_and_way() {
    let lab = Lab::new();
    let one = lab.input("1.heapsnapshot", &sample("helpdesk.heapsnapshot.zst"));
    let two = lab.input("2.heapsnapshot", &leak_sample("desk-leak", 3));
    let report = report(&lab, &[one, two], &[]);
    assert_eq!(report["series"]["kind"], "different-processes");
    let grower = rows(&report, "growers", "CachedAnswer")[0];
    assert_eq!((grower["owner"]["kind"].as_str(), grower["new"].as_bool()), (Some("cache"), Some(true)));
    assert!(report["classes"].as_array().expect("classes").iter().all(|row| row["added"].is_null()));
}

#[test]
fn reports_never_show_contents() {
    let lab = Lab::new();
    let truth = truth("desk-leak");
    for profile in ["strict", "balanced"] {
        let report = report(&lab, &inputs(&lab, "desk-leak"), &["--profile", profile]).to_string();
        for planted in truth["planted"].as_array().expect("a list") {
            let text = planted["text"].as_str().expect("a text");
            assert!(!contains(report.as_bytes(), text.as_bytes()), "{profile}: {}", planted["place"]);
        }
    }
}

#[test]
fn a_budget_is_kept_or_broken() {
    let lab = Lab::new();
    let inputs = inputs(&lab, "desk-leak");
    let run = |budget: &str, more: &[&str]| {
        let file = lab.input("budget.toml", budget.as_bytes());
        let mut args: Vec<PathBuf> = vec!["report".into()];
        args.extend(inputs.iter().cloned());
        args.extend(["-o".into(), lab.out("r.md"), "--force".into(), "--budget".into(), file]);
        args.extend(more.iter().map(PathBuf::from));
        lab.run(&args)
    };
    let junit = lab.out("memory.xml").display().to_string();
    let wide = "max_heap_growth = \"100 MB\"\n[[class]]\nname = \"*\"\nmax_growth = \"50 MB\"\n";
    let kept = run(wide, &["--junit", &junit]);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    assert!(kept.stderr.contains("2 limits kept"), "{}", kept.stderr);
    let xml = std::fs::read_to_string(&junit).expect("JUnit");
    assert!(xml.contains("tests=\"2\" failures=\"0\""), "{xml}");
    let narrow = "max_heap_growth = \"1 kB\"\nmax_new_class = \"1 kB\"\nallow_steady_growth = false\n\
                  [[class]]\nname = \"Cached*\"\nmax_growth = \"1 kB\"\nmax_more_objects = 10\n";
    let broken = run(narrow, &["--junit", &junit]);
    assert_eq!(broken.code, 1, "{}", broken.stderr);
    for word in
        ["the heap grows by at most 1.0 kB", "CachedAnswer", "held by interval", "limits of the budget are broken"]
    {
        assert!(broken.stderr.contains(word), "{word}: {}", broken.stderr);
    }
    let xml = std::fs::read_to_string(&junit).expect("JUnit");
    assert!(xml.contains("failures=\"4\"") && xml.contains("<failure message="), "{xml}");
    // A faulty budget, or another file given as one, stops the run before anything is read; nothing of it is shown.
    for wrong in ["max_heap_grow = 1", "", "sk-secret-value = \"CANARY-7f3a\"", "[[class]]\nname = \"x\""] {
        let refused = run(wrong, &[]);
        assert_eq!(refused.code, 2, "{wrong}: {}", refused.stderr);
        assert!(refused.stderr.contains("budget.toml") && !refused.stderr.contains("7f3a"), "{}", refused.stderr);
    }
}

#[test]
fn work_must_be_counted_for_every_snapshot() {
    let lab = Lab::new();
    let inputs = inputs(&lab, "desk-leak");
    for (work, word) in [("1,2", "3 snapshots"), ("3,2,1", "must rise"), ("1,2,x", "invalid value")] {
        let mut args: Vec<PathBuf> = vec!["report".into(), "--work".into(), work.into()];
        args.extend(inputs.iter().cloned());
        let run = lab.run(&args);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(word), "{work}: {}", run.stderr);
    }
}

/// Graphs that no runtime writes must not stop or slow down the analysis.
#[test]
fn odd_graphs_are_analysed() {
    let lab = Lab::new();
    let only_root = Snapshot::new();
    let mut rings = Snapshot::new();
    let (a, b) = (rings.node("object", "A"), rings.node("object", "B"));
    rings.edge(a, "property", "next", b).edge(b, "property", "next", a).edge(a, "property", "self", a);
    // A list of a hundred thousand links, and a node with as many references to one other.
    let mut long = Snapshot::new();
    let mut last = long.node("object", "Head");
    long.edge(0, "element", "1", last);
    for _ in 0..100_000 {
        let next = long.node("object", "Link");
        long.edge(last, "property", "next", next);
        last = next;
    }
    let hub = long.node("object", "Hub");
    long.edge(0, "element", "2", hub);
    for n in 0..100_000 {
        long.edge(hub, "element", &n.to_string(), last);
    }
    for snapshot in [only_root, rings, long] {
        let input = lab.input("odd.heapsnapshot", snapshot.json().as_bytes());
        let nodes = snapshot.json().matches("\"node_count\"").count();
        let report = report(&lab, std::slice::from_ref(&input), &[]);
        assert_eq!((nodes, report["inputs"].as_array().map(Vec::len)), (1, Some(1)));
    }
}

/// Sizes that add up to more than a number holds are no reason to stop, in one snapshot or between two.
#[test]
fn sizes_without_bounds_do_no_harm() {
    let lab = Lab::new();
    let made = |links: usize| {
        let mut snapshot = Snapshot::new();
        let holder = snapshot.node("object", "Holder");
        snapshot.edge(0, "shortcut", "held", holder);
        for n in 0..links {
            let node = snapshot.node("object", "Link");
            snapshot.edge(holder, "element", &n.to_string(), node);
        }
        let json = snapshot.json();
        let huge = json.replace(",16,", ",9223372036854775000,");
        assert_ne!(json, huge);
        huge
    };
    let inputs = [lab.input("1.heapsnapshot", made(5).as_bytes()), lab.input("2.heapsnapshot", made(9).as_bytes())];
    let report = report(&lab, &inputs, &["--keep-order"]);
    assert_eq!(report["inputs"][1]["heap_bytes"].as_u64(), Some(u64::MAX));
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    let lab = Lab::new();
    let inputs = inputs(&lab, "page-leak");
    let one = report(&lab, &inputs, &["--jobs", "1"]);
    let four = report(&lab, &inputs, &["--jobs", "4"]);
    assert_eq!(one, four);
}
