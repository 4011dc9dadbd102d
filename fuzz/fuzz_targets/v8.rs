//! Any bytes: the reader refuses them, or the result is verified. Never a panic, a residue or a changed graph.
#![no_main]

use std::sync::LazyLock;

use heapscrub::{Ingested, Input, Kind, Output, Profile, Scrubbed, Settings};
use libfuzzer_sys::fuzz_target;

static PROFILES: LazyLock<[Settings; 2]> =
    LazyLock::new(|| [Profile::Strict, Profile::Balanced].map(|profile| Settings { profile, ..Settings::default() }));

/// A report on two snapshots, on one thread.
static REPORT: LazyLock<Settings> =
    LazyLock::new(|| Settings { report: true, keep_order: true, jobs: 1, ..Settings::default() });

fuzz_target!(|bytes: &[u8]| {
    report(bytes);
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

/// What grew from a file to itself, and who holds what: whatever the numbers of the file are.
fn report(bytes: &[u8]) {
    let (Ok(first), Ok(second)) = (Input::from_reader(bytes), Input::from_reader(bytes)) else { return };
    let outputs = vec![Output::rehearsal().expect("a temporary file"), Output::rehearsal().expect("a temporary file")];
    if let Ok(outcome) = heapscrub::scrub(&[first, second], outputs, &REPORT) {
        let report = heapscrub::report::build(&outcome, &REPORT, 0);
        // It may hold something that a rule objects to; then it does not leave.
        let _ = outcome.check_report(&report);
    }
}
