//! Any bytes as a log: refused, or the result is verified. A residue in plain lines is a fault. Broken JSON may become whole
//! when its texts are replaced, and is read in another way then; the check refuses it, and nothing leaves.
#![no_main]

use std::sync::LazyLock;

use heapscrub::{Ingested, Input, Kind, Output, Profile, Scrubbed, Settings};
use libfuzzer_sys::fuzz_target;

static PROFILES: LazyLock<[Settings; 2]> =
    LazyLock::new(|| [Profile::Strict, Profile::Balanced].map(|profile| Settings { profile, ..Settings::default() }));

/// Nothing that JSON is made of.
fn is_plain(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| b"{}[]\"".contains(byte))
}

fuzz_target!(|bytes: &[u8]| {
    // The first byte would make a snapshot of it.
    if bytes.first() == Some(&b'{') && bytes.get(1) == Some(&b'"') && bytes.get(2) == Some(&b's') {
        return;
    }
    for settings in &*PROFILES {
        let Ok(input) = Input::from_reader(bytes) else { return };
        let Ok(ingested) = Ingested::read(&input) else { return };
        let scrubbed = Scrubbed::all(vec![ingested], settings).expect("no key").snapshots.remove(0);
        let output = Output::rehearsal().expect("a temporary file");
        match scrubbed.write(output).map_err(|e| e.kind) {
            Err(kind @ Kind::Residue { .. }) if is_plain(bytes) => panic!("{kind}"),
            _ => {}
        }
    }
});
