//! The strict profile: values are replaced, labels are kept only if every name in them is vouched for.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::edits::{Edits, Outcome};
use super::labels::{self, Piece};
use super::names::{SourceNames, words};
use super::paths::Roots;
use super::tags::{self, Kind, Tags};
use super::vouch::{Reason, Voucher};
use crate::heap::StrId;
use crate::ledger::Ledger;
use crate::raw::detect::Rules;
use crate::raw::ingest::Source;
use crate::raw::ingest::role::Role;

/// The decisions, and what is needed to check them again.
#[derive(Debug)]
pub(in crate::raw) struct Decision<'r> {
    pub(in crate::raw) edits: Edits,
    pub(in crate::raw) voucher: Voucher<'r>,
    pub(in crate::raw) roots: Roots,
    pub(in crate::raw) ledger: Ledger,
}

/// Decides every text of a snapshot in every role.
pub(in crate::raw) fn decide<'r>(source: &mut dyn Source, rules: &'r Rules, names: &'r SourceNames) -> Decision<'r> {
    let prints = &names.prints;
    let count = source.counts().strings as u32;
    let bound = count.saturating_mul(4).saturating_add(1000);
    let (mut scratch, mut program, mut roots, mut used) = (Vec::new(), FxHashSet::default(), Roots::default(), 0);
    for id in (0..count).map(StrId) {
        let text = source.text(id, &mut scratch).expose();
        if source.is_program_name(id) {
            program.insert(prints.of(text));
        }
        if source.roles(id).contains(Role::Script) {
            roots.add(text);
        }
        used = used.max(highest_tag(text, bound));
    }
    for id in source.program_sources() {
        words(source.text(*id, &mut scratch).expose(), |word| {
            program.insert(prints.of(word));
        });
    }
    let tags = Tags::new(prints.clone(), used);
    let voucher = Voucher { prints, rules, program, tree: &names.words, bound };
    demote(source, &voucher, &roots);
    let mut work = Work { voucher, roots, tags, edits: Edits::default(), ledger: Ledger::default() };
    work.edits.entries.reserve_exact(count as usize);
    for id in (0..count).map(StrId) {
        let text = source.text(id, &mut scratch).expose();
        work.unit(id, text, &*source);
    }
    work.ledger.rules = rules.count();
    work.ledger.rules_digest = rules.digest();
    work.ledger.dropped = source.dropped();
    work.ledger.weakened = rules.weakened(names.trees);
    work.voucher.bound = bound.max(work.tags.highest());
    Decision { edits: work.edits, voucher: work.voucher, roots: work.roots, ledger: work.ledger }
}

/// Makes data of all keys of objects that have a key nobody vouches for; a placeholder of an earlier run is one.
pub(super) fn demote(source: &mut dyn Source, voucher: &Voucher<'_>, roots: &Roots) {
    let count = source.counts().strings as u32;
    let mut scratch = Vec::new();
    let mut vouched = vec![true; count as usize];
    for id in (0..count).map(StrId).filter(|id| source.roles(*id).contains(Role::OwnKey)) {
        let text = source.text(id, &mut scratch).expose();
        let mut pieces = Vec::new();
        labels::pieces(Role::OwnKey, text, roots, &mut pieces);
        vouched[id.ix()] = pieces.iter().all(|piece| match piece {
            Piece::Name(Kind::Key, name) => {
                tags::parse(name, voucher.bound).is_none() && voucher.judge(Kind::Key, Role::OwnKey, name).is_some()
            }
            _ => true,
        });
    }
    source.demote(&|id| vouched[id.ix()]);
}

/// The highest number of a placeholder that stands anywhere in a text.
fn highest_tag(text: &[u8], bound: u32) -> u32 {
    let ends = memchr::memchr_iter(b']', text).take(8);
    let open = |end: usize| memchr::memrchr(b'[', &text[..end]);
    ends.filter_map(|end| tags::parse(&text[open(end)?..=end], bound)).map(|(_, n)| n).max().unwrap_or(0)
}

struct Work<'r> {
    voucher: Voucher<'r>,
    roots: Roots,
    tags: Tags,
    edits: Edits,
    ledger: Ledger,
}

impl Work<'_> {
    /// Decides one entry: the first role takes its place, roles that differ get twins.
    fn unit(&mut self, id: StrId, text: &[u8], source: &dyn Source) {
        let mut pieces = Vec::new();
        let roles = source.roles(id);
        if roles.is_empty() {
            let outcome = self.outcome(Role::Unused, text, &mut pieces);
            self.edits.entries.push(outcome);
            return;
        }
        let mut made: Vec<(Outcome, StrId)> = Vec::new();
        for role in roles.iter() {
            let outcome = self.outcome(role, text, &mut pieces);
            let same = made.iter().find(|(o, _)| self.is_same(*o, outcome)).map(|(_, at)| *at);
            let at = match same {
                Some(at) => at,
                None if made.is_empty() => {
                    self.edits.entries.push(outcome);
                    id
                }
                None => {
                    self.edits.twins.push((id, outcome));
                    StrId(source.counts().strings as u32 + self.edits.twins.len() as u32 - 1)
                }
            };
            if same.is_none() {
                made.push((outcome, at));
            }
            if at != id {
                self.edits.twin_of.insert((id, role), at);
            }
        }
    }

    fn is_same(&self, a: Outcome, b: Outcome) -> bool {
        match (a, b) {
            (Outcome::Mixed(a), Outcome::Mixed(b)) => self.edits.mixed[a as usize] == self.edits.mixed[b as usize],
            _ => a == b,
        }
    }

    fn outcome<'t>(&mut self, role: Role, text: &'t [u8], pieces: &mut Vec<Piece<'t>>) -> Outcome {
        labels::pieces(role, text, &self.roots, pieces);
        let mut reason = None;
        let mut all = true;
        for piece in pieces.iter() {
            if let Piece::Name(kind, name) = piece {
                match self.voucher.judge(*kind, role, name) {
                    Some(why) => reason = reason.max(Some(why)),
                    None => all = false,
                }
            }
        }
        if all {
            self.ledger.kept(role, reason.unwrap_or(Reason::Vocabulary));
            return Outcome::Keep;
        }
        self.ledger.replaced(role);
        if let [Piece::Name(kind, name)] = pieces[..] {
            return Outcome::Tag(kind, self.tags.number(name));
        }
        let mut out = String::new();
        for piece in pieces.iter() {
            match *piece {
                Piece::Fixed(word) => out.push_str(word),
                Piece::Id(n) => {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "{n}");
                }
                Piece::Name(kind, name) => self.name(role, kind, name, &mut out),
            }
        }
        self.edits.mixed.push(out);
        Outcome::Mixed(self.edits.mixed.len() as u32 - 1)
    }

    fn name(&mut self, role: Role, kind: Kind, name: &[u8], out: &mut String) {
        match (self.voucher.judge(kind, role, name), std::str::from_utf8(name)) {
            (Some(_), Ok(name)) => out.push_str(name),
            _ => tags::push(out, kind, self.tags.number(name)),
        }
    }
}
