//! Bundles that were changed, forged or never were any: every receiver is told.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::bundle::{files, out, small};
use super::snapshot::Snapshot;
use super::support::Lab;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn every_change_of_a_directory_is_noticed_and_named() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &small());
    let dir = lab.out("bundle");
    let run = lab.share(&[input], &["-o", &out(&lab, "bundle"), "--container", "dir"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(lab.verify(&dir).0, 0);
    let whole = files(&dir);
    assert_eq!(whole.len(), 7);
    for (name, bytes) in &whole {
        let path = dir.join(name);
        // Every byte of short members, many of longer ones.
        for at in (0..bytes.len()).step_by((bytes.len() / 40).max(1)) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            std::fs::write(&path, &changed).expect("write");
            let (code, message) = lab.verify(&dir);
            assert_eq!(code, 6, "{name}, byte {at}: {message}");
            let is_named =
                message.contains(name.as_str()) || (name == "manifest.json" && message.contains("SHA256SUMS"));
            assert!(is_named, "{name}, byte {at}: {message}");
        }
        std::fs::remove_file(&path).expect("remove");
        let (code, message) = lab.verify(&dir);
        assert!(
            code == 6 && message.contains(name.as_str()) && message.contains("missing"),
            "{name}: {code} {message}"
        );
        std::fs::write(&path, bytes).expect("write");
    }
    assert_eq!(lab.verify(&dir).0, 0);
    // Added, known and unknown; the name of the unknown one is not repeated.
    std::fs::write(dir.join("snapshots/snapshot-2.heapsnapshot.zst"), b"x").expect("write");
    let (code, message) = lab.verify(&dir);
    assert!(code == 6 && message.contains("snapshot-2") && message.contains("not listed"), "{code} {message}");
    std::fs::remove_file(dir.join("snapshots/snapshot-2.heapsnapshot.zst")).expect("remove");
    std::fs::write(dir.join("CANARY-notes.txt"), b"x").expect("write");
    let (code, message) = lab.verify(&dir);
    assert!(code == 6 && !message.contains("CANARY"), "{code} {message}");
    std::fs::remove_file(dir.join("CANARY-notes.txt")).expect("remove");
    // Renamed, to a name that bundles have.
    std::fs::rename(dir.join(MEMBER), dir.join("snapshots/snapshot-2.heapsnapshot.zst")).expect("rename");
    let (code, message) = lab.verify(&dir);
    assert!(code == 6 && message.contains("snapshot-1") && message.contains("snapshot-2"), "{code} {message}");
    std::fs::rename(dir.join("snapshots/snapshot-2.heapsnapshot.zst"), dir.join(MEMBER)).expect("rename");
    // Swapped.
    std::fs::write(dir.join("report.md"), &whole["README.txt"]).expect("write");
    std::fs::write(dir.join("README.txt"), &whole["report.md"]).expect("write");
    let (code, message) = lab.verify(&dir);
    assert!(code == 6 && message.contains("report.md") && message.contains("README.txt"), "{code} {message}");
    std::fs::write(dir.join("README.txt"), &whole["README.txt"]).expect("write");
    std::fs::remove_file(dir.join("report.md")).expect("remove");
    std::os::unix::fs::symlink("README.txt", dir.join("report.md")).expect("link");
    let (code, message) = lab.verify(&dir);
    assert!(code == 6 && message.contains("symbolic link"), "{code} {message}");
}

#[test]
fn every_change_of_a_zip_is_noticed() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &small());
    for (name, flags) in [("b.zip", &["--pack", "zst"][..]), ("d.zip", &["--pack", "deflate"]), ("b.tar.zst", &[])] {
        let mut all = vec!["-o".to_owned(), out(&lab, name)];
        all.extend(flags.iter().map(|f| (*f).to_owned()));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let run = lab.share(std::slice::from_ref(&input), &all);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let path = lab.out(name);
        let whole = std::fs::read(&path).expect("bundle");
        assert_eq!(lab.verify(&path).0, 0);
        let changed = lab.out(&format!("changed-{name}"));
        for at in (0..whole.len()).step_by(whole.len() / 150) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&changed, &bytes).expect("write");
            let (code, message) = lab.verify(&changed);
            let is_start = at < 4;
            // Some bits of compressed data say nothing; a bundle that holds the same is the same.
            let is_same = || zstd::decode_all(&bytes[..]).ok() == zstd::decode_all(&whole[..]).ok();
            let says_nothing = code == 0 && name.ends_with(".zst") && is_same();
            assert!(code == 6 || (is_start && code == 3) || says_nothing, "{name}, byte {at}: {code} {message}");
        }
        for bytes in [[&whole[..], b"x"].concat(), [b"x", &whole[..]].concat(), whole[..whole.len() - 1].to_vec()] {
            std::fs::write(&changed, &bytes).expect("write");
            assert!(matches!(lab.verify(&changed).0, 3 | 6));
        }
        let run = lab.run(&[Path::new("unpack"), &changed, Path::new("-C"), &lab.out("")]);
        assert!(matches!(run.code, 3 | 6));
    }
    assert_eq!(
        lab.left_behind().iter().filter(|name| name.starts_with("heapscrub-") || name.starts_with('.')).count(),
        0
    );
}

/// Makes manifest and sums of a directory true again after members were changed.
fn list_again(dir: &Path, change: impl FnOnce(&mut Value)) {
    let manifest = std::fs::read_to_string(dir.join("manifest.json")).expect("manifest");
    let mut value: Value = serde_json::from_str(&manifest).expect("JSON");
    for row in value["members"].as_array_mut().expect("members") {
        let bytes = std::fs::read(dir.join(row["name"].as_str().expect("name"))).expect("member");
        row["bytes"] = bytes.len().into();
        row["sha256"] = hex(&Sha256::digest(&bytes)).into();
        if row.get("unpacked").is_some() {
            let plain = zstd::decode_all(&bytes[..]).expect("zstd");
            row["unpacked"]["bytes"] = plain.len().into();
            row["unpacked"]["sha256"] = hex(&Sha256::digest(&plain)).into();
        }
    }
    change(&mut value);
    let manifest = serde_json::to_string_pretty(&value).expect("JSON") + "\n";
    std::fs::write(dir.join("manifest.json"), &manifest).expect("write");
    let mut sums = String::new();
    for row in value["members"].as_array().expect("members") {
        let (name, digest) = (row["name"].as_str().expect("name"), row["sha256"].as_str().expect("digest"));
        sums.push_str(&format!("{digest}  {name}\n"));
        if let Some(plain) = row["unpacked"]["sha256"].as_str() {
            sums.push_str(&format!("{plain}  {}\n", name.strip_suffix(".zst").expect("packed")));
        }
    }
    sums.push_str(&format!("{}  manifest.json\n", hex(&Sha256::digest(manifest.as_bytes()))));
    std::fs::write(dir.join("SHA256SUMS"), sums).expect("write");
}

const MEMBER: &str = "snapshots/snapshot-1.heapsnapshot.zst";

/// A directory bundle of the small snapshot, and its sanitised text.
fn forged(lab: &Lab, name: &str) -> (PathBuf, String) {
    let input = lab.input("a.heapsnapshot", &small());
    assert_eq!(lab.share(&[input], &["-o", &out(lab, name), "--container", "dir"]).code, 0);
    let dir = lab.out(name);
    let clean = zstd::decode_all(&std::fs::read(dir.join(MEMBER)).expect("member")[..]).expect("zstd");
    (dir, String::from_utf8(clean).expect("UTF-8"))
}

/// A sender who means harm lists the digests of what they put in: the rules of the receiver find it.
#[test]
fn a_raw_snapshot_under_a_true_manifest_is_found() {
    let lab = Lab::new();
    let (dir, clean) = forged(&lab, "bundle");
    let one_more = clean.replacen("[text#", "CANARY-7f3a-secret [text#", 1);
    let section = clean.replacen("\"nodes\":", "\"customers\":[\"CANARY-7f3a\"],\"nodes\":", 1);
    let header = clean.replacen("{\"snapshot\":{", "{\"snapshot\":{\"note\":\"CANARY-7f3a\",", 1);
    let raw = String::from_utf8(small()).expect("UTF-8");
    for (what, text, code) in
        [("raw", &raw, 1), ("one more", &one_more, 1), ("section", &section, 6), ("header", &header, 6)]
    {
        assert!(*text != clean, "{what}");
        std::fs::write(dir.join(MEMBER), zstd::encode_all(text.as_bytes(), 3).expect("zstd")).expect("write");
        list_again(&dir, |_| ());
        let (found, message) = lab.verify(&dir);
        assert_eq!(found, code, "{what}: {message}");
        assert!(message.contains("snapshot-1") && !message.contains("CANARY"), "{what}: {message}");
        let run = lab.run(&[Path::new("unpack"), &dir, Path::new("-C"), &lab.out("")]);
        assert_eq!(run.code, code, "{what}");
    }
    // Behind the frame, or in a frame inside a frame.
    let packed = zstd::encode_all(clean.as_bytes(), 3).expect("zstd");
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 11, 0, 0, 0][..], b"CANARY-7f3a"].concat();
    for bytes in [[&packed[..], &skippable].concat(), zstd::encode_all(&packed[..], 3).expect("zstd")] {
        std::fs::write(dir.join(MEMBER), bytes).expect("write");
        list_again(&dir, |_| ());
        let (code, message) = lab.verify(&dir);
        assert_eq!(code, if bytes_are_nested(&dir) { 3 } else { 6 }, "{message}");
    }
    assert_eq!(lab.left_behind(), ["bundle"]);
}

/// Is the member, unpacked once, still packed?
fn bytes_are_nested(dir: &Path) -> bool {
    let plain = zstd::decode_all(&std::fs::read(dir.join(MEMBER)).expect("member")[..]).expect("zstd");
    plain.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

#[test]
fn texts_and_manifests_that_heapscrub_does_not_write_are_refused() {
    let lab = Lab::new();
    let (dir, _) = forged(&lab, "bundle");
    let whole = files(&dir);
    let restore = || {
        for (name, bytes) in &whole {
            std::fs::write(dir.join(name), bytes).expect("write");
        }
    };
    let add = |name: &str, text: &str| {
        let mut bytes = whole[name].clone();
        bytes.extend(text.as_bytes());
        std::fs::write(dir.join(name), bytes).expect("write");
    };
    let address = "maria.canary@example.test";
    for (name, text, code) in [
        ("report.json", " maria CANARY\n", 6),
        ("report.json", address, 6),
        ("report.md", address, 1),
        ("README.txt", address, 1),
        ("report.md", "a \u{1b}[31m red line\n", 6),
        ("README.txt", "a \u{202e} line\n", 6),
    ] {
        add(name, text);
        list_again(&dir, |_| ());
        let (found, message) = lab.verify(&dir);
        assert_eq!(found, code, "{name} {text:?}: {message}");
        assert!(message.contains(name) && !message.contains("maria"), "{name}: {message}");
        restore();
    }
    let rows = |value: &mut Value| value["members"].as_array().expect("members").clone();
    for (what, change) in [
        ("parts", (|value: &mut Value| value["parts"] = 4_294_967_295_u64.into()) as fn(&mut Value)),
        ("weakened", |value| value["weakened"]["keep_rules"] = 1.into()),
        ("profile", |value| value["profile"] = "balanced".into()),
        ("version", |value| value["tool"] = "heapscrub 4294967295.0.9".into()),
    ] {
        list_again(&dir, change);
        let (code, message) = lab.verify(&dir);
        assert_eq!(code, 6, "{what}: {message}");
        restore();
    }
    list_again(&dir, |value| value["members"] = rows(value).into_iter().rev().collect());
    assert_eq!(lab.verify(&dir).0, 6);
    restore();
    list_again(&dir, |value| {
        let mut twice = rows(value);
        twice.push(twice.last().expect("a row").clone());
        value["members"] = twice.into();
    });
    assert_eq!(lab.verify(&dir).0, 6);
    restore();
    std::fs::remove_file(dir.join("README.txt")).expect("remove");
    let made = std::process::Command::new("mkfifo").arg(dir.join("README.txt")).status().expect("mkfifo");
    assert!(made.success());
    let (code, message) = lab.verify(&dir);
    assert!(code == 6 && message.contains("a device or a pipe"), "{code} {message}");
}

#[test]
fn what_is_no_bundle_is_told_so() {
    let lab = Lab::new();
    let snapshot = lab.input("a.heapsnapshot", &small());
    let random = lab.input("random", &(0..9000_u32).map(|n| ((n * 7919) >> 3) as u8).collect::<Vec<_>>());
    let empty = lab.input("empty", b"");
    let folder = lab.out("folder");
    std::fs::create_dir(&folder).expect("directory");
    std::fs::write(folder.join("notes.txt"), b"x").expect("write");
    for path in [snapshot, random, empty, folder, PathBuf::from("/dev/zero")] {
        let (code, message) = lab.verify(&path);
        assert_eq!(code, 3, "{}: {message}", path.display());
        assert!(message.contains("no bundle of heapscrub"), "{message}");
    }
    assert_eq!(lab.verify(&lab.out("nothing.part1of2.zip")).0, 5);
    assert_eq!(lab.verify(&lab.out("nothing-there")).0, 5);
    // A zip of somebody else, with a path that leads outside.
    let script = "import zipfile; z = zipfile.ZipFile('evil.zip', 'w'); z.writestr('../evil.txt', 'x'); z.close()";
    let made =
        std::process::Command::new("python3").args(["-c", script]).current_dir(lab.out("")).status().expect("python3");
    assert!(made.success());
    let run = lab.run(&[Path::new("unpack"), &lab.out("evil.zip")]);
    assert!(run.code == 6 && run.stderr.contains("a path that leads outside"), "{} {}", run.code, run.stderr);
}

#[test]
fn values_of_the_receiver_must_not_stand_in_a_bundle() {
    let lab = Lab::new();
    let mut snapshot = Snapshot::new();
    snapshot.value("note", "the account of Erika Mustermann was closed");
    let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
    let list = lab.input("values.txt", b"Somebody Else\nErika Mustermann\n");
    for (profile, expected) in [("strict", 0), ("balanced", 1)] {
        let name = format!("{profile}.zip");
        assert_eq!(lab.share(std::slice::from_ref(&input), &["-o", &out(&lab, &name), "--profile", profile]).code, 0);
        assert_eq!(lab.verify(&lab.out(&name)).0, 0);
        let run = lab.run(&[Path::new("verify"), &lab.out(&name), Path::new("--values-file"), &list]);
        assert_eq!(run.code, expected, "{profile}: {}", run.stderr);
        assert!(!run.stderr.contains("Erika"));
    }
}

/// A value in every encoding that a program may have put it into.
fn spelled(value: &str) -> Vec<(&'static str, String)> {
    use std::fmt::Write;
    let join = |bytes: &[u8], form: &dyn Fn(u8) -> String| bytes.iter().map(|b| form(*b)).collect::<String>();
    let base64 = |bytes: &[u8]| {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for chunk in bytes.chunks(3) {
            let word = chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
            let digits = (0..=chunk.len()).map(|i| char::from(DIGITS[(word >> (18 - 6 * i)) as usize & 63]));
            out.extend(digits);
            (chunk.len()..3).for_each(|_| out.push('='));
        }
        out
    };
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let plain = value.as_bytes();
    let percent = join(plain, &|b| format!("%{b:02X}"));
    let json = value.chars().fold(String::new(), |mut out, c| {
        let _ = write!(out, "\\u{:04x}", u32::from(c));
        out
    });
    let quoted = serde_json::to_string(&serde_json::json!({ "a": serde_json::json!({ "b": value }).to_string() }));
    vec![
        ("plain", format!("to {value}, yes")),
        ("large", value.to_uppercase()),
        ("base64", base64(plain)),
        ("base64, one byte before", base64(&[b"x", plain].concat())),
        ("base64, two bytes before", base64(&[b"xy", plain, b" and more"].concat())),
        ("base64 of addresses", base64(&[b"~~~???", plain].concat()).replace('+', "-").replace('/', "_")),
        (
            "base64 over lines",
            base64(&[&b"some words before it, ".repeat(4), plain].concat())
                .as_bytes()
                .chunks(24)
                .map(|line| String::from_utf8_lossy(line).into_owned())
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        ("base64 of UTF-16", base64(&wide(value))),
        ("base64 in base64", base64(base64(plain).as_bytes())),
        ("percent", percent.clone()),
        ("percent twice", percent.replace('%', "%25")),
        ("form", value.replace(' ', "+") + "&x=%20"),
        ("hexadecimal", join(plain, &|b| format!("{b:02x}"))),
        ("large hexadecimal", format!("0x{}", join(plain, &|b| format!("{b:02X}")))),
        ("bytes", plain.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")),
        ("numbers of bytes", format!("[{}]", plain.iter().map(u8::to_string).collect::<Vec<_>>().join(","))),
        ("JSON", json.clone()),
        ("JSON in JSON", quoted.expect("JSON")),
        ("script", join(plain, &|b| format!("\\x{b:02x}"))),
        ("HTML", value.chars().map(|c| format!("&#{};", u32::from(c))).collect()),
        ("HTML, hexadecimal", value.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect()),
        ("UTF-16", value.chars().flat_map(|c| [c, '\0']).collect()),
        ("accents apart", unicode_apart(value)),
        ("blanks that do not break", value.replace(' ', "\u{a0}")),
    ]
}

/// The one accent of the test value, as a mark of its own.
fn unicode_apart(value: &str) -> String {
    value.replace('\u{fc}', "u\u{308}")
}

const VALUE: &str = "Erika M\u{fc}stermann-Quoll";

#[test]
fn a_listed_value_is_found_in_every_encoding_by_its_line() {
    let lab = Lab::new();
    let list = lab.input("values.txt", format!("Somebody Else\n\n{VALUE}\nOtto\n").as_bytes());
    let look = |bundle: &Path, flags: &[&str]| {
        let bundle = bundle.display().to_string();
        let list = list.display().to_string();
        lab.run(&[&["verify", &bundle, "--values-file", &list], flags].concat())
    };
    let mut snapshot = Snapshot::new();
    snapshot.value("note", "a text to be planted");
    let input = lab.input("b.heapsnapshot", snapshot.json().as_bytes());
    let flags = ["-o", &out(&lab, "forged"), "--container", "dir", "--profile", "balanced"];
    assert_eq!(lab.share(&[input], &flags).code, 0);
    let dir = lab.out("forged");
    let clean = zstd::decode_all(&std::fs::read(dir.join(MEMBER)).expect("member")[..]).expect("zstd");
    let clean = String::from_utf8(clean).expect("UTF-8");
    for (n, (what, text)) in spelled(VALUE).into_iter().enumerate() {
        let mut snapshot = Snapshot::new();
        snapshot.value("note", &text);
        let input = lab.input("a.heapsnapshot", snapshot.json().as_bytes());
        // Rules may find something in it too; then they are told beside the line.
        let written = serde_json::to_string(&text).expect("JSON");
        let forged = clean.replacen("\"a text to be planted\"", &written, 1);
        assert_ne!(forged, clean);
        std::fs::write(dir.join(MEMBER), zstd::encode_all(forged.as_bytes(), 3).expect("zstd")).expect("write");
        list_again(&dir, |_| ());
        let run = look(&dir, &[]);
        assert_eq!(run.code, 1, "{what}: {}", run.stderr);
        assert!(run.stderr.contains("line 3: in 1 text of snapshots/snapshot-1"), "{what}: {}", run.stderr);
        assert!(!run.stderr.contains("Erika") && !run.stderr.to_lowercase().contains("quoll"), "{}", run.stderr);
        let run = look(&dir, &["--json"]);
        let line: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        assert_eq!((&line["ok"], &line["values"]["looked_for"]), (&false.into(), &3.into()));
        assert_eq!(line["values"]["found"][0]["line"], 3, "{what}");
        // What the same list removes is not there.
        let list = list.display().to_string();
        let name = format!("{n}-clean.zip");
        let flags = ["-o", &out(&lab, &name), "--profile", "balanced", "--values-file", &list];
        let run = lab.share(&[input], &flags);
        assert_eq!(run.code, 0, "{what}: {}", run.stderr);
        let run = look(&lab.out(&name), &[]);
        assert_eq!(run.code, 0, "{what}: {}", run.stderr);
        assert!(run.stderr.contains("none of 3 values"), "{}", run.stderr);
    }
}

#[test]
fn a_listed_value_is_found_in_every_member() {
    let lab = Lab::new();
    let (dir, _) = forged(&lab, "bundle");
    let list = lab.input("values.csv", format!("id,name\n1,\"{VALUE}\"\n2,Otto\n3,strict\n").as_bytes());
    let look = || {
        let (dir, list) = (dir.display().to_string(), list.display().to_string());
        lab.run(&["verify", &dir, "--values-file", &list, "--values-column", "name"])
    };
    // Words of the program itself are nothing to find.
    let run = look();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let whole = files(&dir);
    let lines = spelled(VALUE).into_iter().filter(|(what, text)| *what != "UTF-16" && !text.contains('\n'));
    for (what, text) in lines.step_by(4) {
        for name in ["README.txt", "report.md"] {
            let bytes = [&whole[name][..], text.as_bytes(), b"\n"].concat();
            std::fs::write(dir.join(name), bytes).expect("write");
            list_again(&dir, |_| ());
            let run = look();
            assert_eq!(run.code, 1, "{what}, {name}: {}", run.stderr);
            assert!(run.stderr.contains(&format!("line 2: in 1 text of {name}")), "{what}, {name}: {}", run.stderr);
            for (name, bytes) in &whole {
                std::fs::write(dir.join(name), bytes).expect("write");
            }
        }
    }
    let report = String::from_utf8(whole["report.json"].clone()).expect("UTF-8");
    let key = "\"label\": \"snapshot-1\"";
    let changed = report.replacen(key, &format!("\"label\": {}", serde_json::to_string(VALUE).expect("JSON")), 1);
    assert_ne!(changed, report);
    std::fs::write(dir.join("report.json"), changed).expect("write");
    list_again(&dir, |_| ());
    let run = look();
    assert!(run.code == 1 && run.stderr.contains("line 2: in 1 text of report.json"), "{} {}", run.code, run.stderr);
    std::fs::write(dir.join("report.json"), &whole["report.json"]).expect("write");
    // What a sender writes into the terms stands in the manifest and in README.txt.
    let input = lab.input("b.heapsnapshot", &small());
    assert_eq!(lab.share(&[input], &["-o", &out(&lab, "terms.zip"), "--recipient", "Otto"]).code, 0);
    let run = lab.run(&[Path::new("verify"), &lab.out("terms.zip"), Path::new("--values-file"), &list]);
    assert!(run.code == 1 && run.stderr.contains("line 3: in 1 text of manifest.json"), "{}", run.stderr);
    // In pieces: a rope of two halves, of which no part says it.
    let mut snapshot = Snapshot::new();
    let (first, second) = VALUE.split_once("stermann").expect("two halves");
    let rope = snapshot.node("concatenated string", "(concatenated string)");
    let parts = [format!("for {first}ster"), format!("mann{second} now")].map(|part| snapshot.node("string", &part));
    snapshot.edge(0, "property", "note", rope);
    snapshot.edge(rope, "internal", "first", parts[0]);
    snapshot.edge(rope, "internal", "second", parts[1]);
    let input = lab.input("c.heapsnapshot", snapshot.json().as_bytes());
    assert_eq!(lab.share(&[input], &["-o", &out(&lab, "rope.zip"), "--profile", "balanced"]).code, 0);
    let run = lab.run(&[Path::new("verify"), &lab.out("rope.zip"), Path::new("--values-file"), &list]);
    assert!(run.code == 1 && run.stderr.contains("line 2: in 1 text of snapshots/"), "{} {}", run.code, run.stderr);
}

#[test]
fn lists_that_cannot_be_read_are_refused() {
    let lab = Lab::new();
    let input = lab.input("a.heapsnapshot", &small());
    assert_eq!(lab.share(&[input], &["-o", &out(&lab, "b.zip")]).code, 0);
    let bundle = lab.out("b.zip").display().to_string();
    for (name, bytes, flags, words) in [
        ("a.txt", &b"\n\n"[..], &[][..], "holds no value"),
        ("b.txt", b"caf\xe9\n", &[], "not UTF-8"),
        ("c.csv", b"a,\"CANARY", &[], "a quote in line 1"),
        ("d.csv", b"a,b\nc,d\n", &["--values-column", "mail"], "no column"),
        ("e.csv", b"a,b\n", &["--values-column", "a"], "holds no value"),
        ("f.txt", b"a;b\n", &["--values-column", "3"], "holds no value"),
    ] {
        let list = lab.input(name, bytes).display().to_string();
        let run = lab.run(&[&["verify", &bundle, "--values-file", &list], flags].concat());
        assert_eq!(run.code, 2, "{name}: {}", run.stderr);
        assert!(run.stderr.contains(words) && !run.stderr.contains("CANARY"), "{name}: {}", run.stderr);
    }
    let run = lab.run(&["verify", &bundle, "--values-column", "a"]);
    assert_eq!(run.code, 2);
}
