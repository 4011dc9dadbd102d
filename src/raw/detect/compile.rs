//! One rule, compiled: its pattern, what must be true of what it finds, and its own examples tried.

use std::ops::Deref;
use std::sync::OnceLock;

use regex_automata::meta::{self, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::anchor::{Anchor, NEAR, anchors};
use super::load::Loaded;
use super::placeholder::is_placeholder;
use super::spec::{Confidence, Context, Looks, Rule};
use super::validate::Validator;
use super::{place, random};
use crate::error::ConfigError;
use crate::limits;

/// One rule, compiled.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) pattern: Pattern,
    except: Option<Pattern>,
    /// The same about all of the match, not only the secret in it.
    except_match: Option<Pattern>,
    /// The groups that are the secret, in order; none if all of it is.
    cores: Vec<usize>,
    looks: Option<Looks>,
    /// Bits that each byte must have.
    entropy: Option<f64>,
    /// Words that it must not have, in small letters.
    stop: Vec<String>,
    validator: Option<Validator>,
    confidence: Confidence,
    /// Digits that a text must have.
    pub(super) digits: usize,
    /// Words of which a text must have one, in small letters.
    keywords: Vec<String>,
    pub(super) context: Option<Context>,
    /// Where matches can be noticed, unless they may begin nearly anywhere.
    pub(super) anchors: Option<Vec<Anchor>>,
    /// The most that a match has before its anchor.
    pub(super) back: usize,
}

/// The groups of a pattern that are the secret; the first that took part.
const CORES: [&str; 4] = ["secret", "secret2", "secret3", "secret4"];

/// What is wrong with a rule, and the field in which it stands.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) field: &'static str,
    /// The entry of the field, if it is a list.
    pub(super) entry: Option<String>,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(field: &'static str, what: impl Into<String>) -> Self {
        Self { field, entry: None, what: what.into() }
    }
}

/// Compiles a rule; one of the user's own is tried on its examples. Embedded rules compile and hold theirs, which every build
/// tries, so that their automata can be made when they are first asked for: most rules never are.
fn compile(((name, text), rule, is_own): &Loaded<'_>) -> Result<Compiled, ConfigError> {
    let fault = |fault: Fault| place::faulty(name, text, &rule.id, &fault);
    if !is_own {
        return read(rule).map_err(fault);
    }
    let compiled = build(rule).map_err(fault)?;
    failures(rule, &compiled).into_iter().next().map_or(Ok(compiled), |first| Err(fault(first)))
}

/// Compiles rules on a few threads; the first that is faulty, in the order of the files, is the error.
pub(super) fn compile_all(rules: &[Loaded<'_>]) -> Result<Vec<Compiled>, ConfigError> {
    let compile = |part: &[Loaded<'_>]| part.iter().map(compile).collect::<Result<Vec<_>, _>>();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(limits::COMPILERS);
    if threads == 1 || rules.len() < 2 * threads {
        return compile(rules);
    }
    // Smaller parts than threads: some rules take much longer than others.
    let next = std::sync::atomic::AtomicUsize::new(0);
    let parts: Vec<&[Loaded<'_>]> = rules.chunks(8).collect();
    let mut done: Vec<(usize, Result<Vec<Compiled>, ConfigError>)> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(part) = parts.get(at) else { return done };
                done.push((at, compile(part)));
            }
        };
        let threads: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let others = threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|_| unreachable!("no panic")));
        own.into_iter().chain(others).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    let mut out = Vec::with_capacity(rules.len());
    for (_, part) in done {
        out.extend(part?);
    }
    Ok(out)
}

/// Compiles a rule with all of its automata, and so finds everything that is wrong with it.
pub(super) fn build(rule: &Rule) -> Result<Compiled, Fault> {
    let compiled = read(rule)?;
    compiled.pattern.make("match")?;
    compiled.except.iter().chain(&compiled.except_match).try_for_each(|except| except.make("except"))?;
    Ok(compiled)
}

/// Reads a rule, and finds where its matches can be noticed.
fn read(rule: &Rule) -> Result<Compiled, Fault> {
    if rule.id.is_empty() || rule.category.is_empty() || rule.describe.is_empty() {
        return Err(Fault::new("id", "id, category and describe must not be empty"));
    }
    if rule.context.as_ref().is_some_and(|c| c.key.is_empty() && (!c.exclude.is_empty() || c.raise.is_empty())) {
        return Err(Fault::new("context", "context.key must name at least one key, or context.raise alone"));
    }
    if rule.entropy.is_some_and(|bits| !(0.0..=8.0).contains(&bits)) {
        return Err(Fault::new("entropy", "entropy is a number of bits from 0 to 8"));
    }
    if let Some(word) = rule.stop.iter().find(|word| word.len() < 3) {
        return Err(Fault {
            entry: Some(word.clone()),
            ..Fault::new("stop", "a stop word has at least three letters")
        });
    }
    let hir = match &rule.cut {
        // When both together fail, each alone tells which, in the words of the user.
        Some(cut) => parse("match", &format!("(?:{})|(?:{cut})", rule.pattern))
            .or_else(|both| parse("match", &rule.pattern).and(parse("cut", cut)).and(Err(both)))?,
        None => parse("match", &rule.pattern)?,
    };
    // A rule about a key runs on what the key holds and nowhere else.
    let anchors = if rule.is_held() { None } else { anchors(&hir) };
    let back = anchors.iter().flatten().map(|anchor| anchor.back).max().unwrap_or(usize::MAX);
    let names = groups(&hir);
    let pattern = Pattern::new(hir, back > NEAR && !rule.is_held());
    let optional = |pattern: &Option<String>| {
        pattern.as_deref().map(|except| Ok(Pattern::new(parse("except", except)?, false))).transpose()
    };
    let (except, except_match) = (optional(&rule.except)?, optional(&rule.except_match)?);
    let cores = match rule.group {
        // As gitleaks has it: that group, or the first that took part.
        Some(group) if group >= names.len() => return Err(Fault::new("match", "there is no such secretGroup")),
        Some(0) => (1..names.len()).collect(),
        Some(group) => vec![group],
        None => CORES.iter().filter_map(|core| names.iter().position(|name| name.as_deref() == Some(*core))).collect(),
    };
    let keywords = rule.keywords.iter().map(|k| k.to_ascii_lowercase()).collect();
    let stop = rule.stop.iter().map(|word| word.to_ascii_lowercase()).collect();
    let (looks, entropy, digits, context) = (rule.looks, rule.entropy, rule.digits, rule.context.clone());
    let (validator, confidence) = (rule.validator, rule.confidence.unwrap_or(Confidence::Medium));
    Ok(Compiled {
        pattern,
        except,
        except_match,
        cores,
        looks,
        entropy,
        stop,
        validator,
        confidence,
        digits,
        keywords,
        context,
        anchors,
        back,
    })
}

/// Patterns are about bytes.
fn parse(field: &'static str, pattern: &str) -> Result<Hir, Fault> {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern);
    parsed.map_err(|e| Fault::new(field, e.to_string()))
}

/// The groups of a pattern by number, of which the first is all of it, with the names of those that have one.
fn groups(hir: &Hir) -> Vec<Option<Box<str>>> {
    let (mut groups, mut rest) = (vec![None], vec![hir]);
    while let Some(hir) = rest.pop() {
        match hir.kind() {
            HirKind::Capture(capture) => {
                let number = capture.index as usize;
                groups.resize(groups.len().max(number + 1), None);
                groups[number].clone_from(&capture.name);
                rest.push(&capture.sub);
            }
            HirKind::Repetition(repetition) => rest.push(&repetition.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => rest.extend(parts),
            HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {}
        }
    }
    groups
}

/// A pattern, of which the automata are made when it is first asked for.
#[derive(Debug)]
pub(super) struct Pattern {
    hir: Hir,
    is_searching: bool,
    regex: OnceLock<Regex>,
}

impl Pattern {
    fn new(hir: Hir, is_searching: bool) -> Self {
        Self { hir, is_searching, regex: OnceLock::new() }
    }

    /// Makes the automata now, and tells why if they cannot be.
    fn make(&self, field: &'static str) -> Result<(), Fault> {
        let made = regex(field, &self.hir, self.is_searching)?;
        self.regex.get_or_init(|| made);
        Ok(())
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        // Those of the user's own were made when the rules were read, and every build makes those of embedded ones.
        let make =
            || regex("match", &self.hir, self.is_searching).unwrap_or_else(|_| unreachable!("it was made before"));
        self.regex.get_or_init(make)
    }
}

/// They are bounded in size. `is_searching`: it looks for matches over some length, rather than at one place.
fn regex(field: &'static str, hir: &Hir, is_searching: bool) -> Result<Regex, Fault> {
    let config = meta::Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(limits::RULE_BYTES))
        // Whether a rule runs at all is for the prefilter over all of them, and few matches are ever taken apart: what would
        // make a single pattern faster makes the start slower.
        .auto_prefilter(is_searching)
        .onepass(false)
        .hybrid_cache_capacity(limits::RULE_CACHE_BYTES);
    meta::Builder::new().configure(config).build_from_hir(hir).map_err(|e| {
        let what = match e.size_limit() {
            Some(limit) => format!("Compiled regex exceeds size limit of {limit} bytes."),
            None => e.to_string(),
        };
        Fault::new(field, what)
    })
}

/// Examples that a rule does not find, and counterexamples that it does.
pub(super) fn failures(rule: &Rule, compiled: &Compiled) -> Vec<Fault> {
    let finds = |text: &String| {
        let text = text.as_bytes();
        let mut found = false;
        compiled.find(text, |_, _| found = true);
        found && digits(text) >= compiled.digits && compiled.has_keyword(text)
    };
    let fault = |field, what: &str, text: &String| Fault {
        entry: Some(text.clone()),
        ..Fault::new(field, format!("{what} '{text}'"))
    };
    let missed = rule.examples.iter().filter(|e| !finds(e)).map(|e| fault("examples", "does not find its example", e));
    let wrong = rule.counterexamples.iter().filter(|e| finds(e));
    missed.chain(wrong.map(|e| fault("counterexamples", "finds its counterexample", e))).collect()
}

/// How many digits a text has.
pub(super) fn digits(text: &[u8]) -> usize {
    text.iter().map(|b| usize::from(b.is_ascii_digit())).sum()
}

impl Compiled {
    /// The gate by chance alone, which has no pattern of its own.
    pub(super) fn unknown_token() -> Self {
        let never = Pattern::new(Hir::fail(), false);
        let (except, except_match, looks, entropy, validator, context) = (None, None, None, None, None, None);
        let (cores, stop, keywords, anchors) = (Vec::new(), Vec::new(), Vec::new(), Some(Vec::new()));
        let (confidence, digits, back) = (Confidence::Low, 0, 0);
        Self {
            pattern: never,
            except,
            except_match,
            cores,
            looks,
            entropy,
            stop,
            validator,
            confidence,
            digits,
            keywords,
            context,
            anchors,
            back,
        }
    }

    /// Everything that the pattern finds in a text.
    pub(super) fn find(&self, text: &[u8], mut each: impl FnMut(usize, usize)) {
        let mut from = 0;
        while let Some(end) = self.next(text, from, &mut each) {
            from = end;
        }
    }

    /// The next match that begins at this place or behind it. Returns where it ends.
    pub(super) fn next(&self, text: &[u8], from: usize, each: &mut impl FnMut(usize, usize)) -> Option<usize> {
        let found = self.pattern.search(&Input::new(text).range(from..))?;
        self.tell(text, found.start(), found.end(), each);
        // The empty match ends where it begins.
        Some(found.end().max(found.start() + 1)).filter(|end| *end <= text.len())
    }

    /// The match that begins just at this place. Returns where it ends.
    pub(super) fn here(&self, text: &[u8], at: usize, each: &mut impl FnMut(usize, usize)) -> Option<usize> {
        let found = self.pattern.search(&Input::new(text).range(at..).anchored(Anchored::Yes))?;
        self.tell(text, at, found.end(), each);
        Some(found.end())
    }

    /// The next match of which an anchor stands at this place. Returns where it ends; if there is none, whether there is
    /// none further on either.
    pub(super) fn around(
        &self,
        text: &[u8],
        from: usize,
        at: usize,
        each: &mut impl FnMut(usize, usize),
    ) -> Result<usize, bool> {
        let first = from.max(at.saturating_sub(self.back));
        if self.back > NEAR {
            return self.next(text, first, each).ok_or(true);
        }
        (first..=at).find_map(|start| self.here(text, start, each)).ok_or(false)
    }

    /// Tells what of a match is the secret, if it is one.
    fn tell(&self, text: &[u8], start: usize, end: usize, each: &mut impl FnMut(usize, usize)) {
        let (mut from, mut to) = (start, end);
        if !self.cores.is_empty() {
            let mut captures = Captures::all(self.pattern.group_info().clone());
            self.pattern.search_captures(&Input::new(text).range(start..).anchored(Anchored::Yes), &mut captures);
            if let Some(core) =
                self.cores.iter().find_map(|group| captures.get_group(*group).filter(|core| !core.is_empty()))
            {
                (from, to) = (core.start, core.end);
            }
        }
        if self.except_match.as_ref().is_some_and(|except| except.is_match(&text[start..end])) {
            return;
        }
        let found = &text[from..to];
        let fits = match self.looks {
            Some(Looks::Made) => random::made(found),
            Some(Looks::Token) => random::token(found),
            Some(Looks::Luhn) => random::luhn(found),
            None => true,
        };
        let fits = fits
            && self.entropy.is_none_or(|bits| random::entropy(found) >= bits)
            && !self.stop.iter().any(|word| has_word(found, word.as_bytes()));
        if from < to && fits && !self.except.as_ref().is_some_and(|except| except.is_match(found)) {
            each(from, to);
        }
    }

    /// Is it about what a key holds, rather than about every text?
    pub(super) fn is_held(&self) -> bool {
        self.context.as_ref().is_some_and(|context| !context.key.is_empty())
    }

    /// How sure the rule is of what it found. A check raises it; one that fails says nothing, since what was cut or was
    /// made elsewhere must go too. What only stands for a secret lowers it.
    pub(super) fn confidence(&self, found: &[u8]) -> Confidence {
        match self.validator {
            _ if is_placeholder(found) => Confidence::Low,
            Some(validator) if validator.holds(found) => Confidence::High,
            _ => self.confidence,
        }
    }

    /// Does a text have a word that the rule asks for?
    pub(super) fn has_keyword(&self, text: &[u8]) -> bool {
        self.keywords.is_empty() || self.keywords.iter().any(|keyword| has_word(text, keyword.as_bytes()))
    }
}

/// Does a text hold a word, in capital or small letters? The word is in small ones.
pub(super) fn has_word(text: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else { return true };
    let same = |at: usize| text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word));
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text).any(same)
}
