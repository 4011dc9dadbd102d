//! Rules as data: TOML packs compiled eagerly and all together. A rule that does not compile stops the run.

mod spec;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use sha2::{Digest, Sha256};

use self::spec::{Keep, Pack, Rule};
use super::scrub::tags::Kind;
use crate::error::ConfigError;
use crate::limits;

/// The embedded packs.
const PACKS: [(&str, &str); 3] = [
    ("tokens.toml", include_str!("../../../rules/tokens.toml")),
    ("personal.toml", include_str!("../../../rules/personal.toml")),
    ("keep.toml", include_str!("../../../rules/keep.toml")),
];

/// All rules in force, compiled.
#[derive(Debug)]
pub struct Rules {
    patterns: Vec<Regex>,
    /// For each keyword, the rule that asks for it.
    keyword_rule: Vec<usize>,
    keywords: AhoCorasick,
    /// Rules without keywords, which always run.
    always: Vec<usize>,
    keep: Vec<Keep>,
    own_keep: usize,
    digest: String,
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
        let mut digest = Sha256::new();
        let embedded = PACKS.iter().map(|(name, text)| (*name, *text));
        for (name, text) in embedded.chain(own.iter().map(|(n, t)| (n.as_str(), t.as_str()))) {
            let pack: Pack = toml::from_str(text).map_err(|e| ConfigError::new(format!("rules file {name}: {e}")))?;
            digest.update(text.as_bytes());
            own_keep += if own.iter().any(|(n, _)| n == name) { pack.keep.len() } else { 0 };
            rules.extend(pack.rule.into_iter().map(|rule| (name, rule)));
            keep.extend(pack.keep);
        }
        let mut ids: Vec<&str> =
            rules.iter().map(|(_, r)| r.id.as_str()).chain(keep.iter().map(|k| k.id.as_str())).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
            return Err(ConfigError::new(format!("two rules have the id '{}'", twice[0])));
        }
        let mut patterns = Vec::new();
        let (mut words, mut keyword_rule, mut always) = (Vec::new(), Vec::new(), Vec::new());
        for (file, rule) in &rules {
            let index = patterns.len();
            patterns.push(compile(file, rule)?);
            if rule.keywords.is_empty() {
                always.push(index);
            }
            words.extend(rule.keywords.iter().cloned());
            keyword_rule.resize(words.len(), index);
        }
        let keywords = AhoCorasick::builder().ascii_case_insensitive(true).build(&words);
        let keywords = keywords.map_err(|e| ConfigError::new(format!("keywords: {e}")))?;
        let digest: String = digest.finalize().iter().map(|b| format!("{b:02x}")).collect();
        Ok(Self { patterns, keyword_rule, keywords, always, keep, own_keep, digest })
    }

    /// Does any rule find something in this text?
    pub(in crate::raw) fn objects(&self, text: &[u8]) -> bool {
        let asked = self.keywords.find_overlapping_iter(text).map(|m| self.keyword_rule[m.pattern().as_usize()]);
        let mut last = usize::MAX;
        for rule in asked.chain(self.always.iter().copied()) {
            if rule != last && self.patterns[rule].is_match(text) {
                return true;
            }
            last = rule;
        }
        false
    }

    /// Does a keep rule name this text in this part?
    pub(in crate::raw) fn keeps(&self, kind: Kind, text: &[u8]) -> bool {
        self.keep.iter().any(|k| k.applies_to(kind) && k.exact.iter().any(|e| e.as_bytes() == text))
    }

    /// How many rules there are.
    pub(crate) fn count(&self) -> u32 {
        self.patterns.len() as u32
    }

    /// SHA-256 over all packs in force.
    pub(crate) fn digest(&self) -> String {
        self.digest.clone()
    }

    /// What the user added that keeps more than the profile would.
    pub(crate) fn weakened(&self, trees: usize) -> Vec<String> {
        let mut out = Vec::new();
        if self.own_keep > 0 {
            out.push(format!("{} keep rules from --rules", self.own_keep));
        }
        if trees > 0 {
            out.push(format!("names of {trees} source trees from --names-from"));
        }
        out
    }
}

/// Compiles a rule and tries it on its own examples.
fn compile(file: &str, rule: &Rule) -> Result<Regex, ConfigError> {
    let fault = |what: &str| ConfigError::new(format!("rules file {file}, rule '{}': {what}", rule.id));
    if rule.id.is_empty() || rule.category.is_empty() || rule.describe.is_empty() {
        return Err(fault("id, category and describe must not be empty"));
    }
    let both = match &rule.cut {
        Some(cut) => format!("(?:{})|(?:{cut})", rule.pattern),
        None => rule.pattern.clone(),
    };
    let pattern = RegexBuilder::new(&both).unicode(false).size_limit(limits::RULE_BYTES).build();
    let pattern = pattern.map_err(|e| fault(&e.to_string()))?;
    let lower: Vec<String> = rule.keywords.iter().map(|k| k.to_ascii_lowercase()).collect();
    let finds = |text: &String| {
        let text_lower = text.to_ascii_lowercase();
        (lower.is_empty() || lower.iter().any(|k| text_lower.contains(k))) && pattern.is_match(text.as_bytes())
    };
    if let Some(missed) = rule.examples.iter().find(|e| !finds(e)) {
        return Err(fault(&format!("does not find its example '{missed}'")));
    }
    if let Some(wrong) = rule.counterexamples.iter().find(|e| finds(e)) {
        return Err(fault(&format!("finds its counterexample '{wrong}'")));
    }
    Ok(pattern)
}

/// Does a name look made rather than written: long runs of digits, hexadecimal, or mixed letters and digits?
pub(in crate::raw) fn opaque(name: &[u8]) -> bool {
    let digits = name.iter().filter(|b| b.is_ascii_digit()).count();
    if digits >= 6 {
        return true;
    }
    name.split(|b| !b.is_ascii_alphanumeric()).any(|run| {
        let digits = run.iter().filter(|b| b.is_ascii_digit()).count();
        let hex = run.len() >= 8 && digits >= 2 && run.iter().all(u8::is_ascii_hexdigit);
        let changes = run.windows(2).filter(|w| w[0].is_ascii_digit() != w[1].is_ascii_digit()).count();
        hex || (run.len() >= 10 && digits >= 3 && changes >= 4) || run.len() > 60
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_rule_has_examples_that_hold() {
        let rules = Rules::with(&[]).expect("embedded rules compile and hold their examples");
        assert!(rules.count() >= 30, "{}", rules.count());
        for (_, text) in PACKS {
            let pack: Pack = toml::from_str(text).expect("embedded packs are valid");
            for rule in pack.rule {
                assert!(rule.examples.len() >= 2 && rule.counterexamples.len() >= 2, "{}", rule.id);
                assert!(rule.examples.iter().all(|e| rules.objects(e.as_bytes())), "{}", rule.id);
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
    fn names_that_were_made() {
        for made in ["a1b2c3d4", "x7f3a1b2c9", "session_1234567", "k9x2m4q7w1z"] {
            assert!(opaque(made.as_bytes()), "{made}");
        }
        for written in [
            "sha512",
            "base64",
            "utf16le",
            "x86_64",
            "Int32Array",
            "ES2015",
            "toString",
            "feedback",
            "getElementsByTagNameNS",
        ] {
            assert!(!opaque(written.as_bytes()), "{written}");
        }
    }
}
