//! Profiles: what placeholders tell, what they refuse, and what they say about themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::bundle::out;
use super::snapshot::Snapshot;
use super::support::{Lab, contains, leak_sample};

const CARD: &str = "4111 1111 1111 1111";

fn lab() -> Lab {
    let lab = Lab::new();
    let mut snapshot = Snapshot::new();
    for (key, text) in [
        ("note", "the account of Erika Mustermann was closed"),
        ("other", "a text of another customer, much longer than the first"),
        ("again", "the account of Erika Mustermann was closed"),
        ("card", CARD),
    ] {
        snapshot.value(key, text);
    }
    lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let key = lab.input("key", &[9; 32]);
    std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o600)).expect("rights");
    lab
}

/// Shares with a profile; the snapshot in the bundle, after a receiver checked it.
fn shared(lab: &Lab, name: &str, flags: &[&str]) -> Value {
    let files = members(lab, name, flags);
    serde_json::from_slice(&files["snapshots/snapshot-1.heapsnapshot"]).expect("JSON")
}

/// The same with all members.
fn members(lab: &Lab, name: &str, flags: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let bundle = out(lab, &format!("{name}.zip"));
    let run = lab.run(&[&["share", "-q", "in/a.heapsnapshot", "-o", &bundle], flags].concat());
    assert_eq!(run.code, 0, "{name}: {}", run.stderr);
    let run = lab.run(&["verify", &bundle]);
    assert_eq!(run.code, 0, "{name}: {}", run.stderr);
    let files = lab.unpack(&lab.out(&format!("{name}.zip")));
    for (member, bytes) in &files {
        // Neither the number, nor its first six digits, nor its last four.
        for part in ["Erika", "4111 1111", "411111", "1111 1111", "another customer"] {
            assert!(!contains(bytes, part.as_bytes()), "{name}: {member}");
        }
    }
    files
}

/// The names of nodes that are texts, as entries and as texts.
fn texts(snapshot: &Value) -> Vec<(u64, String)> {
    let rows = snapshot["nodes"].as_array().expect("nodes").as_chunks::<7>().0;
    let strings = snapshot["strings"].as_array().expect("strings");
    let texts = rows.iter().filter(|row| row[0] == 2).map(|row| {
        let entry = row[1].as_u64().expect("an entry");
        (entry, strings[entry as usize].as_str().expect("a text").to_owned())
    });
    texts.collect()
}

#[test]
fn placeholders_made_under_a_key_are_equal_in_a_set() {
    let lab = lab();
    let run = lab.run(&["share", "in/a.heapsnapshot", "-o", "out/x.zip", "--profile", "pseudonymised"]);
    assert!(run.code == 2 && run.stderr.contains("needs a key"), "{}", run.stderr);
    let flags = ["--profile", "pseudonymised", "--key-file", "in/key"];
    let (one, two) = (shared(&lab, "one", &flags), shared(&lab, "two", &flags));
    assert_eq!(one, two);
    assert!(texts(&one)[0].1.len() > 20);
    let readme = members(&lab, "three", &flags)["README.txt"].clone();
    assert!(contains(&readme, b"pseudonymised and not anonymous"));
}

#[test]
fn nothing_tells_which_texts_were_equal() {
    let lab = lab();
    let snapshot = shared(&lab, "unlinkable", &["--profile", "unlinkable"]);
    let found = texts(&snapshot);
    assert_eq!(found.len(), 4);
    let entries: BTreeSet<u64> = found.iter().map(|(entry, _)| *entry).collect();
    assert_eq!(entries.len(), 1, "{found:?}");
    // On a real snapshot: every placeholder of a kind is one entry, and none has a number of its own.
    lab.input("a.heapsnapshot", &leak_sample("desk-leak", 1));
    let files = members(&lab, "real", &["--profile", "unlinkable"]);
    let real: Value = serde_json::from_slice(&files["snapshots/snapshot-1.heapsnapshot"]).expect("JSON");
    let mut entries: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for (entry, text) in texts(&real) {
        assert!(!text.starts_with('[') || text.ends_with("#1]"), "{text}");
        entries.entry(text).or_default().insert(entry);
    }
    assert!(entries.contains_key("[text#1]") && entries.values().all(|entries| entries.len() == 1));
    let report: Value = serde_json::from_slice(&files["report.json"]).expect("JSON");
    assert_eq!(report["duplicates"], Value::Array(Vec::new()));
    assert!(contains(&files["README.txt"], b"nothing tells which of them were equal"));
    // The same, with the same bytes; and three of a series.
    let again = shared(&lab, "again", &["--profile", "unlinkable", "--jobs", "1"]);
    assert_eq!(again, real);
    for n in 1..=3 {
        lab.input(&format!("{n}.heapsnapshot"), &leak_sample("desk-leak", n));
    }
    let args = ["share", "-q", "in/1.heapsnapshot", "in/2.heapsnapshot", "in/3.heapsnapshot", "-o", "out/series.zip"];
    let run = lab.run(&[&args[..], &["--profile", "unlinkable"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(lab.run(&["verify", "out/series.zip"]).code, 0);
    // A second run takes its placeholders for what they are.
    std::fs::write(lab.out("../in/a.heapsnapshot"), &files["snapshots/snapshot-1.heapsnapshot"]).expect("write");
    shared(&lab, "second", &["--profile", "unlinkable"]);
}

#[test]
fn random_placeholders_are_derived_from_nothing() {
    let lab = lab();
    for profile in ["hipaa-identifiers", "pci"] {
        let run =
            lab.run(&["share", "in/a.heapsnapshot", "-o", "out/x.zip", "--profile", profile, "--key-file", "in/key"]);
        assert!(run.code == 2 && run.stderr.contains("takes no key"), "{}", run.stderr);
        let both = ["one", "two"].map(|n| texts(&shared(&lab, &format!("{profile}-{n}"), &["--profile", profile])));
        for found in &both {
            // Equal texts are equal within a bundle.
            let different: BTreeSet<&String> = found.iter().map(|(_, text)| text).collect();
            assert_eq!((found.len(), different.len()), (4, 3), "{found:?}");
        }
        assert!(both[0].iter().zip(&both[1]).all(|(a, b)| a.1 != b.1), "{both:?}");
        let policy = format!("profiles = ['{profile}']\nkeyed = false\n");
        lab.input("policy.toml", policy.as_bytes());
        let bundle = out(&lab, &format!("{profile}-one.zip"));
        assert_eq!(lab.run(&["gate", "-q", &bundle, "--policy", "in/policy.toml"]).code, 0);
    }
}

#[test]
fn profiles_of_users() {
    let lab = lab();
    let strict = lab.run(&["profiles", "unlinkable", "--toml"]);
    assert_eq!(strict.code, 0);
    let text = String::from_utf8(strict.stdout).expect("UTF-8").replace("\"unlinkable\"", "\"CANARY of Acme\"");
    lab.input("own.toml", text.as_bytes());
    let found = texts(&shared(&lab, "own", &["--profile", "in/own.toml"]));
    assert!(found.iter().all(|(_, text)| text.ends_with("#1]")));
    // Its words stay here.
    for (member, bytes) in members(&lab, "words", &["--profile", "in/own.toml"]) {
        assert!(!contains(&bytes, b"CANARY"), "{member}");
        assert!(member != "manifest.json" || contains(&bytes, b"\"own-strict\""));
    }
    let run =
        lab.run(&["share", "in/a.heapsnapshot", "-o", "out/x.zip", "--profile", "in/own.toml", "--names-from", "in"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    for (name, words) in
        [("strikt", "did you mean 'strict'?"), ("own", "there are strict, balanced"), ("in/none.toml", "none.toml")]
    {
        let run = lab.run(&["share", "in/a.heapsnapshot", "-o", "out/x.zip", "--profile", name]);
        assert!(matches!(run.code, 2 | 5) && run.stderr.contains(words), "{name}: {}", run.stderr);
    }
    lab.input("bad.toml", text.replace("base = \"strict\"", "base = \"lenient\"").as_bytes());
    let run = lab.run(&["profiles", "in/bad.toml"]);
    assert!(run.code == 2 && run.stderr.contains("base must be one of strict, balanced"), "{}", run.stderr);
    // In a settings file, by name and by file.
    lab.input("settings.toml", b"profile = 'own.toml'\n");
    assert!(
        texts(&shared(&lab, "set", &["--config", "in/settings.toml"])).iter().all(|(_, text)| text.ends_with("#1]"))
    );
    assert!(!lab.out("x.zip").exists());
}

#[test]
fn profiles_say_what_they_find_remove_unseen_and_leave() {
    let lab = lab();
    let all = String::from_utf8(lab.run(&["profiles"]).stdout).expect("UTF-8");
    for name in ["strict", "balanced", "pseudonymised", "unlinkable", "hipaa-identifiers", "pci"] {
        assert!(all.lines().any(|line| line.starts_with(name)), "{all}");
        let run = lab.run(&["profiles", name]);
        let text = String::from_utf8(run.stdout).expect("UTF-8");
        for part in ["found by pattern:", "removed only because everything is:", "not removed:"] {
            assert!(text.contains(part), "{name}: {text}");
        }
        let json: Value = serde_json::from_slice(&lab.run(&["profiles", name, "--json"]).stdout).expect("JSON");
        assert!(json["classes"].as_array().is_some_and(|classes| classes.len() > 3));
    }
}
