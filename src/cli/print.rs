//! Lines for the terminal. A terminal that was closed is not an error.

use std::io::Write;

/// One line for people, on standard error.
pub(crate) fn say(line: &str) {
    // If standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// An error, on standard error.
pub(crate) fn complain(line: &str) {
    say(&format!("heapscrub: {line}"));
}

/// One line of output, on standard output.
pub(crate) fn output(line: &str) -> std::io::Result<()> {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// 1234567 as `1,234,567`.
pub(crate) fn thousands(n: u64) -> String {
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
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A share in percent, rounded down so that 100 % means all.
pub(crate) fn percent(part: u64, whole: u64) -> String {
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
    }
}
