//! What is signed: an in-toto Statement (version 1) about the manifest of a bundle.

use serde_json::{Map, Value, json};

use crate::bundle::manifest::{Digest, hex_digest};
use crate::date::Date;
use crate::report::build::hex;

/// What somebody says about a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// They made it.
    Made,
    /// They approve that it leaves.
    Approved,
    /// They read what stayed readable in it.
    Reviewed,
}

impl Act {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Made, Self::Approved, Self::Reviewed];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Approved => "approved",
            Self::Reviewed => "reviewed",
        }
    }
}

/// A statement about one bundle. Everything in it is a number, a day, a digest or a word of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The SHA-256 of the manifest.
    pub manifest: Digest,
    /// What is said.
    pub act: Act,
    /// The day, by the clock of whoever signed.
    pub date: Date,
    /// The name of the key, so that a statement is one person's and no other's.
    pub signer: String,
    /// The SHA-256 of the list of kept texts that was read, for a review.
    pub kept: Option<Digest>,
}

const TYPE: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "urn:heapscrub:statement:v1";

impl Statement {
    /// The one form that it is written in.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut predicate = Map::new();
        predicate.insert("act".into(), self.act.name().into());
        predicate.insert("date".into(), self.date.to_string().into());
        predicate.insert("signer".into(), self.signer.as_str().into());
        if let Some(kept) = self.kept {
            predicate.insert("kept_sha256".into(), hex(&kept).into());
        }
        let value = json!({
            "_type": TYPE,
            "predicateType": PREDICATE,
            "predicate": predicate,
            "subject": [{ "name": "manifest.json", "digest": { "sha256": hex(&self.manifest) } }],
        });
        // A tree of texts always serialises.
        serde_json::to_string_pretty(&value).unwrap_or_else(|_| unreachable!("a statement serialises")) + "\n"
    }

    /// Reads a statement: exactly in the form in which it is written, or not at all. So nothing is said twice, and
    /// nothing is said that this program does not know.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let predicate = value.get("predicate")?;
        let word = |key: &str| predicate.get(key)?.as_str();
        let act = word("act")?;
        let statement = Self {
            manifest: hex_digest(value.get("subject")?.get(0)?.get("digest")?.get("sha256")?.as_str()?)?,
            act: Act::ALL.into_iter().find(|a| a.name() == act)?,
            date: Date::read(word("date")?)?,
            signer: word("signer").filter(|name| is_key_name(name))?.to_owned(),
            kept: match predicate.get("kept_sha256") {
                Some(digest) => Some(hex_digest(digest.as_str()?)?),
                None => None,
            },
        };
        let is_sound = statement.kept.is_none() || statement.act == Act::Reviewed;
        (is_sound && statement.to_json().as_bytes() == bytes).then_some(statement)
    }
}

/// `SHA256:` and 43 digits of base64, as `ssh-keygen -l` prints, or 64 digits of hexadecimal.
fn is_key_name(name: &str) -> bool {
    let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    match name.strip_prefix("SHA256:") {
        Some(digits) => digits.len() == 43 && digits.bytes().all(is_base64),
        None => hex_digest(name).is_some_and(|digest| hex(&digest) == name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_read_only_as_it_is_written() {
        let statement = Statement {
            manifest: [0xab; 32],
            act: Act::Reviewed,
            date: Date::read("2026-11-19").expect("a day"),
            signer: format!("SHA256:{}", "a".repeat(43)),
            kept: Some([3; 32]),
        };
        let json = statement.to_json();
        assert_eq!(Statement::read(json.as_bytes()), Some(statement));
        for (from, to) in [
            ("reviewed", "approved"),
            ("reviewed", "Reviewed"),
            ("2026-11-19", "2026-11-31"),
            ("\"act\"", "\"act\": \"made\", \"act\""),
            ("\"date\"", "\"until\": 1, \"date\""),
            ("manifest.json", "report.json"),
            ("SHA256:aaa", "SHA256:\u{430}aa"),
            ("SHA256:", "MD5:"),
            ("Statement/v1", "Statement/v0.1"),
            ("statement:v1", "statement:v2"),
            ("abab", "ABab"),
            ("}\n", "} \n"),
        ] {
            let changed = json.replacen(from, to, 1);
            assert_ne!(changed, json, "{from}");
            assert_eq!(Statement::read(changed.as_bytes()), None, "{from}");
        }
        // A second subject would be one that nobody looks at.
        let second = json.replacen("\"subject\": [", "\"subject\": [{\"name\": \"x\", \"digest\": {}},", 1);
        assert_eq!(Statement::read(second.as_bytes()), None);
    }
}
