//! For any graph and any texts: the result is verified, opens again, has the same graph, and holds no secret.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

use heapscrub::{Input, Output, Profile, Settings, scrub};
use proptest::prelude::*;

use super::snapshot::{NODE_TYPES, Snapshot};
use super::support::contains;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn scrubbed(json: &str, profile: Profile) -> Vec<u8> {
    // Rules are compiled once, not for each of thousands of cases.
    static STRICT: LazyLock<Settings> = LazyLock::new(|| Settings { jobs: 1, ..Settings::default() });
    static BALANCED: LazyLock<Settings> =
        LazyLock::new(|| Settings { profile: Profile::Balanced, jobs: 1, ..Settings::default() });
    let settings = if profile == Profile::Strict { &*STRICT } else { &*BALANCED };
    let out = Shared::default();
    let output = Output::stream(Box::new(out.clone())).expect("temporary file");
    let input = Input::from_reader(json.as_bytes()).expect("input");
    let verified = scrub(&[input], vec![output], settings).expect("any text can be scrubbed").verified.remove(0);
    verified.publish().expect("memory");
    out.0.lock().expect("lock").clone()
}

/// Parts from which the engines, and this program, put labels together. Plain words below a package root are names of
/// files, which stay; so the secrets are no plain words.
const PARTS: [&str; 44] = [
    "xSECRET=x",
    "SECRET!",
    " ",
    "/",
    "//",
    "@",
    "#",
    ".",
    "?",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "12",
    "0",
    "-",
    "\n",
    "\u{e9}",
    "system / ",
    "system / Script / ",
    "system / Context / scope @",
    "system / NativeContext / ",
    "(code for ",
    "Detached ",
    "<symbol ",
    "Symbol(",
    "get ",
    "bound ",
    "https://",
    "file://",
    "/home/",
    "/node_modules/",
    "index.js",
    " / part of key (",
    ") -> value (",
    " pair in WeakMap (table @",
    "[text#1]",
    "[key#2]",
    "[directory#3]",
    "Object",
    "push",
    "__proto__",
];
const EDGES: [&str; 5] = ["context", "property", "internal", "shortcut", "weak"];
const WORDS: [&str; 6] = ["source", "name", "script", "properties", "value", "_events"];

fn label() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PARTS[..]), 0..7).prop_map(|parts| parts.concat())
}

proptest! {
    // 256 cases, or as many as PROPTEST_CASES says.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_snapshot_comes_out_clean(
        nodes in prop::collection::vec((prop::sample::select(&NODE_TYPES[..]), label()), 1..14),
        edges in prop::collection::vec((0_usize..14, 0_usize..14, prop::sample::select(&EDGES[..]), label(), prop::option::of(prop::sample::select(&WORDS[..]))), 0..30),
    ) {
        let mut snapshot = Snapshot::new();
        for (kind, name) in &nodes {
            let node = snapshot.node(kind, name);
            snapshot.edge(0, "element", "1", node);
        }
        for (from, to, kind, name, word) in &edges {
            snapshot.edge(from % (nodes.len() + 1), kind, word.unwrap_or(name), to % (nodes.len() + 1));
        }
        let json = snapshot.json();
        let clean = scrubbed(&json, Profile::Strict);
        prop_assert!(!contains(&clean, b"SECRET"));
        let (before, after): (serde_json::Value, serde_json::Value) =
            (serde_json::from_str(&json).expect("JSON"), serde_json::from_slice(&clean).expect("valid JSON"));
        let column = |v: &serde_json::Value, section: &str, stride: usize, at: usize| -> Vec<serde_json::Value> {
            v[section].as_array().expect("array").iter().skip(at).step_by(stride).cloned().collect()
        };
        for at in [0, 2, 3, 4, 5, 6] {
            prop_assert_eq!(column(&before, "nodes", 7, at), column(&after, "nodes", 7, at));
        }
        prop_assert_eq!(column(&before, "edges", 3, 0), column(&after, "edges", 3, 0));
        // One-letter texts may change places; every node keeps its references.
        let targets = |v| {
            let mut targets: Vec<u64> = column(v, "edges", 3, 2).iter().filter_map(serde_json::Value::as_u64).collect();
            targets.sort_unstable();
            targets
        };
        prop_assert_eq!(targets(&before), targets(&after));
        prop_assert!(scrubbed(std::str::from_utf8(&clean).expect("UTF-8"), Profile::Strict) == clean, "a second run changes nothing");
    }
}

/// Parts of texts in which rules find something, and things that stand beside it.
const FOUND: [&str; 26] = [
    "ghp_Zk81mQ0v2LrTb94wXc7YpH3sDn6JfG5aKe2U",
    "ghp_",
    "Zk81mQ0v2LrTb94wXc7YpH3sDn6JfG5aKe2U",
    "+44 20 7946 0958",
    "+",
    "4111",
    "1111",
    "jane.doe@mail.example",
    "Bearer ",
    "password",
    "token=",
    "\"secret\":\"",
    "://user:",
    "@host/",
    "hunter22",
    "%67%68%70_",
    "Z2hwX1prODFtUTB2MkxyVGI5NHdYYzdZcEgzc0RuNkpm",
    "\\u0067hp_",
    " ",
    "\"",
    "\u{e9}",
    "[text#1]",
    "[secret#2]",
    "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    "word",
    "\n",
];
const HOLDING: [&str; 8] = ["password", "token", "content", "role", "name", "value", "x", "authorization"];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&FOUND[..]), 0..6).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is cut out: the result is verified, nothing more is found in it, and the token stands nowhere as a whole.
    #[test]
    fn any_text_comes_out_balanced(
        texts in prop::collection::vec(text(), 1..10),
        ropes in prop::collection::vec((0_usize..20, 0_usize..20), 0..8),
        holders in prop::collection::vec((0_usize..20, prop::sample::select(&HOLDING[..]), 0_u32..4), 0..16),
    ) {
        let mut snapshot = Snapshot::new();
        let (object, list) = (snapshot.node("object", "Object"), snapshot.node("object", "Array"));
        snapshot.edge(0, "property", "object", object).edge(0, "property", "list", list);
        let mut nodes: Vec<usize> = texts.iter().map(|text| snapshot.node("string", text)).collect();
        for (first, second) in ropes {
            let rope = snapshot.node("concatenated string", "(concatenated string)");
            let (first, second) = (nodes[first % nodes.len()], nodes[second % nodes.len()]);
            snapshot.edge(rope, "internal", "first", first).edge(rope, "internal", "second", second);
            nodes.push(rope);
        }
        for (i, (node, key, form)) in holders.iter().enumerate() {
            let node = nodes[node % nodes.len()];
            match form {
                0 => snapshot.edge(list, "element", &i.to_string(), node),
                1 => snapshot.edge(object, "context", key, node),
                _ => snapshot.edge(object, "property", key, node),
            };
        }
        let clean = scrubbed(&snapshot.json(), Profile::Balanced);
        prop_assert!(!contains(&clean, FOUND[0].as_bytes()));
        prop_assert!(scrubbed(std::str::from_utf8(&clean).expect("UTF-8"), Profile::Balanced) == clean, "a second run changes nothing");
    }
}
