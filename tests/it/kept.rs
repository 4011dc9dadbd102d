//! What can still be read in a bundle, marks, and why single texts were replaced.

use serde_json::Value;

use super::snapshot::Snapshot;
use super::support::Lab;

fn run(lab: &Lab, args: &[&str]) -> (i32, String, String) {
    let run = lab.run(&args.iter().map(std::path::PathBuf::from).collect::<Vec<_>>());
    (run.code, String::from_utf8(run.stdout).expect("UTF-8"), run.stderr)
}

/// Keys that a rule file or a source tree of the user's own vouches for, one of them a name of somebody.
fn bundle(lab: &Lab, name: &str, flags: &[&str]) -> String {
    let mut snapshot = Snapshot::new();
    for (key, value) in [("Maria", "first"), ("retryCount", "second"), ("=cmd()", "CANARY-third")] {
        snapshot.value(key, value);
    }
    let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes()).display().to_string();
    let rules = "[[keep]]\nid = \"mine\"\nexact = [\"=cmd()\"]\nroles = [\"key\"]\n";
    let source = lab.input("app.js", b"const record = { Maria: 1, retryCount: 2 };\n");
    let tree = source.parent().expect("a directory").display().to_string();
    let rules = lab.input("keep.toml", rules.as_bytes()).display().to_string();
    let out = lab.out(name).display().to_string();
    let mut args = vec!["share", &input, "-q", "--rules", &rules, "--names-from", &tree, "-o", &out];
    args.extend(flags);
    let (code, _, message) = run(lab, &args);
    assert_eq!(code, 0, "{message}");
    out
}

#[test]
fn what_can_be_read_is_listed_the_riskiest_first_and_marks_go_from_the_next_run() {
    let lab = Lab::new();
    let first = bundle(&lab, "1.zip", &["--context", "workload=sixty sessions"]);
    let (code, list, message) = run(&lab, &["kept", &first]);
    assert_eq!(code, 0, "{message}");
    assert!(message.contains("texts can be read"), "{message}");
    let at = |text: &str| list.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {list}"));
    assert!(at("Maria") < at("retryCount") && at("sixty sessions") < at("retryCount"), "{list}");
    assert!(!list.contains("CANARY") && !list.contains("[text#"), "{list}");
    // Spreadsheets get no formulas.
    let (_, table, _) = run(&lab, &["kept", &first, "-q", "--format", "csv"]);
    assert!(table.contains("\"'=cmd()\"") && table.starts_with("deny,number,risk,text,"), "{table}");
    // Marked in the table, and by number.
    let marked: Vec<String> =
        table.lines().map(|row| if row.contains("Maria") { format!("x{row}") } else { row.to_owned() }).collect();
    let marked = lab.input("marked.csv", marked.join("\n").as_bytes()).display().to_string();
    let deny = lab.out("deny.txt").display().to_string();
    let (code, _, message) = run(&lab, &["kept", &first, "--marked", &marked, "--deny", &deny]);
    assert_eq!(code, 0, "{message}");
    assert_eq!(std::fs::read_to_string(&deny).expect("a list"), "Maria\n");
    let number = list.lines().nth(at("Maria")).and_then(|line| line.split_whitespace().next()).expect("a number");
    let (code, _, message) = run(&lab, &["kept", &first, "--mark", number, "--deny", &deny, "--force"]);
    assert_eq!((code, std::fs::read_to_string(&deny).expect("a list")), (0, "Maria\n".into()), "{message}");
    let second = bundle(&lab, "2.zip", &["--values-file", &deny]);
    let (_, list, _) = run(&lab, &["kept", &second, "--limit", "0"]);
    assert!(!list.contains("Maria") && list.contains("retryCount"), "{list}");
}

#[test]
fn a_review_is_written_down_without_a_text() {
    let lab = Lab::new();
    let bundle = bundle(&lab, "1.zip", &[]);
    let record = lab.out("review.json").display().to_string();
    let (code, _, message) = run(&lab, &["kept", &bundle, "--record", &record, "--reviewer", "team payments"]);
    assert_eq!(code, 0, "{message}");
    let text = std::fs::read_to_string(&record).expect("a record");
    let record: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&record["schema"], &record["reviewer"]), (&"heapscrub.review/1".into(), &"team payments".into()));
    let digest = record["manifest_sha256"].as_str().expect("a digest");
    assert!(digest.len() == 64 && record["texts"].as_u64().is_some_and(|n| n >= 3) && !text.contains("Maria"));
    let other = lab.out("other.json").display().to_string();
    let (code, _, message) = run(&lab, &["kept", &bundle, "--record", &other, "--reviewer", "maria@example.test"]);
    assert!(code == 2 && message.contains("--reviewer") && !lab.out("other.json").exists(), "{code} {message}");
}

#[test]
fn nothing_of_a_changed_bundle_is_listed() {
    let lab = Lab::new();
    let bundle = bundle(&lab, "1.zip", &[]);
    let mut bytes = std::fs::read(&bundle).expect("a bundle");
    let middle = bytes.len() - 400;
    bytes[middle] ^= 1;
    std::fs::write(&bundle, bytes).expect("write");
    let (code, list, message) = run(&lab, &["kept", &bundle]);
    assert!(code == 6 && list.is_empty(), "{code} {list} {message}");
}

#[test]
fn a_page_of_readable_texts_is_inert() {
    let lab = Lab::new();
    let bundle = bundle(&lab, "1.zip", &[]);
    let (code, page, message) = run(&lab, &["kept", &bundle, "-q", "--format", "html"]);
    assert_eq!(code, 0, "{message}");
    assert!(page.contains("default-src &#39;none&#39;") && page.contains("Maria") && !page.contains("CANARY"));
}

#[test]
fn a_decision_is_explained_without_the_text() {
    let lab = Lab::new();
    let mut snapshot = Snapshot::new();
    let owner = snapshot.node("object", "Map");
    snapshot.edge(0, "property", "name", owner);
    let secret = snapshot.node("string", "CANARY-maria@example.test");
    snapshot.edge(owner, "property", "message", secret);
    let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes()).display().to_string();
    let node = format!("@{}", secret * 2 + 1);
    let out = lab.out("clean.heapsnapshot").display().to_string();
    let (code, stdout, told) = run(&lab, &["scrub", &input, "-o", &out, "--explain", &node, "--explain", "@999999"]);
    assert_eq!(code, 0, "{told}");
    for word in [&*node, "profile strict", "as value", "replaced", "email", "held as property", "message of Map"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert!(told.contains("@999999") && told.contains("there is no node with this number"), "{told}");
    assert!(!told.contains("CANARY") && !told.contains("maria") && !stdout.contains("CANARY"));
    let (code, stdout, told) = run(&lab, &["scan", &input, "--explain", &node]);
    assert!(code == 0 && told.contains("profile strict") && told.contains("profile balanced"), "{told}");
    assert!(!told.contains("CANARY") && !stdout.contains("CANARY"));
}
