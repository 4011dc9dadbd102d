//! What a bundle says about itself, in words of this program: for a policy to be held against. It is worth what the check
//! of the bundle and its signatures are worth.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::Received;
use crate::bundle::manifest::{Digest, Weakened};
use crate::bundle::member::MemberName;
use crate::bundle::terms::Terms;
use crate::pipeline::Settings;
use crate::raw::ingest::role::Role;
use crate::sign::{self, Found, PublicKey};
use crate::{Result, Rules};

/// What a bundle says about itself.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The digest of its manifest.
    pub digest: Digest,
    /// The version that made it, and with it the rules it was made with.
    pub version: [u32; 3],
    /// The profile.
    pub profile: String,
    /// Were its placeholders made under a key?
    pub keyed: bool,
    /// The digest of the rules it was made with.
    pub rules: Digest,
    /// Are they those of this program?
    pub same_rules: bool,
    /// What keeps more than the profile does.
    pub weakened: Weakened,
    /// For whom, what for, until when.
    pub terms: Option<Terms>,
    /// Bytes of all members as they lie there.
    pub bytes: u64,
    /// Bytes of the largest snapshot, unpacked.
    pub largest: u64,
    /// Snapshots in it.
    pub snapshots: u64,
    /// Files that it consists of.
    pub parts: u32,
    /// The formats of the snapshots, by their endings.
    pub formats: BTreeSet<String>,
    /// How many texts were found and removed, by category of the rule; nothing if the report does not say.
    pub found: Option<BTreeMap<String, u64>>,
    /// Roles in which texts were decided; nothing if the report does not say.
    pub roles: Option<BTreeSet<&'static str>>,
    /// Parts of the files that were not understood and left out.
    pub left_out: Option<u64>,
}

impl Declared {
    /// The category of what no embedded rule found: rules of the sender's own, and listed values.
    pub(crate) const OWN: &'static str = "own";
}

impl Received {
    /// The signatures beside it, checked with these keys.
    ///
    /// # Errors
    /// When the directory that it lies in cannot be read.
    pub fn signatures(&self, bundle: &Path, keys: &[PublicKey]) -> Result<Vec<Found>> {
        sign::all(bundle, &self.digest, keys)
    }

    /// The digest of its manifest: what signatures are about.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// What it says about itself.
    #[must_use]
    pub fn declared(&self, settings: &Settings) -> Declared {
        let manifest = &self.manifest;
        let snapshots = || manifest.members.iter().filter(|member| member.name.is_snapshot());
        let ending = |name: MemberName| name.unpacked().to_string().rsplit_once('.').map(|(_, end)| end.to_owned());
        let report = self.small(MemberName::REPORT).ok();
        let report: Value = report.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let redaction = &report["redaction"];
        let roles = redaction["roles"].as_array().map(|rows| {
            let named = |row: &Value| Role::ALL.iter().map(|role| role.name()).find(|name| row["role"] == **name);
            rows.iter().filter_map(named).collect()
        });
        Declared {
            digest: self.digest,
            version: manifest.version,
            profile: manifest.profile.name().to_owned(),
            keyed: manifest.keyed,
            rules: manifest.rules.1,
            same_rules: manifest.rules.1 == settings.rules.sha256(),
            weakened: manifest.weakened,
            terms: manifest.terms.clone(),
            bytes: manifest.members.iter().fold(0, |sum, member| sum.saturating_add(member.extent.bytes)),
            largest: snapshots().map(|member| member.plain.unwrap_or(member.extent).bytes).max().unwrap_or(0),
            snapshots: snapshots().count() as u64,
            parts: manifest.parts,
            formats: snapshots().filter_map(|member| ending(member.name)).collect(),
            found: redaction["found"].as_array().map(|rows| by_category(rows, &settings.rules)),
            roles,
            left_out: redaction["left_out"].as_u64(),
        }
    }
}

/// Found texts by the category of the rule that found them.
fn by_category(rows: &[Value], rules: &Rules) -> BTreeMap<String, u64> {
    let known: BTreeMap<&str, &str> = rules.catalogue().map(|info| (&*info.id, &*info.category)).collect();
    let mut out = BTreeMap::new();
    for row in rows {
        let category = row["rule"].as_str().and_then(|id| known.get(id)).copied().unwrap_or(Declared::OWN);
        // What is no number counts as something.
        let texts: &mut u64 = out.entry(category.to_owned()).or_default();
        *texts = texts.saturating_add(row["texts"].as_u64().unwrap_or(1));
    }
    out
}
