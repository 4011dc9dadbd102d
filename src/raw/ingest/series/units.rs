//! Numbers with their units: `15312`, `12.5 MB`, `512Mi`, `1.2g`.

/// What a number of memory counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// 1,024 bytes.
    Kibi,
    /// 1,048,576 bytes.
    Mebi,
    /// 1,073,741,824 bytes.
    Gibi,
    /// Pages of 4 KiB.
    Pages,
}

impl Unit {
    /// Bytes in one of it.
    pub(crate) const fn bytes(self) -> f64 {
        match self {
            Self::Bytes => 1.0,
            Self::Kibi => 1024.0,
            Self::Mebi => 1_048_576.0,
            Self::Gibi => 1_073_741_824.0,
            Self::Pages => 4096.0,
        }
    }

    /// The unit of a word. Tools that say kB or MB mean 1,024 and its powers, so they are taken so.
    pub(crate) fn of(word: &[u8]) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        Some(match &*word {
            b"b" | b"byte" | b"bytes" => Self::Bytes,
            b"k" | b"kb" | b"ki" | b"kib" | b"kbyte" | b"kbytes" | b"kilobytes" => Self::Kibi,
            b"m" | b"mb" | b"mi" | b"mib" | b"mbyte" | b"mbytes" | b"megabytes" => Self::Mebi,
            b"g" | b"gb" | b"gi" | b"gib" | b"gbyte" | b"gbytes" | b"gigabytes" => Self::Gibi,
            b"page" | b"pages" => Self::Pages,
            _ => return None,
        })
    }
}

/// A number and the unit behind it, if there is one.
pub(super) fn number(text: &[u8]) -> Option<(f64, Option<Unit>)> {
    let text = text.trim_ascii();
    let digits =
        text.iter().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E')).count();
    // `1e6` is a number, `1Ei` is not.
    let digits = text[..digits].iter().rposition(u8::is_ascii_digit)? + 1;
    let value: f64 = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    let rest = text[digits..].trim_ascii();
    let unit = if rest.is_empty() { None } else { Some(Unit::of(rest)?) };
    value.is_finite().then_some((value, unit))
}

/// A number of bytes of the file, or nothing if it cannot be one.
pub(super) fn bytes(text: &[u8], unit: Option<Unit>) -> Option<f64> {
    // Thousands in quotes: "12,345".
    let without: Vec<u8> =
        if text.contains(&b',') { text.iter().copied().filter(|b| *b != b',').collect() } else { Vec::new() };
    let (value, own) = number(if without.is_empty() { text } else { &without })?;
    let value = value * own.or(unit).map_or(1.0, Unit::bytes);
    (0.0..1e17).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units() {
        for (text, expected) in [
            ("15312", Some(15312.0)),
            (" 12.5 MB ", Some(13_107_200.0)),
            ("512Mi", Some(536_870_912.0)),
            ("1.5g", Some(1_610_612_736.0)),
            ("12,345", Some(12345.0)),
            ("1e6", Some(1e6)),
            ("-5", None),
            ("NaN", None),
            ("inf", None),
            ("1e300", None),
            ("", None),
            ("-", None),
            ("12 parsecs", None),
            ("e5", None),
        ] {
            assert_eq!(bytes(text.as_bytes(), None), expected, "{text}");
        }
        assert_eq!(bytes(b"10", Some(Unit::Kibi)), Some(10240.0));
        assert_eq!(bytes(b"10 MB", Some(Unit::Kibi)), Some(10_485_760.0), "the unit beside the number counts");
    }
}
