//! Arguments, help, ledgers and hardening.

use std::path::Path;

use super::snapshot::Snapshot;
use super::support::Lab;

#[test]
fn usage_errors_have_exit_code_2() {
    let lab = Lab::new();
    for args in [
        &["scrub"][..],
        &["scrub", "a"],
        &["scrub", "a", "-o", "b", "--dry-run"],
        &["bake"],
        &["scrub", "a", "-o", "b", "--level", "99"],
    ] {
        let run = lab.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("--help"), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn help_says_what_it_does() {
    let lab = Lab::new();
    let run = lab.run(&["scrub", "--help"]);
    let help = String::from_utf8(run.stdout).expect("UTF-8");
    assert_eq!(run.code, 0);
    for words in ["--names-from", "--dry-run", "Examples:", "Exit codes:", "DevTools"] {
        assert!(help.contains(words), "{words}");
    }
    assert_eq!(lab.run(&["--version"]).code, 0);
}

#[test]
fn the_ledger_as_json() {
    let mut snapshot = Snapshot::new();
    snapshot.value("a", "some text");
    let lab = Lab::new();
    let input = lab.input("private-name.heapsnapshot", snapshot.json().as_bytes());
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &lab.out("clean"), Path::new("--json")]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let ledger: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(ledger["schema"], "heapscrub.scrub/1");
    assert_eq!(ledger["verified"], true);
    assert_eq!((&ledger["input"]["nodes"], &ledger["output"]["nodes"]), (&2.into(), &2.into()));
    assert_eq!(ledger["roles"]["value"]["replaced"], 1);
    assert!(ledger["rules"]["count"].as_u64().expect("count") >= 30);
    assert!(!String::from_utf8_lossy(&run.stdout).contains("private-name"), "file names stay out");
}

#[test]
fn quiet_is_quiet() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", Snapshot::new().json().as_bytes());
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &lab.out("clean"), Path::new("-q")]);
    assert_eq!((run.code, run.stdout.len(), run.stderr.as_str()), (0, 0, ""));
}

/// A snapshot that cannot end (standard input stays open) shows the process from outside.
#[cfg(target_os = "linux")]
#[test]
fn the_process_makes_no_core_dumps() {
    use std::process::Stdio;
    let lab = Lab::new();
    let mut child = lab.command();
    child.args(["scrub", "-", "-o", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().expect("the program starts");
    let limits = format!("/proc/{}/limits", child.id());
    let core = |text: String| text.lines().find(|l| l.starts_with("Max core file size")).map(str::to_owned);
    let mut seen = String::new();
    for _ in 0..200 {
        // The file belongs to root once the process is closed to others; only root can read it then.
        seen = std::fs::read_to_string(&limits).ok().and_then(core).unwrap_or_else(|| "closed".into());
        if seen == "closed" || seen.split_whitespace().nth(4) == Some("0") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().expect("kill");
    child.wait().expect("wait");
    assert!(seen == "closed" || seen.split_whitespace().nth(4) == Some("0"), "{seen}");
}
