//! Only what was verified can be published, and only once.
fn early(output: heapscrub::Output) {
    output.publish();
}

fn unverified(scrubbed: heapscrub::Scrubbed<'_, '_>) {
    scrubbed.publish();
}

fn twice(verified: heapscrub::Verified) {
    verified.publish();
    verified.publish();
}

fn made_up() -> heapscrub::Verified {
    heapscrub::Verified {}
}

fn main() {}
