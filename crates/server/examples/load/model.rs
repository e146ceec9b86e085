//! A model that writes a word from time to time, as often as the prompt says.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::stamp::Stamp;

/// A model with a steady rate. The prompt `COUNT numbers` asks for words that are counted from 1, and
/// `COUNT times` for words that say when they were written.
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
        let asked = asked.as_deref().and_then(|asked| {
            let (before, are_numbers) = match asked.split_once(" numbers") {
                Some((before, _)) => (before, true),
                None => (asked.split_once(" times")?.0, false),
            };
            Some((before.rsplit(' ').next()?.trim().parse::<u64>().ok()?, are_numbers))
        });
        let (count, are_numbers) = asked.unwrap_or_default();
        // Not all models write at the same moment.
        let first =
            Instant::now() + self.pause.mul_f64(f64::from(Stamp::now().chance() % 1_000) / 1_000.0);
        let mut ticks = interval_at(first, self.pause);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let words = stream::unfold((ticks, 0), move |(mut ticks, number)| async move {
            if number > count {
                return None;
            }
            ticks.tick().await;
            let word = if are_numbers { number.to_string() } else { Stamp::now().word() };
            let delta = match number {
                0 => Delta::Text("§respond: ".to_owned()),
                number if number == count => Delta::Text(format!("{word}\n§end")),
                _ => Delta::Text(format!("{word} ")),
            };
            Some((Ok(delta), (ticks, number + 1)))
        });
        words.chain(stream::once(async { Ok(Delta::Done(FinishReason::Stop)) })).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}
