//! Any bytes as a log: refused, or the result is verified, and a second run changes nothing. A residue is a fault.
#![no_main]

use std::sync::LazyLock;

use heapscrub::{Ingested, Input, Kind, Output, Profile, Scrubbed, Settings};
use libfuzzer_sys::fuzz_target;

static PROFILES: LazyLock<[Settings; 2]> =
    LazyLock::new(|| [Profile::Strict, Profile::Balanced].map(|profile| Settings { profile, ..Settings::default() }));

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
            Err(kind @ Kind::Residue { .. }) => panic!("{kind}"),
            _ => {}
        }
    }
});
