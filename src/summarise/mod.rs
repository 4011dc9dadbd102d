//! What the numbers of sanitised snapshots say: who holds what grew, and what to do about it.

pub(crate) mod advice;
pub(crate) mod allocations;
pub(crate) mod growth;
pub(crate) mod objects;
pub(crate) mod owner_kind;
pub(crate) mod owners;
pub(crate) mod paths;
pub(crate) mod single;
pub(crate) mod tree;
pub(crate) mod trend;
pub(crate) mod verdict;
