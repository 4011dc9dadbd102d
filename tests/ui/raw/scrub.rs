//! The real wall, in a crate of the same shape.

#[path = "../../../src/raw/scrub/wall.rs"]
pub mod wall;
