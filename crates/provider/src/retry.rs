use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time::sleep;

use crate::error::{Error, ErrorKind};
use crate::provider::{Attempt, DeltaStream, Provider, Request};
use crate::sent::sent;
use crate::session::{OpeningSession, Session};

mod session;

use session::Retried;

/// A model that is asked again where that may help and nothing can come twice.
///
/// | what came instead of the first delta | asked again |
/// |---|---|
/// | [`ErrorKind::Network`], [`ErrorKind::Rate`], [`ErrorKind::Overload`], [`ErrorKind::Cut`] | yes |
/// | the same with a [wait](Error::wait) longer than [`Retries::longest_wait`] | no: the person is told |
/// | [`ErrorKind::Timeout`]: the silence was long enough once | no |
/// | every other error: it would come again | no |
/// | an error on which the vendor gives [advice](Error::advice), of any kind | as it says |
/// | a delta, whatever comes later | no: it may have been shown, stored or acted on |
///
/// A session is asked again alike, over another one with the whole conversation: while it is
/// opened, and for as long as no delta of an answer came. Where a caller has another way to ask
/// ([`Attempt::Only`]), a session is not asked again.
#[derive(Debug)]
pub struct Retry<P> {
    model: Arc<P>,
    retries: Retries,
}

/// How often a model is asked again, and after what pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// How many requests may follow the first.
    pub times: u32,
    /// Before the first of them; each next pause is twice as long. To each up to a quarter is
    /// added, so that many who failed together do not come back together.
    pub pause: Duration,
    /// The longest such pause, before what is added.
    pub longest_pause: Duration,
    /// The longest wait asked for by a server that is obeyed.
    pub longest_wait: Duration,
}

/// Twice, after half a second and a second. Pauses grow to 8 seconds; a wait of up to a minute is
/// obeyed.
impl Default for Retries {
    fn default() -> Self {
        Self {
            times: 2,
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(8),
            longest_wait: Duration::from_secs(60),
        }
    }
}

impl<P: Provider + 'static> Retry<P> {
    /// The model, asked again as often as [`Retries::default`] says.
    pub fn new(model: P) -> Self {
        Self { model: Arc::new(model), retries: Retries::default() }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_retries(self, retries: Retries) -> Self {
        Self { retries, ..self }
    }
}

impl<P: Provider + 'static> Provider for Retry<P> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let asked = ask(Arc::clone(&self.model), request, self.retries);
        Box::pin(stream::once(asked).flatten())
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let opening = self.model.connect(request.clone())?;
        if request.attempt == Attempt::Only {
            return Some(opening);
        }
        let tries = Tries::new(self.retries, request.attempt);
        let (model, retries) = (Arc::clone(&self.model), self.retries);
        Some(Box::pin(async move {
            let (session, tries) = open(opening, &*model, &request, tries).await?;
            Ok(Box::new(Retried::new(session, model, retries, request, tries)) as Box<dyn Session>)
        }))
    }
}

async fn ask(model: Arc<impl Provider>, request: Request, retries: Retries) -> DeltaStream {
    let mut tries = Tries::new(retries, request.attempt);
    loop {
        let mut deltas = model.stream(request.clone());
        let error = match deltas.next().await {
            Some(Err(error)) => error,
            Some(first) => return sent(Box::pin(stream::iter([first]).chain(deltas)), tries.spent),
            None => return deltas,
        };
        // What failed is closed before the pause.
        drop(deltas);
        if let Err(error) = tries.failed(error).await {
            return Box::pin(stream::iter([Err(error)]));
        }
    }
}

/// Opens a session, and returns the attempts that it took.
async fn open(
    mut opening: OpeningSession,
    model: &impl Provider,
    request: &Request,
    mut tries: Tries,
) -> Result<(Box<dyn Session>, Tries), Error> {
    loop {
        match opening.await {
            Ok(session) => return Ok((session, tries)),
            Err(error) => tries.failed(error).await?,
        }
        opening = reopen(model, request)?;
    }
}

/// Asks for another session with the whole conversation.
fn reopen(model: &impl Provider, request: &Request) -> Result<OpeningSession, Error> {
    model
        .connect(request.clone())
        .ok_or_else(|| Error::new(ErrorKind::Refused, "the model offers no session any more"))
}

/// How often something was asked in vain.
#[derive(Clone, Copy, Debug)]
struct Tries {
    retries: Retries,
    asked: u32,
    /// Bytes of requests that failed.
    spent: u64,
}

impl Tries {
    const fn new(retries: Retries, attempt: Attempt) -> Self {
        let asked = if matches!(attempt, Attempt::Second) { 2 } else { 1 };
        Self { retries, asked, spent: 0 }
    }

    /// Pauses, if asking again may help after this error. Else it is the last word.
    async fn failed(&mut self, error: Error) -> Result<(), Error> {
        let pause = self.retries.before(self.asked, &error);
        let Some(pause) = pause.filter(|_| self.asked <= self.retries.times) else {
            let error = match self.asked {
                1 => error,
                asked => error.told(&format!(" (asked {asked} times)")),
            };
            return Err(error.after_sending(self.spent));
        };
        self.spent += error.sent();
        sleep(pause).await;
        self.asked += 1;
        Ok(())
    }
}

impl Retries {
    /// The pause after so many requests, the last of which ended in this error.
    fn before(&self, asked: u32, error: &Error) -> Option<Duration> {
        use ErrorKind::{Cut, Network, Overload, Rate};
        let kind = matches!(error.kind(), Network | Rate | Overload | Cut);
        let helps = error.advice().unwrap_or(kind);
        let doubled = self.pause.saturating_mul(1_u32.checked_shl(asked - 1).unwrap_or(u32::MAX));
        let pause = doubled.min(self.longest_pause);
        let wait = error.wait().unwrap_or(pause);
        let obeyed = error.wait().is_none_or(|wait| wait <= self.longest_wait);
        (helps && obeyed).then(|| wait + jitter(pause))
    }
}

/// Up to a quarter of a pause.
fn jitter(pause: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) >> 40;
    pause.mul_f64(random as f64 / f64::from(1 << 26))
}
