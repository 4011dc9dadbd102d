//! Raw dumps are found among other files; results of this program pass.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::{Lab, Run, contains, leak_sample, sample};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

fn guard(lab: &Lab, paths: &[&Path]) -> Run {
    let mut args = vec![Path::new("guard")];
    args.extend(paths);
    lab.run(&args)
}

/// Packs a file with what Python has, so that no writer of ours is asked.
fn pack(lab: &Lab, name: &str, script: &str, input: &Path) -> PathBuf {
    let path = lab.out(name);
    let script = format!("import sys, zipfile, tarfile\n{script}");
    let run = Command::new("python3").args(["-c", &script]).arg(input).arg(&path).output().expect("python3");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    path
}

#[track_caller]
fn blocks(lab: &Lab, path: &Path, words: &str) {
    let run = guard(lab, &[path]);
    assert_eq!(run.code, 1, "{}: {}", path.display(), run.stderr);
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

#[track_caller]
fn passes(lab: &Lab, path: &Path) {
    let run = guard(lab, &[path]);
    assert_eq!(run.code, 0, "{}: {}", path.display(), run.stderr);
}

#[test]
fn a_raw_snapshot_is_found_in_every_packing_and_under_every_name() {
    let lab = Lab::new();
    let raw = leak_sample("page-leak", 1);
    let plain = lab.input("notes.txt", &raw);
    blocks(&lab, &plain, "a V8 heap snapshot, not sanitised");
    blocks(&lab, &lab.input("image.png", &gzip(&raw)), "a V8 heap snapshot, packed, not sanitised");
    blocks(&lab, &lab.input("data", &zstd::encode_all(&raw[..], 1).expect("zstd")), "packed");
    blocks(&lab, &lab.input("cut.json", &raw[..raw.len() / 2]), "a V8 heap snapshot");
    let zip = "z = zipfile.ZipFile(sys.argv[2], 'w', METHOD); z.writestr('readme', 'x'); z.write(sys.argv[1], 'a/b')\nz.close()";
    for method in ["zipfile.ZIP_STORED", "zipfile.ZIP_DEFLATED"] {
        blocks(&lab, &pack(&lab, "fixtures.zip", &zip.replace("METHOD", method), &plain), "packed");
    }
    let tar = "t = tarfile.open(sys.argv[2], 'w:MODE'); t.add(sys.argv[1], 'a/b')\nt.close()";
    for mode in ["", "gz"] {
        blocks(&lab, &pack(&lab, "x.tar", &tar.replace("MODE", mode), &plain), "V8");
    }
    let nested = "import io\nb = io.BytesIO(); t = tarfile.open(fileobj=b, mode='w:gz'); t.add(sys.argv[1], 'a'); t.close()\nz = zipfile.ZipFile(sys.argv[2], 'w'); z.writestr('x.tgz', b.getvalue())\nz.close()";
    blocks(&lab, &pack(&lab, "nested.zip", nested, &plain), "packed");
}

#[test]
fn nothing_of_a_file_is_repeated() {
    let lab = Lab::new();
    let path = lab.input("app.bin", &sample("helpdesk.heapsnapshot.zst"));
    let run = guard(&lab, &[&path]);
    assert_eq!(run.code, 1);
    let truth = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/helpdesk.truth.json"));
    let truth: serde_json::Value = serde_json::from_str(&truth.expect("truth")).expect("JSON");
    let mut values = Vec::new();
    texts(&truth, &mut values);
    assert!(values.len() > 5);
    for value in values.iter().filter(|v| v.len() >= 8) {
        assert!(
            !contains(run.stderr.as_bytes(), value.as_bytes()) && !contains(&run.stdout, value.as_bytes()),
            "{value}"
        );
    }
}

fn texts(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => out.push(text.clone()),
        serde_json::Value::Array(list) => list.iter().for_each(|v| texts(v, out)),
        serde_json::Value::Object(map) => map.values().for_each(|v| texts(v, out)),
        _ => {}
    }
}

#[test]
fn sanitised_results_pass_plain_packed_and_in_bundles() {
    let lab = Lab::new();
    let raw = leak_sample("page-leak", 1);
    let input = lab.input("app.heapsnapshot", &raw);
    let clean = lab.scrub(&raw);
    passes(&lab, &lab.out("clean"));
    passes(&lab, &lab.input("clean.gz", &gzip(&clean)));
    passes(&lab, &lab.input("clean.zst", &zstd::encode_all(&clean[..], 1).expect("zstd")));
    let zip = "z = zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED); z.write(sys.argv[1], 'clean')\nz.close()";
    passes(&lab, &pack(&lab, "clean.zip", zip, &lab.out("clean")));
    let more = [2, 3].map(|n| lab.input(&format!("{n}.heapsnapshot"), &leak_sample("page-leak", n)));
    let cases = [
        ("set.zip", 0, &[][..]),
        ("set.tar.zst", 0, &[]),
        ("soft.zip", 0, &["--profile", "balanced"]),
        ("part.zip", 2, &["--max-size", "1800kB"]),
    ];
    for (name, others, flags) in cases {
        let out = lab.out(name);
        let inputs = std::iter::once(&input).chain(&more[..others]);
        let mut args = vec!["share", "-o", out.to_str().expect("UTF-8")];
        args.extend(inputs.map(|path| path.to_str().expect("UTF-8")));
        args.extend(flags);
        let run = lab.run(&args);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    let made = std::fs::read_dir(lab.out("")).expect("directory").map(|e| e.expect("entry").path());
    let made: Vec<PathBuf> = made.collect();
    assert!(made.len() >= 6, "{made:?}");
    for path in made {
        passes(&lab, &path);
    }
}

#[test]
fn a_text_put_back_into_a_result_is_found() {
    let lab = Lab::new();
    let clean = lab.scrub(&leak_sample("page-leak", 1));
    let at = clean.windows(7).rposition(|w| w == b"\"[text#").expect("a placeholder");
    let end = at + 1 + clean[at + 1..].iter().position(|b| *b == b'"').expect("its end");
    let token = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let changed = [&clean[..=at], b"Bearer ", token.as_bytes(), &clean[end..]].concat();
    blocks(&lab, &lab.input("edited.heapsnapshot", &changed), "not sanitised");
    // The mark alone proves nothing: in a raw file it is a text like any other.
    let raw = String::from_utf8(leak_sample("page-leak", 1)).expect("UTF-8");
    let marked = raw.replacen("\"strings\":[\"<dummy>\"", "\"strings\":[\"[sanitised#9]\"", 1);
    assert_ne!(raw, marked);
    blocks(&lab, &lab.input("marked.heapsnapshot", marked.as_bytes()), "not sanitised");
}

#[test]
fn directories_are_walked_and_what_git_keeps_is_left_out() {
    let lab = Lab::new();
    let raw = gzip(&leak_sample("page-leak", 1));
    std::fs::create_dir_all(lab.out("tree/.git")).expect("directory");
    std::fs::create_dir_all(lab.out("tree/fixtures")).expect("directory");
    std::fs::write(lab.out("tree/.git/object"), &raw).expect("file");
    std::fs::write(lab.out("tree/code.rs"), "fn main() {}").expect("file");
    std::os::unix::fs::symlink("nowhere", lab.out("tree/link")).expect("link");
    let run = guard(&lab, &[&lab.out("tree")]);
    assert_eq!((run.code, run.stderr.trim()), (0, "1 files: no raw dump among them"));
    std::fs::write(lab.out("tree/fixtures/big"), &raw).expect("file");
    let args = [Path::new("guard"), Path::new("--json"), &lab.out("tree")];
    let run = lab.run(&args);
    assert_eq!(run.code, 1);
    let told: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(told["raw"][0]["dump"], "v8");
    assert_eq!(told["raw"][0]["packed"], true);
    assert_eq!(told["raw"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_file_that_is_not_there_is_an_error_and_links_are_nothing() {
    let lab = Lab::new();
    assert_eq!(guard(&lab, &[Path::new("missing.heapsnapshot")]).code, 5);
    let raw = lab.input("raw", &leak_sample("page-leak", 1));
    std::os::unix::fs::symlink(&raw, lab.out("link")).expect("link");
    passes(&lab, &lab.out("link"));
}

#[test]
fn where_nobody_can_look_inside_the_name_decides() {
    let lab = Lab::new();
    let xz = [&b"\xfd7zXZ\0"[..], &[0; 100]].concat();
    let run = guard(&lab, &[&lab.input("fonts.tar.xz", &xz)]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("xz is not looked into"), "{}", run.stderr);
    blocks(&lab, &lab.input("java_pid7.hprof.xz", &xz), "cannot be looked into");
    blocks(&lab, &lab.input("App.HeapSnapshot.xz", &xz), "cannot be looked into");
}
