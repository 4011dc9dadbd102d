//! Logs, JSON and JSON line by line: what goes, what stays, and that nothing that is no log passes for one.

use std::path::Path;

use super::snapshot::Snapshot;
use super::support::{Lab, Run, contains};

// Invented values; none of them works anywhere.
const TOKEN: &str = "ghp_Zk81mQ0v2LrTb94wXc7YpH3sDn6JfG5aKe2U";

const LOG: &str = "2026-11-19T22:00:00.123Z INFO  [worker 12] request completed in 12ms status=200 user=zebulon@example.test\r\n\
2026-11-19 22:00:01,456 ERROR Failed to load order 4711 for customer Zebulon Quaxley: connection refused\n\
[2026-11-19T22:00:02Z] WARN password=tulip7garden rss: 310 MB\n\
\x1b[32m    at Layer.handle (/home/zebulon/app/node_modules/express/lib/router/layer.js:95:5)\x1b[0m\n\
127.0.0.1 - zebulon [19/Nov/2026:22:00:00 +0000] \"GET /api/users/zebulon HTTP/1.1\" 200 512\n\
-----BEGIN RSA PRIVATE KEY-----\n\
MIIEpAIBAAKCAQEAzx9K2vLr7TbN4wZc8YpH3sDxK9mQ2vLr7TbN4wZc8YpH3sD\n\
xK9mQ2vLr7TbN4wZc8YpH3sDxK9mQ2vLr7TbN4wZc8YpH3sDxK9mQ2vLr7TbN4w==\n\
-----END RSA PRIVATE KEY-----\n\
{\"time\":\"2026-11-19T22:00:00Z\",\"level\":\"info\",\"msg\":\"user logged in\",\"user\":{\"name\":\"Zebulon\",\"password\":\"tulip\"},\"zebulon@example.test\":1,\"took\":12.5,\"balance\":90210}\n\
{\"broken\": \"he said \"Quaxley\" to me\", \"x\": 1\n\
Dear desk, my name is Zebulon and somebody charged my card twice last Tuesday";

/// Nothing of these may stay in the strict profile.
const NAMES: [&str; 12] =
    ["ebulon", "Quaxley", "tulip", "4711", "90210", "127.0.0.1", "MIIE", "xK9m", "charged", "Tuesday", "home", "\x1b"];

fn scrub(lab: &Lab, name: &str, bytes: &[u8], flags: &[&str]) -> Run {
    let (input, output) = (lab.input(name, bytes), lab.out("clean"));
    let mut args: Vec<&Path> = vec![Path::new("scrub"), Path::new("--force"), &input, Path::new("-o"), &output];
    args.extend(flags.iter().map(Path::new));
    lab.run(&args)
}

#[track_caller]
fn clean(bytes: &[u8], flags: &[&str]) -> String {
    let lab = Lab::new();
    let run = scrub(&lab, "a.log", bytes, flags);
    assert_eq!(run.code, 0, "{}", run.stderr);
    String::from_utf8(std::fs::read(lab.out("clean")).expect("output")).expect("UTF-8")
}

const BALANCED: [&str; 2] = ["--profile", "balanced"];

#[test]
fn strict_keeps_what_a_program_writes_and_nothing_else() {
    let out = clean(LOG.as_bytes(), &[]);
    for name in NAMES {
        assert!(!out.contains(name), "{name}: {out}");
    }
    for kept in [
        "2026-11-19T22:00:00.123Z INFO  [worker 12] request completed in 12ms status=200 user=",
        "2026-11-19 22:00:01,456 ERROR Failed to load order ",
        ": connection refused\n",
        "[2026-11-19T22:00:02Z] WARN password=",
        " rss: 310 MB\n",
        "/node_modules/express/lib/router/layer.js:95:5)",
        "[19/Nov/2026:22:00:00 +0000] \"GET /api/users/",
        " HTTP/1.1\" 200 512\n",
        "{\"time\":\"2026-11-19T22:00:00Z\",\"level\":\"info\",\"msg\":\"user logged in\",\"user\":{\"name\":\"[",
        "\"took\":12.5,\"",
    ] {
        assert!(out.contains(kept), "{kept}: {out}");
    }
    let ends = |text: &str| (text.matches('\n').count(), text.matches("\r\n").count());
    assert_eq!(ends(&out), ends(LOG));
}

#[test]
fn balanced_cuts_out_what_is_found() {
    let out = clean(LOG.as_bytes(), &BALANCED);
    for name in ["zebulon@example.test", "tulip", "MIIE", "xK9m"] {
        assert!(!out.contains(name), "{name}: {out}");
    }
    assert!(out.contains("Failed to load order 4711") && out.contains("\"balance\":90210"), "{out}");
}

#[test]
fn a_second_run_changes_nothing() {
    for flags in [&[][..], &BALANCED] {
        let once = clean(LOG.as_bytes(), flags);
        assert_eq!(clean(once.as_bytes(), flags), once, "{flags:?}");
    }
}

#[test]
fn output_does_not_depend_on_threads() {
    let many = LOG.repeat(40);
    for profile in ["strict", "balanced"] {
        let run = |jobs| clean(many.as_bytes(), &["--profile", profile, "--jobs", jobs]);
        assert!(run("1") == run("4"), "{profile}");
    }
}

#[test]
fn keys_of_json_tell_what_their_values_are() {
    let json = format!(
        "{{\n  \"db\": {{\"password\": \"violet umbrella\", \"hosts\": [\"a\", \"b\"]}},\n  \"headers\": [[\"Authorization\", \"Bearer kqXvTzRbWpLmNsYd77\"]],\n  \
         \"env\": {{\"name\": \"DB_PASSWORD\", \"value\": \"seldom bright\"}},\n  \"messages\": [{{\"role\": \"user\", \"content\": \"where is my parcel\"}}],\n  \
         \"same\": 1, \"same\": 2, \"card\": 4111111111111111, \"note\": \"keep {TOKEN} here\"\n}}\n"
    );
    let out = clean(json.as_bytes(), &BALANCED);
    for gone in ["violet", "kqXv", "seldom", "parcel", TOKEN, "4111111111111111"] {
        assert!(!out.contains(gone), "{gone}: {out}");
    }
    assert!(out.contains("\"same\": 1, \"same\": 2") && out.contains("\"note\": \"keep ["), "{out}");
    let value: serde_json::Value = serde_json::from_str(&out).expect("still JSON");
    assert_eq!(value["db"]["hosts"][1], "b");
    let strict: serde_json::Value = serde_json::from_str(&clean(json.as_bytes(), &[])).expect("still JSON");
    assert!(strict.to_string().matches("[text#").count() >= 5, "{strict}");
}

#[test]
fn encodings() {
    let wide = |text: &str, is_big: bool| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let line = "2026-11-19T22:00:00Z INFO user Zebuló connected";
    for bytes in [wide(line, false), wide(line, true), format!("\u{feff}{line}").into_bytes()] {
        let out = clean(&bytes, &[]);
        assert!(out.starts_with("\u{feff}2026-11-19T22:00:00Z INFO user [text#1] connected"), "{out}");
    }
    let latin: Vec<u8> = line.chars().map(|c| c as u8).collect();
    assert_eq!(clean(&latin, &[]), "2026-11-19T22:00:00Z INFO user [text#1] connected");
    assert_eq!(clean(&latin, &BALANCED), line);
}

#[test]
fn names_of_the_users_own_source_stay() {
    let lab = Lab::new();
    lab.input("desk.js", b"logger.info('parcel dispatched from depot')");
    let dir =
        lab.input("desk.js", b"logger.info('parcel dispatched from depot')").parent().expect("directory").to_owned();
    let run = scrub(
        &lab,
        "a.log",
        b"INFO parcel dispatched from depot for Zebulon",
        &["--names-from", &dir.to_string_lossy()],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    let out = std::fs::read(lab.out("clean")).expect("output");
    assert_eq!(String::from_utf8_lossy(&out), "INFO parcel dispatched from depot for [text#1]");
}

#[test]
fn what_was_found_in_a_heap_goes_from_its_log() {
    let lab = Lab::new();
    let mut snapshot = Snapshot::new();
    snapshot.value("password", "violet-umbrella-77");
    let heap = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let log = lab.input("a.log", b"INFO login of somebody with violet-umbrella-77 failed\n");
    let (one, two) = (lab.out("one"), lab.out("two"));
    let flags = ["scrub", "--profile", "balanced", "-o"].map(Path::new);
    let run = lab.run(&[flags[0], flags[1], flags[2], &heap, &log, flags[3], &one, flags[3], &two]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let out = std::fs::read(two).expect("output");
    assert!(!contains(&out, b"umbrella") && contains(&out, b"INFO login of somebody with ["));
}

#[test]
fn what_is_no_log_is_refused() {
    let mut snapshot = Snapshot::new();
    snapshot.value("key", "CANARY-7f3a");
    let json = snapshot.json();
    let cut = &json[json.find("\"edges\"").expect("a section")..];
    let broken = json.replacen("\"snapshot\"", "\"snapshoX\"", 1);
    for (bytes, words) in [
        (&b"log\x00CANARY-7f3a"[..], "not a snapshot format"),
        (&[&b"2026 INFO line\n".repeat(1000)[..], b"\x02CANARY-7f3a"].concat(), "partly binary"),
        (cut.as_bytes(), "parts of a V8 heap snapshot"),
        (broken.as_bytes(), "parts of a V8 heap snapshot"),
        // Whichever format looks at it, it is no log.
        (b"\x80\x04\x95CANARY-7f3a", "ingest: "),
        (b"{\"address\":\"0x7f3a\",\"type\":\"STRING\",\"memsize\":40}\n", "ObjectSpace"),
        (b"heap profile: 1: 2 [3: 4] @ heap/1048576\n", "heap profile"),
    ] {
        let lab = Lab::new();
        let run = scrub(&lab, "a.log", bytes, &[]);
        assert_eq!(run.code, 3, "{}", run.stderr);
        assert!(run.stderr.contains(words) && !run.stderr.contains("CANARY"), "{words}: {}", run.stderr);
        assert_eq!(lab.left_behind(), Vec::<String>::new());
    }
}

#[test]
fn truncated_anywhere_it_is_still_a_log() {
    let lab = Lab::new();
    for end in (1..LOG.len()).step_by(97) {
        let run = scrub(&lab, "a.log", &LOG.as_bytes()[..end], &[]);
        assert_eq!(run.code, 0, "cut at {end}: {}", run.stderr);
        let out = std::fs::read(lab.out("clean")).expect("output");
        for name in NAMES {
            assert!(!contains(&out, name.as_bytes()), "cut at {end}: {name}");
        }
    }
}

#[test]
fn hostile_texts_end_in_time() {
    let deep = "[".repeat(200_000);
    let open = "{\n".repeat(20_000);
    let lists = "[\"a\",\n".repeat(20_000);
    let line = format!("INFO {}", "x1 ".repeat(200_000));
    for text in [deep, open, lists, line] {
        let out = clean(text.as_bytes(), &[]);
        assert_eq!(out.matches('\n').count(), text.matches('\n').count());
    }
}

#[test]
fn a_bundle_holds_logs_beside_snapshots() {
    let lab = Lab::new();
    let mut snapshot = Snapshot::new();
    snapshot.value("key", "a value");
    let heap = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let log = lab.input("a.log", LOG.as_bytes());
    let lines = lab.input("b.jsonl", b"{\"level\":30,\"msg\":\"started\",\"user\":\"Zebulon\"}\n{\"level\":30}\n");
    let bundle = lab.out("b.zip");
    let run = lab.run(&[Path::new("share"), &heap, &log, &lines, Path::new("-o"), &bundle]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = lab.run(&[Path::new("verify"), &bundle]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = lab.run(&[Path::new("unpack"), &bundle, Path::new("-C"), &lab.out("")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let dir =
        std::fs::read_dir(lab.out("")).expect("directory").filter_map(|e| Some(e.ok()?.path())).find(|p| p.is_dir());
    let logs = dir.expect("unpacked").join("logs");
    let text = std::fs::read_to_string(logs.join("log-2.log")).expect("log");
    assert!(text.contains("request completed in 12ms") && !text.contains("Zebulon"));
    assert!(
        std::fs::read_to_string(logs.join("log-3.jsonl"))
            .expect("log")
            .starts_with("{\"level\":30,\"msg\":\"started\",")
    );
}
