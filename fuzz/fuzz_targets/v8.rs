//! Any bytes: the reader refuses them, or the result is verified. Never a panic, a residue or a changed graph.
#![no_main]

use std::sync::LazyLock;

use heapscrub::{Ingested, Input, Kind, Output, Rules, SourceNames};
use libfuzzer_sys::fuzz_target;

static RULES: LazyLock<Rules> = LazyLock::new(Rules::builtin);
static NAMES: LazyLock<SourceNames> = LazyLock::new(SourceNames::default);

fuzz_target!(|bytes: &[u8]| {
    let Ok(input) = Input::from_reader(bytes) else { return };
    let Ok(ingested) = Ingested::read(&input) else { return };
    let output = Output::rehearsal().expect("a temporary file");
    match ingested.scrub(&RULES, &NAMES).write(output).map_err(|e| e.kind) {
        Err(kind @ (Kind::Residue { .. } | Kind::Changed { .. })) => panic!("{kind}"),
        _ => {}
    }
});
