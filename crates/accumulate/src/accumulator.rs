use silcrow_event::{CallText, Event, Fragment, Note, Oddity, Origin, Outcome, Text, Think, Voice};
use silcrow_plan::{Plan, Ready};

use crate::cap::{Cap, Limits};
use crate::joiner::Joiner;
use crate::reasoning::Reasoning;

/// One turn of a model: what to show, emit and run, and when to stop.
#[derive(Debug, Default)]
pub struct Accumulator {
    cap: Cap,
    turn: Turn,
}

/// What the fragments made that passed the cap.
#[derive(Debug, Default)]
struct Turn {
    joiner: Joiner,
    plan: Plan,
    reasoning: Reasoning,
    stopped: bool,
    /// The turn ended badly: nothing more is started, and calls get this result (P-14).
    given_up: Option<(String, String)>,
    ended: bool,
}

/// What is to be done, in this order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Show a piece of text at once.
    Show(Text<'a>),
    /// Show a piece of a call that is being written; nothing of it may run.
    ShowCall(CallText<'a>),
    /// Store a complete event, if it is one to store, then show it.
    Emit(Event),
    /// Start a call; it is emitted before.
    Run(Ready),
    /// Stop reading the model's answer.
    Stop(Why),
}

/// Why reading stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// Calls are to be run, and their results to go to the model.
    Execute,
    /// The model is done.
    End,
    /// The turn is longer than its limits allow.
    TooMuch,
}

impl Accumulator {
    /// At the start of a turn, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// At the start of a turn.
    pub fn with_limits(limits: Limits) -> Self {
        Self { cap: Cap::new(limits), ..Self::default() }
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

    /// Takes reasoning that the provider gives beside the wire text: a thought of its own.
    pub fn reason(&mut self, text: &str, take: &mut dyn FnMut(Step<'_>)) {
        let Self { cap, turn } = self;
        if turn.stopped || text.is_empty() {
            return;
        }
        let fits = cap.reason(text, !turn.reasoning.is_open());
        if !fits.is_empty() {
            let part = turn.reasoning.push(fits);
            take(Step::Show(Text { voice: Voice::Think, part, text: fits }));
        }
        if fits.len() < text.len() {
            cap.end(|fragment| turn.push(fragment, take));
            turn.end_at_cap(take);
        }
    }

    /// The answer is over: gives out a thought of the provider's that is still open. The parser's
    /// last fragments come before.
    pub fn finish(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        if !self.turn.stopped {
            self.turn.end_reasoning(take);
            self.turn.stopped = true;
        }
    }

    /// The answer ends badly: it is cut, too long, filtered or cancelled. Nothing more is started;
    /// what has not ended gets the given result (P-14, P-28). Fragments still close what is open.
    pub fn give_up(&mut self, summary: &str, why: &str) {
        self.turn.give_up(summary, why);
    }

    /// Takes what came of a call.
    pub fn outcome(&mut self, id: &str, outcome: Outcome) {
        self.turn.plan.finish(id, outcome);
    }

    /// Whether calls have started and not ended.
    pub fn is_running(&self) -> bool {
        self.turn.plan.is_running()
    }

    /// Whether the model said that it is done.
    pub fn is_ended(&self) -> bool {
        self.turn.ended
    }

    /// The results of the turn's calls by position, once all have ended; none if there were none.
    pub fn take_results(&mut self) -> Option<Vec<Outcome>> {
        self.turn.plan.take_results()
    }
}

impl Turn {
    fn push(&mut self, fragment: Fragment<'_>, take: &mut dyn FnMut(Step<'_>)) {
        if let Fragment::CallText(piece) = fragment {
            // It is no event: without it all is the same, reasoning around it too.
            return take(Step::ShowCall(piece));
        }
        self.end_reasoning(take);
        match fragment {
            Fragment::Text(text) => {
                take(Step::Show(Text { part: self.reasoning.part(text.part), ..text }));
                self.joiner.push(Fragment::Text(text));
            }
            Fragment::Call(call) => {
                self.plan.push(call.clone());
                if let Some((summary, why)) = &self.given_up {
                    self.plan.cancel(summary, why);
                }
                take(Step::Emit(Event::Call(call)));
            }
            Fragment::BadCall(bad) => self.plan.push_bad(bad),
            Fragment::Execute => {
                if self.given_up.is_some() {
                    return;
                }
                take(Step::Emit(Event::Execute));
                for ready in self.plan.execute() {
                    take(Step::Run(ready));
                }
                self.stop(Why::Execute, take);
            }
            // Nothing is executed any more, so nothing is missing (P-14).
            Fragment::Note(Note { oddity: Oddity::MissingExecute, .. })
                if self.given_up.is_some() => {}
            Fragment::End => {
                self.ended = true;
                take(Step::Emit(Event::End));
                self.stop(Why::End, take);
            }
            other => {
                if let Some(event) = self.joiner.push(other) {
                    take(Step::Emit(event));
                }
            }
        }
    }

    fn end_reasoning(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        if !self.reasoning.is_open() {
            return;
        }
        if let Some(content) = self.reasoning.close() {
            take(Step::Emit(Event::Think(Think { content, origin: Origin::Provider })));
        }
    }

    fn give_up(&mut self, summary: &str, why: &str) {
        self.given_up = Some((summary.to_owned(), why.to_owned()));
        self.plan.cancel(summary, why);
    }

    /// The turn is too long: it ends as at a length stop.
    fn end_at_cap(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        self.give_up("cancelled", "cancelled: the answer was longer than a turn may be");
        self.stop(Why::TooMuch, take);
    }

    fn stop(&mut self, why: Why, take: &mut dyn FnMut(Step<'_>)) {
        self.stopped = true;
        take(Step::Stop(why));
    }
}
