//! What numbers say: nothing here has seen a text.

pub(crate) mod trend;
