//! What rules say about single texts, for those who test rules: places and ids, never the text.

use std::io::{BufRead, Read};

use serde::{Deserialize, Serialize};

use super::decode::{self, Tried};
use super::spec::Confidence;
use super::{Found, Rules};
use crate::error::ConfigError;
use crate::limits;

/// What rules say about one text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Examined {
    /// The ids of the rules that found something, in order.
    pub rules: Vec<String>,
    /// How sure the surest of them is.
    pub confidence: Option<Confidence>,
    /// The places, as first byte and end; those that overlap are one.
    pub spans: Vec<(usize, usize)>,
}

/// One line of a file of texts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    text: String,
    /// The key that holds it.
    key: Option<String>,
    /// The class of the object that holds it.
    owner: Option<String>,
}

impl Rules {
    /// What rules say about a text that is the value of something.
    #[must_use]
    pub fn examine(&self, text: &str, key: Option<&str>, owner: Option<&str>) -> Examined {
        let text = text.as_bytes();
        let raised = key.map_or_else(Vec::new, |key| self.raising.of(key.as_bytes()));
        let (mut found, mut surest) = (Vec::new(), None);
        let mut add = |hit: Found, sure: Confidence| {
            surest = surest.max(Some(if raised.contains(&hit.rule) { sure.raised() } else { sure }));
            found.push(hit);
        };
        self.in_forms(text, true, (limits::DECODE_DEPTH, Tried::default()), &mut add);
        if let Some(key) = key {
            for rule in self.of_key(key.as_bytes()) {
                if self.holds(rule, |_| false, |name| owner.is_some_and(|owner| owner.as_bytes() == name)) {
                    self.find_held(rule, text, |start, end| {
                        add(Found { start, end, rule }, self.rules[usize::from(rule)].confidence(&text[start..end]));
                    });
                }
            }
        }
        let mut rules: Vec<u16> = found.iter().map(|hit| hit.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        let id = |rule: &u16| self.catalogue.id(*rule).to_owned();
        Examined { rules: rules.iter().map(id).collect(), confidence: surest, spans: merged(found) }
    }

    /// A text and the texts inside it; what is found inside stands for the place in the text itself.
    fn in_forms(
        &self,
        text: &[u8],
        is_whole: bool,
        (depth, tried): (u32, Tried),
        each: &mut dyn FnMut(Found, Confidence),
    ) {
        let (mut found, has_run) = (Vec::new(), decode::has_run(text));
        self.find(text, &mut found);
        if has_run && is_whole {
            self.find_tokens(text, &mut found);
        }
        for hit in found {
            each(hit, self.rules[usize::from(hit.rule)].confidence(&text[hit.start..hit.end]));
        }
        if depth > 0 {
            decode::forms(text, has_run, tried, &mut |decoded, tried| {
                let is_whole = is_whole && !decoded.is_torn;
                self.in_forms(&decoded.text, is_whole, (depth - 1, tried), &mut |hit, confidence| {
                    let (start, end) = decoded.original(hit.start, hit.end);
                    each(Found { start, end, ..hit }, confidence);
                });
            });
        }
    }

    /// Examines lines of JSON, `{"text": …, "key": …, "owner": …}`, and gives what rules say about each.
    ///
    /// # Errors
    /// When a line is no such object; the line is named, not shown.
    pub fn examine_lines(&self, input: impl Read, mut each: impl FnMut(&Examined)) -> Result<(), ConfigError> {
        let mut input = std::io::BufReader::new(input);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let fault = |what: &str| ConfigError::new(format!("line {number}: {what}"));
            let read = input.by_ref().take(limits::TEST_LINE_BYTES + 1).read_until(b'\n', &mut line);
            match read {
                Ok(0) => break,
                Ok(_) if line.len() as u64 > limits::TEST_LINE_BYTES => return Err(fault("longer than 16 MiB")),
                Ok(_) => {}
                Err(e) => return Err(fault(&e.kind().to_string())),
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            // The message of the reader would quote the line.
            let line: Line = serde_json::from_slice(&line).map_err(|_| {
                fault("not an object of \"text\" and, if wanted, \"key\" and \"owner\", all of them texts")
            })?;
            each(&self.examine(&line.text, line.key.as_deref(), line.owner.as_deref()));
        }
        Ok(())
    }
}

/// Places that overlap are one.
fn merged(mut found: Vec<Found>) -> Vec<(usize, usize)> {
    found.sort_unstable_by_key(|hit| (hit.start, hit.end));
    let mut out: Vec<(usize, usize)> = Vec::new();
    for hit in found {
        match out.last_mut() {
            Some(last) if hit.start < last.1 => last.1 = last.1.max(hit.end),
            _ => out.push((hit.start, hit.end)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rules: &Rules, (text, key): (&str, Option<&str>), ids: &[&str], spans: &[(usize, usize)], sure: &str) {
        let found = rules.examine(text, key, None);
        assert_eq!(
            (found.rules, found.spans),
            (ids.iter().map(|id| (*id).to_owned()).collect(), spans.to_vec()),
            "{text}"
        );
        assert_eq!(found.confidence.map_or("", Confidence::name), sure, "{text}");
    }

    #[test]
    fn what_rules_say_about_single_texts() {
        let rules = Rules::builtin();
        check(&rules, ("nothing to see", None), &[], &[], "");
        check(&rules, ("mail jane@acme-parts.de now", None), &["email"], &[(5, 23)], "medium");
        check(&rules, ("hunter2", None), &[], &[], "");
        check(&rules, ("tulip77garden", Some("userPassword")), &["password"], &[(0, 13)], "medium");
        check(&rules, ("x amFuZUBhY21lLXBhcnRzLmRl y", None), &["email"], &[(2, 26)], "medium");
    }

    #[test]
    fn validators_and_keys_make_a_rule_surer() {
        let own = "[[rule]]\nid='own'\ncategory='x'\ndescribe='X'\nmatch='[0-9]{16}'\nvalidator='luhn'\nconfidence='low'\n\
                   [rule.context]\nraise=['card']\n";
        let rules = Rules::with(&[("own.toml".into(), own.into())]).expect("sound");
        let sure = |text: &str, key| rules.examine(text, key, None).confidence;
        assert_eq!(sure("1234567890123456", None), Some(Confidence::Low));
        assert_eq!(sure("1234567890123456", Some("cardNumber")), Some(Confidence::Medium));
        assert_eq!(sure("4929847361205531", None), Some(Confidence::High));
        assert_eq!(sure("4111111111111111", None), Some(Confidence::Low), "everybody's example");
    }

    #[test]
    fn lines_that_are_wrong_are_named_and_not_shown() {
        let rules = Rules::builtin();
        let run = |text: &str| {
            let mut out = Vec::new();
            rules.examine_lines(text.as_bytes(), |found| out.push(found.rules.clone())).map(|()| out)
        };
        let fine = "{\"text\":\"a@b.test\"}\n\n{\"text\":\"hunter2\",\"key\":\"pwd\"}";
        assert_eq!(run(fine).expect("fine"), [vec!["email".to_owned()], vec!["password".to_owned()]]);
        for bad in ["{\"text\":7}", "canary", "{\"text\":\"x\",\"canary\":\"y\"}", "[\"canary\"]"] {
            let fault = run(&format!("{{\"text\":\"x\"}}\n{bad}\n")).expect_err(bad).to_string();
            assert!(fault.starts_with("line 2: ") && !fault.contains("canary"), "{fault}");
        }
    }
}
