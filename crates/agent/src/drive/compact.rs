//! Keeps the requests of a run within the window of its model.
//!
//! A request that takes too much of the window is made again after an event `summary` is stored. If
//! the model is to write the summary, the step does not wait for it, unless the window is nearly
//! full.

use silcrow_context::{
    CompactionOptions, ContextAssembler as _, ContextCompaction, is_compaction_due,
};
use silcrow_event::{Content, ContextSummary, Event, Message};
use silcrow_provider::Request;

use super::AgentRun;
use crate::ending::AfterAnswer;
use crate::error::Error;
use crate::kept_outputs::keep_outputs;
use crate::log::Log;
use crate::parts::AgentParts;
use crate::request::{context_input, request};
use crate::window::ModelWindow;

impl AgentRun<'_> {
    /// Makes the request of a step from the log, which is compacted first if it is too long.
    pub(super) async fn request(&mut self, notice: Option<&'static str>) -> Result<Request, Error> {
        self.summary.planned = None;
        if let Some(refused) = self.parts.remembered_refusal(self.sink.log.entries()) {
            self.sink.pass(self.turn, refused);
        }
        let mut is_shorter = self.store_ended_summary().await?;
        let mut wanted = self.request_now(notice).await?;
        for _ in 0..MAX_ROUNDS {
            let estimated = self.window.estimate(&wanted.messages);
            self.asked = self.window.corrected(estimated);
            if is_shorter {
                self.has_room = self.leaves_room();
            }
            is_shorter = self.is_due() && self.compact().await?;
            if !is_shorter {
                break;
            }
            wanted = self.request_now(notice).await?;
        }
        Ok(wanted)
    }

    /// Returns the step after one whose request was too long: another step with a shorter context,
    /// if the context can be made shorter; or one without media, if the server refused those.
    pub(super) async fn after_too_long(
        &mut self,
        after: Result<AfterAnswer, Error>,
    ) -> Result<AfterAnswer, Error> {
        let Err(error) = &after else { return after };
        let cause = error.provider().filter(|_| self.context.has_media());
        if let Some(refused) = cause.and_then(|cause| self.parts.learn_refusal(cause)) {
            self.sink.pass(self.turn, refused);
            return Ok(AfterAnswer::Ask);
        }
        let is_learned = error.provider().is_some_and(|cause| self.window.learn(cause, self.asked));
        if is_learned && self.compact().await? { Ok(AfterAnswer::Ask) } else { after }
    }

    /// Returns whether the request takes too much of the window. If the last summary did not make it
    /// much shorter, another one follows only after some turns, or if the window is nearly full.
    fn is_due(&self) -> bool {
        let options = self.parts.options.compaction;
        let is_due = options.is_some_and(|options| self.takes(options));
        is_due && (self.has_room || self.has_rested() || self.is_nearly_full())
    }

    /// Returns whether the request leaves room for many turns.
    fn leaves_room(&self) -> bool {
        self.parts.options.compaction.is_some_and(|options| {
            !self.takes(options.with_start(options.keep.midpoint(options.start)))
        })
    }

    /// Returns whether there is so little room that the next step waits for a summary.
    fn is_nearly_full(&self) -> bool {
        self.takes(CompactionOptions::default().with_start(NEARLY_FULL))
    }

    /// Returns whether the request takes the part of the window at which compaction starts.
    fn takes(&self, options: CompactionOptions) -> bool {
        is_compaction_due(self.window.limits(), options, self.asked)
    }

    /// Returns whether the last summary is some turns ago.
    fn has_rested(&self) -> bool {
        let entries = self.sink.log.entries();
        let last = entries.iter().rposition(|entry| matches!(entry.event, Event::Summary(_)));
        // The event of a person has no turn if nobody ran the conversation then.
        let turn = last.and_then(|last| entries[..=last].iter().rev().find_map(|entry| entry.turn));
        turn.is_none_or(|turn| self.turn.saturating_sub(turn) >= REST)
    }

    /// Makes the context shorter, and returns whether it is shorter now. Unless the window is nearly
    /// full, a summary of the model is only planned.
    async fn compact(&mut self) -> Result<bool, Error> {
        let Some(options) = self.parts.options.compaction else { return Ok(false) };
        if self.store_ended_summary().await? {
            return Ok(true);
        }
        if self.summary.open.is_none() {
            let log = &self.sink.log;
            let shorter = compaction(self.parts, log, &self.system, &self.window, options);
            match shorter.await? {
                Some(ContextCompaction::Shorten(summary)) => {
                    self.store_summary(summary).await?;
                    return Ok(true);
                }
                Some(ContextCompaction::Summarize(task)) => self.summary.planned = Some(task),
                _ => return Ok(false),
            }
        }
        if !self.is_nearly_full() {
            return Ok(false);
        }
        self.begin_summary().await?;
        self.wait_for_summary().await?;
        self.store_ended_summary().await
    }

    /// Stores a summary. One that a person stored meanwhile stays the last.
    pub(super) async fn store_summary(&mut self, summary: ContextSummary) -> Result<(), Error> {
        let entries = self.sink.log.entries();
        let before = entries.len();
        let summary = keep_outputs(self.parts, self.scope, entries, summary).await;
        self.sink.store(self.turn, vec![Event::Summary(summary)]).await?;
        let added = &self.sink.log.entries()[before..];
        let of_person = added.iter().rev().skip(1).find_map(|entry| match &entry.event {
            Event::Summary(summary) => Some(summary.clone()),
            _ => None,
        });
        if let Some(summary) = of_person {
            self.sink.store(self.turn, vec![Event::Summary(summary)]).await?;
        }
        Ok(())
    }

    async fn request_now(&mut self, notice: Option<&'static str>) -> Result<Request, Error> {
        let entries = self.sink.log.for_context().await?;
        let input = context_input(self.parts, &entries, &self.system, notice)
            .with_limits(self.window.limits());
        let tools = self.tools.declared(self.parts);
        let (store, conversation) = (self.sink.log.store(), self.sink.log.conversation());
        let messages = self.context.assemble(&input, store, conversation).await?;
        Ok(request(messages, self.parts, tools))
    }

    /// Has the model summarize everything before the newest turn.
    pub(super) async fn compact_now(
        &mut self,
        focus: Option<&str>,
    ) -> Result<Option<ContextSummary>, Error> {
        self.sink.log.owned()?;
        let everything = CompactionOptions::default().with_start(0).with_keep(0);
        let summary = loop {
            let log = &self.sink.log;
            let shorter = compaction(self.parts, log, &self.system, &self.window, everything);
            let task = match shorter.await? {
                Some(ContextCompaction::Summarize(task)) => (*task).with_focus(focus),
                _ => return Ok(None),
            };
            let asked = self.window.tokens(task.messages());
            match self.summarize(task).await? {
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
}

/// Returns a way to make the context shorter. It depends on the whole log, because a summary lists the
/// calls that were made.
async fn compaction(
    parts: &AgentParts,
    log: &Log<'_>,
    system: &Content,
    window: &ModelWindow,
    options: CompactionOptions,
) -> Result<Option<ContextCompaction>, Error> {
    let entries = log.whole().await?;
    let input = context_input(parts, &entries, system, None).with_limits(window.limits());
    let tokens = |messages: &[Message]| window.tokens(messages);
    Ok(parts.context.compact(&input, options, &tokens))
}

/// The part of the window, in percent, from which a step waits for a summary.
const NEARLY_FULL: u8 = 90;

/// The number of turns after a summary that did not make the request short enough.
const REST: u32 = 10;

/// The number of times that one request is made shorter.
const MAX_ROUNDS: u32 = 4;
