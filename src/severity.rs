//! How bad it is when something that a rule finds gets out.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// From low to critical; a higher one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It may be a secret, or nothing.
    Low,
    /// It tells about people or their work.
    Medium,
    /// It opens something.
    High,
    /// It opens everything, for long.
    Critical,
}

impl Severity {
    /// All of them, from low to critical.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The word in rules files, arguments and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// For rules that do not say it. A category that nobody has heard of counts as a credential.
    pub(crate) fn of_category(category: &str) -> Self {
        match category {
            "personal" | "prompt" => Self::Medium,
            "key" => Self::Critical,
            "chance" => Self::Low,
            _ => Self::High,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Severity {
    type Err = crate::ConfigError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|severity| severity.name() == word);
        known.ok_or_else(|| {
            crate::ConfigError::new(format!("no severity '{word}'; there are low, medium, high and critical"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_order() {
        for severity in Severity::ALL {
            assert_eq!(severity.name().parse::<Severity>().expect("its own word"), severity);
            assert_eq!(format!("{severity:>9}").len(), 9);
        }
        assert!(Severity::ALL.is_sorted());
        assert!("High".parse::<Severity>().expect_err("a capital").to_string().contains("critical"));
    }

    #[test]
    fn an_unknown_category_is_no_excuse() {
        assert_eq!(Severity::of_category("something new"), Severity::High);
    }
}
