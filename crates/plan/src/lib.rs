//! Which call may run next.
//!
//! ```
//! use silcrow_event::{Call, Outcome};
//! use silcrow_plan::Plan;
//!
//! let mut plan = Plan::new();
//! plan.push(Call::parse("a1", r#"{"name":"file_list"}"#).unwrap());
//! plan.push(Call::parse("a2", r#"{"name":"file_read","args":{"file":"x"}}"#).unwrap());
//!
//! let ready: Vec<_> = plan.execute().collect();
//! assert_eq!(ready.len(), 2);
//!
//! plan.finish("a2", Outcome::success("a2", "file_read", "1 line", "x"));
//! assert!(plan.take_results().is_none());
//! plan.finish("a1", Outcome::success("a1", "file_list", "1 entry", "x"));
//! let results = plan.take_results().unwrap();
//! assert_eq!(results[0].id.as_deref(), Some("a1"));
//! ```
//!
//! Calls and outcomes in, decisions out. It runs nothing, knows no clock and never fails. So far
//! it plans batches (P-13, P-17): independent calls, held back until the execution point, with
//! results by position.

use silcrow_event::{BadCall, Call, Outcome};
use smallvec::SmallVec;

/// The calls of one turn.
#[derive(Debug, Default)]
pub struct Plan {
    calls: SmallVec<[Planned; 4]>,
}

/// A call that may start now: it cannot exist before its execution point.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    call: Call,
}

#[derive(Debug)]
struct Planned {
    id: String,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Complete, before its execution point.
    Held(Call),
    /// Given out by [`Plan::execute`]. The tool's name, for the case that it is cancelled.
    Running(String),
    Ended(Outcome),
}

impl Plan {
    /// A plan without calls.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a complete call into the batch that is being written.
    pub fn push(&mut self, call: Call) {
        let id = call.id().to_owned();
        self.calls.push(Planned { id, state: State::Held(call) });
    }

    /// Takes a call that cannot be run: it has failed already and keeps its place (P-9).
    pub fn push_bad(&mut self, bad: BadCall) {
        let summary = if bad.truncated { "truncated call" } else { "malformed call" };
        let outcome = Outcome::failure(&*bad.id, None, summary, bad.why);
        self.calls.push(Planned { id: bad.id, state: State::Ended(outcome) });
    }

    /// The execution point: all held calls may start, in parallel.
    pub fn execute(&mut self) -> impl Iterator<Item = Ready> {
        self.calls.iter_mut().filter_map(|planned| {
            let State::Held(call) = &planned.state else { return None };
            let running = State::Running(call.name().to_owned());
            match std::mem::replace(&mut planned.state, running) {
                State::Held(call) => Some(Ready { call }),
                State::Running(_) | State::Ended(_) => None,
            }
        })
    }

    /// Takes what came of a call; of an unknown or ended one it is ignored.
    pub fn finish(&mut self, id: &str, outcome: Outcome) {
        let running =
            |planned: &&mut Planned| planned.id == id && matches!(planned.state, State::Running(_));
        if let Some(planned) = self.calls.iter_mut().find(running) {
            planned.state = State::Ended(outcome);
        }
    }

    /// Ends every call that has not ended, for the given reason, which the model will read.
    pub fn cancel(&mut self, summary: &str, why: &str) {
        for planned in &mut self.calls {
            let tool = match &planned.state {
                State::Held(call) => call.name(),
                State::Running(tool) => tool,
                State::Ended(_) => continue,
            };
            let outcome = Outcome::failure(&*planned.id, Some(tool), summary, why);
            planned.state = State::Ended(outcome);
        }
    }

    /// Whether no call waits for its execution point, runs, or has a result to take.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether a call has started and not ended.
    pub fn is_running(&self) -> bool {
        self.calls.iter().any(|planned| matches!(planned.state, State::Running(_)))
    }

    /// The results in the order of the calls, once all have ended; the plan is empty then.
    pub fn take_results(&mut self) -> Option<Vec<Outcome>> {
        let ended = |planned: &Planned| matches!(planned.state, State::Ended(_));
        if self.calls.is_empty() || !self.calls.iter().all(ended) {
            return None;
        }
        let results = self.calls.drain(..).filter_map(|planned| match planned.state {
            State::Ended(outcome) => Some(outcome),
            State::Held(_) | State::Running(_) => None,
        });
        Some(results.collect())
    }
}

impl Ready {
    /// Of the call.
    pub fn id(&self) -> &str {
        self.call.id()
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        self.call.name()
    }

    /// A JSON object.
    pub fn args(&self) -> &str {
        self.call.args()
    }
}
