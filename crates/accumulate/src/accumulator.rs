use silcrow_event::{Event, Fragment, Note, Oddity, Origin, Outcome, Text, Think, Voice};
use silcrow_plan::{Plan, Ready};

use crate::joiner::Joiner;

/// One turn of a model: what to show, emit and run, and when to stop.
#[derive(Debug, Default)]
pub struct Accumulator {
    joiner: Joiner,
    plan: Plan,
    reasoning: Reasoning,
    limits: Limits,
    /// Bytes of text so far.
    text: usize,
    events: usize,
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

/// How much one turn may give (P-9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Thoughts and answers together, in bytes.
    pub text: usize,
    /// Complete events.
    pub events: usize,
}

impl Default for Limits {
    /// 16 MiB of text, 100,000 events.
    fn default() -> Self {
        Self { text: 16 << 20, events: 100_000 }
    }
}

/// Reasoning that a provider gives beside the wire text.
#[derive(Debug, Default)]
struct Reasoning {
    /// Of the section that is open.
    text: String,
    /// Sections so far; the parts of the wire text are counted on from them.
    sections: u32,
    /// The part of the wire text that is open, and the number it is shown with.
    open: Option<(u32, u32)>,
}

impl Accumulator {
    /// At the start of a turn, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// At the start of a turn.
    pub fn with_limits(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Takes a fragment. After a [`Step::Stop`] fragments are ignored.
    pub fn push(&mut self, fragment: Fragment<'_>, take: &mut dyn FnMut(Step<'_>)) {
        if self.stopped {
            return;
        }
        self.end_reasoning(take);
        match fragment {
            Fragment::Text(text) => {
                if self.is_too_much(text.text.len(), take) {
                    return;
                }
                take(Step::Show(Text { part: self.reasoning.part(text.part), ..text }));
                self.joiner.push(Fragment::Text(text));
            }
            Fragment::Call(call) => {
                self.plan.push(call.clone());
                if let Some((summary, why)) = &self.given_up {
                    self.plan.cancel(summary, why);
                }
                self.emit(Event::Call(call), take);
            }
            Fragment::BadCall(bad) => self.plan.push_bad(bad),
            Fragment::Execute => {
                if self.given_up.is_some() {
                    return;
                }
                self.emit(Event::Execute, take);
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
                self.emit(Event::End, take);
                self.stop(Why::End, take);
            }
            other => {
                if let Some(event) = self.joiner.push(other) {
                    self.emit(event, take);
                }
            }
        }
    }

    /// Takes reasoning that the provider gives beside the wire text: a thought of its own.
    pub fn reason(&mut self, text: &str, take: &mut dyn FnMut(Step<'_>)) {
        if self.stopped || text.is_empty() || self.is_too_much(text.len(), take) {
            return;
        }
        if self.reasoning.text.is_empty() {
            self.reasoning.sections += 1;
        }
        self.reasoning.text.push_str(text);
        let part = self.reasoning.last_part();
        take(Step::Show(Text { voice: Voice::Think, part, text }));
    }

    /// The answer is over: gives out a thought of the provider's that is still open. The parser's
    /// last fragments come before.
    pub fn finish(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        if !self.stopped {
            self.end_reasoning(take);
            self.stopped = true;
        }
    }

    /// The answer ends badly: it is cut, too long, filtered or cancelled. Nothing more is started;
    /// what has not ended gets the given result (P-14, P-28). Fragments still close what is open.
    pub fn give_up(&mut self, summary: &str, why: &str) {
        self.given_up = Some((summary.to_owned(), why.to_owned()));
        self.plan.cancel(summary, why);
    }

    /// Takes what came of a call.
    pub fn outcome(&mut self, id: &str, outcome: Outcome) {
        self.plan.finish(id, outcome);
    }

    /// Whether calls have started and not ended.
    pub fn is_running(&self) -> bool {
        self.plan.is_running()
    }

    /// Whether the model said that it is done.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// The results of the turn's calls by position, once all have ended; none if there were none.
    pub fn take_results(&mut self) -> Option<Vec<Outcome>> {
        self.plan.take_results()
    }

    fn end_reasoning(&mut self, take: &mut dyn FnMut(Step<'_>)) {
        if self.reasoning.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.reasoning.text);
        let content = text.trim_matches([' ', '\t', '\r', '\n']);
        if !content.is_empty() {
            let content = content.to_owned();
            self.emit(Event::Think(Think { content, origin: Origin::Provider }), take);
        }
    }

    fn emit(&mut self, event: Event, take: &mut dyn FnMut(Step<'_>)) {
        self.events += 1;
        take(Step::Emit(event));
        if self.events == self.limits.events {
            self.too_much("more events than a turn may have", take);
        }
    }

    fn is_too_much(&mut self, more: usize, take: &mut dyn FnMut(Step<'_>)) -> bool {
        self.text += more;
        let too_much = self.text > self.limits.text;
        if too_much {
            self.too_much("more text than a turn may have", take);
        }
        too_much
    }

    /// Ends the turn like a length stop.
    fn too_much(&mut self, what: &str, take: &mut dyn FnMut(Step<'_>)) {
        if self.stopped {
            return;
        }
        if let Some(event) = self.joiner.push(Fragment::Close { part: 0 }) {
            take(Step::Emit(event));
        }
        let note = Note { oddity: Oddity::TooMuch, content: what.to_owned(), at: 0 };
        take(Step::Emit(note.into()));
        self.stop(Why::TooMuch, take);
    }

    fn stop(&mut self, why: Why, take: &mut dyn FnMut(Step<'_>)) {
        if !self.stopped {
            self.stopped = true;
            take(Step::Stop(why));
        }
    }
}

impl Reasoning {
    /// The number to show a part of the wire text with.
    fn part(&mut self, part: u32) -> u32 {
        match self.open {
            Some((open, shown)) if open == part => shown,
            _ => {
                let shown = part + self.sections;
                self.open = Some((part, shown));
                shown
            }
        }
    }

    /// The number of the reasoning section that is open.
    fn last_part(&self) -> u32 {
        self.open.map_or(0, |(part, _)| part) + self.sections
    }
}
