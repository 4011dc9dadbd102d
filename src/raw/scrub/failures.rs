//! What an error says, as a text that may leave: it is made of words of the program and of numbers, since an error can own
//! nothing else. Apart from the wall itself, which knows no other type.

use super::wall::SafeText;
use crate::Error;

impl SafeText {
    /// What an error says.
    #[must_use]
    pub fn of_error(error: Error) -> Self {
        Self::vouch(error.to_string())
    }
}
