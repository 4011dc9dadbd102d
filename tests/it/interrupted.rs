//! A process that is killed, or whose input changes under it, leaves nothing behind.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::support::{Lab, sample};

#[test]
fn killed_half_way() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &sample("helpdesk.heapsnapshot.zst"));
    for wait_ms in [1, 3, 6, 10, 15, 20, 30, 40] {
        let out = lab.out("clean.zst");
        let mut child = lab.command();
        child.args([Path::new("scrub"), &input, Path::new("-o"), &out, Path::new("--level"), Path::new("19")]);
        let mut child = child.stderr(Stdio::null()).spawn().expect("the program starts");
        std::thread::sleep(Duration::from_millis(wait_ms));
        child.kill().expect("kill");
        child.wait().expect("wait");
        // At level 19 the file takes far longer to write than the longest wait.
        assert_eq!(lab.left_behind(), Vec::<String>::new(), "killed after {wait_ms} ms");
    }
}

#[test]
fn input_that_grows_meanwhile() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &sample("helpdesk.heapsnapshot.zst"));
    let out = lab.out("clean.zst");
    let mut child = lab.command();
    child.args([Path::new("scrub"), &input, Path::new("-o"), &out, Path::new("--level"), Path::new("19")]);
    let child = child.stderr(Stdio::piped()).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_millis(150));
    let mut file = std::fs::File::options().append(true).open(&input).expect("input");
    file.write_all(b" ").expect("append");
    let done = child.wait_with_output().expect("the program ends");
    let message = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(5), "{message}");
    assert!(message.contains("changed while it was read"), "{message}");
    assert_eq!(lab.left_behind(), Vec::<String>::new());
}

/// Shares the sample with a level that takes long, sends a signal, and looks at what is left.
fn interrupt_share(lab: &Lab, input: &Path, name: &str, flags: &[&str], signal: &str, wait_ms: u64) -> Option<i32> {
    let mut child = lab.command();
    child.args([Path::new("share"), input, input, input, Path::new("-o"), &lab.out(name), Path::new("--keep-order")]);
    let mut child =
        child.args(["--level", "19"]).args(flags).stderr(Stdio::null()).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_millis(wait_ms));
    let pid = child.id().to_string();
    // It may have ended by itself; then there is nobody to tell.
    let _ = std::process::Command::new("kill").args([signal, &pid]).stderr(Stdio::null()).status().expect("kill");
    child.wait().expect("wait").code()
}

#[test]
fn a_bundle_that_is_interrupted_leaves_nothing_behind() {
    let lab = Lab::new();
    let bytes = sample("helpdesk.heapsnapshot.zst");
    let input = lab.input("a.heapsnapshot", &bytes);
    let split = &["--max-size", "500kB"][..];
    for (name, flags) in [("b.zip", &[][..]), ("s.zip", split), ("b.tar.zst", &[]), ("d", &["--container", "dir"])] {
        for wait_ms in [2, 30, 90, 200, 350, 600] {
            let code = interrupt_share(&lab, &input, name, flags, "-INT", wait_ms);
            if code == Some(0) {
                // It was faster; then everything is there, and whole.
                continue_clean(&lab, name);
                continue;
            }
            // Before the handler is there, the signal itself ends the program.
            assert!(matches!(code, Some(130) | None), "{name}, {wait_ms} ms: {code:?}");
            assert_eq!(lab.left_behind(), Vec::<String>::new(), "{name}, SIGINT after {wait_ms} ms");
        }
        for wait_ms in [5, 60, 250] {
            if interrupt_share(&lab, &input, name, flags, "-KILL", wait_ms) == Some(0) {
                continue_clean(&lab, name);
                continue;
            }
            // Killed by force, a directory in the making may stay under a name that says so; it is sanitised.
            let left = lab.left_behind();
            assert!(left.iter().all(|n| n.starts_with(".heapscrub-") && name == "d"), "{name}: {left:?}");
            for partial in left {
                std::fs::remove_dir_all(lab.out(&partial)).expect("remove");
            }
        }
    }
    assert_eq!(std::fs::read(&input).expect("input"), bytes);
    let run = lab.run(&[Path::new("share"), &input, Path::new("-o"), &lab.out("b.zip")]);
    assert_eq!(run.code, 0, "the next run works: {}", run.stderr);
}

/// Takes away what a run that was faster than the signal has written, which must be whole.
fn continue_clean(lab: &Lab, name: &str) {
    let left = lab.left_behind();
    let first = left.iter().find(|n| *n == name || n.contains(".part1of")).expect("a bundle");
    assert_eq!(lab.run(&[Path::new("verify"), &lab.out(first)]).code, 0);
    for name in left {
        let path = lab.out(&name);
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.expect("remove");
    }
}
