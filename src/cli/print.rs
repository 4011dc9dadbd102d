//! Lines for the terminal. A terminal that was closed is not an error.

use std::io::Write;

/// One line for people, on standard error.
pub(crate) fn say(line: &str) {
    // If standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// An error, on standard error.
pub(crate) fn complain(line: &str) {
    say(&format!("heapscrub: {line}"));
}

/// One line of output, on standard output.
pub(crate) fn output(line: &str) -> std::io::Result<()> {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

pub(crate) use heapscrub::report::escape::plain;
pub(crate) use heapscrub::report::numbers::{percent, size, thousands};
