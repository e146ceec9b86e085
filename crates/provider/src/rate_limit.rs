//! A limit on the rate of requests.
//!
//! A request waits in a queue. It begins when the requests and tokens of the last minute are below
//! their limits and a pause that a server asked for is over.

use std::collections::VecDeque;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use silcrow_event as event;
use tokio::time::{Instant, sleep_until};

use crate::delta::Delta;
use crate::error::{Error, ErrorKind};

mod rate_limited;

pub use rate_limited::RateLimited;

/// A limit on the rate of requests to models. Clones share it: their requests wait in one queue.
///
/// If a server says how long to wait ([`ErrorKind::Rate`] with a [wait](Error::retry_after) of up
/// to a minute), no request that shares the limit begins before that time has passed.
///
/// ```
/// use std::num::NonZeroU32;
///
/// use futures_util::StreamExt as _;
/// use silcrow_event::Message;
/// use silcrow_provider::{Provider as _, Request, ScriptedModel};
/// use silcrow_provider::{RateLimited, RateLimiter, RateLimits};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let once_a_minute = RateLimits::default().with_requests(NonZeroU32::MIN);
/// let limiter = RateLimiter::new(once_a_minute);
/// // Two models of one vendor, which counts their requests together.
/// let small = RateLimited::new(ScriptedModel::parse("small", 1), limiter.clone());
/// let large = RateLimited::new(ScriptedModel::parse("large", 1), limiter);
///
/// let request = Request::new(vec![Message::user("hi")]);
/// let start = tokio::time::Instant::now();
/// small.stream(request.clone()).collect::<Vec<_>>().await;
/// assert_eq!(start.elapsed().as_secs(), 0);
/// large.stream(request).collect::<Vec<_>>().await;
/// assert_eq!(start.elapsed().as_secs(), 60);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RateLimiter(Arc<RateLimiterState>);

/// The rates that a [`RateLimiter`] allows.
///
/// ```
/// use silcrow_provider::RateLimits;
///
/// let rates = RateLimits::default().with_tokens(100_000.try_into().unwrap());
/// assert!(rates.requests.is_none(), "only tokens are limited");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimits {
    /// The number of requests per minute; `None` for no limit.
    pub requests: Option<NonZeroU32>,
    /// The number of input and output tokens per minute; `None` for no limit. The tokens of a
    /// request are known only after it, so requests may exceed the limit, and the next one then
    /// waits.
    pub tokens: Option<NonZeroU64>,
}

impl RateLimits {
    /// Limits the number of requests per minute.
    #[must_use]
    pub const fn with_requests(self, requests: NonZeroU32) -> Self {
        Self { requests: Some(requests), ..self }
    }

    /// Limits the number of tokens per minute.
    #[must_use]
    pub const fn with_tokens(self, tokens: NonZeroU64) -> Self {
        Self { tokens: Some(tokens), ..self }
    }
}

#[derive(Debug)]
struct RateLimiterState {
    rates: RateLimits,
    /// The queue: the request that holds the lock is next. Tokio's mutex is fair.
    queue: tokio::sync::Mutex<()>,
    /// The number of requests in the queue.
    waiting: AtomicUsize,
    last: Mutex<LastMinute>,
}

/// The requests and tokens of the last minute.
#[derive(Debug, Default)]
struct LastMinute {
    /// The times at which requests began, at most as many as the limit.
    requests: VecDeque<Instant>,
    /// The end of each second, and the tokens used in it.
    tokens: VecDeque<(Instant, u64)>,
    /// The end of a pause that a server asked for.
    pause: Option<Instant>,
}

impl RateLimiter {
    /// Creates a limit with its own queue.
    pub fn new(rates: RateLimits) -> Self {
        let (queue, waiting, last) = Default::default();
        Self(Arc::new(RateLimiterState { rates, queue, waiting, last }))
    }

    /// Waits until another request may begin. Dropping the future leaves the queue.
    async fn enter(&self) -> Result<(), Error> {
        let _place = QueuePlace::take(&self.0.waiting)?;
        let _next = self.0.queue.lock().await;
        while let Some(until) = self.last(|last, rates| last.begin(rates, Instant::now())) {
            sleep_until(until).await;
        }
        Ok(())
    }

    /// Records an item of an answer. `counted` is the number of its tokens recorded so far.
    fn note(&self, item: &Result<Delta, Error>, counted: &mut u64) {
        match item {
            Ok(Delta::Usage(event::Usage { input, output, .. })) => {
                let whole = input.saturating_add(*output);
                let new = whole.saturating_sub(*counted);
                *counted = whole.max(*counted);
                self.last(|last, rates| last.used(rates, new, Instant::now()));
            }
            Err(error) => self.learn(error),
            Ok(_) => {}
        }
    }

    fn learn(&self, error: &Error) {
        let wait =
            error.retry_after().filter(|wait| *wait <= MINUTE && error.kind() == ErrorKind::Rate);
        let Some(wait) = wait else { return };
        let until = Instant::now() + wait;
        self.last(|last, _| last.pause = last.pause.max(Some(until)));
    }

    fn last<T>(&self, change: impl FnOnce(&mut LastMinute, RateLimits) -> T) -> T {
        change(&mut self.0.last.lock().unwrap_or_else(PoisonError::into_inner), self.0.rates)
    }
}

impl LastMinute {
    /// Records a request that begins now, or returns the time at which to try again.
    fn begin(&mut self, rates: RateLimits, now: Instant) -> Option<Instant> {
        let is_old = |at: Instant| now.duration_since(at) >= MINUTE;
        while self.requests.pop_front_if(|at| is_old(*at)).is_some() {}
        while self.tokens.pop_front_if(|(at, _)| is_old(*at)).is_some() {}
        let waits = [
            self.pause.filter(|until| *until > now),
            rates.requests.and_then(|most| {
                let full = self.requests.len() >= most.get() as usize;
                self.requests.front().filter(|_| full).map(|first| *first + MINUTE)
            }),
            rates.tokens.and_then(|most| self.enough(most.get())),
        ];
        let until = waits.into_iter().flatten().max();
        if until.is_none() && rates.requests.is_some() {
            self.requests.push_back(now);
        }
        until
    }

    /// Returns the time at which enough tokens have expired for another request, or `None` if it
    /// may begin now.
    fn enough(&self, most: u64) -> Option<Instant> {
        let mut left: u64 = self.tokens.iter().map(|(_, count)| count).sum();
        let mut until = None;
        for (at, count) in &self.tokens {
            if left < most {
                break;
            }
            left -= count;
            until = Some(*at + MINUTE);
        }
        until
    }

    fn used(&mut self, rates: RateLimits, count: u64, now: Instant) {
        if rates.tokens.is_none() || count == 0 {
            return;
        }
        match self.tokens.back_mut() {
            // One item a second bounds the queue.
            Some((at, so_far)) if *at >= now => *so_far = so_far.saturating_add(count),
            _ => self.tokens.push_back((now + SECOND, count)),
        }
    }
}

/// A place in the queue.
struct QueuePlace<'a>(&'a AtomicUsize);

impl<'a> QueuePlace<'a> {
    fn take(waiting: &'a AtomicUsize) -> Result<Self, Error> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < MAX_WAITING {
            return Ok(place);
        }
        let message = format!(
            "{MAX_WAITING} requests already wait under the rate limit that was set; send fewer at \
             once, or raise the limit"
        );
        Err(Error::new(ErrorKind::Rate, message))
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

const MINUTE: Duration = Duration::from_secs(60);

const SECOND: Duration = Duration::from_secs(1);

/// The number of requests that may wait.
const MAX_WAITING: usize = 1000;
