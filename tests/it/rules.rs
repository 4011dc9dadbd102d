//! `heapscrub rules`: list, explain, test, lint.

use std::path::{Path, PathBuf};

use super::support::{Lab, Run};

const SOUND: &str = r#"[[rule]]
id = "own-token"
category = "credential"
describe = "Tokens of ours"
match = '''\bown_[a-z]{8,}'''
keywords = ["own_"]
severity = "critical"
note = "names of our tables begin alike"
examples = ["own_abcdefgh", "see own_abcdefghijk"]
counterexamples = ["own_", "owner"]

[[keep]]
id = "own-words"
exact = ["pending", "done"]
"#;

fn rules(lab: &Lab, args: &[&str], files: &[&Path]) -> Run {
    let args = ["rules"].iter().chain(args).map(Path::new).chain(files.iter().copied());
    lab.run(&args.collect::<Vec<_>>())
}

fn out(run: &Run) -> String {
    String::from_utf8(run.stdout.clone()).expect("UTF-8")
}

fn file(lab: &Lab, text: &str) -> PathBuf {
    lab.input("own.toml", text.as_bytes())
}

/// Lints one file; its findings, each as line and words.
fn lint(text: &str) -> (i32, Vec<String>) {
    let lab = Lab::new();
    let file = file(&lab, text);
    let run = rules(&lab, &["lint"], &[&file]);
    let place = format!("{}:", file.display());
    (run.code, out(&run).lines().map(|line| line.replace(&place, "")).collect())
}

#[test]
fn a_pipe_gets_one_line_for_each_rule() {
    let lab = Lab::new();
    let sound = file(&lab, SOUND);
    let run = rules(&lab, &["list", "--rules"], &[&sound]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let list = out(&run);
    let row = |id: &str| {
        let line = list.lines().find(|line| line.split_whitespace().next() == Some(id)).expect("a row");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("email"), "email personal medium text E-mail addresses");
    assert_eq!(row("password"), "password credential high key Passwords, known by their key");
    assert_eq!(row("private-key"), "private-key credential critical text PEM private keys");
    assert!(row("unknown-token").starts_with("unknown-token chance low text"));
    assert_eq!(row("own-token"), "own-token credential critical text Tokens of ours");
    assert_eq!(row("http-methods"), "http-methods keep - text Keeps 7 texts");
    assert_eq!(row("own-words"), "own-words keep - text Keeps 2 texts");
}

#[test]
fn the_list_as_json() {
    let lab = Lab::new();
    let run = rules(&lab, &["list", "--json"], &[]);
    let list: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(list["schema"], "heapscrub.rules/1");
    let all = list["rules"].as_array().expect("rules");
    let one = |id: &str| all.iter().find(|rule| rule["id"] == id).expect("a rule").clone();
    assert_eq!(one("chat-message")["siblings"][0], "role");
    assert_eq!((&one("email")["severity"], &one("email")["is_context"]), (&"medium".into(), &false.into()));
    assert!(one("password")["keys"].as_array().expect("keys").contains(&"passphrase".into()));
    for rule in all {
        let examples = |field: &str| rule[field].as_array().map_or(0, Vec::len);
        assert!(examples("examples") >= 2 && examples("counterexamples") >= 2, "{rule}");
    }
    assert_eq!(list["keep"][0]["id"], "http-methods");
}

#[test]
fn every_rule_can_be_explained() {
    let lab = Lab::new();
    let list: serde_json::Value = serde_json::from_slice(&rules(&lab, &["list", "--json"], &[]).stdout).expect("JSON");
    let all = ["rules", "keep"].into_iter().flat_map(|part| list[part].as_array().expect("a list"));
    for id in all.map(|rule| rule["id"].as_str().expect("id")) {
        let run = rules(&lab, &["explain", id], &[]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{id}");
        let page = out(&run);
        assert!(page.starts_with(&format!("{id}: ")) && page.contains("[[keep]]"), "{page}");
        assert!(page.lines().all(|line| line.trim_end() == line), "{page}");
        if page.contains("category ") {
            for label in ["why", "known by", "how sure", "leaves", "finds", "finds not", "mistakes", "to allow"] {
                let row = page.lines().find(|line| line.starts_with(&format!("  {label:<12}")));
                assert!(row.is_some_and(|row| row.len() > 14), "{id}: {label}: {page}");
            }
        }
    }
}

#[test]
fn what_an_explanation_says() {
    let lab = Lab::new();
    let sound = file(&lab, SOUND);
    let sound = sound.to_str().expect("UTF-8");
    for (args, words) in [
        (
            &["explain", "chat-message"][..],
            &["the key that holds it", "content", "author, sender", "[chat-message#N]"][..],
        ),
        (&["explain", "github-token"], &["its form", r"\bgh[pousr]_", "ghp_short", "severity    high", "cut off"]),
        (&["explain", "unknown-token"], &["chance", "severity    low", "mistakes", "[unknown-token#N]"]),
        (&["explain", "http-methods"], &["keep rule", "PATCH", "value"]),
        (&["explain", "[email#12]"], &["E-mail addresses"]),
        (&["explain", "own-token", "--rules", sound], &["[own-rule#N]", "critical", "names of our tables"]),
        (&["explain", "own-words", "--rules", sound], &["any name, but no value", "pending"]),
    ] {
        let page = out(&rules(&lab, args, &[]));
        for word in words {
            assert!(page.contains(word), "{args:?}, {word}: {page}");
        }
    }
}

#[test]
fn the_snippet_of_an_explanation_keeps_the_text() {
    let lab = Lab::new();
    for id in ["email", "private-key", "assigned-secret"] {
        let page = out(&rules(&lab, &["explain", id], &[]));
        let snippet = &page[page.find("[[keep]]").expect("a snippet")..];
        let run = rules(&lab, &["test"], &[&file(&lab, snippet)]);
        assert_eq!(run.code, 0, "{id}: {snippet}{}", run.stderr);
    }
    // What the page says about the strict profile.
    let page = out(&rules(&lab, &["explain", "email"], &[]));
    let keep = file(&lab, &page[page.find("[[keep]]").expect("a snippet")..]);
    let mut snapshot = super::snapshot::Snapshot::new();
    snapshot.value("a", "jane.doe@example.test");
    snapshot.value("b", "joe.doe@example.test");
    let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let (scrub, flag, output) = (Path::new("scrub"), Path::new("--rules"), lab.out("clean"));
    let run = lab.run(&[scrub, &input, Path::new("-o"), &output, flag, &keep]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let texts = super::snapshot::strings(&std::fs::read(output).expect("output"));
    assert!(
        texts.iter().any(|t| t == "jane.doe@example.test") && !texts.iter().any(|t| t.contains("joe")),
        "{texts:?}"
    );
}

#[test]
fn an_id_like_no_other_gets_no_suggestion() {
    let run = rules(&Lab::new(), &["explain", "zzzzzz"], &[]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no rule 'zzzzzz'; 'heapscrub rules list' shows them all"), "{}", run.stderr);
}

#[test]
fn sound_rules_pass_their_test() {
    let lab = Lab::new();
    let run = rules(&lab, &["test"], &[&file(&lab, SOUND)]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let lines = out(&run);
    assert!(lines.starts_with("ok      own-token  2 examples, 2 counterexamples\n"), "{lines}");
    assert!(lines.contains("ok      own-words  keep rule, 2 texts\nall hold; "), "{lines}");
}

const FAULTY: &str = r#"[[rule]]
id = "first"
category = "x"
describe = "X"
match = "ab+"
examples = ["abb",
  "xyz"]
counterexamples = ["abbb"]

[[rule]]
id = "second"
category = "x"
describe = "X"
match = '''
(ab'''

[[rule]]
id = "third"
category = "x"
describe = "X"
match = "cd"
typo = 1

[[rule]]
id = "jwt"
category = "x"
describe = "X"
match = "ef"
"#;

#[test]
fn a_test_shows_all_failures() {
    let lab = Lab::new();
    let run = rules(&lab, &["test"], &[&file(&lab, FAULTY)]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("4 of 4 rules failed"), "{}", run.stderr);
    let lines = out(&run);
    for words in [
        "own.toml:7: does not find its example 'xyz'",
        "own.toml:8: finds its counterexample 'abbb'",
        "own.toml:14: unclosed group",
        "own.toml:22: unknown field `typo`",
        "own.toml:25: the id is taken: tokens.toml:",
    ] {
        assert!(lines.contains(words), "{words}: {lines}");
    }
}

#[test]
fn errors_point_to_file_line_and_rule() {
    let lab = Lab::new();
    let rule = |rest: &str| format!("# head\n[[rule]]\nid = 'own'\ncategory = 'x'\ndescribe = 'X'\n{rest}\n");
    for (text, words) in [
        (rule("match = '('"), "own.toml:6, rule 'own': regex parse error"),
        (rule("match = 'a'\ncut = '['"), "own.toml:7, rule 'own': regex parse error"),
        (rule("match = 'a'\nexcept = '*'"), "own.toml:7, rule 'own': regex parse error"),
        (rule("match = 'a'\ntypo = 1"), "own.toml:7, rule 'own': unknown field `typo`"),
        (rule("match = 'a'\nseverity = 'bad'"), "own.toml:7, rule 'own': unknown variant `bad`"),
        (rule("match = 'a'\nexamples = ['b']"), "own.toml:7, rule 'own': does not find its example 'b'"),
        (rule("match = 'a"), "own.toml:6, rule 'own': "),
        (rule(""), "own.toml:2, rule 'own': missing field `match`"),
        (rule("match = 'a'").replace("own", "jwt"), "two rules have the id 'jwt': tokens.toml:"),
    ] {
        let file = file(&lab, &text);
        for args in [&["rules", "list"][..], &["scrub", "none.heapsnapshot", "--dry-run"]] {
            let run = lab.run(&[args, &["--rules", file.to_str().expect("UTF-8")]].concat());
            assert_eq!(run.code, 2, "{args:?} {text}: {}", run.stderr);
            assert!(run.stderr.contains(words), "{text}: {}", run.stderr);
        }
    }
}

#[test]
fn the_embedded_rules_have_no_errors() {
    let run = rules(&Lab::new(), &["lint"], &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", out(&run));
}

#[test]
fn sound_rules_have_no_findings() {
    assert_eq!(lint(SOUND), (0, vec!["no errors, no warnings".to_owned()]));
}

#[test]
fn what_lint_finds() {
    let rule = |id: &str, rest: &str| format!("[[rule]]\nid = '{id}'\ncategory = 'x'\n{rest}\n");
    let two = "examples = ['abc', 'xabc']\ncounterexamples = ['d', 'e']";
    let good = format!("describe = 'X'\nmatch = 'abc'\nkeywords = ['ABC']\n{two}");
    for (text, code, finding) in [
        (rule("Own", &good), 2, "error    2, rule 'Own': an id is written like this"),
        (rule("own-rule", &good), 2, "error    2, rule 'own-rule': the id is taken: the program has it"),
        (rule("email", &good), 2, "error    2, rule 'email': the id is taken: personal.toml:"),
        (rule("a", &good) + &rule("a", &good), 2, "error    10, rule 'a': the id is taken: 2 has it"),
        (rule("a", &good.replace("'X'", "'x'")), 0, "warning  4, rule 'a': describe begins with a capital"),
        (rule("a", &good.replace("'d', ", "")), 0, "warning  8, rule 'a': counterexamples: one, but two"),
        (rule("a", "describe = 'X'\nmatch = 'abc'"), 0, "warning  1, rule 'a': examples: none, but two"),
        (rule("a", &good.replace("'ABC'", "")), 0, "warning  5, rule 'a': runs on every text"),
        (
            rule("a", &good.replace("'ABC'", "'abc', 'zzz'")),
            0,
            "warning  6, rule 'a': keywords that occur in no example: zzz",
        ),
        (
            rule("a", &good.replace("match = 'abc'", "match = '(abc)?'")),
            2,
            "error    5, rule 'a': the pattern finds the empty",
        ),
        (rule("a", &good.replace("match = 'abc'", "match = '[a-z]+'")), 2, "error    5, rule 'a': too broad"),
        (rule("a", &good.replace("match = 'abc'", "match = '('")), 2, "error    5, rule 'a': unclosed group"),
        (rule("a", &good.replace("xabc", "xyz")), 2, "error    7, rule 'a': does not find its example 'xyz'"),
        (rule("a", &format!("{good}\ntypo = 1\nother = 2")), 2, "error    9, rule 'a': unknown field `typo`"),
        (rule("a", &format!("{good}\ntypo = 1\nother = 2")), 2, "error    10, rule 'a': unknown field `other`"),
        ("[[keep]]\nid = 'k'\nexact = ['x']\nwhy = 1\n".to_owned(), 2, "error    4, rule 'k': unknown field `why`"),
        ("[[keep]]\nid = 'k'\nexact = []\n".to_owned(), 0, "warning  3, rule 'k': keeps nothing"),
        ("[rule]\nid = 'a'\n".to_owned(), 2, "error    1: write [[rule]], in double brackets"),
        ("[[rules]]\nid = 'a'\n".to_owned(), 2, "error    1: rule 'a': missing field `regex`, in a file of gitleaks"),
        ("[[rule]]\nid = 'a\nmatch = 'b'\n".to_owned(), 2, "error    2, rule 'a': "),
    ] {
        let (found_code, findings) = lint(&text);
        assert!(findings.iter().any(|line| line.starts_with(finding)), "{finding}: {findings:#?}\n{text}");
        assert_eq!(found_code, code, "{text}: {findings:#?}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    for command in ["test", "lint"] {
        let run = rules(&Lab::new(), &[command, "none.toml"], &[]);
        assert_eq!(run.code, 5);
        assert!(run.stderr.contains("none.toml"), "{}", run.stderr);
    }
}

#[test]
fn texts_of_a_file_are_examined_and_never_shown() {
    let lab = Lab::new();
    let token = format!("ghp_{}", "k3J9".repeat(9));
    let texts = format!(
        "{{\"text\":\"x {token} y\"}}\n{{\"text\":\"violet77\",\"key\":\"dbPassword\"}}\n{{\"text\":\"nothing here\"}}\n"
    );
    let file = lab.input("texts.jsonl", texts.as_bytes());
    let run = rules(&lab, &["test", "--jsonl"], &[&file]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let lines: Vec<serde_json::Value> =
        out(&run).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["rules"], serde_json::json!(["github-token"]));
    assert_eq!(lines[0]["spans"], serde_json::json!([[2, 42]]));
    assert_eq!((&lines[1]["rules"][0], &lines[1]["confidence"]), (&"password".into(), &"medium".into()));
    assert_eq!((lines.len(), &lines[2]["spans"]), (3, &serde_json::json!([])));
    assert!(!out(&run).contains("k3J9") && !out(&run).contains("violet"));
    let bad = lab.input("bad.jsonl", format!("{{\"text\":\"x\"}}\n{token}\n").as_bytes());
    let run = rules(&lab, &["test", "--jsonl"], &[&bad]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("line 2") && !run.stderr.contains("k3J9"), "{}", run.stderr);
}

#[test]
fn a_file_of_gitleaks_loads_and_a_broken_one_stops_the_run() {
    let lab = Lab::new();
    let file =
        lab.input(".gitleaks.toml", b"[[rules]]\nid = \"acme\"\nregex = '''acme_[a-z0-9]{8}'''\npath = '''x'''\n");
    let texts = lab.input("texts.jsonl", b"{\"text\":\"acme_k3j9x2m1\"}\n");
    let run = rules(&lab, &["test", "--jsonl"], &[&texts, &file]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(out(&run).contains("gitleaks-acme"), "{}", out(&run));
    assert!(run.stderr.contains("path has no meaning for a heap"), "{}", run.stderr);
    let broken = lab.input("broken.toml", b"[[rules]]\nid = \"acme\"\nregex = '''('''\n");
    let snapshot = lab.input("a.heapsnapshot", b"{}");
    let run = lab.run(&[Path::new("scrub"), &snapshot, Path::new("--dry-run"), Path::new("--rules"), &broken]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("broken.toml:3, rule 'acme'"), "{}", run.stderr);
}

#[test]
fn rules_that_are_off_weaken_the_result_and_say_why() {
    let lab = Lab::new();
    let off = lab.input("off.toml", b"[[off]]\nrule = \"email\"\nreason = \"test addresses only\"\n");
    let texts = lab.input("texts.jsonl", b"{\"text\":\"jane@example.test\"}\n");
    let run = rules(&lab, &["test", "--jsonl"], &[&texts, &off]);
    assert!(out(&run).contains("\"spans\":[]"), "{}", out(&run));
    assert!(run.stderr.contains("rule 'email' is off: test addresses only"), "{}", run.stderr);
    let run = rules(&lab, &["lint"], &[&off]);
    assert_eq!(run.code, 0, "{}{}", out(&run), run.stderr);
    let faulty = lab.input("faulty.toml", b"\n[[off]]\nrule = \"emial\"\nreason = \"test addresses only\"\n");
    let run = rules(&lab, &["list", "--rules"], &[&faulty]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("faulty.toml:2, rule 'emial'"), "{}", run.stderr);
}
