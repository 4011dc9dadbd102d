//! What was kept and what was replaced, as counts. Nothing here can hold a text of the input.

use serde::Serialize;

use crate::raw::ingest::role::Role;
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
    /// Replaced, wholly or in part.
    pub replaced: u64,
}

impl RoleCounts {
    /// All that were kept.
    #[must_use]
    pub const fn kept(self) -> u64 {
        self.vocabulary + self.code + self.source_tree + self.keep_rule
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
    /// What the user did that keeps more than the profile would.
    pub weakened: Vec<String>,
}

impl Ledger {
    pub(crate) fn kept(&mut self, role: Role, reason: Reason) {
        let counts = &mut self.roles[role as usize];
        match reason {
            Reason::Vocabulary => counts.vocabulary += 1,
            Reason::Code => counts.code += 1,
            Reason::SourceTree => counts.source_tree += 1,
            Reason::KeepRule => counts.keep_rule += 1,
        }
    }

    pub(crate) fn replaced(&mut self, role: Role) {
        self.roles[role as usize].replaced += 1;
    }

    /// Counts of every role that the snapshot has, in order.
    pub fn roles(&self) -> impl Iterator<Item = (Role, RoleCounts)> {
        Role::ALL.into_iter().zip(self.roles).filter(|(_, c)| *c != RoleCounts::default())
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
