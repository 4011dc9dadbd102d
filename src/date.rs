//! Days: what terms, signatures and policies count in. All of them are days of UTC.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// Days since 1970-01-01.
    days: i64,
}

/// The years that can be written; a few thousand years more make no sense in a policy.
const YEARS: std::ops::RangeInclusive<i64> = 1970..=9999;

impl Date {
    /// The day of this clock.
    #[must_use]
    pub fn today() -> Self {
        Self::at(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// The day at this time since the beginning of 1970.
    #[must_use]
    pub fn at(since_epoch: Duration) -> Self {
        let last = Self::of(*YEARS.end(), 12, 31).map_or(0, |date| date.days);
        Self { days: i64::try_from(since_epoch.as_secs() / 86_400).unwrap_or(last).min(last) }
    }

    /// Reads `2026-11-19`, exactly in this form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let number = |range: std::ops::Range<usize>| {
            let digits = bytes.get(range)?;
            digits.iter().all(u8::is_ascii_digit).then(|| digits.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
        };
        if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
            return None;
        }
        let date = Self::of(number(0..4)?, number(5..7)?, number(8..10)?)?;
        // The 31st of April is none.
        (date.to_string() == text).then_some(date)
    }

    /// Days as the Gregorian calendar counts them; the year begins in March, so that the odd day comes last.
    fn of(year: i64, month: i64, day: i64) -> Option<Self> {
        if !YEARS.contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let year = if month <= 2 { year - 1 } else { year };
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Some(Self { days: era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468 })
    }

    fn parts(self) -> (i64, i64, i64) {
        let days = self.days + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (year + era * 400 + i64::from(month <= 2), month, day)
    }

    /// So many days later; nothing beyond the last day that can be written.
    #[must_use]
    pub fn after(self, days: u32) -> Option<Self> {
        let date = Self { days: self.days + i64::from(days) };
        YEARS.contains(&date.parts().0).then_some(date)
    }

    /// Days from another one to this one; negative if this one is earlier.
    #[must_use]
    pub const fn since(self, other: Self) -> i64 {
        self.days - other.days
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_reads_as_it_is_written() {
        let mut date = Date::read("1970-01-01").expect("a day");
        assert_eq!(date.days, 0);
        for _ in 0..200_000 {
            assert_eq!(Date::read(&date.to_string()), Some(date));
            date = date.after(1).expect("a day");
        }
        assert_eq!(Date::read("2000-02-29").map(|d| d.days), Some(11_016));
        assert_eq!(Date::at(Duration::from_secs(1_795_046_400)).to_string(), "2026-11-19");
        assert_eq!(Date::at(Duration::MAX).to_string(), "9999-12-31");
        assert_eq!(Date::at(Duration::MAX).after(1), None);
    }

    #[test]
    fn what_is_no_day() {
        for text in ["2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "26-01-01", "2026-11-31", "2026-11-19 ", ""]
        {
            assert_eq!(Date::read(text), None, "{text}");
        }
        assert_eq!(Date::read("２026-11-19"), None);
    }
}
