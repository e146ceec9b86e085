//! Keeps the requests of a run within the window of its model.
//!
//! A request that takes too much of the window is made again after an event `summary` is stored. If
//! the model does not write the summary, the framework does, so that a run never waits for it twice.

use futures_util::StreamExt as _;
use silcrow_context::{ContextAssembler as _, ContextCompaction, SummaryTask, is_compaction_due};
use silcrow_event::{ContextSummary, Event, Message};
use silcrow_provider::{Delta, FinishReason, Request};

use super::AgentRun;
use crate::ending::AfterAnswer;
use crate::error::Error;
use crate::metered::MeteredRequest;
use crate::request::{context_input, request};

impl AgentRun<'_> {
    /// Makes the request of a step from the log, which is compacted first where it is too long.
    pub(super) async fn request(&mut self, notice: Option<&'static str>) -> Result<Request, Error> {
        let mut wanted = self.request_now(notice);
        for _ in 0..MAX_ROUNDS {
            self.asked = self.window.tokens(&wanted.messages);
            let is_due =
                self.parts.options.compaction.is_some_and(|options| {
                    is_compaction_due(self.window.limits, options, self.asked)
                });
            if !is_due || !self.compact().await? {
                break;
            }
            wanted = self.request_now(notice);
        }
        Ok(wanted)
    }

    /// Returns what follows a step whose request was too long: another step with a shorter context,
    /// if the context can be made shorter.
    pub(super) async fn after_too_long(
        &mut self,
        after: Result<AfterAnswer, Error>,
    ) -> Result<AfterAnswer, Error> {
        let Err(error) = &after else { return after };
        let is_learned = error.provider().is_some_and(|cause| self.window.learn(cause, self.asked));
        if is_learned && self.compact().await? { Ok(AfterAnswer::Ask) } else { after }
    }

    /// Stores a summary of the oldest turns, and returns whether there were any.
    async fn compact(&mut self) -> Result<bool, Error> {
        let Some(options) = self.parts.options.compaction else { return Ok(false) };
        let (entries, window) = (self.sink.log.entries(), &self.window);
        let input = context_input(self.parts, entries, &self.system, None);
        let input = input.with_limits(window.limits);
        let tokens = |messages: &[Message]| window.tokens(messages);
        let summary = match self.parts.context.compact(&input, options, &tokens) {
            Some(ContextCompaction::Shorten(summary)) => summary,
            Some(ContextCompaction::Summarize(task)) => self.summarize(&task).await?,
            _ => return Ok(false),
        };
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        self.sink.store(self.turn, vec![Event::Summary(summary)]).await?;
        Ok(true)
    }

    fn request_now(&mut self, notice: Option<&'static str>) -> Request {
        let input = context_input(self.parts, self.sink.log.entries(), &self.system, notice)
            .with_limits(self.window.limits);
        request(&mut *self.context, self.parts, &input)
    }

    /// Asks the model for a summary, and writes one without it if it gives none.
    async fn summarize(&mut self, task: &SummaryTask) -> Result<ContextSummary, Error> {
        let wanted = Request::new(task.messages().to_vec());
        let (provider, budget) = (&self.parts.provider, self.budget.clone());
        let reserved =
            MeteredRequest::reserve(&budget, provider.name(), &wanted.messages, None, false).await;
        let Ok(mut metered) = reserved else { return Ok(task.without_model()) };
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            _ = budget.expired() => None,
            answer = answer(provider.stream(wanted), &mut metered) => answer,
        };
        self.measure(metered).await?;
        Ok(answer.map_or_else(|| task.without_model(), |answer| task.summary(&answer)))
    }
}

/// Reads an answer to its end. Returns `None` if it is cut or too long.
async fn answer(
    mut deltas: silcrow_provider::DeltaStream,
    metered: &mut MeteredRequest,
) -> Option<String> {
    let mut text = String::new();
    loop {
        let delta = deltas.next().await;
        metered.push(delta.as_ref());
        match delta? {
            Ok(Delta::Text(piece)) => text.push_str(&piece),
            Ok(Delta::Done(FinishReason::Stop | FinishReason::Length)) => return Some(text),
            Ok(Delta::Done(_)) | Err(_) => return None,
            Ok(_) => {}
        }
        if text.len() > MAX_BYTES {
            return None;
        }
    }
}

/// The number of times that one request is made shorter.
const MAX_ROUNDS: u32 = 4;

/// The longest answer in bytes.
const MAX_BYTES: usize = 1 << 20;
