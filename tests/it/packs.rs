//! The embedded packs: the table in README, and how sure rules are of blanks.

use std::path::Path;

use super::support::Lab;

fn told(lab: &Lab, args: &[&str], stdin: &[u8]) -> String {
    let run = lab.run_with(args, stdin);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    String::from_utf8(run.stdout).expect("UTF-8")
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
