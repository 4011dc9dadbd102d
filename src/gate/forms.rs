//! A verdict for machines: JSON, SARIF for trackers of code, JUnit for build servers.

use serde_json::{Value, json};

use super::judge::{Refusal, Verdict};
use crate::report::budget::escaped;

/// As JSON.
#[must_use]
pub fn to_json(verdict: &Verdict, bundle: &str, policy: &str, digest: Option<&str>) -> Value {
    let checks = verdict.checks.iter().map(|check| {
        let refusals = check.refusals.iter().map(|r| json!({ "what": r.what, "why": r.why, "next": r.next }));
        json!({
            "id": check.id,
            "wants": check.wants,
            "passed": check.refusals.is_empty(),
            "refusals": refusals.collect::<Vec<_>>(),
        })
    });
    json!({
        "schema": "heapscrub.gate/1",
        "tool": concat!("heapscrub ", env!("CARGO_PKG_VERSION")),
        "bundle": bundle,
        "policy": policy,
        "manifest_sha256": digest,
        "passed": verdict.passes(),
        "refusals": verdict.refusals().count(),
        "checks": checks.collect::<Vec<_>>(),
        "notes": verdict.notes,
    })
}

/// As SARIF: one result for each refusal.
#[must_use]
pub fn sarif(verdict: &Verdict, bundle: &str) -> Value {
    let mut ids: Vec<&str> = verdict.checks.iter().map(|check| check.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules = ids.iter().map(|id| {
        let wants = verdict.checks.iter().find(|check| check.id == *id).map_or("", |check| check.wants.as_str());
        json!({ "id": id, "shortDescription": { "text": wants }, "defaultConfiguration": { "level": "error" } })
    });
    let results = verdict.refusals().map(|(check, refusal)| {
        let next = if refusal.next.is_empty() { String::new() } else { format!(" Next: {}.", refusal.next) };
        let text = format!("{}. Why: {}.{next}", refusal.what, refusal.why);
        json!({
            "ruleId": check.id,
            "level": "error",
            "message": { "text": text },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(bundle) } } }],
        })
    });
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": { "driver": {
                "name": "heapscrub",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn reason(refusal: &Refusal) -> String {
    if refusal.next.is_empty() { refusal.why.clone() } else { format!("{}; {}", refusal.why, refusal.next) }
}

/// A path as SARIF wants it.
fn uri(path: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    path.bytes().map(|b| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// As JUnit: one test for each check.
#[must_use]
pub fn junit(verdict: &Verdict) -> String {
    let failures = verdict.checks.iter().filter(|check| !check.refusals.is_empty()).count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"heapscrub gate\" tests=\"{}\" failures=\"{failures}\">\n",
        verdict.checks.len()
    );
    for check in &verdict.checks {
        let name = escaped(&format!("{}: {}", check.id, check.wants));
        if check.refusals.is_empty() {
            out.push_str(&format!("  <testcase classname=\"heapscrub.gate\" name=\"{name}\"/>\n"));
            continue;
        }
        out.push_str(&format!("  <testcase classname=\"heapscrub.gate\" name=\"{name}\">\n"));
        for refusal in &check.refusals {
            let (message, text) = (escaped(&refusal.what), escaped(&reason(refusal)));
            out.push_str(&format!("    <failure message=\"{message}\">{text}</failure>\n"));
        }
        out.push_str("  </testcase>\n");
    }
    out.push_str("</testsuite>\n");
    out
}
