//! Times as people and models read them.
//!
//! This module knows the calendar. It has no clock and no time zone: all times are in UTC.

use silcrow_event::Timestamp;

/// Returns a time as `2026-11-23 14:05`, in UTC.
pub(crate) fn date(time: Timestamp) -> String {
    let minutes = time.as_nanos().div_euclid(60_000_000_000);
    let (days, minute) = (minutes.div_euclid(24 * 60), minutes.rem_euclid(24 * 60));
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minute / 60, minute % 60)
}

/// Returns the year, the month and the day of a number of days after 1970-01-01, in the Gregorian
/// calendar. Years begin in March here, so that a leap day is the last day of its year.
const fn civil(days: i64) -> (i64, i64, i64) {
    // Days since 0000-03-01.
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, is_next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + is_next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        let cases = [
            (0, "1970-01-01 00:00"),
            (-1, "1969-12-31 23:59"),
            (951_782_399, "2000-02-28 23:59"),
            (951_782_400, "2000-02-29 00:00"),
            (951_868_800, "2000-03-01 00:00"),
            (1_709_251_199, "2024-02-29 23:59"),
            (1_795_442_700, "2026-11-23 14:05"),
            (4_107_542_400, "2100-03-01 00:00"),
        ];
        for (seconds, written) in cases {
            assert_eq!(date(Timestamp::from_nanos(seconds * 1_000_000_000)), written);
        }
    }
}
