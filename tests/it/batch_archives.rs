//! Where dumps are found: in archives of others, behind links, patterns and lists; and what hostile ones can do.

use std::io::Write;

use super::batch::{Archive, by_name, dump, rows};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

/// A tar archive by hand: name, kind, content.
fn tar(files: &[(&str, u8, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, kind, content) in files {
        let mut block = [0_u8; 512];
        block[..name.len().min(100)].copy_from_slice(&name.as_bytes()[..name.len().min(100)]);
        block[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        block[156] = *kind;
        block[257..263].copy_from_slice(b"ustar\0");
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|b| u32::from(*b)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(block);
        out.extend(*content);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.extend([0; 1024]);
    out
}

/// A zip archive by hand: name, method, packed content, size of the plain one.
fn zip(files: &[(&str, u16, &[u8], usize)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, method, packed, plain) in files {
        let offset = out.len() as u32;
        let mut common = Vec::new();
        for field in [20, 0, *method, 0, 0x21] {
            common.extend(u16::to_le_bytes(field));
        }
        for field in [0, packed.len() as u32, *plain as u32] {
            common.extend(u32::to_le_bytes(field));
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(*packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let at = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([files.len() as u16, files.len() as u16].map(u16::to_le_bytes).concat());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).expect("memory");
    out.finish().expect("memory")
}

#[test]
fn members_of_archives_are_found_by_content() {
    let archive = Archive::new();
    let (a, b) = (dump(3), dump(4));
    let long = format!("{}/{}.heapsnapshot", "d".repeat(90), "n".repeat(90));
    let inner = zip(&[("x", 0, &a, a.len()), ("y/z", 8, &deflated(&b), b.len())]);
    archive.put("t.tar", &tar(&[("a", b'0', &a), ("dir/", b'5', b""), ("link", b'2', b""), ("g.gz", b'0', &gzip(&b))]));
    archive.put(
        "t.tgz",
        &gzip(&tar(&[
            ("././@LongLink", b'L', long.as_bytes()),
            ("cut", b'0', &a),
            ("notes.bin", b'0', b"\0\x01\x02 nothing"),
        ])),
    );
    archive.put("z.bin", &zip(&[("in.zip", 0, &inner, inner.len()), ("c", 8, &deflated(&a), a.len())]));
    archive.put("z.zst", &zstd::encode_all(&inner[..], 1).expect("memory"));
    let (run, out) = archive.run("o", &["--keep-file-names"]);
    let expected: [(&str, &str); 9] = [
        ("dumps/t.tar!a", "done"),
        ("dumps/t.tar!g.gz", "done"),
        (&format!("dumps/t.tgz!{long}"), "done"),
        ("dumps/t.tgz!notes.bin", "unknown"),
        ("dumps/z.bin!c", "done"),
        ("dumps/z.bin!in.zip!x", "done"),
        ("dumps/z.bin!in.zip!y/z", "done"),
        ("dumps/z.zst!x", "done"),
        ("dumps/z.zst!y/z", "done"),
    ];
    let got = by_name(&out);
    for (name, what) in expected {
        assert_eq!(got.get(name).map(String::as_str), Some(what), "{name}: {got:?}\n{}", run.stderr);
    }
    assert_eq!((got.len(), run.code), (9, 0), "{got:?}");
}

#[test]
fn hostile_archives_are_told_of() {
    let archive = Archive::new();
    let a = dump(3);
    let nest = |inner: &[u8]| zip(&[("n", 0, inner, inner.len())]);
    archive.put("deep.zip", &nest(&nest(&nest(&a))));
    archive.put("bomb.zip", &zip(&[("a", 0, &a, a.len()), ("b", 8, &deflated(&vec![b' '; 90 << 20]), 5)]));
    archive.put("bomb.tgz", &gzip(&tar(&[("a", b'0', &a), ("zeros", b'0', &vec![0; 80 << 20])])));
    let mut encrypted = zip(&[("e", 0, &a, a.len())]);
    let at = encrypted.windows(4).rposition(|w| w == b"PK\x01\x02").expect("directory");
    encrypted[at + 8] |= 1;
    archive.put("encrypted.zip", &encrypted);
    archive.put("name.tar", &tar(&[("../../etc/passwd", b'0', &a), ("\u{1b}[31m=1+1", b'0', &a)]));
    let (run, out) = archive.run("o", &["--keep-file-names"]);
    let got = by_name(&out);
    let what = |name: &str| got.get(name).map(String::as_str);
    assert_eq!(what("dumps/deep.zip!n!n"), Some("limit"), "{got:?}");
    assert_eq!(what("dumps/bomb.zip!a"), Some("done"), "{got:?}");
    assert_eq!(what("dumps/bomb.tgz!a"), Some("done"), "{got:?}");
    assert_eq!(what("dumps/bomb.tgz"), Some("limit"), "{got:?}");
    assert_eq!(what("dumps/encrypted.zip!e"), Some("unsupported"), "{got:?}");
    assert_eq!(what("dumps/name.tar!../../etc/passwd"), Some("done"), "{got:?}");
    assert!(run.code == 3 && !run.stderr.contains('\u{1b}'), "{}", run.stderr);
    let table = std::fs::read_to_string(out.join("index.csv")).expect("table");
    assert!(!table.contains('\u{1b}'));
}

#[test]
fn archives_that_are_cut_off_or_damaged_lose_nothing_silently() {
    let a = dump(2);
    let whole =
        [tar(&[("a", b'0', &a), ("b", b'0', &a)]), zip(&[("a", 0, &a, a.len()), ("b", 8, &deflated(&a), a.len())])];
    let archive = Archive::new();
    for (kind, bytes) in ["tar", "zip"].iter().zip(&whole) {
        for step in 0..40 {
            let end = 700 + (bytes.len() - 700) * step / 40;
            archive.put(&format!("{kind}-cut-{step}"), &bytes[..end]);
            let mut damaged = bytes.clone();
            let at = bytes.len() * step / 40;
            damaged[at] ^= 0xff;
            archive.put(&format!("{kind}-damaged-{step}"), &damaged);
        }
    }
    let (run, out) = archive.run("o", &["--keep-file-names"]);
    assert!(matches!(run.code, 0 | 3), "{}", run.stderr);
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("fault"), "{}", run.stderr);
    let names = by_name(&out);
    // Whatever happened to it, each file is told of, as itself or by what is in it.
    for kind in ["tar", "zip"] {
        for how in ["cut", "damaged"] {
            for step in 0..40 {
                let name = format!("dumps/{kind}-{how}-{step}");
                assert!(names.keys().any(|n| *n == name || n.starts_with(&format!("{name}!"))), "{name}");
            }
        }
    }
}

#[test]
fn links_lists_patterns_and_times() {
    let archive = Archive::new();
    for name in ["a/1.heapsnapshot", "a/2.other", "b/3.heapsnapshot"] {
        archive.put(name, &dump(name.len()));
    }
    std::os::unix::fs::symlink("..", archive.root.join("a/loop")).expect("link");
    std::os::unix::fs::symlink("1.heapsnapshot", archive.root.join("a/same")).expect("link");
    let old = std::fs::File::options().write(true).open(archive.root.join("b/3.heapsnapshot")).expect("file");
    old.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).expect("time");
    let names = |name: &str, more: &[&str]| {
        let mut more = more.to_vec();
        more.push("--keep-file-names");
        let (run, out) = archive.run(name, &more);
        assert_eq!(run.code, 0, "{}", run.stderr);
        by_name(&out).into_keys().collect::<Vec<_>>()
    };
    assert_eq!(names("all", &[]).len(), 3);
    assert_eq!(names("inc", &["--include", "*.heapsnapshot"]), ["dumps/a/1.heapsnapshot", "dumps/b/3.heapsnapshot"]);
    assert_eq!(names("exc", &["--exclude", "**/a/**"]), ["dumps/b/3.heapsnapshot"]);
    assert_eq!(names("since", &["--since", "2010-01-01"]).len(), 2);
    // A list on standard input, and a pattern that no shell has seen.
    let list = format!("{0}/a/1.heapsnapshot\n{0}/b/*.heapsnapshot\n", archive.root.display());
    let out = archive.lab.out("list");
    let mut args = archive.args(&out, &["--keep-file-names"]);
    args[1] = "-".into();
    let run = archive.lab.run_with(&args, list.as_bytes());
    assert_eq!((run.code, rows(&out).len()), (0, 2), "{}", run.stderr);
    // What is named and is no dump has failed; in a directory it would be passed over.
    let notes = archive.lab.input("notes.bin", b"\0\x01\x02 nothing");
    args[1] = notes.to_str().expect("UTF-8").into();
    args[3] = archive.lab.out("notes").to_str().expect("UTF-8").into();
    assert_eq!(archive.lab.run(&args).code, 3);
}

#[test]
fn words_of_paths_are_cut_like_what_the_user_tells() {
    let archive = Archive::new();
    archive.put("erika.mustermann@example.test/1.heapsnapshot", &dump(1));
    archive.put("=cmd()<script>/1.heapsnapshot", &dump(1));
    let (run, out) = archive.run("o", &[r"--series=dumps/(?<service>[^/]+)/(?<time>\d+)", "--keep-file-names"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for name in ["index.jsonl", "index.csv", "series.json", "overview.html"] {
        let text = std::fs::read_to_string(out.join(name)).expect(name);
        assert!(!text.contains("mustermann"), "{name}: {text}");
    }
    let page = std::fs::read_to_string(out.join("overview.html")).expect("page");
    assert!(!page.contains("<script") && page.contains("=cmd()&lt;script&gt;"), "{page}");
    let table = std::fs::read_to_string(out.join("index.csv")).expect("table");
    assert!(table.contains(",'=cmd()<script>,"), "{table}");
}
