//! What the numbers of sanitised snapshots say: who holds what grew, and what to do about it.
#![cfg_attr(not(test), expect(dead_code, reason = "read by the reports, which come with the growers"))]

pub(crate) mod advice;
pub(crate) mod owner_kind;
