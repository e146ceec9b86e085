//! Times as people and models read them.
//!
//! This module has the calendar, but no clock and no time zone: all times are in UTC.

use silcrow_event::Timestamp;

/// Returns a time as `Monday, 23 November 2026, 14:05 UTC`, and how long ago that is if the present
/// time is known.
pub(crate) fn date(time: Timestamp, now: Option<Timestamp>) -> String {
    let minutes = time.as_nanos().div_euclid(60_000_000_000);
    let (days, minute) = (minutes.div_euclid(24 * 60), minutes.rem_euclid(24 * 60));
    let (year, month, day) = civil(days);
    // The first day of 1970 was a Thursday.
    let weekday = DAYS[(days + 3).rem_euclid(7) as usize];
    let month = MONTHS[(month - 1).rem_euclid(12) as usize];
    let (hour, minute) = (minute / 60, minute % 60);
    let ago = now.map_or_else(String::new, |now| ago(time, now));
    format!("{weekday}, {day} {month} {year}, {hour:02}:{minute:02} UTC{ago}")
}

/// Returns how long ago a time is, after a comma; nothing for a time that is yet to come.
fn ago(time: Timestamp, now: Timestamp) -> String {
    if time > now {
        return String::new();
    }
    let hours = now.duration_since(time).as_secs() / 3600;
    let (count, unit) = match (hours, hours / 24) {
        (0, _) => return ", less than an hour ago".to_owned(),
        (_, 0) => (hours, "hour"),
        (_, days @ 1..14) => (days, "day"),
        (_, days @ 14..60) => (days / 7, "week"),
        (_, days @ 60..730) => (days / 30, "month"),
        (_, days) => (days / 365, "year"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!(", {count} {unit}{plural} ago")
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

const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: i64) -> Timestamp {
        Timestamp::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn dates_follow_the_calendar() {
        let cases = [
            (0, "Thursday, 1 January 1970, 00:00 UTC"),
            (-1, "Wednesday, 31 December 1969, 23:59 UTC"),
            (951_782_399, "Monday, 28 February 2000, 23:59 UTC"),
            (951_782_400, "Tuesday, 29 February 2000, 00:00 UTC"),
            (951_868_800, "Wednesday, 1 March 2000, 00:00 UTC"),
            (1_709_251_199, "Thursday, 29 February 2024, 23:59 UTC"),
            (1_795_442_700, "Monday, 23 November 2026, 14:05 UTC"),
            (4_107_542_400, "Monday, 1 March 2100, 00:00 UTC"),
        ];
        for (seconds, written) in cases {
            assert_eq!(date(at(seconds), None), written);
        }
    }

    #[test]
    fn past_dates_state_their_age() {
        let cases = [
            (-1, ""),
            (0, ", less than an hour ago"),
            (3600, ", 1 hour ago"),
            (47 * 3600, ", 1 day ago"),
            (13 * 86_400, ", 13 days ago"),
            (14 * 86_400, ", 2 weeks ago"),
            (60 * 86_400, ", 2 months ago"),
            (800 * 86_400, ", 2 years ago"),
        ];
        for (seconds, written) in cases {
            assert_eq!(ago(at(0), at(seconds)), written);
        }
    }
}
