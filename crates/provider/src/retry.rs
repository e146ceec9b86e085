//! A wrapper that repeats failed requests.
//!
//! [`RetryAttempts`] counts the attempts at one answer. A request is not repeated after the first
//! delta of its answer.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time::{Instant, sleep};
use tracing::info;

use crate::error::{Error, ErrorKind};
use crate::provider::{Attempt, DeltaStream, Provider, Request};
use crate::sent_bytes::add_sent_bytes;
use crate::session::{OpeningSession, Session};

mod session;
mod watch;

use session::RetriedSession;
pub use watch::{RequestPause, RetryWatch};

/// A model whose failed requests are repeated if that may help and no delta can arrive twice.
///
/// | first item of the answer | repeated |
/// |---|---|
/// | [`ErrorKind::Network`], [`ErrorKind::Rate`], [`ErrorKind::Overload`], [`ErrorKind::Cut`] | yes |
/// | [`ErrorKind::Timeout`] | no: waiting again would double the silence |
/// | every other error | no: it would be the same again |
/// | an error with the vendor's [advice](Error::advice) | as advised, in place of the rows above |
/// | any of these with a [wait](Error::retry_after) longer than [`RetryPolicy::longest_wait`] | no: a person has to decide |
/// | a delta | no: it may have been shown, stored or acted on |
///
/// Requests of a session follow the same rules, while it is opened and until the first delta of
/// each answer. They are repeated over another session with the whole conversation. If the caller
/// has another way to ask ([`Attempt::Only`]), they are not repeated.
///
/// ```
/// use futures_util::StreamExt as _;
/// use silcrow_event::Message;
/// use silcrow_provider::record::{Replay, Secrets};
/// use silcrow_provider::{Delta, Provider as _, Request, Retry};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), silcrow_provider::Error> {
/// // A model that is busy at first, and answers the second request.
/// let request = r#"{"streaming":true,"messages":[{"role":"user","content":"hi"}]}"#;
/// let busy = r#"[{"error":{"code":"overload","message":"try again later"}}]"#;
/// let lines = [busy, r#"[{"text":"§end"},{"done":"stop"}]"#]
///     .map(|answer| format!(r#"{{"request":{request},"answer":{answer}}}"#));
/// let model = Replay::parse(&lines.join("\n"), Secrets::default())?;
///
/// let mut deltas = Retry::new(model).stream(Request::new(vec![Message::user("hi")]));
/// assert_eq!(deltas.next().await.unwrap()?, Delta::Text("§end".to_owned()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Retry<P> {
    model: Arc<P>,
    policy: RetryPolicy,
    watch: RetryWatch,
}

/// The number of attempts after an error, and the pauses between them.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_provider::{Retry, RetryPolicy, ScriptedModel};
///
/// let policy = RetryPolicy::default().with_times(1).with_patience(Duration::ZERO);
/// let model = Retry::new(ScriptedModel::parse("hi", 1)).with_policy(policy);
/// # let _ = model;
/// assert_eq!(policy.times, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// The number of requests that may follow the first one.
    pub times: u32,
    /// The pause before the second request; each next pause is twice as long. Up to a quarter is
    /// added to each, so that many callers that failed together do not return together.
    pub pause: Duration,
    /// The longest pause, before the quarter is added.
    pub longest_pause: Duration,
    /// The longest wait that a server may ask for.
    pub longest_wait: Duration,
    /// The time for which requests to an overloaded server are repeated, even more often than
    /// `times`. Waits that the server asks for do not reduce the number of requests.
    pub patience: Duration,
}

/// Two more requests, after half a second and one second. Pauses grow to 8 seconds, and a server
/// may ask for a wait of up to a minute.
impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            times: 2,
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(8),
            longest_wait: Duration::from_secs(60),
            patience: Duration::ZERO,
        }
    }
}

impl RetryPolicy {
    /// Sets the maximum number of requests after the first one.
    #[must_use]
    pub const fn with_times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// Sets the pause before the second request.
    #[must_use]
    pub const fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Sets the longest pause.
    #[must_use]
    pub const fn with_longest_pause(self, longest_pause: Duration) -> Self {
        Self { longest_pause, ..self }
    }

    /// Sets the longest wait that a server may ask for.
    #[must_use]
    pub const fn with_longest_wait(self, longest_wait: Duration) -> Self {
        Self { longest_wait, ..self }
    }

    /// Sets the time for which requests to an overloaded server are repeated.
    ///
    /// ```
    /// use std::time::Duration;
    /// use silcrow_provider::RetryPolicy;
    ///
    /// // Pauses of 0.5, 1, 2, 4, 8, 8 and 8 seconds are half a minute.
    /// let policy = RetryPolicy::default().with_patience(Duration::from_secs(30));
    /// # let _ = policy;
    /// ```
    #[must_use]
    pub const fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

impl<P: Provider + 'static> Retry<P> {
    /// Repeats failed requests of a model by the default policy.
    pub fn new(model: P) -> Self {
        Self { model: Arc::new(model), policy: RetryPolicy::default(), watch: RetryWatch::new() }
    }

    /// Sets the watch that shows the pauses.
    #[must_use]
    pub fn with_watch(self, watch: RetryWatch) -> Self {
        Self { watch, ..self }
    }

    /// Sets another policy.
    #[must_use]
    pub fn with_policy(self, policy: RetryPolicy) -> Self {
        Self { policy, ..self }
    }
}

impl<P: Provider + 'static> Provider for Retry<P> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let tries = RetryAttempts::new(self.policy, self.watch.clone(), request.attempt);
        let asked = ask(Arc::clone(&self.model), request, tries);
        Box::pin(stream::once(asked).flatten())
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let opening = self.model.connect(request.clone())?;
        if request.attempt == Attempt::Only {
            return Some(opening);
        }
        let tries = RetryAttempts::new(self.policy, self.watch.clone(), request.attempt);
        let model = Arc::clone(&self.model);
        Some(Box::pin(async move {
            let (session, tries) = open(opening, &*model, &request, tries).await?;
            Ok(Box::new(RetriedSession::new(session, model, request, tries)) as Box<dyn Session>)
        }))
    }
}

async fn ask(model: Arc<impl Provider>, request: Request, mut tries: RetryAttempts) -> DeltaStream {
    loop {
        let mut deltas = model.stream(request.clone());
        let error = match deltas.next().await {
            Some(Err(error)) => error,
            Some(first) => {
                return add_sent_bytes(Box::pin(stream::iter([first]).chain(deltas)), tries.spent);
            }
            None => return deltas,
        };
        // The failed stream is closed before the pause.
        drop(deltas);
        if let Err(error) = tries.failed(error).await {
            return Box::pin(stream::iter([Err(error)]));
        }
    }
}

/// Opens a session, and returns it with the attempts so far.
async fn open(
    mut opening: OpeningSession,
    model: &impl Provider,
    request: &Request,
    mut tries: RetryAttempts,
) -> Result<(Box<dyn Session>, RetryAttempts), Error> {
    loop {
        match opening.await {
            Ok(session) => return Ok((session, tries)),
            Err(error) => tries.failed(error).await?,
        }
        opening = reopen(model, request)?;
    }
}

/// Opens another session with the whole conversation.
fn reopen(model: &impl Provider, request: &Request) -> Result<OpeningSession, Error> {
    model
        .connect(request.clone())
        .ok_or_else(|| Error::new(ErrorKind::Refused, "the model no longer offers sessions"))
}

/// The attempts at one answer so far.
#[derive(Clone, Debug)]
struct RetryAttempts {
    policy: RetryPolicy,
    watch: RetryWatch,
    asked: u32,
    /// The number of bytes of requests that failed.
    spent: u64,
}

impl RetryAttempts {
    const fn new(policy: RetryPolicy, watch: RetryWatch, attempt: Attempt) -> Self {
        let asked = if matches!(attempt, Attempt::Second) { 2 } else { 1 };
        Self { policy, watch, asked, spent: 0 }
    }

    /// Returns the attempts at the next answer.
    fn again(&self) -> Self {
        Self::new(self.policy, self.watch.clone(), Attempt::First)
    }

    /// Pauses before the next attempt, or returns the error if no attempt is left.
    async fn failed(&mut self, error: Error) -> Result<(), Error> {
        let times = self.policy.times(error.kind());
        let pause = self.policy.before(self.asked, &error);
        let Some(pause) = pause.filter(|_| self.asked <= times) else {
            let error = match self.asked {
                1 => error,
                asked => error.with_more(&format!(" (asked {asked} times)")),
            };
            return Err(error.with_sent(self.spent));
        };
        let pause_ms = pause.as_millis() as u64;
        info!(error.type = error.kind().as_str(), asked = self.asked, pause_ms, "asks again");
        self.spent += error.sent();
        let (until, next) = (Instant::now() + pause, self.asked + 1);
        let shown = RequestPause { kind: error.kind(), until, next, most: times + 1 };
        let shown = self.watch.begin(shown);
        sleep(pause).await;
        drop(shown);
        self.asked += 1;
        Ok(())
    }
}

impl RetryPolicy {
    /// Returns the pause before the next request, or `None` if another one does not help. `asked`
    /// is the number of requests so far, and the last one failed with this error.
    fn before(&self, asked: u32, error: &Error) -> Option<Duration> {
        use ErrorKind::{Cut, Network, Overload, Rate};
        let kind = matches!(error.kind(), Network | Rate | Overload | Cut);
        let helps = error.advice().unwrap_or(kind);
        let pause = self.pause_after(asked);
        let wait = error.retry_after().unwrap_or(pause);
        let obeyed = error.retry_after().is_none_or(|wait| wait <= self.longest_wait);
        (helps && obeyed).then(|| wait + jitter(pause))
    }
}

impl RetryPolicy {
    /// Returns the pause after this many requests.
    fn pause_after(&self, asked: u32) -> Duration {
        let doubled = self.pause.saturating_mul(1_u32.checked_shl(asked - 1).unwrap_or(u32::MAX));
        doubled.min(self.longest_pause)
    }

    /// Returns the maximum number of requests after the first one if each fails with an error of
    /// this kind.
    fn times(&self, kind: ErrorKind) -> u32 {
        let (mut times, mut paused) = (0, Duration::ZERO);
        while kind == ErrorKind::Overload && paused < self.patience && times < MOST_TIMES {
            times += 1;
            paused += self.pause_after(times);
        }
        times.max(self.times)
    }
}

/// Returns a random duration of up to a quarter of a pause.
fn jitter(pause: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) >> 40;
    pause.mul_f64(random as f64 / f64::from(1 << 26))
}

/// The number of requests after the first one at most, however patient a policy is.
const MOST_TIMES: u32 = 1_000;
