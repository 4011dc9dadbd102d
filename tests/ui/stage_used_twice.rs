//! Each stage consumes the one before.
fn again(ingested: heapscrub::Ingested<'_>, rules: &heapscrub::Rules, names: &heapscrub::SourceNames) {
    let _scrubbed = ingested.scrub(rules, names);
    let _counts = ingested.counts();
}

fn main() {}
