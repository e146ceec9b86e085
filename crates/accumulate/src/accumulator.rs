//! One turn, from its first fragment to the end of its last call.
//!
//! An accumulator holds the open section, the provider's reasoning, and the answers that wait for
//! outputs. The plan, which belongs to the caller, tracks the calls that run.
//!
//! ```text
//! reading ── execution point, end delimiter, finish, limit ──► stopped: fragments are ignored
//!    └── abort, limit ──► aborted: fragments close what is open, and execute nothing
//! ```

use silcrow_event::{
    Diagnostic, DiagnosticKind, Event, Fragment, OpaqueData, Respond, TextFragment, TextKind, Think,
};
use silcrow_plan::{Plan, PlanUpdate};

use crate::answers::{Answers, unbound};
use crate::block_nesting::{BlockNesting, within_transactions};
use crate::block_result::kept_block_result;
use crate::cap::{AnswerCap, AnswerLimits};
use crate::joiner::TextJoiner;
use crate::reasoning::Reasoning;
use crate::step::{Step, StopReason, emit_result};

/// An accumulator of one turn of a model. It turns fragments into [`Step`]s, which show, emit and
/// report things and end the reading, and pushes the calls into a plan.
///
/// The plan is an argument of the methods, and must be the same for the whole turn.
///
/// ```
/// use silcrow_accumulate::{Accumulator, Step, StopReason};
/// use silcrow_event::Fragment;
/// use silcrow_plan::Plan;
///
/// let (mut turn, mut plan) = (Accumulator::new(), Plan::new());
/// let mut stopped = None;
/// turn.push(Fragment::End, &mut plan, &mut |step| {
///     if let Step::Stop(reason) = step {
///         stopped = Some(reason);
///     }
/// });
/// assert_eq!(stopped, Some(StopReason::End));
/// assert!(turn.is_ended());
/// ```
#[derive(Debug, Default)]
pub struct Accumulator {
    cap: AnswerCap,
    state: TurnState,
}

/// The state of the turn, fed by the fragments that pass the cap.
#[derive(Debug, Default)]
struct TurnState {
    joiner: TextJoiner,
    /// The answers, in whose text names are replaced by outputs; only in the dialect `action`.
    answers: Option<Answers>,
    reasoning: Reasoning,
    stopped: bool,
    /// Whether the turn ended badly, so that nothing more is executed (P-14).
    aborted: bool,
    ended: bool,
    has_final_response: bool,
    /// Whether the current call may start before its execution point (P-23).
    early: bool,
    /// The calls that have ended before their execution point. Their results are not certain yet.
    early_ends: Vec<String>,
    blocks: BlockNesting,
}

impl Accumulator {
    /// Creates an accumulator for a turn, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an accumulator for a turn, with these limits.
    pub fn with_limits(limits: AnswerLimits) -> Self {
        Self { cap: AnswerCap::new(limits), ..Self::default() }
    }

    /// Returns the accumulator for a turn in the dialect `action`: names in its answers are
    /// replaced by outputs (P-24, P-26).
    #[must_use]
    pub fn with_names(mut self) -> Self {
        self.state.answers = Some(Answers::new(self.cap.limits().bytes));
        self
    }

    /// Counts a piece of wire text, and returns the part of it to parse. If that is not all, call
    /// [`end_at_limit`](Self::end_at_limit) after the fragments of the part.
    pub fn admit<'t>(&mut self, text: &'t str) -> &'t str {
        self.cap.admit(text)
    }

    /// Ends the turn because its wire text is too long (P-9).
    pub fn end_at_limit(&mut self, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        let Self { cap, state } = self;
        if !state.stopped {
            cap.end(|fragment| state.push(fragment, plan, take));
            state.end_at_cap(plan, take);
        }
    }

    /// Takes a fragment. Fragments after a [`Step::Stop`] are ignored.
    pub fn push(
        &mut self,
        fragment: Fragment<'_>,
        plan: &mut Plan,
        take: &mut dyn FnMut(Step<'_>),
    ) {
        let Self { cap, state } = self;
        if state.stopped {
            return;
        }
        cap.push(fragment, |fragment| state.push(fragment, plan, take));
        if cap.is_limit_exceeded() {
            state.end_at_cap(plan, take);
        }
    }

    /// Takes a fragment as [`push`](Self::push) does; a call may start before its execution point
    /// (P-23).
    pub fn push_early(
        &mut self,
        fragment: Fragment<'_>,
        plan: &mut Plan,
        take: &mut dyn FnMut(Step<'_>),
    ) {
        self.state.early = true;
        self.push(fragment, plan, take);
        self.state.early = false;
    }

    /// Takes reasoning that the provider sends separately from the wire text. It becomes a separate
    /// thought.
    pub fn push_reasoning(&mut self, text: &str, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        let Self { cap, state } = self;
        if state.stopped || text.is_empty() {
            return;
        }
        let fits = cap.reason(text, !state.reasoning.is_open());
        if !fits.is_empty() {
            let part = state.reasoning.push(fits);
            let kind = TextKind::Think;
            take(Step::Show(TextFragment { kind, part, id: None, text: fits }));
        }
        if fits.len() < text.len() {
            self.end_at_limit(plan, take);
        }
    }

    /// Takes data that the vendor wants back, with or without the reasoning before it.
    pub fn push_opaque(&mut self, data: OpaqueData, take: &mut dyn FnMut(Step<'_>)) {
        if !self.state.stopped {
            let think = Think::by_provider(self.state.reasoning.close().unwrap_or_default());
            take(Step::Emit(Event::Think(Think { opaque: Some(Box::new(data)), ..think })));
        }
    }

    /// Takes the end of the answer, after the parser's last fragments. It closes the provider's
    /// reasoning, and fails the calls that wait for a call that was never written.
    pub fn finish(&mut self, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        let Self { state, .. } = self;
        if !state.stopped {
            state.end_reasoning(take);
            state.stopped = true;
        }
        plan.end_text();
        state.report(plan, take);
    }

    /// Prevents further execution, because the answer ends badly: it was cut off, too long,
    /// filtered or cancelled (P-14). Fragments still close open sections. The caller cancels the
    /// plan.
    pub fn abort(&mut self) {
        self.state.aborted = true;
    }

    /// Reports the calls that have ended and the names that are bound. Call it when a call has
    /// ended.
    pub fn report(&mut self, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        self.state.report(plan, take);
    }

    /// Shows and emits the answers that no longer wait for a call.
    ///
    /// Call it after every other method that takes the plan. Carry out the plan's decisions first,
    /// so that calls that became ready start before the answers are shown.
    pub fn resume(&mut self, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        self.state.answer(plan, take, |answers, plan, take| answers.resume(plan, take));
    }

    /// Returns whether the model wrote that it is done.
    pub fn is_ended(&self) -> bool {
        self.state.ended
    }

    /// Returns whether the model began a final response (P-22). It is always `false` without
    /// [`with_names`](Self::with_names).
    pub fn has_final_response(&self) -> bool {
        self.state.has_final_response
    }
}

impl TurnState {
    fn push(&mut self, fragment: Fragment<'_>, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        if let Fragment::CallText(piece) = fragment {
            // The text of a call is for display only, so it does not even end open reasoning. In a
            // loop it is the text of no call that runs.
            if !self.blocks.is_in_loop() {
                take(Step::ShowCall(piece));
            }
            return;
        }
        self.end_reasoning(take);
        match fragment {
            Fragment::Text(text) => self.text(text, plan, take),
            Fragment::Close { .. } if self.answers.as_ref().is_some_and(Answers::is_open) => {
                self.answer(plan, take, |answers, plan, take| answers.close(plan, take));
            }
            Fragment::Block(mark) => {
                take(Step::Emit(Event::Block(mark.clone())));
                self.blocks.push(mark, plan);
                self.report(plan, take);
            }
            Fragment::Call(call) => {
                let call = within_transactions(call, plan);
                take(Step::Emit(self.blocks.event_of(call.clone())));
                if self.early {
                    plan.push_early(call);
                } else {
                    plan.push(call);
                }
                self.report(plan, take);
            }
            Fragment::InvalidCall(bad) => {
                // A log keeps the text of every call, so that each result has one (P-9).
                self.joiner.drop_malformed();
                if !bad.text.is_empty() {
                    let text = Respond::malformed(&*bad.id, &*bad.text);
                    take(Step::Emit(Event::Respond(text)));
                }
                if let Some(result) = self.blocks.push_invalid(&bad) {
                    take(Step::Emit(result));
                }
                plan.push_invalid(bad);
                self.report(plan, take);
            }
            Fragment::Execute => {
                if self.aborted {
                    return;
                }
                take(Step::Emit(Event::Execute));
                plan.reach_execution_point();
                if self.answers.is_some() {
                    // No call that an action waits for is still to come.
                    plan.end_text();
                }
                self.report(plan, take);
                self.stop(StopReason::Execute, take);
            }
            // Nothing is executed any more, so no execution point is missing (P-14).
            Fragment::Diagnostic(Diagnostic { kind: DiagnosticKind::MissingExecute, .. })
                if self.aborted => {}
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

    /// Reports the calls that have ended, with their results, and the names that are bound.
    fn report(&mut self, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        while let Some(update) = plan.next_update() {
            if let PlanUpdate::Unbound { name, .. } = &update {
                take(Step::Emit(unbound(name)));
            }
            let ended = match &update {
                PlanUpdate::End { id, .. } if !self.blocks.is_invalid(id) => Some(id.clone()),
                PlanUpdate::BlockEnd { id, how } => {
                    let kept = plan.outcome(id).and_then(|it| kept_block_result(id, *how, it));
                    kept.into_iter().for_each(|result| take(Step::Emit(result)));
                    None
                }
                PlanUpdate::Instance(call) => {
                    take(Step::Emit(Event::Call(call.clone())));
                    None
                }
                _ => None,
            };
            take(Step::Report(update));
            match ended {
                Some(id) if plan.is_early(&id) => self.early_ends.push(id),
                Some(id) => emit_result(&id, plan, take),
                None => {}
            }
        }
        if !self.early_ends.iter().any(|id| plan.is_early(id)) {
            self.early_ends.drain(..).for_each(|id| emit_result(&id, plan, take));
        }
    }

    fn text(&mut self, text: TextFragment<'_>, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        let shown = TextFragment { part: self.reasoning.part(text.part), ..text };
        match text.kind {
            TextKind::Respond { last } if self.answers.is_some() => {
                if last {
                    self.has_final_response = true;
                    plan.begin_final_response();
                }
                self.answer(plan, take, |answers, plan, take| answers.push(shown, plan, take));
            }
            _ => {
                take(Step::Show(shown));
                self.joiner.push_text(text);
            }
        }
    }

    /// Changes the answers, and ends the turn if outputs make them too long.
    fn answer(
        &mut self,
        plan: &mut Plan,
        take: &mut dyn FnMut(Step<'_>),
        change: impl FnOnce(&mut Answers, &Plan, &mut dyn FnMut(Step<'_>)),
    ) {
        let Some(answers) = &mut self.answers else { return };
        change(answers, plan, take);
        if answers.is_too_much() && !self.aborted {
            // The part that was shown is closed, as it is when the model writes too much (P-9).
            if answers.is_open() {
                answers.close(plan, take);
            }
            let content = "the outputs make the answer longer than a turn may be".to_owned();
            take(Step::Emit(
                Diagnostic { kind: DiagnosticKind::TooMuch, content, at: None }.into(),
            ));
            self.end_at_cap(plan, take);
        }
    }

    fn end_reasoning(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        if !self.reasoning.is_open() {
            return;
        }
        if let Some(content) = self.reasoning.close() {
            take(Step::Emit(Event::Think(Think::by_provider(content))));
        }
    }

    /// Ends the turn because it is too long, as when the provider stops it for its length.
    fn end_at_cap(&mut self, plan: &mut Plan, take: &mut dyn FnMut(Step<'_>)) {
        self.aborted = true;
        plan.cancel("cancelled", "cancelled: the answer was longer than a turn may be");
        self.report(plan, take);
        self.stop(StopReason::TooMuch, take);
    }

    fn stop(&mut self, why: StopReason, take: &mut dyn FnMut(Step<'_>)) {
        self.stopped = true;
        take(Step::Stop(why));
    }
}
