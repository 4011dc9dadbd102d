//! The `heapscrub` program. Everything that prints is in `cli`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::harden();
    cli::run()
}
