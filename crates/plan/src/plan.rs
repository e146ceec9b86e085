use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};

use silcrow_event::{Call, CallMode, CallResult, InvalidCall, Json, ResultStatus};

use crate::decision::{CallEnd, PlanDecision};
use crate::limits::PlanLimits;
use crate::node::{Node, State};
use crate::outputs::{Outputs, Source};
use crate::substitute::substitute;

/// The calls of one turn, in the order of the text.
#[derive(Debug, Default)]
pub struct Plan {
    pub(crate) limits: PlanLimits,
    pub(crate) nodes: Vec<Node>,
    pub(crate) by_id: HashMap<String, usize>,
    pub(crate) outputs: Outputs,
    /// Who waits for ids that no call has yet.
    pub(crate) expected: HashMap<String, Vec<usize>>,
    /// Calls that may start as far as it is up to them.
    ready: BTreeSet<usize>,
    /// `sync` calls that have not ended: nothing behind the first of them starts (P-24).
    syncs: BTreeSet<usize>,
    running: usize,
    /// Calls that the turn waits for and that have not ended.
    open: usize,
    decisions: VecDeque<PlanDecision>,
    /// Why no call starts any more, in few words and for the model.
    pub(crate) halted: Option<[String; 2]>,
    /// A final response was written.
    pub(crate) answered: bool,
    /// All of the turn's text is there.
    pub(crate) sealed: bool,
    /// Calls whose results were taken.
    taken: usize,
}

/// A call that ends, and what came of it.
pub(crate) type End = (usize, CallEnd, CallResult);

impl Plan {
    /// A plan without calls, with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// A plan without calls.
    pub fn with_limits(limits: PlanLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Gives a value a name before the turn begins.
    pub fn preset(&mut self, name: impl Into<String>, value: Json) {
        self.outputs.preset(name.into(), value);
    }

    /// Takes a complete call: an action, or one of the batch that is being written, which is held
    /// until [`execute`](Self::execute).
    pub fn push(&mut self, call: Call) {
        let held = call.action().is_none();
        self.add(Node { held, ..Node::new(call) });
    }

    /// Takes a complete call of a batch that may start before its execution point (P-23).
    pub fn push_early(&mut self, call: Call) {
        let early = call.action().is_none();
        self.add(Node { early, ..Node::new(call) });
    }

    /// Takes a call that cannot be run: it has failed already and keeps its place (P-9).
    pub fn push_bad(&mut self, bad: InvalidCall) {
        let summary = if bad.truncated { "truncated call" } else { "malformed call" };
        let outcome = CallResult::framework_failure(&*bad.id, None, summary, bad.why);
        let index = self.insert(Node::bad(bad.id));
        self.meet_expectations(index);
        self.end([(index, CallEnd::Failed, outcome)]);
    }

    /// The execution point of the calls before it.
    pub fn execute(&mut self) {
        for (index, node) in self.nodes.iter_mut().enumerate().skip(self.taken) {
            node.held = false;
            node.early = false;
            if node.is_free() {
                self.ready.insert(index);
            }
        }
    }

    /// A final response is written: of later calls only those start that nobody waits for (P-22).
    pub fn answered(&mut self) {
        self.answered = true;
    }

    /// All of the turn's text is there: ids that no call has by now fail those that wait for them
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

    /// What is to be done next; `None` until something more comes in.
    pub fn decide(&mut self) -> Option<PlanDecision> {
        loop {
            if let Some(decision) = self.decisions.pop_front() {
                return Some(decision);
            }
            let next = *self.ready.first()?;
            let barred = self.syncs.first().is_some_and(|&sync| sync < next);
            if barred || self.running >= self.limits.parallel {
                return None;
            }
            self.ready.remove(&next);
            self.start(next);
        }
    }

    /// Takes what came of the last attempt at a call. What comes of one that is not running is
    /// ignored.
    pub fn finish(&mut self, id: &str, outcome: CallResult) {
        if let Some(index) = self.running(id) {
            let how = match outcome.status() {
                ResultStatus::Success => CallEnd::Ok,
                ResultStatus::Failure => CallEnd::Failed,
            };
            self.end([(index, how, outcome)]);
        }
    }

    /// As [`finish`](Self::finish), for a failure that another attempt may mend, if the call has
    /// one left. Where the model does not say how many there are, it is as many as its tool allows;
    /// beyond [`PlanLimits::retries`] there are none.
    pub fn fail(&mut self, id: &str, outcome: CallResult, retries: u32) {
        let Some(index) = self.running(id) else { return };
        match self.nodes[index].pause(retries, self.limits.retries) {
            Some(after) => {
                self.running -= 1;
                self.nodes[index].state = State::Pausing;
                self.decisions.push_back(PlanDecision::Retry { id: id.to_owned(), after });
            }
            None => self.end([(index, CallEnd::Failed, outcome)]),
        }
    }

    /// The wait of a [`PlanDecision::Retry`] is over.
    pub fn retry(&mut self, id: &str) {
        if let Some(&index) = self.by_id.get(id)
            && let State::Pausing = self.nodes[index].state
        {
            self.nodes[index].state = State::Waiting;
            self.ready.insert(index);
        }
    }

    /// Calls off every call that has not ended, and all that are still to come, for the given
    /// reason: a few words for a person, and what the model will read. Of calls that have ended
    /// before their execution point, it takes the place of what came of them (P-23).
    pub fn cancel(&mut self, summary: &str, why: &str) {
        self.halted = Some([summary.to_owned(), why.to_owned()]);
        for index in 0..self.nodes.len() {
            let node = &mut self.nodes[index];
            if node.is_ended() {
                if node.early {
                    let outcome =
                        CallResult::framework_failure(&*node.id, node.name(), summary, why);
                    node.state = State::Ended(CallEnd::Cancelled, Some(outcome));
                }
                continue;
            }
            if let State::Running | State::Pausing = node.state {
                self.decisions.push_back(PlanDecision::Stop { id: node.id.clone() });
            }
            let outcome = CallResult::framework_failure(&*node.id, node.name(), summary, why);
            self.close(index, CallEnd::Cancelled, outcome);
        }
    }

    /// What came of a call, once it has ended and until its result is taken.
    pub fn outcome(&self, id: &str) -> Option<&CallResult> {
        match &self.nodes[*self.by_id.get(id)?].state {
            State::Ended(_, outcome) => outcome.as_ref(),
            _ => None,
        }
    }

    /// Whether an attempt at a call runs, or a pause between two.
    pub fn is_running(&self) -> bool {
        let runs = |node: &Node| matches!(node.state, State::Running | State::Pausing);
        self.nodes.iter().any(runs)
    }

    /// Whether every call has ended that the turn waits for.
    pub fn is_settled(&self) -> bool {
        self.open == 0
    }

    /// Whether it has no call but such whose result was taken.
    pub fn is_empty(&self) -> bool {
        self.taken == self.nodes.len()
    }

    /// The results that are for the model and were not taken yet, in the order of the calls, once
    /// all have ended that the turn waits for; `None` if there are none.
    pub fn take_results(&mut self) -> Option<Vec<CallResult>> {
        if !self.is_settled() {
            return None;
        }
        let nodes = self.nodes[self.taken..].iter_mut().filter(|node| node.is_awaited());
        let results = Vec::from_iter(nodes.filter_map(|node| match &mut node.state {
            State::Ended(_, outcome) => outcome.take(),
            _ => None,
        }));
        self.taken = self.nodes.len();
        (!results.is_empty()).then_some(results)
    }

    /// Gives a call its place, and the turn a reason to wait.
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

    /// Ends calls, and with them those that wait for them (P-25).
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
        self.running -= usize::from(matches!(node.state, State::Running));
        self.open -= usize::from(node.is_awaited());
        self.decisions.push_back(PlanDecision::End { id: node.id.clone(), how });
        if how == CallEnd::Ok
            && node.is_awaited()
            && let Some(name) = node.action().and_then(|action| action.output_key.clone())
            && let Some(value) = outcome.value()
        {
            let value = value.into_owned();
            self.decisions.push_back(PlanDecision::Bind { name, value });
        }
        node.state = State::Ended(how, Some(outcome));
    }

    /// Makes the next attempt at a call.
    fn start(&mut self, index: usize) {
        let node = &self.nodes[index];
        let Some(call) = &node.call else { return };
        let value = |name: &str| match node.names.get(name)? {
            Source::Preset(preset) => Some(Cow::Borrowed(self.outputs.preset_value(*preset))),
            Source::Call(call) => self.nodes[*call].value(),
        };
        let args = match call.action() {
            Some(_) => substitute(call.args(), value, self.limits.args),
            None => Some(call.args().to_owned()),
        };
        let Some(args) = args else {
            let outcome = node.too_long(self.limits.args);
            return self.end([(index, CallEnd::Failed, outcome)]);
        };
        self.running += 1;
        let ready = self.nodes[index].attempt(args, self.limits.retries);
        self.decisions.push_back(PlanDecision::Start(ready));
    }

    /// Notes that a call uses a name that nothing binds.
    pub(crate) fn unbound(&mut self, index: usize, name: String) {
        let id = self.nodes[index].id.clone();
        self.decisions.push_back(PlanDecision::Unbound { id, name });
    }

    /// A call may start as far as it is up to it.
    pub(crate) fn ready(&mut self, index: usize) {
        self.ready.insert(index);
    }

    /// Whether a `sync` call among the first `calls` has not ended.
    pub(crate) fn is_barred(&self, calls: usize) -> bool {
        self.syncs.first().is_some_and(|&sync| sync < calls)
    }

    fn running(&self, id: &str) -> Option<usize> {
        let index = *self.by_id.get(id)?;
        matches!(self.nodes[index].state, State::Running).then_some(index)
    }
}
