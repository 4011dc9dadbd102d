//! Runs the program in a directory of its own and looks at everything it leaves behind.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A place with an input directory and an output directory.
pub(crate) struct Lab {
    dir: TempDir,
}

/// What a run gave.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().expect("temporary directory");
        for part in ["in", "out", "tmp"] {
            std::fs::create_dir(dir.path().join(part)).expect("directory");
        }
        Self { dir }
    }

    pub(crate) fn input(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.dir.path().join("in").join(name);
        std::fs::write(&path, bytes).expect("input file");
        path
    }

    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.dir.path().join("out").join(name)
    }

    /// Names in the output directory and in the directory for temporary files.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        let list = |part: &str| std::fs::read_dir(self.dir.path().join(part)).expect("directory");
        let names = ["out", "tmp"].into_iter().flat_map(list);
        let mut names: Vec<_> =
            names.map(|e| e.expect("entry").file_name().into_string().expect("UTF-8 name")).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapscrub"));
        command.env("TMPDIR", self.dir.path().join("tmp")).current_dir(self.dir.path());
        command
    }

    pub(crate) fn run<A: AsRef<std::ffi::OsStr>>(&self, args: &[A]) -> Run {
        self.run_with(args, &[])
    }

    pub(crate) fn run_with<A: AsRef<std::ffi::OsStr>>(&self, args: &[A], stdin: &[u8]) -> Run {
        use std::io::Write;
        let mut command = self.command();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut pipe = child.stdin.take().expect("piped");
        let bytes = stdin.to_vec();
        // The program may stop reading early; then the pipe breaks, which is its right.
        let feeder = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
        let out = child.wait_with_output().expect("the program ends");
        feeder.join().expect("feeder");
        let stderr = String::from_utf8(out.stderr).expect("messages are UTF-8");
        Run { code: out.status.code().unwrap_or(-1), stdout: out.stdout, stderr }
    }

    /// Scrubs bytes as a file into `out/clean`; the result if it went well.
    pub(crate) fn scrub(&self, bytes: &[u8]) -> Vec<u8> {
        let input = self.input("app.heapsnapshot", bytes);
        let run = self.run(&[Path::new("scrub"), &input, Path::new("-o"), &self.out("clean"), Path::new("--force")]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(std::fs::read(&input).expect("input"), bytes, "the input is never modified");
        std::fs::read(self.out("clean")).expect("output")
    }

    /// Scrubs bytes that must be refused: exit code and message, and nothing left behind.
    pub(crate) fn refused(&self, bytes: &[u8]) -> (i32, String) {
        let input = self.input("app.heapsnapshot", bytes);
        let run = self.run(&[Path::new("scrub"), &input, Path::new("-o"), &self.out("clean")]);
        assert_eq!(self.left_behind(), Vec::<String>::new());
        assert!(run.stdout.is_empty());
        assert_eq!(std::fs::read(&input).expect("input"), bytes, "the input is never modified");
        (run.code, run.stderr)
    }
}

/// The plain bytes of a sample.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    zstd::decode_all(std::fs::File::open(path).expect("sample")).expect("sample is zstd")
}

/// One of the three snapshots of a program that leaks, plain.
pub(crate) fn leak_sample(name: &str, number: u32) -> Vec<u8> {
    sample(&format!("{name}/snapshot-{number}.heapsnapshot.zst"))
}

pub(crate) fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|w| w == needle)
}
