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
