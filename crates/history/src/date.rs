//! Dates of the Gregorian calendar.

/// Returns the year, the month and the day so many days after 1970-01-01. Years begin in March, so
/// that the day that some years lack is the last one.
pub(crate) fn date(days: u64) -> (u64, u64, u64) {
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
