use silcrow_event::{CallResult, Fragment, TextFragment, TextKind};
use silcrow_plan::Plan;

use crate::answers::Answers;
use crate::cap::{AnswerCap, AnswerLimits};
use crate::step::Step;
use crate::turn::Turn;

/// One turn of a model: what to show, emit and run, and when to stop.
#[derive(Debug, Default)]
pub struct Accumulator {
    cap: AnswerCap,
    turn: Turn,
}

impl Accumulator {
    /// At the start of a turn, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// At the start of a turn.
    pub fn with_limits(limits: AnswerLimits) -> Self {
        Self { cap: AnswerCap::new(limits), ..Self::default() }
    }

    /// The same turn with a plan that has limits or presets of its own.
    #[must_use]
    pub fn with_plan(mut self, plan: Plan) -> Self {
        self.turn.plan = plan;
        self
    }

    /// The same turn in the dialect `action`: names in its answers stand for outputs, and each
    /// result is emitted when its call ends (P-24, P-26).
    #[must_use]
    pub fn with_names(mut self) -> Self {
        self.turn.answers = Some(Answers::new(self.cap.limits().bytes));
        self
    }

    /// Counts a piece of wire text, and returns as much of it as is to be parsed. If that is not
    /// all, [`too_much`](Self::too_much) follows its fragments.
    pub fn admit<'t>(&mut self, text: &'t str) -> &'t str {
        self.cap.admit(text)
    }

    /// Ends the turn because its wire text is longer than it may be (P-9).
    pub fn too_much(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        let Self { cap, turn } = self;
        if !turn.stopped {
            cap.end(|fragment| turn.push(fragment, take));
            turn.end_at_cap(take);
        }
    }

    /// Takes a fragment. After a [`Step::Stop`] fragments are ignored.
    pub fn push(&mut self, fragment: Fragment<'_>, take: &mut dyn FnMut(Step<'_>)) {
        let Self { cap, turn } = self;
        if turn.stopped {
            return;
        }
        cap.push(fragment, |fragment| turn.push(fragment, take));
        if cap.is_over() {
            turn.end_at_cap(take);
        }
    }

    /// As [`push`](Self::push); a call may start before its execution point (P-23).
    pub fn push_early(&mut self, fragment: Fragment<'_>, take: &mut dyn FnMut(Step<'_>)) {
        self.turn.early = true;
        self.push(fragment, take);
        self.turn.early = false;
    }

    /// Takes reasoning that the provider gives beside the wire text: a thought of its own.
    pub fn reason(&mut self, text: &str, take: &mut dyn FnMut(Step<'_>)) {
        let Self { cap, turn } = self;
        if turn.stopped || text.is_empty() {
            return;
        }
        let fits = cap.reason(text, !turn.reasoning.is_open());
        if !fits.is_empty() {
            let part = turn.reasoning.push(fits);
            take(Step::Show(TextFragment { voice: TextKind::Think, part, text: fits }));
        }
        if fits.len() < text.len() {
            self.too_much(take);
        }
    }

    /// The answer is over: gives out a thought of the provider's that is still open, and decides on
    /// calls that wait for what was never written. The parser's last fragments come before.
    pub fn finish(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        self.turn.finish(take);
    }

    /// The results of a batch went to the model, and its answer goes on: fragments count again.
    pub fn resume(&mut self) {
        self.turn.stopped = false;
    }

    /// The answer ends badly: it is cut, too long, filtered or cancelled. Nothing more is started;
    /// what has not ended gets the given result (P-14, P-28). Fragments still close what is open.
    pub fn abort(&mut self, summary: &str, why: &str, take: &mut dyn FnMut(Step<'_>)) {
        self.turn.abort(summary, why, take);
    }

    /// Takes what came of the last attempt at a call.
    pub fn outcome(&mut self, id: &str, outcome: CallResult, take: &mut dyn FnMut(Step<'_>)) {
        self.turn.plan.finish(id, outcome);
        self.turn.decide(take);
    }

    /// As [`outcome`](Self::outcome), for a failure that another attempt may mend; `retries` is how
    /// many the tool allows where the model says nothing.
    pub fn failure(
        &mut self,
        id: &str,
        outcome: CallResult,
        retries: u32,
        take: &mut dyn FnMut(Step<'_>),
    ) {
        self.turn.plan.fail(id, outcome, retries);
        self.turn.decide(take);
    }

    /// The pause before the next attempt at a call is over.
    pub fn retry(&mut self, id: &str, take: &mut dyn FnMut(Step<'_>)) {
        self.turn.plan.retry(id);
        self.turn.decide(take);
    }

    /// What came of a call that has ended, until the results are taken.
    pub fn result(&self, id: &str) -> Option<&CallResult> {
        self.turn.plan.outcome(id)
    }

    /// Whether an attempt at a call runs, or a pause between two.
    pub fn is_running(&self) -> bool {
        self.turn.plan.is_running()
    }

    /// Whether every call has ended that the turn waits for.
    pub fn is_settled(&self) -> bool {
        self.turn.plan.is_settled()
    }

    /// Whether the model said that it is done.
    pub fn is_ended(&self) -> bool {
        self.turn.ended
    }

    /// Whether a final response was written (P-22).
    pub fn is_answered(&self) -> bool {
        self.turn.answered
    }

    /// The results of the turn's calls by position, once all have ended; none if there were none.
    pub fn take_results(&mut self) -> Option<Vec<CallResult>> {
        self.turn.plan.take_results()
    }
}
