//! What the sanitised file holds: nothing that nobody vouches for, the whole graph, and the program's names.

use std::path::Path;

use super::snapshot::{Snapshot, strings};
use super::support::{Lab, contains, sample};

#[test]
fn planted_fakes_of_the_sample_are_gone() {
    let raw = sample("helpdesk.heapsnapshot.zst");
    let truth = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/helpdesk.truth.json");
    let truth: serde_json::Value = serde_json::from_slice(&std::fs::read(truth).expect("truth")).expect("JSON");
    let planted: Vec<&str> =
        truth.as_array().expect("list").iter().map(|p| p["text"].as_str().expect("text")).collect();
    assert!(planted.len() > 2000);
    let finder = |bytes: &[u8]| {
        let engine = aho_corasick::AhoCorasick::new(&planted).expect("needles");
        let mut found: Vec<usize> = engine.find_overlapping_iter(bytes).map(|m| m.pattern().as_usize()).collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    assert_eq!(finder(&raw), planted.len(), "every fake is in the raw file");
    assert_eq!(finder(&Lab::new().scrub(&raw)), 0);
}

#[test]
fn names_of_the_program_stay() {
    let clean = Lab::new().scrub(&sample("helpdesk.heapsnapshot.zst"));
    for name in
        ["ChatSession", "AnswerCache", "Desk", "accessToken", "messages", "documents", "bySubject", "EventEmitter"]
    {
        assert!(contains(&clean, format!("\"{name}\"").as_bytes()), "{name}");
    }
}

#[test]
fn equal_texts_stay_equal_and_different_ones_different() {
    let mut snapshot = Snapshot::new();
    let (a, b, c) =
        (snapshot.value("a", "one text"), snapshot.value("b", "other text"), snapshot.value("c", "one text"));
    let clean: serde_json::Value =
        serde_json::from_slice(&Lab::new().scrub(snapshot.json().as_bytes())).expect("valid JSON");
    let name = |node: usize| {
        let id = clean["nodes"][node * 7 + 1].as_u64().expect("number") as usize;
        clean["strings"][id].as_str().expect("text").to_owned()
    };
    assert_eq!(name(a), name(c));
    assert_ne!(name(a), name(b));
    assert!(name(a).starts_with("[text#"));
}

#[test]
fn one_text_in_many_roles_remains_nowhere() {
    let mut snapshot = Snapshot::new();
    let secret = "hunter2-the-second";
    let object = snapshot.node("object", secret);
    snapshot.edge(0, "property", secret, object);
    for (kind, edge) in [("string", "property"), ("closure", "context"), ("regexp", "internal"), ("native", "weak")] {
        let node = snapshot.node(kind, secret);
        snapshot.edge(object, edge, secret, node);
    }
    for kind in
        ["code", "symbol", "hidden", "array", "synthetic", "number", "concatenated string", "object shape", "bigint"]
    {
        let node = snapshot.node(kind, secret);
        snapshot.edge(object, "shortcut", secret, node);
    }
    snapshot.strings.push("hunter2-the-third, which nothing refers to".into());
    let clean = Lab::new().scrub(snapshot.json().as_bytes());
    assert!(!contains(&clean, b"hunter2"));
}

#[test]
fn every_text_gives_valid_json() {
    let mut snapshot = Snapshot::new();
    for (i, text) in ["\"", "\\", "\u{0}\u{1f}\u{7f}", "a\nb", "😀 naïve 中", "\u{2028}", "[text#1]", "[text#0]", ""]
        .iter()
        .enumerate()
    {
        snapshot.value(&format!("key {i}"), text);
        let node = snapshot.node("object", text);
        snapshot.edge(0, "property", text, node);
    }
    let json = snapshot.json().replacen("\"<dummy>\"", "\"<dummy>\",\"\\ud800 alone\",\"\\/slash\"", 1);
    let json = json.replacen("\"node_count\"", "\"extra\":\"secret\",\"node_count\"", 1);
    strings(&Lab::new().scrub(json.as_bytes()));
}

#[test]
fn unknown_sections_are_left_out_and_counted() {
    let json =
        Snapshot::new().json().replacen("\"strings\":", "\"news\":{\"a\":[\"CANARY-7f3a ]}\"]},\n\"strings\":", 1);
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", json.as_bytes());
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &lab.out("clean"), Path::new("--json")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let ledger: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(ledger["left_out"], 1);
    assert!(!contains(&std::fs::read(lab.out("clean")).expect("output"), b"CANARY"));
}

#[test]
fn indices_far_apart_are_data() {
    let mut snapshot = Snapshot::new();
    let (list, table) = (snapshot.node("object", "Array"), snapshot.node("object", "Object"));
    let text = snapshot.node("string", "x");
    snapshot.edge(0, "property", "list", list).edge(0, "property", "table", table);
    snapshot.edge(list, "element", "4155550123", text);
    snapshot.edge(list, "element", "0", text);
    snapshot.edge(table, "element", "482913", text);
    snapshot.edge(table, "element", "17", text);
    let memo = snapshot.node("closure", "memo");
    let pattern = snapshot.node("regexp", "x");
    snapshot.edge(0, "property", "memo", memo).edge(0, "property", "pattern", pattern);
    snapshot.edge(memo, "element", "5551234", text).edge(pattern, "element", "4441234", text);
    for i in 0..30 {
        snapshot.edge(text, "element", &i.to_string(), text);
    }
    let clean = Lab::new().scrub(snapshot.json().as_bytes());
    for index in ["4155550123", "482913", "5551234", "4441234"] {
        assert!(!contains(&clean, index.as_bytes()), "{index}");
    }
    assert!(contains(&clean, b"1,29,"), "indices of lists stay");
}

#[test]
fn weak_map_descriptors_keep_ids_and_lose_texts() {
    let mut snapshot = Snapshot::new();
    let node = snapshot.node("object", "Map");
    snapshot.node("object", "Object");
    let pair = "2 / part of key (Alice Smith @1) -> value (Object @3) pair in WeakMap (table @5)";
    let text = "4 / part of key (Object @1) -> value (toString @3) pair in WeakMap (table @5)";
    let foreign = "6 / part of key (Object @1) -> value (Object @4155550123) pair in WeakMap (table @5)";
    snapshot.edge(0, "internal", pair, node).edge(0, "internal", text, node).edge(0, "internal", foreign, node);
    let clean = strings(&Lab::new().scrub(snapshot.json().as_bytes()));
    assert!(clean.iter().any(|t| t.starts_with("2 / part of key ([holder#")));
    assert!(clean.iter().any(|t| t.ends_with("] @1) -> value (Object @3) pair in WeakMap (table @5)")));
    // A text that is held is a value, even if a runtime uses the word; and an id must be one.
    for gone in ["Alice", "toString", "4155550123"] {
        assert!(!clean.iter().any(|t| t.contains(gone)), "{gone}");
    }
}

#[test]
fn a_second_run_changes_nothing() {
    for name in ["helpdesk.heapsnapshot.zst", "page.heaptimeline.zst"] {
        let lab = Lab::new();
        let once = lab.scrub(&sample(name));
        assert!(lab.scrub(&once) == once, "{name}: the second run changed the file");
    }
}

#[test]
fn placeholders_in_the_input_carry_nothing() {
    let mut snapshot = Snapshot::new();
    snapshot.value("a", "[text#4111111111]");
    snapshot.value("b", "[hunter2#1]");
    snapshot.value("[value#1]", "[key#12]");
    let clean = Lab::new().scrub(snapshot.json().as_bytes());
    for raw in ["4111111111", "hunter2", "[key#12]"] {
        assert!(!contains(&clean, raw.as_bytes()), "{raw}");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &sample("page.heaptimeline.zst"));
    let run = |jobs: &str, out: &str| {
        let out = lab.out(out);
        let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &out, Path::new("--jobs"), Path::new(jobs)]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        std::fs::read(out).expect("output")
    };
    assert!(run("1", "a.json") == run("7", "b.json"));
    assert!(run("1", "a.zst") == run("5", "b.zst"));
}

#[test]
fn own_rules_and_keep_rules() {
    let mut snapshot = Snapshot::new();
    snapshot.value("a", "in stock");
    snapshot.value("b", "POST");
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let rules = lab.input("own.toml", b"[[keep]]\nid='stock'\nexact=['in stock']\nroles=['value']\n");
    let (out, flag) = (lab.out("clean"), Path::new("--rules"));
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &out, flag, &rules]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("weakened by 1 keep rule"), "{}", run.stderr);
    let texts = strings(&std::fs::read(&out).expect("output"));
    assert!(texts.contains(&"in stock".to_owned()) && texts.contains(&"POST".to_owned()));
    let faulty = lab.input("faulty.toml", b"[[rule]]\nid='x'\ncategory='c'\ndescribe='d'\nmatch='('\n");
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &lab.out("other"), flag, &faulty]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("faulty.toml") && run.stderr.contains("'x'"), "{}", run.stderr);
    assert!(!lab.out("other").exists());
}

#[test]
fn names_from_a_source_tree() {
    let mut snapshot = Snapshot::new();
    let object = snapshot.node("object", "ParcelTracker");
    let text = snapshot.node("string", "x");
    snapshot.edge(0, "property", "tracker", object).edge(object, "property", "lastSeenPlace", text);
    snapshot.edge(object, "property", "uninvented", text);
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let source = input.parent().expect("directory").join("src");
    std::fs::create_dir(&source).expect("directory");
    std::fs::write(source.join("t.ts"), "class ParcelTracker { lastSeenPlace = ''; }").expect("source");
    let out = lab.out("clean");
    let args = [Path::new("scrub"), &input, Path::new("-o"), &out, Path::new("--names-from"), &source];
    let run = lab.run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("--names-from"), "said in the ledger: {}", run.stderr);
    let texts = strings(&std::fs::read(&out).expect("output"));
    assert!(texts.contains(&"ParcelTracker".to_owned()) && texts.contains(&"lastSeenPlace".to_owned()));
    assert!(!texts.contains(&"uninvented".to_owned()));
    let empty = source.join("empty");
    std::fs::create_dir(&empty).expect("directory");
    let args = [Path::new("scrub"), &input, Path::new("--dry-run"), Path::new("--names-from"), &empty];
    assert_eq!(lab.run(&args).code, 2);
}

/// One-letter strings have known ids and stand in a table by character code, so their order would be a text.
#[test]
fn a_list_of_characters_is_not_spelled_by_the_graph() {
    let mut snapshot = Snapshot::new();
    let letters: Vec<usize> =
        "abcdefghijklmnopqrstuvwxyz0123456789\"é".chars().map(|c| snapshot.node("string", &c.to_string())).collect();
    let (list, store) = (snapshot.node("object", "Array"), snapshot.node("array", "(object elements)"));
    snapshot.edge(0, "property", "list", list).edge(list, "internal", "elements", store);
    let spelled: Vec<usize> = "hunter2é\"is9my7pass"
        .chars()
        .map(|c| {
            let at = "abcdefghijklmnopqrstuvwxyz0123456789\"é".chars().position(|l| l == c).expect("letter");
            letters[at]
        })
        .collect();
    for (i, letter) in spelled.iter().enumerate() {
        snapshot.edge(list, "element", &i.to_string(), *letter);
        snapshot.edge(store, "internal", &i.to_string(), *letter);
    }
    let clean: serde_json::Value =
        serde_json::from_slice(&Lab::new().scrub(snapshot.json().as_bytes())).expect("valid JSON");
    let edges: Vec<u64> =
        clean["edges"].as_array().expect("edges").iter().map(|n| n.as_u64().expect("number")).collect();
    let mut sorted = spelled.clone();
    sorted.sort_unstable();
    for kind in [1, 3] {
        let targets = edges.chunks(3).filter(|e| e[0] == kind).map(|e| e[2] as usize / 7);
        let targets: Vec<usize> = targets.filter(|t| letters.contains(t)).collect();
        assert_eq!(targets, sorted, "edges of type {kind}");
    }
}
