//! What the rules in force are, for people: ids, forms, keys, examples. Packs and rules files only, no input.

use serde::Serialize;

use super::spec::{Confidence, Keep, Pack, Rule};
use super::validate::Validator;
use super::{Rules, UNKNOWN_TOKEN};
use crate::severity::Severity;

/// Where rules stand that are part of the program itself.
const PROGRAM: &str = "built in";

/// One rule, as it was written.
#[derive(Clone, Debug, Serialize)]
pub struct RuleInfo {
    /// Its name, which never changes its meaning.
    pub id: String,
    /// What kind of thing it finds.
    pub category: String,
    /// How bad it is when that gets out.
    pub severity: Severity,
    /// What it finds, in a line.
    pub describe: String,
    /// The file that it stands in.
    pub pack: String,
    /// Did the user bring it?
    pub is_own: bool,
    /// Does it look at texts under certain keys only, rather than at every text?
    pub is_context: bool,
    /// The words of those keys.
    pub keys: Vec<String>,
    /// Keys of which one must stand beside them.
    pub siblings: Vec<String>,
    /// Classes of which the owner must be one.
    pub owners: Vec<String>,
    /// The form; empty for the gate by chance.
    pub pattern: String,
    /// The form when the snapshot cut the text.
    pub cut: Option<String>,
    /// What is found does not count if this finds it.
    pub except: Option<String>,
    /// What is found counts only if it looks like this, in the word of rules files: `made`, `token`.
    pub looks: Option<String>,
    /// Digits that a text must have.
    pub digits: usize,
    /// Bits that each byte of what is found must have.
    pub entropy: Option<f64>,
    /// Words that tell that it is none.
    pub stop: Vec<String>,
    /// What makes the rule sure where it is right, in the word of rules files.
    pub validator: Option<&'static str>,
    /// How sure it is without.
    pub confidence: Confidence,
    /// Words of keys that make it surer.
    pub raising: Vec<String>,
    /// Words of keys that rule it out.
    pub excluded: Vec<String>,
    /// Words of which a text must have one.
    pub keywords: Vec<String>,
    /// When it finds what is none.
    pub note: Option<String>,
    /// Invented texts that it finds.
    pub examples: Vec<String>,
    /// Invented texts that it does not find.
    pub counterexamples: Vec<String>,
}

/// One keep rule, as it was written.
#[derive(Clone, Debug, Serialize)]
pub struct KeepInfo {
    /// Its name.
    pub id: String,
    /// The file that it stands in.
    pub pack: String,
    /// Did the user bring it?
    pub is_own: bool,
    /// The texts that may stay.
    pub exact: Vec<String>,
    /// The parts in which they may stay; all names, and no values, when empty.
    pub roles: Vec<&'static str>,
}

/// All rules and keep rules in force, in the order of their packs.
#[derive(Debug)]
pub(super) struct Catalogue {
    rules: Vec<RuleInfo>,
    keep: Vec<KeepInfo>,
}

impl Catalogue {
    /// Only the gate by chance, which stands in no pack.
    pub(super) fn new() -> Self {
        let unknown = RuleInfo {
            id: UNKNOWN_TOKEN.to_owned(),
            category: "chance".to_owned(),
            severity: Severity::of_category("chance"),
            describe: "Long runs of letters and digits that look like chance and that no other rule knows".to_owned(),
            pack: PROGRAM.to_owned(),
            is_own: false,
            is_context: false,
            keys: Vec::new(),
            siblings: Vec::new(),
            owners: Vec::new(),
            pattern: String::new(),
            cut: None,
            except: None,
            looks: None,
            digits: 0,
            entropy: None,
            stop: Vec::new(),
            validator: None,
            confidence: Confidence::Low,
            raising: Vec::new(),
            excluded: Vec::new(),
            keywords: Vec::new(),
            note: Some("digests, ids of builds and packed data look the same".to_owned()),
            examples: ["id xK9mQ2vLr7TbN4wZc8YpH3sD end", "Zk81mQ0v2LrTb94wXc7YpH3sDn6J"].map(str::to_owned).into(),
            counterexamples: ["0123456789abcdef0123456789abcdef", "getElementsByClassName2FromDocument3"]
                .map(str::to_owned)
                .into(),
        };
        Self { rules: vec![unknown], keep: Vec::new() }
    }

    /// The id of a rule by its number.
    pub(super) fn id(&self, rule: u16) -> &str {
        &self.rules[usize::from(rule)].id
    }

    pub(super) fn add(&mut self, name: &str, pack: &Pack, is_own: bool) {
        self.rules.extend(pack.rule.iter().map(|rule| RuleInfo::new(name, rule, is_own)));
        self.keep.extend(pack.keep.iter().map(|keep| KeepInfo::new(name, keep, is_own)));
    }
}

impl RuleInfo {
    fn new(pack: &str, rule: &Rule, is_own: bool) -> Self {
        let context = |list: fn(&super::spec::Context) -> &Vec<String>| {
            rule.context.as_ref().map(list).cloned().unwrap_or_default()
        };
        Self {
            id: rule.id.clone(),
            category: rule.category.clone(),
            severity: rule.severity.unwrap_or_else(|| Severity::of_category(&rule.category)),
            describe: rule.describe.clone(),
            pack: pack.to_owned(),
            is_own,
            is_context: rule.is_held(),
            keys: context(|c| &c.key),
            siblings: context(|c| &c.sibling),
            owners: context(|c| &c.owner),
            pattern: rule.pattern.clone(),
            cut: rule.cut.clone(),
            except: rule.except.clone(),
            looks: rule.looks.and_then(|looks| Some(serde_json::to_value(looks).ok()?.as_str()?.to_owned())),
            digits: rule.digits,
            entropy: rule.entropy,
            stop: rule.stop.clone(),
            validator: rule.validator.map(Validator::name),
            confidence: rule.confidence.unwrap_or(Confidence::Medium),
            raising: context(|c| &c.raise),
            excluded: context(|c| &c.exclude),
            keywords: rule.keywords.clone(),
            note: rule.note.clone(),
            examples: rule.examples.clone(),
            counterexamples: rule.counterexamples.clone(),
        }
    }

    /// The kind in the placeholders that it leaves: its id, or `own-rule` for rules of users, whose ids are no closed list.
    #[must_use]
    pub fn placeholder(&self) -> &str {
        if self.is_own { OWN_RULE } else { &self.id }
    }
}

impl KeepInfo {
    fn new(pack: &str, keep: &Keep, is_own: bool) -> Self {
        let roles = keep.roles.iter().map(|role| role.name()).collect();
        Self { id: keep.id.clone(), pack: pack.to_owned(), is_own, exact: keep.exact.clone(), roles }
    }
}

/// The kind in placeholders for what rules of users find.
const OWN_RULE: &str = "own-rule";
/// The kind in placeholders for values that the user listed.
const LISTED: &str = "listed";

impl Rules {
    /// All rules in force, the gate by chance first, then pack by pack.
    pub fn catalogue(&self) -> impl Iterator<Item = &RuleInfo> {
        self.catalogue.rules.iter()
    }

    /// All keep rules in force, pack by pack.
    pub fn keep_rules(&self) -> impl Iterator<Item = &KeepInfo> {
        self.catalogue.keep.iter()
    }

    /// How bad a finding is, by the word that ledgers and placeholders have for it: the id of a rule, `own-rule` (then the
    /// worst of the user's own rules) or `listed`. A word that is not known counts as high.
    #[must_use]
    pub fn severity_of(&self, word: &str) -> Severity {
        let of = |is: &dyn Fn(&RuleInfo) -> bool| self.catalogue().filter(|r| is(r)).map(|r| r.severity).max();
        match word {
            OWN_RULE => of(&|rule| rule.is_own),
            LISTED => None,
            id => of(&|rule| rule.id == id),
        }
        .unwrap_or(Severity::High)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::detect::builtin_ids;

    #[test]
    fn the_catalogue_lists_the_rules_in_the_order_of_their_numbers() {
        let rules = Rules::builtin();
        assert_eq!(rules.catalogue().map(|r| r.id.as_str()).collect::<Vec<_>>(), builtin_ids());
        assert!(rules.keep_rules().any(|k| k.id == "http-methods" && k.roles == ["value"]));
    }

    #[test]
    fn severities() {
        let own = "[[rule]]\nid='own'\ncategory='mine'\ndescribe='x'\nmatch='ab+'\nseverity='critical'\n";
        let rules = Rules::with(&[("own.toml".into(), own.into())]).expect("valid");
        for (word, expected) in [
            ("unknown-token", Severity::Low),
            ("email", Severity::Medium),
            ("prompt", Severity::Medium),
            ("github-token", Severity::High),
            ("private-key", Severity::Critical),
            ("key-material", Severity::Critical),
            ("own-rule", Severity::Critical),
            ("own", Severity::Critical),
            ("listed", Severity::High),
            ("never heard of", Severity::High),
        ] {
            assert_eq!(rules.severity_of(word), expected, "{word}");
        }
        assert_eq!(Rules::builtin().severity_of("own-rule"), Severity::High, "no own rules");
    }

    #[test]
    fn a_file_with_the_name_of_an_embedded_pack_is_still_own() {
        let own = "[[rule]]\nid='own'\ncategory='x'\ndescribe='X'\nmatch='ab+'\n";
        let rules = Rules::with(&[("keep.toml".into(), own.into())]).expect("valid");
        let is_own = |id: &str| rules.catalogue().any(|r| r.id == id && r.is_own && r.placeholder() == OWN_RULE);
        assert!(is_own("own") && !is_own("email"));
        assert_eq!(rules.own_keep(), 0, "the embedded keep rules are not the user's");
    }

    #[test]
    fn the_gate_by_chance_holds_its_own_examples() {
        let rules = Rules::builtin();
        let unknown = rules.catalogue().next().expect("the first rule");
        let finds = |text: &String| {
            let mut found = Vec::new();
            rules.find_tokens(text.as_bytes(), &mut found);
            !found.is_empty()
        };
        assert!(unknown.examples.iter().all(finds) && !unknown.counterexamples.iter().any(finds));
    }
}
