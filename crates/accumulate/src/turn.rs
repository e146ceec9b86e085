use silcrow_event::{
    Diagnostic, DiagnosticKind, Event, Fragment, TextFragment, TextKind, Think, ThoughtOrigin,
};
use silcrow_plan::{Plan, PlanDecision};

use crate::answers::{Answers, unbound};
use crate::joiner::TextJoiner;
use crate::reasoning::Reasoning;
use crate::step::{Step, StopReason};

/// What the fragments make that pass the cap.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    joiner: TextJoiner,
    pub(crate) plan: Plan,
    /// Where names in answers stand for outputs.
    pub(crate) answers: Option<Answers>,
    pub(crate) reasoning: Reasoning,
    pub(crate) stopped: bool,
    /// The turn ended badly: nothing more is started (P-14).
    given_up: bool,
    pub(crate) ended: bool,
    /// A final response was written.
    pub(crate) answered: bool,
    /// Calls may start before their execution point.
    pub(crate) early: bool,
}

impl Turn {
    pub(crate) fn push(&mut self, fragment: Fragment<'_>, take: &mut dyn FnMut(Step<'_>)) {
        if let Fragment::CallText(piece) = fragment {
            // It is no event: without it all is the same, reasoning around it too.
            return take(Step::ShowCall(piece));
        }
        self.end_reasoning(take);
        match fragment {
            Fragment::Text(text) => self.text(text, take),
            Fragment::Close { .. } if self.answers.as_ref().is_some_and(Answers::is_open) => {
                self.answer(take, |answers, plan, take| answers.close(plan, take));
            }
            Fragment::Call(call) => {
                take(Step::Emit(Event::Call(call.clone())));
                if self.early {
                    self.plan.push_early(call);
                } else {
                    self.plan.push(call);
                }
                self.decide(take);
            }
            Fragment::InvalidCall(bad) => {
                self.plan.push_bad(bad);
                self.decide(take);
            }
            Fragment::Execute => {
                if self.given_up {
                    return;
                }
                take(Step::Emit(Event::Execute));
                self.plan.execute();
                self.decide(take);
                self.stop(StopReason::Execute, take);
            }
            // Nothing is executed any more, so nothing is missing (P-14).
            Fragment::Diagnostic(Diagnostic { kind: DiagnosticKind::MissingExecute, .. })
                if self.given_up => {}
            Fragment::End => {
                self.ended = true;
                take(Step::Emit(Event::End));
                self.stop(StopReason::End, take);
            }
            other => {
                if let Some(event) = self.joiner.push(other) {
                    take(Step::Emit(event));
                }
            }
        }
    }

    pub(crate) fn finish(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        if !self.stopped {
            self.end_reasoning(take);
            self.stopped = true;
        }
        self.plan.seal();
        self.decide(take);
    }

    pub(crate) fn abort(&mut self, summary: &str, why: &str, take: &mut dyn FnMut(Step<'_>)) {
        self.given_up = true;
        self.plan.cancel(summary, why);
        self.decide(take);
    }

    /// The turn is too long: it ends as at a length stop.
    pub(crate) fn end_at_cap(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        self.abort("cancelled", "cancelled: the answer was longer than a turn may be", take);
        self.stop(StopReason::TooMuch, take);
    }

    /// Says what the plan decides, and then what text waits for it no longer.
    pub(crate) fn decide(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        while let Some(decision) = self.plan.decide() {
            if let PlanDecision::Unbound { name, .. } = &decision {
                take(Step::Emit(unbound(name)));
            }
            let result = match &decision {
                PlanDecision::End { id, .. } if self.answers.is_some() => self.plan.outcome(id),
                _ => None,
            };
            let result = result.cloned().map(Event::Result);
            take(Step::Plan(decision));
            if let Some(result) = result {
                take(Step::Emit(result));
            }
        }
        self.answer(take, |answers, plan, take| answers.resume(plan, take));
    }

    fn text(&mut self, text: TextFragment<'_>, take: &mut dyn FnMut(Step<'_>)) {
        let shown = TextFragment { part: self.reasoning.part(text.part), ..text };
        match text.voice {
            TextKind::Respond { last } if self.answers.is_some() => {
                if last {
                    self.answered = true;
                    self.plan.answered();
                }
                self.answer(take, |answers, plan, take| answers.push(shown, plan, take));
            }
            _ => {
                take(Step::Show(shown));
                self.joiner.push(Fragment::Text(text));
            }
        }
    }

    /// Does something to the answers, and ends the turn if they become too long.
    fn answer(
        &mut self,
        take: &mut dyn FnMut(Step<'_>),
        act: impl FnOnce(&mut Answers, &Plan, &mut dyn FnMut(Step<'_>)),
    ) {
        let Some(answers) = &mut self.answers else { return };
        act(answers, &self.plan, take);
        if answers.is_too_much() && !self.given_up {
            // What was shown of it is closed, as where the model writes too much (P-9).
            if answers.is_open() {
                answers.close(&self.plan, take);
            }
            let content = "the outputs make the answer longer than a turn may be".to_owned();
            take(Step::Emit(Diagnostic { kind: DiagnosticKind::TooMuch, content, at: 0 }.into()));
            self.end_at_cap(take);
        }
    }

    fn end_reasoning(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        if !self.reasoning.is_open() {
            return;
        }
        if let Some(content) = self.reasoning.close() {
            take(Step::Emit(Event::Think(Think { content, origin: ThoughtOrigin::Provider })));
        }
    }

    fn stop(&mut self, why: StopReason, take: &mut dyn FnMut(Step<'_>)) {
        self.stopped = true;
        take(Step::Stop(why));
    }
}
