//! Rules as data: TOML packs compiled eagerly and all together. A rule that does not compile stops the run.

mod anchor;
mod catalogue;
mod compile;
pub(in crate::raw) mod decode;
mod keys;
mod lint;
mod place;
mod random;
mod scan;
mod shape;
mod spec;
mod trial;

use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use self::catalogue::Catalogue;
pub use self::catalogue::{KeepInfo, RuleInfo};
use self::compile::{Compiled, compile, digits};
use self::keys::Keys;
pub use self::lint::{Finding, Level};
pub(in crate::raw) use self::random::opaque;
use self::scan::Scanner;
use self::spec::{Keep, Pack};
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

/// How far the rules have got in a text.
struct Tries {
    /// How many digits it has, once somebody asked.
    digits: Option<usize>,
    /// One for each rule that was tried: a handful at most, in nearly every text.
    states: Vec<(u16, State)>,
}

/// Tries of a rule in one text that may be in vain.
const MISSES: u32 = 48;

/// How far a rule has got in a text.
struct State {
    /// Where its last match ended.
    from: usize,
    /// Tries in vain.
    misses: u32,
    /// There is nothing more to find.
    is_done: bool,
    /// Does the text have a word that the rule asks for? Only looked up once something is found.
    is_asked: Option<bool>,
}

impl Tries {
    fn state(&mut self, number: u16, rule: &Compiled, text: &[u8]) -> &mut State {
        let at = self.states.iter().position(|(other, _)| *other == number).unwrap_or_else(|| {
            let is_done = rule.digits > 0 && *self.digits.get_or_insert_with(|| digits(text)) < rule.digits;
            self.states.push((number, State { from: 0, misses: 0, is_done, is_asked: None }));
            self.states.len() - 1
        });
        &mut self.states[at].1
    }
}

/// All rules in force, compiled.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Compiled>,
    scanner: Scanner,
    /// Rules without anchors, which run on every text that has their keywords.
    always: Vec<u16>,
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
        if rules.len() >= limits::RULES {
            return Err(ConfigError::new(format!("more than {} rules", limits::RULES)));
        }
        for (file, rule) in rules {
            let index = compiled.len() as u16;
            for key in rule.context.iter().flat_map(|c| &c.key) {
                keys.add(key, index);
            }
            compiled.push(compile(file, &rule)?);
        }
        let numbered = || (0_u16..).zip(&compiled).filter(|(_, rule)| rule.context.is_none());
        let anchors = numbered().flat_map(|(n, rule)| rule.anchors.iter().flatten().map(move |a| (n, a.clone())));
        let scanner = Scanner::new(anchors);
        let always = numbered().filter(|(_, rule)| rule.anchors.is_none()).map(|(n, _)| n).collect();
        let digest = digest.finalize().into();
        Ok(Self { rules: compiled, scanner, always, keys, keep, own_keep, catalogue, digest })
    }

    /// Does any rule find something in this text?
    pub(in crate::raw) fn objects(&self, text: &[u8]) -> bool {
        let mut objects = false;
        self.run(text, |_, _, _| {
            objects = true;
            true
        });
        objects
    }

    /// Everything that rules find in a text, rule by rule.
    pub(in crate::raw) fn find(&self, text: &[u8], out: &mut Vec<Found>) {
        let before = out.len();
        self.run(text, |rule, start, end| {
            out.push(Found { start, end, rule });
            false
        });
        out[before..].sort_unstable_by_key(|found| (found.rule, found.start));
    }

    /// Calls `each` with the rule and the place of everything that rules find in a text. Ends early when `each` says so.
    fn run(&self, text: &[u8], mut each: impl FnMut(u16, usize, usize) -> bool) {
        let mut tries = Tries { digits: None, states: Vec::new() };
        let mut stop = false;
        self.scanner.scan(text, |number, at, _| {
            let rule = &self.rules[usize::from(number)];
            let state = tries.state(number, rule, text);
            if state.is_done || at < state.from {
                return false;
            }
            let mut tell = |start, end| {
                if *state.is_asked.get_or_insert_with(|| rule.has_keyword(text)) {
                    stop |= each(number, start, end);
                }
            };
            // Each try may look at the whole rest of the text. After many in vain, one search from here on tells all.
            let found = if state.misses < MISSES {
                rule.around(text, state.from, at, &mut tell)
            } else {
                rule.next(text, state.from.max(at.saturating_sub(rule.back)), &mut tell).ok_or(true)
            };
            match found {
                Ok(end) => state.from = end,
                Err(is_done) => (state.is_done, state.misses) = (is_done, state.misses + 1),
            }
            stop
        });
        for &number in &self.always {
            let rule = &self.rules[usize::from(number)];
            if stop {
                return;
            }
            if rule.has_keyword(text) && !tries.state(number, rule, text).is_done {
                rule.find(text, |start, end| stop |= each(number, start, end));
            }
        }
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
    pub(in crate::raw) fn holds(
        &self,
        rule: u16,
        is_sibling: impl Fn(&[u8]) -> bool,
        is_owner: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let Some(context) = &self.rules[usize::from(rule)].context else { return false };
        let owner_fits = context.owner.is_empty() || context.owner.iter().any(|o| is_owner(o.as_bytes()));
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

    /// What trying every rule on the whole text finds.
    fn by_trying(rules: &Rules, text: &[u8]) -> Vec<Found> {
        let mut out = Vec::new();
        for (number, rule) in (0_u16..).zip(&rules.rules).filter(|(_, rule)| rule.context.is_none()) {
            if digits(text) >= rule.digits && rule.has_keyword(text) {
                rule.find(text, |start, end| out.push(Found { start, end, rule: number }));
            }
        }
        out
    }

    #[test]
    fn the_prefilter_loses_nothing() {
        let rules = Rules::builtin();
        let words: Vec<&str> =
            rules.catalogue().flat_map(|r| r.examples.iter().chain(&r.counterexamples)).map(String::as_str).collect();
        let marks = [" ", "", "\"", "=", ": ", "\n", "/", "-", "_", ";", "@", "0", "x", "\u{e9}"];
        let mut state = 1_u32;
        let mut below = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % n
        };
        let (mut found, mut count) = (Vec::new(), 0);
        for round in 0..6000 {
            let mut text: Vec<u8> = Vec::new();
            for _ in 0..1 + below(6) {
                let word = words[if round < words.len() { round } else { below(words.len()) }].as_bytes();
                // Whole or torn, in either case.
                let (from, to) =
                    (below(3) / 2 * below(word.len() + 1), word.len() - below(3) / 2 * below(word.len() + 1));
                let part = word.get(from..to).unwrap_or(word);
                text.extend(if below(5) == 0 { part.to_ascii_uppercase() } else { part.to_vec() });
                text.extend(marks[below(marks.len())].as_bytes());
            }
            found.clear();
            rules.find(&text, &mut found);
            assert_eq!(found, by_trying(&rules, &text), "{}", String::from_utf8_lossy(&text));
            assert_eq!(rules.objects(&text), !found.is_empty());
            count += found.len();
        }
        assert!(count > 5000, "{count}");
    }

    #[test]
    fn tries_in_vain_do_not_add_up() {
        let rules = Rules::builtin();
        // Each of these begins a token that never ends as one; looked at one by one, they would be the square of this.
        let text = "eyJaaaaaaaaaaaaaa-".repeat(60_000) + " end";
        let mut found = Vec::new();
        rules.find(text.as_bytes(), &mut found);
        assert_eq!(found, []);
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
#[cfg(test)]
mod dump {
    #[test]
    fn dump() {
        let rules = super::Rules::builtin();
        for (i, r) in rules.rules.iter().enumerate() {
            if r.context.is_some() {
                continue;
            }
            let id = &rules.catalogue().nth(i).unwrap().id;
            match &r.anchors {
                None => eprintln!("{id}: ALWAYS"),
                Some(a) => {
                    for a in a {
                        let g = super::scan::grams(&a.places).map(|g| g.len());
                        let pl: Vec<String> = a
                            .places
                            .iter()
                            .take(8)
                            .map(|p| {
                                let n = p.iter().count();
                                if n <= 3 {
                                    p.iter().map(|b| (b as char).escape_default().to_string()).collect::<String>()
                                } else {
                                    format!("<{n}>")
                                }
                            })
                            .collect();
                        eprintln!(
                            "{id}: back {} before {} grams {:?} {}",
                            a.back as i64,
                            a.before.iter().count(),
                            g,
                            pl.join(" ")
                        );
                    }
                }
            }
        }
    }
}
