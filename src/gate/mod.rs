//! Whether a bundle may leave, by a policy: facts about the bundle and its signatures are held against what the policy asks
//! for, all of it, and each refusal says what is wrong, why that matters and what to do next.

mod forms;
mod judge;
mod policy;
mod read;

pub use self::forms::{junit, sarif, to_json};
pub use self::judge::{Check, Refusal, Verdict, judge, unopened};
pub use self::policy::{Policy, Signers};
