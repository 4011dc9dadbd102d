//! Where a run has got to, on a terminal: one line that is written over, and gone at the end.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use heapscrub::{Progress, Step};

static SHOWN: AtomicBool = AtomicBool::new(false);

/// Shows steps if standard error is a terminal that can.
pub(crate) fn on_terminal(is_quiet: bool) -> Progress {
    if is_quiet || !has_terminal() {
        return Progress::default();
    }
    Progress::new(|step| {
        let text = match step {
            Step::Reading(input) => format!("reading snapshot {}", input + 1),
            Step::Scrubbing => "deciding what stays".to_owned(),
            Step::Writing(input) => format!("writing snapshot {}", input + 1),
            Step::Verifying(input) => format!("verifying snapshot {}", input + 1),
            Step::Summarising => "summarising".to_owned(),
            Step::Packing => "packing the bundle".to_owned(),
            Step::Checking => "checking the bundle".to_owned(),
        };
        show(&format!("{text} ..."));
    })
}

/// Is standard error a terminal on which a line can be written over?
pub(crate) fn has_terminal() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb") || std::env::var_os("CI").is_some();
    !is_dumb && std::io::stderr().is_terminal()
}

/// Writes the line over.
pub(crate) fn show(text: &str) {
    SHOWN.store(true, Ordering::Relaxed);
    // A terminal that was closed is not an error.
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "\r\u{1b}[K{text}").and_then(|()| out.flush());
}

/// Takes the line away, before anything else is printed.
pub(crate) fn clear() {
    if SHOWN.swap(false, Ordering::Relaxed) {
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "\r\u{1b}[K").and_then(|()| out.flush());
    }
}
