//! Other spellings of a listed value: a list says `Müller`, a text says `MÜLLER`, an address `M%FCller`.
//!
//! Case is taken from the text and from the value alike, byte for byte, so that places stay where they are. What changes
//! the number of bytes (how accents are put together, blanks that do not break) is done to the value only.

use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

/// A text without case, of the same length. Bytes that are no UTF-8 count as Latin-1, which percent encodings may give.
pub(super) fn fold(text: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut out = Zeroizing::new(text.to_ascii_lowercase());
    if out.is_ascii() {
        return out;
    }
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut lower = c.to_lowercase();
            if let (false, Some(one), None) = (c.is_ascii(), lower.next(), lower.next())
                && one.len_utf8() == c.len_utf8()
            {
                one.encode_utf8(&mut out[at..at + c.len_utf8()]);
            }
            at += c.len_utf8();
        }
        for b in chunk.invalid() {
            out[at] = if matches!(b, 0xc0..=0xde if *b != 0xd7) { b + 0x20 } else { *b };
            at += 1;
        }
    }
    out
}

/// The spellings of a value to look for in folded texts, each once.
pub(super) fn of(value: &[u8]) -> Vec<Zeroizing<Vec<u8>>> {
    const NO_BREAK: &str = "\u{a0}";
    let mut out = vec![fold(value)];
    let Ok(text) = std::str::from_utf8(value) else { return out };
    let plain = Zeroizing::new(text.replace(NO_BREAK, " "));
    let composed: Zeroizing<String> = Zeroizing::new(plain.nfc().collect());
    let apart: Zeroizing<String> = Zeroizing::new(plain.nfd().collect());
    for form in [&plain, &composed, &apart] {
        out.push(fold(form.as_bytes()));
        out.push(fold(Zeroizing::new(form.replace(' ', NO_BREAK)).as_bytes()));
    }
    let latin: Option<Vec<u8>> = composed.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    out.extend(latin.map(|latin| fold(&Zeroizing::new(latin))));
    out.sort_unstable_by(|a, b| a.as_slice().cmp(b));
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_goes_and_length_stays() {
        for (text, folded) in [("MÜLLER", "müller"), ("ŁÓDŹ İ ẞ", "łódź İ ẞ"), ("ИВАН", "иван"), ("plain", "plain")]
        {
            assert_eq!(fold(text.as_bytes()).len(), text.len());
            assert_eq!(*fold(text.as_bytes()), folded.as_bytes(), "{text}");
        }
        assert_eq!(*fold(b"M\xdcLLER"), b"m\xfcller");
    }

    #[test]
    fn spellings_of_a_value() {
        let all = of("Zoë Müller".as_bytes());
        for spelling in ["zoë müller".as_bytes(), "zoe\u{308} mu\u{308}ller".as_bytes(), "zoë\u{a0}müller".as_bytes()]
        {
            assert!(all.iter().any(|s| s.as_slice() == spelling));
        }
        assert!(all.iter().any(|s| s.as_slice() == b"zo\xeb m\xfcller"));
        assert_eq!(of(b"plain").len(), 1);
    }
}
