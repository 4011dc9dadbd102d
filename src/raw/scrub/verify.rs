//! Checks a written artifact from its bytes, in independent ways; anything that nobody vouches for is residue.
//!
//! (i) a lexer that knows no sections: every literal is a placeholder, vocabulary, or vouched for in some role;
//! (ii) a fresh reader: every text is vouched for in *every role it plays*, no rule objects, and structure,
//! counts and naming equal those of the input.

use std::sync::Arc;

use rayon::prelude::*;

use super::decide::{Decision, doubt, prepare};
use super::edits::Edits;
use super::find::{Keep, Look};
use super::labels::{self, Piece};
use super::needles::Needles;
use super::tags::{self, Bound, Kind as Tag};
use super::vouch::Reason;
use crate::heap::{Counts, StrId};
use crate::ledger::Ledger;
use crate::pipeline::Settings;
use crate::profile::Profile;
use crate::raw::ingest::role::Role;
use crate::raw::ingest::{self, Format, Literal, Side, Source};
use crate::raw::input::Input;
use crate::{Error, Ingested, Kind, Result, Stage};

/// What the output must equal; taken from the input before its columns are dropped.
#[derive(Clone, Copy, Debug)]
pub(in crate::raw) struct Expected {
    format: &'static str,
    counts: Counts,
    structure: u64,
    naming: u64,
}

impl Expected {
    pub(in crate::raw) fn of(format: &'static str, source: &dyn Source, edits: &Edits) -> Self {
        let (counts, structure) = (source.counts(), source.structure());
        Self { format, counts, structure, naming: source.naming(edits, Side::Input) }
    }
}

/// Checks the written file. Returns its counts, and the reader that read it: a report is made from what was verified.
pub(in crate::raw) fn verify<'w>(
    written: &'w Input,
    decision: &Decision<'_>,
    expected: Expected,
) -> Result<(Counts, Box<dyn Source + 'w>)> {
    // The two looks at the file are independent of each other.
    let (literals, graph) =
        rayon::join(|| check_literals(written, decision), || check_graph(written, decision, expected));
    literals.and(graph)
}

fn check_graph<'w>(
    written: &'w Input,
    decision: &Decision<'_>,
    expected: Expected,
) -> Result<(Counts, Box<dyn Source + 'w>)> {
    let (format, mut source) = ingest::open(written).map_err(|e| Error { stage: Stage::Verify, ..e })?;
    let changed = |what| Error::new(Stage::Verify, Kind::Changed { what });
    if format != expected.format {
        return Err(changed("format"));
    }
    let counts = source.counts();
    if (counts.nodes, counts.edges) != (expected.counts.nodes, expected.counts.edges) {
        return Err(changed("number of nodes or edges"));
    }
    if source.structure() != expected.structure {
        return Err(changed("structure"));
    }
    if source.naming(&decision.edits, Side::Written) != expected.naming {
        return Err(changed("texts, or what refers to them"));
    }
    doubt(&mut *source, &decision.voucher, &decision.scope);
    check_texts(&*source, decision)?;
    Ok((counts, source))
}

/// Looks at a sanitised snapshot that somebody sent, with the rules of this program and the user's values: every text is a
/// placeholder or vouched for (strict), and nothing is found.
pub(in crate::raw) fn recheck(
    ingested: Ingested<'_>,
    input: &Input,
    profile: Profile,
    settings: &Settings,
) -> Result<()> {
    let mut source = ingested.into_source();
    // What the reader leaves out could hold anything, and no writer of ours writes it.
    if source.dropped() > 0 {
        return Err(Error::new(Stage::Verify, Kind::Unsupported { what: "parts of a sanitised snapshot" }));
    }
    let mut bound = Bound::default();
    let (mut voucher, scope) = prepare(&*source, settings, &mut bound);
    // The key stays with the sender; what was made under it is known by its form. So is what stands in a file without a
    // table, which cannot say how many placeholders there are.
    bound.keyed = true;
    if !source.has_table() {
        bound.highest = u32::MAX;
    }
    voucher.bound = bound;
    voucher.needles = Arc::new(Needles::new(voucher.prints, &settings.values.cores));
    doubt(&mut *source, &voucher, &scope);
    let (edits, ledger) = (Edits::default(), Ledger::default());
    let decision = Decision { profile, edits, voucher, scope, ledger };
    check_literals(input, &decision)?;
    check_texts(&*source, &decision)
}

/// What the fresh reader sees must be vouched for (strict), and nothing may be found in it. In a heap that keeps nothing
/// but names, which rules are asked about one by one; in a log, words stay that could be one thing together.
fn check_texts(source: &dyn Source, decision: &Decision<'_>) -> Result<()> {
    let is_strict = decision.profile.is_strict();
    if is_strict {
        check_units(source, decision)?;
    }
    if is_strict && source.has_graph() { Ok(()) } else { check_findings(source, decision) }
}

fn is_vouched<'t>(decision: &Decision<'_>, role: Role, text: &'t [u8], pieces: &mut Vec<Piece<'t>>) -> bool {
    labels::pieces(role, text, &decision.scope, pieces);
    pieces.iter().all(|piece| match piece {
        Piece::Name(kind, name) => decision.voucher.judge(*kind, role, name).is_some_and(|why| {
            // Rules run again over everything that is kept for another reason than the vocabulary.
            why == Reason::Vocabulary || why == Reason::KeepRule || !decision.voucher.rules.objects(name)
        }),
        Piece::Fixed(_) | Piece::Id(_) => true,
    })
}

fn residue(count: u64, what: &'static str, at: Option<u64>) -> Result<()> {
    let error = Error::new(Stage::Verify, Kind::Residue { count, what });
    if count == 0 { Ok(()) } else { Err(Error { offset: at, ..error }) }
}

/// (ii) Rules, holders and everything that was found, once more over units, composites and decoded forms.
fn check_findings(source: &dyn Source, decision: &Decision<'_>) -> Result<()> {
    let Decision { voucher, scope, .. } = decision;
    let look = Look {
        scope,
        bound: voucher.bound,
        rules: Some(voucher.rules),
        needles: Some(&voucher.needles),
        keep: Keep::Nothing,
    };
    let found = look.at_all(source);
    residue(found.hits.len() as u64, found.hits.first().map_or("", |hit| hit.kind.word()), None)
}

/// (i) Words of the format stand in the program; everything else must be vouched for in some role.
fn check_literals(written: &Input, decision: &Decision<'_>) -> Result<()> {
    let (format, bytes) = (ingest::recognise(written.head())?, written.bytes());
    let parts = format.parts(bytes);
    let found = parts.par_iter().map(|(at, part)| check_part(format, part, *at, decision)).collect::<Result<Vec<_>>>();
    // What is no plain row of parts is looked at in one go, which also tells where it goes wrong.
    let found = found.or_else(|_| Ok::<_, Error>(vec![check_part(format, bytes, 0, decision)?]))?;
    let first = found.iter().find_map(|(_, first)| *first);
    residue(found.iter().map(|(count, _)| count).sum(), "as a literal", first)
}

/// How many literals of a part of a file nobody vouches for, and where the first one stands.
fn check_part(format: &dyn Format, part: &[u8], base: usize, decision: &Decision<'_>) -> Result<(u64, Option<u64>)> {
    let (mut count, mut first, mut holes) = (0, None, Vec::new());
    format.literals(part, &mut |literal: Literal<'_>| {
        let Literal { at, written: raw, text: decoded, is_word: word } = literal;
        let at = base as u64 + at;
        let (raw, decoded) = (raw.expose(), decoded.expose());
        let mut pieces = Vec::new();
        if !decision.profile.is_strict() {
            let needles = &decision.voucher.needles;
            let mut found = false;
            for form in [raw, decoded] {
                tags::holes(form, decision.voucher.bound, &mut holes);
                // A value may look like a placeholder that stands for something else by now.
                let is_hole = |start, end| holes.iter().any(|(from, to)| *from <= start && end <= *to);
                needles.find(form, false, |start, end, _| found |= !is_hole(start, end));
            }
            count += u64::from(found && !word);
            first = if found { first.or(Some(at)) } else { first };
        } else if !word
            && !Role::ALL
                .into_iter()
                .any(|role| format.has_role(role) && is_vouched(decision, role, decoded, &mut pieces))
        {
            count += 1;
            first = first.or(Some(at));
        }
    })?;
    Ok((count, first))
}

/// (ii) Every unit in every role that the fresh reader sees.
fn check_units(source: &dyn Source, decision: &Decision<'_>) -> Result<()> {
    let is_bad = |scratch: &mut Vec<u8>, id: u32| {
        let (id, mut pieces) = (StrId(id), Vec::new());
        let roles = source.roles(id);
        let text = source.text(id, scratch).expose();
        let role = if roles.is_empty() { Some(Role::Unused) } else { None };
        let mut wrong = roles.iter().chain(role).filter(|role| !is_vouched(decision, *role, text, &mut pieces));
        wrong.next()
    };
    let ids = (0..source.counts().strings as u32).into_par_iter().with_min_len(1024);
    // Collected in order, so that the message does not depend on threads.
    let bad: Vec<Role> = ids.map_init(Vec::new, is_bad).flatten_iter().collect();
    residue(bad.len() as u64, bad.first().map_or("", |role| Tag::of(*role).word()), None)
}
