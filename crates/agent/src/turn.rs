//! One answer of the model, and the calls that it started.
//!
//! A turn is *read* until its answer ends, *open* until every call has ended that the model waits
//! for, and *running* until every call has ended. It may run in the background while later turns
//! are read (P-24). `reading.rs` is the half that reads; this is the half that waits for calls.
//!
//! The order of record is kept in [`Turn::settle`]: everything that the answer and the calls say is
//! stored before a call starts (P-28).

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use silcrow_accumulate::Accumulator;
use silcrow_event::{Approval, CallResult, Event};
use silcrow_exec::{CallDriver, CallUpdate, DriverEvent, Runner, Toolbox};
use silcrow_parser::{Dialect, Parser};
use silcrow_plan::{Plan, PlanDecision};

use crate::agent::{Agent, EagerStart, RunEvent};
use crate::error::Error;
use crate::outbox::Outbox;
use crate::reading::{AnswerEnd, AnswerState};
use crate::runner::approval;
use crate::silence::Silence;
use crate::sink::OutputSink;

/// One answer of the model, and the calls that it started.
pub(crate) struct Turn {
    number: u32,
    /// `None` once the wire text has ended.
    pub(crate) parser: Option<Parser>,
    pub(crate) accumulator: Accumulator,
    pub(crate) driver: CallDriver,
    pub(crate) outbox: Outbox,
    pub(crate) answer: AnswerState,
    pub(crate) eager: EagerStart,
    pub(crate) tools: Arc<Toolbox>,
    /// In `action` a result is stored when its call ends, and a response may end the run (P-22).
    is_action: bool,
    /// The connection is read on for what the vendor reports after the answer.
    pub(crate) reads_report: bool,
}

impl Turn {
    pub(crate) fn new(agent: &Agent, runner: Runner, number: u32) -> Self {
        let parser = Parser::new(agent.options);
        let is_action = agent.options.dialect == Dialect::Action;
        let accumulator = Accumulator::with_limits(agent.answer_limits);
        Self {
            number,
            parser: Some(if agent.call_text { parser.with_call_text() } else { parser }),
            accumulator: if is_action { accumulator.with_names() } else { accumulator },
            driver: CallDriver::new(Plan::with_limits(agent.limits), runner),
            outbox: Outbox::new(number),
            answer: AnswerState::default(),
            eager: agent.eager,
            tools: Arc::clone(&agent.tools),
            is_action,
            reads_report: true,
        }
    }

    /// Returns whether the answer is still read.
    pub(crate) const fn is_read(&self) -> bool {
        self.answer.end.is_none()
    }

    /// Returns whether the answer is read, or a call has not ended that it waits for.
    pub(crate) fn is_open(&self) -> bool {
        self.is_read() || !self.driver.plan().is_settled()
    }

    /// Returns whether a call has not ended, waited for or not.
    pub(crate) fn is_running(&self) -> bool {
        self.driver.plan().is_running()
    }

    /// Returns whether the model is to be asked again (P-22); `results` are those that go to it.
    pub(crate) fn continues(&self, results: &[CallResult]) -> bool {
        match self.is_action {
            true => self.answer.is_continued && !self.accumulator.is_answered(),
            false => !results.is_empty(),
        }
    }

    /// Returns what the answer holds, if it says nothing and calls nothing. A model that has
    /// `answered` in an earlier step may end with its end mark alone.
    pub(crate) fn silence(&self, answered: bool) -> Option<Silence> {
        let ends = self.accumulator.is_ended();
        if self.answer.is_answered || (answered && ends) {
            return None;
        }
        Some(match (self.answer.called_natively, self.answer.has_thought, ends) {
            (true, ..) => Silence::NativeCall,
            (_, true, _) => Silence::Thoughts,
            (.., true) => Silence::End,
            _ => Silence::Nothing,
        })
    }

    /// Takes the results that go to the model and are not stored yet, by position.
    pub(crate) fn take_results(&mut self) -> Vec<CallResult> {
        let results = self.driver.plan_mut().take_results().unwrap_or_default();
        if self.is_action { Vec::new() } else { results }
    }

    /// Returns how long, from the end of the answer, the vendor's report is waited for: longer
    /// while calls run and where nothing follows, so that the next request does not wait for it.
    pub(crate) fn patience(&self) -> Duration {
        let between_steps = !self.is_open() && self.answer.is_continued;
        if between_steps { REPORT_BETWEEN_STEPS } else { REPORT }
    }

    /// Stops everything, for this reason, by the person or by a limit.
    pub(crate) fn stop(&mut self, why: &str, end: AnswerEnd, sink: &mut OutputSink<'_>) {
        self.abort("cancelled", &format!("cancelled: {why}"), sink);
        self.close(end, sink);
    }

    /// Starts nothing more, and ends the calls that have not ended with this result.
    pub(crate) fn abort(&mut self, summary: &str, why: &str, sink: &mut OutputSink<'_>) {
        self.driver.cancel(summary, why);
        self.accumulator.give_up();
        self.report(sink);
    }

    /// Waits for what the calls do. Cancel-safe.
    pub(crate) async fn next(&mut self) -> DriverEvent {
        match self.driver.next().await {
            Some(event) => event,
            None => pending().await,
        }
    }

    /// Takes what a call did.
    pub(crate) fn apply(&mut self, event: DriverEvent, sink: &mut OutputSink<'_>) {
        let update = match event {
            DriverEvent::Reported(update) => update,
            _ => return self.report(sink),
        };
        match update {
            CallUpdate::Progress(progress) => self.outbox.event(Event::Progress(progress)),
            CallUpdate::Inner(entry) => self.outbox.inner(entry),
            update => {
                let Some(event) = approval(update) else { return };
                let granted = match &event {
                    Event::Approval(Approval { id, scope: Some(scope), .. }) => {
                        Some((id.clone(), scope.clone()))
                    }
                    _ => None,
                };
                self.outbox.event(event);
                if let Some((id, scope)) = granted {
                    self.outbox.grant(id, scope);
                }
            }
        }
    }

    /// Stores and shows what is pending, and then starts the calls that may start, until there is
    /// nothing left to do now. In the `last` step of a run no call is started.
    pub(crate) async fn settle(
        &mut self,
        last: bool,
        sink: &mut OutputSink<'_>,
    ) -> Result<(), Error> {
        loop {
            let decisions = self.outbox.flush(self.driver.plan(), sink).await?;
            let starts = |decision: &PlanDecision| matches!(decision, PlanDecision::Start(_));
            if last && decisions.iter().any(starts) {
                let why = "not started: this was the last step of the run";
                self.abort("not started", why, sink);
                continue;
            }
            let place = sink.log.place(self.number);
            for decision in decisions {
                sink.show(RunEvent::Decision(&decision, place));
                self.driver.carry_out(decision);
            }
            if self.outbox.is_empty() {
                return Ok(());
            }
        }
    }

    /// Shows what stopped calls still do, and waits for their end.
    pub(crate) async fn drain(&mut self, sink: &mut OutputSink<'_>) {
        let mut show = |update| {
            if let CallUpdate::Inner(entry) = update {
                sink.pass_entry(&entry);
            }
        };
        self.driver.drain(&mut show).await;
    }
}

/// How long a vendor's report may take while nothing waits for it.
const REPORT: Duration = Duration::from_secs(1);

/// How long a vendor's report may delay the next step.
const REPORT_BETWEEN_STEPS: Duration = Duration::from_millis(100);
