//! Numbers of seconds as JSON writes them, exact to the nanosecond.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time as JSON has it: a number of seconds.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_event::Seconds;
///
/// assert_eq!(Seconds(Duration::from_millis(1500)).to_string(), "1.5");
/// assert_eq!("15e-1".parse(), Ok(Seconds(Duration::from_millis(1500))));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it says how a duration is written, and no more")]
pub struct Seconds(pub Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, false, self.0.as_nanos())
    }
}

/// Reads any JSON number that is not negative, rounded to the nearest nanosecond. A number that is
/// too large becomes [`Duration::MAX`]. One that is too large for `f64` is an error, as it is for
/// most readers of JSON.
impl FromStr for Seconds {
    type Err = TimeParseError;

    fn from_str(text: &str) -> Result<Self, TimeParseError> {
        let (is_negative, nanos) = parse(text)?;
        if is_negative {
            return Err(TimeParseError("a duration is not negative"));
        }
        let seconds = u64::try_from(nanos / NANOS);
        Ok(Self(
            seconds.map_or(Duration::MAX, |whole| Duration::new(whole, (nanos % NANOS) as u32)),
        ))
    }
}

/// The error of reading a time or a duration from a number of seconds.
///
/// ```
/// use silcrow_event::{Seconds, Timestamp};
///
/// let why = "-1".parse::<Seconds>().unwrap_err();
/// assert_eq!(why.to_string(), "a duration is not negative");
/// // A time may be before 1970.
/// assert_eq!("-1".parse::<Timestamp>().unwrap().as_nanos(), -1_000_000_000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeParseError(&'static str);

impl TimeParseError {
    pub(crate) const OUT_OF_RANGE: Self = Self("the time is before 1677 or after 2262");
    const NO_NUMBER: Self = Self("this is not a number of seconds");
}

impl fmt::Display for TimeParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for TimeParseError {}

/// Returns whether a number is negative, and its absolute value in nanoseconds, rounded to the
/// nearest. A value that is too large becomes `u128::MAX`.
pub(crate) fn parse(text: &str) -> Result<(bool, u128), TimeParseError> {
    if let Some(nanos) = parse_plain(text) {
        return Ok((false, nanos.into()));
    }
    if !text.parse().is_ok_and(f64::is_finite) {
        return Err(TimeParseError::NO_NUMBER);
    }
    let size = text.trim_start_matches(['-', '+']);
    let (mantissa, exponent) = size.split_once(['e', 'E']).unwrap_or((size, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes()).map(|digit| u128::from(digit - b'0'));
    // An exponent that is too large for `i64` moves every digit out of range.
    let out_of_sight = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
    let exponent: i64 = exponent.parse().unwrap_or(out_of_sight);
    // The number of digits down to nanoseconds. The digit after them rounds.
    let count = (whole.len() as i64 + 9).saturating_add(exponent);
    let mut nanos = 0_u128;
    let mut rest = digits();
    for _ in 0..count {
        let digit = rest.next();
        if digit.is_none() && matches!(nanos, 0 | u128::MAX) {
            break;
        }
        nanos = nanos.saturating_mul(10).saturating_add(digit.unwrap_or_default());
    }
    if count >= 0 && rest.next().is_some_and(|digit| digit >= 5) {
        nanos = nanos.saturating_add(1);
    }
    let is_negative = text.starts_with('-') && digits().any(|digit| digit != 0);
    Ok((is_negative, nanos))
}

/// Returns the nanoseconds of a number that is written as the times of a log are: a few digits, a
/// point, and at most nine digits.
fn parse_plain(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.')?;
    if !matches!((whole.len(), fraction.len()), (1..=10, 1..=9)) {
        return None;
    }
    let number = |digits: &str| {
        digits.bytes().try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0'))
        })
    };
    let unit = 10_u64.pow(9 - fraction.len() as u32);
    Some(number(whole)? * NANOS as u64 + number(fraction)? * unit)
}

/// Writes nanoseconds as a number of seconds, in the shape in which `serde_json` writes an `f64`.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, is_negative: bool, nanos: u128) -> fmt::Result {
    if nanos == 0 {
        return f.write_str("0.0");
    }
    if is_negative {
        f.write_str("-")?;
    }
    let all = nanos.to_string();
    let digits = all.trim_end_matches('0');
    // The number of digits before the decimal point.
    let point = all.len() as isize - 9;
    match point {
        17.. | ..=-5 => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            write!(f, "{first}{dot}{rest}e{:+}", point - 1)
        }
        ..=0 => write!(f, "0.{:0>width$}", digits, width = digits.len() + point.unsigned_abs()),
        _ => match digits.split_at_checked(point.unsigned_abs()) {
            Some((whole, fraction)) if !fraction.is_empty() => write!(f, "{whole}.{fraction}"),
            _ => write!(f, "{digits:0<width$}.0", width = point.unsigned_abs()),
        },
    }
}

const NANOS: u128 = 1_000_000_000;
