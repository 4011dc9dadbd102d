//! Places and spellings in which attacks found values that balanced left standing.

use std::path::Path;

use super::snapshot::{Snapshot, strings};
use super::support::Lab;

/// The texts that come out of balanced, on lines of their own.
#[track_caller]
fn balanced(snapshot: &Snapshot, values: Option<&str>) -> String {
    let lab = Lab::new();
    let (input, output) = (lab.input("a.heapsnapshot", snapshot.json().as_bytes()), lab.out("clean"));
    let values = values.map(|values| lab.input("values.txt", values.as_bytes()));
    let word = Path::new;
    let mut args = vec![word("scrub"), &input, word("-o"), &output, word("--profile"), word("balanced")];
    if let Some(path) = &values {
        args.extend([word("--values-file"), path]);
    }
    let run = lab.run(&args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    strings(&std::fs::read(output).expect("output")).join("\n")
}

/// An object of texts, held by the root or by another object.
fn object(snapshot: &mut Snapshot, owner: usize, edge: (&str, &str), class: &str, texts: &[(&str, &str)]) -> usize {
    let node = snapshot.node("object", class);
    snapshot.edge(owner, edge.0, edge.1, node);
    for (key, text) in texts {
        let text = snapshot.node("string", text);
        snapshot.edge(node, "property", key, text);
    }
    node
}

/// The role stands on the message, the text on a block inside it, or inside what a tool gave.
#[test]
fn blocks_of_messages() {
    let mut snapshot = Snapshot::new();
    for (n, list) in ["content", "parts"].into_iter().enumerate() {
        let message = object(&mut snapshot, 0, ("property", list), "Object", &[("role", "user")]);
        let blocks = object(&mut snapshot, message, ("property", list), "Array", &[]);
        let text = format!("my landlord {n} is a crook");
        object(&mut snapshot, blocks, ("element", "0"), "Object", &[("type", "text"), ("text", &text)]);
        let tool = object(&mut snapshot, blocks, ("element", "1"), "Object", &[("type", "tool_result")]);
        let inner = object(&mut snapshot, tool, ("property", "content"), "Array", &[]);
        object(&mut snapshot, inner, ("element", "0"), "Object", &[("text", &format!("tenant {n} owes rent"))]);
    }
    object(&mut snapshot, 0, ("property", "m"), "HumanMessage", &[("content", "call the landlord")]);
    object(&mut snapshot, 0, ("property", "r"), "Object", &[("model", "small-1"), ("input", "sue the landlord")]);
    object(&mut snapshot, 0, ("property", "page"), "Object", &[("content", "a page of the manual"), ("type", "page")]);
    let clean = balanced(&snapshot, None);
    for gone in ["landlord", "tenant"] {
        assert!(!clean.contains(gone), "{gone}");
    }
    for kept in ["tool_result", "user", "a page of the manual", "small-1"] {
        assert!(clean.contains(kept), "{kept}");
    }
}

#[test]
fn values_one_object_below_their_key() {
    let mut snapshot = Snapshot::new();
    for (key, inner, value) in [
        ("password", "value", "orchid-petal"),
        ("passwordRef", "current", "violet-umbrella"),
        ("apiKey", "secret", "q0zb9vt1klm8s2"),
    ] {
        object(&mut snapshot, 0, ("property", key), "Object", &[(inner, value)]);
    }
    object(&mut snapshot, 0, ("property", "dbPassword"), "Redacted", &[("#value", "monsoon-lisbon")]);
    // The entry of a map.
    let (table, key) = (snapshot.node("array", ""), snapshot.node("string", "password"));
    snapshot.edge(0, "property", "map", table).edge(table, "internal", "5", key);
    object(&mut snapshot, table, ("internal", "6"), "Object", &[("value", "harvest-moon")]);
    let clean = balanced(&snapshot, None);
    for gone in ["orchid", "violet", "q0zb9vt1klm8s2", "monsoon", "harvest"] {
        assert!(!clean.contains(gone), "{gone}");
    }
}

#[test]
fn utf_16_of_which_zeros_became_blanks() {
    let token = "ghp_Zk81mQ0v2LrTb94wXc7YpH3sDn6JfG5aKe2U";
    let wide: String = token.chars().flat_map(|c| [c, ' ']).collect();
    let mut snapshot = Snapshot::new();
    snapshot.value("a", &wide);
    snapshot.value("b", &format!(" {}", wide.trim_end()));
    snapshot.value("c", &format!("it is {wide}"));
    let clean = balanced(&snapshot, None);
    assert!(!clean.contains("Z k 8 1"), "{clean}");
}

#[test]
fn listed_values_in_other_spellings() {
    let mut snapshot = Snapshot::new();
    for (n, text) in [
        "a letter to JÜRGEN MÜLLERSON",
        "a letter to ju\u{308}rgen mu\u{308}llerson",
        "a letter to Jürgen\u{a0}Müllerson",
        "?to=J%FCrgen%20M%FCllerson",
        "?to=J%C3%BCrgen+M%C3%BCllerson&x=1",
        "YSBsZXR0ZXIgdG8g\r\nSsO8cmdlbiBNw7xs\r\nbGVyc29uIG9mIHRvZGF5",
        "oswin",
    ]
    .iter()
    .enumerate()
    {
        snapshot.value(&format!("letter {n}"), text);
    }
    snapshot.value("other", "a letter to Jurgen");
    let clean = balanced(&snapshot, Some("Jürgen Müllerson\nOswin\n")).to_lowercase();
    for gone in ["llerson", "j%fcrgen", "sso8cmdlb", "oswin"] {
        assert!(!clean.contains(gone), "{gone}");
    }
    assert!(clean.contains("a letter to jurgen") && clean.contains("a letter to ["));
}

#[test]
fn secrets_in_lines_and_addresses() {
    let mut snapshot = Snapshot::new();
    for (n, text) in [
        r#"Authorization: Digest username="jane", realm="r", nonce="94704e4212", uri="/", response="0a1b2c3d4e5f""#,
        "password=orchid,petal;rose",
        "password=ab,cd;ef",
        "postgres://app:viol@et/um@brella-host/main",
        "Server=db;User Id=app;Password=mon,soon;Database=main",
        "https://hooks.zapier.com/hooks/catch/5852403/ae7ydfk",
        "https://x.webhook.office.com/webhookb2/8ca1f61c-8e65@646a600e/IncomingWebhook/ab12/cd34",
        "https://b.example.test/o?X-Amz-Signature=8f3ac2d19e77b0aa8f3ac2d19e77b0aa&x=1",
        "https://b.example.test/o?sig=q0Zb9Vt1kLm8s%3D",
        "cards 3530111333300000, 3056 9309 0259 04 and 6759-6498-2643-8453",
    ]
    .iter()
    .enumerate()
    {
        snapshot.value(&format!("line {n}"), text);
    }
    let clean = balanced(&snapshot, None);
    for gone in [
        "jane",
        "94704e",
        "0a1b2c",
        "orchid",
        "petal",
        "rose",
        "ab,cd",
        "ef\n",
        "viol@",
        "et/um",
        "mon,",
        "soon",
        "ae7ydfk",
        "cd34",
        "8f3ac2",
        "q0Zb9",
        "35301",
        "3056 9309",
        "6498",
    ] {
        assert!(!clean.contains(gone), "{gone}: {clean}");
    }
    for kept in ["@brella-host/main", "Database=main", "https://hooks.zapier.com/", "&x=1"] {
        assert!(clean.contains(kept), "{kept}: {clean}");
    }
}

/// A key that was put together letter by letter.
#[test]
fn keys_that_are_ropes_of_many_parts() {
    let mut snapshot = Snapshot::new();
    let mut key = snapshot.node("string", "x");
    for letter in "-customer-portal-api-password".chars() {
        let cons = snapshot.node("concatenated string", "(concatenated string)");
        let part = snapshot.node("string", &letter.to_string());
        snapshot.edge(cons, "internal", "first", key).edge(cons, "internal", "second", part);
        key = cons;
    }
    let (table, value) = (snapshot.node("array", ""), snapshot.node("string", "orchid-petal"));
    snapshot.edge(0, "property", "map", table);
    snapshot.edge(table, "internal", "5", key).edge(table, "internal", "6", value);
    assert!(!balanced(&snapshot, None).contains("orchid"));
}

/// One part of a rope says what the next one is, which alone says nothing.
#[test]
fn the_part_before_tells() {
    let mut snapshot = Snapshot::new();
    for (before, value) in
        [("login failed: password=", "orchid-petal"), ("say {\"role\":\"user\",\"content\":\"", "rent?")]
    {
        let (cons, first, second) = (
            snapshot.node("concatenated string", "(concatenated string)"),
            snapshot.node("string", before),
            snapshot.node("string", value),
        );
        snapshot.edge(0, "property", "message", cons);
        snapshot.edge(cons, "internal", "first", first).edge(cons, "internal", "second", second);
    }
    let clean = balanced(&snapshot, None);
    assert!(!clean.contains("orchid") && !clean.contains("rent?"));
    assert!(clean.contains("login failed: password="));
}

/// Sets, maps and boxes below a key; keys in the plural, with numbers, in other languages.
#[test]
fn whatever_a_key_holds_and_however_it_is_written() {
    let mut snapshot = Snapshot::new();
    for (n, class) in ["Set", "Map"].into_iter().enumerate() {
        let set = object(&mut snapshot, 0, ("property", "passwords"), class, &[]);
        let (table, value) = (snapshot.node("array", ""), snapshot.node("string", &format!("orchid-petal {n}")));
        snapshot.edge(set, "internal", "table", table).edge(table, "internal", "5", value);
    }
    let boxed = object(&mut snapshot, 0, ("property", "password"), "String", &[]);
    let value = snapshot.node("string", "violet-umbrella");
    snapshot.edge(boxed, "hidden", "2", value);
    for (n, key) in ["userPassword2", "passwort", "contraseña", "mot_de_passe", "dbpassword", "pw"].iter().enumerate()
    {
        snapshot.value(key, &format!("monsoon-lisbon {n}"));
    }
    object(&mut snapshot, 0, ("property", "delta"), "Object", &[("content", "harvest moon")]);
    let clean = balanced(&snapshot, None);
    for gone in ["orchid", "violet", "monsoon", "harvest"] {
        assert!(!clean.contains(gone), "{gone}");
    }
}

/// Bytes and characters that were written one by one, and what templates and forms put around a secret.
#[test]
fn other_ways_to_write_a_secret() {
    let token = "ghp_Zk81mQ0v2LrTb94wXc7YpH3sDn6JfG5aKe2U";
    let each = |form: fn(u8) -> String, mark: &str| token.bytes().map(form).collect::<Vec<_>>().join(mark);
    let mut snapshot = Snapshot::new();
    for (n, text) in [
        format!("<Buffer {}>", each(|b| format!("{b:02x}"), " ")),
        format!("[{}]", each(|b| b.to_string(), ",")),
        each(|b| format!("&#{b};"), ""),
        each(|b| format!("\\u{{{b:x}}}"), ""),
    ]
    .iter()
    .enumerate()
    {
        snapshot.value(&format!("bytes {n}"), text);
    }
    for (n, text) in [
        "{&quot;password&quot;:&quot;orchid-petal&quot;}",
        r#"{"name":"password","value":"orchid-petal"}"#,
        r#"{"password":{"value":"orchid-petal"}}"#,
        "form-data; name=\"password\"\r\n\r\norchid-petal\r\n--b--",
        "user=jane&pass=orchid-petal&x=1",
        "curl -u jane:orchid-petal https://example.test",
        "<|im_start|>user\nabout orchid-petal<|im_end|>",
        r#"data: {"choices":[{"delta":{"content":"about orchid-petal"}}]}"#,
    ]
    .iter()
    .enumerate()
    {
        // The same value is a needle: each text stands alone.
        let mut alone = Snapshot::new();
        alone.value(&format!("line {n}"), text);
        let clean = balanced(&alone, None);
        assert!(!clean.contains("orchid"), "{text}: {clean}");
    }
    let clean = balanced(&snapshot, None);
    for gone in ["67 68 70 5f", "103,104,112,95", "&#103;&#104;", "\\u{67}\\u{68}"] {
        assert!(!clean.contains(gone), "{gone}");
    }
}
