//! Keeps the requests of a run within the window of its model.
//!
//! A request that takes too much of the window is made again after an event `summary` is stored. If
//! the model does not write the summary, the framework does, so that a run never waits for it twice.

use futures_util::StreamExt as _;
use silcrow_context::{
    CompactionOptions, ContextAssembler as _, ContextCompaction, SummaryTask, is_compaction_due,
};
use silcrow_event::{ContextSummary, Event, Message, SummaryAuthor};
use silcrow_provider::{Delta, DeltaStream, FinishReason, Request};

use super::AgentRun;
use crate::ending::AfterAnswer;
use crate::error::{Error, ErrorKind};
use crate::kept_outputs::keep_outputs;
use crate::metered::MeteredRequest;
use crate::request::{context_input, request};

impl AgentRun<'_> {
    /// Makes the request of a step from the log, which is compacted first where it is too long.
    pub(super) async fn request(&mut self, notice: Option<&'static str>) -> Result<Request, Error> {
        let mut wanted = self.request_now(notice);
        for _ in 0..MAX_ROUNDS {
            self.asked = self.window.tokens(&wanted.messages);
            if !self.is_due() || !self.compact().await? {
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

    /// Returns whether the request takes too much of the window. Where the last summary did not make
    /// it short enough, another one follows only after some turns, or if the window is nearly full.
    fn is_due(&self) -> bool {
        let (limits, options) = (self.window.limits(), self.parts.options.compaction);
        let is_due = |options| is_compaction_due(limits, options, self.asked);
        options.is_some_and(|options| {
            is_due(options) && (self.has_rested() || is_due(options.with_start(FULL)))
        })
    }

    /// Returns whether the last summary is some turns ago.
    fn has_rested(&self) -> bool {
        let last = self.sink.log.entries().iter().rev().find_map(|entry| match entry.event {
            Event::Summary(_) => Some(entry.turn),
            _ => None,
        });
        last.flatten().is_none_or(|turn| self.turn.saturating_sub(turn) >= REST)
    }

    /// Stores a summary of the oldest turns, and returns whether there were any.
    async fn compact(&mut self) -> Result<bool, Error> {
        let Some(options) = self.parts.options.compaction else { return Ok(false) };
        let (entries, window) = (self.sink.log.entries(), &self.window);
        let input = context_input(self.parts, entries, &self.system, None);
        let input = input.with_limits(window.limits());
        let tokens = |messages: &[Message]| window.tokens(messages);
        let summary = match self.parts.context.compact(&input, options, &tokens) {
            Some(ContextCompaction::Shorten(summary)) => summary,
            Some(ContextCompaction::Summarize(task)) => match self.summarize(&task).await? {
                Ok(summary) => summary,
                Err(error) if is_of_model(&error) => task.without_model(),
                // The run ends, or the request fits as it is.
                Err(error) if error.store().is_none() => return Ok(false),
                Err(error) => return Err(error),
            },
            _ => return Ok(false),
        };
        self.store_summary(summary).await?;
        Ok(true)
    }

    /// Stores a summary. One that a person stored meanwhile stays the last.
    async fn store_summary(&mut self, summary: ContextSummary) -> Result<(), Error> {
        let entries = self.sink.log.entries();
        let before = entries.len();
        let summary = keep_outputs(self.parts, self.scope, entries, summary).await;
        self.sink.store(self.turn, vec![Event::Summary(summary)]).await?;
        let added = &self.sink.log.entries()[before..];
        let of_person = added.iter().find_map(|entry| match &entry.event {
            Event::Summary(summary) if summary.author == SummaryAuthor::Person => Some(summary),
            _ => None,
        });
        if let Some(summary) = of_person.cloned() {
            self.sink.store(self.turn, vec![Event::Summary(summary)]).await?;
        }
        Ok(())
    }

    fn request_now(&mut self, notice: Option<&'static str>) -> Request {
        let input = context_input(self.parts, self.sink.log.entries(), &self.system, notice)
            .with_limits(self.window.limits());
        request(&mut *self.context, self.parts, &input)
    }

    /// Has the model summarize everything before the newest turn.
    pub(super) async fn compact_now(
        &mut self,
        focus: Option<&str>,
    ) -> Result<Option<ContextSummary>, Error> {
        self.sink.log.owned()?;
        let everything = CompactionOptions::default().with_start(0).with_keep(0);
        let summary = loop {
            let input = context_input(self.parts, self.sink.log.entries(), &self.system, None);
            let input = input.with_limits(self.window.limits());
            let tokens = |messages: &[Message]| self.window.tokens(messages);
            let task = match self.parts.context.compact(&input, everything, &tokens) {
                Some(ContextCompaction::Summarize(task)) => (*task).with_focus(focus),
                _ => return Ok(None),
            };
            let asked = self.window.tokens(task.messages());
            match self.summarize(&task).await? {
                Ok(summary) => break summary,
                // With a smaller window, the task has fewer turns.
                Err(error)
                    if error.provider().is_some_and(|cause| self.window.learn(cause, asked)) => {}
                Err(error) => return Err(error),
            }
        };
        self.store_summary(summary.clone()).await?;
        self.sink.flush().await;
        Ok(Some(summary))
    }

    /// Asks the model for a summary. The inner error is that of a model that wrote none.
    async fn summarize(
        &mut self,
        task: &SummaryTask,
    ) -> Result<Result<ContextSummary, Error>, Error> {
        // The run has taken a request for its next step already.
        if let Err(exhausted) = self.budget.take_request(self.scope.agent_path.len() as u32 + 1) {
            return Ok(Err(exhausted.into()));
        }
        let wanted = Request::new(task.messages().to_vec());
        let wanted = wanted.with_sampling(self.parts.options.sampling.clone());
        let (provider, budget) = (&self.parts.provider, self.budget.clone());
        let reserved =
            MeteredRequest::reserve(&budget, provider.name(), &wanted.messages, None, false).await;
        let mut metered = match reserved {
            Ok(metered) => metered,
            Err(error) => return Ok(Err(error.into_error(&budget))),
        };
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => {
                Err(Error::new(ErrorKind::Interrupted, "the summary was stopped"))
            }
            exhausted = budget.expired() => Err(exhausted.into()),
            answer = answer(provider.stream(wanted), &mut metered) => answer,
        };
        self.measure(metered).await?;
        Ok(answer.map(|answer| task.summary(&answer)))
    }
}

/// Returns whether an error is that of a model, so that the run continues without its summary.
fn is_of_model(error: &Error) -> bool {
    error.provider().is_some() || error.kind() == ErrorKind::NoAnswer
}

/// Reads an answer to its end.
async fn answer(mut deltas: DeltaStream, metered: &mut MeteredRequest) -> Result<String, Error> {
    let mut text = String::new();
    loop {
        let delta = deltas.next().await;
        metered.push(delta.as_ref());
        match delta {
            Some(Ok(Delta::Text(piece))) => text.push_str(&piece),
            Some(Ok(Delta::Done(FinishReason::Stop | FinishReason::Length))) => break,
            Some(Err(error)) => return Err(error.into()),
            Some(Ok(Delta::Done(_))) | None => {
                let why = "the model wrote no summary";
                return Err(Error::new(ErrorKind::NoAnswer, why));
            }
            Some(Ok(_)) => {}
        }
        if text.len() > MAX_BYTES {
            break;
        }
    }
    match text.trim() {
        "" => Err(Error::new(ErrorKind::NoAnswer, "the model's summary holds no text")),
        text => Ok(text.to_owned()),
    }
}

/// The part of the window, in percent, at which a request is always made shorter.
const FULL: u8 = 95;

/// The number of turns after a summary that did not make the request short enough.
const REST: u32 = 10;

/// The number of times that one request is made shorter.
const MAX_ROUNDS: u32 = 4;

/// The number of bytes from which an answer is read no further.
const MAX_BYTES: usize = 64 << 10;
