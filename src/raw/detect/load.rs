//! The rules in force: the embedded packs, files of the user's own, and what those change about other rules.

use sha2::{Digest, Sha256};

use super::catalogue::Catalogue;
use super::spec::{Change, Confidence, Keep, Off, Pack, Rule};
use super::{PACKS, UNKNOWN_TOKEN, gitleaks, place};
use crate::error::ConfigError;
use crate::severity::Severity;

/// A rule with the file that it stands in, by name and text, and whether that is the user's own.
pub(super) type Loaded<'t> = ((&'t str, &'t str), Rule, bool);

/// All rules, read but not compiled.
pub(super) struct Load<'t> {
    pub(super) rules: Vec<Loaded<'t>>,
    pub(super) keep: Vec<Keep>,
    pub(super) own_keep: usize,
    /// Rules that are off or changed.
    pub(super) off: Vec<Off>,
    pub(super) changed: Vec<Change>,
    /// How many rules count for less than they were written to.
    pub(super) lowered: usize,
    pub(super) notes: Vec<String>,
    pub(super) catalogue: Catalogue,
    pub(super) digest: [u8; 32],
}

impl<'t> Load<'t> {
    /// Reads the embedded packs and the user's own files, given as name and text.
    pub(super) fn read(own: &'t [(String, String)]) -> Result<Self, ConfigError> {
        let own = own.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let files: Vec<(&str, &str)> = PACKS.into_iter().chain(own).collect();
        let (mut notes, mut packs, mut digest) = (Vec::new(), Vec::new(), Sha256::new());
        for (i, &(name, text)) in files.iter().enumerate() {
            let is_own = i >= PACKS.len();
            let pack: Pack = if is_own && gitleaks::is_one(text) {
                gitleaks::read(name, text, &mut notes).map_err(|e| place::misread(name, text, &e))?
            } else {
                toml::from_str(text).map_err(|e| place::misread(name, text, &e))?
            };
            if is_own {
                digest.update(format!("{:?}{:?}{:?}", pack.rule, pack.off, pack.change));
            } else {
                digest.update(text.as_bytes());
            }
            packs.push(pack);
        }
        let ids = packs.iter().flat_map(|pack| {
            pack.rule.iter().map(|rule| rule.id.as_str()).chain(pack.keep.iter().map(|keep| keep.id.as_str()))
        });
        let mut ids: Vec<String> = ids.map(str::to_owned).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
            return Err(place::twice(&twice[0], &files));
        }
        for (pack, (name, text)) in packs.iter().zip(&files) {
            let off = pack.off.iter().map(|off| (&off.rule, &off.reason)).enumerate();
            let off = off.map(|(i, entry)| ("off", i, entry));
            let changed = pack.change.iter().map(|change| (&change.rule, &change.reason)).enumerate();
            for (kind, i, (rule, reason)) in off.chain(changed.map(|(i, entry)| ("change", i, entry))) {
                let is_rule = rule == UNKNOWN_TOKEN || packs.iter().flat_map(|pack| &pack.rule).any(|r| r.id == *rule);
                let what = match () {
                    () if !is_rule => "there is no such rule to turn off or change",
                    () if kind == "change" && rule == UNKNOWN_TOKEN => "this one can be turned off, but not changed",
                    () if reason.trim().len() < 8 => "say in a few words, as reason, why it is off or changed",
                    () => continue,
                };
                let line = place::nth(text, kind, i);
                return Err(ConfigError::new(format!("rules file {}", place::message(name, line, rule, what))));
            }
        }
        let off: Vec<Off> = packs.iter_mut().flat_map(|pack| std::mem::take(&mut pack.off)).collect();
        let changed: Vec<Change> = packs.iter_mut().flat_map(|pack| std::mem::take(&mut pack.change)).collect();
        let mut this = Self {
            rules: Vec::new(),
            keep: Vec::new(),
            own_keep: packs[PACKS.len()..].iter().map(|pack| pack.keep.len()).sum(),
            off,
            changed,
            lowered: 0,
            notes,
            catalogue: Catalogue::new(),
            digest: digest.finalize().into(),
        };
        for (i, (mut pack, file)) in packs.into_iter().zip(files).enumerate() {
            for rule in &mut pack.rule {
                let before = weight(rule);
                for change in &this.changed {
                    change.apply(rule);
                }
                let after = weight(rule);
                this.lowered += usize::from(after.0 < before.0 || after.1 < before.1);
            }
            this.catalogue.add(file.0, &pack, i >= PACKS.len());
            this.rules.extend(pack.rule.into_iter().map(|rule| (file, rule, i >= PACKS.len())));
            this.keep.extend(pack.keep);
        }
        Ok(this)
    }

    /// Is this rule off?
    pub(super) fn is_off(&self, id: &str) -> bool {
        self.off.iter().any(|off| off.rule == id)
    }
}

/// How much what a rule finds counts.
fn weight(rule: &Rule) -> (Severity, Confidence) {
    let severity = rule.severity.unwrap_or_else(|| Severity::of_category(&rule.category));
    (severity, rule.confidence.unwrap_or(Confidence::Medium))
}

impl Change {
    fn apply(&self, rule: &mut Rule) {
        if rule.id == self.rule {
            rule.severity = self.severity.or(rule.severity);
            rule.confidence = self.confidence.or(rule.confidence);
        }
    }
}
