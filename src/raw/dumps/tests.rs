use std::io::Write;

use super::*;

/// What is seen in a file of these bytes.
fn seen(bytes: &[u8]) -> Seen {
    with(&Settings::default(), bytes)
}

fn with(settings: &Settings, bytes: &[u8]) -> Seen {
    let input = Input::member(bytes, bytes.len() as u64, false).expect("memory");
    Look::new(settings, bytes.len()).file(&input)
}

#[track_caller]
fn check(head: &[u8], expected: Option<Dump>) {
    assert_eq!(seen(head).dump, expected);
}

fn elf(kind: u8) -> Vec<u8> {
    let mut head = b"\x7fELF\x02\x01\x01".to_vec();
    head.resize(16, 0);
    head.extend([kind, 0, 62, 0]);
    head
}

#[test]
fn each_kind_is_known_by_how_it_begins() {
    check(b"JAVA PROFILE 1.0.2\0\0\0\0\x08", Some(Dump::Hprof));
    check(b"FLR\0\0\x02\0\x01", Some(Dump::Jfr));
    check(b"\0\x15portable heap dump\0\0\0\x06", Some(Dump::Phd));
    check(b"go1.7 heap dump\n\x06", Some(Dump::Go));
    check(b"dartheap\0\x01", Some(Dump::Dart));
    check(b"MDMP\x93\xa7", Some(Dump::Minidump));
    check(b"PAGEDU64", Some(Dump::System));
    check(b"=erl_crash_dump:0.5\n", Some(Dump::Erlang));
    check(b"\x80\x05\x95\x12\0\0\0\0\0\0\0\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x94", Some(Dump::Tracemalloc));
    check(b"\x04\x22\x4d\x18\x64\x40\xa7\x10\x27\0\0\xf0\x08memray\0\x0d\0\0\0", Some(Dump::Memray));
    check(&123_000_321_u64.to_be_bytes(), Some(Dump::Pyheap));
    check(&elf(4), Some(Dump::Core));
    check(&[0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1, 3, 0, 0, 0, 4, 0, 0, 0], Some(Dump::MachCore));
    check(b"{\"type\":\"ROOT\", \"root\":\"vm\", \"references\":[\"0x1\"]}\n", Some(Dump::Ruby));
    check(b"{\"address\":\"0x7f3a\", \"type\":\"STRING\", \"value\":\"a\"}\n", Some(Dump::Ruby));
    check(b"{\"version\":3,\"type\":\"Inspector\",\"nodes\":[0,0", Some(Dump::JavaScriptCore));
    check(b"{\"snapshot\":{\"meta\":{\"node_fields\":[", Some(Dump::V8));
    check(b"\xef\xbb\xbf{ \"snapshot\" : {\n\t\"meta\": {", Some(Dump::V8));
}

#[test]
fn what_only_looks_similar_is_left_alone() {
    check(&elf(2), None);
    check(&elf(3), None);
    check(b"{\"snapshot\":{\"enabled\":true}}", None);
    check(b"{\"version\":3,\"sources\":[\"a.js\"],\"mappings\":\"AAAA\"}", None);
    check(b"{\"type\":\"module\",\"name\":\"x\"}", None);
    check(b"go1.22 is the version that we use", None);
    check(b"\x80\x04\x95\x0f\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s.", None);
    check(b"//! node_fields, edge_fields, trace_function_info_fields", None);
    check(b"", None);
}

#[test]
fn a_header_that_stands_elsewhere_is_found() {
    let words = b"\"trace_function_info_fields\":[],\"node_fields\":[],\"edge_fields\":[]";
    let sorted = [&b"{\"edges\":["[..], &b"1,2,3,".repeat(500_000), b"0],", words, b"}"].concat();
    check(&sorted, Some(Dump::V8));
    let chunk = [&b"{\"method\":\"HeapProfiler.addHeapSnapshotChunk\",\"chunk\":\"{"[..], words, b"\"}"].concat();
    check(&chunk, Some(Dump::V8));
    let wide: Vec<u8> =
        b"\xff\xfe".iter().copied().chain(b"{\"snapshot\":{\"meta\":{".iter().flat_map(|b| [*b, 0])).collect();
    check(&wide, Some(Dump::V8));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

#[test]
fn layers_are_undone_also_of_streams_that_were_cut() {
    let dump = [&b"JAVA PROFILE 1.0.2\0"[..], &[7; 300_000]].concat();
    check(&gzip(&dump), Some(Dump::Hprof));
    let packed = zstd::encode_all(&gzip(&gzip(&dump))[..], 3).expect("memory");
    check(&packed, Some(Dump::Hprof));
    let whole = gzip(&dump);
    check(&whole[..whole.len() - 100], Some(Dump::Hprof));
    let frame = [&b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd::encode_all(&dump[..], 3).expect("memory")].concat();
    check(&frame, Some(Dump::Hprof));
}

#[test]
fn a_bomb_and_archives_without_end_are_told() {
    let mut many = b"x".to_vec();
    for _ in 0..8 {
        many = gzip(&many);
    }
    assert_eq!(seen(&many).closed, Some("archives inside archives"));
    let bomb = zstd::encode_all(&[&b"{"[..], &vec![b' '; 100 << 20]].concat()[..], 1).expect("memory");
    let seen = seen(&bomb);
    assert_eq!((seen.dump, seen.closed), (None, Some("what unpacks to far more than it is")));
}

#[test]
fn bytes_of_any_kind_make_no_fault() {
    let settings = Settings::default();
    let mut state = 7_u64;
    let heads: [&[u8]; 6] =
        [b"PK\x03\x04", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"{\"snapshot\":{\"meta\":", b"PK\x05\x06", b"\xff\xfe"];
    for round in 0..3000 {
        let mut bytes = heads[round % heads.len()].to_vec();
        for _ in 0..round % 700 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            bytes.push((state >> 56) as u8);
        }
        if round % 5 == 0 {
            bytes.extend(b"PK\x01\x02\0\0\0\0\0\0\x08\0PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\x04\0\0\0\0\0");
        }
        let _ = with(&settings, &bytes);
    }
}
