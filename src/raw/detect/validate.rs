//! Check digits, check sums and structures. They make a rule sure; what fails one goes all the same, since a token may be
//! cut, torn, or of a kind that has another check.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::random;

/// A check that rules can name.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Validator {
    /// Numbers of cards.
    Luhn,
    /// Bank account numbers, modulo 97.
    Iban,
    /// Tokens of GitHub, CRC-32 in six digits of base 62.
    GithubCrc32,
    /// Keys and addresses of Bitcoin.
    Base58check,
    /// Addresses and keys with a part that people can read: `bc1…`, `age-secret-key-1…`.
    Bech32,
    /// Two parts of JSON in base64, of which the first names how it is signed.
    Jwt,
    /// Routing numbers of banks in the USA.
    Aba,
    /// Numbers of patients in the United Kingdom.
    Nhs,
    /// Numbers of people in Poland.
    Pesel,
    /// Numbers of people in the Netherlands.
    Bsn,
    /// Numbers of tax payers in Brazil.
    Cpf,
    /// Numbers of identity cards in Spain.
    Dni,
}

impl Validator {
    /// The word in rules files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Luhn => "luhn",
            Self::Iban => "iban",
            Self::GithubCrc32 => "github-crc32",
            Self::Base58check => "base58check",
            Self::Bech32 => "bech32",
            Self::Jwt => "jwt",
            Self::Aba => "aba",
            Self::Nhs => "nhs",
            Self::Pesel => "pesel",
            Self::Bsn => "bsn",
            Self::Cpf => "cpf",
            Self::Dni => "dni",
        }
    }

    /// Is it right?
    pub(super) fn holds(self, text: &[u8]) -> bool {
        match self {
            Self::Luhn => random::luhn(text),
            Self::Iban => iban(text),
            Self::GithubCrc32 => github(text),
            Self::Base58check => base58check(text).is_some(),
            Self::Bech32 => bech32(text).is_some(),
            Self::Jwt => jwt(text).is_some(),
            Self::Aba => weighted(text, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_some_and(|sum| sum > 0 && sum % 10 == 0),
            Self::Nhs => weighted(text, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_some_and(|sum| sum > 0 && sum % 11 == 0),
            Self::Pesel => {
                weighted(text, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_some_and(|sum| sum > 0 && sum % 10 == 0)
            }
            // The last digit counts negatively: ten of eleven parts.
            Self::Bsn => weighted(text, &[9, 8, 7, 6, 5, 4, 3, 2, 10]).is_some_and(|sum| sum > 0 && sum % 11 == 0),
            Self::Cpf => cpf(text),
            Self::Dni => dni(text).unwrap_or(false),
        }
    }
}

fn digits(text: &[u8]) -> Vec<u32> {
    text.iter().filter(|b| b.is_ascii_digit()).map(|b| u32::from(b - b'0')).collect()
}

/// The digits, each times its weight, if there are just as many.
fn weighted(text: &[u8], weights: &[u32]) -> Option<u32> {
    let digits = digits(text);
    (digits.len() == weights.len()).then(|| digits.iter().zip(weights).map(|(d, w)| d * w).sum())
}

fn cpf(text: &[u8]) -> bool {
    let digits = digits(text);
    let check = |n: usize| {
        let sum: u32 = digits[..n].iter().zip((2..=n as u32 + 1).rev()).map(|(d, w)| d * w).sum();
        digits[n] == sum * 10 % 11 % 10
    };
    digits.len() == 11 && digits.iter().any(|d| *d != digits[0]) && check(9) && check(10)
}

fn dni(text: &[u8]) -> Option<bool> {
    let letter = text.iter().rev().find(|b| b.is_ascii_alphabetic())?.to_ascii_uppercase();
    let digits = digits(text);
    let number = (digits.len() == 8).then(|| digits.iter().fold(0, |n, d| n * 10 + d))?;
    Some(b"TRWAGMYFPDXBNJZSQVHLCKE"[number as usize % 23] == letter)
}

fn iban(text: &[u8]) -> bool {
    let plain: Vec<u8> = text.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_uppercase).collect();
    if !(15..=34).contains(&plain.len()) || !plain[..2].iter().all(u8::is_ascii_uppercase) {
        return false;
    }
    let add = |rest: u32, byte: &u8| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    };
    plain[4..].iter().chain(&plain[..4]).fold(0, add) == 1
}

/// `ghp_`, thirty characters, and their CRC-32.
fn github(text: &[u8]) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((body, check)) = text.get(4..).and_then(|rest| rest.split_last_chunk::<6>()) else { return false };
    let mut crc = flate2::Crc::new();
    crc.update(body);
    let mut rest = crc.sum();
    let expected: [u8; 6] = std::array::from_fn(|_| {
        let digit = DIGITS[rest as usize % 62];
        rest /= 62;
        digit
    });
    body.len() == 30 && expected.iter().rev().eq(check)
}

/// The bytes of base 58, if their own digest ends them.
fn base58check(text: &[u8]) -> Option<Vec<u8>> {
    const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    if !(20..=120).contains(&text.len()) {
        return None;
    }
    let mut bytes: Vec<u8> = Vec::new();
    for digit in text {
        let mut carry = DIGITS.iter().position(|d| d == digit)?;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = carry as u8;
            carry >>= 8;
        }
        while carry > 0 {
            bytes.insert(0, carry as u8);
            carry >>= 8;
        }
    }
    let zeros = text.iter().take_while(|b| **b == b'1').count();
    bytes.splice(0..0, std::iter::repeat_n(0, zeros));
    let (body, check) = bytes.split_last_chunk::<4>()?;
    let digest = Sha256::digest(Sha256::digest(body));
    (digest[..4] == check[..]).then(|| body.to_vec())
}

/// A word, `1`, and digits that end with a check sum of both, in the first form or in the second.
fn bech32(text: &[u8]) -> Option<()> {
    const DIGITS: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    const POLYNOMIAL: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    let lower = text.to_ascii_lowercase();
    let one = lower.iter().rposition(|b| *b == b'1').filter(|one| *one > 0 && lower.len() - one > 6)?;
    let (word, data) = (&lower[..one], &lower[one + 1..]);
    let data = data.iter().map(|b| DIGITS.iter().position(|d| d == b).map(|d| d as u32)).collect::<Option<Vec<_>>>()?;
    let high = word.iter().map(|b| u32::from(b >> 5));
    let low = word.iter().map(|b| u32::from(b & 31));
    let sum = high.chain([0]).chain(low).chain(data).fold(1_u32, |sum, value| {
        let top = sum >> 25;
        let next = (sum & 0x01ff_ffff) << 5 ^ value;
        POLYNOMIAL.iter().enumerate().filter(|(i, _)| top >> i & 1 != 0).fold(next, |sum, (_, p)| sum ^ p)
    });
    (sum == 1 || sum == 0x2bc8_30a3).then_some(())
}

fn jwt(text: &[u8]) -> Option<()> {
    let mut parts = text.split(|b| *b == b'.');
    let (head, body) = (parts.next()?, parts.next()?);
    let object = |part: &[u8]| {
        let bytes = super::decode::base64(part);
        serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&bytes).ok()
    };
    object(head)?.get("alg")?.as_str()?;
    object(body).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(validator: Validator, right: &[&str], wrong: &[&str]) {
        for text in right {
            assert!(validator.holds(text.as_bytes()), "{}: {text}", validator.name());
        }
        for text in wrong {
            assert!(!validator.holds(text.as_bytes()), "{}: {text}", validator.name());
        }
        for odd in ["", "1", "\u{e9}\u{e9}", &"1".repeat(300), &"z".repeat(300)] {
            assert!(!validator.holds(odd.as_bytes()), "{}: {odd}", validator.name());
        }
    }

    #[test]
    fn checks_hold_for_what_is_right_alone() {
        check(Validator::Luhn, &["4111 1111 1111 1111"], &["4111 1111 1111 1112"]);
        check(
            Validator::Iban,
            &["GB82 WEST 1234 5698 7654 32", "de89370400440532013000"],
            &["GB83 WEST 1234 5698 7654 32"],
        );
        check(Validator::Aba, &["021000021"], &["021000022", "000000000"]);
        check(Validator::Nhs, &["943 476 5919"], &["943 476 5918"]);
        check(Validator::Pesel, &["44051401359"], &["44051401358"]);
        check(Validator::Bsn, &["111222333"], &["111222334"]);
        check(Validator::Cpf, &["529.982.247-25"], &["529.982.247-26", "111.111.111-11"]);
        check(Validator::Dni, &["12345678Z", "12.345.678-z"], &["12345678A", "1234567Z"]);
        check(
            Validator::Jwt,
            &["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
            &["eyJhbGciOiJIUzI1NiJ9", "eyJhIjoxfQ.eyJzdWIiOiIxIn0.c2ln", "eyJhbGciOiJIUzI1NiJ9.abc.def"],
        );
        // Of the standards themselves: no secret of anybody.
        check(
            Validator::Bech32,
            &["A12UEL5L", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "a1lqfn3a"],
            &["a12uel5m"],
        );
        check(Validator::Base58check, &["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"], &["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3"]);
    }

    #[test]
    fn tokens_of_github_end_with_their_check_sum() {
        let body = "abcdefghijklmnopqrstuvwxyz0123";
        let mut crc = flate2::Crc::new();
        crc.update(body.as_bytes());
        let (mut rest, mut tail) = (crc.sum(), String::new());
        for _ in 0..6 {
            let digit = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[rest as usize % 62];
            tail.insert(0, char::from(digit));
            rest /= 62;
        }
        check(Validator::GithubCrc32, &[&format!("ghp_{body}{tail}")], &[&format!("ghp_{body}000000"), "ghp_short"]);
    }
}
