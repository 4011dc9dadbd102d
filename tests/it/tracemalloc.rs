//! Snapshots of Python's tracemalloc through the program.

use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::support::{Lab, Run};

/// A file of the sample, unpacked.
fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/python-leak").join(name);
    zstd::decode_all(&*std::fs::read(path).expect("sample")).expect("zstd")
}

/// Words of the made-up machine that must not get out.
const PLANTED: [&str; 9] =
    ["marisol", "quintero", "tomas", "brandvold", "orchard", "ledger", "vault", "store.py", "jobs.py"];

#[track_caller]
fn no_planted(what: &str, bytes: &[u8]) {
    for word in PLANTED {
        assert!(memchr::memmem::find(&bytes.to_ascii_lowercase(), word.as_bytes()).is_none(), "{what}: {word}");
    }
}

#[track_caller]
fn clean(run: &Run, code: i32) {
    assert_eq!(run.code, code, "{}", run.stderr);
    no_planted("stderr", run.stderr.as_bytes());
    no_planted("stdout", &run.stdout);
}

fn inputs(lab: &Lab) -> Vec<String> {
    let one = |n: u32| lab.input(&format!("{n}.pickle"), &sample(&format!("snapshot-{n}.tracemalloc.zst")));
    (1..=3).map(|n| one(n).display().to_string()).collect()
}

#[test]
fn planted_names_are_gone_from_bundle_report_and_terminal() {
    let lab = Lab::new();
    let files = inputs(&lab);
    // They are there, or this shows nothing.
    let raw = sample("snapshot-3.tracemalloc.zst");
    assert!(PLANTED.iter().all(|word| memchr::memmem::find(&raw, word.as_bytes()).is_some()));
    let bundle = lab.out("b.zip").display().to_string();
    let arguments = ["share", &files[0], &files[1], &files[2], "-o", &bundle];
    clean(&lab.run(&arguments), 0);
    clean(&lab.run(&["verify", &bundle]), 0);
    clean(&lab.run(&["unpack", &bundle]), 0);
    clean(&lab.run(&["scan", &files[0]]), 0);
    let mut seen = 0;
    for entry in walk(lab.out("").parent().expect("lab")) {
        if !entry.starts_with(lab.out("").parent().expect("lab").join("in")) {
            no_planted(&entry.display().to_string(), &std::fs::read(&entry).expect("file"));
            seen += 1;
        }
    }
    assert!(seen >= 9, "{seen} files");
}

fn walk(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(dir).expect("directory") {
        let path = entry.expect("entry").path();
        if path.is_dir() { out.extend(walk(&path)) } else { out.push(path) }
    }
    out
}

#[test]
fn a_report_tells_the_line_the_calls_and_what_it_cannot_know() {
    let lab = Lab::new();
    let files = inputs(&lab);
    let run = lab.run(&["report", &files[0], &files[1], &files[2], "--format", "json"]);
    clean(&run, 0);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((&report["series"]["kind"], &report["verdict"]["verdict"]), (&"as-given".into(), &"leak".into()));
    let truth: Value = serde_json::from_slice(&sample("snapshot-3.truth.json.zst")).expect("truth");
    let allocations = &report["allocations"];
    assert_eq!((&allocations["blocks"][2], &allocations["bytes"][2]), (&truth["blocks"][2], &truth["bytes"][2]));
    // The numbers of each group, in their order: names differ, so groups of equal numbers may change places.
    for (group, expected) in
        allocations["groups"].as_array().expect("groups").iter().zip(truth["groups"].as_array().expect("groups"))
    {
        let numbers = |rows: &Value, keys: [&str; 2]| -> Vec<(u64, u64)> {
            rows.as_array()
                .expect("rows")
                .iter()
                .map(|row| (row[keys[0]].as_u64().expect("number"), row[keys[1]].as_u64().expect("number")))
                .collect()
        };
        let python: Vec<(u64, u64)> = expected["last"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| (row[1].as_u64().expect("size"), row[2].as_u64().expect("count")))
            .collect();
        assert_eq!(numbers(&group["last"], ["bytes", "blocks"]), python, "{}", group["by"]);
    }
    let first = &report["growers"][0];
    let class = first["class"].as_str().expect("a place");
    assert!(class.ends_with("/python3.11/json/decoder.py:353"), "{class}");
    assert_eq!(
        (&first["pattern"], &first["location"]["line"], &first["owner"]["location"]["line"]),
        (&"steady".into(), &353.into(), &5.into())
    );
    let steps = first["paths"][0]["steps"].as_array().expect("steps");
    assert!(steps.len() == 6 && steps.iter().all(|step| step["edge_kind"] == "call"), "{steps:?}");
    assert!(allocations["cannot_tell"][0].as_str().expect("text").starts_with("who holds the memory"));
    // The ring of a fixed size and what tracemalloc itself allocates are no growers.
    let places: Vec<&str> =
        report["growers"].as_array().expect("growers").iter().filter_map(|g| g["class"].as_str()).collect();
    assert!(places.iter().all(|place| !place.contains("tracemalloc") && !place.contains('\\')), "{places:?}");
    let markdown = lab.run(&["report", &files[0], &files[1], &files[2]]);
    clean(&markdown, 0);
    let text = String::from_utf8(markdown.stdout).expect("UTF-8");
    assert!(text.contains("Where memory was allocated") && text.contains("who holds the memory"), "{text}");
}

#[test]
fn packed_and_streamed_files_are_known_by_content() {
    let raw = sample("py38-2.tracemalloc.zst");
    let lab = Lab::new();
    let expected = lab.scrub(&raw);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&raw).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let zstd = zstd::encode_all(&raw[..], 3).expect("memory");
    for bytes in [&raw, &gzip, &zstd] {
        let run = lab.run_with(&["scrub", "-", "-o", "-"], bytes);
        assert_eq!((run.code, run.stdout == expected), (0, true), "{}", run.stderr);
    }
    assert_eq!(lab.scrub(&expected), expected, "a second run changes nothing");
    // Balanced keeps what nothing finds.
    let input = lab.input("b.pickle", &raw).display().to_string();
    let run = lab.run(&["scrub", &input, "-o", "-", "--profile", "balanced"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(memchr::memmem::find(&run.stdout, b"orchard-ledger").is_some());
    assert!(memchr::memmem::find(&run.stdout, b"json/decoder.py").is_some());
}

#[test]
fn values_that_the_user_lists_go_from_paths_in_balanced() {
    let lab = Lab::new();
    let input = lab.input("a.pickle", &sample("py312-2.tracemalloc.zst")).display().to_string();
    let values = lab.input("values", b"marisol.quintero\norchard-ledger\n").display().to_string();
    let run = lab.run(&["scrub", &input, "-o", "-", "--profile", "balanced", "--values-file", &values]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for word in ["marisol", "orchard-ledger"] {
        assert!(memchr::memmem::find(&run.stdout, word.as_bytes()).is_none(), "{word}");
    }
    assert!(memchr::memmem::find(&run.stdout, b"site-packages/orchard_vault").is_some());
}

#[test]
fn a_cut_file_leaves_nothing_behind() {
    let raw = sample("py39-1.tracemalloc.zst");
    let lab = Lab::new();
    // Every end of the first bytes, and some of the rest; the reader itself is cut at every byte in a unit test.
    for end in (1..200).chain((200..raw.len()).step_by(211)) {
        let input = lab.input("cut.pickle", &raw[..end]).display().to_string();
        let run = lab.run(&["scrub", &input, "-o", &lab.out("clean").display().to_string()]);
        clean(&run, 3);
        assert!(lab.left_behind().is_empty(), "{end}");
    }
}

#[test]
fn other_files_are_named_and_refused() {
    let lab = Lab::new();
    for (name, bytes, words) in [
        ("call", &b"cos\nsystem\n(S'touch out/run'\ntR."[..], "pickle"),
        ("dict", b"\x80\x04\x95\x0a\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s.", "pickle"),
        ("protocol 2", b"\x80\x02cos\nsystem\nq\x00X\x04\0\0\0trueq\x01\x85q\x02Rq\x03.", "pickle"),
        ("core", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x04\0>\0", "ELF"),
        ("minidump", b"MDMP\x93\xa7", "minidump"),
        ("phd", b"\0\x14portable heap dump\0\0", "portable heap dump"),
        ("hprof", b"JAVA PROFILE 1.0.2\0", "HPROF"),
        ("jfr", b"FLR\0\0\x02", "Flight"),
        ("ruby", b"{\"type\":\"ROOT\", \"root\":\"vm\"}\n", "Ruby"),
        ("ruby object", b"{\"address\":\"0x7f\", \"type\":\"STRING\"}\n", "Ruby"),
        ("go", b"go1.7 heap dump\n", "Go"),
        ("memray", b"\x04\x22\x4d\x18\x60\x40", "memray"),
        ("pprof", b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x12\x07", "pprof"),
        ("windows", b"PAGEDU64", "Windows"),
        ("gcdump", b"Nettrace\x14\0\0\0!FastSerialization.1", ".NET"),
        ("zeros", &[0; 8192], "raw memory"),
    ] {
        let input = lab.input("file", bytes).display().to_string();
        let run = lab.run(&["scrub", &input, "-o", &lab.out("clean").display().to_string()]);
        assert_eq!(run.code, 3, "{name}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{name}: {}", run.stderr);
        assert!(lab.left_behind().is_empty(), "{name}: nothing was run and nothing was written");
    }
}
