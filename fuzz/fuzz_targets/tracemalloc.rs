//! Any bytes as a pickle: refused, or the result is verified. Never a panic, a residue or a changed count.
#![no_main]

use std::sync::LazyLock;

use heapscrub::{Ingested, Input, Kind, Output, Profile, Scrubbed, Settings};
use libfuzzer_sys::fuzz_target;

static PROFILES: LazyLock<[Settings; 2]> =
    LazyLock::new(|| [Profile::Strict, Profile::Balanced].map(|profile| Settings { profile, ..Settings::default() }));

static REPORT: LazyLock<Settings> = LazyLock::new(|| Settings { report: true, jobs: 1, ..Settings::default() });

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
    let (Ok(first), Ok(second)) = (Input::from_reader(bytes), Input::from_reader(bytes)) else { return };
    let outputs = vec![Output::rehearsal().expect("a temporary file"), Output::rehearsal().expect("a temporary file")];
    if let Ok(outcome) = heapscrub::scrub(&[first, second], outputs, &REPORT) {
        let report = heapscrub::report::build(&outcome, &REPORT, 0);
        let _ = outcome.check_report(&report);
    }
});
