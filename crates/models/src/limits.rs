//! Timeouts and rate limits, read from the environment.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use silcrow_provider::{
    Provider, RateLimited, RateLimiter, RateLimits, Retry, RetryPolicy, RetryWatch,
};
use silcrow_vendors::{ListedLimits, Timeouts};

use crate::error::Error;
use silcrow_environment::Environment;

/// The timeouts and rate limits of requests to models, and the known limits of the models. Clones
/// share the rate limiters and learned limits.
#[derive(Clone, Debug, Default)]
pub struct RequestLimits {
    timeouts: Timeouts,
    /// Whether the limit for the first piece is set.
    first_is_set: bool,
    rates: RateLimits,
    /// The limiter of each server, which all agents share.
    limiters: Arc<Mutex<BTreeMap<String, RateLimiter>>>,
    /// The time for which requests to an overloaded server are repeated, if it is set.
    patience: Option<Duration>,
    /// The time if it is not set.
    usual_patience: Option<Duration>,
    retries: RetryWatch,
    listed: ListedLimits,
}

impl RequestLimits {
    /// Reads the limits from `SILCROW_TIMEOUT_CONNECT`, `_FIRST`, `_ALIVE`, `_IDLE` and `_WHOLE`,
    /// in seconds, from `SILCROW_PATIENCE`, the seconds for which requests to an overloaded server
    /// are repeated, and from `SILCROW_REQUESTS_PER_MINUTE` and `SILCROW_TOKENS_PER_MINUTE`.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use silcrow_models::{Environment, ErrorKind, RequestLimits};
    ///
    /// let of = |seconds| Environment::from_vars([("SILCROW_TIMEOUT_IDLE", seconds)]);
    /// let limits = RequestLimits::read(&of("90"))?;
    /// assert_eq!(limits.timeouts("gemma3").idle, Duration::from_secs(90));
    /// assert_eq!(RequestLimits::read(&of("soon")).unwrap_err().kind(), ErrorKind::Setting);
    /// # Ok::<_, silcrow_models::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error of [`Setting`](crate::ErrorKind::Setting) that names the variable and its
    /// allowed values.
    pub fn read(environment: &Environment) -> Result<Self, Error> {
        let usual = Timeouts::default();
        let seconds = |variable, usual| seconds(environment, variable, usual);
        let timeouts = Timeouts::default()
            .with_connect(seconds("SILCROW_TIMEOUT_CONNECT", usual.connect)?)
            .with_first(seconds(FIRST, usual.first)?)
            .with_first_total(seconds("SILCROW_TIMEOUT_ALIVE", usual.first_total)?)
            .with_idle(seconds("SILCROW_TIMEOUT_IDLE", usual.idle)?)
            .with_whole(seconds("SILCROW_TIMEOUT_WHOLE", usual.whole)?);
        let mut rates = RateLimits::default();
        rates.requests = count(environment, "SILCROW_REQUESTS_PER_MINUTE")?;
        rates.tokens = count(environment, "SILCROW_TOKENS_PER_MINUTE")?;
        let first_is_set = environment.get(FIRST).is_some();
        let patience = match environment.get(PATIENCE) {
            Some(_) => Some(seconds(PATIENCE, USUAL_PATIENCE)?),
            None => None,
        };
        Ok(Self { timeouts, first_is_set, rates, patience, ..Self::default() })
    }

    /// Sets the time for which requests to an overloaded server are repeated, 30 seconds by
    /// default. The variable `SILCROW_PATIENCE` counts for more.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { usual_patience: Some(patience), ..self }
    }

    /// Returns a handle for reading the pauses of repeated requests.
    pub const fn retries(&self) -> &RetryWatch {
        &self.retries
    }

    /// Returns the limits from servers' lists, which all models share.
    pub const fn listed(&self) -> &ListedLimits {
        &self.listed
    }

    /// Returns a model under the rate limit of its server, which repeats failed requests.
    pub(crate) fn over(&self, model: impl Provider + 'static, server: &str) -> Arc<dyn Provider> {
        let patience = self.patience.or(self.usual_patience).unwrap_or(USUAL_PATIENCE);
        let policy = RetryPolicy::default().with_patience(patience);
        let limited = RateLimited::new(model, self.rate_limiter(server));
        Arc::new(Retry::new(limited).with_policy(policy).with_watch(self.retries.clone()))
    }

    /// Returns the limits of the time for a model. One that thinks has more time to begin, unless
    /// that limit is set.
    pub fn timeouts(&self, model: &str) -> Timeouts {
        let first = Timeouts::for_model(model).first.max(self.timeouts.first);
        match self.first_is_set {
            true => self.timeouts,
            false => self.timeouts.with_first(first),
        }
    }

    /// Returns the limiter for a server, which is the same one for each call.
    pub fn rate_limiter(&self, server: &str) -> RateLimiter {
        let mut limiters = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        limiters.entry(server.to_owned()).or_insert_with(|| RateLimiter::new(self.rates)).clone()
    }
}

fn seconds(environment: &Environment, variable: &str, usual: Duration) -> Result<Duration, Error> {
    let Some(text) = environment.get(variable) else { return Ok(usual) };
    let number = text.trim().parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= DAY);
    number.map(Duration::from_secs_f64).filter(|wait| !wait.is_zero()).ok_or_else(|| {
        Error::setting(format!(
            "{variable} is `{text}`; use a number of seconds above 0, such as 2.5, up to {DAY}"
        ))
    })
}

fn count<T: FromStr>(environment: &Environment, variable: &str) -> Result<Option<T>, Error> {
    let Some(text) = environment.get(variable) else { return Ok(None) };
    text.trim()
        .parse()
        .map(Some)
        .map_err(|_| Error::setting(format!("{variable} is `{text}`; use a whole number from 1")))
}

const FIRST: &str = "SILCROW_TIMEOUT_FIRST";
const PATIENCE: &str = "SILCROW_PATIENCE";

/// The time for which requests to an overloaded server are repeated.
const USUAL_PATIENCE: Duration = Duration::from_secs(30);

/// A day in seconds.
const DAY: f64 = 86_400.0;
