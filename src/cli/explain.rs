//! `--explain @NODE`: why the text of a node was or was not replaced. On standard error, so that results stay whole.

use heapscrub::{Explained, Ledger};

use super::print::{plain, say, short, thousands};

/// Characters of a name.
const NAME: usize = 80;

/// Reads `@1234` or `1234`.
pub(crate) fn node(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('@').unwrap_or(text);
    digits.parse().map_err(|_| "expected a number of a node as DevTools shows it, like @1234".to_owned())
}

/// Tells what was asked about one snapshot.
pub(crate) fn tell(snapshot: usize, ledger: &Ledger) {
    for one in &ledger.explained {
        say(&lines(snapshot, one));
    }
}

fn lines(snapshot: usize, one: &Explained) -> String {
    let mut lines = vec![format!("@{} in snapshot {snapshot}, profile {}:", one.node, one.profile.name())];
    lines.extend(one.nothing.map(|why| format!("  {why}")));
    for (role, what, why) in &one.roles {
        lines.push(format!("  as {:<13} {what}: {why}", role.name()));
    }
    if one.nothing.is_none() {
        let rules = if one.rules.is_empty() { "nothing".to_owned() } else { one.rules.join(", ") };
        lines.push(format!("  found in it      {rules}"));
    }
    for (form, key, owner) in &one.holders {
        let name = |text: &str| short(&plain(text), NAME);
        let owner = owner.as_ref().map(|owner| format!(" of {}", name(owner.as_str()))).unwrap_or_default();
        lines.push(format!("  held as {form:<8} {}{owner}", name(key.as_str())));
    }
    if one.more_holders > 0 {
        lines.push(format!("  and by {} more", thousands(one.more_holders)));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::node;

    #[test]
    fn numbers_of_nodes() {
        assert_eq!((node("@12"), node("7")), (Ok(12), Ok(7)));
        assert!(node("@").is_err() && node("x").is_err());
    }
}
