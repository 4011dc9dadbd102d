//! The only folder in which unscrubbed text exists. Nothing below `raw` prints, logs or formats text.
//!
//! Two rings: `raw` may *see* raw bytes; only `raw::scrub` may *release* them, as [`scrub::wall::SafeStr`].

pub(crate) mod allocations;
pub(crate) mod detect;
pub(crate) mod dumps;
pub(crate) mod facts;
pub(crate) mod ingest;
pub(crate) mod input;
pub(crate) mod names;
pub(crate) mod receive;
pub(crate) mod scrub;
pub(crate) mod series;
pub(crate) mod stages;
mod text_kind;
