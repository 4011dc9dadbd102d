//! Times as people and tools write them: numbers, ISO 8601, the output of `date`, the clock alone.

/// A time of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stamp {
    /// A bare number.
    Number(f64),
    /// Seconds since 1970.
    Absolute(f64),
    /// Seconds since midnight.
    Clock(f64),
}

/// Reads a time.
pub(super) fn stamp(text: &[u8]) -> Option<Stamp> {
    let text = text.trim_ascii().trim_ascii_start();
    let text = text.strip_prefix(b"[").and_then(|t| t.strip_suffix(b"]")).unwrap_or(text);
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    if let Some(number) = number {
        return number.is_finite().then_some(Stamp::Number(number));
    }
    if let Some(number) = text.strip_suffix(b"ms").and_then(|n| std::str::from_utf8(n).ok()?.trim().parse::<f64>().ok())
    {
        return number.is_finite().then_some(Stamp::Number(number / 1e3));
    }
    if let Some(number) = text.strip_suffix(b"s").and_then(|n| std::str::from_utf8(n).ok()?.trim().parse::<f64>().ok())
    {
        return number.is_finite().then_some(Stamp::Number(number));
    }
    iso(text).map(Stamp::Absolute).or_else(|| date(text).map(Stamp::Absolute)).or_else(|| clock(text).map(Stamp::Clock))
}

/// The time at the beginning of a line, if it has one.
pub(super) fn leading(line: &[u8]) -> Option<Stamp> {
    let line = line.strip_prefix(b"#").unwrap_or(line).trim_ascii_start();
    let words: Vec<usize> = std::iter::once(0)
        .chain(line.iter().enumerate().filter(|(_, b)| **b == b' ').map(|(at, _)| at))
        .take(8)
        .collect();
    // The longest beginning that is a time: `2026-11-18 20:00:01.5 rss=...`.
    let ends = words.iter().skip(1).copied().chain([line.len()]);
    let mut found = None;
    for end in ends.filter(|end| *end <= 40) {
        let part = line[..end].trim_ascii_end();
        if let Some(stamp) = stamp(part.strip_suffix(b":").unwrap_or(part)) {
            found = Some(stamp);
        }
    }
    found
}

fn digits(text: &[u8], from: usize, count: usize) -> Option<i64> {
    let part = text.get(from..from + count)?;
    part.iter().all(u8::is_ascii_digit).then(|| part.iter().fold(0, |n, b| n * 10 + i64::from(b - b'0')))
}

/// Days since 1970-01-01 of a date of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March, so that the leap day is the last one.
    let (y, m) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let (era, of_era) = (y / 400, y % 400);
    let of_year = (153 * m + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// `hh:mm:ss`, with parts of seconds; how many bytes it took.
fn clock_at(text: &[u8]) -> Option<(f64, usize)> {
    let (hours, minutes) = (digits(text, 0, 2)?, digits(text, 3, 2)?);
    if text.get(2) != Some(&b':') || hours > 23 || minutes > 59 {
        return None;
    }
    let mut at = 5;
    let mut seconds = 0.0;
    if text.get(5) == Some(&b':') {
        let whole = digits(text, 6, 2)?;
        if whole > 60 {
            return None;
        }
        seconds = whole as f64;
        at = 8;
        if matches!(text.get(8), Some(b'.' | b',')) {
            let count = text[9..].iter().take_while(|b| b.is_ascii_digit()).count().min(9);
            seconds += digits(text, 9, count)? as f64 / 10_f64.powi(count as i32);
            at = 9 + text[9..].iter().take_while(|b| b.is_ascii_digit()).count();
        }
    }
    Some(((hours * 3600 + minutes * 60) as f64 + seconds, at))
}

fn clock(text: &[u8]) -> Option<f64> {
    let (seconds, at) = clock_at(text)?;
    match text[at..].trim_ascii() {
        b"" | b"AM" => Some(seconds),
        b"PM" => Some(if seconds < 43_200.0 { seconds + 43_200.0 } else { seconds }),
        _ => None,
    }
}

/// `2026-11-18T20:00:00.5+01:00`, also with a blank instead of the T, and without a zone (then it is taken as UTC: only
/// distances count).
fn iso(text: &[u8]) -> Option<f64> {
    let separator = *text.get(4)?;
    if !matches!(separator, b'-' | b'/') || text.get(7) != Some(&separator) {
        return None;
    }
    let day = days(digits(text, 0, 4)?, digits(text, 5, 2)?, digits(text, 8, 2)?)? as f64 * 86_400.0;
    if text.len() == 10 {
        return Some(day);
    }
    if !matches!(text[10], b'T' | b't' | b' ' | b'_') {
        return None;
    }
    let (seconds, at) = clock_at(&text[11..])?;
    Some(day + seconds - zone(text[11 + at..].trim_ascii())?)
}

/// Seconds ahead of UTC.
fn zone(text: &[u8]) -> Option<f64> {
    match text {
        b"" | b"Z" | b"z" | b"UTC" | b"GMT" => Some(0.0),
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let hours = digits(rest, 0, 2)?;
            let minutes = match rest.len() {
                2 => 0,
                4 => digits(rest, 2, 2)?,
                5 if rest[2] == b':' => digits(rest, 3, 2)?,
                _ => return None,
            };
            let ahead = (hours * 3600 + minutes * 60) as f64;
            Some(if *sign == b'-' { -ahead } else { ahead })
        }
        _ => None,
    }
}

/// `Wed Nov 18 20:02:12 UTC 2026`, as `date` writes it; `Wed 18 Nov 2026 20:02:12 UTC` too.
fn date(text: &[u8]) -> Option<f64> {
    const MONTHS: [&[u8]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    let (mut month, mut day, mut year, mut time, mut is_pm) = (None, None, None, None, false);
    let mut words = 0;
    for word in text.split(|b| *b == b' ').filter(|word| !word.is_empty()) {
        words += 1;
        let whole = std::str::from_utf8(word).ok().and_then(|w| w.parse::<i64>().ok());
        match whole {
            Some(n) if n > 1900 => year = Some(n),
            Some(n) if (1..=31).contains(&n) => day = Some(n),
            _ => {
                month = month.or(MONTHS.iter().position(|m| word.starts_with(m)).filter(|_| word.len() == 3));
                time = time.or_else(|| clock(word));
                is_pm |= word == b"PM";
            }
        }
    }
    let seconds = time? + if is_pm && time? < 43_200.0 { 43_200.0 } else { 0.0 };
    let month = month? as i64 + 1;
    (words <= 8).then_some(days(year?, month, day?)? as f64 * 86_400.0 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_many_forms() {
        let moment = 1_795_032_132.0;
        for text in [
            "2026-11-18T20:02:12Z",
            "2026-11-18 20:02:12",
            "2026-11-18T21:02:12+01:00",
            "2026-11-18T15:02:12.000-0500",
            "2026/11/18 20:02:12,000",
            "Wed Nov 18 20:02:12 UTC 2026",
            "Wed 18 Nov 2026 08:02:12 PM UTC",
        ] {
            assert_eq!(stamp(text.as_bytes()), Some(Stamp::Absolute(moment)), "{text}");
        }
        assert_eq!(stamp(b"20:02:12"), Some(Stamp::Clock(72_132.0)));
        assert_eq!(stamp(b"12.5"), Some(Stamp::Number(12.5)));
        assert_eq!(stamp(b"1500ms"), Some(Stamp::Number(1.5)));
        assert_eq!(leading(b"2026-11-18 20:02:12 rss=5 MB"), Some(Stamp::Absolute(moment)));
        assert_eq!(leading(b"# 2026-11-18T20:02:12+00:00"), Some(Stamp::Absolute(moment)));
        assert_eq!(stamp(b"1970-01-01"), Some(Stamp::Absolute(0.0)));
        assert_eq!(stamp(b"2024-02-29T00:00:00Z"), Some(Stamp::Absolute(1_709_164_800.0)));
        for bad in ["", "inf", "2026-13-01", "2026-11-18T25:00:00Z", "rss", "18 Nov", "99:99:99"] {
            assert_eq!(stamp(bad.as_bytes()), None, "{bad}");
        }
    }
}
