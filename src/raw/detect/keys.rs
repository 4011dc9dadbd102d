//! Keys as words: `apiKey`, `api_key`, `X-Api-Key` and `#apiKey` say the same.

use rustc_hash::FxHashMap;

/// Longest key that is looked at, and the most words it may have.
const KEY_BYTES: usize = 120;
const KEY_WORDS: usize = 16;

/// Which rules ask for which words in a key.
#[derive(Debug, Default)]
pub(super) struct Keys {
    rules: FxHashMap<Vec<u8>, Vec<u16>>,
    longest: usize,
}

impl Keys {
    /// A rule asks for this word, or these words in a row.
    pub(super) fn add(&mut self, word: &str, rule: u16) {
        let word: Vec<u8> = word.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase()).collect();
        self.longest = self.longest.max(word.len());
        self.rules.entry(word).or_default().push(rule);
    }

    /// The rules that ask for a word of this key, in order.
    pub(super) fn of(&self, key: &[u8]) -> Vec<u16> {
        let mut out = Vec::new();
        if self.rules.is_empty() || key.len() > KEY_BYTES {
            return out;
        }
        let (mut joined, mut ends) = ([0_u8; KEY_BYTES], [0_usize; KEY_WORDS + 1]);
        let (mut len, mut words) = (0, 0);
        for (i, &byte) in key.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| key[i]);
            let after = key.get(i + 1).copied().unwrap_or(0);
            let starts = before.is_some_and(|before| {
                !before.is_ascii_alphanumeric()
                    || (byte.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()))
                    || (byte.is_ascii_uppercase() && before.is_ascii_uppercase() && after.is_ascii_lowercase())
            });
            if !byte.is_ascii_alphanumeric() {
                continue;
            }
            if starts && ends[words] < len {
                words += 1;
                if words == KEY_WORDS {
                    return out;
                }
                ends[words] = len;
            }
            joined[len] = byte.to_ascii_lowercase();
            len += 1;
        }
        for first in 0..=words {
            for last in first..=words {
                let end = if last == words { len } else { ends[last + 1] };
                let word = &joined[ends[first]..end];
                if word.len() > self.longest + 2 {
                    break;
                }
                // `passwords` and `password2` say the same, unless a rule asks for just that.
                let digits = word.iter().rev().take_while(|b| b.is_ascii_digit()).count();
                let one = &word[..word.len() - digits];
                let one = if digits == 0 { one.strip_suffix(b"s").unwrap_or(one) } else { one };
                out.extend(self.rules.get(word).or_else(|| self.rules.get(one)).into_iter().flatten());
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &str, expected: &[u16]) {
        let mut keys = Keys::default();
        for (rule, word) in ["api_key", "pan", "secretaccesskey", "auth0", "exa.ai"].iter().enumerate() {
            keys.add(word, rule as u16);
        }
        assert_eq!(keys.of(key.as_bytes()), expected, "{key}");
    }

    #[test]
    fn words_in_keys() {
        for same in ["apiKey", "API_KEY", "x-api-key", "#apiKey", "<symbol api key>", "myApiKey2", "HTTPApiKey"] {
            check(same, &[0]);
        }
        check("api_keys", &[0]);
        check("panNumber", &[1]);
        check("panel", &[]);
        check("companyPan", &[1]);
        check("aws_secret_access_key", &[2]);
        check("secretAccessKey", &[2]);
        check("auth0Secret", &[3]);
        check("exa_ai_token", &[4]);
        check("", &[]);
    }
}
