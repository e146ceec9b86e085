//! The half of a turn that reads: from deltas to the outbox and the plan.
//!
//! ```text
//! begun ── end mark, execution point, Done ──► ended well
//!   └── error, limit, length, filter ──► ended badly
//!   └── the run is stopped ──► ended cancelled
//! ```
//!
//! Once an answer has ended, only the vendor's report is read.

use std::panic::{AssertUnwindSafe, catch_unwind};

use silcrow_accumulate::{Accumulator, Step, StopReason};
use silcrow_event::{Call, Event, Fragment, Respond};
use silcrow_exec::Toolbox;
use silcrow_plan::Plan;
use silcrow_provider as provider;
use silcrow_provider::{Delta, FinishReason};

use crate::agent::EagerStart;
use crate::error::{Error, ErrorKind};
use crate::outbox::Outbox;
use crate::sink::OutputSink;
use crate::turn::Turn;

/// What is known of an answer from its text.
#[derive(Default)]
pub(crate) struct AnswerState {
    /// Why the answer is read no further.
    pub(crate) end: Option<AnswerEnd>,
    /// A piece of the answer came.
    pub(crate) has_begun: bool,
    /// The model wrote something that it expects an answer to (P-22).
    pub(crate) is_continued: bool,
    /// The model wrote a final answer.
    pub(crate) is_answered: bool,
    /// The model wrote a thought, or the provider sent one.
    pub(crate) has_thought: bool,
    /// The vendor reports that the model called a tool in the vendor's own way.
    pub(crate) called_natively: bool,
}

/// Why an answer is read no further.
pub(crate) enum AnswerEnd {
    /// The answer is complete, or at its execution point.
    Well,
    /// The answer ended badly: nothing more is started.
    Badly(Error),
    /// The run is stopped.
    Cancelled,
}

impl Turn {
    /// Takes a delta of the answer. Only an end that is known to be a good one ends the answer
    /// well, so that pending calls start (P-14).
    pub(crate) fn push(
        &mut self,
        delta: Option<Result<Delta, provider::Error>>,
        sink: &mut OutputSink<'_>,
    ) {
        match delta {
            Some(Ok(Delta::Text(text))) => self.read(&text, sink),
            Some(Ok(Delta::Reasoning(text))) => {
                self.answer.has_begun = true;
                self.accumulate(sink, |accumulator, plan, take| {
                    accumulator.reason(&text, plan, take);
                });
            }
            Some(Ok(Delta::Done(FinishReason::Length))) => {
                let why = "the answer reached the model's length limit; ask for less, or continue";
                self.fail(Error::new(ErrorKind::Length, why), sink);
            }
            Some(Ok(Delta::Done(FinishReason::Filter))) => {
                let why = "the provider withheld the rest of the answer; ask in another way";
                self.fail(Error::new(ErrorKind::Filter, why), sink);
            }
            Some(Ok(Delta::Done(FinishReason::Stop))) => self.close(AnswerEnd::Well, sink),
            Some(Ok(Delta::Done(FinishReason::ToolUse))) => {
                self.answer.called_natively = true;
                self.close(AnswerEnd::Well, sink);
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => self.fail(error.into(), sink),
            None => {
                let why = "the answer ended without its end mark; run again";
                let cut = provider::Error::new(provider::ErrorKind::Cut, why);
                self.fail(cut.into(), sink);
            }
        }
    }

    /// Takes a delta after the end of the answer. Text means that the model continues for nothing.
    pub(crate) fn push_report(&mut self, delta: Option<Result<Delta, provider::Error>>) {
        match delta {
            Some(Ok(Delta::Usage(_))) => {}
            // Blanks may follow the end; they count like everything else.
            Some(Ok(Delta::Text(text))) if text.trim().is_empty() => {
                self.reads_report = self.accumulator.admit(&text).len() == text.len();
            }
            _ => self.reads_report = false,
        }
    }

    /// Takes the end of the wire text, which closes what is open.
    pub(crate) fn close(&mut self, end: AnswerEnd, sink: &mut OutputSink<'_>) {
        if let Some(parser) = self.parser.take() {
            let Self { accumulator, driver, outbox, answer, .. } = self;
            let mut pipe = Pipe { accumulator, plan: driver.plan_mut(), outbox, answer, sink };
            parser.finish(&mut |fragment| {
                pipe.run(|accumulator, plan, take| accumulator.push(fragment, plan, take));
            });
            pipe.run(Accumulator::finish);
        }
        self.reads_report = false;
        self.answer.end = Some(end);
    }

    /// Says what became of the calls, and what follows from it.
    pub(crate) fn report(&mut self, sink: &mut OutputSink<'_>) {
        self.accumulate(sink, Accumulator::report);
    }

    /// Reads a piece of wire text. Its text is on the screen before anything is awaited.
    fn read(&mut self, text: &str, sink: &mut OutputSink<'_>) {
        self.answer.has_begun = true;
        let Self { parser, accumulator, driver, outbox, answer, eager, tools, .. } = self;
        let Some(parser) = parser else { return };
        let admitted = accumulator.admit(text);
        let mut pipe = Pipe { accumulator, plan: driver.plan_mut(), outbox, answer, sink };
        parser.push(admitted, &mut |fragment| {
            let is_early = match &fragment {
                Fragment::Call(call) => starts_early(call, *eager, tools),
                _ => false,
            };
            pipe.run(|accumulator, plan, take| match is_early {
                true => accumulator.push_early(fragment, plan, take),
                false => accumulator.push(fragment, plan, take),
            });
        });
        if admitted.len() < text.len() {
            pipe.run(Accumulator::too_much);
        }
    }

    fn accumulate(
        &mut self,
        sink: &mut OutputSink<'_>,
        act: impl FnOnce(&mut Accumulator, &mut Plan, &mut dyn FnMut(Step<'_>)),
    ) {
        let Self { accumulator, driver, outbox, answer, .. } = self;
        Pipe { accumulator, plan: driver.plan_mut(), outbox, answer, sink }.run(act);
    }

    fn fail(&mut self, error: Error, sink: &mut OutputSink<'_>) {
        let why = format!("cancelled: the answer did not come to its end: {error}");
        self.abort("cancelled", &why, sink);
        self.close(AnswerEnd::Badly(error), sink);
    }
}

/// The way from the accumulator to the outbox.
struct Pipe<'t, 's> {
    accumulator: &'t mut Accumulator,
    plan: &'t mut Plan,
    outbox: &'t mut Outbox,
    answer: &'t mut AnswerState,
    sink: &'t mut OutputSink<'s>,
}

impl Pipe<'_, '_> {
    /// Lets the accumulator do something, and puts everything that follows into the outbox: its
    /// steps, then the plan's decisions, and then the answers that waited for it.
    fn run(&mut self, act: impl FnOnce(&mut Accumulator, &mut Plan, &mut dyn FnMut(Step<'_>))) {
        let Self { accumulator, plan, outbox, answer, sink } = self;
        act(accumulator, plan, &mut |step| answer.apply(step, outbox, sink));
        loop {
            while let Some(decision) = plan.decide() {
                outbox.decision(decision);
            }
            // A call may fail at its start, and an answer may become too long.
            accumulator.report(plan, &mut |step| answer.apply(step, outbox, sink));
            accumulator.resume(plan, &mut |step| answer.apply(step, outbox, sink));
            if !plan.has_decisions() {
                return;
            }
        }
    }
}

impl AnswerState {
    /// Takes a step of the accumulator.
    fn apply(&mut self, step: Step<'_>, outbox: &mut Outbox, sink: &mut OutputSink<'_>) {
        match step {
            Step::Show(text) => outbox.text(text, sink),
            Step::ShowCall(text) => outbox.call_text(text, sink),
            Step::Emit(event) => {
                self.is_continued |= matches!(
                    event,
                    Event::Call(_) | Event::Result(_) | Event::Respond(Respond { last: false, .. })
                );
                self.is_answered |= matches!(event, Event::Respond(Respond { last: true, .. }));
                self.has_thought |= matches!(event, Event::Think(_));
                outbox.event(event);
            }
            Step::Report(update) => outbox.update(update),
            Step::Stop(StopReason::TooMuch) => {
                let why = "the model wrote more than a turn may hold; ask for less";
                self.end = Some(AnswerEnd::Badly(Error::new(ErrorKind::TooMuch, why)));
            }
            Step::Stop(_) => self.end = Some(AnswerEnd::Well),
            _ => {}
        }
    }
}

/// Whether a call may start before its execution point (P-23).
fn starts_early(call: &Call, eager: EagerStart, tools: &Toolbox) -> bool {
    match eager {
        EagerStart::Off => false,
        // A policy that panics is the runner's to answer (P-27).
        EagerStart::ReadOnly => tools.get(call.name()).is_some_and(|tool| {
            catch_unwind(AssertUnwindSafe(|| tool.policy().read_only)).unwrap_or(false)
        }),
        EagerStart::All => true,
    }
}
