//! Reports and scans: what they say, in which form, and that nothing in them acts.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::snapshot::Snapshot;
use super::support::{Lab, leak_sample};

fn report(lab: &Lab, inputs: &[PathBuf], flags: &[&str]) -> String {
    let mut args: Vec<PathBuf> = vec!["report".into()];
    args.extend(inputs.iter().cloned());
    args.extend(flags.iter().map(PathBuf::from));
    let run = lab.run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    String::from_utf8(run.stdout).expect("UTF-8")
}

/// Checks a value against the parts of JSON Schema that the schema of reports uses; anything else in it is a fault.
fn check(schema: &Value, root: &Value, value: &Value, place: &str) {
    let schema = schema.as_object().expect("an object");
    for (key, rule) in schema {
        match key.as_str() {
            "$schema" | "title" | "description" | "$defs" | "format" => {}
            "$ref" => {
                let name = rule.as_str().expect("a reference").strip_prefix("#/$defs/").expect("a definition");
                check(&root["$defs"][name], root, value, place);
            }
            "type" => {
                let words: Vec<&str> = match rule {
                    Value::String(word) => vec![word],
                    Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
                    other => panic!("{place}: type {other}"),
                };
                let is = |word: &&str| match *word {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    other => panic!("{place}: type {other}"),
                };
                assert!(words.iter().any(is), "{place}: {value} is none of {words:?}");
            }
            "properties" => {
                let known = rule.as_object().expect("properties");
                for (name, value) in value.as_object().expect("an object") {
                    let rule = known.get(name).unwrap_or_else(|| panic!("{place}.{name} is not in the schema"));
                    check(rule, root, value, &format!("{place}.{name}"));
                }
            }
            "required" => {
                for name in rule.as_array().expect("a list") {
                    assert!(value.get(name.as_str().expect("a name")).is_some(), "{place}: {name} is missing");
                }
            }
            "items" => {
                for (i, value) in value.as_array().expect("a list").iter().enumerate() {
                    check(rule, root, value, &format!("{place}[{i}]"));
                }
            }
            "anyOf" => {
                let rules = rule.as_array().expect("a list");
                // An optional part: null, or what it is if it is there.
                let (nulls, others): (Vec<_>, Vec<_>) = rules.iter().partition(|r| r["type"] == "null");
                assert_eq!((nulls.len(), others.len()), (1, 1), "{place}: the schema uses {rule}");
                if !value.is_null() {
                    check(others[0], root, value, place);
                }
            }
            "minItems" => {
                assert!(value.as_array().expect("a list").len() as u64 >= rule.as_u64().expect("a number"), "{place}")
            }
            "maxItems" => {
                assert!(value.as_array().expect("a list").len() as u64 <= rule.as_u64().expect("a number"), "{place}")
            }
            "const" => assert_eq!(value, rule, "{place}"),
            "enum" => assert!(rule.as_array().expect("a list").contains(value), "{place}: {value}"),
            "oneOf" => {
                // Words, each with what it means.
                let is = |rule: &&Value| {
                    rule["const"] == *value || rule["enum"].as_array().is_some_and(|e| e.contains(value))
                };
                assert_eq!(rule.as_array().expect("a list").iter().filter(is).count(), 1, "{place}: {value}");
            }
            "minimum" => assert!(value.as_f64().is_none_or(|n| n >= rule.as_f64().expect("a number")), "{place}"),
            other => panic!("{place}: the schema uses {other}"),
        }
    }
}

#[test]
fn reports_fit_their_schema() {
    let lab = Lab::new();
    let schema = lab.run(&["schema"]);
    assert_eq!(schema.code, 0);
    let schema: Value = serde_json::from_slice(&schema.stdout).expect("JSON");
    let one = lab.input("1.heapsnapshot", &leak_sample("desk-leak", 1));
    let two = lab.input("2.heapsnapshot", &leak_sample("desk-leak", 2));
    for (inputs, flags) in [
        (&[one.clone()][..], &["--format", "json"][..]),
        (&[one, two], &["--format", "json", "--limit", "0", "--profile", "balanced", "--context", "rss.2=1MB"]),
    ] {
        let report: Value = serde_json::from_str(&report(&lab, inputs, flags)).expect("JSON");
        assert_eq!(report["schema"], "heapscrub.report/1");
        check(&schema, &schema, &report, "report");
    }
}

/// A class of every hostile kind of name that a rule file of the user's own vouches for.
fn hostile(lab: &Lab, classes: usize) -> (PathBuf, PathBuf) {
    let mut names: Vec<String> = [
        "A`B``C",
        "A|B",
        "@everyone",
        "![x](http://x.example/y.png)",
        "<img src=x onerror=alert(1)>",
        "A\u{202e}B",
        "A\u{1b}[31mB",
        "A\nB",
        "=1+1",
    ]
    .map(str::to_owned)
    .to_vec();
    names.extend((0..classes).map(|n| format!("Class{}", "ab".repeat(n % 40)) + &letters(n)));
    let mut snapshot = Snapshot::new();
    for name in &names {
        let node = snapshot.node("object", name);
        snapshot.edge(0, "element", "1", node);
    }
    let exact: Vec<String> = names.iter().map(|name| serde_json::to_string(name).expect("JSON")).collect();
    // TOML takes the texts of JSON but for the escape of one control character.
    let rules = format!("[[keep]]\nid = \"mine\"\nexact = [{}]\nroles = [\"class\"]\n", exact.join(", "));
    (lab.input("a.heapsnapshot", snapshot.json().as_bytes()), lab.input("keep.toml", rules.as_bytes()))
}

fn letters(mut n: usize) -> String {
    let mut out = String::new();
    for _ in 0..4 {
        out.push(char::from(b'a' + (n % 26) as u8));
        n /= 26;
    }
    out
}

#[test]
fn hostile_names_do_nothing_in_markdown_and_on_terminals() {
    let lab = Lab::new();
    let (input, rules) = hostile(&lab, 0);
    let rules = rules.display().to_string();
    let markdown = report(&lab, std::slice::from_ref(&input), &["--rules", &rules]);
    for c in ['\u{202e}', '\u{1b}'] {
        assert!(!markdown.contains(c));
    }
    // Outside of code spans nothing of it is left.
    for line in markdown.lines().filter(|line| line.starts_with("| `")) {
        let rest = without_spans(line.trim_start_matches("| "));
        for act in ["@", "![", "<img", "http:"] {
            assert!(!rest.contains(act), "{line}");
        }
        assert_eq!(line.matches('|').count() - line.matches("\\|").count(), line.matches(" | ").count() + 2, "{line}");
    }
    assert!(markdown.contains("```A`B``C```") && markdown.contains("`@everyone`") && markdown.contains("`A\\|B`"));
    let run = lab.run(&[
        "share".into(),
        input.display().to_string(),
        "--rules".into(),
        rules,
        "-o".into(),
        lab.out("b.zip").display().to_string(),
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains('\u{202e}'));
}

#[test]
fn hostile_names_do_nothing_in_pages() {
    let lab = Lab::new();
    let (input, rules) = hostile(&lab, 0);
    let rules = rules.display().to_string();
    let page = report(&lab, std::slice::from_ref(&input), &["--rules", &rules, "--format", "html"]);
    assert!(!page.contains(['\u{202e}', '\u{1b}']));
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains("&lt;img&gt;") && !page.contains("<img"));
    assert!(page.contains("A\\u{202e}B") && page.contains("A\\u{1b}[31mB") && page.contains("A\\u{a}B"));
    // Nothing can be loaded, run or sent; links stay on the page.
    let policy = "default-src &#39;none&#39;; style-src &#39;sha256-";
    assert!(page.contains(policy) && page.contains("form-action &#39;none&#39;"));
    for tag in page.split('<').filter(|tag| tag.starts_with("a ")) {
        assert!(tag.contains("href=\"#"), "{tag}");
    }
    for act in [" src=", " style=", " onload=", " onclick=", "javascript:"] {
        assert!(!page.split('<').any(|tag| tag.split('>').next().is_some_and(|tag| tag.contains(act))), "{act}");
    }
}

#[test]
fn a_page_caps_its_tables_and_says_where_the_rest_is() {
    let lab = Lab::new();
    let (input, rules) = hostile(&lab, 6000);
    let rules = rules.display().to_string();
    let page = report(&lab, std::slice::from_ref(&input), &["--rules", &rules, "--format", "html", "--limit", "0"]);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(page.contains("more in <code>report.json</code>"));
}

/// A line without its code spans.
fn without_spans(line: &str) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(open) = rest.find('`') {
        out.push_str(&rest[..open]);
        let fence: String = rest[open..].chars().take_while(|c| *c == '`').collect();
        let behind = &rest[open + fence.len()..];
        let mut from = 0;
        let close = loop {
            let Some(at) = behind[from..].find(&fence).map(|n| n + from) else {
                panic!("a span that never ends: {line}")
            };
            let run = behind[at..].chars().take_while(|c| *c == '`').count();
            if run == fence.len() {
                break at + run;
            }
            from = at + run;
        };
        rest = &behind[close..];
    }
    out + rest
}

#[test]
fn markdown_is_never_longer_than_trackers_take() {
    let lab = Lab::new();
    let (input, rules) = hostile(&lab, 6000);
    let rules = rules.display().to_string();
    let markdown = report(&lab, std::slice::from_ref(&input), &["--rules", &rules]);
    assert!((20_000..=65_000).contains(&markdown.chars().count()), "{}", markdown.chars().count());
    assert!(markdown.contains("more classes in `report.json`") && markdown.contains("## What was removed"));
    let json: Value =
        serde_json::from_str(&report(&lab, &[input], &["--rules", &rules, "--format", "json", "--limit", "0"]))
            .expect("JSON");
    assert!(json["classes"].as_array().expect("rows").len() > 6000);
}

#[test]
fn a_report_to_a_file() {
    let lab = Lab::new();
    let input = lab.input("1.heapsnapshot", &leak_sample("desk-leak", 1));
    let out = lab.out("report.json");
    let run = |force: &[&str]| {
        let mut args =
            vec![PathBuf::from("report"), input.clone(), "-o".into(), out.clone(), "--format".into(), "json".into()];
        args.extend(force.iter().map(PathBuf::from));
        lab.run(&args)
    };
    assert_eq!(run(&[]).code, 0);
    assert!(serde_json::from_slice::<Value>(&std::fs::read(&out).expect("report")).is_ok());
    assert_eq!(run(&[]).code, 2);
    assert_eq!(run(&["--force"]).code, 0);
}

#[test]
fn a_scan_counts_and_never_shows() {
    let lab = Lab::new();
    let token = ["ghp_", &"a1B2".repeat(9)].concat();
    let mut snapshot = Snapshot::new();
    snapshot.value("note", &format!("use {token} for it"));
    snapshot.value("mail", "someone.canary@example.test");
    let input = lab.input("CANARY.heapsnapshot", snapshot.json().as_bytes());
    let scan = |flags: &[&str]| {
        let mut args = vec![PathBuf::from("scan"), input.clone()];
        args.extend(flags.iter().map(PathBuf::from));
        let run = lab.run(&args);
        for out in [&run.stdout[..], run.stderr.as_bytes()] {
            let text = String::from_utf8_lossy(out);
            assert!(!text.contains(&token) && !text.contains("someone.canary"), "{text}");
        }
        run
    };
    let text = scan(&[]);
    let shown = String::from_utf8(text.stdout).expect("UTF-8");
    assert_eq!(text.code, 0);
    assert!(shown.contains("github-token") && shown.contains("email") && shown.contains("balanced"), "{shown}");
    for (level, code) in [("low", 1), ("medium", 1), ("high", 1), ("critical", 0)] {
        assert_eq!(scan(&["--fail-on", level]).code, code, "{level}");
    }
    assert_eq!(scan(&["--fail-on", "hihg"]).code, 2);
    let json: Value = serde_json::from_slice(&scan(&["--format", "json"]).stdout).expect("JSON");
    let found = json["snapshots"][0]["findings"].as_array().expect("findings");
    assert!(found.iter().any(|f| f["rule"] == "github-token" && f["severity"] == "high" && f["texts"] == 1), "{json}");
    let sarif: Value = serde_json::from_slice(&scan(&["--format", "sarif"]).stdout).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let ids: Vec<&Value> =
        sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").iter().map(|r| &r["id"]).collect();
    for result in sarif["runs"][0]["results"].as_array().expect("results") {
        assert!(ids.contains(&&result["ruleId"]) && result["message"]["text"].is_string());
    }
    assert_eq!(lab.left_behind(), Vec::<String>::new());
}

#[test]
fn settings_from_a_file() {
    let lab = Lab::new();
    let made = lab.run(&["init", "-o", "out/heapscrub.toml"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(lab.run(&["init", "-o", "out/heapscrub.toml"]).code, 2);
    let mut snapshot = Snapshot::new();
    snapshot.value("note", "nothing to find here");
    let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let scrub = |config: &Path, flags: &[&str]| {
        let mut args = vec![
            PathBuf::from("scrub"),
            input.clone(),
            "-o".into(),
            lab.out("clean"),
            "--force".into(),
            "--config".into(),
            config.into(),
        ];
        args.extend(flags.iter().map(PathBuf::from));
        let run = lab.run(&args);
        (
            run.code,
            std::fs::read_to_string(lab.out("clean")).unwrap_or_default().contains("nothing to find"),
            run.stderr,
        )
    };
    // All comments: nothing changes.
    let (code, kept, message) = scrub(&lab.out("heapscrub.toml"), &[]);
    assert!(code == 0 && !kept, "{message}");
    let text = std::fs::read_to_string(lab.out("heapscrub.toml")).expect("settings");
    // Every setting in it is one that is known, once it is uncommented.
    let bare: String =
        text.lines().filter(|l| !l.starts_with("# ")).map(|l| l.trim_start_matches('#').to_owned() + "\n").collect();
    std::fs::write(
        lab.out("all.toml"),
        bare.replace("rules = [\"own-rules.toml\"]", "rules = []")
            .replace("values_files = [\"customers.txt\"]", "values_files = []")
            .replace("names_from = [\"src\"]", "names_from = []")
            .replace("key_file = \"key\"\n", ""),
    )
    .expect("write");
    let (code, _, message) = scrub(&lab.out("all.toml"), &[]);
    assert_eq!(code, 0, "{message}");
    std::fs::write(lab.out("b.toml"), "profile = \"balanced\"\n").expect("write");
    let (code, kept, message) = scrub(&lab.out("b.toml"), &[]);
    assert!(code == 0 && kept, "{message}");
    let (code, kept, message) = scrub(&lab.out("b.toml"), &["--profile", "strict"]);
    assert!(code == 0 && !kept, "{message}");
    std::fs::write(lab.out("c.toml"), "profil = \"balanced\"\n").expect("write");
    let (code, _, message) = scrub(&lab.out("c.toml"), &[]);
    assert!(code == 2 && message.contains("did you mean 'profile'?"), "{message}");
}

#[test]
fn names_and_options_are_no_reason_to_fail_a_scan() {
    let lab = Lab::new();
    let scan = |key: &str, texts: &[&str]| {
        let mut snapshot = Snapshot::new();
        let list = snapshot.node("object", "Array");
        snapshot.edge(0, "property", key, list);
        for (at, text) in texts.iter().enumerate() {
            let node = snapshot.node("string", text);
            snapshot.edge(list, "element", &at.to_string(), node);
        }
        let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
        lab.run(&[Path::new("scan"), &input, Path::new("--fail-on"), Path::new("high")]).code
    };
    assert_eq!(scan("resolverKeys", &["ERR_HTTP2_STATUS_101", "findSourceMap", "resolve4"]), 0);
    assert_eq!(scan("options", &["--node-api-uncaught-exceptions-policy", "--no-tls-max-v1.3", "--tls-min-v1.0"]), 0);
    assert_eq!(scan("apiKeys", &["a8f3c2d19e7755b0a8f3"]), 1);
    assert_eq!(scan("options", &["key-a8f3c2d19e7755b0a8f3c2d19e7755b0"]), 1);
}

#[test]
fn markdown_keeps_its_limit_whatever_is_told() {
    let lab = Lab::new();
    // A span around backticks is as long as three of them.
    let long = |n: usize| if n.is_multiple_of(2) { "`|".repeat(240) } else { format!("a{}", "`".repeat(480)) };
    let inputs: Vec<PathBuf> = (0..24)
        .map(|n| {
            let mut snapshot = Snapshot::new();
            let holder = snapshot.node("object", "Array");
            snapshot.edge(0, "shortcut", "held", holder);
            for at in 0..100 * (n + 1) {
                let node = snapshot.node("object", &"LongClassName".repeat(7_000));
                snapshot.edge(holder, "element", &at.to_string(), node);
            }
            lab.input(&format!("{}{n}.heapsnapshot", "|`".repeat(100)), snapshot.json().as_bytes())
        })
        .collect();
    let topics = ["runtime", "build", "time", "heap-limit", "container-limit", "workload", "rss", "external", "gc"];
    let mut flags = vec!["--keep-order".to_owned(), "--keep-file-names".into(), "--profile".into(), "balanced".into()];
    for topic in topics {
        for n in 1..=24 {
            flags.extend(["--context".to_owned(), format!("{topic}.{n}={}", long(n))]);
        }
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let markdown = report(&lab, &inputs, &flags);
    assert!((10_000..=65_000).contains(&markdown.chars().count()), "{}", markdown.chars().count());
    assert!(markdown.contains("…`") && markdown.contains("more in `report.json`"));
    for part in ["## Classes by size", "## Evidence", "## What was removed", "schema heapscrub.report/1"] {
        assert!(markdown.contains(part), "{part}");
    }
    // What the summary of a bundle says is for a terminal.
    let mut args: Vec<PathBuf> = vec!["share".into(), "-o".into(), lab.out("b.zip")];
    args.extend(inputs.iter().cloned());
    args.extend(flags.iter().map(PathBuf::from));
    let run = lab.run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let grew = run.stderr.lines().find(|line| line.starts_with("  grew")).expect("what grew");
    assert!(grew.contains('…') && grew.chars().count() < 320, "{grew}");
    assert_eq!(lab.run(&[Path::new("verify"), &lab.out("b.zip")]).code, 0);
}
