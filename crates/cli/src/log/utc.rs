//! A time as a date and a time of day, in UTC.

use silcrow_event::Timestamp;

/// Returns a time as `2026-11-23 18:22:05 UTC`; a time that is not known says so.
pub(super) fn utc(time: Timestamp) -> String {
    if time == Timestamp::UNIX_EPOCH {
        return "an unknown time".to_owned();
    }
    let since = time.duration_since(Timestamp::UNIX_EPOCH).as_secs();
    let (days, of_day) = (since / 86_400, since % 86_400);
    let (year, month, day) = date(days);
    let (hours, minutes, seconds) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02} UTC")
}

/// Returns the date that is so many days after 1970-01-01, in the Gregorian calendar. Years begin in
/// March, so that the day that some years lack is the last one.
fn date(days: u64) -> (u64, u64, u64) {
    // From 0000-03-01, in eras of 400 years.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[test]
fn times_are_told_in_utc() {
    let at = |seconds: i64| utc(Timestamp::from_nanos(seconds * 1_000_000_000));
    assert_eq!(at(0), "an unknown time");
    assert_eq!(at(1), "1970-01-01 00:00:01 UTC");
    assert_eq!(at(951_782_399), "2000-02-28 23:59:59 UTC");
    assert_eq!(at(951_782_400), "2000-02-29 00:00:00 UTC");
    assert_eq!(at(1_709_251_200), "2024-03-01 00:00:00 UTC");
    assert_eq!(at(4_102_444_800), "2100-01-01 00:00:00 UTC");
}
