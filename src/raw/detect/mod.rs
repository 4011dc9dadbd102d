//! Rules as data: TOML packs compiled eagerly and all together. A rule that does not compile stops the run.

mod anchor;
mod catalogue;
mod compile;
pub(in crate::raw) mod decode;
mod examine;
mod gitleaks;
mod keys;
mod lint;
mod load;
mod packs;
mod place;
mod placeholder;
mod random;
mod scan;
mod shape;
mod spec;
mod trial;
mod validate;

use self::catalogue::Catalogue;
pub use self::catalogue::{KeepInfo, RuleInfo};
use self::compile::{Compiled, compile_all, digits};
pub use self::examine::Examined;
use self::keys::Keys;
pub use self::lint::{Finding, Level};
use self::load::Load;
use self::packs::PACKS;
pub use self::packs::PackInfo;
pub(crate) use self::packs::builtin_ids;
pub(in crate::raw) use self::random::opaque;
use self::scan::Scanner;
pub use self::spec::Confidence;
use self::spec::Keep;
#[cfg(test)]
use self::spec::Pack;
pub use self::trial::Trial;
use super::scrub::tags::Kind;
use crate::error::ConfigError;
use crate::limits;

/// Ids that the program itself uses for what it finds.
const RESERVED: [&str; 3] = [UNKNOWN_TOKEN, "own-rule", "listed"];

/// The id under which tokens are counted that no rule knows but that nobody writes.
const UNKNOWN_TOKEN: &str = "unknown-token";

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
    /// Words of keys under which a rule does not count.
    excluded: Keys,
    /// Words of keys that make a rule surer.
    raising: Keys,
    /// Is the gate by chance on?
    tokens: bool,
    keep: Vec<Keep>,
    own_keep: usize,
    /// Rules that are off, or count for less than they were written to.
    off: u64,
    changes: Vec<String>,
    notes: Vec<String>,
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
        let load = Load::read(own)?;
        if load.rules.len() >= limits::RULES {
            return Err(ConfigError::new(format!("more than {} rules", limits::RULES)));
        }
        let (mut keys, mut excluded, mut raising) = (Keys::default(), Keys::default(), Keys::default());
        for (index, (_, rule, _)) in (1_u16..).zip(&load.rules).filter(|(_, (_, rule, _))| !load.is_off(&rule.id)) {
            for key in rule.context.iter().flat_map(|c| &c.key) {
                keys.add(key, index);
            }
            for key in rule.context.iter().flat_map(|c| &c.exclude) {
                excluded.add(key, index);
            }
            for key in rule.context.iter().flat_map(|c| &c.raise) {
                raising.add(key, index);
            }
        }
        let mut compiled = vec![Compiled::unknown_token()];
        compiled.extend(compile_all(&load.rules)?);
        for (index, (_, rule, _)) in load.rules.iter().enumerate() {
            if load.is_off(&rule.id) {
                compiled[index + 1] = Compiled::unknown_token();
            }
        }
        let numbered = || (0_u16..).zip(&compiled).filter(|(_, rule)| !rule.is_held());
        let anchors = numbered().flat_map(|(n, rule)| rule.anchors.iter().flatten().map(move |a| (n, a.clone())));
        let scanner = Scanner::new(anchors);
        let always = numbered().filter(|(_, rule)| rule.anchors.is_none()).map(|(n, _)| n).collect();
        let tokens = !load.is_off(UNKNOWN_TOKEN);
        let Load { keep, own_keep, off, changed, lowered, notes, catalogue, digest, .. } = load;
        let told = |what: &str, rule: &str, reason: &str| format!("rule '{rule}' {what}: {reason}");
        let changes = off.iter().map(|o| told("is off", &o.rule, &o.reason));
        let changes = changes.chain(changed.iter().map(|c| told("is changed", &c.rule, &c.reason))).collect();
        let off = (off.len() + lowered) as u64;
        Ok(Self {
            rules: compiled,
            scanner,
            always,
            tokens,
            keys,
            excluded,
            raising,
            keep,
            own_keep,
            off,
            changes,
            notes,
            catalogue,
            digest,
        })
    }

    /// What was left out of rules files of other programs.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Rules that files turn off or change, with the reasons that they give, for whoever runs the program.
    #[must_use]
    pub fn changes(&self) -> &[String] {
        &self.changes
    }

    /// How many rules are off, or count for less than they were written to.
    #[must_use]
    pub fn off(&self) -> u64 {
        self.off
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
        if self.tokens {
            random::tokens(text, |start, end| out.push(Found { start, end, rule: 0 }));
        }
    }

    /// The rules that ask for a word of this key.
    pub(in crate::raw) fn of_key(&self, key: &[u8]) -> Vec<u16> {
        let mut asked = self.keys.of(key);
        if !asked.is_empty() {
            let excluded = self.excluded.of(key);
            asked.retain(|rule| !excluded.contains(rule));
        }
        asked
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
    #[must_use]
    pub fn own_keep(&self) -> u64 {
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
        let valid = |text| toml::from_str::<Pack>(text).expect("embedded packs are valid");
        let packs: Vec<Pack> = PACKS.iter().map(|(_, text)| valid(*text)).collect();
        let ids = packs.iter().flat_map(|pack| &pack.rule).map(|rule| rule.id.as_str());
        assert_eq!([UNKNOWN_TOKEN].into_iter().chain(ids).collect::<Vec<_>>(), builtin_ids());
        for pack in packs {
            for rule in pack.rule {
                assert!(rule.examples.len() >= 2 && rule.counterexamples.len() >= 2, "{}", rule.id);
                let compiled = compile::build(&rule).expect("embedded rules compile");
                assert!(compile::failures(&rule, &compiled).is_empty(), "{}: examples do not hold", rule.id);
                let held = rule.is_held();
                assert!(held || rule.examples.iter().all(|e| rules.objects(e.as_bytes())), "{}", rule.id);
            }
        }
    }

    /// What trying every rule on the whole text finds.
    fn by_trying(rules: &Rules, text: &[u8]) -> Vec<Found> {
        let mut out = Vec::new();
        for (number, rule) in (0_u16..).zip(&rules.rules).filter(|(_, rule)| !rule.is_held()) {
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
    fn rules_can_be_turned_off_and_changed_with_a_reason() {
        let own = |text: &str| Rules::with(&[("own.toml".into(), text.into())]);
        let rules = own(
            "[[off]]\nrule='email'\nreason='only test addresses'\n[[off]]\nrule='password'\nreason='made up ones'\n\
                         [[change]]\nrule='phone'\nseverity='critical'\nreason='numbers of patients'\n",
        );
        let rules = rules.expect("sound");
        assert!(!rules.objects(b"jane@example.test") && rules.of_key(b"password").is_empty());
        assert_eq!((rules.off(), rules.severity_of("phone")), (2, crate::Severity::Critical));
        assert!(rules.changes().iter().any(|c| c == "rule 'email' is off: only test addresses"));
        assert_ne!(rules.sha256(), Rules::builtin().sha256());
        let off = |change: &str| {
            own(&format!("[[change]]\nrule='phone'\nreason='numbers of patients'\n{change}\n")).expect("sound").off()
        };
        assert_eq!((off("severity='critical'"), off("severity='low'"), off("confidence='low'")), (0, 1, 1));
        for (text, words) in [
            ("[[off]]\nrule='email'\n", "reason"),
            ("[[off]]\nrule='email'\nreason=''\n", "own.toml:1, rule 'email': say in a few words"),
            (
                "\n[[off]]\nrule='emial'\nreason='only test addresses'\n",
                "own.toml:2, rule 'emial': there is no such rule",
            ),
            ("[[change]]\nrule='phone'\nseverity='huge'\nreason='numbers of patients'\n", "own.toml:3"),
        ] {
            let fault = own(text).expect_err(text).to_string();
            assert!(fault.contains(words), "{words}: {fault}");
        }
    }

    #[test]
    fn rules_of_users_cannot_blow_up() {
        let own = |pattern: &str| {
            let rule = format!("[[rule]]\nid='own'\ncategory='x'\ndescribe='X'\nmatch='{pattern}'\n");
            Rules::with(&[("own.toml".into(), rule)])
        };
        assert!(own("[a-z]{1000}{1000}").expect_err("too large").to_string().contains("own.toml:5, rule 'own'"));
        // What makes other engines backtrack is linear here; a hundred kilobytes of it are done at once.
        let rules = own("(a+)+b").expect("sound");
        assert!(!rules.objects("a".repeat(100_000).as_bytes()));
        // A pattern that finds something everywhere has no anchor and still runs.
        let rules = own("[a-z]*").expect("sound");
        assert!(rules.objects(b"abc"));
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
