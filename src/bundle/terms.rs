//! For whom a bundle is, what for, and until when: bound in its manifest, so that it cannot be used for something else
//! without anybody noticing.
//!
//! These are the only texts in a manifest that a sender writes. They are addressed to the receiver, so they are not cut;
//! whoever wants to say something that rules or values find is told to say it in another way.

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use crate::ConfigError;
use crate::date::Date;
use crate::report::escape::is_hidden;

/// The terms under which a bundle is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The day on which it was made.
    pub made: Date,
    /// Who shall get it.
    pub recipient: Option<String>,
    /// What for.
    pub purpose: Option<String>,
    /// The last day on which it may be used.
    pub expires: Option<Date>,
}

/// Characters of a text of terms.
const CHARACTERS: usize = 100;

impl Terms {
    /// Terms from what a sender says.
    ///
    /// # Errors
    /// When a text is not of a form that is read in one way only, or the last day is over.
    pub fn new(
        made: Date,
        recipient: Option<&str>,
        purpose: Option<&str>,
        expires: Option<Date>,
    ) -> Result<Self, ConfigError> {
        let text = |flag: &str, text: Option<&str>| {
            text.map(|text| {
                objection(text)
                    .map_or_else(|| Ok(text.to_owned()), |what| Err(ConfigError::new(format!("{flag} {what}"))))
            })
            .transpose()
        };
        let (recipient, purpose) = (text("--recipient", recipient)?, text("--purpose", purpose)?);
        if expires.is_some_and(|expires| expires < made) {
            return Err(ConfigError::new("--expires names a day that is over"));
        }
        Ok(Self { made, recipient, purpose, expires })
    }

    /// The terms for people, in a row.
    #[must_use]
    pub fn spoken(&self) -> String {
        let text = |text: &Option<String>| text.as_deref().map(spelled);
        let mut of = vec![format!("made on {}", self.made)];
        of.extend(text(&self.recipient).map(|who| format!("for {who}")));
        of.extend(text(&self.purpose).map(|what| format!("purpose: {what}")));
        of.extend(self.expires.map(|day| format!("not to be used after {day}")));
        of.join("; ")
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert("made".into(), self.made.to_string().into());
        let expires = self.expires.map(|date| date.to_string());
        let rest = [("recipient", &self.recipient), ("purpose", &self.purpose), ("expires", &expires)];
        for (key, text) in rest {
            if let Some(text) = text {
                out.insert(key.into(), text.as_str().into());
            }
        }
        out.into()
    }

    pub(crate) fn of_json(value: &Value) -> Option<Self> {
        let text = |key: &str| match value.get(key) {
            Some(text) => Some(Some(text.as_str().filter(|text| objection(text).is_none())?.to_owned())),
            None => Some(None),
        };
        let date = |text: &str| Date::read(text);
        let expires = match value.get("expires") {
            Some(text) => Some(date(text.as_str()?)?),
            None => None,
        };
        Some(Self {
            made: date(value.get("made")?.as_str()?)?,
            recipient: text("recipient")?,
            purpose: text("purpose")?,
            expires,
        })
    }
}

/// What keeps a text from being terms: it must look like itself and like nothing else.
pub(crate) fn objection(text: &str) -> Option<&'static str> {
    let is_fine = |c: char| c.is_alphanumeric() || " .,:;-_/()+#'&".contains(c);
    match () {
        () if text.is_empty() || text.chars().count() > CHARACTERS => Some("takes 1 to 100 characters"),
        () if text.contains('@') => Some("takes no e-mail address: name an organisation, a team or a role"),
        () if text.chars().any(|c| is_hidden(c) || !is_fine(c)) => {
            Some("takes letters, digits, blanks and .,:;-_/()+#'& only")
        }
        () if text.trim() != text || text.contains("  ") => Some("takes single blanks, and none at its ends"),
        () if text.nfkc().ne(text.chars()) => Some("has characters that are written in two ways; write it plainly"),
        () if alphabets(text) > 1 => Some("mixes alphabets whose letters look alike"),
        () => None,
    }
}

/// How many of the alphabets with letters that look alike a text uses.
fn alphabets(text: &str) -> usize {
    const ALPHABETS: [&[std::ops::RangeInclusive<char>]; 5] = [
        &['A'..='Z', 'a'..='z', '\u{c0}'..='\u{24f}', '\u{1e00}'..='\u{1eff}'],
        &['\u{370}'..='\u{3ff}', '\u{1f00}'..='\u{1fff}'],
        &['\u{400}'..='\u{52f}', '\u{1c80}'..='\u{1c8f}', '\u{2de0}'..='\u{2dff}', '\u{a640}'..='\u{a69f}'],
        &['\u{530}'..='\u{58f}'],
        &['\u{13a0}'..='\u{13ff}', '\u{ab70}'..='\u{abbf}'],
    ];
    let uses = |ranges: &&&[std::ops::RangeInclusive<char>]| {
        text.chars().any(|c| c.is_alphabetic() && ranges.iter().any(|range| range.contains(&c)))
    };
    ALPHABETS.iter().filter(uses).count()
}

/// A text of terms for people: what is not plain is spelled out, so that nothing looks like something else.
#[must_use]
pub(crate) fn spelled(text: &str) -> String {
    let one =
        |c: char| if c.is_ascii() && !c.is_ascii_control() { c.to_string() } else { c.escape_unicode().to_string() };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_look_like_themselves() {
        for text in ["acme-support", "Müller & Söhne", "ООО Ромашка", "a leak of memory (ticket 4711)", "日本語"]
        {
            assert_eq!(objection(text), None, "{text}");
        }
        for text in [
            "",
            " acme",
            "acme  support",
            "maria@example.test",
            "a\u{430}cme",
            "acm\u{435}",
            "acme\u{200b}",
            "\u{202e}acme",
            "Mu\u{308}ller",
            "\u{ff21}cme",
            "acme\n",
            "\"acme\"",
            "<b>",
            &"a".repeat(101),
        ] {
            assert!(objection(text).is_some(), "{text:?}");
        }
        assert_eq!(spelled("\u{430}cme"), "\\u{430}cme");
    }

    #[test]
    fn terms_are_read_as_they_are_written() {
        let day = |text| Date::read(text).expect("a day");
        let terms = Terms::new(day("2026-11-19"), Some("acme-support"), None, Some(day("2026-12-31"))).expect("terms");
        assert_eq!(Terms::of_json(&terms.to_json()), Some(terms));
        assert!(Terms::new(day("2026-11-19"), None, None, Some(day("2026-11-18"))).is_err());
        assert_eq!(Terms::of_json(&serde_json::json!({ "made": "2026-11-19", "recipient": "a\u{430}" })), None);
    }
}
