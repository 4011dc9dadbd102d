//! Each stage consumes the one before.
fn again(ingested: heapscrub::Ingested<'_>, settings: &heapscrub::Settings) {
    let _scrubbed = heapscrub::Scrubbed::all(vec![ingested], settings);
    let _counts = ingested.counts();
}

fn main() {}
