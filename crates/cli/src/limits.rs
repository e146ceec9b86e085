//! Timeouts and rate limits, read from the environment.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use silcrow_provider::{RateLimiter, RateLimits};
use silcrow_vendors::Timeouts;

use crate::environment::set;
use crate::failure::Failure;

/// The timeouts and rate limits of requests to models, from the environment.
pub(crate) struct Limits {
    timeouts: Timeouts,
    /// Whether the limit for the first piece is set.
    first_is_set: bool,
    rates: RateLimits,
    /// The limiter of each server, which all agents share.
    limiters: RefCell<BTreeMap<String, RateLimiter>>,
}

impl Limits {
    pub(crate) fn read() -> Result<Self, Failure> {
        let usual = Timeouts::default();
        let timeouts = Timeouts::default()
            .with_connect(seconds("SILCROW_TIMEOUT_CONNECT", usual.connect)?)
            .with_first(seconds(FIRST, usual.first)?)
            .with_first_total(seconds("SILCROW_TIMEOUT_ALIVE", usual.first_total)?)
            .with_idle(seconds("SILCROW_TIMEOUT_IDLE", usual.idle)?)
            .with_whole(seconds("SILCROW_TIMEOUT_WHOLE", usual.whole)?);
        let mut rates = RateLimits::default();
        rates.requests = count("SILCROW_REQUESTS_PER_MINUTE")?;
        rates.tokens = count("SILCROW_TOKENS_PER_MINUTE")?;
        let first_is_set = set(FIRST).is_some();
        Ok(Self { timeouts, first_is_set, rates, limiters: RefCell::default() })
    }

    /// Returns the limits of the time for a model. One that thinks has more time to begin, unless
    /// that limit is set.
    pub(crate) fn timeouts(&self, model: &str) -> Timeouts {
        let first = Timeouts::for_model(model).first.max(self.timeouts.first);
        match self.first_is_set {
            true => self.timeouts,
            false => self.timeouts.with_first(first),
        }
    }

    /// Returns the limiter for `server`.
    pub(crate) fn rate_limiter(&self, server: &str) -> RateLimiter {
        let mut limiters = self.limiters.borrow_mut();
        limiters.entry(server.to_owned()).or_insert_with(|| RateLimiter::new(self.rates)).clone()
    }
}

fn seconds(variable: &str, usual: Duration) -> Result<Duration, Failure> {
    let Some(text) = set(variable) else { return Ok(usual) };
    let number = text.trim().parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= DAY);
    number.map(Duration::from_secs_f64).filter(|wait| !wait.is_zero()).ok_or_else(|| {
        Failure::given(format!(
            "{variable} is `{text}`; use a number of seconds above 0, such as 2.5, up to {DAY}"
        ))
    })
}

fn count<T: FromStr>(variable: &str) -> Result<Option<T>, Failure> {
    let Some(text) = set(variable) else { return Ok(None) };
    text.trim()
        .parse()
        .map(Some)
        .map_err(|_| Failure::given(format!("{variable} is `{text}`; use a whole number from 1")))
}

const FIRST: &str = "SILCROW_TIMEOUT_FIRST";

/// A day in seconds.
const DAY: f64 = 86_400.0;
