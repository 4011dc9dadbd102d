//! Tries rules of rules files on their own examples: all of them, not only up to the first failure.

use super::compile::{build, failures};
use super::lint::{File, Finding, Ids, Level, last_line};
use super::{PACKS, Rules, gitleaks};

/// How one rule did on its own examples.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The file, as it was named.
    pub file: String,
    /// The id of the rule; empty for a part of the file that could not be read.
    pub rule: String,
    /// How many examples were tried; texts that may stay for a keep rule.
    pub examples: usize,
    /// How many counterexamples were tried.
    pub counterexamples: usize,
    /// Is it a keep rule?
    pub is_keep: bool,
    /// Everything that failed; none if the rule holds.
    pub failures: Vec<Finding>,
}

impl Rules {
    /// Tries every rule of these files, given as name and text, on its own examples, in the order of the files.
    #[must_use]
    pub fn try_out(own: &[(String, String)]) -> Vec<Trial> {
        let mut ids = Ids::new(&PACKS);
        let mut out = Vec::new();
        for (name, text) in own {
            if gitleaks::is_one(text) {
                let failures: Vec<Finding> = Self::lint(&[(name.clone(), text.clone())])
                    .into_iter()
                    .filter(|f| f.level == Level::Error)
                    .collect();
                let (file, rule) = (name.clone(), String::new());
                out.push(Trial { file, rule, examples: 0, counterexamples: 0, is_keep: false, failures });
                continue;
            }
            let file = File::read(name, text);
            let taken = ids.add(&file);
            let trial = |rule: &str, mut failures: Vec<Finding>| {
                failures.extend(taken.iter().filter(|finding| finding.rule == rule).cloned());
                let (file, rule) = (name.clone(), rule.to_owned());
                Trial { file, rule, examples: 0, counterexamples: 0, is_keep: false, failures }
            };
            // What could not be read comes first, in one line for each rule.
            for finding in file.findings.chunk_by(|a, b| a.rule == b.rule) {
                out.push(trial(&finding[0].rule, finding.to_vec()));
            }
            let is_misread = |id: &str| file.findings.iter().any(|finding| finding.rule == id);
            for rule in file.rules.iter().filter(|rule| !is_misread(&rule.spec.id)) {
                let spec = &rule.spec;
                let faults = build(spec).map_or_else(|fault| vec![fault], |compiled| failures(spec, &compiled));
                let found = faults.into_iter().map(|fault| {
                    let line = rule.line(fault.field, fault.entry.as_deref());
                    file.finding(line, &spec.id, Level::Error, last_line(&fault.what))
                });
                let (examples, counterexamples) = (spec.examples.len(), spec.counterexamples.len());
                out.push(Trial { examples, counterexamples, ..trial(&spec.id, found.collect()) });
            }
            let keep = file.keep.iter().map(|keep| &keep.spec).filter(|keep| !is_misread(&keep.id));
            out.extend(keep.map(|k| Trial { examples: k.exact.len(), is_keep: true, ..trial(&k.id, Vec::new()) }));
        }
        out
    }
}
