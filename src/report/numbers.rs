//! Numbers for people.

/// 1234567 as `1,234,567`.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// 1234567 as `1.2 MB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

fn signed(n: i64, show: fn(u64) -> String) -> String {
    let sign = match n {
        0 => "",
        1.. => "+",
        _ => "-",
    };
    format!("{sign}{}", show(n.unsigned_abs()))
}

/// A difference as `+1,234`.
pub(crate) fn signed_thousands(n: i64) -> String {
    signed(n, thousands)
}

/// A difference as `+1.2 MB`.
pub(crate) fn signed_size(n: i64) -> String {
    signed(n, size)
}

/// A share in percent, rounded down so that 100 % means all.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    match (part * 1000).checked_div(whole) {
        None => "none there".to_owned(),
        Some(tenths) => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!([thousands(0), thousands(999), thousands(1_234_567)], ["0", "999", "1,234,567"]);
        assert_eq!([size(12), size(4_481_403)], ["12 bytes", "4.5 MB"]);
        assert_eq!([percent(999, 1000), percent(9_999, 10_000), percent(0, 0)], ["99.9 %", "99.9 %", "none there"]);
        assert_eq!([signed_thousands(1_200), signed_thousands(-7), signed_size(0)], ["+1,200", "-7", "0 bytes"]);
    }
}
