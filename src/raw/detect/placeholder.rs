//! Does what a rule found only stand for a secret? Examples, templates and blanks to be filled in go all the same, but nobody
//! should be woken up for them.

use super::compile::has_word;

/// Words of texts that say that they are none.
const WORDS: [&str; 21] = [
    "example",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "redacted",
    "your-",
    "your_",
    "yourtoken",
    "yourkey",
    "insert-",
    "insert_",
    "replace-",
    "replace_",
    "dummy",
    "sample",
    "foobar",
    "not-a-real",
    "fake",
    "xxxx",
    "****",
];

/// What people write instead of a secret, and nothing else.
const PLAIN: [&str; 8] = ["password", "passwd", "pass", "secret", "token", "username", "test", "apikey"];

/// Marks of templates: `${TOKEN}`, `{{token}}`, `<token>`, `%TOKEN%`, `[token]`.
fn is_template(text: &[u8]) -> bool {
    let pairs: [(&[u8], &[u8]); 7] =
        [(b"${", b"}"), (b"{{", b"}}"), (b"<", b">"), (b"%", b"%"), (b"[", b"]"), (b"{", b"}"), (b"$(", b")")];
    let trimmed = text.trim_ascii();
    pairs.iter().any(|(begin, end)| {
        trimmed.len() > begin.len() + end.len()
            && trimmed.ends_with(end)
            && memchr::memmem::find(trimmed, begin).is_some_and(|at| at == 0 || trimmed[at - 1] == b' ')
    }) || trimmed.starts_with(b"$") && trimmed[1..].iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
}

/// One mark, or a short piece, over and over; or letters and digits in their order.
fn is_monotonous(text: &[u8]) -> bool {
    let body: Vec<u8> = text.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    if body.len() < 8 {
        return false;
    }
    let same = body.windows(2).filter(|w| w[0] == w[1]).count();
    let next = body.windows(2).filter(|w| w[1] == w[0] + 1).count();
    (same.max(next)) * 100 >= (body.len() - 1) * 60
}

/// Does it only stand for a secret? An address at a host of examples is an address.
pub(super) fn is_placeholder(found: &[u8]) -> bool {
    PLAIN.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(found))
        || is_template(found)
        || is_monotonous(found)
        || (!found.contains(&b'@') && WORDS.iter().any(|word| has_word(found, word.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_a_secret() {
        for text in [
            "${TOKEN}",
            "Bearer {{access_token}}",
            "<your token>",
            "%API_KEY%",
            "$SECRET_KEY",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk_live_0000000000000000",
            "AKIAIOSFODNN7EXAMPLE",
            "your-api-key-here",
            "abcdefghijklmnopqrstuvwxyz",
            "1234567890abcdef",
            "****************",
        ] {
            assert!(is_placeholder(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_is_one() {
        for text in [
            "q0Zb9Vt1kLm8s2Qm1r",
            "4be0c71f9a2d83e6",
            "$2b$12$Qm1rZx7uO0yq4Tn8",
            "hunter2",
            "{a}b",
            "violet umbrella",
            "",
        ] {
            assert!(!is_placeholder(text.as_bytes()), "{text}");
        }
    }
}
