use std::collections::VecDeque;
use std::num::{NonZeroU32, NonZeroU64};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use silcrow_event as event;
use tokio::time::{Instant, sleep_until};

use crate::delta::Delta;
use crate::error::{Error, ErrorKind};

mod paced;

pub use paced::RateLimited;

/// How fast models may be asked. Clones are one: who shares it waits in one row, in the order of
/// asking.
///
/// When a server says how long to wait ([`ErrorKind::Rate`] with a [wait](Error::wait) of up to a
/// minute), nobody who shares it asks before that has passed.
#[derive(Clone, Debug)]
pub struct RateLimiter(Arc<Shared>);

/// What a minute may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests that begin in it.
    pub requests: Option<NonZeroU32>,
    /// Tokens that are read and written in it. What a request takes is known only afterwards: once
    /// so many were used up within a minute, no other begins.
    pub tokens: Option<NonZeroU64>,
}

#[derive(Debug)]
struct Shared {
    rates: RateLimits,
    /// Whoever holds it is next. Tokio's is handed on in order.
    row: tokio::sync::Mutex<()>,
    /// How many stand in the row.
    waiting: AtomicUsize,
    last: Mutex<Last>,
}

/// What the last minute held.
#[derive(Debug, Default)]
struct Last {
    /// When its requests began; no more than a minute may hold.
    requests: VecDeque<Instant>,
    /// The tokens of each second, at its end.
    tokens: VecDeque<(Instant, u64)>,
    /// When a server may be asked again that said so.
    pause: Option<Instant>,
}

impl RateLimiter {
    /// A row of its own.
    pub fn new(rates: RateLimits) -> Self {
        let (row, waiting, last) = Default::default();
        Self(Arc::new(Shared { rates, row, waiting, last }))
    }

    /// Waits until another request may begin. Dropping it leaves the row.
    async fn enter(&self) -> Result<(), Error> {
        let _place = Place::take(&self.0.waiting)?;
        let _next = self.0.row.lock().await;
        while let Some(until) = self.last(|last, rates| last.begin(rates, Instant::now())) {
            sleep_until(until).await;
        }
        Ok(())
    }

    /// Takes note of what an answer gives. `counted` holds the tokens of it that were noted before.
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
        let wait = error.wait().filter(|wait| *wait <= MINUTE && error.kind() == ErrorKind::Rate);
        let Some(wait) = wait else { return };
        let until = Instant::now() + wait;
        self.last(|last, _| last.pause = last.pause.max(Some(until)));
    }

    fn last<T>(&self, change: impl FnOnce(&mut Last, RateLimits) -> T) -> T {
        change(&mut self.0.last.lock().unwrap_or_else(PoisonError::into_inner), self.0.rates)
    }
}

impl Last {
    /// Takes note of a request that begins now, or says when to see again whether it may.
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

    /// When so few tokens count that another request may begin; `None` if they do.
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
            // So that no more than a minute's seconds are kept.
            Some((at, so_far)) if *at >= now => *so_far = so_far.saturating_add(count),
            _ => self.tokens.push_back((now + SECOND, count)),
        }
    }
}

/// A place in the row.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize) -> Result<Self, Error> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < LONGEST_ROW {
            return Ok(place);
        }
        let message = format!(
            "{LONGEST_ROW} requests wait already for their turn under the pace that was set; ask \
             for less at once, or raise it"
        );
        Err(Error::new(ErrorKind::Rate, message))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

const MINUTE: Duration = Duration::from_secs(60);

const SECOND: Duration = Duration::from_secs(1);

/// How many may wait.
const LONGEST_ROW: usize = 1000;
