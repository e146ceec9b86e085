//! A model that writes a word from time to time, for as many seconds as the prompt says.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::stamp;

/// A model with a steady rate. A word is `NUMBER:STAMP`, and not much longer than real ones.
#[derive(Clone)]
pub(crate) struct SteadyModel {
    pause: Duration,
}

impl SteadyModel {
    pub(crate) fn new(rate: u32) -> Self {
        Self { pause: Duration::from_secs(1) / rate.max(1) }
    }
}

impl Provider for SteadyModel {
    fn name(&self) -> &str {
        "steady"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let asked = request.messages.last().map(|message| message.content.text().into_owned());
        let count = asked.as_deref().and_then(|asked| asked.split(" words").next());
        let count = count.and_then(|text| text.rsplit(' ').next()?.trim().parse().ok());
        let count: u64 = count.unwrap_or_default();
        // Not all models write at the same moment.
        let first = Instant::now() + self.pause.mul_f64(f64::from(stamp() % 1_000) / 1_000.0);
        let mut ticks = interval_at(first, self.pause);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let words = stream::unfold((ticks, 0), move |(mut ticks, number)| async move {
            if number > count {
                return None;
            }
            ticks.tick().await;
            let delta = match number {
                0 => Delta::Text("§respond: ".to_owned()),
                number if number == count => Delta::Text(format!("{number}:{:x}\n§end", stamp())),
                number => Delta::Text(format!("{number}:{:x} ", stamp())),
            };
            Some((Ok(delta), (ticks, number + 1)))
        });
        words.chain(stream::once(async { Ok(Delta::Done(FinishReason::Stop)) })).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}
