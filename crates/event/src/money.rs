//! Amounts of money, which are integers, so that sums are exact.
//!
//! This module writes and reads amounts.

use std::fmt;
use std::str::FromStr;

/// An amount of money in millionths of the unit of a currency.
///
/// The currency is the one of the price table. Sums are exact, and saturate instead of overflowing.
///
/// ```
/// use silcrow_event::Money;
///
/// let price: Money = "2.50".parse().unwrap();
/// assert_eq!(price.micros(), 2_500_000);
/// assert_eq!(price.saturating_add(Money::from_micros(25)).to_string(), "2.500025");
/// assert!("0.0000001".parse::<Money>().is_err(), "a millionth is the smallest amount");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(u64);

/// The error that a text is not an amount of money.
///
/// ```
/// use silcrow_event::Money;
///
/// assert_eq!("0.25".parse::<Money>().unwrap().micros(), 250_000);
/// assert!("a quarter".parse::<Money>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseMoneyError;

impl Money {
    /// Creates an amount from its millionths.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Returns the amount in millionths.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Returns the sum of two amounts, or the greatest amount if it is too large.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns the difference of two amounts, or zero if `other` is larger.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Money {
    /// Writes a decimal number without trailing zeros, such as `0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / MICROS, self.0 % MICROS);
        if part == 0 {
            return f.pad(&whole.to_string());
        }
        let digits = format!("{whole}.{part:06}");
        f.pad(digits.trim_end_matches('0'))
    }
}

impl FromStr for Money {
    type Err = ParseMoneyError;

    /// Reads a decimal number with at most six places, such as `12`, `0.5` or `.25`.
    fn from_str(text: &str) -> Result<Self, ParseMoneyError> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + part.len() == 0
            || part.len() > PLACES
            || !is_digits(whole)
            || !is_digits(part)
        {
            return Err(ParseMoneyError);
        }
        let number = |digits: &str| match digits {
            "" => Ok(0_u64),
            digits => digits.parse().map_err(|_| ParseMoneyError),
        };
        let part = number(part)? * 10_u64.pow((PLACES - part.len()) as u32);
        let micros = number(whole)?.checked_mul(MICROS).and_then(|whole| whole.checked_add(part));
        micros.map(Self).ok_or(ParseMoneyError)
    }
}

impl fmt::Display for ParseMoneyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "this is not an amount of money; write a number such as 0.5, with at most six places",
        )
    }
}

impl std::error::Error for ParseMoneyError {}

/// The number of millionths in one unit.
const MICROS: u64 = 1_000_000;

/// The number of decimal places.
const PLACES: usize = 6;
