//! The shape of a rules file.

use serde::Deserialize;

use crate::raw::scrub::tags::Kind;

/// One TOML file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pack {
    #[serde(default)]
    pub(super) rule: Vec<Rule>,
    #[serde(default)]
    pub(super) keep: Vec<Keep>,
}

/// A pattern for something that must not leave.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) category: String,
    pub(super) describe: String,
    #[serde(rename = "match")]
    pub(super) pattern: String,
    /// The form when the snapshot cut the string.
    pub(super) cut: Option<String>,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    #[serde(default)]
    pub(super) examples: Vec<String>,
    #[serde(default)]
    pub(super) counterexamples: Vec<String>,
}

/// Texts that may stay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keep {
    pub(super) id: String,
    pub(super) exact: Vec<String>,
    /// Parts in which they may stay; all labels when empty.
    #[serde(default)]
    pub(super) roles: Vec<KeepRole>,
}

/// Parts that a keep rule can name.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum KeepRole {
    Value,
    Key,
    Variable,
    Class,
    Function,
    Symbol,
    Regexp,
}

impl Keep {
    pub(super) fn applies_to(&self, kind: Kind) -> bool {
        let role = match kind {
            Kind::Text => KeepRole::Value,
            Kind::Key => KeepRole::Key,
            Kind::Variable => KeepRole::Variable,
            Kind::Class => KeepRole::Class,
            Kind::Function => KeepRole::Function,
            Kind::Symbol => KeepRole::Symbol,
            Kind::Regexp => KeepRole::Regexp,
            _ => return false,
        };
        if self.roles.is_empty() { role != KeepRole::Value } else { self.roles.contains(&role) }
    }
}
