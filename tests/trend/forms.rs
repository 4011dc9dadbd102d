//! The same series in many forms: whatever the form, the verdict and the numbers are the same.

use super::{Lab, refused, said, trend, verdict};
use serde_json::Value;

const MIB: u64 = 1 << 20;
const ROWS: u64 = 120;

/// A leak: memory of row `i`, in bytes.
fn leak(i: u64) -> u64 {
    200 * MIB + i * MIB + (i * 7919) % 4096 * 64
}

fn rows(one: impl Fn(u64, u64) -> String) -> String {
    (0..ROWS).map(|i| one(i, leak(i))).collect()
}

/// The rate must be about 1 MiB in each ten seconds.
#[track_caller]
fn check(name: &str, text: &str, flags: &[&str]) -> Value {
    let lab = Lab::new();
    let file = lab.file(name, text);
    let mut args: Vec<&str> = vec![file.to_str().expect("UTF-8")];
    args.extend(flags);
    let said = said(&args);
    assert_eq!(verdict(&said), ("leak", "leak"), "{name}: {said:#}");
    let rate = said["lines"][0]["bytes_per_hour"][0].as_f64().expect("a rate") / 360.0 / MIB as f64;
    assert!((rate - 1.0).abs() < 0.06, "{name}: {rate}");
    said
}

/// ISO 8601 of so many seconds after a moment on 2026-11-18.
fn iso(i: u64) -> String {
    let s = 8 * 3600 + i * 10;
    format!("2026-11-18T{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
}

#[test]
fn tables_with_units_headers_and_times() {
    let csv =
        |header: &str, one: &dyn Fn(u64, u64) -> String| header.to_owned() + "\n" + &rows(|i, b| one(i, b) + "\n");
    check("a.csv", &csv("time_s,bytes", &|i, b| format!("{},{b}", i * 10)), &[]);
    check("b.csv", &csv("t_ms,rss", &|i, b| format!("{},{b}", i * 10_000)), &[]);
    check(
        "c.csv",
        &csv("timestamp;RSS (MB)", &|i, b| format!("{};{:.3}", 1_800_000_000 + i * 10, b as f64 / MIB as f64)),
        &[],
    );
    check("d.csv", &csv("timestamp\trss_kb", &|i, b| format!("{}\t{}", 1_800_000_000_000 + i * 10_000, b / 1024)), &[]);
    check("e.csv", &csv("\"time\",\"memory usage\"", &|i, b| format!("\"{}Z\",\"{}\"", iso(i), b)), &[]);
    check(
        "f.csv",
        &csv("date,rss,customer", &|i, b| {
            format!("{},{:.2} MB,Erika Muster", iso(i).replace('T', " "), b as f64 / MIB as f64)
        }),
        &[],
    );
    check("g.csv", &csv("when,what,cpu", &|i, b| format!("{},{},3", i * 10, b)), &["--bytes", "what", "--time", "1"]);
    check("h.csv", &csv("time_s rss", &|i, b| format!("{} {}", i * 10, b / 1024)), &["--unit", "kB"]);
    check("bare", &rows(|i, b| format!("{} {b}\n", i * 10)), &[]);
}

#[test]
fn lines_of_programs() {
    check("a.jsonl", &rows(|i, b| format!("{{\"time\":\"{}Z\",\"pid\":7,\"rss\":{b}}}\n", iso(i))), &[]);
    check(
        "b.jsonl",
        &rows(|i, b| format!("{} INFO app {{\"memory\":{{\"rss\":{b}}},\"user\":\"erika\"}}\n", iso(i))),
        &[],
    );
    let list: Vec<String> = (0..ROWS).map(|i| format!("{{\"ts\":{},\"rss\":{}}}", i * 10, leak(i))).collect();
    check("c.json", &format!("[{}]", list.join(",\n")), &[]);
    check("d.log", &rows(|i, b| format!("{} pmem(rss={b}, vms=5, shared=7)\n", iso(i))), &[]);
    check("e.log", &rows(|i, b| format!("ts={}Z level=info customer=erika rss={b}\n", iso(i))), &[]);
    check("f.log", &rows(|i, b| format!("{}Z\n{{\n  rss: {b},\n  cpu: 3\n}}\n", iso(i))), &[]);
    check(
        "ps.log",
        &rows(|i, b| {
            format!("{}\n  PID   RSS    VSZ COMMAND\n  7 {} 999999 /opt/erika/app --token=x\n", iso(i), b / 1024)
        }),
        &[],
    );
    let top = rows(|i, b| {
        let s = i * 10;
        format!(
            "top - {:02}:{:02}:{:02} up 1 day\nTasks: 1 total\n\n  PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND\n  7 erika 20 0 99g {} 12 S 1.0 0.1 0:01 app\n",
            s / 3600,
            s / 60 % 60,
            s % 60,
            b / 1024
        )
    });
    check("top.log", &top, &[]);
    check(
        "mprof.dat",
        &("CMDLINE ./app\n".to_owned()
            + &rows(|i, b| format!("MEM {:.6} {}.5\n", b as f64 / MIB as f64, 1_800_000_000 + i * 10))),
        &["--runtime", "native"],
    );
    let answer = format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{{\"metric\":{{\"__name__\":\"process_resident_memory_bytes\",\"instance\":\"db.erika.example:9100\"}},\"values\":[{}]}}]}}}}",
        (0..ROWS).map(|i| format!("[{},\"{}\"]", 1_800_000_000 + i * 10, leak(i))).collect::<Vec<_>>().join(",")
    );
    check("prometheus.json", &answer, &[]);
}

#[test]
fn files_of_utf_16_packed_files_and_standard_input() {
    let text = "time_s,bytes\r\n".to_owned() + &rows(|i, b| format!("{},{b}\r\n", i * 10));
    let lab = Lab::new();
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(verdict(&said(&[lab.file("wide.csv", wide)])).0, "leak");
    let packed = zstd::encode_all(text.as_bytes(), 3).expect("packed");
    let packed = lab.file("memory.csv.zst", packed);
    assert_eq!(verdict(&said(&[&packed])).0, "leak");
    let mut command = std::process::Command::new("sh");
    let line = format!("zstd -dc '{}' | '{}' trend - --json", packed.display(), env!("CARGO_BIN_EXE_heapscrub"));
    let run = command.args(["-c", &line]).output().expect("sh");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(verdict(&serde_json::from_slice(&run.stdout).expect("JSON")).0, "leak");
}

#[test]
fn a_collected_heap_never_leaks_without_full_collections() {
    let lab = Lab::new();
    let file = lab.file(
        "heap.csv",
        "time_s,rss,heapUsed\n".to_owned() + &rows(|i, b| format!("{},{},{b}\n", i * 10, b + 5 * MIB)),
    );
    let path = file.to_str().expect("UTF-8");
    let plain = said(&[path]);
    assert_eq!(verdict(&plain).0, "insufficient");
    assert!(plain["lines"].as_array().expect("lines").iter().all(|line| line["verdict"] != "leak"), "{plain:#}");
    assert_eq!(verdict(&said(&[path, "--after-gc"])), ("leak", "leak"));
    for runtime in ["v8", "jvm", "go", "dotnet", "ruby"] {
        assert_eq!(verdict(&said(&[path, "--bytes", "rss", "--runtime", runtime])).0, "insufficient", "{runtime}");
    }
    // Marks say behind which samples a collection ran; a counter of any collections says nothing.
    let marked = |mark: &dyn Fn(u64) -> u64| {
        let text = "time_s,heapUsed,gc\n".to_owned() + &rows(|i, b| format!("{},{b},{}\n", i * 10, mark(i)));
        said(&[lab.file("marked.csv", text)])
    };
    assert_eq!(verdict(&marked(&|i| u64::from(i % 10 == 9))), ("leak", "leak"));
    assert_eq!(verdict(&marked(&|i| i / 10)).0, "insufficient");
    assert_eq!(verdict(&marked(&|_| 0)).0, "insufficient");
}

#[test]
fn memory_outside_of_a_flat_heap() {
    let lab = Lab::new();
    let heap = |i: u64| 50 * MIB + (i * 7919) % 4096 * 64;
    let file = lab.file(
        "native.csv",
        "time_s,rss,heapTotal,heapUsed,external\n".to_owned()
            + &rows(|i, b| format!("{},{b},{},{},{}\n", i * 10, 70 * MIB, heap(i), 2 * MIB)),
    );
    let found = said(&[&file]);
    assert_eq!(verdict(&found), ("leak", "native-memory"), "{found:#}");
    assert!(found["confidence"].as_f64().expect("confidence") <= 0.6, "garbage may hold it");
    let buffers = lab.file(
        "buffers.csv",
        "time_s,rss,heapTotal,heapUsed,external\n".to_owned()
            + &rows(|i, b| format!("{},{b},{},{},{}\n", i * 10, 70 * MIB, heap(i), b - 150 * MIB)),
    );
    let path = buffers.to_str().expect("UTF-8");
    assert_eq!(
        verdict(&said(&[path])),
        ("insufficient", "native-memory"),
        "buffers go with the objects that hold them"
    );
    assert_eq!(verdict(&said(&[path, "--after-gc"])), ("leak", "native-memory"));
}

#[test]
fn restarts_load_and_idle_time() {
    let lab = Lab::new();
    let restarts = |pid: bool| {
        let one = |i: u64| {
            let b = 100 * MIB + i % 60 * 3 * MIB;
            format!("{},{b}{}\n", i * 10, if pid { format!(",{}", 100 + i / 60) } else { String::new() })
        };
        let header = if pid { "time_s,rss,pid\n" } else { "time_s,rss\n" };
        header.to_owned() + &(0..240).map(one).collect::<String>()
    };
    for pid in [true, false] {
        let found = said(&[lab.file("restarts.csv", restarts(pid))]);
        assert_eq!(verdict(&found).0, "leak", "{found:#}");
        assert_eq!(found["inputs"][0]["restarts"].as_array().expect("restarts").len(), 3);
    }
    // Work that stops is no cache that is full.
    let stops = |i: u64| format!("{},{},{}\n", i * 10, leak(i.min(80)), 50 * i.min(80));
    let text = "time_s,rss,requests\n".to_owned() + &(0..ROWS).map(stops).collect::<String>();
    assert_eq!(verdict(&said(&[lab.file("stops.csv", text)])).0, "leak");
    let follows = |i: u64| {
        let load = 100.0 + i as f64 / 2.0 + 40.0 * (i as f64 / 5.0).sin();
        format!("{},{},{load:.2}\n", i * 10, 100 * MIB + (load * 1e6) as u64)
    };
    let text = "time_s,rss,load\n".to_owned() + &(0..ROWS).map(follows).collect::<String>();
    assert_eq!(verdict(&said(&[lab.file("load.csv", text)])), ("plateau", "batch-size"));
}

#[test]
fn processes_side_by_side_are_told_apart() {
    let lab = Lab::new();
    let table = rows(|i, b| {
        format!("{}\n  PID   RSS COMMAND\n  7 {} leaky\n  8 {} steady\n", iso(i), b / 1024, 90_000 + i % 3)
    });
    let found = said(&[lab.file("ps.log", table)]);
    assert_eq!(verdict(&found).0, "leak");
    let each: Vec<(u64, &str)> = (found["lines"].as_array().expect("lines").iter())
        .map(|line| (line["process"].as_u64().expect("number"), line["verdict"].as_str().expect("verdict")))
        .collect();
    assert_eq!(each, [(1, "leak"), (2, "plateau")]);
    assert!(found["summary"].as_str().expect("summary").contains("process 1 of file 1"));
}

#[test]
fn budgets_end_with_exit_code_1() {
    let lab = Lab::new();
    let leaks = lab.file("leak.csv", "time_s,bytes\n".to_owned() + &rows(|i, b| format!("{},{b}\n", i * 10)));
    let flat =
        lab.file("flat.csv", "time_s,bytes\n".to_owned() + &rows(|i, _| format!("{},{}\n", i * 10, leak(i % 3))));
    let run = |file: &std::path::Path, flags: &[&str]| {
        let args: Vec<&str> = [file.to_str().expect("UTF-8")].into_iter().chain(flags.iter().copied()).collect();
        trend(&args).status.code()
    };
    assert_eq!(run(&leaks, &[]), Some(0));
    assert_eq!(run(&leaks, &["--fail-on", "leak"]), Some(1));
    assert_eq!(run(&leaks, &["--fail-on", "unsure"]), Some(1));
    assert_eq!(run(&leaks, &["--max-growth", "20MB"]), Some(1));
    assert_eq!(run(&leaks, &["--max-growth", "2GB"]), Some(0));
    for budget in [["--fail-on", "leak"], ["--fail-on", "growth"], ["--fail-on", "unsure"], ["--max-growth", "20MB"]] {
        assert_eq!(run(&flat, &budget), Some(0), "{budget:?}");
    }
    assert_eq!(refused(&[lab.path("missing.csv")]).0, 5);
}

#[test]
fn plots_and_the_schema() {
    let lab = Lab::new();
    let leaks = lab.file("leak.csv", "time_s,bytes\n".to_owned() + &rows(|i, b| format!("{},{b}\n", i * 10)));
    let out = lab.path("leak.svg");
    let run = trend(&[leaks.as_os_str(), "--format".as_ref(), "svg".as_ref(), "-o".as_ref(), out.as_os_str()]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let svg = std::fs::read_to_string(&out).expect("SVG");
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("<polyline") && !svg.contains("href")
    );
    assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    // Never over what is there, and never over the input.
    assert!(!trend(&[leaks.as_os_str(), "-o".as_ref(), out.as_os_str()]).status.success());
    let before = std::fs::read(&leaks).expect("input");
    assert!(!trend(&[leaks.as_os_str(), "-o".as_ref(), leaks.as_os_str(), "--force".as_ref()]).status.success());
    assert_eq!(std::fs::read(&leaks).expect("input"), before);
    let text = String::from_utf8(trend(&[&leaks]).stdout).expect("UTF-8");
    assert!(text.contains("leak: ") && text.contains('█') && text.contains("missing"), "{text}");
    let schema = std::process::Command::new(env!("CARGO_BIN_EXE_heapscrub")).args(["schema", "trend"]).output();
    let schema: Value = serde_json::from_slice(&schema.expect("schema").stdout).expect("JSON");
    let said = said(&[&leaks]);
    let known = schema["properties"].as_object().expect("properties");
    assert!(said.as_object().expect("object").keys().all(|key| known.contains_key(key)));
}
