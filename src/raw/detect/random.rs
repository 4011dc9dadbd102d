//! Does a text look made rather than written?

use super::decode::Runs;

/// Does a name look made: long runs of digits, hexadecimal, or mixed letters and digits?
pub(in crate::raw) fn opaque(name: &[u8]) -> bool {
    let digits = name.iter().filter(|b| b.is_ascii_digit()).count();
    if digits >= 6 {
        return true;
    }
    name.split(|b| !b.is_ascii_alphanumeric()).any(|run| {
        let digits = run.iter().filter(|b| b.is_ascii_digit()).count();
        let hex = run.len() >= 8 && digits >= 2 && run.iter().all(u8::is_ascii_hexdigit);
        let changes = run.windows(2).filter(|w| w[0].is_ascii_digit() != w[1].is_ascii_digit()).count();
        hex || (run.len() >= 10 && digits >= 3 && changes >= 4) || run.len() > 60
    })
}

/// Does a value look made, where its key already says that it may be a secret? Words and identifiers do not.
pub(super) fn made(value: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| value.iter().filter(|b| is(b)).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let letters = upper + lower;
    let separators = value.iter().filter(|b| matches!(b, b' ' | b'-' | b'_' | b'.' | b'/' | b':')).count();
    let mixed = letters >= 12 && upper * 100 >= letters * 15 && lower * 100 >= letters * 15;
    digits >= 2
        || (digits == 1 && separators == 0 && letters >= 7)
        || (separators <= 1 && mixed && !is_camel_case(value, letters))
        || (separators == 0 && upper >= 12)
}

/// Words of letters, each begun by a capital, and short names of capitals: `accessTokenExpired`, `toJSONSchema`. Chance has
/// more and shorter ones, and seldom a vowel in each.
fn is_camel_case(value: &[u8], letters: usize) -> bool {
    let is_start = |at: usize| {
        let (this, before, next) = (value[at], value[at - 1], value.get(at + 1));
        this.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next.is_some_and(u8::is_ascii_lowercase))
    };
    let body = value.iter().position(|b| b.is_ascii_alphabetic()).unwrap_or(0);
    let starts: Vec<usize> = [body].into_iter().chain((body + 1..value.len()).filter(|at| is_start(*at))).collect();
    let ends = starts.iter().skip(1).copied().chain([value.len()]);
    let is_short_name = |word: &[u8]| word.len() <= 5 && word.iter().all(u8::is_ascii_uppercase) || word.len() == 1;
    let has_vowel = |word: &[u8]| word.iter().any(|b| b"aeiouyAEIOUY".contains(b));
    let words = starts.iter().zip(ends).map(|(start, end)| &value[*start..end]);
    let strange = words.filter(|word| !is_short_name(word) && !has_vowel(word)).count();
    letters + body == value.len() && starts.len() * 3 <= letters && strange * 3 <= starts.len()
}

/// Could a value be a token, where its key names a service that hands tokens out? Only plain words could not.
pub(super) fn token(value: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| value.iter().filter(|b| is(b)).count();
    let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let is_mixed = upper >= 2 && lower >= 2 && upper * 10 >= upper + lower && !is_camel_case(value, upper + lower);
    made(value) || count(u8::is_ascii_digit) > 0 || is_mixed
}

/// Do the digits end with the right check digit? One in ten numbers does by chance.
pub(super) fn luhn(value: &[u8]) -> bool {
    let digits: Vec<u32> = value.iter().filter(|b| b.is_ascii_digit()).map(|b| u32::from(b - b'0')).collect();
    let sum: u32 =
        digits.iter().rev().enumerate().map(|(i, d)| if i % 2 == 1 { d * 2 / 10 + d * 2 % 10 } else { *d }).sum();
    (13..=19).contains(&digits.len()) && sum.is_multiple_of(10) && digits.iter().any(|d| *d != digits[0])
}

/// Bits for each byte, from how often each occurs.
pub(super) fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for b in text {
        counts[usize::from(*b)] += 1;
    }
    let len = text.len() as f64;
    counts.iter().filter(|c| **c > 0).map(|c| f64::from(*c) / len).map(|p| -p * p.log2()).sum()
}

/// How digests of packages, pictures, fonts, WebAssembly, source maps and public keys of SSH begin.
const KNOWN: [&[u8]; 15] = [
    b"sha1-",
    b"sha256-",
    b"sha384-",
    b"sha512-",
    b"iVBORw0KGgo",
    b"R0lGOD",
    b"/9j/",
    b"UklGR",
    b"d09GMgAB",
    b"d09GRgAB",
    b"AGFzbQ",
    b"eyJ2ZXJzaW9uIjo",
    b"AAAAB3NzaC1yc2E",
    b"AAAAC3NzaC1lZDI1NTE5",
    b"AAAAE2VjZHNhLX",
];

/// Is this known to be something that is no secret by itself, however much it looks like chance? `before`: the text up to it.
fn is_known(before: &[u8], run: &[u8]) -> bool {
    if KNOWN.iter().any(|begin| run.starts_with(begin)) {
        return true;
    }
    // Certificates and public keys, over all of their lines.
    let Some(begin) = memchr::memmem::rfind(before, b"-----BEGIN ") else { return false };
    let inside = &before[begin + 11..];
    let kind = &inside[..memchr::memmem::find(inside, b"-----").unwrap_or(inside.len())];
    (kind.ends_with(b"CERTIFICATE") || kind.ends_with(b"PUBLIC KEY"))
        && memchr::memmem::find(inside, b"-----END").is_none()
}

/// Runs that nobody writes: long, of capital and small letters and digits, with as much in each byte as chance gives.
pub(super) fn tokens(text: &[u8], mut each: impl FnMut(usize, usize)) {
    const LENGTHS: std::ops::RangeInclusive<usize> = 24..=512;
    for (start, end) in Runs::of_token(text, *LENGTHS.start()) {
        let run = &text[start..end];
        let count = |is: fn(&u8) -> bool| run.iter().filter(|b| is(b)).count();
        if LENGTHS.contains(&run.len())
            && [count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase)]
                .iter()
                .all(|n| *n >= 3)
            && run.iter().filter(|b| matches!(b, b'/' | b'-' | b'_')).count() * 12 <= run.len()
            && run.iter().zip(&run[1..]).filter(|(a, b)| a.is_ascii_digit() != b.is_ascii_digit()).count() >= 4
            && entropy(run) >= 4.0
            && !is_known(&text[..start], run)
        {
            each(start, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_made() {
        for made in ["a1b2c3d4", "x7f3a1b2c9", "session_1234567", "k9x2m4q7w1z"] {
            assert!(opaque(made.as_bytes()), "{made}");
        }
        for written in [
            "sha512",
            "base64",
            "utf16le",
            "x86_64",
            "Int32Array",
            "ES2015",
            "toString",
            "feedback",
            "getElementsByTagNameNS",
        ] {
            assert!(!opaque(written.as_bytes()), "{written}");
        }
    }

    #[test]
    fn values_that_were_made() {
        for value in
            ["kqXvTzRbWpLmNsYd", "HtRkwQzbLmdXpvGnsYcj", "a8f3c2", "ABCDEFGHIJKLMNOP", "qwertyuiop4asdf", "1f0e-2d3c"]
        {
            assert!(made(value.as_bytes()), "{value}");
        }
        for value in [
            "accessTokenExpired",
            "ConnectionHandler",
            "azureOpenAIApiKey",
            "toJSONSchema",
            "_isArrayBufferView",
            "checkIsHttpToken",
            "kKeyTypePublic",
            "confirm-delete-dialog",
            "production",
            "https://host.example/path",
            "col-resize",
            "Ok",
            "",
        ] {
            assert!(!made(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn tokens_in_texts() {
        let found = |text: &str| {
            let mut out = Vec::new();
            tokens(text.as_bytes(), |a, b| out.push(text[a..b].to_owned()));
            out
        };
        assert_eq!(found("id xK9mQ2vLr7TbN4wZc8YpH3sD end"), ["xK9mQ2vLr7TbN4wZc8YpH3sD"]);
        for quiet in [
            "node_modules/@scope/Package2/dist/Index3/Other4.js",
            "getElementsByClassName2FromDocument3",
            "sha512-xK9mQ2vLr7TbN4wZc8YpH3sDxK9mQ2vLr7TbN4wZc8YpH3sD",
            "0123456789abcdef0123456789abcdef",
            "data:image/png;base64,iVBORw0KGgoxK9mQ2vLr7TbN4wZc8YpH3sD",
            "-----BEGIN CERTIFICATE-----\nMIIDxK9mQ2vLr7TbN4wZc8YpH3sD\nxK9mQ2vLr7TbN4wZc8YpH3sD\n",
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIxK9mQ2vLr7TbN4wZc8YpH3sD",
        ] {
            assert_eq!(found(quiet), Vec::<String>::new(), "{quiet}");
        }
        let behind = "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\nxK9mQ2vLr7TbN4wZc8YpH3sD";
        assert_eq!(found(behind), ["xK9mQ2vLr7TbN4wZc8YpH3sD"]);
        let key = "-----BEGIN PRIVATE KEY-----\nxK9mQ2vLr7TbN4wZc8YpH3sD";
        assert_eq!(found(key), ["xK9mQ2vLr7TbN4wZc8YpH3sD"]);
    }
}
