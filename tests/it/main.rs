//! Everything through the real program: bytes in, bytes, messages and exit codes out.

mod bad_input;
mod balanced;
mod command_line;
mod contents;
mod hidden;
mod interrupted;
mod output;
mod properties;
mod snapshot;
mod support;
