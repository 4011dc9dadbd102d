//! What is wrong or unwise in rules files: all of it, with places, not only what stops a run first.

use std::collections::BTreeMap;

use serde::Serialize;

use super::compile::{Compiled, build, failures};
use super::place::{self, Entry, Misread};
use super::spec::{Keep, Rule};
use super::{PACKS, RESERVED, Rules, gitleaks};

/// How bad a finding of `lint` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// It works, but it could be better.
    Warning,
    /// It does not work, or not as anybody can want it.
    Error,
}

/// Something wrong or unwise in a rules file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The file, as it was named.
    pub file: String,
    /// The line in it, from 1.
    pub line: usize,
    /// The id of the rule; empty if it is not about one.
    pub rule: String,
    /// How bad it is.
    pub level: Level,
    /// What it is, for people.
    pub what: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&place::message(&self.file, self.line, &self.rule, &self.what))
    }
}

/// Words that stand in every program. A pattern that finds each of them would find everything.
const ORDINARY: [&str; 12] = [
    "identifier",
    "production",
    "application",
    "parameters",
    "javascript",
    "information",
    "description",
    "connection",
    "background",
    "collection",
    "difference",
    "transaction",
];

impl Rules {
    /// Everything wrong or unwise in these rules files, given as name and text, or in the embedded packs if there are none;
    /// in the order of the files and lines.
    #[must_use]
    pub fn lint(own: &[(String, String)]) -> Vec<Finding> {
        let own: Vec<(&str, &str)> = own.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let (embedded, files) = if own.is_empty() { (&[][..], PACKS.to_vec()) } else { (&PACKS[..], own) };
        let mut ids = Ids::new(embedded);
        let mut out = Vec::new();
        for (name, text) in files {
            let file = File::read(name, text);
            if gitleaks::is_one(text) {
                out.extend(Self::lint_gitleaks(&file, text));
                continue;
            }
            let mut findings = file.findings.clone();
            findings.extend(ids.add(&file));
            for (id, line) in file.ids().filter(|(id, _)| !is_kebab_case(id)) {
                let what = "an id is written like this: small-letters-2, with hyphens".to_owned();
                findings.push(file.finding(line, id, Level::Error, what));
            }
            for rule in &file.rules {
                let mut say = |level, field: &str, entry: Option<&str>, what: String| {
                    findings.push(file.finding(rule.line(field, entry), &rule.spec.id, level, what));
                };
                check(&rule.spec, &mut say);
            }
            for keep in file.keep.iter().filter(|keep| keep.spec.exact.is_empty()) {
                let what = "keeps nothing: exact is empty".to_owned();
                findings.push(file.finding(keep.line("exact", None), &keep.spec.id, Level::Warning, what));
            }
            findings.sort_by_key(|finding| finding.line);
            out.extend(findings);
        }
        out
    }

    /// Files of gitleaks have no examples, and their own ways: what stops a run, and what is left out.
    fn lint_gitleaks(file: &File<'_>, text: &str) -> Vec<Finding> {
        match Self::with(&[(file.name.to_owned(), text.to_owned())]) {
            Err(fault) => {
                let told = fault.to_string();
                let place =
                    told.strip_prefix("rules file ").and_then(|rest| rest.strip_prefix(file.name)?.strip_prefix(':'));
                let (digits, what) = place.map_or(("1", told.as_str()), |rest| {
                    rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))
                });
                let what = what.trim_start_matches([':', ',', ' ']).to_owned();
                vec![file.finding(digits.parse().unwrap_or(1), "", Level::Error, what)]
            }
            Ok(rules) => rules.notes().iter().map(|note| file.finding(1, "", Level::Warning, note.clone())).collect(),
        }
    }
}

/// All ids so far, and where they stand.
pub(super) struct Ids(BTreeMap<String, String>);

impl Ids {
    pub(super) fn new(embedded: &[(&str, &str)]) -> Self {
        let mut ids = Self(RESERVED.map(|id| (id.to_owned(), "the program".to_owned())).into());
        for (name, text) in embedded {
            ids.add(&File::read(name, text));
        }
        ids
    }

    /// The ids of a file that were taken before.
    pub(super) fn add(&mut self, file: &File<'_>) -> Vec<Finding> {
        let mut taken = Vec::new();
        for (id, line) in file.ids() {
            if let Some(first) = self.0.get(id) {
                taken.push(file.finding(line, id, Level::Error, format!("the id is taken: {first} has it")));
            } else {
                self.0.insert(id.to_owned(), format!("{}:{line}", file.name));
            }
        }
        taken
    }
}

/// One rules file, read as far as it can be.
pub(super) struct File<'t> {
    name: &'t str,
    pub(super) rules: Vec<Entry<'t, Rule>>,
    pub(super) keep: Vec<Entry<'t, Keep>>,
    /// What could not be read.
    pub(super) findings: Vec<Finding>,
}

impl<'t> File<'t> {
    pub(super) fn read(name: &'t str, text: &'t str) -> Self {
        let mut file = Self { name, rules: Vec::new(), keep: Vec::new(), findings: Vec::new() };
        let faults = match place::parse(text) {
            Err(faults) => faults,
            Ok(table) => {
                let mut faults = place::strangers(text, table.get_ref());
                file.rules = place::read(text, table.get_ref(), "rule", &mut faults);
                file.keep = place::read(text, table.get_ref(), "keep", &mut faults);
                faults
            }
        };
        let finding = |Misread { line, rule, what }| file.finding(line, &rule, Level::Error, what);
        file.findings = faults.into_iter().map(finding).collect();
        file.findings.sort_by_key(|finding| finding.line);
        file
    }

    fn ids(&self) -> impl Iterator<Item = (&str, usize)> {
        let rules = self.rules.iter().map(|rule| (rule.spec.id.as_str(), rule.line("id", None)));
        rules.chain(self.keep.iter().map(|keep| (keep.spec.id.as_str(), keep.line("id", None))))
    }

    pub(super) fn finding(&self, line: usize, rule: &str, level: Level, what: String) -> Finding {
        Finding { file: self.name.to_owned(), line, rule: rule.to_owned(), level, what }
    }
}

/// Where a check says what it found: level, field, entry of the field, words.
type Say<'a> = dyn FnMut(Level, &str, Option<&str>, String) + 'a;

fn check(rule: &Rule, say: &mut Say<'_>) {
    for (field, list) in [("examples", &rule.examples), ("counterexamples", &rule.counterexamples)] {
        if list.len() < 2 {
            let what = format!("{field}: {}, but two or more are wanted", if list.is_empty() { "none" } else { "one" });
            say(Level::Warning, field, None, what);
        }
    }
    if rule.keywords.is_empty() && rule.digits == 0 && !rule.is_held() {
        let what = "runs on every text, which is slow: give keywords, digits or context.key";
        say(Level::Warning, "match", None, what.to_owned());
    }
    if !rule.describe.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) {
        say(Level::Warning, "describe", None, "describe begins with a capital".to_owned());
    }
    check_keywords(rule, say);
    match build(rule) {
        Err(fault) => say(Level::Error, fault.field, fault.entry.as_deref(), last_line(&fault.what)),
        Ok(compiled) => check_compiled(rule, &compiled, say),
    }
}

/// A keyword that occurs neither in an example nor in the pattern is probably mistyped, and the rule never runs for it.
fn check_keywords(rule: &Rule, say: &mut Say<'_>) {
    let examples: Vec<String> = rule.examples.iter().map(|e| e.to_ascii_lowercase()).collect();
    let pattern = format!("{} {}", rule.pattern, rule.cut.as_deref().unwrap_or_default());
    let pattern = pattern.replace('\\', "").to_ascii_lowercase();
    let occurs = |keyword: &&String| {
        let lower = keyword.to_ascii_lowercase();
        examples.iter().any(|e| e.contains(&lower)) || pattern.contains(&lower)
    };
    let unseen: Vec<&str> = rule.keywords.iter().filter(|k| !occurs(k)).map(String::as_str).collect();
    if let Some(first) = unseen.first() {
        say(
            Level::Warning,
            "keywords",
            Some(first),
            format!("keywords that occur in no example: {}", unseen.join(", ")),
        );
    }
}

fn check_compiled(rule: &Rule, compiled: &Compiled, say: &mut Say<'_>) {
    if compiled.pattern.is_match(b"") {
        say(Level::Error, "match", None, "the pattern finds the empty text".to_owned());
    } else if !rule.is_held() && ORDINARY.iter().all(|word| finds(compiled, word)) {
        let what = "too broad: the pattern finds every ordinary word, such as 'identifier' and 'connection'";
        say(Level::Error, "match", None, what.to_owned());
    }
    for fault in failures(rule, compiled) {
        say(Level::Error, fault.field, fault.entry.as_deref(), fault.what);
    }
}

fn finds(compiled: &Compiled, text: &str) -> bool {
    let mut found = false;
    compiled.find(text.as_bytes(), |_, _| found = true);
    found
}

/// Errors of patterns come with a drawing; its last line says it in words.
pub(super) fn last_line(what: &str) -> String {
    let last = what.lines().last().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

fn is_kebab_case(id: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    id.split('-').all(is_part) && id.starts_with(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_packs_have_no_faults() {
        let errors: Vec<_> = Rules::lint(&[]).into_iter().filter(|f| f.level == Level::Error).collect();
        assert_eq!(errors, []);
    }

    #[test]
    fn ids() {
        for good in ["a", "github-token", "base64", "us-social-2"] {
            assert!(is_kebab_case(good), "{good}");
        }
        for bad in ["", "GitHub", "a_b", "-a", "a-", "a--b", "2a", "a b"] {
            assert!(!is_kebab_case(bad), "{bad}");
        }
    }
}
