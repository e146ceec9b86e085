//! Points in time.
//!
//! This module has neither a clock nor a calendar.

#![expect(clippy::disallowed_types, reason = "a time is converted; no clock is read")]

use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use crate::digits::write_digits;
use crate::seconds::{self, TimeParseError};

/// A point in time, in nanoseconds since the Unix epoch, the beginning of 1970 in UTC. It is
/// negative before that.
///
/// In JSON it is a number of seconds, which [`Display`](fmt::Display) writes and [`FromStr`] reads.
/// Neither loses a nanosecond.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_event::Timestamp;
///
/// let time = Timestamp::from_nanos(1_763_712_345_123_456_700);
/// assert_eq!(time.to_string(), "1763712345.1234567");
/// assert_eq!("17637123451234567e-7".parse(), Ok(time));
/// assert_eq!(time.duration_since(Timestamp::UNIX_EPOCH), Duration::new(1_763_712_345, 123_456_700));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest time, in the year 1677.
    pub const MIN: Self = Self(i64::MIN);

    /// The latest time, in the year 2262.
    pub const MAX: Self = Self(i64::MAX);

    /// The beginning of 1970 in UTC, which is also the default.
    pub const UNIX_EPOCH: Self = Self(0);

    /// Creates the time so many nanoseconds after the Unix epoch.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Returns the nanoseconds since the Unix epoch.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Returns the time that has passed since `earlier`, or zero if `earlier` is later.
    pub const fn duration_since(self, earlier: Self) -> Duration {
        if self.0 <= earlier.0 {
            return Duration::ZERO;
        }
        Duration::from_nanos(self.0.abs_diff(earlier.0))
    }

    /// Returns the time that is `duration` later, or [`MAX`](Self::MAX) if that is beyond it.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        let nanos = i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
        Self(i64::try_from(nanos.saturating_add(self.0.into())).unwrap_or(i64::MAX))
    }
}

impl Timestamp {
    /// Appends the text of [`Display`](fmt::Display), in a tenth of its time for today's times:
    /// every piece of a text has one.
    pub(crate) fn write_json(self, out: &mut String) {
        let Some(nanos) = u64::try_from(self.0).ok().filter(|nanos| *nanos >= NANOS) else {
            return write!(out, "{self}").expect("a string takes everything");
        };
        // The seconds have at most 10 digits, and the fraction at least one.
        let (seconds, mut text) = (nanos / NANOS, [b'.'; 20]);
        let point = seconds.ilog10() as usize + 1;
        write_digits(&mut text[..point], seconds);
        write_digits(&mut text[point + 1..point + 10], nanos % NANOS);
        let mut end = point + 10;
        while end > point + 2 && text[end - 1] == b'0' {
            end -= 1;
        }
        out.push_str(str::from_utf8(&text[..end]).unwrap_or_default());
    }
}

/// Converts a time, rounded down to a nanosecond. A time that is out of range becomes the earliest
/// or the latest one.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => Self::UNIX_EPOCH.saturating_add(after),
            Err(before) => {
                let nanos = i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX);
                Self(i64::try_from(-nanos).unwrap_or(i64::MIN))
            }
        }
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        let from_epoch = Duration::from_nanos(time.0.unsigned_abs());
        if time.0 < 0 { Self::UNIX_EPOCH - from_epoch } else { Self::UNIX_EPOCH + from_epoch }
    }
}

/// Writes the seconds since the Unix epoch as a JSON number.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        seconds::write(f, self.0 < 0, self.0.unsigned_abs().into())
    }
}

/// Reads any JSON number of seconds, rounded to the nearest nanosecond.
impl FromStr for Timestamp {
    type Err = TimeParseError;

    fn from_str(text: &str) -> Result<Self, TimeParseError> {
        let (is_negative, nanos) = seconds::parse(text)?;
        let nanos = i128::try_from(nanos).map_err(|_| TimeParseError::OUT_OF_RANGE)?;
        let nanos = i64::try_from(if is_negative { -nanos } else { nanos });
        nanos.map(Self).map_err(|_| TimeParseError::OUT_OF_RANGE)
    }
}

const NANOS: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Timestamp;

    fn assert_written_alike(nanos: i64) {
        let (time, mut out) = (Timestamp::from_nanos(nanos), "before ".to_owned());
        time.write_json(&mut out);
        assert_eq!(out, format!("before {time}"));
    }

    proptest! {
        #[test]
        fn times_are_written_alike(nanos: i64, digits in 0..10_u32) {
            let unit = 10_i64.pow(digits);
            assert_written_alike(nanos);
            assert_written_alike(nanos / unit);
            assert_written_alike(nanos / unit * unit);
        }
    }

    #[test]
    fn times_at_the_bounds_are_written_alike() {
        let second = 1_000_000_000;
        for nanos in [0, 1, second - 1, second, second + 1, 10 * second, i64::MIN, i64::MAX] {
            assert_written_alike(nanos);
            assert_written_alike(nanos.saturating_neg());
        }
    }
}
