//! The inner ring: decides what is kept, and is the only code that can release input bytes.

pub(crate) mod added;
pub(crate) mod decide;
pub(crate) mod edits;
pub(crate) mod explain;
pub(crate) mod find;
pub(crate) mod guard;
mod held;
mod joint;
pub(crate) mod kept;
pub(crate) mod key;
pub(crate) mod labels;
pub(crate) mod lexer;
pub(crate) mod names;
pub(crate) mod needles;
pub(crate) mod paths;
pub(crate) mod sink;
mod spellings;
pub(crate) mod tags;
pub(crate) mod values;
pub(crate) mod verify;
pub(crate) mod vocabulary;
pub(crate) mod vouch;
pub(crate) mod wall;
