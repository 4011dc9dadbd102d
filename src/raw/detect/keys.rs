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
    /// How these words begin: turns nearly every word of a key away before it is looked up.
    begins: Begins,
}

/// A set of the first three letters of words.
#[derive(Debug)]
struct Begins(Vec<u64>);

impl Default for Begins {
    fn default() -> Self {
        Self(vec![0; 1 << 9])
    }
}

impl Begins {
    fn number(a: u8, b: u8, c: u8) -> usize {
        usize::from(a & 31) | usize::from(b & 31) << 5 | usize::from(c & 31) << 10
    }

    fn add(&mut self, word: &[u8]) {
        let any = |at: usize| word.get(at).map_or(0..=31, |byte| *byte..=*byte);
        for a in any(0) {
            for b in any(1) {
                for number in any(2).map(|c| Self::number(a, b, c)) {
                    self.0[number / 64] |= 1 << (number % 64);
                }
            }
        }
    }

    /// May a word that begins a text be one of these? What is shorter than three letters may always be.
    fn may_have(&self, text: &[u8]) -> bool {
        let &[a, b, c, ..] = text else { return true };
        let number = Self::number(a, b, c);
        self.0[number / 64] >> (number % 64) & 1 != 0
    }
}

/// What a byte is in a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Mark,
    Small,
    Capital,
    Digit,
}

const CLASSES: [Class; 256] = {
    let (mut classes, mut byte) = ([Class::Mark; 256], 0);
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Small,
            b'A'..=b'Z' => Class::Capital,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

impl Keys {
    /// A rule asks for this word, or these words in a row.
    pub(super) fn add(&mut self, word: &str, rule: u16) {
        let word: Vec<u8> = word.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase()).collect();
        self.longest = self.longest.max(word.len());
        self.begins.add(&word);
        self.rules.entry(word).or_default().push(rule);
    }

    /// The rules that ask for a word of this key, in order.
    pub(super) fn of(&self, key: &[u8]) -> Vec<u16> {
        let mut out = Vec::new();
        // The words of a path are names of files: `node_modules/cookie/index.js` holds no cookies.
        if self.rules.is_empty() || key.len() > KEY_BYTES || key.contains(&b'/') {
            return out;
        }
        let (mut joined, mut ends) = ([0_u8; KEY_BYTES], [0_usize; KEY_WORDS + 1]);
        let (mut len, mut words) = (0, 0);
        let mut before = None;
        for (i, &byte) in key.iter().enumerate() {
            let class = CLASSES[usize::from(byte)];
            let starts = match (before, class) {
                (None, _) | (_, Class::Mark) => false,
                (Some(Class::Mark), _) | (Some(Class::Small | Class::Digit), Class::Capital) => true,
                (Some(Class::Capital), Class::Capital) => key.get(i + 1).is_some_and(u8::is_ascii_lowercase),
                _ => false,
            };
            before = Some(class);
            if class == Class::Mark {
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
        for first in (0..=words).filter(|first| self.begins.may_have(&joined[ends[*first]..len])) {
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
        check("/srv/node_modules/api-key/index.js", &[]);
        check("", &[]);
    }
}
