//! Everything through the real program: bytes in, bytes, messages and exit codes out.

mod bad_input;
mod balanced;
mod bundle;
mod command_line;
mod contents;
mod gate;
mod growth;
mod guard;
mod help;
mod hidden;
mod interrupted;
mod logs;
mod network;
mod output;
mod policies;
mod profiles;
mod properties;
mod readme;
mod reports;
mod rules;
mod snapshot;
mod support;
mod tampering;
mod tracemalloc;
mod verdicts;
