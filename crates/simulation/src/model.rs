//! A model that writes a script at a rate, in virtual time.
//!
//! It writes while it is read. Between the end of an answer and the next request it waits, as every
//! model does while calls run, and its text comes later by that much.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use silcrow_event::Event;
use silcrow_parser::{Options, write};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use tokio::time::{Instant, sleep_until};

use crate::script::ScriptToken;

/// A model that writes the answers of a script at a rate.
///
/// A request after the last answer gets a final answer at once, so that the run ends and waits for
/// its calls in the background, as every run does.
pub(crate) struct PacedModel {
    answers: Vec<Arc<[ScriptToken]>>,
    /// The answer that ends the run.
    last: Arc<[ScriptToken]>,
    /// The number of tokens a second; with 0 all text comes at once.
    rate: f64,
    progress: Arc<Mutex<WritingProgress>>,
}

/// A model's progress in its script.
#[derive(Default)]
struct WritingProgress {
    /// The number of requests.
    asked: usize,
    /// The time at which the text would have begun without any wait.
    origin: Option<Instant>,
    /// The time of the last token.
    written: Option<Instant>,
}

impl PacedModel {
    /// Creates a model that has not been asked.
    pub(crate) fn new(answers: Vec<Vec<ScriptToken>>, rate: f64, options: Options) -> Self {
        let text = write([&Event::respond("The script is over.")], options);
        Self {
            answers: answers.into_iter().map(Arc::from).collect(),
            last: Arc::new([ScriptToken { number: 0, text }]),
            rate,
            progress: Arc::default(),
        }
    }
}

impl Provider for PacedModel {
    fn name(&self) -> &str {
        "simulated"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let (index, origin) = lock(&self.progress).request();
        let answer = Arc::clone(self.answers.get(index).unwrap_or(&self.last));
        let (rate, progress) = (self.rate, Arc::clone(&self.progress));
        let text = stream::iter(0..answer.len()).then(move |index| {
            let ScriptToken { number, text } = answer[index].clone();
            let progress = Arc::clone(&progress);
            async move {
                if rate > 0.0 {
                    sleep_until(origin + Duration::from_secs_f64(f64::from(number) / rate)).await;
                }
                lock(&progress).written = Some(Instant::now());
                Ok(Delta::Text(text))
            }
        });
        let done = stream::iter([Ok(Delta::Done(FinishReason::Stop))]);
        text.chain(done).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

impl WritingProgress {
    /// Counts a request. Returns the number of requests before it, and the time at which the text
    /// would have begun without any wait.
    fn request(&mut self) -> (usize, Instant) {
        let now = Instant::now();
        let waited = self.written.map_or(Duration::ZERO, |written| now - written);
        let origin = self.origin.map_or(now, |origin| origin + waited);
        self.origin = Some(origin);
        self.asked += 1;
        (self.asked - 1, origin)
    }
}

fn lock(progress: &Mutex<WritingProgress>) -> MutexGuard<'_, WritingProgress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
