//! Reads the arguments; help and faults in them are printed so that they fit the terminal.

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use super::args::Arguments;
use super::print::{complain, plain, plain_lines};
use super::wrap::{fit, width};
use super::{IO, USAGE};

/// Below this width, what an option does stands under it and not beside it.
const NARROW: usize = 60;

fn has_hidden(argument: &OsStr) -> bool {
    let text = argument.to_string_lossy();
    plain(&text) != text
}

/// The arguments, or the exit code if help was asked for or they are faulty.
pub(crate) fn parse() -> Result<Arguments, ExitCode> {
    let width = width();
    let command = Arguments::command().term_width(width).next_line_help(width < NARROW);
    let parsed = command.try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let rendered = error.render();
        // What is quoted of arguments may be a file name; then colours go as well.
        let text = if error.use_stderr() && std::env::args_os().any(|arg| has_hidden(&arg)) {
            plain_lines(&rendered.to_string())
        } else {
            rendered.ansi().to_string()
        };
        let text = fit(&text, width);
        // The streams leave colours out where they are not wanted: pipes, NO_COLOR, dumb terminals.
        let printed = if error.use_stderr() {
            anstream::stderr().write_all(text.as_bytes())
        } else {
            let mut stdout = anstream::stdout();
            stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
        };
        match printed {
            // If nobody can read what is wrong, it is wrong all the same.
            _ if error.use_stderr() => ExitCode::from(USAGE),
            Err(fault) if fault.kind() != ErrorKind::BrokenPipe => {
                complain(&format!("standard output: {fault}"));
                ExitCode::from(IO)
            }
            _ => ExitCode::SUCCESS,
        }
    })
}
