//! The embedded packs: what people read about each rule and each pack, and how sure rules are of blanks.

use std::path::Path;

use super::support::Lab;

fn told(lab: &Lab, args: &[&str], stdin: &[u8]) -> String {
    let run = lab.run_with(args, stdin);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    String::from_utf8(run.stdout).expect("UTF-8")
}

#[test]
fn every_embedded_rule_is_explained() {
    let lab = Lab::new();
    let list: serde_json::Value = serde_json::from_str(&told(&lab, &["rules", "list", "--json"], b"")).expect("JSON");
    let ids = list["rules"].as_array().expect("rules").iter().map(|rule| rule["id"].as_str().expect("an id"));
    let mut seen = 0;
    for id in ids {
        let page = told(&lab, &["rules", "explain", id], b"");
        assert!(page.starts_with(&format!("{id}: ")), "{id}: what it finds");
        for label in ["why", "known by", "how sure", "leaves", "finds", "finds not", "mistakes", "to allow"] {
            let row = page.lines().find(|line| line.starts_with(&format!("{label:<12}")));
            assert!(row.is_some_and(|row| row.len() > 14), "{id}: {label}: {page}");
        }
        seen += 1;
    }
    assert!(seen > 150, "{seen}");
}

#[test]
fn the_table_of_packs_in_readme_is_current() {
    let table = told(&Lab::new(), &["rules", "list", "--packs"], b"");
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("README");
    assert!(readme.contains(table.trim_end()), "heapscrub rules list --packs prints:\n{table}");
}

/// What the rules say of a text: how sure they are, or nothing.
#[track_caller]
fn check(text: &str, expected: Option<&str>) {
    let line = serde_json::json!({ "text": text }).to_string();
    let found = told(&Lab::new(), &["rules", "test", "--jsonl", "-"], line.as_bytes());
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found["confidence"].as_str(), expected, "{text}: {found}");
}

#[test]
fn what_only_stands_for_a_secret_is_found_with_low_confidence() {
    check("key: pk_live_Zk81mQ0v2LrTb94wXc7Y", Some("high"));
    check("key: pk_live_xxxxxxxxxxxxxxxxxxxxxxxx1A2b", Some("low"));
    check("DB_PASSWORD=q0Zb9Vt1kL", Some("medium"));
    check("DB_PASSWORD=changeme", Some("low"));
    check("aws AKIAIOSFODNN7EXAMPLE", Some("low"));
    check("nothing to see here", None);
}
