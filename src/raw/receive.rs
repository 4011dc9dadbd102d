//! A bundle that somebody sent: a zip, a tar inside zstd, several parts, or a directory. Nothing in it is trusted, and no
//! name or text of it is repeated unless it is one of the closed list.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::input::Input;
use super::scrub::guard::{Guard, Medium};
use super::scrub::verify::recheck;
use crate::archive::{self, Entry, Fault};
use crate::bundle::manifest::{Digest, Extent, Manifest, Member};
use crate::bundle::member::MemberName;
use crate::bundle::texts;
use crate::output::{Output, PartialDirectory};
use crate::pipeline::{Profile, Settings, with_threads};
use crate::report::build::hex;
use crate::{Counts, Error, Ingested, Kind, Result, Stage, limits};

/// A file of the bundle, or a directory.
struct Holder {
    input: Input,
    /// The members in it; none if the input is a member itself.
    entries: Option<Vec<Entry>>,
}

/// Where a member lies.
#[derive(Clone, Copy)]
struct Place {
    holder: usize,
    entry: usize,
}

/// A bundle whose members are known, but not looked at yet.
pub struct Received {
    holders: Vec<Holder>,
    members: BTreeMap<MemberName, Place>,
    manifest: Manifest,
    digest: Digest,
}

impl std::fmt::Debug for Received {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Received({} members)", self.members.len())
    }
}

/// What a receiver learns about a bundle that is as it was made.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The first digits of the digest of its manifest.
    pub digest: String,
    /// The profile it was made with.
    pub profile: Profile,
    /// Were its placeholders made under a key?
    pub keyed: bool,
    /// Members.
    pub members: u64,
    /// Snapshots with their counts.
    pub snapshots: Vec<Counts>,
    /// Files that it consists of.
    pub parts: u32,
    /// The version that made it.
    pub version: String,
    /// Was it made with the same rules as this program has?
    pub same_rules: bool,
    /// Keep rules and source trees by which more was kept.
    pub weakened: (u64, u64),
}

fn tampered(what: &'static str, member: Option<MemberName>) -> Error {
    Error::new(Stage::Receive, Kind::Tampered { what, member })
}

fn fault(fault: Fault, member: Option<MemberName>) -> Error {
    match fault {
        Fault::NotThis => Error::new(Stage::Receive, Kind::WrongFormat { hint: NOT_A_BUNDLE }),
        Fault::Damaged { what, .. } => tampered(what, member),
        Fault::Refused { what, .. } => Error::new(Stage::Receive, Kind::Hostile { what }),
    }
}

const NOT_A_BUNDLE: &str =
    "this is no bundle of heapscrub: expected a .zip, a .tar.zst or a directory made by heapscrub share";
const CHANGED: &str = "was changed: its bytes are not those that the manifest lists";
const MISSING: &str = "is missing";
const ADDED: &str = "is not listed in the manifest";

impl Received {
    /// Opens a bundle: one file, one directory, or the parts of one. Of a bundle in parts any one is enough if the others
    /// lie beside it.
    ///
    /// # Errors
    /// When it is no bundle, was changed, or holds anything that could harm.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        if let [path] = paths
            && path.is_dir()
        {
            return Self::directory(path);
        }
        let mut holders = Vec::new();
        for path in beside(paths)? {
            let input = Input::bundle(&path).map_err(|e| match e.kind {
                // A stream that cannot be unpacked was a bundle once.
                Kind::Malformed { .. } | Kind::Truncated { .. } => tampered("the file was changed or cut off", None),
                _ => Error { stage: Stage::Receive, ..e },
            })?;
            holders.push(Holder::archive(input)?);
        }
        Self::new(holders)
    }

    /// Opens files that this program has just written.
    pub(crate) fn written(files: &[Output]) -> Result<Self> {
        let open = |file: &Output| Holder::archive(Input::from_written(&file.plain()?)?);
        Self::new(files.iter().map(open).collect::<Result<_>>()?)
    }

    /// Opens a directory.
    pub(crate) fn directory(path: &Path) -> Result<Self> {
        let (mut holders, mut members) = (Vec::new(), BTreeMap::new());
        for entry in walkdir::WalkDir::new(path).max_depth(3).sort_by_file_name() {
            let entry = entry.map_err(|e| {
                let kind = e.io_error().map_or(std::io::ErrorKind::Other, std::io::Error::kind);
                Error::new(Stage::Receive, Kind::Io(kind))
            })?;
            let name = entry.path().strip_prefix(path).unwrap_or(entry.path()).to_str().unwrap_or("");
            if entry.file_type().is_dir() {
                if !matches!(name, "" | "snapshots") {
                    return Err(tampered("the directory holds one that bundles do not have", None));
                }
                continue;
            }
            if entry.file_type().is_symlink() {
                return Err(Error::new(Stage::Receive, Kind::Hostile { what: "a symbolic link" }));
            }
            let name = MemberName::read(name.as_bytes()).ok_or(tampered(UNKNOWN, None))?;
            let input = Input::as_it_is(entry.path()).map_err(|e| Error { stage: Stage::Receive, ..e })?;
            members.insert(name, Place { holder: holders.len(), entry: 0 });
            holders.push(Holder { input, entries: None });
        }
        Self::with(holders, members)
    }

    fn new(holders: Vec<Holder>) -> Result<Self> {
        let mut members = BTreeMap::new();
        for (at, holder) in holders.iter().enumerate() {
            for (entry, found) in holder.entries.iter().flatten().enumerate() {
                let name = holder.input.bytes().get(found.name.clone()).and_then(MemberName::read);
                let name = name.ok_or(tampered(UNKNOWN, None))?;
                if members.insert(name, Place { holder: at, entry }).is_some() {
                    return Err(tampered("stands in two parts", Some(name)));
                }
            }
        }
        Self::with(holders, members)
    }

    fn with(holders: Vec<Holder>, members: BTreeMap<MemberName, Place>) -> Result<Self> {
        let nothing = Manifest {
            version: [0; 3],
            profile: Profile::Strict,
            keyed: false,
            rules: (0, [0; 32]),
            weakened: (0, 0),
            parts: 1,
            members: Vec::new(),
        };
        let mut received = Self { holders, members, manifest: nothing, digest: [0; 32] };
        let no_manifest = received.members.is_empty() || received.members.keys().all(|name| name.is_part());
        if no_manifest {
            return Err(Error::new(Stage::Receive, Kind::WrongFormat { hint: NOT_A_BUNDLE }));
        }
        let bytes = received.small(MemberName::MANIFEST)?.into_owned();
        let manifest = Manifest::read(&bytes)
            .ok_or(tampered("was changed: heapscrub writes no such manifest", Some(MemberName::MANIFEST)))?;
        (received.manifest, received.digest) = (manifest, Sha256::digest(&bytes).into());
        Ok(received)
    }

    /// The unpacked bytes of a small member.
    fn small(&self, name: MemberName) -> Result<Cow<'_, [u8]>> {
        let place = self.members.get(&name).ok_or(tampered(MISSING, Some(name)))?;
        let holder = &self.holders[place.holder];
        match &holder.entries {
            Some(entries) => {
                let bytes = archive::plain(holder.input.bytes(), &entries[place.entry], limits::MEMBER_BYTES);
                bytes.map_err(|f| fault(f, Some(name)))
            }
            None => Ok(Cow::Borrowed(holder.input.bytes())),
        }
    }

    /// The bytes of a member as it lies in the container, one piece after the other.
    fn stream(&self, name: MemberName) -> Result<Box<dyn Read + '_>> {
        let place = self.members.get(&name).ok_or(tampered(MISSING, Some(name)))?;
        let holder = &self.holders[place.holder];
        match &holder.entries {
            Some(entries) => {
                let reader = archive::reader(holder.input.bytes(), &entries[place.entry]);
                Ok(Box::new(reader.map_err(|f| fault(f, Some(name)))?))
            }
            None => Ok(Box::new(Cursor::new(holder.input.bytes()))),
        }
    }

    fn extent(&self, name: MemberName) -> Result<Extent> {
        let extent = Extent::of(self.stream(name)?);
        extent.map_err(|e| Fault::of(&e).map_or(tampered(CHANGED, Some(name)), |f| fault(f, Some(name))))
    }

    /// Everything that is not as the manifest says.
    fn differences(&self) -> Vec<Error> {
        let mut out = Vec::new();
        let mut expected: Vec<MemberName> = vec![MemberName::MANIFEST, MemberName::SUMS];
        for member in &self.manifest.members {
            if member.pieces.is_empty() {
                let name = self.form_of(member);
                let extent = if name == member.name { Some(member.extent) } else { member.plain };
                expected.push(name);
                out.extend(self.difference(name, extent));
                continue;
            }
            let mut total = 0_u64;
            for (number, (_, extent)) in (1..).zip(&member.pieces) {
                let Some(name) = member.name.piece(number) else {
                    out.push(tampered(CHANGED, Some(MemberName::MANIFEST)));
                    continue;
                };
                expected.push(name);
                total = total.saturating_add(extent.bytes);
                out.extend(self.difference(name, Some(*extent)));
            }
            if total != member.extent.bytes {
                out.push(tampered("was changed: its pieces do not add up", Some(MemberName::MANIFEST)));
            }
        }
        for number in (1..=self.manifest.parts).filter(|_| self.manifest.parts > 1) {
            let name = MemberName::part(number, self.manifest.parts);
            expected.push(name);
            let text = texts::part(number, self.manifest.parts, &hex(&self.digest[..4]));
            match self.small(name) {
                Ok(bytes) if *bytes == *text.as_bytes() => {}
                Ok(_) => out.push(tampered("is not of this bundle", Some(name))),
                Err(error) => out.push(error),
            }
        }
        out.extend(
            self.members.keys().filter(|name| !expected.contains(name)).map(|name| tampered(ADDED, Some(*name))),
        );
        match self.small(MemberName::SUMS) {
            Ok(sums) if *sums == *self.manifest.sums(&self.digest).as_bytes() => {}
            Ok(_) => out.push(tampered(
                "does not agree with manifest.json: one of the two was changed",
                Some(MemberName::SUMS),
            )),
            Err(error) => out.push(error),
        }
        out
    }

    /// A snapshot may lie there unpacked, if somebody unpacked the bundle into a directory.
    fn form_of(&self, member: &Member) -> MemberName {
        let plain = member.name.unpacked();
        let is_directory = self.holders.iter().all(|holder| holder.entries.is_none());
        if is_directory && !self.members.contains_key(&member.name) && self.members.contains_key(&plain) {
            return plain;
        }
        member.name
    }

    fn difference(&self, name: MemberName, expected: Option<Extent>) -> Option<Error> {
        match self.extent(name) {
            Ok(extent) if Some(extent) == expected => None,
            Ok(_) => Some(tampered(CHANGED, Some(name))),
            Err(error) => Some(error),
        }
    }

    /// Looks at what this program has just written: it must be what was verified, and nothing may be found beside it.
    pub(crate) fn check_own(&self, guard: &Guard<'_>, manifest: &Manifest) -> Result<()> {
        if self.manifest != *manifest {
            return Err(tampered(CHANGED, Some(MemberName::MANIFEST)));
        }
        match self.differences().first() {
            Some(error) => Err(Error { stage: Stage::Verify, ..*error }),
            None => self.check_texts(guard),
        }
    }

    /// Rules and values over everything that is no snapshot.
    fn check_texts(&self, guard: &Guard<'_>) -> Result<()> {
        for name in self.members.keys().filter(|name| !name.is_snapshot()) {
            let (medium, what) = match *name {
                MemberName::MANIFEST => (Medium::Json, "in manifest.json"),
                MemberName::REPORT => (Medium::Json, "in report.json"),
                MemberName::MARKDOWN => (Medium::Text, "in report.md"),
                _ => (Medium::Text, "in a text of the bundle"),
            };
            guard.check(&self.small(*name)?, medium, what)?;
        }
        Ok(())
    }

    /// Looks at a bundle as a receiver: digests, structure, and the rules of this program over everything in it.
    ///
    /// # Errors
    /// Everything that differs from the manifest; or what rules find.
    pub fn check(&self, settings: &Settings) -> Result<Checked, Vec<Error>> {
        self.check_each(settings, |_, _| Ok(()))
    }

    /// The same, and hands each unpacked snapshot on.
    fn check_each(
        &self,
        settings: &Settings,
        mut each: impl FnMut(MemberName, &Input) -> Result<()>,
    ) -> Result<Checked, Vec<Error>> {
        let differences = self.differences();
        if !differences.is_empty() {
            return Err(differences);
        }
        let one = |error: Error| vec![error];
        let guard = Guard::of_values(settings);
        self.check_texts(&guard).map_err(one)?;
        let mut snapshots = Vec::new();
        for member in self.manifest.members.iter().filter(|member| member.name.is_snapshot()) {
            let input = self.unpacked(member).map_err(one)?;
            let counts = with_threads(settings.jobs, || self.check_snapshot(&input, member, settings));
            snapshots.push(counts.and_then(|counts| counts).map_err(one)?);
            each(member.name.unpacked(), &input).map_err(one)?;
        }
        let Manifest { version: [major, minor, patch], profile, keyed, rules, weakened, parts, .. } = self.manifest;
        Ok(Checked {
            digest: hex(&self.digest[..4]),
            profile,
            keyed,
            members: self.members.len() as u64,
            snapshots,
            parts,
            version: format!("{major}.{minor}.{patch}"),
            same_rules: rules.1 == settings.rules.sha256(),
            weakened,
        })
    }

    fn check_snapshot(&self, input: &Input, member: &Member, settings: &Settings) -> Result<Counts> {
        let bad = |error: Error| Error { stage: Stage::Receive, ..error };
        let ingested = Ingested::read(input).map_err(bad)?;
        let counts = ingested.counts();
        if member.graph != Some((counts.nodes, counts.edges)) {
            return Err(tampered("was changed: its counts are not those of its snapshots", Some(MemberName::MANIFEST)));
        }
        // Names that a source tree or a keep rule vouched for are not known here; rules must find nothing in them.
        let profile = if self.manifest.weakened == (0, 0) { self.manifest.profile } else { Profile::Balanced };
        recheck(ingested, profile, settings)?;
        Ok(counts)
    }

    /// A snapshot of the bundle, unpacked.
    fn unpacked(&self, member: &Member) -> Result<Input> {
        let name = member.name;
        let bad = tampered("cannot be unpacked", Some(name));
        let form = self.form_of(member);
        let mut pieces: Vec<Box<dyn Read + '_>> = Vec::new();
        if member.pieces.is_empty() {
            pieces.push(self.stream(form)?);
        }
        for (number, _) in (1..).zip(&member.pieces) {
            pieces.push(self.stream(name.piece(number).ok_or(bad)?)?);
        }
        let joined = pieces
            .into_iter()
            .fold(Box::new(std::io::empty()) as Box<dyn Read>, |all, piece| Box::new(all.chain(piece)));
        let expected = member.plain.unwrap_or(member.extent);
        let bomb = expected.bytes > limits::RATIO_FREE_BYTES
            && expected.bytes > member.extent.bytes.saturating_mul(limits::RATIO);
        if bomb {
            let what = "a member that unpacks to far more than it is";
            return Err(Error::new(Stage::Receive, Kind::Hostile { what }));
        }
        let plain: Box<dyn Read> = if form.is_packed() {
            let mut decoder = zstd::stream::read::Decoder::new(joined).map_err(|_| bad)?;
            decoder.window_log_max(limits::ZSTD_WINDOW_LOG).map_err(|_| bad)?;
            Box::new(decoder)
        } else {
            joined
        };
        let input = Input::from_reader(plain.take(expected.bytes.saturating_add(1))).map_err(|_| bad)?;
        let found = Extent { bytes: input.bytes().len() as u64, sha256: Sha256::digest(input.bytes()).into() };
        if found == expected {
            Ok(input)
        } else {
            Err(tampered("unpacks to other bytes than the manifest lists", Some(name)))
        }
    }

    /// Checks the bundle, then writes its members as plain files into a new directory below `parent`. Returns the
    /// directory and what was checked.
    ///
    /// # Errors
    /// As for [`Received::check`], and when the directory exists or cannot be written. Nothing is left behind then.
    pub fn unpack(&self, parent: &Path, settings: &Settings) -> Result<(PathBuf, Checked), Vec<Error>> {
        let one = |error: Error| vec![error];
        let target = parent.join(format!("heapscrub-{}", hex(&self.digest[..4])));
        if target.symlink_metadata().is_ok() {
            return Err(one(Error::new(Stage::Write, Kind::OutputExists)));
        }
        let directory = PartialDirectory::new(parent).map_err(one)?;
        let checked = self.check_each(settings, |name, input| {
            directory.write(&name.to_string(), &mut Cursor::new(input.bytes())).map(drop)
        })?;
        for name in self.members.keys().filter(|name| !name.is_snapshot() && !name.is_part()) {
            let bytes = self.small(*name).map_err(one)?;
            directory.write(&name.to_string(), &mut Cursor::new(&bytes[..])).map_err(one)?;
        }
        directory.publish(&target).map_err(one)?;
        Ok((target, checked))
    }
}

const UNKNOWN: &str = "it holds a member that bundles do not have";

impl Holder {
    fn archive(input: Input) -> Result<Self> {
        let entries = archive::read(input.bytes()).map_err(|f| fault(f, None))?;
        Ok(Self { input, entries: Some(entries) })
    }
}

/// The parts of a bundle that lie beside the ones given.
fn beside(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let [path] = paths else { return Ok(paths.to_vec()) };
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let Some((stem, end)) = name.rsplit_once(".part") else { return Ok(paths.to_vec()) };
    let digits = end.find('.').map_or(end, |dot| &end[..dot]);
    let of = digits.split_once("of").and_then(|(_, of)| of.parse::<u32>().ok()).filter(|of| (1..=999).contains(of));
    let Some(of) = of else { return Ok(paths.to_vec()) };
    let end = &end[digits.len()..];
    let all: Vec<PathBuf> = (1..=of).map(|n| path.with_file_name(format!("{stem}.part{n}of{of}{end}"))).collect();
    match (1..).zip(&all).find(|(_, path)| !path.is_file()) {
        Some((number, _)) => Err(tampered(MISSING, Some(MemberName::part(number, of)))),
        None => Ok(all),
    }
}
