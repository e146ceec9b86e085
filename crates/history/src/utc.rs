//! A time as a date and a time of day, in UTC.

use silcrow_event::Timestamp;

use crate::date::date;

/// Returns a time as `2026-11-23 18:22:05 UTC`, or `an unknown time` for the Unix epoch.
pub fn utc(time: Timestamp) -> String {
    if time == Timestamp::UNIX_EPOCH {
        return "an unknown time".to_owned();
    }
    let since = time.duration_since(Timestamp::UNIX_EPOCH).as_secs();
    let (days, of_day) = (since / 86_400, since % 86_400);
    let (year, month, day) = date(days);
    let (hours, minutes, seconds) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{seconds:02} UTC")
}

#[test]
fn times_are_shown_in_utc() {
    let at = |seconds: i64| utc(Timestamp::from_nanos(seconds * 1_000_000_000));
    assert_eq!(at(0), "an unknown time");
    assert_eq!(at(1), "1970-01-01 00:00:01 UTC");
    assert_eq!(at(951_782_399), "2000-02-28 23:59:59 UTC");
    assert_eq!(at(951_782_400), "2000-02-29 00:00:00 UTC");
    assert_eq!(at(1_709_251_200), "2024-03-01 00:00:00 UTC");
    assert_eq!(at(4_102_444_800), "2100-01-01 00:00:00 UTC");
}
