//! Rules as data: TOML packs compiled eagerly and all together. A rule that does not compile stops the run.

mod catalogue;
pub(in crate::raw) mod decode;
mod keys;
mod lint;
mod place;
mod random;
mod spec;
mod trial;

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::{Regex, RegexBuilder};
use sha2::{Digest, Sha256};

use self::catalogue::Catalogue;
pub use self::catalogue::{KeepInfo, RuleInfo};
use self::keys::Keys;
pub use self::lint::{Finding, Level};
pub(in crate::raw) use self::random::opaque;
use self::spec::{Context, Keep, Looks, Pack, Rule};
pub use self::trial::Trial;
use super::scrub::tags::Kind;
use crate::error::ConfigError;
use crate::limits;

/// The embedded packs.
const PACKS: [(&str, &str); 6] = [
    ("tokens.toml", include_str!("../../../rules/tokens.toml")),
    ("prefixes.toml", include_str!("../../../rules/prefixes.toml")),
    ("addresses.toml", include_str!("../../../rules/addresses.toml")),
    ("context.toml", include_str!("../../../rules/context.toml")),
    ("personal.toml", include_str!("../../../rules/personal.toml")),
    ("keep.toml", include_str!("../../../rules/keep.toml")),
];

/// The id under which tokens are counted that no rule knows but that nobody writes.
const UNKNOWN_TOKEN: &str = "unknown-token";

/// The ids of all embedded rules. Placeholders name them, so they are a closed list.
pub(crate) fn builtin_ids() -> &'static [&'static str] {
    static IDS: OnceLock<Vec<&'static str>> = OnceLock::new();
    IDS.get_or_init(|| {
        let rules = PACKS.iter().filter(|(name, _)| *name != "keep.toml");
        let lines = rules.flat_map(|(_, text)| text.lines());
        let ids = lines.filter_map(|line| line.strip_prefix("id = \"")?.strip_suffix('"'));
        [UNKNOWN_TOKEN].into_iter().chain(ids).collect()
    })
}

/// Something that a rule found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::raw) struct Found {
    pub(in crate::raw) start: usize,
    pub(in crate::raw) end: usize,
    pub(in crate::raw) rule: u16,
}

/// One rule, compiled.
#[derive(Debug)]
struct Compiled {
    pattern: Regex,
    except: Option<Regex>,
    /// A group of the pattern is the secret; otherwise all of it is.
    has_core: bool,
    looks: Option<Looks>,
    digits: usize,
    context: Option<Context>,
}

/// All rules in force, compiled.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Compiled>,
    /// For each keyword, the rule that asks for it.
    keyword_rule: Vec<usize>,
    keywords: AhoCorasick,
    /// Rules that ask for a single mark, which nearly every text may have.
    marks: Vec<(u8, Vec<usize>)>,
    /// Rules without keywords, which always run.
    always: Vec<usize>,
    keys: Keys,
    keep: Vec<Keep>,
    own_keep: usize,
    catalogue: Catalogue,
    digest: [u8; 32],
}

impl Default for Rules {
    fn default() -> Self {
        Self::builtin()
    }
}

impl Rules {
    /// The embedded rules.
    #[must_use]
    pub fn builtin() -> Self {
        // The embedded packs are compiled by a test of every build.
        Self::with(&[]).unwrap_or_else(|_| unreachable!("embedded rules compile"))
    }

    /// The embedded rules and the user's own packs, given as name and text.
    ///
    /// # Errors
    /// When any pack or rule is faulty: all rules are in force, or none.
    pub fn with(own: &[(String, String)]) -> Result<Self, ConfigError> {
        let (mut rules, mut keep, mut own_keep) = (Vec::new(), Vec::new(), 0);
        let (mut digest, mut catalogue) = (Sha256::new(), Catalogue::new());
        let packs: Vec<(&str, &str)> =
            PACKS.into_iter().chain(own.iter().map(|(n, t)| (n.as_str(), t.as_str()))).collect();
        for (i, &(name, text)) in packs.iter().enumerate() {
            let pack: Pack = toml::from_str(text).map_err(|e| place::misread(name, text, &e))?;
            let is_own = i >= PACKS.len();
            if is_own {
                own_keep += pack.keep.len();
                digest.update(format!("{:?}", pack.rule));
            } else {
                digest.update(text.as_bytes());
            }
            catalogue.add(name, &pack, is_own);
            rules.extend(pack.rule.into_iter().map(|rule| ((name, text), rule)));
            keep.extend(pack.keep);
        }
        let mut ids: Vec<&str> =
            rules.iter().map(|(_, r)| r.id.as_str()).chain(keep.iter().map(|k| k.id.as_str())).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
            return Err(place::twice(twice[0], &packs));
        }
        let unknown = Compiled::unknown_token();
        let (mut compiled, mut keys) = (vec![unknown], Keys::default());
        let (mut words, mut keyword_rule, mut always) = (Vec::new(), Vec::new(), Vec::new());
        let mut marks: Vec<(u8, Vec<usize>)> = Vec::new();
        for (file, rule) in rules {
            let index = compiled.len();
            for key in rule.context.iter().flat_map(|c| &c.key) {
                keys.add(key, index as u16);
            }
            if rule.keywords.is_empty() && rule.context.is_none() {
                always.push(index);
            }
            for keyword in &rule.keywords {
                match (keyword.as_bytes(), marks.iter().position(|(mark, _)| [*mark] == keyword.as_bytes())) {
                    (_, Some(at)) => marks[at].1.push(index),
                    ([mark], None) => marks.push((*mark, vec![index])),
                    _ => words.push(keyword.clone()),
                }
            }
            keyword_rule.resize(words.len(), index);
            compiled.push(compile(file, rule)?);
        }
        if compiled.len() > limits::RULES {
            return Err(ConfigError::new(format!("more than {} rules", limits::RULES)));
        }
        let keywords =
            AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(&words);
        let keywords = keywords.map_err(|e| ConfigError::new(format!("keywords: {e}")))?;
        let digest = digest.finalize().into();
        Ok(Self { rules: compiled, keyword_rule, keywords, marks, always, keys, keep, own_keep, catalogue, digest })
    }

    /// Calls `each` with every rule that a text gives reason to try, once.
    fn tried(&self, text: &[u8], mut each: impl FnMut(usize) -> bool) {
        let mut asked = [0_u64; limits::RULES / 64];
        for found in self.keywords.find_overlapping_iter(text) {
            let rule = self.keyword_rule[found.pattern().as_usize()];
            asked[rule / 64] |= 1 << (rule % 64);
        }
        let there = self.marks.iter().filter(|(mark, _)| memchr::memchr(*mark, text).is_some());
        for rule in there.flat_map(|(_, rules)| rules).chain(&self.always) {
            asked[rule / 64] |= 1 << (rule % 64);
        }
        let mut digits = None;
        for (word, mut bits) in asked.into_iter().enumerate() {
            while bits != 0 {
                let rule = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let digits = *digits.get_or_insert_with(|| text.iter().filter(|b| b.is_ascii_digit()).count());
                if digits >= self.rules[rule].digits && each(rule) {
                    return;
                }
            }
        }
    }

    /// Does any rule find something in this text?
    pub(in crate::raw) fn objects(&self, text: &[u8]) -> bool {
        let mut objects = false;
        self.tried(text, |rule| {
            self.rules[rule].find(text, |_, _| objects = true);
            objects
        });
        objects
    }

    /// Everything that rules find in a text, rule by rule.
    pub(in crate::raw) fn find(&self, text: &[u8], out: &mut Vec<Found>) {
        self.tried(text, |rule| {
            self.rules[rule].find(text, |start, end| out.push(Found { start, end, rule: rule as u16 }));
            false
        });
    }

    /// Tokens that no rule knows but that nobody writes.
    pub(in crate::raw) fn find_tokens(&self, text: &[u8], out: &mut Vec<Found>) {
        random::tokens(text, |start, end| out.push(Found { start, end, rule: 0 }));
    }

    /// The rules that ask for a word of this key.
    pub(in crate::raw) fn of_key(&self, key: &[u8]) -> Vec<u16> {
        self.keys.of(key)
    }

    /// Everything that one rule finds in a text that is held as it asks for.
    pub(in crate::raw) fn find_held(&self, rule: u16, text: &[u8], each: impl FnMut(usize, usize)) {
        self.rules[usize::from(rule)].find(text, each);
    }

    /// Is a text held as the rule asks for, beside its key?
    pub(in crate::raw) fn holds(&self, rule: u16, is_sibling: impl Fn(&[u8]) -> bool, owner: Option<&[u8]>) -> bool {
        let Some(context) = &self.rules[usize::from(rule)].context else { return false };
        let owner_fits = context.owner.is_empty() || context.owner.iter().any(|o| Some(o.as_bytes()) == owner);
        owner_fits && (context.sibling.is_empty() || context.sibling.iter().any(|s| is_sibling(s.as_bytes())))
    }

    /// Does a value look made rather than written?
    pub(in crate::raw) fn is_made(&self, value: &[u8]) -> bool {
        random::made(value)
    }

    /// The kind of placeholder for what a rule finds.
    pub(in crate::raw) fn kind(&self, rule: u16) -> Kind {
        if usize::from(rule) < builtin_ids().len() { Kind::Rule(rule) } else { Kind::Secret }
    }

    /// Does a keep rule name this text in this part?
    pub(in crate::raw) fn keeps(&self, kind: Kind, text: &[u8]) -> bool {
        self.keep.iter().any(|k| k.applies_to(kind) && k.exact.iter().any(|e| e.as_bytes() == text))
    }

    /// How many rules there are.
    pub(crate) fn count(&self) -> u32 {
        self.rules.len() as u32
    }

    /// SHA-256 over all rules in force. Keep rules of the user's own are lists of names, which a digest that anybody can
    /// try must not cover.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.digest
    }

    /// Keep rules of the user's own.
    pub(crate) fn own_keep(&self) -> u64 {
        self.own_keep as u64
    }
}

impl Compiled {
    /// The gate by chance alone, which has no pattern of its own.
    fn unknown_token() -> Self {
        let never = Regex::new("[a&&b]").unwrap_or_else(|_| unreachable!("a constant pattern"));
        Self { pattern: never, except: None, has_core: false, looks: None, digits: 0, context: None }
    }

    fn find(&self, text: &[u8], mut each: impl FnMut(usize, usize)) {
        let mut check = |start: usize, end: usize| {
            let found = &text[start..end];
            let fits = match self.looks {
                Some(Looks::Made) => random::made(found),
                Some(Looks::Token) => random::token(found),
                Some(Looks::Luhn) => random::luhn(found),
                None => true,
            };
            if start < end && fits && !self.except.as_ref().is_some_and(|e| e.is_match(found)) {
                each(start, end);
            }
        };
        if self.has_core {
            for found in self.pattern.captures_iter(text) {
                let core = CORES.iter().find_map(|name| found.name(name));
                if let Some(core) = core.or_else(|| found.get(0)) {
                    check(core.start(), core.end());
                }
            }
        } else {
            for found in self.pattern.find_iter(text) {
                check(found.start(), found.end());
            }
        }
    }
}

/// The groups of a pattern that are the secret; the first that took part.
const CORES: [&str; 4] = ["secret", "secret2", "secret3", "secret4"];

/// What is wrong with a rule, and the field in which it stands.
#[derive(Debug)]
struct Fault {
    field: &'static str,
    /// The entry of the field, if it is a list.
    entry: Option<String>,
    what: String,
}

impl Fault {
    fn new(field: &'static str, what: impl Into<String>) -> Self {
        Self { field, entry: None, what: what.into() }
    }
}

/// Compiles a rule and tries it on its own examples.
fn compile((name, text): (&str, &str), rule: Rule) -> Result<Compiled, ConfigError> {
    let fault = |fault: Fault| place::faulty(name, text, &rule.id, &fault);
    let compiled = build(&rule).map_err(fault)?;
    failures(&rule, &compiled).into_iter().next().map_or(Ok(compiled), |first| Err(fault(first)))
}

fn build(rule: &Rule) -> Result<Compiled, Fault> {
    if rule.id.is_empty() || rule.category.is_empty() || rule.describe.is_empty() {
        return Err(Fault::new("id", "id, category and describe must not be empty"));
    }
    if rule.context.as_ref().is_some_and(|c| c.key.is_empty()) {
        return Err(Fault::new("context", "context.key must name at least one key"));
    }
    let build = |field: &'static str, pattern: &str| {
        let built = RegexBuilder::new(pattern).unicode(false).size_limit(limits::RULE_BYTES).build();
        built.map_err(|e| Fault::new(field, e.to_string()))
    };
    let pattern = match &rule.cut {
        // When both together fail, each alone tells which, in the words of the user.
        Some(cut) => build("match", &format!("(?:{})|(?:{cut})", rule.pattern))
            .or_else(|both| build("match", &rule.pattern).and(build("cut", cut)).and(Err(both)))?,
        None => build("match", &rule.pattern)?,
    };
    let except = rule.except.as_deref().map(|except| build("except", except)).transpose()?;
    let has_core = pattern.capture_names().flatten().any(|name| CORES.contains(&name));
    let (looks, digits) = (rule.looks, rule.digits);
    Ok(Compiled { pattern, except, has_core, looks, digits, context: rule.context.clone() })
}

/// Examples that a rule does not find, and counterexamples that it does.
fn failures(rule: &Rule, compiled: &Compiled) -> Vec<Fault> {
    let lower: Vec<String> = rule.keywords.iter().map(|k| k.to_ascii_lowercase()).collect();
    let finds = |text: &String| {
        let text_lower = text.to_ascii_lowercase();
        let mut found = false;
        compiled.find(text.as_bytes(), |_, _| found = true);
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        found && digits >= compiled.digits && (lower.is_empty() || lower.iter().any(|k| text_lower.contains(k)))
    };
    let fault = |field, what: &str, text: &String| Fault {
        entry: Some(text.clone()),
        ..Fault::new(field, format!("{what} '{text}'"))
    };
    let missed = rule.examples.iter().filter(|e| !finds(e)).map(|e| fault("examples", "does not find its example", e));
    let wrong = rule.counterexamples.iter().filter(|e| finds(e));
    missed.chain(wrong.map(|e| fault("counterexamples", "finds its counterexample", e))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_rule_has_examples_that_hold() {
        let rules = Rules::with(&[]).expect("embedded rules compile and hold their examples");
        assert!(rules.count() >= 30, "{}", rules.count());
        let packs = PACKS.map(|(_, text)| toml::from_str::<Pack>(text).expect("embedded packs are valid"));
        let ids = packs.iter().flat_map(|pack| &pack.rule).map(|rule| rule.id.as_str());
        assert_eq!([UNKNOWN_TOKEN].into_iter().chain(ids).collect::<Vec<_>>(), builtin_ids());
        for (_, text) in PACKS {
            let pack: Pack = toml::from_str(text).expect("embedded packs are valid");
            for rule in pack.rule {
                assert!(rule.examples.len() >= 2 && rule.counterexamples.len() >= 2, "{}", rule.id);
                let held = rule.context.is_some();
                assert!(held || rule.examples.iter().all(|e| rules.objects(e.as_bytes())), "{}", rule.id);
            }
        }
    }

    #[test]
    fn a_faulty_rule_stops_everything_and_is_named() {
        let own = |text: &str| Rules::with(&[("own.toml".into(), text.into())]).expect_err("faulty").to_string();
        let bad = own("[[rule]]\nid='broken'\ncategory='x'\ndescribe='x'\nmatch='('\n");
        assert!(bad.contains("own.toml") && bad.contains("broken"), "{bad}");
        assert!(own("[[rule]]\nid='a'\nmatch='b'\ntypo=1\n").contains("typo"));
        let rule = |rest: &str| format!("[[rule]]\nid='own'\ncategory='x'\ndescribe='x'\nmatch='ab+'\n{rest}\n");
        assert!(own(&rule("examples=['xyz']")).contains("'xyz'"));
        assert!(own(&rule("counterexamples=['abb']")).contains("'abb'"));
        assert!(own("[[keep]]\nid='jwt'\nexact=['x']\n").contains("two rules"));
    }

    #[test]
    fn the_digest_of_rules_does_not_cover_keep_rules() {
        let with = |text: &str| Rules::with(&[("own.toml".into(), text.into())]).expect("sound").sha256();
        let keep = |name: &str| format!("[[keep]]\nid='mine'\nexact=['{name}']\n");
        assert_eq!(with(&keep("AcmeMergerPlan")), with(&keep("Another")));
        let rule = |word: &str| format!("[[rule]]\nid='own'\ncategory='x'\ndescribe='X'\nmatch='{word}'\n");
        assert_ne!(with(&rule("abc")), with(&rule("abd")));
    }
}
