//! The embedded packs: one file for each topic, part of the program.

use std::sync::OnceLock;

use super::{Rules, UNKNOWN_TOKEN};

macro_rules! packs {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../rules/", $name)))),*]
    };
}

/// All of them as name and text, in the order in which rules are numbered.
pub(super) const PACKS: [(&str, &str); 19] = packs! {
    "cloud.toml" "ai.toml" "repositories.toml" "registries.toml" "chat.toml" "payment.toml" "services.toml" "databases.toml"
    "keys.toml" "tokens.toml" "headers.toml" "settings.toml" "wallets.toml" "personal.toml" "paths.toml" "sessions.toml"
    "source.toml" "prompts.toml" "keep.toml"
};

/// One pack, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackInfo {
    /// The file in `rules/`.
    pub name: &'static str,
    /// What its rules find: the first line of the file.
    pub about: &'static str,
    /// How many rules it has.
    pub rules: usize,
    /// How many of them know a text by the key that holds it.
    pub by_key: usize,
}

impl Rules {
    /// The embedded packs, in order.
    #[must_use]
    pub fn packs() -> Vec<PackInfo> {
        let rules = Self::builtin();
        let info = |(name, text): (&'static str, &'static str)| PackInfo {
            name,
            about: text.lines().next().unwrap_or_default().trim_start_matches("# ").trim_end_matches('.'),
            rules: rules.catalogue().filter(|rule| rule.pack == name).count(),
            by_key: rules.catalogue().filter(|rule| rule.pack == name && rule.is_context).count(),
        };
        PACKS.into_iter().filter(|(name, _)| *name != KEEP).map(info).collect()
    }
}

/// The pack that has no rules, only what may stay.
const KEEP: &str = "keep.toml";

/// The ids of all embedded rules. Placeholders name them, so they are a closed list.
pub(crate) fn builtin_ids() -> &'static [&'static str] {
    static IDS: OnceLock<Vec<&'static str>> = OnceLock::new();
    IDS.get_or_init(|| {
        let rules = PACKS.iter().filter(|(name, _)| *name != KEEP);
        let lines = rules.flat_map(|(_, text)| text.lines());
        let ids = lines.filter_map(|line| line.strip_prefix("id = \"")?.strip_suffix('"'));
        [UNKNOWN_TOKEN].into_iter().chain(ids).collect()
    })
}
