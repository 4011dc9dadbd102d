//! Any bytes: the reader refuses them, or the result is verified. Never a panic, a residue or a changed graph.
#![no_main]

use std::sync::LazyLock;

use heapscrub::{Ingested, Input, Kind, Output, Profile, Scrubbed, Settings};
use libfuzzer_sys::fuzz_target;

static PROFILES: LazyLock<[Settings; 2]> =
    LazyLock::new(|| [Profile::Strict, Profile::Balanced].map(|profile| Settings { profile, ..Settings::default() }));

fuzz_target!(|bytes: &[u8]| {
    for settings in &*PROFILES {
        let Ok(input) = Input::from_reader(bytes) else { return };
        let Ok(ingested) = Ingested::read(&input) else { return };
        let scrubbed = Scrubbed::all(vec![ingested], settings).expect("no key").snapshots.remove(0);
        let output = Output::rehearsal().expect("a temporary file");
        match scrubbed.write(output).map_err(|e| e.kind) {
            Err(kind @ (Kind::Residue { .. } | Kind::Changed { .. })) => panic!("{kind}"),
            _ => {}
        }
    }
});
