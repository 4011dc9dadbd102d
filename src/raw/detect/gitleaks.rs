//! Rules files of gitleaks, as they are: patterns, keywords, entropy, groups and allowlists mean the same here.
//!
//! What a file says about paths and commits has no meaning for a heap; it is left out, said aloud, and never makes a rule
//! find less. A field that is not known is refused by its name.

use serde::Deserialize;
use toml::de::DeTable;

use super::spec::{Pack, Rule};

/// One file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct File {
    #[serde(default, rename = "title")]
    _title: Option<String>,
    #[serde(default, rename = "description")]
    _description: Option<String>,
    #[serde(default, rename = "minVersion")]
    _min_version: Option<String>,
    extend: Option<Extend>,
    #[serde(default)]
    rules: Vec<Theirs>,
    allowlist: Option<Allow>,
    #[serde(default)]
    allowlists: Vec<Allow>,
}

/// The rules of gitleaks itself are not here; those of this program are always in force.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Extend {
    #[serde(default)]
    use_default: bool,
    path: Option<String>,
    url: Option<String>,
    #[serde(default)]
    disabled_rules: Vec<String>,
}

/// Another rule that must find something near by.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Required {
    #[serde(rename = "id")]
    _id: String,
    #[serde(default, rename = "withinLines")]
    _within_lines: Option<u32>,
    #[serde(default, rename = "withinColumns")]
    _within_columns: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Theirs {
    id: String,
    #[serde(default)]
    description: String,
    regex: Option<String>,
    path: Option<String>,
    #[serde(default)]
    keywords: Vec<String>,
    entropy: Option<f64>,
    #[serde(default)]
    secret_group: usize,
    #[serde(default, rename = "tags")]
    _tags: Vec<String>,
    allowlist: Option<Allow>,
    #[serde(default)]
    allowlists: Vec<Allow>,
    #[serde(default)]
    required: Vec<Required>,
    #[serde(default)]
    skip_report: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Allow {
    #[serde(default, rename = "description")]
    _description: String,
    condition: Option<Condition>,
    #[serde(default)]
    commits: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    regexes: Vec<String>,
    regex_target: Option<Target>,
    #[serde(default)]
    stopwords: Vec<String>,
    /// Of an allowlist of the whole file: the rules that it is for; all if there are none.
    #[serde(default)]
    target_rules: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
enum Condition {
    #[serde(rename = "OR", alias = "or", alias = "||")]
    Or,
    #[serde(rename = "AND", alias = "and", alias = "&&")]
    And,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Target {
    Secret,
    Match,
    Line,
}

/// What the ids of these rules begin with here, so that they can have names of our own.
pub(super) const PREFIX: &str = "gitleaks-";

/// Is this a file of gitleaks?
pub(super) fn is_one(text: &str) -> bool {
    let (file, _) = DeTable::parse_recoverable(text);
    let has = |key: &str| file.get_ref().iter().any(|(k, _)| k.get_ref() == key);
    !(has("rule") || has("keep")) && ["rules", "extend", "allowlist", "allowlists"].into_iter().any(has)
}

/// Reads a file; what has no meaning here is told in `notes`.
pub(super) fn read(name: &str, text: &str, notes: &mut Vec<String>) -> Result<Pack, toml::de::Error> {
    let file: File = toml::from_str(text)?;
    let mut note = |what: String| notes.push(format!("{name}: {what}"));
    if file.extend.as_ref().is_some_and(|extend| extend.use_default) {
        note(
            "extend.useDefault: the rules of this program are always in force, those of gitleaks are not part of it"
                .into(),
        );
    }
    if let Some(extend) = &file.extend {
        // Rules of a file that is not read would not be there.
        if extend.path.is_some() || extend.url.is_some() {
            let what =
                "extend.path and extend.url read nothing here: pass that file with --rules too, and leave them out";
            return Err(serde::de::Error::custom(what));
        }
        if !extend.disabled_rules.is_empty() {
            note(
                "extend.disabledRules: the rules of gitleaks are not part of this program; [[off]] turns off its own"
                    .into(),
            );
        }
    }
    let shared: Vec<Allow> = file.allowlist.into_iter().chain(file.allowlists).collect();
    let mut pack = Pack::default();
    for target in shared.iter().flat_map(|allow| &allow.target_rules) {
        if !file.rules.iter().any(|rule| rule.id == *target) {
            let what = format!("targetRules names '{target}', and there is no such rule in the file");
            return Err(serde::de::Error::custom(what));
        }
    }
    for theirs in file.rules {
        if theirs.path.is_some() {
            note(format!("rule '{}': path has no meaning for a heap", theirs.id));
        }
        let regex = match theirs.regex {
            Some(regex) => regex,
            None if theirs.path.is_some() => continue,
            None => return Err(serde::de::Error::custom("missing field `regex`, in a file of gitleaks")),
        };
        let mut rule = Rule::bare(format!("{PREFIX}{}", theirs.id), regex);
        rule.describe = if theirs.description.is_empty() { theirs.id.clone() } else { theirs.description };
        (rule.keywords, rule.entropy, rule.group) = (theirs.keywords, theirs.entropy, Some(theirs.secret_group));
        // Whatever makes gitleaks report less is left out: what a rule finds goes.
        if !theirs.required.is_empty() {
            note(format!("rule '{}': required is left out, the rule finds without the others too", theirs.id));
        }
        if theirs.skip_report {
            note(format!("rule '{}': skipReport is left out, what it finds goes all the same", theirs.id));
        }
        let is_for = |allow: &&Allow| allow.target_rules.is_empty() || allow.target_rules.contains(&theirs.id);
        let shared = shared.iter().filter(is_for).cloned();
        for allow in theirs.allowlist.into_iter().chain(theirs.allowlists).chain(shared) {
            allow.add_to(&mut rule, &mut |what| note(format!("rule '{}': {what}", theirs.id)));
        }
        pack.rule.push(rule);
    }
    notes.dedup();
    Ok(pack)
}

impl Allow {
    fn add_to(self, rule: &mut Rule, note: &mut dyn FnMut(&str)) {
        let is_elsewhere = !self.commits.is_empty() || !self.paths.is_empty();
        if is_elsewhere {
            note("allowlists of commits and paths have no meaning for a heap");
        }
        let both = !self.regexes.is_empty() && !self.stopwords.is_empty();
        if self.condition == Some(Condition::And) && (is_elsewhere || both) {
            // Allowing less than it says is safe, allowing more is not.
            return note("an allowlist with the condition AND over several fields allows nothing here");
        }
        rule.stop.extend(self.stopwords);
        let all: Vec<String> = self.regexes.iter().map(|regex| format!("(?:{regex})")).collect();
        if all.is_empty() {
            return;
        }
        let field = match self.regex_target {
            None | Some(Target::Secret) => &mut rule.except,
            Some(Target::Match) => &mut rule.except_match,
            Some(Target::Line) => {
                note("regexTarget line: only what is found is compared, not what stands beside it");
                &mut rule.except_match
            }
        };
        let before = field.take().into_iter();
        *field = Some(before.chain(all).collect::<Vec<_>>().join("|"));
    }
}

#[cfg(test)]
mod tests {
    use crate::raw::detect::Rules;

    fn load(text: &str) -> Result<Rules, String> {
        Rules::with(&[("leaks.toml".into(), text.into())]).map_err(|e| e.to_string())
    }

    #[track_caller]
    fn check(rules: &Rules, text: &str, spans: &[(usize, usize)]) {
        let found = rules.examine(text, None, None);
        assert_eq!(found.spans, spans, "{text}: {:?}", found.rules);
    }

    #[test]
    fn files_of_gitleaks_mean_the_same_here() {
        let rules = load(
            r#"
            title = "ours"
            [extend]
            useDefault = true
            [allowlist]
            paths = ['''node_modules''']
            stopwords = ["placeholder"]
            [[rules]]
            id = "acme"
            description = "Acme"
            regex = '''acme_(?:id|key)=([a-z0-9]{8,})'''
            keywords = ["ACME_"]
            entropy = 2.5
            [[rules.allowlists]]
            regexes = ['''^test''']
            [[rules]]
            id = "jwt"
            regex = '''(zz)-([a-z]{4})'''
            secretGroup = 2
            path = '''\.env$'''
            [[rules.allowlists]]
            regexTarget = "match"
            regexes = ['''^zz-aa''']
            "#,
        );
        let rules = rules.expect("sound");
        check(&rules, "acme_key=k3j9x2m1q now", &[(9, 18)]);
        check(&rules, "acme_key=aaaaaaaaaa", &[]);
        check(&rules, "acme_id=testk3j9x2", &[]);
        check(&rules, "acme_key=placeholder7", &[]);
        check(&rules, "zz-bbbb", &[(3, 7)]);
        check(&rules, "zz-aabb", &[]);
        let notes = rules.notes().join("\n");
        for word in ["useDefault", "rule 'jwt': path", "commits and paths"] {
            assert!(notes.contains(word), "{word}: {notes}");
        }
        assert_eq!(rules.examine("zz-bbbb", None, None).rules, ["gitleaks-jwt"]);
    }

    #[test]
    fn what_is_not_known_is_refused_by_name_and_line() {
        let rule = "[[rules]]\nid = 'a'\nregex = 'abc+'\n";
        for (text, words) in [
            (format!("{rule}skipReports = true\n"), "leaks.toml:4"),
            (format!("{rule}skipReports = true\n"), "skipReports"),
            (format!("{rule}[[rules.required]]\nid = 'b'\nwithin = 3\n"), "within"),
            (format!("{rule}entropy = 'high'\n"), "leaks.toml:4"),
            (format!("{rule}secretGroup = 3\n"), "secretGroup"),
            (format!("{rule}[[rules.allowlists]]\ncondition = 'XOR'\n"), "XOR"),
            (format!("{rule}[[rules.allowlists]]\nregexTarget = 'file'\n"), "leaks.toml:5"),
            (format!("{rule}[[rules.allowlists]]\nregexes = ['(']\n"), "rule 'a'"),
            (format!("{rule}[[allowlists]]\ntargetRules = ['b']\nstopwords = ['test']\n"), "targetRules"),
            (format!("{rule}{rule}"), "two rules have the id"),
            ("[extend]\npath = 'other.toml'\n".to_owned(), "extend.path"),
            ("[extend]\nurl = 'x'\n".to_owned(), "extend.url"),
            (format!("{rule}[[rules]]\nid = 'b'\nregex = '('\n"), "leaks.toml:6, rule 'b'"),
            (format!("{rule}[[rules]]\nid = 'b'\nregex = '(?=x)'\n"), "look-around"),
            ("[[rules]\n".to_owned(), "leaks.toml:1"),
            ("[[rules]]\nid = 'a'\n".to_owned(), "missing field `regex`"),
            ("[[rules]]\nid = 'a'\nmatch = 'b'\n".to_owned(), "unknown field `match`"),
        ] {
            let fault = load(&text).expect_err(&text);
            assert!(fault.contains(words), "{words}: {fault}");
        }
    }

    #[test]
    fn what_makes_gitleaks_report_less_is_told_and_left_out() {
        let rules = load(
            "[extend]\nuseDefault=true\ndisabledRules=['x']\n[[rules]]\nid='a'\nregex='abc[0-9]+'\nskipReport=true\ntags=['t']\n\
             [[rules.required]]\nid='b'\nwithinLines=3\nwithinColumns=9\n[[rules]]\nid='b'\nregex='xyz[0-9]+'\n\
             [[rules]]\nid='c'\npath='x'\n[[allowlists]]\ntargetRules=['b']\nregexes=['xyz1']\n",
        );
        let rules = rules.expect("sound");
        check(&rules, "abc123", &[(0, 6)]);
        check(&rules, "xyz123", &[]);
        check(&rules, "xyz223", &[(0, 6)]);
        let notes = rules.notes().join("\n");
        for word in ["disabledRules", "rule 'a': required", "rule 'a': skipReport", "rule 'c': path"] {
            assert!(notes.contains(word), "{word}: {notes}");
        }
    }

    #[test]
    fn an_allowlist_that_needs_a_path_too_allows_nothing() {
        let rules = load(
            "[[rules]]\nid='a'\nregex='abc[0-9]+'\n[[rules.allowlists]]\ncondition='AND'\npaths=['x']\nregexes=['abc1']\n",
        );
        check(&rules.expect("sound"), "abc123", &[(0, 6)]);
    }
}
