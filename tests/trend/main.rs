//! `heapscrub trend` through the real program: made series of which the truth is known, real series, damaged ones.
//!
//! The families and the bars are in `families.rs` and `made.rs`; the real series are in `samples/series`.

mod damaged;
mod families;
mod forms;
mod made;
mod real;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A directory with series.
struct Lab(TempDir);

impl Lab {
    fn new() -> Self {
        Self(TempDir::new().expect("temporary directory"))
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("file");
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Runs the program.
fn trend<A: AsRef<std::ffi::OsStr>>(args: &[A]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapscrub"));
    command.arg("trend").args(args).output().expect("the program starts")
}

/// What it says as JSON.
#[track_caller]
fn said<A: AsRef<std::ffi::OsStr>>(args: &[A]) -> Value {
    let all: Vec<&std::ffi::OsStr> = args.iter().map(AsRef::as_ref).chain(["--json".as_ref()]).collect();
    let run = trend(&all);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).expect("JSON")
}

/// What it says when it refuses, and its exit code.
#[track_caller]
fn refused<A: AsRef<std::ffi::OsStr>>(args: &[A]) -> (i32, String) {
    let run = trend(args);
    assert!(!run.status.success() && run.stdout.is_empty(), "{}", String::from_utf8_lossy(&run.stdout));
    (run.status.code().expect("code"), String::from_utf8(run.stderr).expect("UTF-8"))
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/series").join(name)
}

fn verdict(said: &Value) -> (&str, &str) {
    (said["verdict"].as_str().expect("verdict"), said["cause"].as_str().expect("cause"))
}
