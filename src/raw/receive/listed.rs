//! Which of the user's values stand in a received bundle: in any member, in any encoding. What comes out are numbers of
//! lines and counts, never a value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{Received, tampered};
use crate::bundle::manifest::Member;
use crate::bundle::member::MemberName;
use crate::bundle::texts;
use crate::pipeline::with_threads;
use crate::raw::ingest::context::Joined;
use crate::raw::ingest::v8::decode;
use crate::raw::ingest::{self, Literal};
use crate::raw::input::Input;
use crate::raw::scrub::lexer;
use crate::raw::scrub::listed::Listed;
use crate::raw::scrub::values::Values;
use crate::{Error, Result, Stage};

/// What came of looking for values.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Values that were looked for.
    pub looked_for: u64,
    /// Places of values that were not: too short, or names that every runtime has.
    pub skipped: Vec<(u32, u64)>,
    /// Values that stand somewhere, in the order of their places.
    pub found: Vec<Standing>,
}

/// A value that stands in a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    /// The number of its file, from 0.
    pub file: u32,
    /// Its line there, from 1.
    pub line: u64,
    /// The member.
    pub member: MemberName,
    /// Texts of the member that it stands in; of texts for people, lines.
    pub texts: u64,
}

/// How many texts each value stands in.
type Counts = BTreeMap<u32, u64>;

fn add(mut a: Counts, b: Counts) -> Counts {
    for (value, count) in b {
        *a.entry(value).or_default() += count;
    }
    a
}

impl Received {
    /// Looks for values in every member. The bundle should have been checked before.
    ///
    /// # Errors
    /// When a member cannot be unpacked or read.
    pub fn search(&self, values: &Values, jobs: usize) -> Result<Search> {
        with_threads(jobs, || self.search_here(values))?
    }

    fn search_here(&self, values: &Values) -> Result<Search> {
        let listed = Listed::new(values);
        let mut all: BTreeMap<(u32, u64, MemberName), u64> = BTreeMap::new();
        let own = OnceLock::new();
        for name in self.members.keys().filter(|name| !name.is_snapshot()) {
            let mut counts = in_text(&self.small(*name)?, &listed);
            if !counts.is_empty() {
                // Words of the program itself say nothing about what was shared.
                let own: &Counts = own.get_or_init(|| own_words(&listed));
                counts.retain(|value, _| !own.contains_key(value));
            }
            tell(counts, *name, values, &mut all);
        }
        for member in self.manifest.members.iter().filter(|member| member.name.is_snapshot()) {
            tell(self.in_snapshot(member, &listed)?, member.name, values, &mut all);
        }
        let place = |value: &u32| values.places.get(*value as usize).copied().unwrap_or_default();
        let found = all.into_iter().map(|((file, line, member), texts)| Standing { file, line, member, texts });
        Ok(Search {
            looked_for: (values.count() - listed.skipped.len()) as u64,
            skipped: listed.skipped.iter().map(place).collect(),
            found: found.collect(),
        })
    }

    fn in_snapshot(&self, member: &Member, listed: &Listed) -> Result<Counts> {
        let input = self.unpacked(member)?;
        let literals = in_literals(&input, listed);
        Ok(add(literals.map_err(|_| tampered("cannot be read", Some(member.name)))?, in_composites(&input, listed)?))
    }
}

fn tell(counts: Counts, member: MemberName, values: &Values, all: &mut BTreeMap<(u32, u64, MemberName), u64>) {
    for (value, count) in counts {
        let (file, line) = values.places.get(value as usize).copied().unwrap_or_default();
        *all.entry((file, line, member)).or_default() += count;
    }
}

/// Adds what stands in one text, each value once.
fn count(listed: &Listed, text: &[u8], scratch: &mut BTreeSet<u32>, counts: &mut Counts) {
    scratch.clear();
    listed.in_text(text, scratch);
    for value in scratch.iter() {
        *counts.entry(*value).or_default() += 1;
    }
}

/// Texts for people and JSON alike: every line as it stands, every literal as it reads, and all of it together, for what
/// goes over several lines.
fn in_text(bytes: &[u8], listed: &Listed) -> Counts {
    let (mut counts, mut scratch) = (Counts::new(), BTreeSet::new());
    for line in bytes.split(|b| *b == b'\n') {
        count(listed, line, &mut scratch, &mut counts);
    }
    let mut more = |text: &[u8]| {
        scratch.clear();
        listed.in_text(text, &mut scratch);
        for value in &scratch {
            counts.entry(*value).or_insert(1);
        }
    };
    more(bytes);
    let mut decoded = Vec::new();
    lexer::quoted(bytes, |raw| {
        decode(raw, &mut decoded);
        more(&decoded);
    });
    counts
}

fn own_words(listed: &Listed) -> Counts {
    texts::own().iter().map(|text| in_text(text.as_bytes(), listed)).fold(Counts::new(), add)
}

/// Every text of a snapshot, found without the reader: as it is written, and as it reads.
fn in_literals(input: &Input, listed: &Listed) -> Result<Counts> {
    let (format, bytes) = (ingest::recognise(input.head())?, input.bytes());
    let one = |part: &[u8]| {
        let (mut counts, mut scratch) = (Counts::new(), BTreeSet::new());
        format.literals(part, &mut |literal: Literal<'_>| {
            // Words of the format stand in the program.
            if literal.is_word {
                return;
            }
            let (written, text) = (literal.written.expose(), literal.text.expose());
            scratch.clear();
            listed.in_text(text, &mut scratch);
            if written != text {
                listed.in_text(written, &mut scratch);
            }
            for value in &scratch {
                *counts.entry(*value).or_default() += 1;
            }
        })?;
        Ok::<_, Error>(counts)
    };
    let parts = format.parts(bytes);
    let found = parts.par_iter().map(|(_, part)| one(part)).collect::<Result<Vec<Counts>>>();
    match found {
        Ok(found) => Ok(found.into_iter().fold(Counts::new(), add)),
        // What is no plain row of parts is looked at in one go.
        Err(_) => one(bytes),
    }
}

/// Texts that the heap puts together from pieces: only what no piece holds alone.
fn in_composites(input: &Input, listed: &Listed) -> Result<Counts> {
    let (_, source) = ingest::open(input).map_err(|e| Error { stage: Stage::Receive, ..e })?;
    let found = source.composites().into_par_iter().map_init(
        || (Vec::new(), Vec::new()),
        |(parts, raw), (composite, _)| {
            let (mut counts, mut scratch) = (Counts::new(), BTreeSet::new());
            if source.parts(composite, parts) == Joined::TooLong {
                return counts;
            }
            for run in parts.split(Option::is_none) {
                let (mut joined, mut alone) = (Zeroizing::new(Vec::new()), BTreeSet::new());
                for id in run.iter().flatten() {
                    let text = source.text(*id, raw).expose();
                    joined.extend_from_slice(text);
                    listed.in_text(text, &mut alone);
                }
                scratch.clear();
                listed.in_text(&joined, &mut scratch);
                for value in scratch.difference(&alone) {
                    *counts.entry(*value).or_default() += 1;
                }
            }
            counts
        },
    );
    Ok(found.reduce(Counts::new, add))
}
