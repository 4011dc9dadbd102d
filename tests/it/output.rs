//! Where the output goes: never over another file unasked, private, packed by name, and to standard output.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use super::snapshot::{Snapshot, strings};
use super::support::Lab;

fn json() -> Vec<u8> {
    let mut snapshot = Snapshot::new();
    snapshot.value("a", "some text");
    snapshot.json().into_bytes()
}

#[test]
fn an_existing_file_is_replaced_only_with_force() {
    let lab = Lab::new();
    let (input, out) = (lab.input("a.heapsnapshot", &json()), lab.out("clean"));
    std::fs::write(&out, "precious").expect("file");
    let args = [Path::new("scrub"), &input, Path::new("-o"), &out];
    let run = lab.run(&args);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--force"), "{}", run.stderr);
    assert_eq!(std::fs::read(&out).expect("file"), b"precious");
    let run = lab.run(&[&args[..], &[Path::new("--force")]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    strings(&std::fs::read(&out).expect("output"));
    assert_eq!(lab.left_behind(), ["clean"]);
}

#[test]
fn the_input_is_never_the_output() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &json());
    let (hard, soft) = (lab.out("hard"), lab.out("soft"));
    std::fs::hard_link(&input, &hard).expect("link");
    symlink(&input, &soft).expect("link");
    for out in [&input, &hard, &soft] {
        let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), out, Path::new("--force")]);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("same file"), "{}", run.stderr);
    }
    assert_eq!(std::fs::read(&input).expect("input"), json());
}

#[test]
fn the_output_is_private_and_alone() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &json());
    let out = lab.out("clean.heapsnapshot.zst");
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &out]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let meta = std::fs::metadata(&out).expect("output");
    assert_eq!((meta.permissions().mode() & 0o777, meta.nlink()), (0o600, 1));
    assert_eq!(lab.left_behind(), ["clean.heapsnapshot.zst"]);
}

#[test]
fn packed_in_and_out_by_content_and_name() {
    let lab = Lab::new();
    let plain = lab.scrub(&json());
    let packed = lab.input("a.zst", &zstd::encode_all(&json()[..], 3).expect("memory"));
    let gz = lab.out("clean.gz");
    assert_eq!(lab.run(&[Path::new("scrub"), &packed, Path::new("-o"), &gz]).code, 0);
    let mut unpacked = Vec::new();
    let file = std::fs::File::open(&gz).expect("output");
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut unpacked).expect("gzip");
    assert!(unpacked == plain);
    let zst = lab.out("clean.zst");
    assert_eq!(
        lab.run(&[Path::new("scrub"), &gz, Path::new("-o"), &zst, Path::new("--level"), Path::new("9")]).code,
        0
    );
    assert!(zstd::decode_all(std::fs::File::open(&zst).expect("output")).expect("zstd") == plain);
}

#[test]
fn standard_input_and_output() {
    let lab = Lab::new();
    let plain = lab.scrub(&json());
    std::fs::remove_file(lab.out("clean")).expect("output");
    let run = lab.run_with(&["scrub", "-", "-o", "-"], &json());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout == plain);
    assert_eq!(lab.left_behind(), Vec::<String>::new());
    let bad = lab.run_with(&["scrub", "-", "-o", "-"], &json()[..200]);
    assert_eq!((bad.code, bad.stdout.len()), (3, 0), "{}", bad.stderr);
    assert_eq!(lab.run_with(&["scrub", "-", "-o", "-"], b"").code, 3);
    assert_eq!(lab.run_with(&["scrub", "-", "-o", "-", "--json"], &json()).code, 2);
}

#[test]
fn directories_that_cannot_be_written() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &json());
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &lab.out("none/clean")]);
    assert_eq!(run.code, 5, "{}", run.stderr);
    assert!(run.stderr.contains("no such file or directory"), "{}", run.stderr);
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("-o"), &lab.out("")]);
    assert_ne!(run.code, 0);
    assert_eq!(lab.left_behind(), Vec::<String>::new());
}

#[test]
fn a_rehearsal_keeps_nothing() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &json());
    let run = lab.run(&[Path::new("scrub"), &input, Path::new("--dry-run")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("nothing was kept"), "{}", run.stderr);
    assert_eq!(lab.left_behind(), Vec::<String>::new());
}
