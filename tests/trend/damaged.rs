//! Damaged, cut, hostile and foreign files: a clear answer, and nothing of their text in it.

use super::{Lab, refused, said, sample, trend, verdict};

const SECRET: &str = "CANARY-kfhwtrnq";

fn table(damage: impl Fn(u64) -> Option<String>) -> String {
    let row = |i: u64| damage(i).unwrap_or_else(|| format!("{},{}", i * 10, (100 + i) << 20));
    "time_s,rss\n".to_owned() + &(0..100).map(|i| row(i) + "\n").collect::<String>()
}

#[test]
fn damaged_rows_are_left_out_and_named_by_line() {
    let lab = Lab::new();
    for bad in ["x,5", "1;2", "10,-5", "10,NaN5", "10", "10,5,6", SECRET, "\u{202e},7", "1e400,5", "5,1e300"] {
        let file = lab.file("memory.csv", table(|i| matches!(i, 20 | 50).then(|| bad.to_owned())));
        let found = said(&[&file]);
        let input = &found["inputs"][0];
        assert_eq!((&input["rows"], &input["rows_damaged"]), (&98.into(), &2.into()), "{bad}: {input}");
        assert_eq!(input["damaged_lines"], serde_json::json!([22, 52]), "{bad}");
        assert_eq!(verdict(&found).0, "leak", "{bad}");
        assert!(!found.to_string().contains(SECRET));
        let text = String::from_utf8(trend(&[&file]).stdout).expect("UTF-8");
        assert!(text.contains("2 damaged and left out, line 22, 52"), "{text}");
    }
}

#[test]
fn too_many_damaged_rows_are_refused() {
    let lab = Lab::new();
    let file = lab.file("memory.csv", table(|i| (i % 5 == 4).then(|| SECRET.to_owned())));
    let (code, message) = refused(&[&file]);
    assert_eq!(code, 3);
    assert!(message.contains("20 of 100 rows cannot be read, the first one in line 6"), "{message}");
    assert!(!message.contains(SECRET), "{message}");
    let (code, message) = refused(&[lab.file("lines.jsonl", "{\"rss\": 1,}\n".repeat(30))]);
    assert_eq!(code, 3);
    assert!(message.contains("line 1"), "{message}");
}

#[test]
fn an_open_end_is_no_damage() {
    let lab = Lab::new();
    let found = said(&[lab.file("memory.csv", table(|_| None) + "1000,1")]);
    assert_eq!(found["inputs"][0]["rows_damaged"], 0);
    let found = said(&[lab.file("memory.csv", table(|_| None) + "100")]);
    assert_eq!((&found["inputs"][0]["is_cut"], &found["inputs"][0]["rows"]), (&true.into(), &100.into()));
}

/// Cut anywhere, a file is read as far as it goes or refused; never a panic, never another verdict than the data allow.
#[test]
fn cut_anywhere_and_with_any_byte_changed() {
    let lab = Lab::new();
    for name in [
        "node-leak.gc.log.zst",
        "python-leak.pmap-1",
        "prometheus.json.zst",
        "node-leak.jsonl.zst",
        "java-z-leak.gc.log.zst",
        "python-leak.dat.zst",
        "python-flat.ps.log.zst",
        "python-leak.status.log.zst",
    ] {
        let packed = std::fs::read(sample(name)).expect("sample");
        let plain = zstd::decode_all(&packed[..]).unwrap_or(packed);
        for part in 0..12 {
            let end = plain.len() * part / 12;
            let mut bytes = plain[..end].to_vec();
            check(&lab, name, &bytes);
            bytes.extend_from_slice(&plain[end..]);
            for step in 0..5 {
                let at = (end + step * 37) % bytes.len();
                bytes[at] = [0, 0xff, b'"', b'9', b'\n'][step];
            }
            check(&lab, name, &bytes);
        }
    }
}

fn check(lab: &Lab, name: &str, bytes: &[u8]) {
    let run = trend(&[lab.file("damaged", bytes)]);
    let code = run.status.code().expect("no signal");
    let message = String::from_utf8(run.stderr).expect("UTF-8");
    assert!(matches!(code, 0 | 3), "{name}, {} bytes: {code} {message}", bytes.len());
    assert!(!message.contains("erika") && !message.contains("internal fault"), "{name}: {message}");
}

#[test]
fn what_is_no_series_is_told_so() {
    let lab = Lab::new();
    for (bytes, told) in [
        (&b"{\"snapshot\":{\"meta\":{}}}"[..], "heap snapshot"),
        (b"JAVA PROFILE 1.0.2\0", "heap dump"),
        (b"PK\x03\x04....", "zip"),
        (b"\x00\x01\x02\x03", "no text"),
        (b"a poem about CANARY-kfhwtrnq\nand nothing else\n", "no series of memory"),
        (b"time,customer\n1,CANARY-kfhwtrnq\n2,b\n", "a column of memory"),
        (b"", "empty"),
        (b"[]", "no series of memory"),
        (b"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}", "range query"),
        (
            b"00400000-00452000 r-xp 00000000 08:02 1 /usr/bin/x\nRss: 4 kB\n00652000-00653000 r-xp 0\nRss: 8 kB\n",
            "smaps_rollup",
        ),
    ] {
        let (code, message) = refused(&[lab.file("what", bytes)]);
        assert_eq!(code, 3, "{told}: {message}");
        assert!(message.contains(told) && !message.contains(SECRET), "{told}: {message}");
    }
    let (code, message) =
        refused(&[lab.file("memory.csv", table(|_| None)).to_str().expect("UTF-8"), "--bytes", "nothing"]);
    assert_eq!(code, 2);
    assert!(message.contains("--bytes"), "{message}");
}

#[test]
fn hostile_texts_do_nothing() {
    let lab = Lab::new();
    let evil = "\u{1b}[31m\u{202e}<script>alert(1)</script>";
    let table: String = (0..60)
        .map(|i| {
            format!(
                "2026-11-18T20:00:{:02}Z\n  PID   RSS COMMAND\n  7 {} node {evil} sk_live_{}\n",
                i % 60,
                90_000 + i * 900,
                "4eC39HqLyjWDarjtT1zdp7dc"
            )
        })
        .collect();
    let file = lab.file("ps.log", table);
    for flags in
        [&[][..], &["--keep-labels"], &["--keep-labels", "--format", "svg"], &["--keep-labels", "--format", "json"]]
    {
        let args: Vec<&str> = [file.to_str().expect("UTF-8")].into_iter().chain(flags.iter().copied()).collect();
        let run = trend(&args);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let out = String::from_utf8(run.stdout).expect("UTF-8");
        assert!(!out.contains('\u{1b}') && !out.contains("sk_live_4eC39"), "{out}");
        if !flags.contains(&"json") {
            assert!(!out.contains('\u{202e}') && (!flags.contains(&"svg") || !out.contains("<script")), "{out}");
        }
    }
}

#[test]
fn listed_values_go_from_labels() {
    let lab = Lab::new();
    let values = lab.file("values.txt", "Erika Mustermann\n");
    let table: String = (0..40).map(|i| format!("{i},{},Erika Mustermann\n", (50 + i) << 20)).collect();
    let text = "  PID   RSS COMMAND\n  7 90000 work --for Erika Mustermann\n".repeat(40);
    for (name, text) in [("memory.csv", "time_s,rss,name\n".to_owned() + &table), ("ps.log", text)] {
        let file = lab.file(name, text);
        let run = trend(&[file.as_os_str(), "--keep-labels".as_ref(), "--values-file".as_ref(), values.as_os_str()]);
        let out = String::from_utf8(run.stdout).expect("UTF-8");
        assert!(run.status.success() && !out.contains("Erika"), "{out}");
    }
}

#[test]
fn many_processes_and_long_lines_end_within_the_limits() {
    let lab = Lab::new();
    let processes: String = (0..3)
        .map(|_| {
            "  PID   RSS COMMAND\n".to_owned() + &(1..400).map(|pid| format!("{pid} 5000 x\n")).collect::<String>()
        })
        .collect();
    let (code, message) = refused(&[lab.file("ps.log", processes)]);
    assert_eq!(code, 4, "{message}");
    assert!(message.contains("processes of a series"), "{message}");
    let long = table(|i| (i == 30).then(|| "9".repeat(100_000) + ",5"));
    assert_eq!(said(&[lab.file("long.csv", long)])["inputs"][0]["damaged_lines"], serde_json::json!([32]));
    let deep = format!("{}{}\n", "{\"rss\":".repeat(200), "}".repeat(200)).repeat(30);
    assert_eq!(refused(&[lab.file("deep.jsonl", deep)]).0, 3);
}
