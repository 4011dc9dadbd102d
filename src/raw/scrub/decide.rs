//! The strict profile: values are replaced, labels are kept only if every name in them is vouched for.

use std::collections::BTreeSet;
use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::edits::{Edits, Outcome};
use super::labels::{self, Piece, Scope};
use super::names::{SourceNames, code_words};
use super::paths::Roots;
use super::tags::{self, Kind, Tags};
use super::vouch::{Reason, Voucher};
use crate::heap::StrId;
use crate::ledger::Ledger;
use crate::raw::detect::Rules;
use crate::raw::ingest::role::Role;
use crate::raw::ingest::{Evidence, Namer, Source};

/// The decisions, and what is needed to check them again.
#[derive(Debug)]
pub(in crate::raw) struct Decision<'r> {
    pub(in crate::raw) edits: Edits,
    pub(in crate::raw) voucher: Voucher<'r>,
    pub(in crate::raw) scope: Scope,
    pub(in crate::raw) ledger: Ledger,
}

/// Decides every text of a snapshot in every role.
pub(in crate::raw) fn decide<'r>(source: &mut dyn Source, rules: &'r Rules, names: &'r SourceNames) -> Decision<'r> {
    let prints = &names.prints;
    let count = source.counts().strings as u32;
    let mut scratch = Vec::new();
    let (mut program, mut runtime, mut holders) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    let (mut roots, mut used) = (Roots::default(), UsedTags::default());
    for id in (0..count).map(StrId) {
        let text = source.text(id, &mut scratch).expose();
        match source.named_by(id) {
            Some(Namer::Program) => program.insert(prints.of(text)),
            Some(Namer::Runtime) => runtime.insert(prints.of(text)),
            None => false,
        };
        let roles = source.roles(id);
        if roles.contains(Role::Script) {
            roots.add(text);
        }
        if HOLDERS.iter().any(|role| roles.contains(*role)) {
            holders.insert(prints.of(text));
        }
        if let Some((namer, _, lines)) = labels::evidence_lines(text).filter(|_| roles.is_empty()) {
            let set = if namer == Namer::Program { &mut program } else { &mut runtime };
            set.extend(lines.map(|line| prints.of(line)));
        }
        used.add(text);
    }
    for (id, namer) in source.source_texts() {
        let set = if *namer == Namer::Program { &mut program } else { &mut runtime };
        code_words(source.text(*id, &mut scratch).expose(), |word| {
            set.insert(prints.of(word));
        });
    }
    let tags = Tags::new(prints.clone(), used.highest());
    let voucher = Voucher { prints, rules, program, runtime, holders, tree: &names.words, bound: used.highest() };
    let scope = Scope { roots, highest_id: source.highest_id() };
    doubt(source, &voucher, &scope);
    let mut work =
        Work { voucher, scope, tags, edits: Edits::default(), ledger: Ledger::default(), names: Default::default() };
    work.edits.entries.reserve_exact(count as usize);
    for id in (0..count).map(StrId) {
        let text = source.text(id, &mut scratch).expose();
        work.unit(id, text, &*source);
    }
    work.write_evidence(source);
    work.ledger.rules = rules.count();
    work.ledger.rules_digest = rules.digest();
    work.ledger.dropped = source.dropped();
    work.ledger.weakened = rules.weakened(names.trees);
    work.voucher.bound = work.tags.highest();
    Decision { edits: work.edits, voucher: work.voucher, scope: work.scope, ledger: work.ledger }
}

/// Puts keys in doubt that stand beside keys nobody vouches for; a placeholder of an earlier run is such a key.
pub(super) fn doubt(source: &mut dyn Source, voucher: &Voucher<'_>, scope: &Scope) {
    const ROLES: [Role; 2] = [Role::OwnKey, Role::Key];
    let count = source.counts().strings as u32;
    let mut scratch = Vec::new();
    let mut evidence = vec![[Evidence::Strong; 2]; count as usize];
    for id in (0..count).map(StrId) {
        let roles = source.roles(id);
        for (at, role) in ROLES.into_iter().enumerate().filter(|(_, role)| roles.contains(*role)) {
            let text = source.text(id, &mut scratch).expose();
            let mut pieces = Vec::new();
            labels::pieces(role, text, scope, &mut pieces);
            // Symbols are no keys of dictionaries.
            let name =
                pieces.iter().find_map(|p| if let Piece::Name(Kind::Key, name) = p { Some(*name) } else { None });
            evidence[id.ix()][at] = name.map_or(Evidence::Strong, |name| voucher.evidence(role, name));
        }
    }
    source.doubt(&|id, role| evidence[id.ix()][usize::from(role == Role::Key)]);
}

/// Roles of nodes that are no texts; what a WeakMap pair calls its key and value must be one of these.
const HOLDERS: [Role; 6] = [Role::Class, Role::Function, Role::Native, Role::Code, Role::Script, Role::Structure];

/// Placeholders that an input has already. They are taken for such only if their numbers stand close together, as
/// those of a sanitised file do: a text like `[text#48291]` that stands alone is data.
#[derive(Default)]
struct UsedTags(FxHashSet<u32>);

impl UsedTags {
    fn add(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(open) = memchr::memchr(b'[', rest) {
            rest = &rest[open..];
            let end = memchr::memchr(b']', rest).map_or(rest.len(), |n| n + 1);
            if let Some((_, number)) = tags::parse(&rest[..end], u32::MAX - 1) {
                self.0.insert(number);
            }
            rest = &rest[1..];
        }
    }

    fn highest(&self) -> u32 {
        let highest = self.0.iter().copied().max().unwrap_or(0);
        if highest as usize <= self.0.len() * 8 { highest } else { 0 }
    }
}

struct Work<'r> {
    voucher: Voucher<'r>,
    scope: Scope,
    tags: Tags,
    edits: Edits,
    ledger: Ledger,
    /// Names that are kept and that code of the program or of the runtime vouches for.
    names: [BTreeSet<String>; 2],
}

impl Work<'_> {
    /// Puts the names that code vouched for where a later run finds them.
    fn write_evidence(&mut self, source: &dyn Source) {
        let mut scratch = Vec::new();
        for (namer, title) in labels::EVIDENCE {
            let names = &self.names[usize::from(namer == Namer::Runtime)];
            let there = (0..self.edits.entries.len() as u32).map(StrId).find(|id| {
                let text = source.text(*id, &mut scratch).expose();
                source.roles(*id).is_empty() && labels::evidence_lines(text).is_some_and(|(n, ..)| n == namer)
            });
            if names.is_empty() && there.is_none() {
                continue;
            }
            let text = names.iter().fold(title.to_owned(), |text, name| text + "\n" + name);
            self.edits.mixed.push(text);
            let outcome = Outcome::Mixed(self.edits.mixed.len() as u32 - 1);
            match there {
                Some(id) => self.edits.entries[id.ix()] = outcome,
                None => self.edits.twins.push((StrId(0), outcome)),
            }
        }
    }

    /// Notes a name that is kept and that code vouches for.
    fn note(&mut self, kind: Kind, name: &[u8]) {
        // Parts of paths are kept for their place.
        if name.is_empty() || matches!(kind, Kind::Path | Kind::File) {
            return;
        }
        let word = self.voucher.word(kind, name);
        let print = self.voucher.prints.of(word);
        let list = [&self.voucher.program, &self.voucher.runtime].iter().position(|set| set.contains(&print));
        if let (Some(list), Ok(word)) = (list, std::str::from_utf8(word))
            && !self.names[list].contains(word)
            && self.voucher.judge(Kind::Word, Role::Unused, word.as_bytes()).is_some()
        {
            self.names[list].insert(word.to_owned());
        }
    }

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
        labels::pieces(role, text, &self.scope, pieces);
        let mut reason = None;
        let mut all = true;
        for piece in pieces.iter() {
            if let Piece::Name(kind, name) = piece {
                match self.voucher.judge(*kind, role, name) {
                    Some(why) => {
                        reason = reason.max(Some(why));
                        if !role.is_value() && role != Role::Unused {
                            self.note(*kind, name);
                        }
                    }
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
