//! `manifest.json`: what is in a bundle, under which profile and rules it was made. Numbers, digests and names of the
//! closed list, nothing else: a received manifest that says anything more is refused.

use std::io::Read;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::member::MemberName;
use super::terms::Terms;
use crate::Profile;
use crate::report::build::hex;

/// The version of the format.
const SCHEMA: &str = "heapscrub.bundle/1";

/// A SHA-256.
pub type Digest = [u8; 32];

/// Size and digest of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) bytes: u64,
    pub(crate) sha256: Digest,
}

impl Extent {
    /// Reads everything.
    pub(crate) fn of(mut source: impl Read) -> std::io::Result<Self> {
        let (mut hash, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; 1 << 17]);
        loop {
            let n = source.read(&mut chunk)?;
            if n == 0 {
                return Ok(Self { bytes, sha256: hash.finalize().into() });
            }
            hash.update(&chunk[..n]);
            bytes += n as u64;
        }
    }
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: MemberName,
    pub(crate) extent: Extent,
    /// What it is when it is unpacked, if it is packed.
    pub(crate) plain: Option<Extent>,
    /// Objects and references, of a snapshot.
    pub(crate) graph: Option<(u64, u64)>,
    /// Its pieces in the parts of the bundle, if it was split: the part, from 1, and the piece.
    pub(crate) pieces: Vec<(u32, Extent)>,
}

/// What a bundle says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The version of heapscrub that made it.
    pub(crate) version: [u32; 3],
    pub(crate) profile: Profile,
    pub(crate) keyed: bool,
    /// How many rules, and their digest.
    pub(crate) rules: (u32, Digest),
    /// What keeps more than the profile does.
    pub(crate) weakened: Weakened,
    /// For whom it is, what for, and until when, if the sender said so.
    pub(crate) terms: Option<Terms>,
    /// Files that the bundle consists of.
    pub(crate) parts: u32,
    pub(crate) members: Vec<Member>,
}

/// What the sender did that keeps more than the profile does, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weakened {
    /// Keep rules of the sender's own.
    pub keep_rules: u64,
    /// Rules that were turned off.
    pub rules_off: u64,
    /// Source trees whose names were kept.
    pub source_trees: u64,
}

impl Weakened {
    /// Was nothing done?
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

fn extent(extent: Extent) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("bytes".into(), extent.bytes.into());
    out.insert("sha256".into(), hex(&extent.sha256).into());
    out
}

impl Manifest {
    /// The version of this program.
    pub(crate) fn own_version() -> [u32; 3] {
        let mut parts = env!("CARGO_PKG_VERSION").split('.').map(|n| n.parse().unwrap_or(0));
        std::array::from_fn(|_| parts.next().unwrap_or(0))
    }

    /// Reads `0.1.0`.
    pub(crate) fn read_version(text: &str) -> Option<[u32; 3]> {
        let mut version = [0; 3];
        for (slot, part) in version.iter_mut().zip(text.split('.')) {
            *slot = part.parse().ok()?;
        }
        let [major, minor, patch] = version;
        (format!("{major}.{minor}.{patch}") == text).then_some(version)
    }

    /// The one form that it is written in.
    pub(crate) fn to_json(&self) -> String {
        let members = self.members.iter().map(|member| {
            let mut out = Map::new();
            out.insert("name".into(), member.name.to_string().into());
            out.extend(extent(member.extent));
            if let Some(plain) = member.plain {
                out.insert("unpacked".into(), extent(plain).into());
            }
            if let Some((nodes, edges)) = member.graph {
                out.insert("nodes".into(), nodes.into());
                out.insert("edges".into(), edges.into());
            }
            if !member.pieces.is_empty() {
                let pieces = member.pieces.iter().map(|(part, piece)| {
                    let mut out = extent(*piece);
                    out.insert("part".into(), (*part).into());
                    Value::from(out)
                });
                out.insert("pieces".into(), pieces.collect());
            }
            Value::from(out)
        });
        let [major, minor, patch] = self.version;
        let mut value = json!({
            "schema": SCHEMA,
            "tool": format!("heapscrub {major}.{minor}.{patch}"),
            "profile": self.profile.name(),
            "keyed": self.keyed,
            "rules": { "count": self.rules.0, "sha256": hex(&self.rules.1) },
            "weakened": {
                "keep_rules": self.weakened.keep_rules,
                "rules_off": self.weakened.rules_off,
                "source_trees": self.weakened.source_trees,
            },
            "parts": self.parts,
            "members": members.collect::<Vec<_>>(),
        });
        if let Some(terms) = &self.terms {
            value["terms"] = terms.to_json();
        }
        // A tree of texts and numbers always serialises.
        serde_json::to_string_pretty(&value).unwrap_or_else(|_| unreachable!("a manifest serialises")) + "\n"
    }

    /// Reads a manifest: exactly in the form in which it is written, or not at all.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let manifest = Self::of(&value).filter(Self::is_sound)?;
        (manifest.to_json().as_bytes() == bytes).then_some(manifest)
    }

    /// The rows that every bundle has, in their order, then snapshots from 1 on, each once; and bounds for everything.
    fn is_sound(&self) -> bool {
        const TEXTS: [MemberName; 4] = [MemberName::README, MemberName::HTML, MemberName::MARKDOWN, MemberName::REPORT];
        let (texts, snapshots) = self.members.split_at(self.members.len().min(TEXTS.len()));
        let is_text = |(member, name): (&Member, &MemberName)| {
            member.name == *name && member.plain.is_none() && member.graph.is_none() && member.pieces.is_empty()
        };
        let is_snapshot = |(number, member): (u32, &Member)| {
            let pieces = member.pieces.iter().map(|(part, _)| *part);
            member.name.snapshot_number() == Some(number)
                && member.plain.is_some() == member.name.is_packed()
                && member.graph.is_some() == member.name.has_graph()
                && (self.parts > 1) == (pieces.len() > 0)
                && pieces.len() <= MemberName::NUMBERS as usize
                && pieces.clone().all(|part| (1..=self.parts).contains(&part))
                && pieces.clone().zip(pieces.skip(1)).all(|(one, next)| one < next)
        };
        (1..=MemberName::NUMBERS).contains(&self.parts)
            && self.version.iter().all(|n| *n < 10_000)
            && texts.len() == TEXTS.len()
            && texts.iter().zip(&TEXTS).all(is_text)
            && (1..).zip(snapshots).all(is_snapshot)
    }

    fn of(value: &Value) -> Option<Self> {
        let number = |value: &Value, key: &str| value.get(key)?.as_u64();
        let version = Self::read_version(value.get("tool")?.as_str()?.strip_prefix("heapscrub ")?)?;
        let profile = value.get("profile")?.as_str()?;
        let (rules, weakened) = (value.get("rules")?, value.get("weakened")?);
        let members = value.get("members")?.as_array()?.iter().map(|member| {
            let pieces = match member.get("pieces") {
                Some(pieces) => pieces.as_array()?.as_slice(),
                None => &[],
            };
            let piece = |piece: &Value| Some((u32::try_from(number(piece, "part")?).ok()?, read_extent(piece)?));
            Some(Member {
                name: MemberName::read(member.get("name")?.as_str()?.as_bytes())?,
                extent: read_extent(member)?,
                plain: member.get("unpacked").map(read_extent).map_or(Some(None), |e| e.map(Some))?,
                graph: number(member, "nodes").zip(number(member, "edges")),
                pieces: pieces.iter().map(piece).collect::<Option<_>>()?,
            })
        });
        Some(Self {
            version,
            profile: Profile::ALL.into_iter().find(|p| p.name() == profile)?,
            keyed: value.get("keyed")?.as_bool()?,
            rules: (u32::try_from(number(rules, "count")?).ok()?, read_digest(rules)?),
            weakened: Weakened {
                keep_rules: number(weakened, "keep_rules")?,
                rules_off: number(weakened, "rules_off")?,
                source_trees: number(weakened, "source_trees")?,
            },
            terms: match value.get("terms") {
                Some(terms) => Some(Terms::of_json(terms)?),
                None => None,
            },
            parts: u32::try_from(number(value, "parts")?).ok()?,
            members: members.collect::<Option<_>>()?,
        })
    }

    /// The lines of `SHA256SUMS`, as `sha256sum --ignore-missing -c` reads them: members as they lie in the bundle, and
    /// unpacked. `manifest` is the digest of the manifest itself.
    pub(crate) fn sums(&self, manifest: &Digest) -> String {
        let line = |name: MemberName, digest: &Digest| format!("{}  {name}\n", hex(digest));
        let members = self.members.iter().flat_map(|member| {
            let plain = member.plain.map(|plain| line(member.name.unpacked(), &plain.sha256));
            [Some(line(member.name, &member.extent.sha256)), plain].into_iter().flatten()
        });
        members.chain([line(MemberName::MANIFEST, manifest)]).collect()
    }
}

fn read_extent(value: &Value) -> Option<Extent> {
    Some(Extent { bytes: value.get("bytes")?.as_u64()?, sha256: read_digest(value)? })
}

fn read_digest(value: &Value) -> Option<Digest> {
    hex_digest(value.get("sha256")?.as_str()?)
}

/// Reads 64 digits.
pub(crate) fn hex_digest(digits: &str) -> Option<Digest> {
    let (digits, mut out) = (digits.as_bytes(), [0; 32]);
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |d: u8| char::from(d).to_digit(16);
        *byte = u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_only_as_it_is_written() {
        let extent = Extent { bytes: 7, sha256: [0xab; 32] };
        let snapshot = MemberName::snapshot(1, "heapsnapshot", true).expect("a name");
        let text = |name| Member { name, extent, plain: None, graph: None, pieces: Vec::new() };
        let manifest = Manifest {
            version: Manifest::own_version(),
            profile: Profile::Strict,
            keyed: true,
            rules: (60, [1; 32]),
            weakened: Weakened { source_trees: 2, ..Weakened::default() },
            terms: None,
            parts: 2,
            members: vec![
                text(MemberName::README),
                text(MemberName::HTML),
                text(MemberName::MARKDOWN),
                text(MemberName::REPORT),
                Member {
                    name: snapshot,
                    extent,
                    plain: Some(extent),
                    graph: Some((5, 6)),
                    pieces: vec![(1, extent), (2, extent)],
                },
            ],
        };
        let json = manifest.to_json();
        assert_eq!(Manifest::read(json.as_bytes()), Some(manifest));
        // Whatever is changed, it is no manifest any more, or it says something else that the other members contradict.
        for (from, to) in [
            ("\"parts\"", "\"comment\": \"x\", \"parts\""),
            ("heapscrub 0", "heapscrub \u{202e}0"),
            ("strict", "lenient"),
            ("README.txt", "notes.txt"),
            ("abab", "ABab"),
            ("\n}", "\n} "),
            ("\"parts\": 2", "\"parts\": 4294967295"),
            ("\"part\": 2", "\"part\": 1"),
            ("snapshot-1", "snapshot-2"),
            ("report.md", "report.json"),
        ] {
            assert_eq!(Manifest::read(json.replacen(from, to, 1).as_bytes()), None, "{from}");
        }
    }
}
