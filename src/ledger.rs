//! What was kept and what was replaced, as counts. Nothing here can hold a text of the input.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::raw::ingest::role::Role;
use crate::raw::scrub::explain::Explained;
use crate::raw::scrub::needles::Propagated;
use crate::raw::scrub::vouch::Reason;

/// Counts for one role: distinct texts, not occurrences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoleCounts {
    /// Kept because a bare runtime has them.
    pub vocabulary: u64,
    /// Kept because live code of the program names them.
    pub code: u64,
    /// Kept because the source tree has them.
    pub source_tree: u64,
    /// Kept because a keep rule names them.
    pub keep_rule: u64,
    /// Kept because nothing was found in them (profile balanced).
    pub nothing_found: u64,
    /// Replaced, wholly or in part.
    pub replaced: u64,
}

impl RoleCounts {
    /// All that were kept.
    #[must_use]
    pub const fn kept(self) -> u64 {
        self.vocabulary + self.code + self.source_tree + self.keep_rule + self.nothing_found
    }
}

/// The ledger of one snapshot.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Ledger {
    roles: [RoleCounts; Role::ALL.len()],
    /// How many rules ran over the kept names.
    pub rules: u32,
    /// Digest of the rules and keep rules in force.
    pub rules_digest: String,
    /// Parts of the file that were not understood and left out.
    pub dropped: u32,
    /// Keep rules of the user's own.
    pub keep_rules: u64,
    /// Rules that the user turned off.
    pub rules_off: u64,
    /// Source trees whose names were kept.
    pub source_trees: u64,
    /// Values that were found once and looked for everywhere.
    pub propagated: Propagated,
    /// Why single nodes were or were not replaced, if that was asked.
    #[serde(skip)]
    pub explained: Vec<Explained>,
    #[serde(skip)]
    findings: BTreeMap<(&'static str, Role, Shape), u64>,
}

/// What a found value looks like, as coarse as a report may tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    letters: &'static str,
    length: &'static str,
}

impl Shape {
    pub(crate) fn of(text: &[u8]) -> Self {
        let all = |is: fn(&u8) -> bool| text.iter().all(is);
        let letters = match () {
            () if all(u8::is_ascii_digit) => "digits",
            () if all(u8::is_ascii_hexdigit) => "hexadecimal",
            () if all(u8::is_ascii_alphabetic) => "letters",
            () if all(u8::is_ascii_alphanumeric) => "letters and digits",
            () if text.iter().any(u8::is_ascii_whitespace) => "with blanks",
            () => "with marks",
        };
        let length = match text.len() {
            0..8 => "1-7",
            8..16 => "8-15",
            16..32 => "16-31",
            32..64 => "32-63",
            64..256 => "64-255",
            _ => "256 or more",
        };
        Self { letters, length }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} bytes", self.letters, self.length)
    }
}

impl Ledger {
    pub(crate) fn kept(&mut self, role: Role, reason: Reason) {
        let counts = &mut self.roles[role as usize];
        match reason {
            Reason::Vocabulary => counts.vocabulary += 1,
            Reason::Code => counts.code += 1,
            Reason::SourceTree => counts.source_tree += 1,
            Reason::KeepRule => counts.keep_rule += 1,
            Reason::NothingFound => counts.nothing_found += 1,
        }
    }

    pub(crate) fn found(&mut self, rule: &'static str, role: Role, shape: Shape) {
        *self.findings.entry((rule, role, shape)).or_default() += 1;
    }

    /// What was found, by rule, role and shape: how many distinct texts.
    pub fn findings(&self) -> impl Iterator<Item = (&'static str, Role, Shape, u64)> {
        self.findings.iter().map(|((rule, role, shape), count)| (*rule, *role, *shape, *count))
    }

    pub(crate) fn replaced(&mut self, role: Role) {
        self.roles[role as usize].replaced += 1;
    }

    /// Counts of every role that the snapshot has, in order.
    pub fn roles(&self) -> impl Iterator<Item = (Role, RoleCounts)> {
        Role::ALL.into_iter().zip(self.roles).filter(|(_, c)| *c != RoleCounts::default())
    }

    /// What the user did that keeps more than the profile would.
    #[must_use]
    pub fn weakened(&self) -> Vec<String> {
        let mut out = Self::weakened_by(self.keep_rules, self.source_trees);
        if self.rules_off > 0 {
            out.push(format!("{} rules turned off or lowered by --rules", self.rules_off));
        }
        out
    }

    pub(crate) fn weakened_by(keep_rules: u64, source_trees: u64) -> Vec<String> {
        let mut out = Vec::new();
        if keep_rules > 0 {
            out.push(format!("{keep_rules} keep rules from --rules"));
        }
        if source_trees > 0 {
            out.push(format!("names of {source_trees} source trees from --names-from"));
        }
        out
    }

    /// Keys that were replaced because they may be data.
    #[must_use]
    pub fn data_keys(&self) -> u64 {
        let keys = self.roles().filter(|(role, _)| matches!(role, Role::DataKey | Role::DoubtfulKey));
        keys.map(|(_, counts)| counts.replaced).sum()
    }

    /// Names that an author wrote (keys, variables, classes, functions): kept, and all.
    #[must_use]
    pub fn names(&self) -> (u64, u64) {
        let names = self.roles().filter(|(role, _)| role.is_name());
        names.fold((0, 0), |(kept, all), (_, c)| (kept + c.kept(), all + c.kept() + c.replaced))
    }
}
