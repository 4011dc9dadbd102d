//! Reads a file of settings field by field: every fault is told with its line, and a word that is not known with the one
//! that was meant. Nothing of the file is repeated but words that look like mistyped ones.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{is_repeatable, nearest};

/// A table of the file, and the faults of the whole file.
pub(super) struct Fields<'a, 't> {
    text: &'t str,
    table: &'a DeTable<'t>,
    start: usize,
    known: &'static [&'static str],
}

/// A fault: its line and what is wrong.
pub(super) type Fault = (usize, String);

/// The line of a byte, from 1.
fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|b| *b == b'\n').count()
}

/// The file as TOML, or what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Vec<Fault>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let fault = |e: &toml::de::Error| {
        let at = e.span().map_or(0, |span| span.start);
        // The message may quote; that it is no TOML is enough to find it by its line.
        let what = if e.message().contains("duplicate key") { "this is said twice" } else { "this is not TOML" };
        (line(text, at), what.to_owned())
    };
    if errors.is_empty() { Ok(table) } else { Err(errors.iter().map(fault).collect()) }
}

impl<'a, 't> Fields<'a, 't> {
    /// The fields of a table. Those that are not known are faults.
    pub(super) fn new(
        text: &'t str,
        table: &'a DeTable<'t>,
        start: usize,
        known: &'static [&'static str],
        faults: &mut Vec<Fault>,
    ) -> Self {
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let word = key.get_ref().as_ref();
            let shown = if is_repeatable(word) { format!(" '{word}'") } else { String::new() };
            let hint = nearest(word, known.iter().copied())
                .map_or_else(|| format!("there are {}", known.join(", ")), |near| format!("did you mean '{near}'?"));
            faults.push((line(text, key.span().start), format!("no such setting{shown}; {hint}")));
        }
        Self { text, table, start, known }
    }

    fn get(&self, key: &'static str) -> Option<(usize, &'a DeValue<'t>)> {
        debug_assert!(self.known.contains(&key));
        let (_, value) = self.table.iter().find(|(k, _)| k.get_ref() == key)?;
        Some((value.span().start, value.get_ref()))
    }

    /// A value, if it is there, read by a function that knows its form.
    pub(super) fn read<T>(
        &self,
        key: &'static str,
        form: &str,
        faults: &mut Vec<Fault>,
        read: impl FnOnce(&'a DeValue<'t>) -> Option<T>,
    ) -> Option<T> {
        let (at, value) = self.get(key)?;
        let out = read(value);
        if out.is_none() {
            faults.push((line(self.text, at), format!("{key} must be {form}")));
        }
        out
    }

    pub(super) fn boolean(&self, key: &'static str, faults: &mut Vec<Fault>) -> Option<bool> {
        self.read(key, "true or false", faults, |value| value.as_bool())
    }

    pub(super) fn number(&self, key: &'static str, faults: &mut Vec<Fault>) -> Option<u64> {
        self.read(key, "a whole number from 0 on", faults, whole)
    }

    pub(super) fn size(&self, key: &'static str, faults: &mut Vec<Fault>) -> Option<u64> {
        self.read(key, "a size such as \"500 MB\"", faults, |value| match value.as_str() {
            Some(words) => size(words),
            None => whole(value),
        })
    }

    pub(super) fn days(&self, key: &'static str, faults: &mut Vec<Fault>) -> Option<u32> {
        self.read(key, "a number of days such as \"30 days\"", faults, |value| {
            let number = value.as_str()?.strip_suffix("days").or_else(|| value.as_str()?.strip_suffix("day"))?;
            number.trim().parse().ok().filter(|days| *days > 0)
        })
    }

    pub(super) fn text(&self, key: &'static str, faults: &mut Vec<Fault>) -> Option<(usize, &'a str)> {
        let at = self.get(key)?.0;
        let text = self.read(key, "a text in quotes", faults, |value| value.as_str())?;
        Some((line(self.text, at), text))
    }

    /// A list of texts, each with its line. An empty list is a fault: nothing would ever meet it.
    pub(super) fn texts(&self, key: &'static str, faults: &mut Vec<Fault>) -> Option<Vec<(usize, &'a str)>> {
        self.read(key, "a list of one text or more, such as [\"one\", \"two\"]", faults, |value| {
            let list = value.as_array().filter(|list| !list.is_empty())?;
            let one = |v: &'a Spanned<DeValue<'t>>| Some((line(self.text, v.span().start), v.get_ref().as_str()?));
            list.iter().map(one).collect()
        })
    }

    /// A list of words of which all must be known.
    pub(super) fn words(&self, key: &'static str, known: &[&str], faults: &mut Vec<Fault>) -> Option<Vec<String>> {
        let texts = self.texts(key, faults)?;
        for (line, word) in texts.iter().filter(|(_, word)| !known.contains(word)) {
            let shown = if is_repeatable(word) { format!(" '{word}'") } else { String::new() };
            let hint = nearest(word, known.iter().copied())
                .map_or_else(|| format!("there are {}", known.join(", ")), |near| format!("did you mean '{near}'?"));
            faults.push((*line, format!("{key} does not know{shown}; {hint}")));
        }
        Some(texts.into_iter().map(|(_, word)| word.to_owned()).collect())
    }

    /// A table below this one.
    pub(super) fn table(
        &self,
        key: &'static str,
        known: &'static [&'static str],
        faults: &mut Vec<Fault>,
    ) -> Option<Fields<'a, 't>> {
        let at = self.get(key)?.0;
        let table = self.read(key, &format!("a table: [{key}]"), faults, |value| value.as_table())?;
        Some(Fields::new(self.text, table, at, known, faults))
    }

    /// Tables of one kind.
    pub(super) fn tables(
        &self,
        key: &'static str,
        known: &'static [&'static str],
        faults: &mut Vec<Fault>,
    ) -> Vec<Fields<'a, 't>> {
        let form = format!("tables, each beginning with [[{key}]]");
        let list = self.read(key, &form, faults, |value| {
            let list = value.as_array()?;
            list.iter().map(|v| Some((v.span().start, v.get_ref().as_table()?))).collect::<Option<Vec<_>>>()
        });
        let one = |(at, table)| Fields::new(self.text, table, at, known, faults);
        list.unwrap_or_default().into_iter().map(one).collect()
    }

    /// The line in which the table begins.
    pub(super) fn line(&self) -> usize {
        line(self.text, self.start)
    }
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    let number = value.as_integer().filter(|number| number.radix() == 10)?;
    number.as_str().replace('_', "").parse().ok()
}

/// `500 MB`, `2 GiB`, `1000 B`
fn size(words: &str) -> Option<u64> {
    let digits = words.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match words[digits.len()..].to_ascii_lowercase().as_str() {
        "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return None,
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(factor)
}
