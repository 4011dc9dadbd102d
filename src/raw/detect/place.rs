//! Where in a rules file something stands: file, line and rule for every fault.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::compile::Fault;
use crate::error::{ConfigError, is_repeatable};

/// One `[[rule]]` or `[[keep]]`, read, with the places of its fields.
#[derive(Debug)]
pub(super) struct Entry<'t, T> {
    text: &'t str,
    table: DeTable<'t>,
    start: usize,
    pub(super) spec: T,
}

/// Something that cannot be read.
#[derive(Debug)]
pub(super) struct Misread {
    pub(super) line: usize,
    pub(super) rule: String,
    pub(super) what: String,
}

impl<T> Entry<'_, T> {
    /// The line of a field, or of an entry of it; where the rule begins if there is none.
    pub(super) fn line(&self, field: &str, entry: Option<&str>) -> usize {
        line(self.text, at(&self.table, field, entry).unwrap_or(self.start))
    }
}

/// The line of a byte.
fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|b| *b == b'\n').count()
}

/// Where a field stands in the table of a rule.
fn at(table: &DeTable<'_>, field: &str, entry: Option<&str>) -> Option<usize> {
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == field)?;
    let list = value.get_ref().as_array();
    let found = list.and_then(|list| list.iter().find(|v| entry.is_some() && v.get_ref().as_str() == entry));
    Some(found.map_or_else(|| key.span().start, |v| v.span().start))
}

/// All tables of one kind (`rule`, `keep`) in a file, in order.
fn tables<'a, 't>(file: &'a DeTable<'t>, kind: &str) -> Vec<(usize, &'a DeTable<'t>)> {
    let list = file.iter().find(|(key, _)| key.get_ref() == kind).and_then(|(_, value)| value.get_ref().as_array());
    let tables = list.into_iter().flat_map(|list| list.iter());
    tables.filter_map(|value| Some((value.span().start, value.get_ref().as_table()?))).collect()
}

fn id_of(table: &DeTable<'_>) -> String {
    let id = table.iter().find(|(key, _)| key.get_ref() == "id");
    id.and_then(|(_, value)| value.get_ref().as_str()).unwrap_or_default().to_owned()
}

/// A file as TOML, or everything that is wrong with its syntax.
pub(super) fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Vec<Misread>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() { Ok(table) } else { Err(errors.iter().map(|e| explained(text, e)).collect()) }
}

/// Reads all tables of one kind; what is wrong with one does not stop the others.
pub(super) fn read<'t, T: DeserializeOwned>(
    text: &'t str,
    file: &DeTable<'t>,
    kind: &str,
    faults: &mut Vec<Misread>,
) -> Vec<Entry<'t, T>> {
    let mut out = Vec::new();
    for (start, table) in tables(file, kind) {
        let mut rest = table.clone();
        loop {
            let value = Spanned::new(start..start, DeValue::Table(rest.clone()));
            let error = match T::deserialize(ValueDeserializer::from(value)) {
                Ok(spec) => break out.push(Entry { text, table: table.clone(), start, spec }),
                Err(error) => error,
            };
            let at = error.span().map_or(start, |span| span.start);
            let what = told(error.message());
            faults.push(Misread { line: line(text, at), rule: id_of(table), what });
            // Without the unknown field, the next fault shows.
            let Some(unknown) = rest.keys().find(|key| key.span().start == at).cloned() else { break };
            rest.remove(&unknown);
        }
    }
    out
}

/// Words at the top of a file that are no tables of rules.
pub(super) fn strangers(text: &str, file: &DeTable<'_>) -> Vec<Misread> {
    let known = |key: &str, value: &DeValue<'_>| matches!(key, "rule" | "keep") && value.as_array().is_some();
    let strange = file.iter().filter(|(key, value)| !known(key.get_ref(), value.get_ref()));
    let fault = |key: &str| match key {
        "rule" | "keep" => format!("write [[{key}]], in double brackets"),
        _ => told(&format!("unknown field `{key}`, expected `[[rule]]` or `[[keep]]`")),
    };
    let place = |at: usize| line(text, at);
    strange
        .map(|(key, _)| Misread { line: place(key.span().start), rule: String::new(), what: fault(key.get_ref()) })
        .collect()
}

/// A message of the TOML reader without the value that it quotes: the file may be another one than the user meant, and
/// then nothing of it may be shown. A word that looks like a mistyped field stays.
fn told(message: &str) -> String {
    let message = message.lines().next().unwrap_or_default();
    let expected = message.rfind(", expected ").and_then(|at| message.get(at..)).unwrap_or_default();
    for known in ["invalid type", "invalid value", "invalid length"] {
        if message.starts_with(known) {
            return format!("{known}{expected}");
        }
    }
    let Some((before, rest)) = message.split_once(" `").filter(|(before, _)| QUOTING.contains(before)) else {
        return message.to_owned();
    };
    // The quote may hold anything, also backticks and the word "expected".
    match rest.rfind("`, expected ").and_then(|end| rest.get(..end)) {
        Some(word) if is_repeatable(word) => message.to_owned(),
        Some(_) => format!("{before}{expected}"),
        None => before.to_owned(),
    }
}

/// Messages that quote what stands in the file.
const QUOTING: [&str; 4] = ["unknown field", "unknown variant", "duplicate field", "duplicate key"];

/// An error of the TOML reader, which quotes rules only.
fn explained(text: &str, error: &toml::de::Error) -> Misread {
    let line = error.span().map_or(1, |span| line(text, span.start));
    Misread { line, rule: rule_at(text, line).unwrap_or_default(), what: told(error.message()) }
}

/// The id of the rule around a line, read as text: the file may be no TOML at all.
fn rule_at(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let begins = |line: &&str| line.starts_with("[[");
    let first = lines.iter().take(line).rposition(begins)?;
    let rule = lines[first + 1..].iter().take_while(|line| !begins(line));
    let id = rule.filter_map(|line| line.strip_prefix("id")?.trim_start().strip_prefix('=')).next()?;
    // A file that is no rules file may have lines that begin alike.
    Some(id.trim().trim_matches(['"', '\'']).to_owned()).filter(|id| is_repeatable(id))
}

/// `own.toml:7, rule 'mine': what is wrong`
pub(super) fn message(file: &str, line: usize, rule: &str, what: &str) -> String {
    let rule = if rule.is_empty() { String::new() } else { format!(", rule '{rule}'") };
    format!("{file}:{line}{rule}: {what}")
}

/// The error for a file that cannot be read.
pub(super) fn misread(file: &str, text: &str, error: &toml::de::Error) -> ConfigError {
    let Misread { line, rule, what } = explained(text, error);
    ConfigError::new(format!("rules file {}", message(file, line, &rule, &what)))
}

/// The error for a rule that is faulty in itself.
pub(super) fn faulty(file: &str, text: &str, id: &str, fault: &Fault) -> ConfigError {
    let entry = fault.entry.as_deref();
    let place = |file: &DeTable<'_>| {
        let (start, table) = tables(file, "rule").into_iter().find(|(_, table)| id_of(table) == id)?;
        Some(at(table, fault.field, entry).unwrap_or(start))
    };
    let line = DeTable::parse(text).ok().and_then(|file| place(file.get_ref())).map_or(1, |at| line(text, at));
    ConfigError::new(format!("rules file {}", message(file, line, id, &fault.what)))
}

/// The error for an id that stands twice, with all places.
pub(super) fn twice(id: &str, packs: &[(&str, &str)]) -> ConfigError {
    let mut places = Vec::new();
    for (name, text) in packs {
        let Ok(file) = DeTable::parse(text) else { continue };
        let all = ["rule", "keep"].into_iter().flat_map(|kind| tables(file.get_ref(), kind));
        let same = all.filter(|(_, table)| id_of(table) == id);
        places.extend(
            same.map(|(start, table)| line(text, at(table, "id", None).unwrap_or(start)))
                .map(|n| format!("{name}:{n}")),
        );
    }
    ConfigError::new(format!("two rules have the id '{id}': {}", places.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_without_what_they_quote() {
        for (message, expected) in [
            ("unknown field `typo`, expected `rule` or `keep`", "unknown field `typo`, expected `rule` or `keep`"),
            ("unknown field `a@b.test`, expected `rule`", "unknown field, expected `rule`"),
            ("invalid type: string \"a, expected b\", expected a sequence", "invalid type, expected a sequence"),
            ("invalid type: integer `7`, expected a string", "invalid type, expected a string"),
            ("missing field `match`", "missing field `match`"),
            ("unknown field `a`, expected b@c.test`, expected `rule`", "unknown field, expected `rule`"),
            ("duplicate key `a@b.test, expected c` in x", "duplicate key"),
            ("one\ntwo", "one"),
        ] {
            assert_eq!(told(message), expected);
        }
    }

    #[test]
    fn the_rule_around_a_line() {
        let text = "# head\n[[rule]]\nid = \"one\"\nmatch = 'a'\n\n[[keep]]\nexact = [\nid = 'two'\n";
        for (line, expected) in [(1, None), (2, Some("one")), (4, Some("one")), (7, Some("two"))] {
            assert_eq!(rule_at(text, line).as_deref(), expected, "{line}");
        }
    }
}
