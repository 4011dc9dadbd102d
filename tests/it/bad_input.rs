//! Bad input gets a clear error and the right exit code, loses nothing, and shows none of its content.

use std::io::Write;
use std::path::Path;

use super::snapshot::Snapshot;
use super::support::{Lab, sample};

/// Stands in every part of the snapshots below; no message may show it.
const CANARY: &str = "CANARY-7f3a-secret";

fn canary_snapshot() -> Snapshot {
    let mut snapshot = Snapshot::new();
    snapshot.value(CANARY, CANARY);
    let object = snapshot.node("object", CANARY);
    let text = snapshot.node("string", CANARY);
    snapshot.edge(0, "property", CANARY, object).edge(object, "internal", CANARY, text);
    snapshot
}

#[track_caller]
fn check(bytes: &[u8], code: i32, words: &str) {
    let (got, message) = Lab::new().refused(bytes);
    assert!(!message.contains("CANARY") && !message.contains("7f3a"), "content echoed");
    assert!(message.contains(words), "{message}");
    assert_eq!(got, code, "{message}");
    assert!(!message.contains("panicked"), "{message}");
}

/// One change to a snapshot that is otherwise good.
#[track_caller]
fn check_changed(from: &str, to: &str, code: i32, words: &str) {
    let good = canary_snapshot().json();
    assert!(good.contains(from), "the change applies");
    check(good.replacen(from, to, 1).as_bytes(), code, words);
}

#[test]
fn the_unchanged_snapshot_is_good() {
    Lab::new().scrub(canary_snapshot().json().as_bytes());
}

#[test]
fn truncated_at_every_byte() {
    let good = canary_snapshot().json();
    let lab = Lab::new();
    for end in 0..good.len() {
        let (code, message) = lab.refused(&good.as_bytes()[..end]);
        assert_eq!(code, 3, "cut at {end}: {message}");
        assert!(!message.contains("CANARY"), "content echoed, cut at {end}");
        let says = if end == 0 { "empty" } else { "cut off while it was written" };
        assert!(message.contains(says), "cut at {end}: {message}");
    }
}

#[test]
fn truncated_real_files() {
    for name in ["helpdesk.heapsnapshot.zst", "page.heaptimeline.zst"] {
        let good = sample(name);
        let lab = Lab::new();
        for step in 1..60 {
            let end = good.len() * step / 60 + step;
            let (code, message) = lab.refused(&good[..end.min(good.len() - 1)]);
            assert_eq!(code, 3, "{name} cut at {end}: {message}");
            assert!(message.contains("cut off while it was written"), "{name} cut at {end}: {message}");
        }
    }
}

#[test]
fn corrupted_bytes_are_refused_or_read_as_another_good_file() {
    let good = canary_snapshot().json();
    let lab = Lab::new();
    for at in 0..good.len() {
        for byte in [b'\0', b'x', b'9', b'"', b']', 0xff] {
            let mut bytes = good.clone().into_bytes();
            bytes[at] = byte;
            let input = lab.input("app.heapsnapshot", &bytes);
            let run = lab.run(&[Path::new("scrub"), &input, Path::new("--dry-run")]);
            assert!(matches!(run.code, 0 | 3), "byte {at} as {byte}: {} {}", run.code, run.stderr);
            assert!(!run.stderr.contains("CANARY"), "content echoed, byte {at} as {byte}");
        }
    }
}

#[test]
fn empty_and_wrong_types() {
    check(b"", 3, "the file is empty");
    check(b"hello\0", 3, "expected a V8 .heapsnapshot");
    check(b"\x80CANARY-7f3a\x01", 3, "not a snapshot format");
    check(b"JAVA PROFILE 1.0.2\0", 3, "JVM heap dump");
    check(b"\x7fELF\x02\x01", 3, "ELF file");
    check(b"PK\x03\x04", 3, "zip archive");
    check(b"{\"head\":{\"callFrame\":", 3, "sampling profile");
    check(b"{\"version\":2,\"type\":\"Inspector\"", 3, "generateHeapSnapshot(\"v8\")");
}

#[test]
fn lying_counts() {
    check_changed("\"node_count\":4", "\"node_count\":5", 3, "true counts");
    check_changed("\"edge_count\":3", "\"edge_count\":2", 3, "true counts");
    check_changed("\"edge_count\":3", "\"edge_count\":99999999999", 3, "true counts");
    check_changed("\"edge_count\":3", "\"edge_count\":-3", 3, "edge_count");
    check_changed("\"trace_function_count\":0", "\"trace_function_count\":7", 3, "trace_function_count");
    check_changed("9,1,1,16,2,0,0", "9,1,1,16,1,0,0", 3, "as many edges as the nodes say");
    check_changed("9,1,1,16,2,0,0", "9,1,1,16,4000000000,0,0", 3, "as many edges");
    check_changed("9,1,1,16,2,0,0", "9,1,1,16,9223372036854775807,0,0", 3, "a number of edges");
}

#[test]
fn references_out_of_the_file() {
    check_changed("9,1,1,16,2,0,0", "9,77,1,16,2,0,0", 3, "node names inside the strings section");
    check_changed("9,1,1,16,2,0,0", "42,1,1,16,2,0,0", 3, "node types of the header");
    check_changed("9,1,1,16,2,0,0", "9,1,-1,16,2,0,0", 3, "zero or more");
    check_changed("\"edges\":[2,2,7", "\"edges\":[2,99,7", 3, "edge names inside the strings section");
    check_changed("\"edges\":[2,2,7", "\"edges\":[2,2,8", 3, "edges that point at nodes");
    check_changed("\"edges\":[2,2,7", "\"edges\":[2,2,7000", 3, "edges that point at nodes");
    check_changed("\"edges\":[2,2,7", "\"edges\":[9,2,7", 3, "edge types of the header");
    check_changed("\"locations\":[]", "\"locations\":[1]", 3, "the header to list the fields");
}

#[test]
fn parts_that_are_not_understood() {
    check_changed("\"hidden\",\"array\"", "\"hidden\",\"CANARY-7f3a\"", 3, "a type of nodes");
    check_changed("\"context\",", "\"CANARY-7f3a\",", 3, "a type of edges");
    check_changed("\"detachedness\"", "\"CANARY-7f3a\"", 3, "node_fields");
    check_changed("\"trace_node_id\"", "\"name\"", 3, "node_fields");
    check_changed("\"name_or_index\",\"to_node\"", "\"to_node\",\"name_or_index\"", 3, "edge_fields");
    check_changed("\"meta\"", "\"mega\"", 3, "meta in the header");
    check_changed(",\n\"nodes\":", ",\n\"nodes\":[],\n\"nodes\":", 3, "each section once");
    check_changed("\"edges\":", "\"edgez\":", 3, "an edges section");
    check_changed("\"nodes\":[9", "\"nodes\":[\"CANARY-7f3a\"", 3, "integers and commas");
    check_changed("16,2,0,0", "16,2e9,0,0", 3, "integers and commas");
    check_changed("\"trace_tree\":[]", "\"trace_tree\":[\"CANARY-7f3a\"]", 3, "integers");
    check_changed("\"strings\":[", "\"strings\":[7,", 3, "string literals");
    check_changed("\"<dummy>\"", "\"<dum\\qmy>\"", 3, "valid JSON strings");
}

#[test]
fn deep_nesting() {
    let deep = |n: usize| format!("\"trace_tree\":[{}{}]", "[".repeat(n), "]".repeat(n));
    check_changed("\"trace_tree\":[]", &deep(3_000_000), 4, "depth of the trace tree");
    check_changed(
        "\"meta\":{",
        &format!("\"x\":{}{},\"meta\":{{", "[".repeat(100_000), "]".repeat(100_000)),
        3,
        "header",
    );
    let good = canary_snapshot().json().replacen("\"trace_tree\":[]", &deep(50_000), 1);
    Lab::new().scrub(good.as_bytes());
}

#[test]
fn a_header_that_is_too_large() {
    let long = format!("\"x\":\"{}\",\"meta\":{{", "y".repeat(2 << 20));
    check_changed("\"meta\":{", &long, 4, "bytes of the header");
}

#[test]
fn bombs() {
    let zeros = vec![b' '; 600 << 20];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&zeros).expect("memory");
    check(&gzip.finish().expect("memory"), 4, "bytes after decompression");
    check(&zstd::encode_all(&zeros[..], 3).expect("memory"), 4, "bytes after decompression");
}

#[test]
fn damaged_archives() {
    let good = canary_snapshot().json();
    let packed = zstd::encode_all(good.as_bytes(), 3).expect("memory");
    check(&packed[..packed.len() / 2], 3, "the zstd stream");
    let mut damaged = packed.clone();
    damaged[20] ^= 0x55;
    damaged[21] ^= 0x55;
    check(&damaged, 3, "");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(good.as_bytes()).expect("memory");
    let gzip = gzip.finish().expect("memory");
    check(&gzip[..gzip.len() / 2], 3, "the gzip stream");
    // The archive is whole, the snapshot in it is not.
    check(&zstd::encode_all(&good.as_bytes()[..500], 3).expect("memory"), 3, "cut off while it was written");
}

#[test]
fn files_that_cannot_be_read() {
    let lab = Lab::new();
    let out = lab.out("clean");
    let run = |input: &Path| lab.run(&[Path::new("scrub"), input, Path::new("-o"), &out]);
    let missing = run(Path::new("in/none.heapsnapshot"));
    assert_eq!(missing.code, 5, "{}", missing.stderr);
    assert!(missing.stderr.contains("none.heapsnapshot") && missing.stderr.contains("no such file"));
    assert_eq!(run(Path::new("in")).code, 5);
    assert_eq!(run(Path::new("/dev/null")).code, 3);
    assert_eq!(lab.left_behind(), Vec::<String>::new());
}
