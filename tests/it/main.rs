//! Everything through the real program: bytes in, bytes, messages and exit codes out.

mod bad_input;
mod balanced;
mod bundle;
mod command_line;
mod contents;
mod growth;
mod help;
mod hidden;
mod interrupted;
mod output;
mod packs;
mod properties;
mod readme;
mod reports;
mod rules;
mod snapshot;
mod support;
mod tampering;
mod verdicts;
