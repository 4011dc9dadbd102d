//! The bundle: sanitised snapshots, the report on them and a manifest, in one file that can be attached to an issue.
//!
//! A bundle is made only from what was verified. It is re-opened as a receiver would open it, and every member is looked
//! at once more, before any of its files gets a name. The same inputs, settings and version give the same bytes.

pub(crate) mod manifest;
pub(crate) mod member;
mod parts;
pub(crate) mod terms;
pub(crate) mod texts;

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use self::manifest::{Extent, Manifest, Member, Weakened};
use self::member::MemberName;
use self::parts::{FileSlice, Plan};
use self::terms::Terms;
use crate::archive::{self, Method};
use crate::output::{Output, Packing, PartialDirectory, all_published};
use crate::pipeline::{Outcome, Settings, Step};
use crate::raw::receive::Received;
use crate::report::build::hex;
use crate::{Error, Kind, Report, Result, Stage};

/// What holds the members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Container {
    /// A zip: trackers accept it.
    #[default]
    Zip,
    /// A tar inside zstd.
    TarZst,
    /// A directory.
    Directory,
}

/// How snapshots are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pack {
    /// Each as `.zst`: small.
    #[default]
    Zst,
    /// By the zip itself: opens by double click.
    Deflate,
}

/// What a bundle shall be like.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// What holds the members.
    pub container: Container,
    /// How snapshots are packed.
    pub pack: Pack,
    /// Level of compression.
    pub level: i32,
    /// Threads for compression; the bytes do not depend on them.
    pub threads: u32,
    /// Bytes of one file; larger bundles are split.
    pub max_size: Option<u64>,
    /// Leave the snapshots out.
    pub no_snapshot: bool,
    /// Where it goes; `-` is standard output, nothing is a name of its own in the working directory.
    pub path: Option<PathBuf>,
    /// Replace files that exist.
    pub force: bool,
    /// For whom it is, what for, and until when.
    pub terms: Option<Terms>,
}

impl Choice {
    fn is_stream(&self) -> bool {
        self.path.as_deref() == Some(Path::new("-"))
    }

    fn directory(&self) -> PathBuf {
        let parent = self.path.as_deref().filter(|_| !self.is_stream()).and_then(Path::parent);
        parent.filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
    }

    /// Places for the sanitised snapshots until the bundle is put together; fails early if the bundle cannot go where it
    /// shall.
    ///
    /// # Errors
    /// When the name is taken, the directory cannot be written to, or the wishes contradict each other.
    pub fn outputs(&self, count: usize) -> Result<Vec<Output>> {
        let is_file = self.container != Container::Directory;
        if let Some(path) = self.path.as_deref().filter(|path| is_file && !self.force && **path != *Path::new("-"))
            && path.symlink_metadata().is_ok()
        {
            return Err(Error::new(Stage::Write, Kind::OutputExists));
        }
        if self.container == Container::Directory && self.path.as_deref().is_some_and(|p| p.symlink_metadata().is_ok())
        {
            return Err(Error::new(Stage::Write, Kind::DirectoryExists));
        }
        let packing = if self.pack == Pack::Zst { Packing::Zstd } else { Packing::Plain };
        let one = || {
            if self.no_snapshot {
                return Output::rehearsal();
            }
            // Standard output has no directory; what is sanitised may lie among the temporary files for a while.
            let directory = if self.is_stream() { std::env::temp_dir() } else { self.directory() };
            Ok(Output::member(&directory, packing)?.with_effort(self.level, self.threads))
        };
        (0..count).map(|_| one()).collect()
    }
}

/// A member and its bytes.
struct Content {
    name: MemberName,
    source: Bytes,
}

enum Bytes {
    Small(Vec<u8>),
    File(File, u64),
}

trait Source: Read + Seek {}
impl<T: Read + Seek> Source for T {}

impl Bytes {
    fn len(&self) -> u64 {
        match self {
            Self::Small(bytes) => bytes.len() as u64,
            Self::File(_, len) => *len,
        }
    }

    fn slice(&self, start: u64, len: u64) -> Result<Box<dyn Source + '_>> {
        match self {
            Self::Small(bytes) => Ok(Box::new(Cursor::new(bytes))),
            Self::File(file, _) => Ok(Box::new(FileSlice::new(file, start, len)?)),
        }
    }

    fn extent(&self, start: u64, len: u64) -> Result<Extent> {
        Extent::of(self.slice(start, len)?).map_err(|e| failed(&e))
    }
}

pub(crate) fn failed(error: &std::io::Error) -> Error {
    Error::io(Stage::Write, error)
}

/// A bundle that was re-opened and found clean. It has no name yet.
#[derive(Debug)]
pub struct Bundle {
    files: Vec<Output>,
    directory: Option<PartialDirectory>,
    paths: Vec<PathBuf>,
    digest: manifest::Digest,
}

/// Why there is no bundle.
#[derive(Clone, Debug)]
pub struct Unmade {
    /// What failed.
    pub error: Error,
    /// The file that it is about.
    pub path: Option<PathBuf>,
}

impl From<Error> for Unmade {
    fn from(error: Error) -> Self {
        Self { error, path: None }
    }
}

/// What was published.
#[derive(Debug)]
pub struct Published {
    /// The files of the bundle, or its directory.
    pub paths: Vec<PathBuf>,
    /// Bytes of all of them.
    pub bytes: u64,
    /// The digest of the manifest, whose first digits are part of the name.
    pub digest: manifest::Digest,
}

impl Bundle {
    /// Puts a bundle together from what was verified, re-opens it and looks at every member.
    ///
    /// # Errors
    /// When writing fails, a part would be smaller than its own description, or anything is found in any member.
    pub fn assemble(
        outcome: &Outcome<'_>,
        report: &Report,
        settings: &Settings,
        choice: &Choice,
    ) -> Result<Self, Unmade> {
        if let Some(terms) = &choice.terms {
            outcome.check_terms(terms)?;
        }
        settings.progress.tell(Step::Packing);
        let whole = Self::attempt(outcome, report, settings, choice, false)?;
        match choice.max_size {
            Some(max) if whole.size()? > max => Self::attempt(outcome, report, settings, choice, true),
            _ => Ok(whole),
        }
    }

    /// Bytes of the files so far.
    fn size(&self) -> Result<u64> {
        match &self.directory {
            Some(directory) => directory.size(),
            None => self.files.iter().map(Output::size).sum(),
        }
    }

    fn attempt(
        outcome: &Outcome<'_>,
        report: &Report,
        settings: &Settings,
        choice: &Choice,
        is_split: bool,
    ) -> Result<Self, Unmade> {
        let mut contents = Vec::new();
        let mut members = Vec::new();
        let mut small = |name: MemberName, text: String| -> Result<()> {
            let source = Bytes::Small(text.into_bytes());
            let extent = source.extent(0, source.len())?;
            members.push(Member { name, extent, plain: None, graph: None, pieces: Vec::new() });
            contents.push(Content { name, source });
            Ok(())
        };
        small(MemberName::README, texts::readme(report, choice, is_split))?;
        small(MemberName::HTML, report.to_html())?;
        small(MemberName::MARKDOWN, report.to_markdown())?;
        small(MemberName::REPORT, report.to_json())?;
        if !choice.no_snapshot {
            for (number, verified) in (1..).zip(&outcome.verified) {
                let (content, member) = snapshot(number, verified, choice)?;
                contents.push(content);
                members.push(member);
            }
        }
        let sizes: Vec<(MemberName, u64)> = contents.iter().map(|c| (c.name, c.source.len())).collect();
        let plan = if is_split { Plan::split(&sizes, choice)? } else { Plan::whole(&sizes) };
        if is_split {
            for (part, pieces) in (1..).zip(&plan.parts) {
                for piece in pieces.iter().filter(|piece| piece.name.is_snapshot()) {
                    let extent = contents[piece.content].source.extent(piece.start, piece.len)?;
                    members[piece.content].pieces.push((part, extent));
                }
            }
        }
        let ledger = outcome.verified.first().map(crate::Verified::ledger);
        let manifest = Manifest {
            version: Manifest::own_version(),
            profile: settings.profile,
            keyed: settings.key.is_some(),
            rules: (settings.rules.count(), settings.rules.sha256()),
            weakened: ledger.map_or(Weakened::default(), |l| Weakened {
                keep_rules: l.keep_rules,
                rules_off: l.rules_off,
                source_trees: l.source_trees,
            }),
            terms: choice.terms.clone(),
            parts: plan.parts.len() as u32,
            members,
        };
        let json = manifest.to_json();
        let manifest_digest: manifest::Digest = Sha256::digest(json.as_bytes()).into();
        let sums = manifest.sums(&manifest_digest);
        let about = [(MemberName::MANIFEST, json), (MemberName::SUMS, sums)];
        let bundle = Self::write(&contents, &plan, &about, choice, manifest_digest)?;
        settings.progress.tell(Step::Checking);
        let received = match &bundle.directory {
            Some(directory) => Received::directory(directory.path())?,
            None => Received::written(&bundle.files)?,
        };
        received.check_own(&outcome.guard, &manifest)?;
        Ok(bundle)
    }

    /// The digest of the manifest: what signatures are about.
    #[must_use]
    pub const fn digest(&self) -> manifest::Digest {
        self.digest
    }

    /// Where the files of the bundle will go.
    #[must_use]
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    fn write(
        contents: &[Content],
        plan: &Plan,
        about: &[(MemberName, String)],
        choice: &Choice,
        digest: manifest::Digest,
    ) -> Result<Self, Unmade> {
        let name = hex(&digest[..4]);
        let paths = paths(choice, &name, plan.parts.len());
        if choice.container == Container::Directory {
            let directory = PartialDirectory::new(&choice.directory())?;
            for (name, text) in about {
                directory.write(&name.to_string(), &mut text.as_bytes())?;
            }
            for content in contents {
                let mut source = content.source.slice(0, content.source.len())?;
                directory.write(&content.name.to_string(), &mut source)?;
            }
            return Ok(Self { files: Vec::new(), directory: Some(directory), paths, digest });
        }
        let mut files = Vec::new();
        for (number, (pieces, path)) in (1..).zip(plan.parts.iter().zip(&paths)) {
            let mut output = open(choice, path).map_err(|error| Unmade { error, path: Some(path.clone()) })?;
            let of = plan.parts.len() as u32;
            let tell = (of > 1).then(|| (MemberName::part(number, of), texts::part(number, of, &name)));
            output.fill(|out| {
                let mut container = match choice.container {
                    Container::Zip => {
                        let level = choice.level.clamp(1, 9).unsigned_abs();
                        archive::Container::Zip(archive::zip::Writer::new(out, level))
                    }
                    _ => archive::Container::Tar(archive::tar::Writer::new(out)),
                };
                let small = |container: &mut archive::Container<_>, name: &MemberName, text: &str| {
                    let source = &mut Cursor::new(text.as_bytes());
                    container.add(&name.to_string(), Method::Stored, source).map_err(|e| failed(&e))
                };
                if let Some((name, text)) = &tell {
                    small(&mut container, name, text)?;
                }
                let is_late = |name: MemberName| name.is_snapshot();
                let (late, early): (Vec<_>, Vec<_>) = pieces.iter().partition(|piece| is_late(piece.name));
                let add = |container: &mut archive::Container<_>, piece: &parts::Piece| {
                    let content = &contents[piece.content];
                    let mut source = content.source.slice(piece.start, piece.len)?;
                    let deflate = choice.pack == Pack::Deflate && content.name.is_snapshot();
                    let method = if deflate { Method::Deflated } else { Method::Stored };
                    container.add(&piece.name.to_string(), method, &mut source).map_err(|e| failed(&e))
                };
                for piece in early {
                    add(&mut container, piece)?;
                }
                if number == 1 {
                    for (name, text) in about {
                        small(&mut container, name, text)?;
                    }
                }
                for piece in late {
                    add(&mut container, piece)?;
                }
                container.finish().and_then(|out| out.flush()).map_err(|e| failed(&e))
            })?;
            files.push(output);
        }
        Ok(Self { files, directory: None, paths, digest })
    }

    /// Gives the files of the bundle their names, the first one last: without it the others say what is missing.
    ///
    /// # Errors
    /// When a name is taken meanwhile, or the stream fails. Nothing is left behind then.
    pub fn publish(self) -> Result<Published> {
        let Self { files, directory, paths, digest } = self;
        let mut bytes = 0;
        if let Some(directory) = directory {
            bytes = directory.publish(&paths[0])?;
        }
        // Parts get their names one right after the other, so that hardly anything can come between.
        files.iter().try_for_each(Output::settle)?;
        let mut done: Vec<&PathBuf> = Vec::new();
        let is_one = files.len() == 1;
        for (file, path) in files.into_iter().zip(&paths).rev() {
            match if is_one { file.publish() } else { file.publish_one_of_several() } {
                Ok(size) => bytes += size,
                Err(error) => {
                    for path in done {
                        // They are ours, and useless without the rest. The first error is the one that matters.
                        let _ = std::fs::remove_file(path);
                    }
                    return Err(error);
                }
            }
            done.push(path);
        }
        all_published(&paths);
        Ok(Published { paths, bytes, digest })
    }
}

fn open(choice: &Choice, path: &Path) -> Result<Output> {
    let packing = if choice.container == Container::TarZst { Packing::Zstd } else { Packing::Plain };
    if choice.is_stream() {
        return Ok(Output::stream(Box::new(std::io::stdout()))?
            .packed(packing)
            .with_effort(choice.level, choice.threads));
    }
    Ok(Output::file(path, choice.force)?.packed(packing).with_effort(choice.level, choice.threads))
}

/// A snapshot as a member, and its row of the manifest.
fn snapshot(number: u32, verified: &crate::Verified, choice: &Choice) -> Result<(Content, Member)> {
    let too_many = Error::new(Stage::Write, Kind::Limit { what: "snapshots in one bundle", limit: 999 });
    let is_packed = choice.pack == Pack::Zst;
    let name = MemberName::snapshot(number, verified.extension(), is_packed).ok_or(too_many)?;
    let (file, len) = verified.output().member_file()?;
    let source = Bytes::File(file, len);
    let extent = source.extent(0, len)?;
    let (_, after) = verified.counts();
    let plain = verified.plain_sha256().map(|sha256| Extent { bytes: after.bytes, sha256 });
    let graph = verified.has_graph().then_some((after.nodes, after.edges));
    let member = Member { name, extent, plain: plain.filter(|_| is_packed), graph, pieces: Vec::new() };
    Ok((Content { name, source }, member))
}

/// The names of the files.
fn paths(choice: &Choice, digest: &str, parts: usize) -> Vec<PathBuf> {
    let end = match choice.container {
        Container::Zip => ".zip",
        Container::TarZst => ".tar.zst",
        Container::Directory => "",
    };
    let whole = choice.path.clone().unwrap_or_else(|| PathBuf::from(format!("heapscrub-{digest}{end}")));
    if parts == 1 {
        return vec![whole];
    }
    let name = whole.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.strip_suffix(end).unwrap_or(&name);
    (1..=parts).map(|part| whole.with_file_name(format!("{stem}.part{part}of{parts}{end}"))).collect()
}
