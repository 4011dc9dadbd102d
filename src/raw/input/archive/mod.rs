//! Archives of others (zip, tar, packed or not) as streams: what lies in them is looked at, or read into memory, and never
//! written to a disk.
//!
//! The readers take what common programs write, within bounds on nesting, members and bytes; the strict ones for our own
//! bundles are elsewhere (`crate::archive`). A member is known by its number in each archive; its name is a word for people
//! and for patterns, and nothing is ever opened by it.

mod source;
mod tar;
mod zip;

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use zeroize::Zeroizing;

use self::source::{Pulled, Source};
use super::{Bytes, HEAD_BYTES, Input};
use crate::raw::ingest;
use crate::raw::scrub::wall::RawStr;
use crate::{Error, Kind, Result, Stage, limits};

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its number in the archive, from 0.
    pub(crate) number: u32,
    /// Its name, for people and patterns.
    pub(crate) name: String,
}

/// What was seen of a file, or of a member of one.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The members that lead to it; none for the file itself.
    pub(crate) members: Vec<Member>,
    /// What it is, or why that cannot be said.
    pub(crate) probe: Result<Probe>,
}

/// What the beginning of an input tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// The format.
    pub(crate) format: &'static str,
    /// Bytes when unpacked: known, claimed, or guessed from those of the packed form.
    pub(crate) plain_bytes: u64,
    /// Must it be unpacked into memory?
    pub(crate) is_unpacked: bool,
    /// Objects and references, as the header claims.
    pub(crate) claimed: Option<(u64, u64)>,
}

/// Looks at a file and at everything in it. Faults of a member, or of the archive itself, are told like anything else.
pub(crate) fn look(path: &Path, each: &mut dyn FnMut(Seen)) {
    let failed = |probe: Error| Seen { members: Vec::new(), probe: Err(probe) };
    let mut visit = Visit {
        wanted: None,
        members: Vec::new(),
        packed: None,
        found: &mut |members, leaf| {
            let probe = leaf.and_then(probe);
            each(Seen { members: members.to_vec(), probe });
            Ok(())
        },
    };
    // What fails has not been told by then.
    if let Err(error) = look_into(path, &mut visit) {
        each(failed(error));
    }
}

fn look_into(path: &Path, visit: &mut Visit<'_, '_>) -> Result<()> {
    let failed = |e: &std::io::Error| Error::io(Stage::Input, e);
    let mut file = File::open(path).map_err(|e| failed(&e))?;
    let bytes = file.metadata().map_err(|e| failed(&e))?.len();
    let mut head = Zeroizing::new(vec![0; HEAD_BYTES as usize]);
    let got = fill(&mut file, &mut head).map_err(|e| failed(&e))?;
    if zip::is_zip(&head[..got]) || tar::is_tar(&head[..got]) {
        let input = Input::as_it_is(path)?;
        return visit.any(Source::Slice(input.bytes()), 0);
    }
    // Most files are no archives. They are not mapped, since one that is truncated meanwhile would end the program.
    file.rewind().map_err(|e| failed(&e))?;
    visit.any(Source::Stream(Box::new(BufReader::new(file)), Some(bytes)), 0)
}

/// Reads a member of an archive into memory.
pub(super) fn member(path: &Path, numbers: &[u32]) -> Result<Input> {
    let archive = Input::as_it_is(path)?;
    let mut out = None;
    let mut visit = Visit {
        wanted: Some(numbers),
        members: Vec::new(),
        packed: None,
        found: &mut |_, leaf| {
            out = Some(leaf?.read_all()?);
            Ok(())
        },
    };
    visit.any(Source::Slice(archive.bytes()), 0)?;
    archive.check_unchanged()?;
    match out {
        Some(bytes) if bytes.is_empty() => Err(Error::new(Stage::Input, Kind::Empty)),
        Some(bytes) => Ok(Input { bytes: Bytes::Owned(bytes), file: archive.file }),
        // It was there when it was looked for.
        None => Err(Error::new(Stage::Input, Kind::InputChanged)),
    }
}

/// Something that is no archive, at its first byte.
struct Leaf<'l, 's> {
    head: Zeroizing<Vec<u8>>,
    rest: &'l mut Source<'s>,
    /// Bytes of the packed form, if it is packed.
    packed: Option<u64>,
    /// Bytes of the plain form, if they are known.
    plain: Option<u64>,
    /// Does it lie in memory when it is read?
    is_unpacked: bool,
}

impl Leaf<'_, '_> {
    fn read_all(self) -> Result<Zeroizing<Vec<u8>>> {
        let mut out = self.head;
        self.rest.append_all(&mut out)?;
        Ok(out)
    }
}

/// A packed form tells nothing of its size; snapshots pack about so well.
const COMMON_RATIO: u64 = 8;

fn probe(leaf: Leaf<'_, '_>) -> Result<Probe> {
    if leaf.head.is_empty() {
        return Err(Error::new(Stage::Input, Kind::Empty));
    }
    let format = ingest::recognise(RawStr::new(&leaf.head))?;
    let guessed = leaf.packed.map_or(leaf.head.len() as u64, |bytes| bytes.saturating_mul(COMMON_RATIO));
    Ok(Probe {
        format: format.name(),
        plain_bytes: leaf.plain.unwrap_or(guessed).max(leaf.head.len() as u64),
        is_unpacked: leaf.is_unpacked,
        claimed: ingest::v8::claimed(&leaf.head),
    })
}

/// What is told of each leaf, with the members that lead to it.
type Found<'f> = dyn FnMut(&[Member], Result<Leaf<'_, '_>>) -> Result<()> + 'f;

/// A way through archives in archives.
struct Visit<'v, 'f> {
    /// The one leaf that is wanted; all of them if there is none.
    wanted: Option<&'v [u32]>,
    members: Vec<Member>,
    /// Bytes of the packed form that is being read.
    packed: Option<u64>,
    found: &'v mut Found<'f>,
}

impl Visit<'_, '_> {
    /// Is this the way to what is wanted?
    fn is_wanted(&self, number: u32) -> bool {
        self.wanted.is_none_or(|wanted| wanted.get(self.members.len()) == Some(&number))
    }

    /// Anything: packed, an archive, or a leaf.
    fn any(&mut self, mut source: Source<'_>, packings: u32) -> Result<()> {
        let Pulled { head, plain } = source.pull(HEAD_BYTES)?;
        if super::compressed::is_packed(&head) {
            return self.packed(source, head, packings);
        }
        let is_zip = zip::is_zip(&head);
        let is_archive = is_zip || tar::is_tar(&head);
        // Only what can be wanted is opened.
        if is_archive && self.members.len() as u32 >= limits::ARCHIVES_NESTED {
            let kind = Kind::Limit { what: "archives in archives", limit: u64::from(limits::ARCHIVES_NESTED) };
            return Err(Error::new(Stage::Input, kind));
        }
        if is_zip {
            return match source {
                Source::Slice(whole) => zip::members(whole, self),
                mut source => {
                    let mut whole = head;
                    source.append_at_most(&mut whole, limits::NESTED_ZIP_BYTES)?;
                    zip::members(&whole, self)
                }
            };
        }
        if is_archive {
            return tar::members(head, source, self);
        }
        let is_unpacked = packings > 0 || !self.members.is_empty();
        let leaf = Leaf { head, rest: &mut source, packed: self.packed, plain, is_unpacked };
        let members = std::mem::take(&mut self.members);
        let told = (self.found)(&members, Ok(leaf));
        self.members = members;
        told
    }

    /// What is inside of a packed form.
    fn packed(&mut self, source: Source<'_>, head: Zeroizing<Vec<u8>>, packings: u32) -> Result<()> {
        if packings == limits::NESTING {
            let kind = Kind::Limit { what: "levels of compression", limit: u64::from(limits::NESTING) };
            return Err(Error::new(Stage::Input, kind));
        }
        let before = self.packed;
        self.packed = match &source {
            Source::Slice(rest) => Some(rest.len() as u64),
            Source::Stream(_, left) => left.map(|left| left + head.len() as u64),
            Source::Broken(_) => None,
        };
        let done = source.unpacked(head).and_then(|plain| self.any(plain, packings + 1));
        self.packed = before;
        done
    }

    /// A member, if it is wanted; a fault in it is no fault of the archive.
    fn member(&mut self, number: u32, name: &[u8], source: Source<'_>) -> Result<()> {
        self.members.push(Member { number, name: String::from_utf8_lossy(name).into_owned() });
        let done = self.any(source, 0);
        let done = if self.wanted.is_some() { done } else { done.or_else(|error| self.fault(error)) };
        self.members.pop();
        done
    }

    /// A member that cannot be read.
    fn broken(&mut self, number: u32, name: &[u8], error: Error) -> Result<()> {
        self.member(number, name, Source::Broken(error))
    }

    fn fault(&mut self, error: Error) -> Result<()> {
        let members = std::mem::take(&mut self.members);
        let told = (self.found)(&members, Err(error));
        self.members = members;
        told
    }
}

fn too_many() -> Error {
    let kind = Kind::Limit { what: "members of an archive", limit: u64::from(limits::ARCHIVE_MEMBERS) };
    Error::new(Stage::Input, kind)
}

/// Reads to the end of what a reader has, or of the buffer.
fn fill(reader: &mut dyn Read, into: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < into.len() {
        match reader.read(&mut into[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(got)
}
