//! The plan: its input and its decisions.
//!
//! `arrive.rs` decides whether a new call can run at all, `end` knows what the end of a call changes,
//! and a `Node` is the state of one call. The crate's documentation shows the states.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};

use silcrow_event::{Call, CallEnd, CallMode, CallResult, InvalidCall, Json, ResultStatus};

use crate::decision::{PlanDecision, PlanUpdate, ReadyCall};
use crate::limits::PlanLimits;
use crate::node::{Node, NodeState};
use crate::outputs::{Outputs, Source};
use crate::substitute::{FilledArgs, substitute};

mod end;

pub(crate) use end::NodeEnd;

/// A plan of the calls of one turn, which are in the order of the text.
#[derive(Debug, Default)]
pub struct Plan {
    pub(crate) limits: PlanLimits,
    pub(crate) nodes: Vec<Node>,
    pub(crate) by_id: HashMap<String, usize>,
    pub(crate) outputs: Outputs,
    /// The ids that no call has yet, and the calls that wait for them.
    pub(crate) expected: HashMap<String, Vec<usize>>,
    /// The calls that wait for no other call.
    ready: BTreeSet<usize>,
    /// The `sync` calls that have not ended. Nothing after the first of them starts (P-24).
    syncs: BTreeSet<usize>,
    running: usize,
    /// The number of calls that the turn waits for and that have not ended.
    open: usize,
    /// The attempts to stop, and the pauses to begin. Starts are decided in `decide`.
    decisions: VecDeque<PlanDecision>,
    updates: VecDeque<PlanUpdate>,
    /// The reason why no call starts any more: a summary, and a text for the model.
    pub(crate) halted: Option<[String; 2]>,
    /// Whether a final response was written.
    pub(crate) final_response_begun: bool,
    /// Whether the text of the turn is complete.
    pub(crate) text_ended: bool,
    /// The number of calls whose results were taken.
    taken: usize,
}

impl Plan {
    /// Creates a plan without calls, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a plan without calls, with these limits.
    pub fn with_limits(limits: PlanLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Binds a name to a value before the turn begins.
    pub fn preset(&mut self, name: impl Into<String>, value: Json) {
        self.outputs.preset(name.into(), value);
    }

    /// Takes a complete call: an action, or a call of the current batch, which waits for
    /// [`reach_execution_point`](Self::reach_execution_point).
    pub fn push(&mut self, call: Call) {
        let held = call.action().is_none();
        self.add(Node { held, ..Node::new(call) });
    }

    /// Takes a complete call of a batch that may start before its execution point (P-23).
    pub fn push_early(&mut self, call: Call) {
        let early = call.action().is_none();
        self.add(Node { early, ..Node::new(call) });
    }

    /// Takes a call that cannot run: it has failed already and keeps its position (P-9).
    pub fn push_invalid(&mut self, bad: InvalidCall) {
        let summary = if bad.truncated { "truncated call" } else { "malformed call" };
        let outcome = CallResult::framework_failure(&*bad.id, None, summary, bad.why);
        let index = self.insert(Node::bad(bad.id));
        self.meet_expectations(index);
        self.end([(index, CallEnd::Failed, outcome)]);
    }

    /// Takes the execution point of the calls before it.
    pub fn reach_execution_point(&mut self) {
        for (index, node) in self.nodes.iter_mut().enumerate().skip(self.taken) {
            node.held = false;
            node.early = false;
            if node.is_free() {
                self.ready.insert(index);
            }
        }
    }

    /// Takes the beginning of a final response. After it, only calls that nothing waits for start
    /// (P-22).
    pub fn begin_final_response(&mut self) {
        self.final_response_begun = true;
    }

    /// Takes the end of the turn's text. A call that waits for an id that no call has by now fails
    /// (P-20).
    pub fn end_text(&mut self) {
        self.text_ended = true;
        let waiting = std::mem::take(&mut self.expected);
        let lost = |index: &usize| {
            let node = &self.nodes[*index];
            let id = node.unknown.first()?;
            (!node.is_ended()).then(|| (*index, CallEnd::Failed, node.unknown_dependency(id)))
        };
        let mut waiting = Vec::from_iter(waiting.into_values().flatten());
        waiting.sort_unstable();
        waiting.dedup();
        let ends = Vec::from_iter(waiting.iter().filter_map(lost));
        self.end(ends);
    }

    /// Returns the next decision, or `None` until there is more input.
    pub fn decide(&mut self) -> Option<PlanDecision> {
        loop {
            if let Some(decision) = self.decisions.pop_front() {
                return Some(decision);
            }
            let next = self.startable()?;
            self.ready.remove(&next);
            if let Some(ready) = self.start(next) {
                return Some(PlanDecision::Start(ready));
            }
        }
    }

    /// Returns whether there is a decision.
    pub fn has_decisions(&self) -> bool {
        !self.decisions.is_empty() || self.startable().is_some()
    }

    /// Returns the next update, in the order in which things happened.
    pub fn next_update(&mut self) -> Option<PlanUpdate> {
        self.updates.pop_front()
    }

    /// Returns whether there is an update.
    pub fn has_updates(&self) -> bool {
        !self.updates.is_empty()
    }

    /// Takes the outcome of the last attempt at a call. The outcome of a call that is not running
    /// is ignored.
    pub fn finish(&mut self, id: &str, outcome: CallResult) {
        if let Some(index) = self.running(id) {
            let how = match outcome.status() {
                ResultStatus::Success => CallEnd::Ok,
                ResultStatus::Failure => CallEnd::Failed,
            };
            self.end([(index, how, outcome)]);
        }
    }

    /// Takes a failure that another attempt may mend. If attempts are left, the call pauses before
    /// the next one; otherwise it ends as failed. The call's own number of retries counts, or
    /// `retries`, the tool's number, if the call has none. Neither can exceed
    /// [`PlanLimits::max_retries`].
    pub fn fail(&mut self, id: &str, outcome: CallResult, retries: u32) {
        let Some(index) = self.running(id) else { return };
        match self.nodes[index].pause(retries, self.limits.max_retries) {
            Some(after) => {
                self.running -= 1;
                self.nodes[index].state = NodeState::Pausing;
                self.decisions.push_back(PlanDecision::Retry { id: id.to_owned(), after });
            }
            None => self.end([(index, CallEnd::Failed, outcome)]),
        }
    }

    /// Takes the end of the pause of a [`PlanDecision::Retry`].
    pub fn retry(&mut self, id: &str) {
        if let Some(&index) = self.by_id.get(id)
            && let NodeState::Pausing = self.nodes[index].state
        {
            self.nodes[index].state = NodeState::Waiting;
            self.ready.insert(index);
        }
    }

    /// Cancels every call that has not ended, and all that are still to come. `summary` is a few
    /// words for a person, and `why` is the text that the model reads. It also replaces the results
    /// of early calls whose execution point has not come (P-23).
    pub fn cancel(&mut self, summary: &str, why: &str) {
        self.halted = Some([summary.to_owned(), why.to_owned()]);
        for index in 0..self.nodes.len() {
            let node = &mut self.nodes[index];
            let was_early = std::mem::take(&mut node.early);
            if node.is_ended() {
                if was_early {
                    let outcome =
                        CallResult::framework_failure(&*node.id, node.name(), summary, why);
                    node.state = NodeState::Ended(CallEnd::Cancelled, Some(outcome));
                }
                continue;
            }
            if let NodeState::Running | NodeState::Pausing = node.state {
                self.decisions.push_back(PlanDecision::Stop { id: node.id.clone() });
            }
            let outcome = CallResult::framework_failure(&*node.id, node.name(), summary, why);
            self.close(index, CallEnd::Cancelled, outcome);
        }
    }

    /// Cancels every call that has not started, and all that are still to come. A call whose start
    /// was decided has started if `has_started` says so for its id. A call that pauses between two
    /// attempts has started, too. The texts are those of [`cancel`](Self::cancel).
    pub fn cancel_waiting(&mut self, has_started: &dyn Fn(&str) -> bool, summary: &str, why: &str) {
        self.halted = Some([summary.to_owned(), why.to_owned()]);
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            match node.state {
                NodeState::Pausing | NodeState::Ended(..) => continue,
                NodeState::Running if has_started(&node.id) => continue,
                NodeState::Running => {
                    self.decisions.push_back(PlanDecision::Stop { id: node.id.clone() });
                }
                NodeState::Waiting => {}
            }
            let outcome = CallResult::framework_failure(&*node.id, node.name(), summary, why);
            self.close(index, CallEnd::Cancelled, outcome);
        }
    }

    /// Returns whether a call started before its execution point, which has not come. Until then, a
    /// cancellation replaces its result (P-23).
    pub fn is_early(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|&index| self.nodes[index].early)
    }

    /// Returns the result of a call that has ended, until the results are taken.
    pub fn outcome(&self, id: &str) -> Option<&CallResult> {
        match &self.nodes[*self.by_id.get(id)?].state {
            NodeState::Ended(_, outcome) => outcome.as_ref(),
            _ => None,
        }
    }

    /// Returns whether a call is running, or pauses between two attempts.
    pub fn is_running(&self) -> bool {
        let runs = |node: &Node| matches!(node.state, NodeState::Running | NodeState::Pausing);
        self.nodes.iter().any(runs)
    }

    /// Returns whether every call that the turn waits for has ended.
    pub fn is_settled(&self) -> bool {
        self.open == 0
    }

    /// Returns whether the results of all calls were taken.
    pub fn results_taken(&self) -> bool {
        self.taken == self.nodes.len()
    }

    /// Takes the results for the model that were not taken yet, in the order of the calls. Returns
    /// `None` if there are none, or if a call that the turn waits for has not ended.
    pub fn take_results(&mut self) -> Option<Vec<CallResult>> {
        if !self.is_settled() {
            return None;
        }
        let nodes = self.nodes[self.taken..].iter_mut().filter(|node| node.is_awaited());
        let results = Vec::from_iter(nodes.filter_map(|node| match &mut node.state {
            NodeState::Ended(_, outcome) => outcome.take(),
            _ => None,
        }));
        self.taken = self.nodes.len();
        (!results.is_empty()).then_some(results)
    }

    /// Adds a call at the next position, and returns that.
    pub(crate) fn insert(&mut self, node: Node) -> usize {
        let index = self.nodes.len();
        self.by_id.entry(node.id.clone()).or_insert(index);
        self.open += usize::from(node.is_awaited());
        if node.mode() == CallMode::Sync && node.call.is_some() {
            self.syncs.insert(index);
        }
        self.nodes.push(node);
        index
    }

    /// Returns the first call that may start now.
    fn startable(&self) -> Option<usize> {
        if self.running >= self.limits.max_parallel {
            return None;
        }
        let next = *self.ready.first()?;
        (!self.is_barred(next)).then_some(next)
    }

    /// Begins the next attempt at a call. Returns `None` if the call fails because outputs make its
    /// arguments too long.
    fn start(&mut self, index: usize) -> Option<ReadyCall> {
        let node = &self.nodes[index];
        let call = node.call.as_ref()?;
        let value = |source: &Source| match *source {
            Source::Preset(preset) => Some(Cow::Borrowed(self.outputs.preset_value(preset))),
            Source::Call(call) => self.nodes[call].value(),
        };
        let args = match call.action() {
            Some(_) => {
                // Each value is looked up once, because the JSON of a long output takes time to
                // write.
                let values = node.names.iter();
                let values = values.filter_map(|(name, at)| Some((name.as_str(), value(at)?)));
                substitute(call.args(), &values.collect(), self.limits.max_args_bytes)
            }
            None => Some(FilledArgs { json: call.args().to_owned(), texts: Vec::new() }),
        };
        let Some(args) = args else {
            let outcome = node.too_long(self.limits.max_args_bytes);
            self.end([(index, CallEnd::Failed, outcome)]);
            return None;
        };
        self.running += 1;
        Some(self.nodes[index].attempt(args, self.limits.max_retries))
    }

    /// Reports that a call uses a name that is not bound.
    pub(crate) fn unbound(&mut self, index: usize, name: String) {
        let id = self.nodes[index].id.clone();
        self.updates.push_back(PlanUpdate::Unbound { id, name });
    }

    /// Marks a call as waiting for no other call.
    pub(crate) fn ready(&mut self, index: usize) {
        self.ready.insert(index);
    }

    /// Returns whether a `sync` call among the first `calls` has not ended.
    pub(crate) fn is_barred(&self, calls: usize) -> bool {
        self.syncs.first().is_some_and(|&sync| sync < calls)
    }

    fn running(&self, id: &str) -> Option<usize> {
        let index = *self.by_id.get(id)?;
        matches!(self.nodes[index].state, NodeState::Running).then_some(index)
    }
}
