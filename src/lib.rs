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

mod archive;
pub mod batch;
mod bundle;
mod date;
mod error;
pub mod gate;
mod heap;
mod ledger;
mod limits;
mod output;
mod pipeline;
pub mod profile;
mod raw;
pub mod report;
mod severity;
pub mod sign;
mod summarise;

pub use bundle::manifest::{Digest, Weakened};
pub use bundle::member::MemberName;
pub use bundle::terms::Terms;
pub use bundle::{Bundle, Choice, Container, Pack, Published, Unmade};
pub use date::Date;
pub use error::{ConfigError, Error, Kind, Order, Result, Stage, is_repeatable, nearest};
pub use heap::{Counts, StrId};
pub use ledger::{Ledger, RoleCounts, Shape};
pub use output::{Output, Packing, abandon};
pub use pipeline::{CheckedReport, Failure, Outcome, Progress, Settings, Step, check_terms, scrub, survey};
pub use profile::Profile;
pub use raw::detect::{Confidence, Examined, Finding, KeepInfo, Level, PackInfo, RuleInfo, Rules, Trial};
pub use raw::dumps::{Dump, Seen};
pub use raw::facts::NodeTable;
pub use raw::ingest::role::Role;
pub use raw::ingest::series::{Asked, Unit};
pub use raw::input::Input;
pub use raw::receive::{Checked, Declared, Readable, Received, Search, Standing};
pub use raw::scrub::added::{Context, Told, Topic};
pub use raw::scrub::explain::Explained;
pub use raw::scrub::guard::Guard;
pub use raw::scrub::kept::Kept;
pub use raw::scrub::key::Key;
pub use raw::scrub::names::SourceNames;
pub use raw::scrub::needles::Propagated;
pub use raw::scrub::values::Values;
pub use raw::scrub::vouch::Reason;
pub use raw::scrub::wall::{RawStr, SafeStr, SafeText};
pub use raw::series::trend;
pub use raw::stages::{Ingested, Scrubbed, Scrubbing, Surveyed, Verified};
pub use report::Report;
pub use report::build::hex;
pub use severity::Severity;
pub use summarise::trend::{Cause, Measure, Runtime, Trend, Verdict};
