//! Times as programs write them into logs. A date without a time of the day is none: it may be a birthday.

/// Do the bytes have this form? `0` stands for a digit, `A` for a letter, anything else for itself.
fn has_form(text: &[u8], form: &str) -> bool {
    text.len() >= form.len()
        && form.bytes().zip(text).all(|(form, byte)| match form {
            b'0' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_alphabetic(),
            _ => form == *byte,
        })
}

/// The end of a time: nothing that would belong to a longer word follows.
fn ended(text: &[u8], at: usize) -> Option<usize> {
    text.get(at).is_none_or(|b| !b.is_ascii_alphanumeric() && !b"_-".contains(b)).then_some(at)
}

/// Hours and minutes, with seconds and their parts if they are there.
fn of_day(text: &[u8]) -> Option<usize> {
    if !has_form(text, "00:00") || &text[..2] > b"24".as_slice() || &text[3..5] > b"59".as_slice() {
        return None;
    }
    let mut end = 5;
    if has_form(&text[end..], ":00") {
        end += 3;
        if matches!(text.get(end), Some(b'.' | b',')) {
            let digits = text[end + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
            end += if (1..=9).contains(&digits) { digits + 1 } else { 0 };
        }
    }
    Some(end)
}

/// `Z`, `+01:00`, ` +0100`, ` UTC`.
fn zone(text: &[u8]) -> usize {
    let rest = text.strip_prefix(b" ").unwrap_or(text);
    let blank = text.len() - rest.len();
    match rest {
        [b'Z', ..] if blank == 0 => 1,
        [b'U', b'T', b'C', ..] | [b'G', b'M', b'T', ..] => blank + 3,
        [b'+' | b'-', rest @ ..] if has_form(rest, "00:00") => blank + 6,
        [b'+' | b'-', rest @ ..] if has_form(rest, "0000") => blank + 5,
        _ => 0,
    }
}

/// The length of the moment that a text begins with: a date with a time of the day.
pub(super) fn moment(text: &[u8]) -> Option<usize> {
    let year = text.get(..2).is_some_and(|y| y == b"19" || y == b"20");
    if year && (has_form(text, "0000-00-00") || has_form(text, "0000/00/00")) {
        let joint = usize::from(matches!(text.get(10), Some(b'T' | b' ' | b't' | b'_')));
        let end = 10 + joint + of_day(text.get(10 + joint..)?).filter(|_| joint == 1)?;
        return ended(text, end + zone(&text[end..]));
    }
    if year && has_form(text, "00000000T000000") {
        return ended(text, 15 + zone(&text[15..]));
    }
    named(text).or_else(|| web(text)).or_else(|| klog(text))
}

/// `Nov 19 22:00:00`, `Thu Nov 19 22:00:00 2026`.
fn named(text: &[u8]) -> Option<usize> {
    let day = text
        .get(..4)
        .filter(|w| DAYS.contains(&&w[..3]) && matches!(w[3], b' ' | b','))
        .map_or(0, |w| if w[3] == b',' { 5 } else { 4 });
    let rest = text.get(day..)?;
    if !is_month(rest) || rest.get(3) != Some(&b' ') {
        return None;
    }
    let date = match rest.get(4..7)? {
        [b' ' | b'0'..=b'3', b'0'..=b'9', b' '] => 7,
        [b'1'..=b'9', b' ', _] => 6,
        _ => return None,
    };
    let end = day + date + of_day(rest.get(date..)?)?;
    let year = text[end..]
        .strip_prefix(b" ")
        .is_some_and(|y| has_form(y, "0000") && ended(y, 4).is_some() && y.starts_with(b"20"));
    ended(text, end + if year { 5 } else { 0 })
}

/// `19/Nov/2026:22:00:00 +0000`.
pub(super) fn web(text: &[u8]) -> Option<usize> {
    let is_date = has_form(text, "00/AAA/0000:") && is_month(&text[3..]);
    let end = 12 + of_day(text.get(12..)?).filter(|_| is_date)?;
    ended(text, end + zone(&text[end..]))
}

/// `E1119 22:00:00.123456`.
fn klog(text: &[u8]) -> Option<usize> {
    let is_date = matches!(text.first(), Some(b'I' | b'W' | b'E' | b'F')) && has_form(&text[1..], "0000 ");
    ended(text, 6 + of_day(text.get(6..)?).filter(|_| is_date)?)
}

/// A time of the day alone, with seconds.
pub(super) fn clock(text: &[u8]) -> Option<usize> {
    of_day(text).filter(|len| *len >= 8).and_then(|len| ended(text, len))
}

/// Seconds since 1970, or thousandths, millionths or billionths of them, from this century.
pub(super) fn epoch(text: &[u8]) -> Option<usize> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_time =
        matches!(digits, 10 | 13 | 16 | 19) && (b"0946684800".as_slice()..b"4102444800").contains(&&text[..10]);
    let parts = match text.get(digits) {
        Some(b'.') if digits == 10 => text[11..].iter().take_while(|b| b.is_ascii_digit()).count(),
        _ => 0,
    };
    let end = digits + if (1..=9).contains(&parts) { parts + 1 } else { 0 };
    if is_time { ended(text, end) } else { None }
}

const DAYS: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];

fn is_month(text: &[u8]) -> bool {
    const MONTHS: [&[u8]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    text.get(..3).is_some_and(|month| MONTHS.contains(&month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_what_is_none() {
        for (text, len) in [
            ("2026-11-19T22:00:00.123Z x", 24),
            ("2026-11-19 22:00:00,123 x", 23),
            ("2026-11-19 22:00:00 +01:00", 26),
            ("2026/11/19 22:00", 16),
            ("20261119T220000Z", 16),
            ("Nov 19 22:00:00 host", 15),
            ("Nov  9 22:00:00", 15),
            ("Thu Nov 19 22:00:00 2026", 24),
            ("19/Nov/2026:22:00:00 +0000", 26),
            ("E1119 22:00:00.123456 x", 21),
        ] {
            assert_eq!(moment(text.as_bytes()), Some(len), "{text}");
        }
        for none in [
            "2026-11-19",
            "1980-01-02 Anna",
            "2026-11-19T",
            "2026-11-19T22:00:00x",
            "3026-11-19 22:00",
            "19/11/2026 22:00",
            "",
        ] {
            assert_eq!(moment(none.as_bytes()), None, "{none}");
        }
        assert_eq!((clock(b"22:00:00.1"), clock(b"22:00")), (Some(10), None));
        assert_eq!(
            (epoch(b"1763589600"), epoch(b"1763589600123"), epoch(b"1763589600.5")),
            (Some(10), Some(13), Some(12))
        );
        for none in [&b"4111111111111111"[..], b"176358960", b"17635896001", b"1763589600a"] {
            assert_eq!(epoch(none), None);
        }
    }
}
