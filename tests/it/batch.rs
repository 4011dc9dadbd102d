//! Archives of dumps: each is told of once, a run goes on where it was, parts fold into the whole, nothing raw gets out.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::snapshot::Snapshot;
use super::support::{Lab, Run, contains, leak_sample};

const SERIES: &str = r"--series=(?<service>[^/]+)/(?<time>[0-9]+)\.heapsnapshot";

/// A small dump whose only text is planted.
pub(super) fn dump(buffers: usize) -> Vec<u8> {
    let mut snapshot = Snapshot::new();
    snapshot.value("CANARY-7f3a key", "CANARY-7f3a value");
    for n in 0..buffers {
        let object = snapshot.node("object", "Buffer");
        snapshot.edge(0, "element", &n.to_string(), object);
    }
    snapshot.json().into_bytes()
}

/// An archive with a key beside it.
pub(super) struct Archive {
    pub(super) lab: Lab,
    pub(super) root: PathBuf,
    key: PathBuf,
}

impl Archive {
    pub(super) fn new() -> Self {
        let lab = Lab::new();
        let key = lab.input("job.key", &[7; 32]);
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("rights");
        let root = key.with_file_name("dumps");
        std::fs::create_dir(&root).expect("directory");
        Self { lab, root, key }
    }

    /// Two services with three dumps each, and one file that is cut off.
    fn usual() -> Self {
        let archive = Self::new();
        for n in 1..=3 {
            archive.put(&format!("grows/{n}.heapsnapshot"), &dump(100 * n));
            archive.put(&format!("stays/{n}.heapsnapshot"), &dump(50));
        }
        archive.put("grows/4.heapsnapshot", &dump(5)[..700]);
        archive
    }

    pub(super) fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        std::fs::write(path, bytes).expect("file");
    }

    pub(super) fn args(&self, out: &Path, more: &[&str]) -> Vec<String> {
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let mut args =
            vec!["batch".into(), text(&self.root), "-o".into(), text(out), "--key-file".into(), text(&self.key)];
        args.extend(more.iter().map(|arg| (*arg).to_owned()));
        args
    }

    pub(super) fn run(&self, name: &str, more: &[&str]) -> (Run, PathBuf) {
        let out = self.lab.out(name);
        (self.lab.run(&self.args(&out, more)), out)
    }
}

pub(super) fn rows(out: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(out.join("index.jsonl")).expect("index");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What came of each dump, by its name.
pub(super) fn by_name(out: &Path) -> BTreeMap<String, String> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |row: Value| {
        let what = if row["state"] == "done" { word(&row["state"]) } else { word(&row["class"]) };
        (word(&row["name"]), what)
    };
    rows(out).into_iter().map(one).collect()
}

/// Everything a job leaves, as bytes.
fn left(out: &Path) -> Vec<Vec<u8>> {
    ["index.jsonl", "index.csv", "series.json", "overview.html"]
        .iter()
        .map(|name| std::fs::read(out.join(name)).expect(name))
        .collect()
}

#[test]
fn every_dump_is_told_of_and_services_are_ranked() {
    let archive = Archive::usual();
    let (run, out) = archive.run("a", &[SERIES]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    let rows = rows(&out);
    let count = |state: &str| rows.iter().filter(|row| row["state"] == state).count();
    assert_eq!((rows.len(), count("done"), count("failed")), (7, 6, 1));
    let failed = rows.iter().find(|row| row["state"] == "failed").expect("one failed");
    assert_eq!((&failed["class"], &failed["service"]), (&"truncated".into(), &"grows".into()));
    let series: Value = serde_json::from_slice(&std::fs::read(out.join("series.json")).expect("series")).expect("JSON");
    let first = &series["services"][0];
    assert_eq!(
        (&first["service"], &first["verdict"], &first["monotone"]),
        (&"grows".into(), &"grew".into(), &true.into())
    );
    let class = &first["classes"][0];
    assert_eq!((&class["class"], &class["counts"]), (&"Buffer".into(), &serde_json::json!([100, 200, 300])));
    assert!(run.stderr.contains("grew     grows"), "{}", run.stderr);
    // No value, and no name of a file.
    for path in walk(&out) {
        let bytes = std::fs::read(&path).expect("file");
        if path.components().all(|part| part.as_os_str() != ".state") {
            assert!(!contains(&bytes, b"CANARY") && !contains(&bytes, b".heapsnapshot"), "{}", path.display());
        }
    }
    assert!(!run.stderr.contains(".heapsnapshot"), "{}", run.stderr);
}

pub(super) fn walk(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("directory").map(|entry| entry.expect("entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn what_is_done_is_done_unless_it_changed() {
    let archive = Archive::usual();
    let (_, out) = archive.run("a", &[]);
    let before = left(&out);
    let (run, _) = archive.run("a", &[]);
    assert!(!run.stderr.contains("\"ended\""), "{}", run.stderr);
    assert_eq!(left(&out), before);
    // A result that is gone, and one that somebody changed.
    let items: Vec<PathBuf> = walk(&out.join("items"));
    std::fs::remove_file(&items[0]).expect("remove");
    std::fs::write(&items[1], "{}").expect("write");
    let (run, _) = archive.run("a", &[]);
    assert_eq!(run.stderr.matches("\"ended\"").count(), 2, "{}", run.stderr);
    assert_eq!(left(&out), before);
    // The same size and time, another content.
    let path = archive.root.join("stays/1.heapsnapshot");
    let time = std::fs::metadata(&path).and_then(|meta| meta.modified()).expect("time");
    let text = String::from_utf8(std::fs::read(&path).expect("dump")).expect("UTF-8").replace("Buffer", "Object");
    std::fs::write(&path, text).expect("write");
    std::fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("time");
    let (run, _) = archive.run("a", &[]);
    assert!(!run.stderr.contains("\"ended\""), "{}", run.stderr);
    archive.run("a", &["--rehash"]);
    let (_, fresh) = archive.run("b", &[]);
    assert_ne!(left(&out), before);
    assert_eq!(left(&out), left(&fresh));
    // Other settings: everything again.
    let (run, _) = archive.run("a", &["--limit", "3"]);
    assert_eq!(run.stderr.matches("\"ended\"").count(), 7, "{}", run.stderr);
}

#[test]
fn a_journal_that_was_cut_off_anywhere_costs_no_more_than_its_last_line() {
    let archive = Archive::usual();
    let (_, out) = archive.run("a", &[]);
    let (before, path) = (left(&out), out.join(".state/journal.jsonl"));
    let whole = std::fs::read(&path).expect("journal");
    for step in 0..8 {
        let end = whole.len() * step / 8 + step;
        std::fs::write(&path, &whole[..end]).expect("journal");
        let lines = whole[..end].iter().filter(|b| **b == b'\n').count();
        let (run, _) = archive.run("a", &[]);
        assert_eq!(run.stderr.matches("\"ended\"").count(), 7 - lines, "{}", run.stderr);
        assert_eq!(left(&out), before, "cut at {end}");
    }
    // A line that is damaged within.
    let mut bytes = whole.clone();
    bytes[40] = b'\0';
    std::fs::write(&path, bytes).expect("journal");
    let (run, _) = archive.run("a", &[]);
    assert!(run.stderr.contains("1 lines of the journal cannot be read"), "{}", run.stderr);
    assert_eq!(left(&out), before);
}

#[test]
fn parts_and_single_items_fold_into_the_whole() {
    let archive = Archive::usual();
    let (_, whole) = archive.run("whole", &[SERIES]);
    let parts: Vec<PathBuf> =
        (0..3).map(|n| archive.run(&format!("p{n}"), &[SERIES, "--shard", &format!("{n}/3")]).1).collect();
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let merged = archive.lab.out("merged");
    let merge = |inputs: &[String]| {
        let mut args = vec!["merge".to_owned(), "-o".to_owned(), text(&merged)];
        args.extend(inputs.iter().cloned());
        archive.lab.run(&args)
    };
    let mut inputs: Vec<String> = parts.iter().map(|part| text(part)).collect();
    for _ in 0..3 {
        inputs.rotate_left(1);
        let run = merge(&inputs);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(left(&merged), left(&whole));
    }
    // Lines of single items are the same as those of a batch that knows no services.
    let (_, plain) = archive.run("plain", &[]);
    let mut lines = Vec::new();
    for path in walk(&archive.root) {
        let (items, key) = (text(&archive.lab.out("items")), text(&archive.key));
        let run = archive.lab.run(&["item", &text(&path), "-o", &items, "--key-file", &key]);
        assert_eq!(run.code, if path.ends_with("grows/4.heapsnapshot") { 3 } else { 0 }, "{}", run.stderr);
        lines.extend(run.stdout);
    }
    let run = archive.lab.run_with(&["merge", "-", "-o", &text(&merged)], &lines);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(left(&merged), left(&plain));
    // Results under another key do not fit.
    let other = archive.lab.input("other.key", &[8; 32]);
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o600)).expect("rights");
    let mut args = archive.args(&archive.lab.out("other"), &[]);
    args[5] = text(&other);
    let run = archive.lab.run(&args);
    assert_eq!(run.code, 3, "{}", run.stderr);
    let run = merge(&[text(&whole), text(&archive.lab.out("other"))]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let run = archive.lab.run_with(&["merge", "-", "-o", &text(&merged)], b"{\"schema\":\"heapscrub.batch/1\"}\n");
    assert_eq!(run.code, 3, "{}", run.stderr);
}

#[test]
fn a_plan_runs_nothing() {
    let archive = Archive::usual();
    let (run, out) = archive.run("a", &["--plan", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let plan: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(plan["formats"]["v8"]["items"], 7);
    assert!(!out.join("items").exists() && !out.join("index.jsonl").exists());
}

#[test]
fn more_memory_than_there_is_is_never_started() {
    let archive = Archive::usual();
    let (run, out) = archive.run("a", &["--max-memory", "32MiB"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(rows(&out).iter().all(|row| row["class"] == "memory"), "{}", run.stderr);
    assert!(!out.join("items").exists());
    let (run, _) = archive.run("a", &[]);
    assert_eq!(run.stderr.matches("\"state\":\"done\"").count(), 6, "{}", run.stderr);
}

#[test]
fn a_worker_that_takes_too_much_ends_alone() {
    let archive = Archive::new();
    archive.put("a.heapsnapshot", &leak_sample("desk-leak", 3));
    let path = std::fs::canonicalize(archive.root.join("a.heapsnapshot")).expect("path");
    let meta = std::fs::metadata(&path).expect("file");
    let changed = meta.modified().expect("time").duration_since(std::time::UNIX_EPOCH).expect("time").as_nanos();
    for (memory, is_done) in [(8_u64 << 20, false), (512 << 20, true)] {
        let job = serde_json::json!({
            "place": { "path": path, "called": "a", "members": [], "bytes": meta.len(), "changed_ns": changed },
            "item": "00ff", "out": archive.lab.out("w"), "emit": "report", "limit": 10, "threads": 1, "memory": memory,
            "only_digest": false,
        });
        let mut stdin = job.to_string().into_bytes();
        stdin.extend([b'\n', 0, 32]);
        stdin.extend([7; 32]);
        // Its standard input ends at once, so it may be told to end, too.
        let mut child = archive.lab.command();
        child.args(["item", "--worker", "--quiet"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().expect("the program starts");
        let mut pipe = child.stdin.take().expect("piped");
        std::io::Write::write_all(&mut pipe, &stdin).expect("pipe");
        let out = child.wait_with_output().expect("it ends");
        drop(pipe);
        let said: Option<Value> = serde_json::from_slice(&out.stdout).ok();
        let done = said.is_some_and(|said| said["row"]["state"] == "done");
        assert_eq!(done, is_done, "{}", String::from_utf8_lossy(&out.stderr));
    }
}

#[test]
fn a_worker_that_takes_too_long_is_ended() {
    let archive = Archive::new();
    archive.put("a.heapsnapshot", &leak_sample("desk-leak", 3));
    let out = archive.lab.out("a");
    let mut child = archive.lab.command();
    child.args(archive.args(&out, &["--max-time", "2s", "--quiet"])).stderr(Stdio::null());
    let mut child = child.spawn().expect("the program starts");
    let worker = loop {
        assert!(child.try_wait().expect("wait").is_none(), "it ended before its worker was seen");
        let children = format!("/proc/{0}/task/{0}/children", child.id());
        let children = std::fs::read_to_string(children).expect("children");
        if let Some(worker) = children.split_whitespace().next() {
            break worker.to_owned();
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    std::process::Command::new("kill").args(["-STOP", &worker]).status().expect("kill");
    assert_eq!(child.wait().expect("wait").code(), Some(3));
    assert_eq!(rows(&out)[0]["class"], "time");
}

#[test]
fn budgets_hold_for_services() {
    let archive = Archive::usual();
    std::fs::remove_file(archive.root.join("grows/4.heapsnapshot")).expect("remove");
    let limits = b"[[class]]\nname = \"Buf*\"\nmax_more_objects = 150\n";
    let budget = archive.lab.input("budget.toml", limits);
    let budget = budget.to_str().expect("UTF-8");
    let (run, out) = archive.run("a", &[SERIES, "--budget", budget]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let series: Value = serde_json::from_slice(&std::fs::read(out.join("series.json")).expect("series")).expect("JSON");
    let broken: Vec<usize> = (0..2).map(|n| series["services"][n]["broken"].as_array().map_or(9, Vec::len)).collect();
    assert_eq!(broken, [1, 0], "{series}");
    let (out, merged) = (out.to_str().expect("UTF-8"), archive.lab.out("m"));
    let run = archive.lab.run(&["merge", out, "-o", merged.to_str().expect("UTF-8"), "--budget", budget]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(left(&merged), left(Path::new(out)));
}

#[test]
fn what_is_written_beside_reports() {
    let archive = Archive::new();
    archive.put("a.heapsnapshot", &dump(300));
    let (run, out) = archive.run("a", &["--emit", "snapshot"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let row = &rows(&out)[0];
    let item = row["item"].as_str().expect("item");
    let clean =
        zstd::decode_all(std::fs::File::open(out.join(format!("items/{item}.heapsnapshot.zst"))).expect("snapshot"));
    assert!(!contains(&clean.expect("zstd"), b"CANARY"));
    let (run, out) = archive.run("b", &["--emit", "bundle"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let bundle = out.join(format!("items/{item}.zip"));
    assert_eq!(archive.lab.run(&["verify", bundle.to_str().expect("UTF-8")]).code, 0);
}

#[test]
fn a_part_needs_a_key_and_a_known_number() {
    let archive = Archive::usual();
    let out = archive.lab.out("a");
    let mut args = archive.args(&out, &["--shard", "0/2"]);
    args.drain(4..6);
    let run = archive.lab.run(&args);
    assert!(run.code == 2 && run.stderr.contains("--key-file"), "{}", run.stderr);
    // In an indexed job nobody does everything by accident.
    let run =
        archive.lab.command().args(archive.args(&out, &[])).env("JOB_COMPLETION_INDEX", "1").output().expect("run");
    assert_eq!(run.status.code(), Some(2));
    let mut command = archive.lab.command();
    command.args(archive.args(&out, &[])).env("AWS_BATCH_JOB_ARRAY_INDEX", "1").env("AWS_BATCH_JOB_ARRAY_SIZE", "2");
    command.output().expect("run");
    let (_, same) = archive.run("b", &["--shard", "1/2"]);
    assert_eq!(left(&out), left(&same));
}
