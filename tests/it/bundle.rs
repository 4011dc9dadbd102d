//! Bundles: what is shared, what a receiver gets, and that no change goes unnoticed.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::snapshot::Snapshot;
use super::support::{Lab, Run, contains, leak_sample, sample};

/// Every file below a directory.
pub(crate) fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    let mut stack = vec![dir.to_owned()];
    while let Some(dir_now) = stack.pop() {
        for entry in std::fs::read_dir(&dir_now).expect("directory") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                stack.push(path);
            } else {
                let name = path.strip_prefix(dir).expect("below").to_str().expect("UTF-8").to_owned();
                out.insert(name, std::fs::read(&path).expect("file"));
            }
        }
    }
    out
}

impl Lab {
    pub(crate) fn share(&self, inputs: &[PathBuf], flags: &[&str]) -> Run {
        let mut args: Vec<String> = vec!["share".into()];
        args.extend(inputs.iter().map(|p| p.display().to_string()));
        args.extend(flags.iter().map(|f| (*f).to_owned()));
        self.run(&args)
    }

    /// Unpacks a bundle into `out/unpacked`; the files in it.
    pub(crate) fn unpack(&self, bundle: &Path) -> BTreeMap<String, Vec<u8>> {
        let into = self.out(&format!("unpacked-{}", bundle.file_name().expect("name").to_string_lossy()));
        std::fs::create_dir(&into).expect("directory");
        let run = self.run(&[Path::new("unpack"), bundle, Path::new("-C"), &into]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let made: Vec<_> = std::fs::read_dir(&into).expect("directory").map(|e| e.expect("entry").path()).collect();
        assert_eq!(made.len(), 1);
        files(&made[0])
    }

    pub(crate) fn verify(&self, bundle: &Path) -> (i32, String) {
        let run = self.run(&[Path::new("verify"), bundle]);
        (run.code, run.stderr)
    }

    /// The leaking triple as plain files.
    fn triple(&self, name: &str) -> Vec<PathBuf> {
        (1..=3).map(|n| self.input(&format!("{n}.heapsnapshot"), &leak_sample(name, n))).collect()
    }
}

pub(crate) fn out(lab: &Lab, name: &str) -> String {
    lab.out(name).display().to_string()
}

/// A small snapshot with a secret in it.
pub(crate) fn small() -> Vec<u8> {
    let mut snapshot = Snapshot::new();
    snapshot.value("password", "CANARY-7f3a-secret");
    let object = snapshot.node("object", "Object");
    snapshot.edge(0, "property", "constructor", object);
    snapshot.json().into_bytes()
}

#[test]
fn a_receiver_gets_what_scrub_writes_and_nothing_that_was_planted() {
    for name in ["desk-leak", "page-leak"] {
        let lab = Lab::new();
        let inputs = lab.triple(name);
        let bundle = lab.out("b.zip");
        let run = lab.share(&inputs, &["-o", &out(&lab, "b.zip")]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.is_empty());
        assert!(run.stderr.lines().count() <= 12, "about ten lines:\n{}", run.stderr);
        assert_eq!(std::fs::metadata(&bundle).expect("bundle").permissions().mode() & 0o777, 0o600);
        let unpacked = lab.unpack(&bundle);
        let names: Vec<&str> = unpacked.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "README.txt",
                "SHA256SUMS",
                "manifest.json",
                "report.html",
                "report.json",
                "report.md",
                "snapshots/snapshot-1.heapsnapshot",
                "snapshots/snapshot-2.heapsnapshot",
                "snapshots/snapshot-3.heapsnapshot"
            ]
        );
        let clean = lab.out("clean");
        std::fs::create_dir(&clean).expect("directory");
        let mut args: Vec<PathBuf> = vec!["scrub".into()];
        args.extend(inputs);
        args.extend(["-o".into(), clean.clone()]);
        assert_eq!(lab.run(&args).code, 0);
        for n in 1..=3 {
            let scrubbed = std::fs::read(clean.join(format!("snapshot-{n}.heapsnapshot"))).expect("scrubbed");
            assert!(unpacked[&format!("snapshots/snapshot-{n}.heapsnapshot")] == scrubbed, "snapshot {n} of {name}");
        }
        let truth: Value = serde_json::from_slice(&leak_truth(name)).expect("truth");
        for planted in truth["planted"].as_array().expect("planted") {
            let text = planted["text"].as_str().expect("text").as_bytes();
            for (member, bytes) in &unpacked {
                assert!(!contains(bytes, text), "{name}: {} in {member}", planted["place"]);
            }
            assert!(!contains(run.stderr.as_bytes(), text));
        }
    }
}

fn leak_truth(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name).join("truth.json");
    std::fs::read(path).expect("truth")
}

#[test]
fn the_report_counts_what_is_true() {
    for name in ["desk-leak", "page-leak"] {
        let lab = Lab::new();
        let mut args: Vec<PathBuf> = vec!["report".into()];
        args.extend(lab.triple(name));
        args.extend(["--format", "json", "--limit", "0"].map(PathBuf::from));
        let run = lab.run(&args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert_eq!(report["series"]["kind"], "one-process", "{name}");
        let truth: Value = serde_json::from_slice(&leak_truth(name)).expect("truth");
        for class in truth["classes"].as_array().expect("classes") {
            let row = report["classes"].as_array().expect("rows").iter().find(|row| row["class"] == class["class"]);
            let counts = row.map_or_else(|| serde_json::json!([0, 0, 0]), |row| row["counts"].clone());
            assert_eq!(counts, class["counts"], "{name}: {}", class["class"]);
        }
    }
}

#[test]
fn a_bundle_above_the_limit_is_split_joined_and_verified() {
    let lab = Lab::new();
    let inputs = lab.triple("desk-leak");
    assert_eq!(lab.share(&inputs, &["-o", &out(&lab, "whole.zip")]).code, 0);
    let whole = lab.unpack(&lab.out("whole.zip"));
    for (name, end) in [("split.zip", ".zip"), ("split.tar.zst", ".tar.zst")] {
        let run = lab.share(&inputs, &["-o", &out(&lab, name), "--max-size", "760kB"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(!lab.out(name).exists());
        let parts: Vec<PathBuf> =
            (1..).map(|n| lab.out(&format!("split.part{n}of4{end}"))).take_while(|p| p.exists()).collect();
        assert_eq!(parts.len(), 4, "{:?}", lab.left_behind());
        for part in &parts {
            let meta = std::fs::metadata(part).expect("part");
            assert!(meta.len() <= 760_000, "{}", meta.len());
            assert_eq!(meta.permissions().mode() & 0o777, 0o600);
            assert_eq!(lab.verify(part).0, 0);
        }
        let joined = lab.unpack(&parts[1]);
        for (member, bytes) in joined.iter().filter(|(member, _)| member.starts_with("snapshots/")) {
            assert!(whole[member] == *bytes, "{member}");
        }
        assert_eq!(joined.len(), whole.len());
        // A part that is missing, or of another bundle.
        let aside = lab.out("aside");
        std::fs::rename(&parts[2], &aside).expect("rename");
        let (code, message) = lab.verify(&parts[0]);
        assert!(code == 6 && message.contains("part 3 of 4 is missing"), "{code} {message}");
        std::fs::copy(&parts[3], &parts[2]).expect("copy");
        assert_eq!(lab.verify(&parts[0]).0, 6);
        std::fs::rename(&aside, &parts[2]).expect("rename");
        assert_eq!(lab.verify(&parts[0]).0, 0);
    }
    let run = lab.share(&inputs, &["-o", &out(&lab, "no.zip"), "--max-size", "20kB"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let run = lab.share(&inputs, &["-o", &out(&lab, "no.zip"), "--max-size", "700kB", "--pack", "deflate"]);
    assert!(run.code == 4 && run.stderr.contains("--pack deflate"), "{}", run.stderr);
}

/// README.txt of a bundle, followed to the letter by somebody without heapscrub.
#[test]
fn a_receiver_without_heapscrub_follows_readme_txt() {
    let lab = Lab::new();
    let timeline = lab.input("t.heaptimeline", &sample("page.heaptimeline.zst"));
    let triple = lab.triple("desk-leak");
    for (name, inputs, flags, end) in [
        ("w.zip", &triple, &[][..], ".zip"),
        ("s.zip", &triple, &["--max-size", "700kB"], ".zip"),
        ("t.zip", &vec![timeline], &["--max-size", "900kB"], ".zip"),
        ("p.tar.zst", &triple, &["--max-size", "700kB", "--pack", "deflate"], ".tar.zst"),
    ] {
        let dir = lab.out(&format!("by-hand-{name}"));
        std::fs::create_dir(&dir).expect("directory");
        let mut all = vec!["-o".to_owned(), out(&lab, name)];
        all.extend(flags.iter().map(|f| (*f).to_owned()));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let run = lab.share(inputs, &all);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let open = if end == ".zip" { "python3 -m zipfile -e $part ." } else { "zstd -dcq $part | tar x" };
        let bash = |script: &str| {
            let done =
                std::process::Command::new("bash").args(["-ec", script]).current_dir(&dir).output().expect("bash");
            assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        };
        bash(&format!("for part in {}/{}*{end}; do {open}; done", lab.out("").display(), &name[..1]));
        let readme = std::fs::read_to_string(dir.join("README.txt")).expect("README.txt");
        let line = |begin: &str| readme.lines().find_map(|l| l.find(begin).map(|at| l[at..].to_owned()));
        assert_eq!(line("for f in */*").is_some(), name != "w.zip");
        let check = line("sha256sum").expect("a line");
        line("for f in */*").into_iter().for_each(|script| bash(&script));
        bash(&check);
        assert_eq!(lab.verify(&dir).0, 0, "joined by hand");
        if let Some(script) = line("zstd -d */") {
            bash(&script);
            bash(&check);
            let (code, message) = lab.verify(&dir);
            assert_eq!(code, 0, "unpacked by hand: {message}");
        }
        let first =
            lab.left_behind().into_iter().find(|n| n.starts_with(&name[..2]) && n.ends_with(end)).expect("a bundle");
        let unpacked = lab.unpack(&lab.out(&first));
        let by_hand = files(&dir);
        for (member, bytes) in unpacked.iter().filter(|(member, _)| member.starts_with("snapshots/")) {
            assert!(by_hand[member] == *bytes, "{member}");
        }
        // What unpack writes can be checked in both ways too.
        let made = std::fs::read_dir(lab.out(&format!("unpacked-{first}")))
            .expect("directory")
            .next()
            .expect("one")
            .expect("entry");
        let done =
            std::process::Command::new("bash").args(["-ec", &check]).current_dir(made.path()).output().expect("bash");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(lab.verify(&made.path()).0, 0);
    }
}

/// A customer may be called like a word of the program.
#[test]
fn values_that_are_words_of_the_program_are_no_obstacle() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &small());
    let words = "heapscrub\nruntime\nworkload\nevidence\nsnapshot-1\nREADME.txt\nDevTools\nheap snapshot\nconcatenated\n(string)\n200 requests\nstrict\n";
    let list = lab.input("words.txt", words.as_bytes());
    for profile in ["strict", "balanced"] {
        let flags = [
            "-o",
            &out(&lab, &format!("{profile}.zip")),
            "--profile",
            profile,
            "--values-file",
            &list.display().to_string(),
        ];
        let run = lab.share(std::slice::from_ref(&input), &flags);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let run =
            lab.run(&[Path::new("verify"), &lab.out(&format!("{profile}.zip")), Path::new("--values-file"), &list]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}

#[test]
fn a_part_never_replaces_an_input() {
    let lab = Lab::new();
    let triple = lab.triple("desk-leak");
    let mut inputs = Vec::new();
    for n in 1..=4 {
        let path = lab.out(&format!("z.part{n}of4.zip"));
        std::fs::copy(&triple[0], &path).expect("copy");
        inputs.push(path);
    }
    let run = lab.share(
        &[inputs[1].clone(), triple[1].clone(), triple[2].clone()],
        &["-o", &out(&lab, "z.zip"), "--max-size", "760kB", "--force"],
    );
    assert!(run.code == 2 && run.stderr.contains("same file"), "{} {}", run.code, run.stderr);
    assert!(std::fs::read(&inputs[1]).expect("input") == std::fs::read(&triple[0]).expect("input"));
}

#[test]
fn the_same_inputs_give_the_same_bytes_in_every_container() {
    let lab = Lab::new();
    let plain = lab.triple("page-leak");
    let packed: Vec<PathBuf> = (1..=3)
        .map(|n| lab.input(&format!("{n}.zst"), &zstd::encode_all(&leak_sample("page-leak", n)[..], 1).expect("zstd")))
        .collect();
    let mut unpacked = Vec::new();
    for (name, flags) in [
        ("b.zip", &[][..]),
        ("deflated.zip", &["--pack", "deflate"]),
        ("b.tar.zst", &[]),
        ("plain.tar.zst", &["--pack", "deflate"]),
        ("dir", &["--container", "dir"]),
        ("plain-dir", &["--container", "dir", "--pack", "deflate"]),
    ] {
        let mut twins = Vec::new();
        for (round, inputs, jobs) in [("one", &plain, "1"), ("two", &packed, "4")] {
            let target = format!("{round}-{name}");
            let mut all = vec!["-o".to_owned(), out(&lab, &target), "--jobs".into(), jobs.into()];
            all.extend(flags.iter().map(|f| (*f).to_owned()));
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let run = lab.share(inputs, &all);
            assert_eq!(run.code, 0, "{}", run.stderr);
            let path = lab.out(&target);
            assert_eq!(lab.verify(&path).0, 0, "{name}");
            twins.push(if path.is_dir() {
                files(&path).into_values().collect::<Vec<_>>().concat()
            } else {
                std::fs::read(&path).expect("bundle")
            });
            unpacked
                .push(lab.unpack(&path).into_iter().filter(|(n, _)| n.starts_with("snapshots/")).collect::<Vec<_>>());
        }
        assert!(twins[0] == twins[1], "{name}");
    }
    assert!(unpacked.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn file_names_stay_out_unless_they_are_wanted() {
    let lab = Lab::new();
    let input = lab.input("CANARY-customer.heapsnapshot", &small());
    let run = lab.share(std::slice::from_ref(&input), &["-o", &out(&lab, "b.zip")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!contains(&std::fs::read(lab.out("b.zip")).expect("bundle"), b"CANARY"));
    let run = lab.share(&[input], &["-o", &out(&lab, "named.zip"), "--keep-file-names"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let unpacked = lab.unpack(&lab.out("named.zip"));
    assert!(contains(&unpacked["report.md"], b"CANARY-customer.heapsnapshot"));
}

#[test]
fn what_the_user_tells_is_scrubbed_like_any_text() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &small());
    let token = ["ghp_", &"a1B2".repeat(9)].concat();
    let told = format!("workload=200 requests with {token} and CANARY-7f3a-secret");
    let flags = [
        "-o",
        &out(&lab, "b.zip"),
        "--context",
        "runtime=node 20.20.2",
        "--context",
        &told,
        "--context",
        "rss.1=310MB",
    ];
    let run = lab.share(std::slice::from_ref(&input), &flags);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let unpacked = lab.unpack(&lab.out("b.zip"));
    for (member, bytes) in &unpacked {
        assert!(!contains(bytes, token.as_bytes()) && !contains(bytes, b"CANARY"), "{member}");
    }
    let report: Value = serde_json::from_slice(&unpacked["report.json"]).expect("JSON");
    let known = |what: &str| {
        report["evidence"].as_array().expect("list").iter().find(|e| e["what"] == what).cloned().expect("there")
    };
    assert_eq!(known("runtime")["values"][0]["value"], "node 20.20.2");
    assert_eq!(known("rss")["values"][0]["snapshot"], 1);
    let workload = known("workload")["values"][0]["value"].as_str().expect("text").to_owned();
    assert!(workload.starts_with("200 requests with [github-token#"), "{workload}");
    assert_eq!((known("build")["state"].as_str(), known("build")["how_to_get"].is_string()), (Some("absent"), true));
    for (flag, hint) in [("runtme=x", "did you mean 'runtime'"), ("rss.2=1", "snapshot 2"), ("x", "key=value")] {
        let run = lab.share(std::slice::from_ref(&input), &["-o", &out(&lab, "c.zip"), "--context", flag]);
        assert!(run.code == 2 && run.stderr.contains(hint), "{flag}: {} {}", run.code, run.stderr);
    }
}

#[test]
fn snapshots_of_one_process_go_in_the_order_in_which_they_were_taken() {
    let lab = Lab::new();
    let mut inputs = lab.triple("desk-leak");
    inputs.swap(0, 2);
    let run = lab.share(&inputs, &["-o", &out(&lab, "b.zip")]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let right = format!("{} {} {}", inputs[2].display(), inputs[1].display(), inputs[0].display());
    assert!(run.stderr.contains("order 3, 2, 1") && run.stderr.contains(&right), "{}", run.stderr);
    assert_eq!(lab.left_behind(), Vec::<String>::new());
    let run = lab.share(&inputs, &["-o", &out(&lab, "b.zip"), "--keep-order"]);
    assert!(run.code == 0 && run.stderr.contains("other-order"), "{}", run.stderr);
    // A page and a server have nothing in common.
    let page = lab.input("page.heapsnapshot", &leak_sample("page-leak", 1));
    let run = lab.share(&[page, inputs[0].clone()], &["-o", &out(&lab, "c.zip")]);
    assert!(run.code == 0 && run.stderr.contains("different-processes"), "{}", run.stderr);
}

#[test]
fn a_report_alone_holds_no_snapshot() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &small());
    assert_eq!(lab.share(&[input], &["-o", &out(&lab, "b.zip"), "--no-snapshot"]).code, 0);
    assert_eq!(lab.verify(&lab.out("b.zip")).0, 0);
    assert!(lab.unpack(&lab.out("b.zip")).keys().all(|name| !name.contains("snapshot")));
}

#[test]
fn a_bundle_on_standard_output() {
    let lab = Lab::new();
    let run = lab.run_with(&["share", "-", "-o", "-"], &small());
    assert_eq!(run.code, 0, "{}", run.stderr);
    std::fs::write(lab.out("b.zip"), &run.stdout).expect("write");
    assert_eq!(lab.verify(&lab.out("b.zip")).0, 0);
}

#[test]
fn outputs_that_exist_stay() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &small());
    std::fs::write(lab.out("b.zip"), b"mine").expect("write");
    let run = lab.share(std::slice::from_ref(&input), &["-o", &out(&lab, "b.zip")]);
    assert!(run.code == 2 && run.stderr.contains("exists already"), "{}", run.stderr);
    assert_eq!(std::fs::read(lab.out("b.zip")).expect("file"), b"mine");
    assert_eq!(lab.share(std::slice::from_ref(&input), &["-o", &out(&lab, "b.zip"), "--force"]).code, 0);
    assert_eq!(lab.verify(&lab.out("b.zip")).0, 0);
    let same = input.display().to_string();
    assert_eq!(lab.share(std::slice::from_ref(&input), &["-o", &same, "--force"]).code, 2);
    assert_eq!(std::fs::read(&input).expect("input"), small());
    // Unpacking twice.
    lab.unpack(&lab.out("b.zip"));
    let run = lab.run(&[Path::new("unpack"), &lab.out("b.zip"), Path::new("-C"), &lab.out("unpacked-b.zip")]);
    assert!(run.code == 2 && run.stderr.contains("exists already"), "{}", run.stderr);
    std::fs::create_dir(lab.out("there")).expect("directory");
    let run = lab.share(std::slice::from_ref(&input), &["-o", &out(&lab, "there"), "--container", "dir", "--force"]);
    assert!(run.code == 2 && run.stderr.contains("never replaced"), "{}", run.stderr);
    // A name made from the digest is told when it is taken.
    let share = || lab.run(&[Path::new("share"), &input]);
    assert_eq!(share().code, 0);
    let run = share();
    assert!(run.code == 2 && run.stderr.contains("heapscrub-") && run.stderr.contains(".zip"), "{}", run.stderr);
}

#[test]
fn a_timeline_keeps_its_ending() {
    let lab = Lab::new();
    let input = lab.input("a.heaptimeline", &sample("page.heaptimeline.zst"));
    assert_eq!(lab.share(&[input], &["-o", &out(&lab, "b.zip")]).code, 0);
    assert!(lab.unpack(&lab.out("b.zip")).contains_key("snapshots/snapshot-1.heaptimeline"));
}

#[test]
fn keys_and_source_trees_are_no_fault_of_a_bundle() {
    let lab = Lab::new();
    let inputs = lab.triple("desk-leak");
    let key = lab.input("key", &[7; 32]);
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("mode");
    let key = key.display().to_string();
    let tree = lab.out("tree");
    std::fs::create_dir(&tree).expect("directory");
    std::fs::write(tree.join("a.js"), "const somethingOfMyOwn = 1;\n").expect("source");
    let run = lab
        .share(&inputs, &["-o", &out(&lab, "b.zip"), "--key-file", &key, "--names-from", &tree.display().to_string()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (code, message) = lab.verify(&lab.out("b.zip"));
    assert!(
        code == 0 && message.contains("under a key") && message.contains("names of 1 source trees"),
        "{code} {message}"
    );
}
