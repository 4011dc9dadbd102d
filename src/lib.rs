//! heapscrub makes heap snapshots safe to share.
//!
//! The stages are types, and each consumes the one before:
//! [`Input`] → [`Ingested`] → [`Scrubbed`] → [`Verified`]. Only [`Verified`] can be published.
//!
//! Unscrubbed text exists only below `raw`; nothing outside can look at it. What comes out is [`SafeStr`],
//! numbers and enums, and the compiler checks that:
//!
//! ```compile_fail
//! // The door through the wall is closed from outside.
//! let leaked = heapscrub::SafeStr::vouch("text of a customer");
//! ```
//!
//! ```compile_fail
//! // Text of the program itself is static; text that was read is not.
//! fn leak(text: String) -> heapscrub::SafeStr<'static> {
//!     heapscrub::SafeStr::literal(&text)
//! }
//! ```

mod error;
mod heap;
mod ledger;
mod limits;
mod output;
mod pipeline;
mod raw;
mod severity;

pub use error::{ConfigError, Error, Kind, Result, Stage};
pub use heap::{Counts, StrId};
pub use ledger::{Ledger, RoleCounts, Shape};
pub use output::{Output, Packing};
pub use pipeline::{Failure, Profile, Settings, scrub};
pub use raw::detect::{Finding, KeepInfo, Level, RuleInfo, Rules, Trial};
pub use raw::ingest::role::Role;
pub use raw::input::Input;
pub use raw::scrub::key::Key;
pub use raw::scrub::names::SourceNames;
pub use raw::scrub::needles::Propagated;
pub use raw::scrub::values::Values;
pub use raw::scrub::vouch::Reason;
pub use raw::scrub::wall::{RawStr, SafeStr};
pub use raw::stages::{Ingested, Scrubbed, Verified};
pub use severity::Severity;
