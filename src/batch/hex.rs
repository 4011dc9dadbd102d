//! Digests as text: nothing but hexadecimal digits gets in, so they need no look.

use serde::{Deserialize, Serialize};

use crate::report::build::hex;

/// Hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Hex(String);

impl Hex {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(hex(bytes))
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 64 bits as a number.
    pub(crate) fn number(&self) -> u64 {
        self.0.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0)
    }
}

impl TryFrom<String> for Hex {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let is_hex = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if is_hex && text.len() <= 64 { Ok(Self(text)) } else { Err("hexadecimal digits") }
    }
}

impl From<Hex> for String {
    fn from(hex: Hex) -> Self {
        hex.0
    }
}

impl std::fmt::Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
