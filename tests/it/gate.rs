//! Bundles held against policies: what is refused, why, what to do next; and what passes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::bundle::small;
use super::snapshot::Snapshot;
use super::support::{Lab, Run};

const DAY: u64 = 86_400;

/// A lab with keys and a bundle that three people stand by.
pub(crate) struct Office {
    pub(crate) lab: Lab,
    now: u64,
}

/// What the good bundle is shared with.
const TERMS: [&str; 8] =
    ["--sign", "in/maker", "--recipient", "Acme support", "--purpose", "a leak of memory", "--expires", "30d"];

impl Office {
    pub(crate) fn new() -> Self {
        let lab = Lab::new();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
        let office = Self { lab, now };
        for name in ["maker", "erika", "stranger"] {
            assert_eq!(office.lab.run(&["keygen", "-q", "-o", &format!("in/{name}")]).code, 0);
        }
        office.ssh_keygen(&["-q", "-t", "ed25519", "-N", "", "-C", "frank", "-f", "in/frank"]);
        office.lab.input("a.heapsnapshot", &small());
        office.lab.input("kept.txt", b"a list that somebody read\n");
        office
    }

    pub(crate) fn ssh_keygen(&self, args: &[&str]) {
        let done = self.tool("ssh-keygen", args);
        assert!(done.success(), "ssh-keygen {args:?}");
    }

    fn tool(&self, name: &str, args: &[&str]) -> std::process::ExitStatus {
        let mut command = Command::new(name);
        command.args(args).current_dir(self.lab.out("").parent().expect("a parent"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().expect(name)
    }

    /// Runs the program as if it were so many days ago, or in the future.
    fn at(&self, days_ago: i64, args: &[&str]) -> Run {
        let seconds = self.now.saturating_add_signed(-days_ago * DAY as i64);
        let mut command = self.lab.command();
        let out = command.env("SOURCE_DATE_EPOCH", seconds.to_string()).args(args).stdin(Stdio::null()).output();
        let out = out.expect("the program runs");
        let stderr = String::from_utf8(out.stderr).expect("messages are UTF-8");
        Run { code: out.status.code().unwrap_or(-1), stdout: out.stdout, stderr }
    }

    fn done(&self, days_ago: i64, args: &[&str]) {
        let run = self.at(days_ago, args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    }

    /// Shares the small snapshot into a directory of its own, so that signatures of others do not lie beside it.
    fn share(&self, name: &str, days_ago: i64, flags: &[&str]) -> String {
        self.share_of(name, days_ago, &["in/a.heapsnapshot"], flags)
    }

    fn share_of(&self, name: &str, days_ago: i64, inputs: &[&str], flags: &[&str]) -> String {
        std::fs::create_dir(self.lab.out(name)).expect("directory");
        let bundle = format!("out/{name}/b.zip");
        let mut args = vec!["share", "-q", "-o", &bundle];
        args.extend(inputs);
        args.extend(flags);
        self.done(days_ago, &args);
        bundle
    }

    pub(crate) fn approve(&self, bundle: &str, days_ago: i64, flags: &[&str]) {
        self.done(days_ago, &[&["approve", "-q", bundle], flags].concat());
    }

    /// A bundle that the policy takes.
    pub(crate) fn good(&self, name: &str) -> String {
        let bundle = self.share(name, 0, &TERMS);
        self.approve(&bundle, 0, &["--key", "in/erika"]);
        self.approve(&bundle, 0, &["--ssh-key", "in/frank", "--reviewed", "in/kept.txt"]);
        bundle
    }

    /// A policy that asks for everything.
    pub(crate) fn policy(&self) -> String {
        let frank = std::fs::read_to_string(self.lab.out("../in/frank.pub")).expect("a key");
        format!(
            "profiles = [\"strict\"]
min_rules = \"0.1.0\"
same_rules = true
keyed = false
zero_found = [\"payment\"]
roles = [\"value\"]
formats = [\"heapsnapshot\"]
max_left_out = 0
max_size = \"10 MB\"
max_snapshots = 2
max_age = \"20 days\"
must_expire = true
max_term = \"60 days\"
recipients = [\"Acme support\"]
purposes = [\"a leak of memory\"]
[[person]]
name = \"Maker\"
keys = [\"maker.pub\"]
[[person]]
name = \"Erika\"
keys = [\"erika.pub\"]
[[person]]
name = \"Frank\"
ssh_keys = [\"{}\"]
[made]
by = [\"Maker\"]
[approved]
by = [\"Erika\", \"Frank\"]
at_least = 2
max_age = \"10 days\"
[reviewed]
by = [\"Frank\"]
with_list = true
",
            frank.trim()
        )
    }

    pub(crate) fn gate(&self, bundle: &str, policy: &str, flags: &[&str]) -> Run {
        self.lab.input("policy.toml", policy.as_bytes());
        let args = [&["gate", bundle, "--policy", "in/policy.toml"], flags].concat();
        self.lab.run(&args)
    }

    /// The ids of the checks that refuse a bundle, with the reasons; each of them must say what to do.
    fn refusals(&self, bundle: &str, policy: &str, flags: &[&str]) -> (i32, Vec<(String, String)>) {
        let run = self.gate(bundle, policy, &[&["--json"], flags].concat());
        let verdict: Value =
            serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("JSON: {} {}", run.code, run.stderr));
        let mut out = Vec::new();
        for check in verdict["checks"].as_array().expect("checks") {
            assert_eq!(check["passed"], check["refusals"].as_array().expect("refusals").is_empty());
            for refusal in check["refusals"].as_array().expect("refusals") {
                let text = |key: &str| refusal[key].as_str().expect("a text").to_owned();
                assert!(text("what").len() > 10 && text("why").len() > 10 && text("next").len() > 10, "{refusal}");
                out.push((check["id"].as_str().expect("an id").to_owned(), text("what")));
            }
        }
        assert_eq!(verdict["passed"], out.is_empty());
        assert_eq!(verdict["refusals"], out.len());
        (run.code, out)
    }

    /// Refused for just this reason.
    #[track_caller]
    fn check(&self, bundle: &str, policy: &str, code: i32, id: &str, words: &str) {
        self.check_with(bundle, policy, &[], code, id, words);
    }

    #[track_caller]
    fn check_with(&self, bundle: &str, policy: &str, flags: &[&str], code: i32, id: &str, words: &str) {
        let (found, refusals) = self.refusals(bundle, policy, flags);
        assert_eq!(found, code, "{id}: {refusals:?}");
        assert!(refusals.iter().any(|(i, what)| i == id && what.contains(words)), "{id}, {words}: {refusals:?}");
        assert!(refusals.iter().all(|(i, _)| i == id), "only {id}: {refusals:?}");
        // The same for people.
        let run = self.gate(bundle, policy, flags);
        assert!(
            run.code == code && run.stderr.contains("may not leave") && run.stderr.contains("why "),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains("CANARY"));
    }

    /// Files of signatures beside a bundle whose names hold this.
    fn beside(&self, name: &str, part: &str) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.lab.out(name)).expect("directory").map(|e| e.expect("entry").path());
        let is_one = |path: &PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy();
            name.starts_with("heapscrub-") && name.contains(part)
        };
        let mut found: Vec<PathBuf> = files.filter(is_one).collect();
        found.sort();
        assert!(!found.is_empty(), "{part} beside {name}");
        found
    }
}

fn without(policy: &str, line: &str) -> String {
    let kept: Vec<&str> = policy.lines().filter(|l| !l.starts_with(line)).collect();
    assert!(kept.len() < policy.lines().count(), "{line}");
    kept.join("\n") + "\n"
}

#[test]
fn good_bundles_pass() {
    let office = Office::new();
    let (good, policy) = (office.good("good"), office.policy());
    let run = office.gate(&good, &policy, &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("may leave; all "), "{}", run.stderr);
    assert_eq!(office.gate(&good, &policy.replace('\n', "\r\n"), &["-q"]).stderr, "");
    // A directory, parts, a tar; and a policy that asks for little.
    for (name, flags) in [
        ("dir", &["--container", "dir"][..]),
        ("tar", &["--container", "tar.zst"]),
        ("deflate", &["--pack", "deflate"]),
        ("report", &["--no-snapshot"]),
        ("keyless", &[]),
    ] {
        std::fs::create_dir(office.lab.out(name)).expect("directory");
        let bundle = format!(
            "out/{name}/b{}",
            if name == "tar" {
                ".tar.zst"
            } else if name == "dir" {
                ""
            } else {
                ".zip"
            }
        );
        office.done(0, &[&["share", "-q", "in/a.heapsnapshot", "-o", &bundle, "--sign", "in/maker"], flags].concat());
        let policy = "[[person]]\nname = 'Maker'\nkeys = ['maker.pub']\n[made]\nby = ['Maker']\n";
        let run = office.gate(&bundle, policy, &[]);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
    }
    // What init writes takes it too, as it stands.
    assert_eq!(office.lab.run(&["init", "--policy", "-o", "in/init.toml"]).code, 0);
    assert_eq!(office.lab.run(&["gate", "-q", &good, "--policy", "in/init.toml"]).code, 0);
    // What weakens, where the policy allows it.
    office.lab.input("keep.toml", b"[[keep]]\nid = 'stock'\nexact = ['in stock']\nroles = ['value']\n");
    let kept = office.share("kept", 0, &["--rules", "in/keep.toml", "--profile", "balanced"]);
    let run = office.gate(&kept, "profiles = ['balanced', 'strict']\n[weakened]\nkeep_rules = 1\n", &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn what_was_done_is_held_against_the_policy() {
    let office = Office::new();
    let (strict, any) = (office.share("strict", 0, &[]), "profiles = ['strict', 'balanced']\n");
    let balanced = office.share("balanced", 0, &["--profile", "balanced"]);
    office.check(&balanced, "must_expire = false", 1, "profile", "balanced");
    office.check(&strict, "profiles = ['balanced']", 1, "profile", "strict");
    office.check(&strict, "min_rules = '99.0.0'", 1, "rules", "heapscrub 0.");
    let own = "[[rule]]\nid = \"ticket\"\ncategory = \"own\"\ndescribe = \"tickets\"\nmatch = '''TKT-[0-9]{6}'''\nexamples = [\"TKT-123456\", \"x TKT-654321\"]\ncounterexamples = [\"TKT-1\", \"tkt\"]\n";
    office.lab.input("own.toml", own.as_bytes());
    let other = office.share("other-rules", 0, &["--rules", "in/own.toml"]);
    office.check(&other, "same_rules = true", 1, "same-rules", "other rules");
    office.lab.input("placeholders.key", &[7; 32]);
    office.tool("chmod", &["600", "in/placeholders.key"]);
    let keyed = office.share("keyed", 0, &["--key-file", "in/placeholders.key"]);
    office.check(&strict, "keyed = true", 1, "keyed", "without a key");
    office.check(&keyed, "keyed = false", 1, "keyed", "under a key");
    let off = "[[off]]\nrule = \"phone\"\nreason = \"numbers of machines look like it\"\n";
    office.lab.input("off.toml", off.as_bytes());
    let off = office.share("off", 0, &["--rules", "in/off.toml"]);
    office.check(&off, any, 1, "weakened", "1 rules that were turned off");
    let sources = office.lab.out("sources");
    std::fs::create_dir(&sources).expect("directory");
    std::fs::write(sources.join("app.js"), "function zebra() {}").expect("write");
    let named = office.share("named", 0, &["--names-from", "out/sources"]);
    office.check(&named, any, 1, "weakened", "source trees");
    office.check(&strict, "zero_found = ['credential']", 1, "found", "category credential");
    office.check(&strict, "roles = ['symbol']", 1, "roles", "symbol");
    office.check(&strict, "formats = ['heaptimeline']", 1, "formats", "heapsnapshot");
    let mut newer = Snapshot::new();
    newer.value("note", "a text");
    let newer = newer.json().replacen("\"strings\":", "\"future_section\":[1,2],\"strings\":", 1);
    office.lab.input("newer.heapsnapshot", newer.as_bytes());
    let newer = office.share_of("newer", 0, &["in/newer.heapsnapshot"], &[]);
    office.check(&newer, "max_left_out = 0", 1, "left-out", "1 parts");
    office.check(&strict, "max_size = '100 B'", 1, "size", "kB");
    office.check(&strict, "max_snapshots = 0", 1, "snapshots", "1 snapshots");
}

#[test]
fn terms_are_held_against_the_policy() {
    let office = Office::new();
    let bare = office.share("bare", 0, &[]);
    office.check(&bare, "max_age = '3 days'", 1, "age", "does not say when");
    office.check(&bare, "must_expire = true", 1, "expiry", "no last day");
    office.check(&bare, "max_term = '3 days'", 1, "term", "no last day");
    office.check(&bare, "recipients = ['Acme support']", 1, "recipient", "has no recipient");
    office.check(&bare, "purposes = ['a leak']", 1, "purpose", "has no purpose");
    let old = office.share("old", 8, &["--dated"]);
    office.check(&old, "max_age = '7 days'", 1, "age", "8 days ago");
    assert_eq!(office.gate(&old, "max_age = '8 days'", &[]).code, 0);
    // The last day counts, the day after does not.
    for (name, days, code) in [("last-day", "8d", 0), ("over", "7d", 1)] {
        let bundle = office.share(name, 8, &["--expires", days]);
        let run = office.gate(&bundle, "keyed = false", &[]);
        assert_eq!(run.code, code, "{name}: {}", run.stderr);
        assert_eq!(run.stderr.contains("was to be used until"), code == 1, "{}", run.stderr);
    }
    let ahead = office.share("ahead", -2, &["--dated"]);
    office.check(&ahead, "keyed = false", 1, "clock", "by this clock");
    let terms = office.share("terms", 0, &TERMS);
    office.check(&terms, "max_term = '29 days'", 1, "term", "30 days");
    office.check(&terms, "recipients = ['Acme Support', 'Other']", 1, "recipient", "Acme support");
    office.check(&terms, "purposes = ['a test']", 1, "purpose", "a leak of memory");
    let run = office.lab.run(&["verify", &terms]);
    assert!(run.code == 0 && run.stderr.contains("for Acme support"), "{}", run.stderr);
    // Terms that are not of a form that is read in one way, or over, or a person's address.
    for flags in [
        ["--recipient", "erika@example.test"],
        ["--recipient", "Acme\u{202e}"],
        ["--purpose", " x"],
        ["--expires", "2020-01-01"],
        ["--expires", "soon"],
        ["--expires", "2026-02-30"],
        ["--expires", "99999999999d"],
    ] {
        let run = office.lab.run(&["share", "in/a.heapsnapshot", "-o", "out/none.zip", flags[0], flags[1]]);
        assert_eq!(run.code, 2, "{flags:?}: {}", run.stderr);
        assert!(!office.lab.out("none.zip").exists());
    }
}

#[test]
fn who_stands_by_a_bundle() {
    let office = Office::new();
    let policy = office.policy();
    let unsigned: Vec<&str> = TERMS.iter().copied().skip(2).collect();
    let only = |kind: &str| {
        let people = &policy[policy.find("[[person]]").expect("people")..policy.find("[made]").expect("made")];
        format!("{people}{kind}")
    };
    let bare = office.share("bare", 0, &unsigned);
    office.check(&bare, &only("[made]\nby = ['Maker']\n"), 1, "made", "nobody");
    let other = office.share("other", 0, &[&["--sign", "in/stranger"], &unsigned[..]].concat());
    office.check(&other, &only("[made]\nby = ['Maker']\n"), 1, "made", "nobody");
    let run = office.gate(&other, &only("[made]\nby = ['Maker']\n"), &[]);
    assert!(run.stderr.contains("by a key that the policy does not name"), "{}", run.stderr);
    let approved = "[approved]\nby = ['Erika', 'Frank']\nat_least = 2\nmax_age = '10 days'\n";
    let one = office.share("one", 0, &unsigned);
    office.approve(&one, 0, &["--key", "in/erika"]);
    office.check(&one, &only(approved), 1, "approved", "Erika");
    // Twice by one person is once; --force is needed to say it again.
    assert_eq!(office.at(0, &["approve", &one, "--key", "in/erika"]).code, 2);
    office.approve(&one, 0, &["--key", "in/erika", "--force"]);
    office.check(&one, &only(approved), 1, "approved", "Erika");
    let old = office.share("old", 15, &unsigned);
    office.approve(&old, 12, &["--key", "in/erika"]);
    office.approve(&old, 0, &["--ssh-key", "in/frank"]);
    office.check(&old, &only(approved), 1, "approved", "12 days old");
    let early = office.share("early", 0, &unsigned);
    office.approve(&early, 3, &["--key", "in/erika"]);
    office.approve(&early, 0, &["--ssh-key", "in/frank"]);
    let (code, refusals) = office.refusals(&early, &only(approved), &[]);
    assert!(code == 1 && refusals[0].1.contains("before the bundle was made"), "{refusals:?}");
    // Who made it cannot approve it.
    let own = office.share("own", 0, &TERMS);
    office.approve(&own, 0, &["--key", "in/maker"]);
    let by_maker = "[approved]\nby = ['Maker', 'Erika']\n";
    office.check(&own, &only(by_maker), 1, "approved", "Maker made it");
    assert_eq!(office.gate(&own, &only(&format!("{by_maker}maker_counts = true\n")), &[]).code, 0);
    office.check(&own, &only("[reviewed]\nby = ['Frank']\n"), 1, "reviewed", "nobody");
    // An approval is no review.
    office.approve(&own, 0, &["--ssh-key", "in/frank"]);
    office.check(&own, &only("[reviewed]\nby = ['Frank']\n"), 1, "reviewed", "nobody");
    // Everything at once: all reasons are told.
    let (code, refusals) = office.refusals(&office.share("nothing", 0, &["--profile", "balanced"]), &policy, &[]);
    let ids: Vec<&str> = refusals.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(code, 1);
    for id in ["profile", "age", "expiry", "term", "recipient", "purpose", "made", "approved", "reviewed"] {
        assert!(ids.contains(&id), "{id}: {refusals:?}");
    }
}

/// Changes a file beside a bundle, and puts it back.
fn changed(path: &Path, bytes: &[u8], then: impl FnOnce()) {
    let before = std::fs::read(path).expect("a file");
    assert_ne!(before, bytes);
    std::fs::write(path, bytes).expect("write");
    then();
    std::fs::write(path, before).expect("write");
}

#[test]
fn bundles_and_signatures_that_were_changed_are_refused() {
    let office = Office::new();
    let (good, policy) = (office.good("good"), office.policy());
    let bundle = office.lab.out("good/b.zip");
    let whole = std::fs::read(&bundle).expect("bundle");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    changed(&bundle, &flipped, || office.check(&good, &policy, 6, "intact", ""));
    changed(&bundle, &whole[..whole.len() - 30], || office.check(&good, &policy, 6, "intact", ""));
    changed(&bundle, b"PK is no zip at all", || {
        let (code, refusals) = office.refusals(&good, &policy, &[]);
        assert!(matches!(code, 1 | 6) && refusals[0].0 == "intact", "{code} {refusals:?}");
    });
    assert_eq!(office.gate("out/good/none.zip", &policy, &[]).code, 5);
    // A rule of the gate's own that finds something in the report.
    let own = "[[rule]]\nid = \"own-heap\"\ncategory = \"own\"\ndescribe = \"x\"\nmatch = '''(?i)acme support'''\nexamples = [\"acme support\", \"Acme support\"]\ncounterexamples = [\"acme\", \"support\"]\n";
    office.lab.input("own.toml", own.as_bytes());
    let loose = without(&policy, "same_rules");
    let (code, refusals) = office.refusals(&good, &loose, &["--rules", "in/own.toml"]);
    assert!(
        code == 1 && refusals.iter().any(|(id, what)| id == "intact" && what.contains("not vouched")),
        "{refusals:?}"
    );
    let envelope = office.beside("good", ".approved-")[0].clone();
    let envelopes: Vec<PathBuf> = office.beside("good", ".dsse.json");
    let text = std::fs::read_to_string(&envelopes[0]).expect("an envelope");
    let other = office.good("second");
    assert_ne!(other, good);
    let swapped = std::fs::read(office.beside("second", ".dsse.json")[0].clone()).expect("an envelope");
    let keyid = text.split('"').find(|word| word.len() == 64).expect("a key id");
    let stranger = std::fs::read(office.lab.out("../in/stranger.pub")).expect("a key");
    assert!(!stranger.is_empty());
    for (what, bytes, words) in [
        ("payload", text.replacen("payload\": \"ewog", "payload\": \"ewoh", 1).into_bytes(), ""),
        ("one bit of the signature", text.replacen("\"sig\": \"", "\"sig\": \"A", 1).into_bytes(), ""),
        ("key id", text.replacen(keyid, &"0".repeat(64), 1).into_bytes(), "no statement"),
        ("type", text.replacen("vnd.in-toto+json", "vnd.in-toto+xml", 1).into_bytes(), "no statement"),
        ("blanks", text.replacen("  \"payload\"", " \"payload\"", 1).into_bytes(), "no statement"),
        ("truncated", text.as_bytes()[..text.len() / 2].to_vec(), "no statement"),
        ("empty", Vec::new(), "no statement"),
        ("too large", vec![b' '; 70_000], "cannot be read"),
    ] {
        changed(&envelopes[0], &bytes, || {
            let (code, refusals) = office.refusals(&good, &policy, &[]);
            let hit = refusals.iter().any(|(id, text)| id == "signatures" && text.contains(words));
            assert!(code == 6 && hit, "{what}: {code} {refusals:?}");
        });
    }
    // The same snapshot and terms make the same bundle, so its envelopes are good ones here too.
    changed_or_same(&envelopes[0], &swapped);
    let statement = office.beside("good", "approved-").into_iter().find(|p| p.to_string_lossy().ends_with(".json.sig"));
    let signature = statement.expect("a signature of SSH");
    let before = std::fs::read(&signature).expect("a signature");
    changed(&signature, &before[..before.len() / 2], || office.check_signature(&good, &policy));
    let half = signature.with_extension("");
    let kept = std::fs::read(&half).expect("a statement");
    std::fs::remove_file(&half).expect("remove");
    office.check_signature(&good, &policy);
    std::fs::write(&half, &kept).expect("write");
    changed(&half, &[&kept[..], b"\n"].concat(), || office.check_signature(&good, &policy));
    // A good signature for something else: another namespace.
    std::fs::write(office.lab.out("statement"), &kept).expect("write");
    office.ssh_keygen(&["-q", "-Y", "sign", "-n", "git", "-f", "in/frank", "out/statement"]);
    let git = std::fs::read(office.lab.out("statement.sig")).expect("a signature");
    changed(&signature, &git, || {
        let (code, refusals) = office.refusals(&good, &policy, &[]);
        assert!(code == 6 && refusals.iter().any(|(_, what)| what.contains("something else")), "{refusals:?}");
    });
    // A link is not followed.
    std::fs::rename(&envelope, office.lab.out("moved")).expect("rename");
    std::os::unix::fs::symlink(office.lab.out("moved"), &envelope).expect("link");
    office.check_signature(&good, &policy);
    std::fs::remove_file(&envelope).expect("remove");
    std::fs::rename(office.lab.out("moved"), &envelope).expect("rename");
    assert_eq!(office.gate(&good, &policy, &[]).code, 0);
}

fn changed_or_same(path: &Path, bytes: &[u8]) {
    assert_eq!(std::fs::read(path).expect("a file"), bytes, "one input, one key, one day: one signature");
}

impl Office {
    #[track_caller]
    fn check_signature(&self, bundle: &str, policy: &str) {
        let (code, refusals) = self.refusals(bundle, policy, &[]);
        assert!(code == 6 && refusals.iter().any(|(id, _)| id == "signatures"), "{code} {refusals:?}");
    }
}

#[test]
fn a_signature_of_another_bundle_is_noticed() {
    let office = Office::new();
    let good = office.good("good");
    let mut other = Snapshot::new();
    other.value("note", "another text of more objects");
    let object = other.node("object", "Object");
    other.edge(0, "property", "constructor", object);
    office.lab.input("other.heapsnapshot", other.json().as_bytes());
    office.share_of("other", 0, &["in/other.heapsnapshot"], &TERMS);
    let (to, from) = (office.beside("good", ".made-")[0].clone(), office.beside("other", ".made-")[0].clone());
    assert_ne!(to.file_name(), from.file_name());
    let swapped = std::fs::read(from).expect("an envelope");
    changed(&to, &swapped, || {
        let (code, refusals) = office.refusals(&good, &office.policy(), &[]);
        assert!(code == 6 && refusals.iter().any(|(_, what)| what.contains("another bundle")), "{refusals:?}");
    });
}
