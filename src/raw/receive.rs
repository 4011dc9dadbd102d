//! A bundle that somebody sent: a zip, a tar inside zstd, several parts, or a directory. Nothing in it is trusted, and no
//! name or text of it is repeated unless it is one of the closed list.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::input::Input;
use super::scrub::guard::{Guard, Medium};
use super::scrub::verify::recheck;
use crate::archive::{self, Entry, Fault};
use crate::bundle::manifest::{Digest, Extent, Manifest, Member, Weakened};
use crate::bundle::member::{MemberName, folders};
use crate::bundle::terms::Terms;
use crate::bundle::texts;
use crate::output::{Output, PartialDirectory};
use crate::pipeline::{Settings, with_threads};
use crate::profile::Profile;
use crate::report::build::hex;
use crate::{Counts, Error, Ingested, Kind, Result, Stage, limits};

mod declared;
mod kept;
mod listed;

pub use self::declared::Declared;
pub use self::kept::Readable;
pub use self::listed::{Search, Standing};

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

/// How a member lies in what was received.
#[derive(Clone, Copy)]
enum Form {
    Whole,
    Plain(Extent),
    Pieces,
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
    /// What keeps more than the profile does.
    pub weakened: Weakened,
    /// For whom it is, what for, and until when.
    pub terms: Option<Terms>,
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
                Kind::UnknownFormat | Kind::Empty => {
                    Error::new(Stage::Receive, Kind::WrongFormat { hint: NOT_A_BUNDLE })
                }
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
        if !path.join("manifest.json").is_file() && !path.join("SHA256SUMS").is_file() {
            return Err(Error::new(Stage::Receive, Kind::WrongFormat { hint: NOT_A_BUNDLE }));
        }
        let (mut holders, mut members) = (Vec::new(), BTreeMap::new());
        for entry in walkdir::WalkDir::new(path).max_depth(3).sort_by_file_name() {
            let entry = entry.map_err(|e| {
                let kind = e.io_error().map_or(std::io::ErrorKind::Other, std::io::Error::kind);
                Error::new(Stage::Receive, Kind::Io(kind))
            })?;
            let name = entry.path().strip_prefix(path).unwrap_or(entry.path()).to_str().unwrap_or("");
            if entry.file_type().is_dir() {
                if !name.is_empty() && folders().all(|folder| folder != name) {
                    return Err(tampered("the directory holds one that bundles do not have", None));
                }
                continue;
            }
            if entry.file_type().is_symlink() {
                return Err(Error::new(Stage::Receive, Kind::Hostile { what: "a symbolic link" }));
            }
            if !entry.file_type().is_file() {
                return Err(Error::new(Stage::Receive, Kind::Hostile { what: "a device or a pipe" }));
            }
            let name = MemberName::read(name.as_bytes()).ok_or(tampered(UNKNOWN, None))?;
            let input = Input::as_it_is(entry.path()).map_err(|e| match e.kind {
                Kind::Empty => tampered(CHANGED, Some(name)),
                _ => Error { stage: Stage::Receive, ..e },
            })?;
            members.insert(name, Place { holder: holders.len(), entry: 0 });
            holders.push(Holder { input, entries: None });
        }
        Self::with(holders, members)
    }

    fn new(holders: Vec<Holder>) -> Result<Self> {
        let mut members = BTreeMap::new();
        for (at, holder) in holders.iter().enumerate() {
            let mut before = None;
            for (entry, found) in holder.entries.iter().flatten().enumerate() {
                let name = holder.input.bytes().get(found.name.clone()).and_then(MemberName::read);
                let name = name.ok_or(tampered(UNKNOWN, None))?;
                if before.replace(name.order()).is_some_and(|before| before >= name.order()) {
                    return Err(tampered("stands in another place than heapscrub puts it", Some(name)));
                }
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
            weakened: Weakened::default(),
            terms: None,
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
        let (mut out, mut listed) = (Vec::new(), Vec::new());
        for member in &self.manifest.members {
            for form in self.forms_of(member) {
                match form {
                    Form::Whole => listed.push((member.name, member.extent)),
                    Form::Plain(plain) => listed.push((member.name.unpacked(), plain)),
                    // The manifest was read, so there are no more pieces than names.
                    Form::Pieces => listed.extend(
                        (1..)
                            .zip(&member.pieces)
                            .map(|(number, (_, extent))| (member.name.piece(number).unwrap_or(member.name), *extent)),
                    ),
                }
            }
            let pieces = member.pieces.iter().fold(0_u64, |sum, (_, extent)| sum.saturating_add(extent.bytes));
            if !member.pieces.is_empty() && pieces != member.extent.bytes {
                out.push(tampered("was changed: pieces do not add up", Some(MemberName::MANIFEST)));
            }
        }
        out.extend(listed.iter().filter_map(|(name, extent)| self.difference(*name, *extent)));
        let mut expected: BTreeSet<MemberName> = listed.into_iter().map(|(name, _)| name).collect();
        expected.extend([MemberName::MANIFEST, MemberName::SUMS]);
        for number in (1..=self.manifest.parts).filter(|_| self.manifest.parts > 1) {
            let name = MemberName::part(number, self.manifest.parts);
            expected.insert(name);
            let text = texts::part(number, self.manifest.parts, &hex(&self.digest[..4]));
            match self.small(name) {
                Ok(bytes) if *bytes == *text.as_bytes() => {}
                Ok(_) => out.push(tampered("is not of this bundle", Some(name))),
                // Whoever joins parts by hand has no more use for what tells about them.
                Err(_) if self.is_directory() => {}
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

    fn is_directory(&self) -> bool {
        self.holders.iter().all(|holder| holder.entries.is_none())
    }

    /// The forms in which a member lies there. In a directory, somebody may have joined pieces and unpacked snapshots; then
    /// every form that is there must be right. At least one must be there.
    fn forms_of(&self, member: &Member) -> Vec<Form> {
        let usual = if member.pieces.is_empty() { Form::Whole } else { Form::Pieces };
        if !self.is_directory() {
            return vec![usual];
        }
        let has = |name: Option<MemberName>| name.is_some_and(|name| self.members.contains_key(&name));
        let mut forms = Vec::new();
        if has(Some(member.name)) {
            forms.push(Form::Whole);
        }
        if let Some(plain) = member.plain.filter(|_| has(Some(member.name.unpacked()))) {
            forms.push(Form::Plain(plain));
        }
        if (1..).zip(&member.pieces).any(|(number, _)| has(member.name.piece(number))) {
            forms.push(Form::Pieces);
        }
        if forms.is_empty() {
            forms.push(usual);
        }
        forms
    }

    fn difference(&self, name: MemberName, expected: Extent) -> Option<Error> {
        match self.extent(name) {
            Ok(extent) if extent == expected => None,
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
            None => self.check_texts(guard, |count, _| {
                Error::new(Stage::Verify, Kind::Residue { count, what: "in a report or text of the bundle" })
            }),
        }
    }

    /// Rules and values over everything that is no snapshot.
    fn check_texts(&self, guard: &Guard<'_>, unclean: impl Fn(u64, MemberName) -> Error) -> Result<()> {
        for name in self.members.keys().filter(|name| !name.is_snapshot()) {
            let medium = match *name {
                MemberName::MANIFEST | MemberName::REPORT => Medium::Json,
                MemberName::HTML => Medium::Html,
                _ => Medium::Text,
            };
            match guard.count(&self.small(*name)?, medium) {
                Some(0) => {}
                Some(count) => return Err(unclean(count, *name)),
                None => return Err(tampered("was changed: heapscrub writes no such text", Some(*name))),
            }
        }
        Ok(())
    }

    /// The report must say the same as the manifest about what was done.
    fn check_report(&self) -> Result<()> {
        let bytes = self.small(MemberName::REPORT)?;
        let report: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let (redaction, manifest) = (&report["redaction"], &self.manifest);
        let inputs = report["inputs"].as_array().map_or(0, Vec::len);
        let snapshots = manifest.members.iter().filter(|member| member.name.is_snapshot()).count();
        let agrees = redaction["profile"] == manifest.profile.name()
            && redaction["keyed"] == manifest.keyed
            && redaction["rules"]["sha256"] == hex(&manifest.rules.1)
            && redaction["weakened_by"]
                .as_array()
                .is_some_and(|list| list.is_empty() == manifest.weakened.is_nothing())
            && (snapshots == 0 || snapshots == inputs);
        if agrees { Ok(()) } else { Err(tampered("does not agree with manifest.json", Some(MemberName::REPORT))) }
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
        let unclean = |count, member| Error::new(Stage::Receive, Kind::Unclean { count, member });
        self.check_texts(&guard, unclean).map_err(one)?;
        self.check_report().map_err(one)?;
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
            terms: self.manifest.terms.clone(),
        })
    }

    fn check_snapshot(&self, input: &Input, member: &Member, settings: &Settings) -> Result<Counts> {
        let bad = |error: Error| Error { stage: Stage::Receive, ..error };
        let ingested = Ingested::read(input).map_err(bad)?;
        let counts = ingested.counts();
        if member.name.extension() != Some(ingested.extension()) {
            return Err(tampered("is no file of the kind that its name says", Some(member.name)));
        }
        if member.graph != ingested.has_graph().then_some((counts.nodes, counts.edges)) {
            return Err(tampered("was changed: its counts are not those of its snapshots", Some(MemberName::MANIFEST)));
        }
        // Names that a source tree or a keep rule vouched for are not known here; rules must find nothing in them.
        let profile = if self.manifest.weakened.is_nothing() { self.manifest.profile } else { Profile::Balanced };
        recheck(ingested, input, profile, settings).map_err(|error| match error.kind {
            Kind::Residue { count, .. } => Error::new(Stage::Receive, Kind::Unclean { count, member: member.name }),
            Kind::Unsupported { .. } => tampered("holds parts that heapscrub never writes", Some(member.name)),
            _ => Error { stage: Stage::Receive, ..error },
        })?;
        Ok(counts)
    }

    /// A snapshot of the bundle, unpacked.
    fn unpacked(&self, member: &Member) -> Result<Input> {
        let name = member.name;
        let bad = tampered("cannot be unpacked", Some(name));
        let expected = member.plain.unwrap_or(member.extent);
        let is_bomb = expected.bytes > limits::RATIO_FREE_BYTES
            && expected.bytes > member.extent.bytes.saturating_mul(limits::RATIO);
        if is_bomb {
            let what = "a member that unpacks to far more than it is";
            return Err(Error::new(Stage::Receive, Kind::Hostile { what }));
        }
        // Every form that is there was compared with the manifest.
        let input = match self.forms_of(member)[0] {
            Form::Whole => Input::member(self.stream(name)?, member.extent.bytes, name.is_packed()),
            Form::Plain(plain) => Input::member(self.stream(name.unpacked())?, plain.bytes, false),
            Form::Pieces => {
                let mut all: Box<dyn Read + '_> = Box::new(std::io::empty());
                for (number, _) in (1..).zip(&member.pieces) {
                    all = Box::new(all.chain(self.stream(name.piece(number).ok_or(bad)?)?));
                }
                Input::member(all, member.extent.bytes, name.is_packed())
            }
        };
        let input = input.map_err(|_| bad)?;
        let found = Extent { bytes: input.bytes().len() as u64, sha256: Sha256::digest(input.bytes()).into() };
        let other = tampered("unpacks to other bytes than the manifest lists", Some(name));
        if found == expected { Ok(input) } else { Err(other) }
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
            return Err(one(Error::new(Stage::Write, Kind::DirectoryExists)));
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
    std::fs::metadata(path).map_err(|e| Error::io(Stage::Receive, &e))?;
    match (1..).zip(&all).find(|(_, path)| !path.is_file()) {
        Some((number, _)) => Err(Error::new(Stage::Receive, Kind::PartMissing { number, of })),
        None => Ok(all),
    }
}
