//! Arguments, help, ledgers and hardening.

use std::path::{Path, PathBuf};

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

/// What a terminal acts upon, or what hides from people.
const ACTING: [char; 4] = ['\u{1b}', '\u{202e}', '\u{200b}', '\r'];

#[test]
fn file_names_do_nothing_on_terminals() {
    let lab = Lab::new();
    let name = "a\u{1b}[31m\u{202e}b\rc\nheapscrub: verified";
    let input = lab.input(name, Snapshot::new().json().as_bytes());
    let broken = lab.input(&format!("{name}2"), b"{\"nothing\":1}");
    let out = lab.out(name);
    let text = |path: &Path| path.display().to_string();
    let (input, broken, out) = (text(&input), text(&broken), text(&out));
    let mut seen = 0;
    for args in [
        &["scrub", &input, "-o", &out][..],
        &["scrub", &input, "-o", &out],
        &["scrub", &broken, "-o", &out],
        &["scrub", &input, "-o", &input, "--force"],
        &["share", &input, "-o", &format!("{out}.zip")],
        &["verify", &format!("{out}.zip")],
        &["unpack", &format!("{out}.zip"), "-C", &format!("{out}-none")],
        &["verify", &broken],
        &["report", &input, "-o", &format!("{out}.md")],
        &["report", &broken],
        &["scan", &broken],
        &["scan", &input, "--config", &broken],
        &["scan", &input, "--rules", &broken],
        &["scan", &input, "--names-from", &broken],
        &["scan", &input, "--values-file", &format!("{broken}-none")],
        &["scan", &input, "--key-file", &broken],
        &["report", &input, "--context-file", &broken],
        &["report", &input, "--context", &format!("{name}=1")],
        &["rules", "lint", &broken],
        &["rules", "test", &broken],
        &["init", "-o", &format!("{out}.toml")],
        &["init", "-o", &format!("{out}.toml")],
        &["man", "-o", &format!("{out}-man")],
        &[name],
    ] {
        let run = lab.run(args);
        for shown in [&run.stderr, &String::from_utf8_lossy(&run.stdout).into_owned()] {
            assert!(!shown.contains(ACTING), "{args:?}: {shown:?}");
            let forged = shown.lines().any(|line| line.starts_with("heapscrub: verified")) && args != [name];
            assert!(!forged, "{args:?}: {shown:?}");
            seen += usize::from(shown.contains("\\u{1b}[31m\\u{202e}b\\u{d}c"));
        }
    }
    assert!(seen >= 18, "{seen}");
}

#[test]
fn a_wrong_file_is_not_shown() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", Snapshot::new().json().as_bytes());
    let input = input.display().to_string();
    for (at, text) in [
        "maria.canary@example.test\nsecond\n",
        "\"maria.canary@example.test\" = 1\n",
        "profile = \"maria.canary@example.test\"\n",
        "rule = \"maria.canary@example.test\"\n",
        "[[rule]]\nid = 'maria.canary@example.test'\nmatch = [\n",
        "[[rule]]\nid = ['maria.canary@example.test']\n",
        "[context]\n\"maria.canary@example.test\" = 1\n",
        "maria.canary@example.test=1\n",
        "rss.maria.canary@example.test=1\n",
        "{\"snapshot\":{\"maria.canary@example.test\":1}}",
    ]
    .into_iter()
    .enumerate()
    {
        let file = lab.input(&format!("wrong-{at}"), text.as_bytes());
        let file = file.display().to_string();
        for args in [
            &["report", &input, "--config", &file][..],
            &["report", &input, "--rules", &file],
            &["report", &input, "--context-file", &file],
            &["rules", "lint", &file],
            &["rules", "test", &file],
        ] {
            let run = lab.run(args);
            let shown = format!("{}{}", run.stderr, String::from_utf8_lossy(&run.stdout));
            assert!(run.code == 2 && !shown.contains("maria"), "{args:?}, {text:?}: {} {shown}", run.code);
            assert!(shown.contains(&format!("wrong-{at}")), "{args:?}: {shown}");
        }
    }
    let place = lab.input("c.toml", b"level = 3\nprofile = maria\n");
    let run = lab.run(&["scan", &input, "--config", &place.display().to_string()]);
    assert!(run.stderr.contains("c.toml, line 2, column 11: ") && !run.stderr.contains("maria"), "{}", run.stderr);
    let large = lab.input("large.toml", "# text\n".repeat(200_000).as_bytes());
    let large = large.display().to_string();
    for flag in ["--config", "--rules", "--context-file"] {
        let run = lab.run(&["report", &input, flag, &large]);
        assert!(run.code == 2 && run.stderr.contains("large.toml: larger than 1 MiB"), "{flag}: {}", run.stderr);
    }
    let mistyped = lab.run(&["report", &input, "--context", "runtme=x"]);
    assert!(mistyped.stderr.contains("no key 'runtme'; did you mean 'runtime'?"), "{}", mistyped.stderr);
}

#[test]
fn advice_that_can_be_followed() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", Snapshot::new().json().as_bytes());
    let input = input.display().to_string();
    assert_eq!(lab.run(&["init", "-o", "out/own.toml"]).code, 0);
    let again = lab.run(&["init", "-o", "out/own.toml"]);
    assert!(again.code == 2 && again.stderr.contains("own.toml exists already; choose another name with -o"));
    assert!(!again.stderr.contains("--force"), "{}", again.stderr);
    for command in ["report", "scrub"] {
        let run = lab.run(&[command, &input, "-o", "/dev/null"]);
        assert!(run.code == 2 && run.stderr.contains("a device, a pipe or a directory"), "{}", run.stderr);
        assert!(!run.stderr.contains("--force"), "{}", run.stderr);
    }
}

#[test]
fn json_means_one_form() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", Snapshot::new().json().as_bytes());
    let input = input.display().to_string();
    for (args, code) in [
        (&["report", &input, "--json"][..], 0),
        (&["report", &input, "--json", "--format", "json"], 0),
        (&["report", &input, "--json", "--format", "md"], 2),
        (&["scan", &input, "--json"], 0),
        (&["scan", &input, "--json", "--format", "json"], 0),
        (&["scan", &input, "--json", "--format", "sarif"], 2),
        (&["scan", &input, "--json", "--format", "text"], 2),
    ] {
        let run = lab.run(args);
        assert_eq!(run.code, code, "{args:?}: {}", run.stderr);
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&run.stdout).is_ok(), code == 0, "{args:?}");
    }
    let bundle = lab.out("b.zip").display().to_string();
    assert_eq!(lab.run(&["share", &input, "-o", &bundle, "-q"]).code, 0);
    let run = lab.run(&["unpack", &bundle, "-C", "out", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let unpacked: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((&unpacked["schema"], &unpacked["members"].is_u64()), (&"heapscrub.unpack/1".into(), &true));
    assert!(lab.out("..").join(unpacked["directory"].as_str().expect("a path")).join("report.md").is_file());
    let verified = lab.run(&["verify", &bundle, "--json"]);
    let verified: serde_json::Value = serde_json::from_slice(&verified.stdout).expect("JSON");
    assert_eq!((&verified["schema"], &verified["digest"]), (&"heapscrub.verify/1".into(), &unpacked["digest"]));
}

#[test]
fn a_long_order_says_that_it_is_cut() {
    let lab = Lab::new();
    let mut snapshot = Snapshot::new();
    let mut inputs = Vec::new();
    for n in 0..20 {
        for _ in 0..40 {
            let node = snapshot.node("object", "Object");
            snapshot.edge(0, "element", "1", node);
        }
        inputs.push(lab.input(&format!("{n}.heapsnapshot"), snapshot.json().as_bytes()));
    }
    inputs.reverse();
    let args: Vec<_> = [Path::new("report").to_owned()].into_iter().chain(inputs).collect();
    let run = lab.run(&args);
    let first = run.stderr.lines().next().unwrap_or_default();
    assert_eq!(run.code, 2, "{first}");
    let order = first.split("the right order is ").nth(1).and_then(|rest| rest.split(": ").next()).expect("an order");
    assert!(order.ends_with("15.heapsnapshot ...") && order.split(' ').count() == 17, "{order}");
}

#[test]
fn differences_are_told_in_order_and_not_without_end() {
    let lab = Lab::new();
    let inputs = (0..24).map(|n| lab.input(&format!("{n}.heapsnapshot"), Snapshot::new().json().as_bytes()));
    let bundle = lab.out("bundle");
    let mut args: Vec<PathBuf> = ["share", "--keep-order", "--container", "dir", "-o"].map(PathBuf::from).to_vec();
    args.push(bundle.clone());
    args.extend(inputs);
    let run = lab.run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let snapshots = (1..=24).map(|n| format!("snapshots/snapshot-{n}.heapsnapshot.zst"));
    for member in ["report.md".to_owned()].into_iter().chain(snapshots) {
        let mut text = std::fs::read(bundle.join(&member)).expect(&member);
        text.push(b' ');
        std::fs::write(bundle.join(&member), text).expect(&member);
    }
    let run = lab.run(&["verify".as_ref(), bundle.as_os_str()]);
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("heapscrub: ")).collect();
    assert_eq!((run.code, told.len()), (6, 21), "{}", run.stderr);
    assert!(told[0].contains("report.md: ") && told[20].ends_with(": and 5 more"), "{}", run.stderr);
    for (n, line) in (1..20).zip(&told[1..]) {
        assert!(line.contains(&format!("snapshot-{n}.heapsnapshot")), "{line}");
    }
    assert!(
        run.stderr.lines().last().is_some_and(|line| line.starts_with("  do not trust this file")),
        "{}",
        run.stderr
    );
}
