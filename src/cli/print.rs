//! Lines for the terminal. A terminal that was closed is not an error.

use std::io::Write;
use std::path::Path;

/// Lines for people, on standard error. Whatever is in them, nothing acts on the terminal.
pub(crate) fn say(lines: &str) {
    // If standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr().lock(), "{}", plain_lines(lines));
}

/// A path for people: file names come from others and may hold what a terminal acts upon.
pub(crate) fn shown(path: &Path) -> String {
    plain(&path.to_string_lossy())
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

pub(crate) use heapscrub::report::escape::{plain, plain_lines, short};
pub(crate) use heapscrub::report::numbers::{percent, size, thousands};
