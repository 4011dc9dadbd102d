//! Decides what becomes of every text in every role.
//!
//! - strict: values are replaced, labels are kept only if every name in them is vouched for.
//! - balanced: what was found is cut out, everything else stays.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::added::Told;
use super::edits::{Edits, Outcome, Written};
use super::explain;
use super::find::{Findings, Hit, Keep, Look, names as names_in};
use super::guard::{Guard, free};
use super::labels::{self, Piece, Scope};
use super::lines;
use super::names::code_words;
use super::needles::{Core, Needles};
use super::paths::Roots;
use super::spans::{joined, merged, within_names};
use super::tags::{self, Bound, Fingerprints, Kind, Number, Tags};
use super::vouch::{Reason, Voucher};
use super::wall::SafeText;
use crate::Result;
use crate::heap::StrId;
use crate::ledger::{Ledger, Shape};
use crate::limits;
use crate::pipeline::Settings;
use crate::profile::{Numbers, Profile};
use crate::raw::ingest::role::Role;
use crate::raw::ingest::text::is_json;
use crate::raw::ingest::{Evidence, Namer, Source};
use crate::report::build::hex;

/// The decisions, and what is needed to check them again.
#[derive(Debug)]
pub(in crate::raw) struct Decision<'r> {
    pub(in crate::raw) profile: Profile,
    pub(in crate::raw) edits: Edits,
    pub(in crate::raw) voucher: Voucher<'r>,
    pub(in crate::raw) scope: Scope,
    pub(in crate::raw) ledger: Ledger,
}

/// The decisions of a call.
#[derive(Debug)]
pub(in crate::raw) struct Decisions<'r> {
    /// In the order of the sources.
    pub(in crate::raw) decisions: Vec<Decision<'r>>,
    /// What must not stand in anything that goes with them.
    pub(in crate::raw) guard: Guard<'r>,
    pub(in crate::raw) told: Vec<Told>,
    pub(in crate::raw) labels: Vec<SafeText>,
}

/// Decides every text of every snapshot of a call: first all are looked at, then what was found in one goes from all.
/// Texts that the user adds are scrubbed on the way.
pub(in crate::raw) fn decide<'r>(
    sources: &mut [&mut dyn Source],
    settings: &'r Settings,
    profile: Profile,
) -> Result<Decisions<'r>> {
    let Settings { rules, names, key, .. } = settings;
    let mut bound = Bound::default();
    let mut ready: Vec<(Voucher<'_>, Scope)> = Vec::new();
    for source in &mut *sources {
        ready.push(prepare(&**source, settings, &mut bound));
    }
    let mut findings = Vec::new();
    let mut cores = settings.values.cores.iter().map(Core::copy).collect::<Vec<_>>();
    for (source, (_, scope)) in sources.iter().zip(&ready) {
        // In the strict profile values go anyway: only what labels may repeat is of interest. Texts of the user's own may
        // repeat anything.
        let keep = if profile.is_strict() && settings.context.is_empty() { Keep::Names } else { Keep::All };
        let look = Look { scope, bound, rules: Some(rules), needles: None, keep };
        // Of a log, words stay in the strict profile too.
        let all = !profile.is_strict() || settings.survey || !source.has_graph();
        let mut found = if all { look.at_all(&**source) } else { look.at_holders(&**source) };
        cores.append(&mut found.cores);
        findings.push(found);
    }
    let needles = Arc::new(Needles::new(&names.prints, &cores));
    drop(cores);
    let mut tags = Tags::new(names.prints.clone(), key.as_ref(), bound).numbered(settings.numbers);
    let mut decisions = Vec::new();
    for ((source, (mut voucher, mut scope)), mut found) in sources.iter_mut().zip(ready).zip(findings) {
        if !profile.is_strict() || !source.has_graph() {
            let look = Look { scope: &scope, bound, rules: None, needles: Some(&needles), keep: Keep::Nothing };
            found.add(look.at_all(&**source));
        }
        (voucher.bound, voucher.needles) = (bound, Arc::clone(&needles));
        doubt(&mut **source, &voucher, &scope);
        let mut rounds = limits::ROUNDS;
        let mut work = loop {
            let lists = (!profile.is_strict()).then(|| found.lists.iter().copied().collect());
            let edits = Edits { spelling: lists, ..Edits::default() };
            let (ledger, names) = (Ledger::default(), Default::default());
            let mut work = Work { profile, voucher, scope, tags: &mut tags, edits, ledger, names };
            work.all(&**source, &found);
            // What was cut out changes what the parts of a composite say together.
            let is_cut = !profile.is_strict() || !source.has_graph();
            let more = if is_cut && rounds > 0 { work.left(&**source) } else { Vec::new() };
            if more.is_empty() {
                break work;
            }
            found.add(Findings { hits: more, ..Findings::default() });
            rounds -= 1;
            (voucher, scope) = (work.voucher, work.scope);
        };
        work.ledger.rules = rules.count();
        work.ledger.rules_digest = hex(&rules.sha256());
        work.ledger.dropped = source.dropped();
        work.ledger.keep_rules = rules.own_keep();
        work.ledger.rules_off = rules.off();
        work.ledger.source_trees = names.trees as u64;
        work.ledger.propagated = needles.propagated;
        let Work { edits, voucher, scope, mut ledger, .. } = work;
        let told = explain::Told {
            source: &**source,
            edits: &edits,
            voucher: &voucher,
            scope: &scope,
            hits: &found.hits,
            profile,
        };
        ledger.explained = settings.explain.iter().map(|node| told.explain(*node)).collect::<Result<_>>()?;
        decisions.push(Decision { profile, edits, voucher, scope, ledger });
    }
    let scope = Scope { roots: Roots::default(), highest_id: 0 };
    let look = Look { scope: &scope, bound, rules: Some(rules), needles: Some(&needles), keep: Keep::Nothing };
    let told = settings.context.told.iter().map(|(topic, snapshot, text)| {
        let text = free(text, &look, &mut tags);
        Told { topic: *topic, snapshot: *snapshot, text }
    });
    let told = told.collect();
    let labels = settings.context.labels.iter().map(|label| free(label, &look, &mut tags)).collect();
    tags.check()?;
    let guard = Guard::new(rules, Arc::clone(&needles), tags.bound(), profile);
    for (decision, source) in decisions.iter_mut().zip(sources) {
        decision.voucher.bound = tags.bound();
        if settings.numbers == Numbers::Same && source.has_table() {
            decision.edits.unlink(&**source);
        }
        if source.has_table() && tags.mark() != Number::Running(0) {
            mark(&mut decision.edits, &**source, tags.mark());
        }
    }
    Ok(Decisions { decisions, guard, told, labels })
}

/// Reads what vouches for names, and which placeholders there are already.
pub(super) fn prepare<'r>(source: &dyn Source, settings: &'r Settings, bound: &mut Bound) -> (Voucher<'r>, Scope) {
    let Settings { rules, names, key, .. } = settings;
    let prints = &names.prints;
    let count = source.counts().strings as u32;
    let mut scratch = Vec::new();
    let (mut program, mut runtime, mut holders) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    let mut roots = Roots::default();
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
        if let Some(number) = labels::mark(text).filter(|_| roles.is_empty()) {
            bound.read(number, key.as_ref());
        }
        if !source.has_table() {
            tags::by_form(text, key.is_some(), bound);
        }
    }
    for (id, namer) in source.source_texts() {
        let set = if *namer == Namer::Program { &mut program } else { &mut runtime };
        code_words(source.text(*id, &mut scratch).expose(), |word| {
            set.insert(prints.of(word));
        });
    }
    let needles = Arc::new(Needles::new(prints, &[]));
    let tree = &names.words;
    let voucher = Voucher { prints, rules, program, runtime, holders, tree, bound: Bound::default(), needles };
    (voucher, Scope { roots, highest_id: source.highest_id() })
}

/// Marks the file as sanitised, in an entry that nothing refers to; a later run knows the placeholders by it. No runtime
/// writes entries that nothing refers to.
fn mark(edits: &mut Edits, source: &dyn Source, mark: Number) {
    let mut scratch = Vec::new();
    let outcome = Outcome::Tag(Kind::Sanitised, mark);
    let there = (0..edits.entries.len() as u32)
        .map(StrId)
        .find(|id| source.roles(*id).is_empty() && labels::mark(source.text(*id, &mut scratch).expose()).is_some());
    match there {
        Some(id) => edits.entries[id.ix()] = outcome,
        None => edits.twins.push((StrId(0), outcome)),
    }
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

/// A text and its fingerprint.
#[derive(Clone, Copy)]
struct Text<'t> {
    bytes: &'t [u8],
    print: u64,
}

/// The fingerprints of all texts: most of the work on most texts, and the part that needs no order.
fn prints(source: &dyn Source, prints: &Fingerprints) -> Vec<u64> {
    let ids = (0..source.counts().strings as u32).into_par_iter().with_min_len(1024);
    ids.map_init(Vec::new, |scratch, id| prints.of(source.text(StrId(id), scratch).expose())).collect()
}

struct Work<'r, 't, 'k> {
    profile: Profile,
    voucher: Voucher<'r>,
    scope: Scope,
    tags: &'t mut Tags<'k>,
    edits: Edits,
    ledger: Ledger,
    /// Names that are kept and that code of the program or of the runtime vouches for.
    names: [BTreeSet<String>; 2],
}

impl Work<'_, '_, '_> {
    fn all(&mut self, source: &dyn Source, findings: &Findings) {
        let count = source.counts().strings as u32;
        self.edits.entries.reserve_exact(count as usize);
        let mut scratch = Vec::new();
        let prints = prints(source, self.voucher.prints);
        let mut rest = findings.hits.as_slice();
        for id in (0..count).map(StrId) {
            let text = Text { bytes: source.text(id, &mut scratch).expose(), print: prints[id.ix()] };
            let (hits, behind) = rest.split_at(rest.iter().take_while(|hit| hit.id == id).count());
            rest = behind;
            self.count(text.bytes, hits, source.roles(id).iter());
            self.unit(id, text, hits, source);
        }
        if source.has_table() {
            self.write_evidence(source);
        }
    }

    /// What would still be found in the composites and holders of the result: those units go as a whole.
    fn left(&self, source: &dyn Source) -> Vec<Hit> {
        let written = Written { source, edits: &self.edits };
        let (rules, needles) = (Some(self.voucher.rules), Some(&*self.voucher.needles));
        let look = Look { scope: &self.scope, bound: self.tags.bound(), rules, needles, keep: Keep::Nothing };
        let mut scratch = Vec::new();
        let whole = |hit: &Hit| {
            let end = source.text(hit.id, &mut scratch).expose().len() as u32;
            Hit { start: 0, end, value_only: true, ..*hit }
        };
        look.at_joined(&written).hits.iter().map(whole).collect()
    }

    /// Counts what was found, by rule, role and shape.
    fn count(&mut self, text: &[u8], hits: &[Hit], roles: impl Iterator<Item = Role>) {
        if hits.is_empty() {
            return;
        }
        for role in roles {
            for (start, end, kind) in merged(text, hits, role) {
                self.ledger.found(kind.word(), role, Shape::of(&text[start..end]));
            }
        }
    }

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
    fn unit(&mut self, id: StrId, text: Text<'_>, hits: &[Hit], source: &dyn Source) {
        let mut pieces = Vec::new();
        let roles = source.roles(id);
        if roles.is_empty() {
            let outcome = self.outcome(Role::Unused, text, &mut pieces);
            self.edits.entries.push(outcome);
            return;
        }
        let mut made: Vec<(Outcome, StrId)> = Vec::new();
        for role in roles.iter() {
            let outcome = match self.profile.is_strict() {
                true if role == Role::Line => self.line(text, hits),
                true => self.outcome(role, text, &mut pieces),
                false => self.cut_out(role, text, hits, &mut pieces),
            };
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

    fn outcome<'t>(&mut self, role: Role, text: Text<'t>, pieces: &mut Vec<Piece<'t>>) -> Outcome {
        labels::pieces(role, text.bytes, &self.scope, pieces);
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
        // A label that is one name is that name.
        if let [Piece::Name(kind, _)] = pieces[..] {
            return Outcome::Tag(kind, self.tags.number_of(text.bytes, text.print));
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

    /// Cuts out what was found, and keeps the rest.
    fn cut_out<'t>(&mut self, role: Role, text: Text<'t>, hits: &[Hit], pieces: &mut Vec<Piece<'t>>) -> Outcome {
        let Text { bytes: text, print } = text;
        let whole = |work: &mut Self| {
            work.ledger.replaced(role);
            Outcome::Tag(Kind::of(role), work.tags.number_of(text, print))
        };
        // What is no valid text cannot be written as it is.
        let Ok(_) = std::str::from_utf8(text) else { return whole(self) };
        let mut spans = merged(text, hits, role);
        if !role.is_value() {
            labels::pieces(role, text, &self.scope, pieces);
            spans = within_names(&spans, pieces);
        }
        if spans.is_empty() {
            self.ledger.kept(role, Reason::NothingFound);
            return Outcome::Keep;
        }
        self.ledger.replaced(role);
        if let [(0, end, kind)] = spans[..]
            && end == text.len()
        {
            return Outcome::Tag(kind, self.tags.number_of(text, print));
        }
        let mut out = without(self.tags, text, &spans);
        if role == Role::Line && reads_anew(text, out.as_bytes()) {
            return Outcome::Tag(Kind::of(role), self.tags.number_of(text, print));
        }
        // What was cut out changes what stands beside it, so the rest is looked at again.
        for _ in 0..limits::ROUNDS {
            let look = Look {
                scope: &self.scope,
                bound: self.tags.bound(),
                rules: Some(self.voucher.rules),
                needles: Some(&self.voucher.needles),
                keep: Keep::Nothing,
            };
            let spans = if role.is_value() {
                merged(out.as_bytes(), &look.at_written(out.as_bytes(), true), role)
            } else {
                let mut pieces = Vec::new();
                labels::pieces(role, out.as_bytes(), &self.scope, &mut pieces);
                let found = names_in(&pieces).flat_map(|(from, name)| {
                    let hits = look.at_written(name, false);
                    merged(name, &hits, role)
                        .into_iter()
                        .map(move |(start, end, kind)| (from + start, from + end, kind))
                });
                found.collect()
            };
            if spans.is_empty() {
                self.edits.mixed.push(out);
                return Outcome::Mixed(self.edits.mixed.len() as u32 - 1);
            }
            out = without(self.tags, out.as_bytes(), &spans);
        }
        Outcome::Tag(Kind::of(role), self.tags.number_of(text, print))
    }

    /// A line of a log: what was found goes, and of the rest every word that nobody vouches for.
    fn line(&mut self, text: Text<'_>, hits: &[Hit]) -> Outcome {
        let role = Role::Line;
        let Ok(whole) = std::str::from_utf8(text.bytes) else {
            self.ledger.replaced(role);
            return Outcome::Tag(Kind::of(role), self.tags.number_of(text.bytes, text.print));
        };
        let (mut out, mut spans) = (whole.to_owned(), merged(text.bytes, hits, role));
        let mut unvouched = Vec::new();
        for round in 0..=limits::ROUNDS {
            lines::unvouched(&self.voucher, self.tags.bound(), out.as_bytes(), &mut unvouched);
            let spans_now = joined(&spans, &unvouched);
            if spans_now.is_empty() && round == 0 {
                self.ledger.kept(role, Reason::Vocabulary);
                return Outcome::Keep;
            }
            if spans_now.is_empty() && !reads_anew(text.bytes, out.as_bytes()) {
                self.ledger.replaced(role);
                self.edits.mixed.push(out);
                return Outcome::Mixed(self.edits.mixed.len() as u32 - 1);
            }
            out = without(self.tags, out.as_bytes(), &spans_now);
            let (rules, needles) = (Some(self.voucher.rules), Some(&*self.voucher.needles));
            let look = Look { scope: &self.scope, bound: self.tags.bound(), rules, needles, keep: Keep::Nothing };
            spans = merged(out.as_bytes(), &look.at_written(out.as_bytes(), true), role);
        }
        self.ledger.replaced(role);
        Outcome::Tag(Kind::of(role), self.tags.number_of(text.bytes, text.print))
    }

    fn name(&mut self, role: Role, kind: Kind, name: &[u8], out: &mut String) {
        match (self.voucher.judge(kind, role, name), std::str::from_utf8(name)) {
            (Some(_), Ok(name)) => out.push_str(name),
            _ => tags::push(out, kind, self.tags.number(name)),
        }
    }
}

/// Would a line that was none be read as JSON now? Its parts would be decided in another way then.
fn reads_anew(before: &[u8], after: &[u8]) -> bool {
    is_json(after) && !is_json(before)
}

/// The text with placeholders in these places.
pub(super) fn without(tags: &mut Tags<'_>, text: &[u8], spans: &[(usize, usize, Kind)]) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for (start, end, kind) in spans {
        out.push_str(&String::from_utf8_lossy(&text[at..*start]));
        tags::push(&mut out, *kind, tags.number(&text[*start..*end]));
        at = *end;
    }
    out.push_str(&String::from_utf8_lossy(&text[at..]));
    out
}
