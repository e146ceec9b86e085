//! One answer of the model, and the calls that it started.
//!
//! A turn is *read* until its answer ends, *open* until every call that the model waits for has
//! ended, and *running* until every call has ended. It may run in the background while later turns
//! are read (P-24). The turn pairs the reader of the answer with the driver of the calls, and
//! interprets neither.
//!
//! [`Turn::settle`] keeps the order of the log: a call starts after all earlier events of the
//! answer and of the calls are stored (P-28).
//!
//! A turn is *parked* when nothing is left to do but to answer questions. A later run reads its
//! text again ([`Turn::read_again`]) and continues where it stopped.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{Approval, CallTransition, Entry, Event, Parked, error_chain};
use silcrow_exec::{CallDriver, CallUpdate, DriverEvent, Runner, ToolCoverage};
use silcrow_parser::OPENED_THOUGHT;
use silcrow_plan::{Plan, PlanDecision};
use silcrow_provider::{self as provider, Delta};
use silcrow_tool::Toolbox;

use crate::draft::failed_call;
use crate::error::Error;
use crate::native_forms::NativeForms;
use crate::native_wire;
use crate::outbox::Outbox;
use crate::parts::AgentParts;
use crate::reader::{AnswerEnd, ReaderOutput, TurnReader};
use crate::runner::approval;
use crate::sink::OutputSink;
use crate::step_kind::StepKind;
use crate::stored_turn::StoredTurn;
use crate::transition::decided;
use crate::turn_replay::TurnReplay;

/// One answer of the model and its calls.
pub(crate) struct Turn {
    pub(crate) reader: TurnReader,
    driver: CallDriver,
    pub(crate) outbox: Outbox,
    /// The text of the answer, which a parked turn stores. Without anything to call none is parked.
    wire: Option<String>,
    /// Whether calls are the vendor's own, so that the text has them beside the model's.
    is_native: bool,
    /// Whether the connection is read for the vendor's report after the answer.
    pub(crate) reads_report: bool,
    /// The number of events of the log among which no failed call was found.
    reviewed: usize,
    /// Whether the prompt probably opens a thought, as it did for an earlier answer of the run, and
    /// nothing of this one has come.
    pub(crate) opens_thought: bool,
}

impl Turn {
    pub(crate) fn new(
        parts: &AgentParts,
        tools: &Arc<Toolbox>,
        runner: Runner,
        number: u32,
        forms: NativeForms,
    ) -> Self {
        let coverage = Arc::new(ToolCoverage::new(tools));
        let mut plan = Plan::with_limits(parts.options.plan).with_undo_coverage(coverage);
        for (name, value) in &parts.options.presets {
            plan.preset(name, value.clone());
        }
        Self {
            reader: TurnReader::new(parts, tools, forms),
            driver: CallDriver::new(plan, runner),
            outbox: Outbox::new(number),
            wire: (!tools.is_empty()).then(String::new),
            is_native: parts.options.calls.is_native(),
            reads_report: true,
            reviewed: 0,
            opens_thought: false,
        }
    }

    /// Reads the text of a parked turn again, of which the log holds a part.
    pub(crate) fn read_again(
        mut self,
        wire: &str,
        stored: StoredTurn,
        replay: TurnReplay,
        sink: &mut OutputSink<'_>,
    ) -> Self {
        self.outbox.stored = stored;
        self.outbox.is_quiet = replay == TurnReplay::Quiet;
        if self.is_native {
            native_wire::read(wire).for_each(|delta| self.push(Some(Ok(delta)), sink));
        } else {
            self.push(Some(Ok(Delta::Text(wire.to_owned()))), sink);
        }
        if self.is_read() {
            self.close(AnswerEnd::Well, sink);
        }
        self.reads_report = false;
        self
    }

    /// Returns the number of the turn.
    pub(crate) const fn number(&self) -> u32 {
        self.outbox.turn()
    }

    /// Returns whether nothing is left to do but to answer questions, once the answer is read.
    pub(crate) fn is_parked(&self) -> bool {
        self.outbox.is_empty() && self.driver.is_parked()
    }

    /// Returns the record of a parked turn.
    pub(crate) fn parked(&self, parts: &AgentParts) -> Parked {
        let (dialect, inline) = native_wire::notation(parts);
        Parked {
            wire: self.wire.clone().unwrap_or_default(),
            dialect: dialect.to_owned(),
            inline,
            families: self.reader.families().map(|family| family.name().to_owned()).collect(),
            root: parts.root_identity().to_owned(),
            questions: self.driver.open_questions(),
            inside: self.driver.parked_calls().to_vec(),
        }
    }

    /// Returns whether the answer is still read.
    pub(crate) const fn is_read(&self) -> bool {
        self.reader.is_reading()
    }

    /// Returns whether the answer is still read, or a call that it waits for has not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.is_read() || !self.driver.plan().is_settled()
    }

    /// Returns whether a call has not ended, including calls in the background.
    pub(crate) fn is_running(&self) -> bool {
        self.driver.plan().is_running()
    }

    /// Returns whether the model is asked again (P-22), because its calls have results or its
    /// answer is not final. The results are stored already.
    pub(crate) fn continues(&mut self) -> bool {
        let has_results = self.driver.plan_mut().take_results().is_some();
        match self.reader.is_action() {
            true => self.reader.is_continued() && !self.reader.has_final_response(),
            false => has_results,
        }
    }

    /// Returns how long the turn waits for the vendor's report after the end of the answer. It
    /// waits longer while calls run and if no request follows, because that delays nothing.
    pub(crate) fn patience(&self) -> Duration {
        let between_steps = !self.is_open() && self.reader.is_continued();
        if between_steps { REPORT_BETWEEN_STEPS } else { REPORT }
    }

    /// Takes a delta, which belongs to the answer or to the vendor's report after it.
    pub(crate) fn push(
        &mut self,
        mut delta: Option<Result<Delta, provider::Error>>,
        sink: &mut OutputSink<'_>,
    ) {
        if self.opens_thought
            && let Some(Ok(Delta::Text(text))) = &mut delta
            && let Some(first) = text.trim_start().chars().next()
        {
            self.opens_thought = false;
            // A tag or a delimiter of the answer shows that no thought is open.
            if !['<', '[', '§'].contains(&first) {
                text.insert_str(0, OPENED_THOUGHT);
            }
        }
        if !self.is_read() {
            self.reads_report = self.reader.push_report(delta);
            return;
        }
        let Self { reader, driver, outbox, wire, is_native, .. } = self;
        match (wire, &delta) {
            (Some(wire), Some(Ok(delta))) if *is_native => native_wire::write(delta, wire),
            (Some(wire), Some(Ok(Delta::Text(text)))) => wire.push_str(text),
            _ => {}
        }
        let mut output = ReaderOutput { plan: driver.plan_mut(), outbox, sink };
        match reader.push(delta, &mut output) {
            Err(error) => {
                let why = format!(
                    "cancelled: the answer did not come to its end: {}",
                    error_chain(&error)
                );
                self.abort("cancelled", &why, sink);
                self.close(AnswerEnd::Badly(error), sink);
            }
            Ok(()) => self.reads_report &= reader.is_open(),
        }
    }

    /// Returns whether the model writes a final response in vain: beside a call that has failed it is a
    /// draft (P-35). `own` are the entries since the turn began.
    pub(crate) fn writes_in_vain(&mut self, own: &[Entry]) -> bool {
        let reader = &self.reader;
        if !(self.is_read() && reader.is_action() && reader.has_final_response())
            || self.reviewed == own.len()
        {
            return false;
        }
        self.reviewed = own.len();
        let number = Some(self.number());
        let own = own.iter().filter(|entry| entry.turn == number);
        failed_call(own.map(|entry| &entry.event)).is_some()
    }

    /// Reads no more of the answer. The part that was read stands, and its calls go on.
    pub(crate) fn read_no_more(&mut self, sink: &mut OutputSink<'_>) {
        self.close(AnswerEnd::Well, sink);
    }

    /// Stops the answer and its calls. `end` says whether a cancellation or a limit stopped them.
    pub(crate) fn stop(&mut self, why: &str, end: AnswerEnd, sink: &mut OutputSink<'_>) {
        self.abort("cancelled", &format!("cancelled: {why}"), sink);
        self.close(end, sink);
    }

    /// Drops the calls that have not started, because the person said something new.
    pub(crate) fn drop_calls(&mut self, sink: &mut OutputSink<'_>) {
        let why = "not started: the person sent a message and dropped the calls that waited";
        self.driver.cancel_waiting("dropped by the person", why);
        self.report(sink);
    }

    /// Returns whether calls may have something to say.
    pub(crate) fn has_work(&self) -> bool {
        self.driver.has_work()
    }

    /// Waits for the next event of the calls. Cancel-safe.
    pub(crate) async fn next(&mut self) -> DriverEvent {
        match self.driver.next().await {
            Some(event) => event,
            None => pending().await,
        }
    }

    /// Takes an event of a call.
    pub(crate) fn apply(&mut self, event: DriverEvent, sink: &mut OutputSink<'_>) {
        let DriverEvent::Reported(update) = event else { return self.report(sink) };
        match update {
            CallUpdate::Started { id, attempt, args } => {
                let (id, args) = (id.into(), args.into());
                sink.show_call(self.outbox.turn(), &CallTransition::Started { id, attempt, args });
            }
            CallUpdate::Recorded { id } => {
                let id = id.into();
                sink.show_call(self.outbox.turn(), &CallTransition::Recorded { id });
            }
            CallUpdate::Progress(progress) => self.outbox.event(Event::Progress(progress)),
            CallUpdate::Changed(changes) => self.outbox.event(Event::Changes(changes)),
            CallUpdate::AgentEvent(entry) => self.outbox.show(entry),
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

    /// Returns whether nothing is left to settle, as after most pieces of a text.
    pub(crate) fn has_settled(&mut self) -> bool {
        self.outbox.has_settled()
    }

    /// Stores and shows pending output and starts calls, until neither is left to do. In the last
    /// step of a run no call is started.
    pub(crate) async fn settle(
        &mut self,
        step: StepKind,
        sink: &mut OutputSink<'_>,
    ) -> Result<(), Error> {
        loop {
            let decisions = self.outbox.flush(self.driver.plan(), sink).await?;
            let starts = |decision: &PlanDecision| matches!(decision, PlanDecision::Start(_));
            if step.is_last() && decisions.iter().any(starts) {
                let why = "not started: this was the last step of the run";
                self.abort("not started", why, sink);
                continue;
            }
            for decision in decisions {
                if self.outbox.stored.take_decision(&decision, self.driver.plan_mut()) {
                    continue;
                }
                if let Some(transition) = decided(&decision, self.driver.plan()) {
                    sink.show_call(self.outbox.turn(), &transition);
                }
                self.driver.carry_out(decision);
            }
            if !self.outbox.is_empty() {
                continue;
            }
            let plan = self.driver.plan_mut();
            if !plan.has_updates() && !self.outbox.stored.finish_next(plan) {
                self.outbox.is_quiet = false;
                return Ok(());
            }
            self.report(sink);
        }
    }

    /// Waits until the stopped calls have ended, and shows their output until then.
    pub(crate) async fn drain(&mut self, sink: &mut OutputSink<'_>) {
        let mut show = |update| {
            if let CallUpdate::AgentEvent(entry) = update {
                sink.pass_entry(&entry);
            }
        };
        self.driver.drain(&mut show).await;
    }

    /// Cancels the calls that have not ended, with this result, and prevents that others start.
    fn abort(&mut self, summary: &str, why: &str, sink: &mut OutputSink<'_>) {
        self.driver.cancel(summary, why);
        self.reader.abort();
        self.report(sink);
    }

    fn close(&mut self, end: AnswerEnd, sink: &mut OutputSink<'_>) {
        let Self { reader, driver, outbox, .. } = self;
        reader.close(end, &mut ReaderOutput { plan: driver.plan_mut(), outbox, sink });
        self.reads_report = false;
    }

    fn report(&mut self, sink: &mut OutputSink<'_>) {
        let Self { reader, driver, outbox, .. } = self;
        reader.report(&mut ReaderOutput { plan: driver.plan_mut(), outbox, sink });
    }
}

/// The time limit of a vendor's report while nothing waits for it.
const REPORT: Duration = Duration::from_secs(1);

/// The time for which a vendor's report may delay the next step.
const REPORT_BETWEEN_STEPS: Duration = Duration::from_millis(100);
