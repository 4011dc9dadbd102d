//! The shape of a rules file.

use serde::{Deserialize, Serialize};

use super::validate::Validator;
use crate::raw::scrub::tags::Kind;
use crate::severity::Severity;

/// One TOML file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pack {
    #[serde(default)]
    pub(super) rule: Vec<Rule>,
    #[serde(default)]
    pub(super) keep: Vec<Keep>,
    #[serde(default)]
    pub(super) off: Vec<Off>,
    #[serde(default)]
    pub(super) change: Vec<Change>,
}

/// A rule that shall not run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Off {
    pub(super) rule: String,
    /// Why, in words.
    pub(super) reason: String,
}

/// A rule that shall count differently.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    pub(super) rule: String,
    pub(super) severity: Option<Severity>,
    pub(super) confidence: Option<Confidence>,
    /// Why, in words.
    pub(super) reason: String,
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
    /// Digits that a text must have for the rule to run.
    #[serde(default)]
    pub(super) digits: usize,
    /// What is found counts only if it looks like this.
    pub(super) looks: Option<Looks>,
    /// What is found does not count if this finds it.
    pub(super) except: Option<String>,
    /// What is found counts only if each byte of it holds that many bits, by how often each occurs.
    pub(super) entropy: Option<f64>,
    /// Words that tell that what is found is none: `example`, `changeme`.
    #[serde(default)]
    pub(super) stop: Vec<String>,
    /// A check digit or structure. Where it is right, the rule is sure; where it is not, what is found goes all the same.
    pub(super) validator: Option<Validator>,
    /// How sure it is without one.
    pub(super) confidence: Option<Confidence>,
    /// With `key`, the rule runs only on texts held in this way, not on every text.
    pub(super) context: Option<Context>,
    /// How bad it is when what it finds gets out; by category when it is not said.
    pub(super) severity: Option<Severity>,
    /// When it finds what is none, for people.
    pub(super) note: Option<String>,
    #[serde(default)]
    pub(super) examples: Vec<String>,
    #[serde(default)]
    pub(super) counterexamples: Vec<String>,
    /// The group that is the secret, in files of gitleaks.
    #[serde(skip)]
    pub(super) group: Option<usize>,
    /// What is found does not count if this finds all of the match; in files of gitleaks.
    #[serde(skip)]
    pub(super) except_match: Option<String>,
}

/// How sure a rule is of what it finds.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// It may well be something else.
    Low,
    /// It looks like one.
    Medium,
    /// Its form or its check digit leaves little doubt.
    High,
}

impl Confidence {
    /// One step surer.
    pub(super) const fn raised(self) -> Self {
        match self {
            Self::Low => Self::Medium,
            Self::Medium | Self::High => Self::High,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Rule {
    /// A rule with a pattern and nothing else.
    pub(super) fn bare(id: String, pattern: String) -> Self {
        Self {
            id,
            category: "credential".to_owned(),
            describe: String::new(),
            pattern,
            cut: None,
            keywords: Vec::new(),
            digits: 0,
            looks: None,
            except: None,
            entropy: None,
            stop: Vec::new(),
            validator: None,
            confidence: None,
            context: None,
            severity: None,
            note: None,
            examples: Vec::new(),
            counterexamples: Vec::new(),
            group: None,
            except_match: None,
        }
    }

    /// Is it about what a key holds, rather than about every text?
    pub(super) fn is_held(&self) -> bool {
        self.context.as_ref().is_some_and(|context| !context.key.is_empty())
    }
}

/// What a value must look like.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Looks {
    /// Not like a word or an identifier.
    Made,
    /// Not like a plain word.
    Token,
    /// Like the number of a card, with its check digit.
    Luhn,
}

/// How a text must be held.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Context {
    /// Words of its key, one of which must be there: `api_key` asks for both words in a row.
    #[serde(default)]
    pub(super) key: Vec<String>,
    /// Words of its key that make the rule surer.
    #[serde(default)]
    pub(super) raise: Vec<String>,
    /// Words of its key that rule it out.
    #[serde(default)]
    pub(super) exclude: Vec<String>,
    /// Keys of which one must stand beside it.
    #[serde(default)]
    pub(super) sibling: Vec<String>,
    /// Classes of which its owner must be one.
    #[serde(default)]
    pub(super) owner: Vec<String>,
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

impl KeepRole {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Key => "key",
            Self::Variable => "variable",
            Self::Class => "class",
            Self::Function => "function",
            Self::Symbol => "symbol",
            Self::Regexp => "regexp",
        }
    }
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
