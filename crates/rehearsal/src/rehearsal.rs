//! The model itself: the answer of the rules, cut into tokens at a rate.

use std::num::NonZeroU32;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use silcrow_event::{ActionAttributes, CallMode, Event, Usage};
use silcrow_parser::{Dialect, Options, write};
use silcrow_provider::{
    Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request, random_pieces,
};
use tokio::time::{Instant, sleep_until};

use crate::rules;
use crate::task::PromptTask;

/// A model that follows a few rules.
///
/// Its name is `rehearsal`. It never fails, and gives the same answer in the same pieces to the same
/// request. The usage that it reports counts each piece as a token of output, and every four
/// characters of the messages as a token of input.
///
/// ```
/// use std::num::NonZeroU32;
///
/// use silcrow_parser::Dialect;
/// use silcrow_provider::Provider as _;
/// use silcrow_rehearsal::Rehearsal;
///
/// // 30 tokens a second, as a slow model writes.
/// let model = Rehearsal::new(Dialect::Action.into(), NonZeroU32::new(30), 7);
/// assert_eq!(model.name(), "rehearsal");
/// ```
#[derive(Clone, Debug)]
pub struct Rehearsal {
    options: Options,
    rate: Option<NonZeroU32>,
    seed: u64,
}

impl Rehearsal {
    /// Creates a model that writes as `options` say, at `rate` tokens a second or as fast as its
    /// answer is read. `seed` decides the cuts into tokens of 1 to 6 characters.
    ///
    /// With a rate, its answers need tokio's clock.
    pub const fn new(options: Options, rate: Option<NonZeroU32>, seed: u64) -> Self {
        Self { options, rate, seed }
    }
}

impl Provider for Rehearsal {
    fn name(&self) -> &str {
        "rehearsal"
    }

    /// Returns the answer. One that does not stream arrives when the last token of a streamed one would.
    fn stream(&self, request: Request) -> DeltaStream {
        let task = PromptTask::read(&request.messages, self.options);
        let mut events = rules::next(&task);
        if self.options.dialect == Dialect::Action {
            events = events.into_iter().map(beside).collect();
        }
        let text = write(&events, self.options);
        let tokens = random_pieces(&text, self.seed);
        let read: usize =
            request.messages.iter().map(|message| message.text().chars().count()).sum();
        let usage =
            Usage { input: read as u64 / 4, output: tokens.len() as u64, ..Usage::default() };
        let last = tokens.len().saturating_sub(1);
        let pieces = if request.streaming {
            tokens.into_iter().enumerate().collect()
        } else {
            vec![(last, text)]
        };
        let end = stream::iter([Delta::Usage(usage), Delta::Done(FinishReason::Stop)]);
        at_rate(pieces, self.rate).chain(end).map(Ok).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// Turns a call into an action that runs in parallel with the others: the rules need no order.
fn beside(event: Event) -> Event {
    match event {
        Event::Call(call) => {
            let action = ActionAttributes { mode: CallMode::Async, ..ActionAttributes::default() };
            Event::Call(call.with_action(action))
        }
        other => other,
    }
}

/// Returns the pieces, each when the token with its number is due.
fn at_rate(
    pieces: Vec<(usize, String)>,
    rate: Option<NonZeroU32>,
) -> impl stream::Stream<Item = Delta> + Send + 'static {
    // The first token is due when it is first polled.
    let start = None;
    stream::unfold((pieces.into_iter(), start), move |(mut pieces, start)| async move {
        let (number, piece) = pieces.next()?;
        let start = match rate {
            None => None,
            Some(rate) => {
                let start = start.unwrap_or_else(Instant::now);
                let after = Duration::from_secs_f64(number as f64 / f64::from(rate.get()));
                sleep_until(start + after).await;
                Some(start)
            }
        };
        Some((Delta::Text(piece), (pieces, start)))
    })
}
