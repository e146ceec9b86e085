//! The plan itself: what comes in, what is decided, and the end of each call.
//!
//! Whether a new call can run at all is decided in `arrive.rs`; the state of one call is a `Node`.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};

use silcrow_event::{Call, CallEnd, CallMode, CallResult, InvalidCall, Json, ResultStatus};

use crate::decision::{PlanDecision, PlanUpdate, ReadyCall};
use crate::limits::PlanLimits;
use crate::node::{Node, NodeState};
use crate::outputs::{Outputs, Source};
use crate::substitute::substitute;

/// The calls of one turn, in the order of the text.
#[derive(Debug, Default)]
pub struct Plan {
    pub(crate) limits: PlanLimits,
    pub(crate) nodes: Vec<Node>,
    pub(crate) by_id: HashMap<String, usize>,
    pub(crate) outputs: Outputs,
    /// Ids that no call has yet, and the calls that wait for them.
    pub(crate) expected: HashMap<String, Vec<usize>>,
    /// Calls that wait for no other call.
    ready: BTreeSet<usize>,
    /// `sync` calls that have not ended: nothing after the first of them starts (P-24).
    syncs: BTreeSet<usize>,
    running: usize,
    /// Calls that the turn waits for and that have not ended.
    open: usize,
    /// Attempts to stop, and pauses before attempts; starts are decided when they are asked for.
    decisions: VecDeque<PlanDecision>,
    updates: VecDeque<PlanUpdate>,
    /// Why no call starts any more: a summary, and what the model reads.
    pub(crate) halted: Option<[String; 2]>,
    /// A final response was written.
    pub(crate) answered: bool,
    /// The text of the turn is complete.
    pub(crate) sealed: bool,
    /// Calls whose results were taken.
    taken: usize,
}

/// A call that ends, in which way, and with which result.
pub(crate) type End = (usize, CallEnd, CallResult);

impl Plan {
    /// Creates a plan without calls, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a plan without calls.
    pub fn with_limits(limits: PlanLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Binds a name to a value before the turn begins.
    pub fn preset(&mut self, name: impl Into<String>, value: Json) {
        self.outputs.preset(name.into(), value);
    }

    /// Takes a complete call: an action, or a call of the current batch, which waits for
    /// [`execute`](Self::execute).
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
    pub fn push_bad(&mut self, bad: InvalidCall) {
        let summary = if bad.truncated { "truncated call" } else { "malformed call" };
        let outcome = CallResult::framework_failure(&*bad.id, None, summary, bad.why);
        let index = self.insert(Node::bad(bad.id));
        self.meet_expectations(index);
        self.end([(index, CallEnd::Failed, outcome)]);
    }

    /// Takes the execution point of the calls before it.
    pub fn execute(&mut self) {
        for (index, node) in self.nodes.iter_mut().enumerate().skip(self.taken) {
            node.held = false;
            node.early = false;
            if node.is_free() {
                self.ready.insert(index);
            }
        }
    }

    /// Takes the beginning of a final response: of later calls only those start that nobody waits
    /// for (P-22).
    pub fn answered(&mut self) {
        self.answered = true;
    }

    /// Takes the end of the turn's text: calls that wait for an id which no call has by now fail
    /// (P-20).
    pub fn seal(&mut self) {
        self.sealed = true;
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

    /// Returns the next thing to do; `None` until more comes in.
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

    /// Returns whether there is something to do.
    pub fn has_decisions(&self) -> bool {
        !self.decisions.is_empty() || self.startable().is_some()
    }

    /// Returns the next thing to report, in the order in which it happened.
    pub fn next_update(&mut self) -> Option<PlanUpdate> {
        self.updates.pop_front()
    }

    /// Returns whether there is something to report.
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

    /// Takes a failure that another attempt may mend, and pauses the call if it has an attempt
    /// left. The model says how many attempts follow the first; where it does not, the tool does,
    /// with `retries`. There are at most [`PlanLimits::retries`].
    pub fn fail(&mut self, id: &str, outcome: CallResult, retries: u32) {
        let Some(index) = self.running(id) else { return };
        match self.nodes[index].pause(retries, self.limits.retries) {
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
    /// words for a person, `why` is what the model reads. The results of early calls whose
    /// execution point has not come are replaced as well (P-23).
    pub fn cancel(&mut self, summary: &str, why: &str) {
        self.halted = Some([summary.to_owned(), why.to_owned()]);
        for index in 0..self.nodes.len() {
            let node = &mut self.nodes[index];
            if node.is_ended() {
                if node.early {
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

    /// Returns whether every call has ended that the turn waits for.
    pub fn is_settled(&self) -> bool {
        self.open == 0
    }

    /// Returns whether the results of all calls were taken.
    pub fn is_empty(&self) -> bool {
        self.taken == self.nodes.len()
    }

    /// Takes the results for the model that were not taken yet, in the order of the calls, once all
    /// calls have ended that the turn waits for; `None` if there are none.
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

    /// Gives a call its position, and the turn a reason to wait.
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

    /// Ends calls, and with them the calls that wait for them (P-25).
    pub(crate) fn end(&mut self, ends: impl IntoIterator<Item = End>) {
        let mut ends = VecDeque::from_iter(ends);
        let mut failed = None;
        while let Some((index, how, outcome)) = ends.pop_front() {
            if self.nodes[index].is_ended() {
                continue;
            }
            self.close(index, how, outcome);
            let node = &self.nodes[index];
            if how == CallEnd::Failed && node.fails_the_turn() {
                failed.get_or_insert(index);
            }
            let dependents = std::mem::take(&mut self.nodes[index].dependents);
            for waiting in dependents {
                let node = &mut self.nodes[waiting];
                node.open_waits -= 1;
                if how != CallEnd::Ok {
                    let skipped = self.nodes[waiting].skipped(&self.nodes[index].id, how);
                    ends.push_back((waiting, CallEnd::Skipped, skipped));
                } else if node.is_free() {
                    self.ready.insert(waiting);
                }
            }
        }
        if let Some(index) = failed {
            let id = &self.nodes[index].id;
            let why = format!("cancelled: `{id}` failed, and its `on_error` is `fail`");
            self.cancel("cancelled", &why);
        }
    }

    /// Ends one call.
    fn close(&mut self, index: usize, how: CallEnd, outcome: CallResult) {
        self.ready.remove(&index);
        self.syncs.remove(&index);
        let node = &mut self.nodes[index];
        self.running -= usize::from(matches!(node.state, NodeState::Running));
        self.open -= usize::from(node.is_awaited());
        self.updates.push_back(PlanUpdate::End { id: node.id.clone(), how });
        if how == CallEnd::Ok
            && node.is_awaited()
            && let Some(name) = node.action().and_then(|action| action.output_key.clone())
            && let Some(value) = outcome.value()
        {
            let value = value.into_owned();
            self.updates.push_back(PlanUpdate::Bind { name, value });
        }
        node.state = NodeState::Ended(how, Some(outcome));
    }

    /// The first call that may start now.
    fn startable(&self) -> Option<usize> {
        if self.running >= self.limits.parallel {
            return None;
        }
        let next = *self.ready.first()?;
        (!self.is_barred(next)).then_some(next)
    }

    /// Begins the next attempt at a call; `None` if the call fails, because its arguments became
    /// too long.
    fn start(&mut self, index: usize) -> Option<ReadyCall> {
        let node = &self.nodes[index];
        let call = node.call.as_ref()?;
        let value = |source: &Source| match *source {
            Source::Preset(preset) => Some(Cow::Borrowed(self.outputs.preset_value(preset))),
            Source::Call(call) => self.nodes[call].value(),
        };
        let args = match call.action() {
            Some(_) => {
                // Each value is looked up once: the JSON of a long output takes a while to write.
                let values = node.names.iter();
                let values = values.filter_map(|(name, at)| Some((name.as_str(), value(at)?)));
                substitute(call.args(), &values.collect(), self.limits.args)
            }
            None => Some(call.args().to_owned()),
        };
        let Some(args) = args else {
            let outcome = node.too_long(self.limits.args);
            self.end([(index, CallEnd::Failed, outcome)]);
            return None;
        };
        self.running += 1;
        Some(self.nodes[index].attempt(args, self.limits.retries))
    }

    /// Reports that a call uses a name that nothing binds.
    pub(crate) fn unbound(&mut self, index: usize, name: String) {
        let id = self.nodes[index].id.clone();
        self.updates.push_back(PlanUpdate::Unbound { id, name });
    }

    /// Marks a call as waiting for no other call.
    pub(crate) fn ready(&mut self, index: usize) {
        self.ready.insert(index);
    }

    /// Whether a `sync` call among the first `calls` has not ended.
    pub(crate) fn is_barred(&self, calls: usize) -> bool {
        self.syncs.first().is_some_and(|&sync| sync < calls)
    }

    fn running(&self, id: &str) -> Option<usize> {
        let index = *self.by_id.get(id)?;
        matches!(self.nodes[index].state, NodeState::Running).then_some(index)
    }
}
