//! The balanced profile, values pooled over inputs, keyed placeholders, values files: through the program.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::snapshot::{Snapshot, strings};
use super::support::{Lab, Run, contains, sample};

// Invented values; none of them works anywhere.
const TOKEN: &str = "ghp_Zk81mQ0v2LrTb94wXc7YpH3sDn6JfG5aKe2U";
const CARD: &str = "4111 1111 1111 1111";

fn scrub(lab: &Lab, inputs: &[&Path], outputs: &[&Path], flags: &[&str]) -> Run {
    let mut args: Vec<&Path> = vec![Path::new("scrub"), Path::new("--force")];
    args.extend(inputs);
    for output in outputs {
        args.extend([Path::new("-o"), output]);
    }
    args.extend(flags.iter().map(Path::new));
    lab.run(&args)
}

/// Scrubs one snapshot with flags; the texts that come out.
#[track_caller]
fn texts(json: &str, flags: &[&str]) -> Vec<String> {
    let lab = Lab::new();
    let (input, output) = (lab.input("a.heapsnapshot", json.as_bytes()), lab.out("clean"));
    let run = scrub(&lab, &[&input], &[&output], flags);
    assert_eq!(run.code, 0, "{}", run.stderr);
    strings(&std::fs::read(output).expect("output"))
}

const BALANCED: [&str; 2] = ["--profile", "balanced"];

/// A rope of these parts, held by the root.
fn rope(snapshot: &mut Snapshot, parts: &[&str]) -> usize {
    let mut node = snapshot.node("string", parts[0]);
    for part in &parts[1..] {
        let (cons, leaf) =
            (snapshot.node("concatenated string", "(concatenated string)"), snapshot.node("string", part));
        snapshot.edge(cons, "internal", "first", node).edge(cons, "internal", "second", leaf);
        node = cons;
    }
    snapshot.edge(0, "property", "text", node);
    node
}

#[test]
fn only_what_was_found_is_cut_out() {
    let mut snapshot = Snapshot::new();
    for (key, text) in [
        ("a", "an ordinary sentence stays"),
        ("b", "postgres://app:s3cr3t-word@database:5432/main"),
        ("c", &format!("use {TOKEN} for it")),
        ("d", "GET"),
    ] {
        snapshot.value(key, text);
    }
    let texts = texts(&snapshot.json(), &BALANCED);
    assert!(texts.iter().any(|t| t == "an ordinary sentence stays"));
    // The core goes, the scheme and the host stay.
    assert!(
        texts.iter().any(|t| t.starts_with("postgres://app:[url-credentials#") && t.ends_with("]@database:5432/main"))
    );
    assert!(texts.iter().any(|t| t.starts_with("use [github-token#") && t.ends_with("] for it")));
}

#[test]
fn ropes_slices_and_lists_are_read_as_one_text() {
    let mut snapshot = Snapshot::new();
    rope(&mut snapshot, &["token is ", &TOKEN[..3], &TOKEN[3..20], &TOKEN[20..], " and so on"]);
    let list = snapshot.node("object", "Array");
    snapshot.edge(0, "property", "list", list);
    for (i, c) in CARD.chars().enumerate() {
        let letter = snapshot.node("string", &c.to_string());
        snapshot.edge(list, "element", &i.to_string(), letter);
    }
    let parent = snapshot.node("string", "key=hunter2-0f-m1ne&theme=dark");
    let slice = snapshot.node("sliced string", "(sliced string)");
    snapshot.edge(slice, "internal", "parent", parent).edge(0, "property", "apiKey", slice);
    let texts = texts(&snapshot.json(), &BALANCED);
    for gone in [&TOKEN[..3], &TOKEN[3..20], &TOKEN[20..], "4", "hunter2-0f-m1ne"] {
        assert!(!texts.iter().any(|t| t == gone || (gone.len() > 8 && t.contains(gone))), "{gone}");
    }
    for kept in ["token is ", " and so on"] {
        assert!(texts.iter().any(|t| t == kept), "{kept}");
    }
    assert!(texts.iter().any(|t| t.ends_with("&theme=dark")));
}

/// Whatever holds it: private fields, symbols, variables of closures, entries of maps, pairs, objects of name and value.
#[test]
fn every_kind_of_holder_tells() {
    let secret = |n: usize| format!("5f3a9c{n:02}e7b1d4086a2c{n:02}f9");
    let mut snapshot = Snapshot::new();
    let object = snapshot.node("object", "Vault");
    snapshot.edge(0, "property", "vault", object);
    let forms = [
        ("property", "#apiKey"),
        ("property", "<symbol kApiKey>"),
        ("property", "get api_key"),
        ("context", "mistralToken"),
        ("property", "X-Auth-Token"),
    ];
    for (n, (edge, key)) in forms.iter().enumerate() {
        let value = snapshot.node("string", &secret(n));
        snapshot.edge(object, edge, key, value);
    }
    // The table of a Map: keys and values in turn; and an object of name and value.
    let (map, table, key) =
        (snapshot.node("object", "Map"), snapshot.node("array", ""), snapshot.node("string", "datadog_token"));
    let value = snapshot.node("string", &secret(5));
    snapshot.edge(0, "property", "map", map).edge(map, "internal", "table", table);
    snapshot.edge(table, "internal", "5", key).edge(table, "internal", "6", value);
    let (header, value) = (snapshot.node("object", "Object"), snapshot.node("string", &secret(6)));
    snapshot.edge(0, "property", "header", header);
    snapshot.edge(header, "property", "name", key).edge(header, "property", "value", value);
    // A message beside a role; the same text without one stays.
    let message = snapshot.node("object", "Object");
    let (role, content) = (snapshot.node("string", "user"), snapshot.node("string", "my bill is wrong"));
    snapshot.edge(0, "property", "message", message);
    snapshot.edge(message, "property", "role", role).edge(message, "property", "content", content);
    let page = snapshot.node("object", "Object");
    let text = snapshot.node("string", "a page of the manual");
    snapshot.edge(0, "property", "page", page).edge(page, "property", "content", text);
    let texts = texts(&snapshot.json(), &BALANCED);
    for n in 0..7 {
        assert!(!texts.iter().any(|t| t.contains(&secret(n))), "{n}");
    }
    assert!(!texts.iter().any(|t| t == "my bill is wrong"));
    assert!(texts.iter().any(|t| t == "a page of the manual"));
}

/// The same digits are names of edges: those stay, and are no residue.
#[test]
fn a_short_number_is_a_value_here_and_a_number_of_an_edge_there() {
    let mut snapshot = Snapshot::new();
    snapshot.value("password", "42");
    snapshot.value("passcode", "1984");
    let store = snapshot.node("array", "(object elements)");
    snapshot.edge(0, "property", "list", store);
    let other = snapshot.node("object", "Object");
    snapshot.edge(store, "internal", "42", other).edge(store, "internal", "1984", other);
    let clean = texts(&snapshot.json(), &BALANCED);
    assert!(clean.iter().any(|t| t == "1984") && clean.iter().any(|t| t.starts_with("[password#")));
}

/// A secret goes to the end of its quotes, and a list under a key is held by that key.
#[test]
fn nothing_of_a_secret_is_left_beside_its_placeholder() {
    let mut snapshot = Snapshot::new();
    snapshot.value("a", r#"{"password":"violet umbrella, sky7","x":1}"#);
    snapshot.value("b", r"{'passphrase': 'orchid \'petal\' monsoon'}");
    snapshot.value("c", "id_6768705f5a6b38316d51307632 and 0x6768705f5a6b38316d513076324c725462393477");
    snapshot.value("d", "q=harvest+moon+over+lisbon&page=2");
    let cookies = snapshot.node("object", "Array");
    let cookie = snapshot.node("string", "sid=orchidpetalmonsoon; Path=/");
    snapshot.edge(0, "property", "set-cookie", cookies).edge(cookies, "element", "0", cookie);
    snapshot.value("systemPrompt", "harvest moon over lisbon");
    let clean = texts(&snapshot.json(), &BALANCED).join("\n");
    for gone in ["umbrella", "sky7", "petal", "monsoon", "6768705f5a6b38316d513076324c", "harvest"] {
        assert!(!clean.contains(gone), "{gone}");
    }
    assert!(clean.contains("page=2"));
}

#[test]
fn a_rope_that_doubles_thirty_times_ends_within_the_limits() {
    let mut snapshot = Snapshot::new();
    let mut node = snapshot.node("string", "abcdefgh-CANARY-ijklmnop");
    for _ in 0..30 {
        let cons = snapshot.node("concatenated string", "(concatenated string)");
        snapshot.edge(cons, "internal", "first", node).edge(cons, "internal", "second", node);
        node = cons;
    }
    snapshot.edge(0, "property", "password", node);
    for profile in ["strict", "balanced"] {
        // Too long to be read: its parts go.
        assert!(!texts(&snapshot.json(), &["--profile", profile]).iter().any(|t| t.contains("CANARY")));
    }
}

#[test]
fn a_rope_of_a_million_parts_ends_within_the_limits() {
    let mut snapshot = Snapshot::new();
    let (mut node, end) = (snapshot.node("string", "start "), snapshot.node("string", &format!("{} ", &TOKEN[8..])));
    let (word, start) = (snapshot.node("string", "word "), snapshot.node("string", &TOKEN[..8]));
    for i in 0..1_000_000 {
        let cons = snapshot.node("concatenated string", "(concatenated string)");
        let part = match i {
            500_000 => start,
            500_001 => end,
            _ => word,
        };
        snapshot.edge(cons, "internal", "first", node).edge(cons, "internal", "second", part);
        node = cons;
    }
    snapshot.edge(0, "property", "log", node);
    let texts = texts(&snapshot.json(), &BALANCED);
    assert!(!texts.iter().any(|t| t.contains(&TOKEN[8..]) || t == &TOKEN[..8]));
    assert!(texts.iter().any(|t| t == "word "), "the other parts stay");
}

#[test]
fn a_rope_that_contains_itself_does_no_harm() {
    let mut snapshot = Snapshot::new();
    let node = rope(&mut snapshot, &["one part ", "another part"]);
    snapshot.edge(node, "internal", "first", node);
    assert!(!texts(&snapshot.json(), &["--profile", "strict"]).is_empty());
    assert!(!texts(&snapshot.json(), &BALANCED).is_empty());
}

#[test]
fn what_one_snapshot_gives_away_is_gone_from_all() {
    let secret = "f0e1d2c3b4a5968778695a4b3c2d1e0f";
    let (mut bare, mut held) = (Snapshot::new(), Snapshot::new());
    bare.value("note", &format!("see {secret} there"));
    bare.value("code", "c2VlIGYwZTFkMmMzYjRhNTk2ODc3ODY5NWE0YjNjMmQxZTBmIHRoZXJl");
    held.value("mistralToken", secret);
    let lab = Lab::new();
    let inputs = [lab.input("a", bare.json().as_bytes()), lab.input("b", held.json().as_bytes())];
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let run = scrub(&lab, &inputs, &[&lab.out("")], &BALANCED);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(lab.left_behind(), ["snapshot-1.heapsnapshot", "snapshot-2.heapsnapshot"]);
    for name in lab.left_behind() {
        let texts = strings(&std::fs::read(lab.out(&name)).expect("output"));
        assert!(!texts.iter().any(|t| t.contains(secret)), "{name}");
        assert!(!texts.iter().any(|t| t.contains("c2VlIGYwZTFkMmMz")), "{name}, base64");
    }
    assert!(!run.stderr.contains(secret));
    // Alone, the first one has nothing to go by.
    assert!(texts(&bare.json(), &BALANCED).iter().any(|t| t.contains(secret)));
}

#[test]
fn several_inputs_need_as_many_outputs() {
    let lab = Lab::new();
    let json = Snapshot::new().json();
    let (a, b) = (lab.input("a", json.as_bytes()), lab.input("b", json.as_bytes()));
    for outputs in [vec![lab.out("one")], vec![lab.out("one"), lab.out("one")]] {
        let outputs: Vec<&Path> = outputs.iter().map(PathBuf::as_path).collect();
        assert_eq!(scrub(&lab, &[&a, &b], &outputs, &[]).code, 2);
    }
    // One that is damaged: no output for the other.
    let bad = lab.input("bad", &json.as_bytes()[..json.len() / 2]);
    let run = scrub(&lab, &[&a, &bad], &[&lab.out("one"), &lab.out("two")], &[]);
    assert_eq!(run.code, 3);
    assert!(run.stderr.contains("bad"), "{}", run.stderr);
    assert_eq!(lab.left_behind(), Vec::<String>::new());
}

fn key_file(lab: &Lab, name: &str, bytes: &[u8], mode: u32) -> PathBuf {
    let path = lab.input(name, bytes);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("rights");
    path
}

/// Under a key: equal in every run with it, and of no use to somebody who has the tool, the rules and candidates.
#[test]
fn a_keyed_result_cannot_be_confirmed_without_the_key() {
    let candidates = [CARD, "+44 20 7946 0958", "jane.doe@mail.example"];
    let mut snapshot = Snapshot::new();
    for (i, text) in candidates.iter().enumerate() {
        snapshot.value(&format!("value {i}"), text);
    }
    let lab = Lab::new();
    let key = key_file(&lab, "key", b"a key of more than sixteen bytes", 0o600);
    let other = key_file(&lab, "other", b"another key of more than sixteen", 0o600);
    for profile in ["strict", "balanced"] {
        let run =
            |key: &Path| texts(&snapshot.json(), &["--profile", profile, "--key-file", key.to_str().expect("UTF-8")]);
        let tags = |texts: &[String]| -> Vec<String> {
            let tags = texts.iter().filter(|t| t.starts_with('[') && t.ends_with(']'));
            tags.filter_map(|t| Some(t[1..t.len() - 1].split_once('#')?.1.to_owned()))
                .filter(|n| n.len() == 16)
                .collect()
        };
        let (mine, again, theirs) = (tags(&run(&key)), tags(&run(&key)), tags(&run(&other)));
        assert_eq!(mine, again);
        assert!(mine.len() >= candidates.len(), "{mine:?}");
        assert!(!mine.iter().any(|tag| theirs.contains(tag)));
    }
}

#[test]
fn keys_that_are_no_keys() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", Snapshot::new().json().as_bytes());
    for (name, bytes, mode, words) in [
        ("open", &b"a key of more than sixteen bytes"[..], 0o644, "others than its owner"),
        ("group", b"a key of more than sixteen bytes", 0o640, "others than its owner"),
        ("short", b"short", 0o600, "16 to 4096"),
    ] {
        let key = key_file(&lab, name, bytes, mode);
        let run = scrub(&lab, &[&input], &[&lab.out("clean")], &["--key-file", key.to_str().expect("UTF-8")]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
        assert_eq!(lab.left_behind(), Vec::<String>::new());
    }
}

#[test]
fn listed_values_go_from_texts_and_from_names() {
    let mut snapshot = Snapshot::new();
    snapshot.value("a", "a letter to Wilhelmina Ostrander of today");
    snapshot.value("b", "YSBsZXR0ZXIgdG8gV2lsaGVsbWluYSBPc3RyYW5kZXIgb2YgdG9kYXk=");
    snapshot.value("c", "Ann");
    snapshot.value("d", "Annual report");
    snapshot.node("object", "WilhelminaOstrander");
    let lab = Lab::new();
    let values = lab.input("values.txt", b"Wilhelmina Ostrander\r\n\nAnn\nWilhelminaOstrander\n");
    let flags = ["--values-file", values.to_str().expect("UTF-8")];
    for profile in ["strict", "balanced"] {
        let texts = texts(&snapshot.json(), &[&flags[..], &["--profile", profile]].concat());
        assert!(
            !texts.iter().any(|t| t.contains("Wilhelmina") || t.contains("V2lsaGVsbWluYS") || t == "Ann"),
            "{profile}"
        );
        // Short values go only as a whole.
        assert_eq!(texts.iter().any(|t| t == "Annual report"), profile == "balanced");
    }
    let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let run = scrub(&lab, &[&input], &[&lab.out("clean")], &[&flags[..], &["--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let ledger: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((&ledger["propagated"]["everywhere"], &ledger["propagated"]["whole_only"]), (&2.into(), &1.into()));
    assert!(!contains(&run.stdout, b"Wilhelmina"));
    for (bad, words) in [(&b"\n \n"[..], "holds no value"), (b"\xff\xfeA\0n\0n\0", "not UTF-8")] {
        let bad = lab.input("bad.txt", bad);
        let run = scrub(&lab, &[&input], &[&lab.out("clean")], &["--values-file", bad.to_str().expect("UTF-8")]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}

#[test]
fn a_rehearsal_tells_rule_role_count_and_shape_and_no_text() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &sample("helpdesk.heapsnapshot.zst"));
    for profile in ["strict", "balanced"] {
        let args = ["scrub", input.to_str().expect("UTF-8"), "--dry-run", "--json", "--profile", profile];
        let run = lab.run(&args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let ledger: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        let findings = ledger["findings"].as_array().expect("findings");
        let tokens: u64 = findings
            .iter()
            .filter(|f| f["rule"] == "github-token" && f["role"] == "value" && f["shape"] == "with marks, 32-63 bytes")
            .map(|f| f["texts"].as_u64().expect("count"))
            .sum();
        assert_eq!(tokens, 300, "{profile}");
        assert!(!contains(&run.stdout, b"ghp_") && !run.stderr.contains("ghp_"));
        assert_eq!(lab.left_behind(), Vec::<String>::new());
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_on_every_run() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &sample("helpdesk.heapsnapshot.zst"));
    let key = key_file(&lab, "key", b"a key of more than sixteen bytes", 0o600);
    let keyed = ["--key-file", key.to_str().expect("UTF-8")];
    for flags in [vec![], keyed.to_vec()] {
        let run = |input: &Path, jobs: &str| {
            let flags = [&flags[..], &["--profile", "balanced", "--jobs", jobs]].concat();
            let run = scrub(&lab, &[input], &[&lab.out("clean")], &flags);
            assert_eq!(run.code, 0, "{}", run.stderr);
            std::fs::read(lab.out("clean")).expect("output")
        };
        let first = run(&input, "1");
        assert!(first == run(&input, "1") && first == run(&input, "4"));
        let clean = lab.input("clean", &first);
        assert!(run(&clean, "2") == first, "scrubbing the result changes nothing");
    }
}
