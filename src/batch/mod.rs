//! Many dumps on one machine: found, planned, each summarised by a process of its own, and folded into one index.
//!
//! The way is `discover` → `plan` → `schedule` (a `worker` for each item, which runs `item`) → `journal` → `merge` → `index`,
//! `series` and `overview`. Everything that is written at the end is computed from a set of rows (`row`), one for each item,
//! so it does not matter in how many runs, after how many crashes, or on how many machines they were made.
//!
//! No raw text comes here: rows hold `SafeText`. Paths are words of the user's own machine. They go into the journal, which
//! is private, and nowhere else, unless file names shall be kept.

pub mod discover;
mod glob;
mod hex;
pub mod index;
pub mod item;
pub mod journal;
pub mod labels;
pub mod merge;
mod overview;
mod place;
pub mod plan;
mod row;
pub mod schedule;
mod series;
mod shard;
mod worker;

pub use self::hex::Hex;
pub use self::place::Place;
pub use self::row::{Row, Rows, State, Why};
pub use self::series::Service;
pub use self::shard::Shard;

use crate::{ConfigError, Key};

/// Every word that stands in the program and can stand in an index.
pub(crate) fn own() -> Vec<String> {
    let mut out = row::own();
    out.push(series::own());
    out
}

/// A pattern of paths.
///
/// # Errors
/// When it is none.
pub fn glob_of(pattern: &str) -> Result<glob::Glob, ConfigError> {
    glob::Glob::new(pattern)
}

/// What stands for settings that results depend on.
#[must_use]
pub fn settings_digest(key: &Key, said: &[Vec<u8>]) -> Hex {
    let parts: Vec<&[u8]> = said.iter().map(Vec::as_slice).collect();
    Hex::of(&key.stands_for(b"heapscrub settings 1\0", &parts))
}
