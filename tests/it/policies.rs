//! Policies that are refused, the forms of a verdict, and keys that are none.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::gate::Office;
use super::support::contains;

#[test]
fn faulty_policies_are_refused_by_line_and_nothing_is_judged() {
    let office = Office::new();
    let good = office.good("good");
    let erika = "[[person]]\nname = 'Erika'\nkeys = ['erika.pub']\n";
    let with = |rest: &str| format!("{erika}{rest}");
    office.lab.input("broken.pub", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n");
    let rsa = "ssh_keys = ['ssh-rsa AAAAB3NzaC1yc2EAAAAD']";
    for (policy, line, words) in [
        ("", 1, "asks for nothing"),
        ("# only words\n\n", 1, "asks for nothing"),
        ("profiles = ['strict']\nmax_sise = '3 MB'", 2, "did you mean 'max_size'?"),
        ("max_size = '3 MB'\nmax_size = '4 MB'", 2, "said twice"),
        ("profiles = ['lenient']", 1, "does not know 'lenient'"),
        ("profiles = []", 1, "a list of one text or more"),
        ("profiles = 'strict'", 1, "a list of one text or more"),
        ("min_rules = '1'", 1, "a version"),
        ("min_rules = 1.0", 1, "a version"),
        ("same_rules = 'yes'", 1, "true or false"),
        ("zero_found = ['credentials']", 1, "did you mean 'credential'?"),
        ("roles = ['values']", 1, "did you mean 'value'?"),
        ("formats = ['hprof3']", 1, "formats does not know"),
        ("max_size = '3 parsecs'", 1, "a size"),
        ("max_size = -3", 1, "a size"),
        ("max_size = 0x10", 1, "a size"),
        ("max_snapshots = 1.5", 1, "a whole number"),
        ("max_age = 30", 1, "a number of days"),
        ("max_age = '0 days'", 1, "a number of days"),
        ("max_age = '1 month'", 1, "a number of days"),
        ("recipients = ['erika@example.test']", 1, "no e-mail address"),
        ("purposes = ['a\\u200bb']", 1, "no bundle can have this"),
        ("[weakened]\nkeep_rule = 1", 2, "did you mean 'keep_rules'?"),
        ("weakened = 3", 1, "a table"),
        ("[made]\nby = ['Erika']", 2, "no [[person]] has this name"),
        ("[[person]]\nname = 'Erika'", 1, "has no key"),
        ("[[person]]\nkeys = ['erika.pub']", 1, "has no name"),
        ("[[person]]\nname = 'Erik\u{430}'\nkeys = ['erika.pub']", 2, "all plain"),
        ("[person]\nname = 'Erika'\nkeys = ['erika.pub']", 1, "[[person]]"),
        ("[[person]]\nname = 'E'\nkeys = ['none.pub']", 3, "no such file"),
        ("[[person]]\nname = 'E'\nkeys = ['erika']", 3, "private key"),
        ("[[person]]\nname = 'E'\nkeys = ['broken.pub']", 3, "another kind"),
        (&format!("[[person]]\nname = 'E'\n{rsa}"), 3, "no public key"),
        (&with("[[person]]\nname = 'Frank'\nkeys = ['erika.pub']"), 6, "that of 'Erika' already"),
        (&with("[[person]]\nname = 'erika'\nkeys = ['maker.pub']"), 5, "already"),
        (&with("[approved]\nat_least = 1"), 4, "by whom"),
        (&with("[approved]\nby = []"), 5, "a list"),
        (&with("[approved]\nby = ['Erica']"), 5, "did you mean 'Erika'?"),
        (&with("[approved]\nby = ['Erika']\nat_least = 2"), 4, "at_least"),
        (&with("[approved]\nby = ['Erika']\nat_least = 0"), 4, "at_least"),
        (&with("[approved]\nby = ['Erika', 'Erika']"), 5, "twice"),
        (&with("[made]\nby = ['Erika']\nat_least = 1"), 6, "no such setting"),
        ("profiles = ['strict'", 1, "not TOML"),
        ("<html>", 1, "not TOML"),
    ] {
        let run = office.gate(&good, policy, &[]);
        assert_eq!(run.code, 2, "{policy:?}: {}", run.stderr);
        let place = format!("line {line}: ");
        let told = run.stderr.lines().any(|l| l.contains(&place) && l.contains(words));
        assert!(told, "{policy:?} wants line {line}, {words}: {}", run.stderr);
        assert!(run.stdout.is_empty());
    }
    // All faults at once; and a policy that is not there.
    let run = office.gate(&good, "profiles = ['x y']\nkeyed = 3\nmax_age = 1\n", &[]);
    assert!(run.stderr.lines().filter(|line| line.contains(", line ")).count() == 3, "{}", run.stderr);
    assert_eq!(office.lab.run(&["gate", &good, "--policy", "in/none.toml"]).code, 5);
    assert_eq!(office.lab.run(&["gate", &good]).code, 2);
    // A file that is no policy is not repeated.
    office.lab.input("secret", b"password = \"CANARY-7f3a hunter2\"\nCANARY-7f3a.b = 1\n");
    let run = office.lab.run(&["gate", &good, "--policy", "in/secret"]);
    assert!(run.code == 2 && !run.stderr.contains("hunter2"), "{}", run.stderr);
}

#[test]
fn verdicts_for_machines() {
    let office = Office::new();
    let (good, policy) = (office.good("good"), office.policy());
    let bad = policy.replace("[\"Acme support\"]", "[\"<Other> & 'co'\"]").replace("<Other> & 'co'", "Other & 'co'");
    let json: Value = serde_json::from_slice(&office.gate(&good, &policy, &["--json"]).stdout).expect("JSON");
    assert_eq!(
        (&json["schema"], &json["passed"], &json["refusals"]),
        (&"heapscrub.gate/1".into(), &true.into(), &0.into())
    );
    assert_eq!(json["manifest_sha256"].as_str().map(str::len), Some(64));
    for (policy, code) in [(&policy, 0), (&bad, 1)] {
        let run = office.gate(&good, policy, &["--format", "sarif"]);
        assert_eq!(run.code, code);
        let sarif: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        check_sarif(&sarif, code as usize);
        let run = office.gate(&good, policy, &["--format", "junit"]);
        assert_eq!(run.code, code);
        let junit = String::from_utf8(run.stdout).expect("UTF-8");
        check_junit(&junit, code as usize);
        assert_eq!(junit.contains("Other &amp; &apos;co&apos;"), code == 1, "{junit}");
    }
    // The same bundle and policy, the same bytes.
    let twice = [0, 1].map(|_| office.gate(&good, &bad, &["--format", "sarif"]).stdout);
    assert!(twice[0] == twice[1]);
}

/// What SARIF 2.1.0 requires of the parts that are used.
fn check_sarif(sarif: &Value, results: usize) {
    assert_eq!(sarif["version"], "2.1.0");
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert!(keys(sarif).iter().all(|key| ["$schema", "version", "runs"].contains(&key.as_str())));
    let run = &sarif["runs"][0];
    assert_eq!(sarif["runs"].as_array().map(Vec::len), Some(1));
    assert!(keys(run).iter().all(|key| ["tool", "results"].contains(&key.as_str())));
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "heapscrub");
    let rules = driver["rules"].as_array().expect("rules");
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().expect("an id")).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "each once: {ids:?}");
    assert!(rules.iter().all(|rule| rule["shortDescription"]["text"].as_str().is_some_and(|text| !text.is_empty())));
    let rows = run["results"].as_array().expect("results, also when there are none");
    assert_eq!(rows.len(), results);
    for row in rows {
        assert!(ids.contains(&row["ruleId"].as_str().expect("an id")));
        assert!(["none", "note", "warning", "error"].contains(&row["level"].as_str().expect("a level")));
        assert!(row["message"]["text"].as_str().is_some_and(|text| text.contains("Next: ")));
        let uri = row["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().expect("a place");
        assert!(uri.is_ascii() && !uri.contains([' ', '\\']));
    }
}

/// A file that any reader of XML takes: what opens is closed, in order, and the counts are true.
fn check_junit(junit: &str, failures: usize) {
    assert!(junit.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "));
    let mut open: Vec<String> = Vec::new();
    for tag in junit.split('<').skip(2) {
        let (tag, text) = tag.split_once('>').expect("a closed tag");
        assert!(!text.contains('>') && !text.contains('&') || text.contains("&"), "{text}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a name").to_owned();
        match () {
            () if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            () if tag.ends_with('/') => {}
            () => open.push(name),
        }
    }
    assert!(open.is_empty());
    assert_eq!(junit.matches("<failure ").count(), failures);
    assert!(junit.contains(&format!("tests=\"{}\" failures=\"{failures}\"", junit.matches("<testcase ").count())));
}

#[test]
fn keys_are_kept_private_and_never_replaced() {
    let office = Office::new();
    let path = |name: &str| office.lab.out(&format!("../in/{name}"));
    let mode = |name: &str| std::fs::metadata(path(name)).expect("a key").permissions().mode() & 0o777;
    assert_eq!((mode("maker"), mode("maker.pub") & 0o133), (0o600, 0));
    let before = std::fs::read(path("maker")).expect("a key");
    let run = office.lab.run(&["keygen", "-o", "in/maker"]);
    assert!(run.code == 2 && run.stderr.contains("never replaced"), "{}", run.stderr);
    assert_eq!(std::fs::read(path("maker")).expect("a key"), before);
    // Where only the public half is there, or a link to nowhere.
    std::fs::remove_file(path("stranger")).expect("remove");
    assert_eq!(office.lab.run(&["keygen", "-o", "in/stranger"]).code, 2);
    assert!(!path("stranger").exists());
    std::os::unix::fs::symlink("nowhere", path("link")).expect("link");
    assert_eq!(office.lab.run(&["keygen", "-o", "in/link"]).code, 2);
    assert!(!path("nowhere").exists());
    // Keys that others can read, or that are none, sign nothing; and nothing of them is told.
    let share = |key: &str| office.lab.run(&["share", "in/a.heapsnapshot", "-o", "out/b.zip", "--sign", key]);
    std::fs::set_permissions(path("maker"), std::fs::Permissions::from_mode(0o640)).expect("rights");
    assert!(share("in/maker").stderr.contains("others than its owner can read"));
    std::fs::set_permissions(path("maker"), std::fs::Permissions::from_mode(0o600)).expect("rights");
    std::fs::write(path("odd"), "-----BEGIN PRIVATE KEY-----\nCANARY7f3a\n-----END PRIVATE KEY-----\n").expect("write");
    std::fs::set_permissions(path("odd"), std::fs::Permissions::from_mode(0o600)).expect("rights");
    for key in ["in/maker.pub", "in/odd", "in/none", "in", "in/frank"] {
        let run = share(key);
        assert_ne!(run.code, 0, "{key}");
        assert!(!run.stderr.contains("CANARY") && !office.lab.out("b.zip").exists(), "{key}: {}", run.stderr);
    }
    // No message and no file beside the key holds a line of it.
    let secret = before.split(|b| *b == b'\n').nth(1).expect("digits").to_vec();
    let run = share("in/maker");
    assert_eq!(run.code, 0, "{}", run.stderr);
    for entry in std::fs::read_dir(office.lab.out("")).expect("directory") {
        assert!(!contains(&std::fs::read(entry.expect("entry").path()).expect("a file"), &secret));
    }
    assert!(!contains(run.stderr.as_bytes(), &secret));
    // To standard output there is no beside.
    assert_eq!(office.lab.run(&["share", "in/a.heapsnapshot", "-o", "-", "--sign", "in/maker"]).code, 2);
    // A bundle that could not be published leaves no signature behind.
    std::fs::write(office.lab.out("taken.zip"), b"x").expect("write");
    let names = office.lab.left_behind();
    let run = office.lab.run(&["share", "in/a.heapsnapshot", "-o", "out/taken.zip", "--sign", "in/maker", "--dated"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(office.lab.left_behind(), names);
}
