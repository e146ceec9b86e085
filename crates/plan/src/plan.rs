//! The plan: its input and its decisions.
//!
//! `arrive.rs` decides whether a new call can run at all, `end` applies the effects of a call's
//! end, and a `Node` is the state of one call. The crate's documentation shows the states.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use silcrow_event::{Call, CallEnd, CallMode, CallResult, InvalidCall, Json};

use crate::decision::{PlanDecision, PlanUpdate, ReadyCall};
use crate::limits::PlanLimits;
use crate::outputs::{Outputs, Source};
use crate::substitute::{FilledArgs, substitute};
use crate::undo::UndoCoverage;

mod advance;
mod arrive;
mod attempts;
mod awaited;
mod begin;
mod block;
mod cancel;
mod end;
mod find;
mod foreseen;
mod node;
mod reasons;
mod recovered;
mod rollback;
mod scope;
mod undo_calls;
mod write;

use block::BodyItem;
use cancel::PlanHalt;
use end::NodeEnd;
use node::{Node, NodeState};
pub use reasons::SKIPPED;
pub use recovered::RollbackCall;
use write::OpenBody;

/// Schedules the calls of one turn, which are kept in the order of the text.
///
/// ```
/// use silcrow_event::Call;
/// use silcrow_plan::{Plan, PlanDecision};
///
/// let mut plan = Plan::new();
/// plan.push(Call::parse("a1", r#"{"name":"ls"}"#).unwrap());
/// assert!(plan.decide().is_none(), "a call of a batch waits for the execution point");
/// plan.reach_execution_point();
/// assert!(matches!(plan.decide(), Some(PlanDecision::Start(call)) if call.id() == "a1"));
/// ```
#[derive(Debug, Default)]
pub struct Plan {
    pub(crate) limits: PlanLimits,
    pub(crate) nodes: Vec<Node>,
    pub(crate) by_id: HashMap<String, usize>,
    pub(crate) outputs: Outputs,
    /// The ids that no call has yet, and the calls that wait for them.
    pub(crate) expected: HashMap<String, Vec<usize>>,
    /// The calls that do not wait for another call.
    ready: BTreeSet<usize>,
    /// The blocks that wait for no call.
    ready_blocks: BTreeSet<usize>,
    /// The `sync` calls that have not ended. No call after the first of them starts (P-24).
    syncs: BTreeSet<usize>,
    running: usize,
    /// The number of calls that the turn waits for and that have not ended.
    open_calls: usize,
    /// The attempts to stop, and the pauses to begin. Starts are decided in `decide`.
    decisions: VecDeque<PlanDecision>,
    updates: VecDeque<PlanUpdate>,
    /// The reason why no call starts any more.
    pub(crate) halted: Option<PlanHalt>,
    /// Whether a final response was written.
    pub(crate) final_response_begun: bool,
    /// Whether the text of the turn is complete.
    pub(crate) text_ended: bool,
    /// The number of calls whose results were taken.
    taken: usize,
    /// The block that is being written.
    open: Option<OpenBody>,
    /// All blocks, and those that have begun and are not over.
    blocks: Vec<usize>,
    live: Vec<usize>,
    /// The nodes that stand for calls of the plan around this one, with these calls.
    pending: Vec<(usize, usize)>,
    /// The prefix of the ids of this plan, if it is an instance of a loop.
    pub(crate) prefix: String,
    /// The same without the numbers of the items.
    pub(crate) template: String,
    /// The number of blocks around it.
    pub(crate) level: usize,
    /// The counters of this plan and of those around it and in it.
    pub(crate) counts: Arc<PlanCounts>,
    /// The ids of the transactions around it, the outermost first.
    pub(crate) transactions: Vec<String>,
    /// The transactions whose bodies are being written, and the number of open blocks in each.
    written: Vec<(String, usize)>,
    /// The undo of calls that declare none.
    pub(crate) coverage: Option<Arc<dyn UndoCoverage>>,
    /// Whether `sync` calls of this plan are not barriers.
    is_parallel: bool,
}

/// The counters of a plan and of those around it and in it.
#[derive(Debug, Default)]
pub(crate) struct PlanCounts {
    /// The calls and blocks.
    pub(crate) made: AtomicUsize,
    /// The calls and blocks that have ended.
    pub(crate) ended: AtomicUsize,
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

    /// Sets the source that knows which calls of transactions can be undone without a `compensate`
    /// (P-32). Without it none can.
    #[must_use]
    pub fn with_undo_coverage(self, coverage: Arc<dyn UndoCoverage>) -> Self {
        Self { coverage: Some(coverage), ..self }
    }

    /// Binds a name to a value before the turn begins.
    pub fn preset(&mut self, name: impl Into<String>, value: Json) {
        self.outputs.preset(name.into(), value);
    }

    /// Adds a complete call: an action, or a call of the current batch, which waits for
    /// [`reach_execution_point`](Self::reach_execution_point).
    pub fn push(&mut self, call: Call) {
        if self.open.is_some() {
            self.forward(BodyItem::Call(call));
            return self.advance();
        }
        let held = call.action().is_none();
        self.add(Node { held, ..Node::new(call) });
    }

    /// Adds a complete call of a batch that may start before its execution point (P-23).
    pub fn push_early(&mut self, call: Call) {
        if self.open.is_some() {
            return self.push(call);
        }
        let early = call.action().is_none();
        self.add(Node { early, ..Node::new(call) });
    }

    /// Adds a call that cannot run: it fails at once and keeps its position (P-9).
    pub fn push_invalid(&mut self, bad: InvalidCall) {
        if self.open.is_some() {
            self.forward(BodyItem::Invalid(bad));
            return self.advance();
        }
        let bad = InvalidCall { id: format!("{}{}", self.prefix, bad.id), ..bad };
        let summary = if bad.truncated { "truncated call" } else { "malformed call" };
        let outcome = CallResult::framework_failure(&*bad.id, None, summary, bad.why);
        let index = self.insert(Node::bad(bad.id));
        self.meet_expectations(index);
        self.end([(index, CallEnd::Failed, outcome)]);
        self.advance();
    }

    /// Marks the execution point of the calls before it.
    pub fn reach_execution_point(&mut self) {
        for (index, node) in self.nodes.iter_mut().enumerate().skip(self.taken) {
            node.held = false;
            node.early = false;
            if node.is_free() {
                self.ready.insert(index);
            }
        }
    }

    /// Marks the beginning of a final response. From then on, only calls that nothing waits for
    /// start (P-22).
    pub fn begin_final_response(&mut self) {
        self.final_response_begun = true;
    }

    /// Marks the end of the turn's text. A call that waits for an id without a call now fails
    /// (P-20).
    pub fn end_text(&mut self) {
        self.end_open_block();
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
        self.advance();
    }

    /// Returns the next decision, or `None` until there is more input. If a loop has new instances,
    /// it also returns `None` until [`next_update`](Self::next_update) has returned them.
    pub fn decide(&mut self) -> Option<PlanDecision> {
        self.next_decision()
    }

    /// Returns whether a decision is available.
    pub fn has_decisions(&self) -> bool {
        !self.decisions.is_empty() || self.has_starts()
    }

    /// Returns the next update, in chronological order.
    pub fn next_update(&mut self) -> Option<PlanUpdate> {
        self.updates.pop_front()
    }

    /// Returns whether an update is available.
    pub fn has_updates(&self) -> bool {
        !self.updates.is_empty()
    }

    /// Returns whether a call is running, pausing between two attempts, or still
    /// [awaited](PlanDecision::Await).
    pub fn is_running(&self) -> bool {
        let runs = |node: &Node| {
            matches!(node.state, NodeState::Running | NodeState::Pausing)
                || node.is_stopping()
                || node.block.as_ref().is_some_and(|block| block.is_running())
        };
        self.nodes.iter().any(runs)
    }

    /// Returns whether every call that the turn waits for has ended.
    pub fn is_settled(&self) -> bool {
        self.open_calls == 0
    }

    /// Returns whether all results have been taken.
    pub fn results_taken(&self) -> bool {
        self.taken == self.nodes.len()
    }

    /// Takes the results for the model that have not been taken yet, in the order of the calls.
    /// Returns `None` if there are none, or while the turn waits for a call.
    pub fn take_results(&mut self) -> Option<Vec<CallResult>> {
        if !self.is_settled() {
            return None;
        }
        let mut results = Vec::new();
        self.collect_results(&mut results);
        (!results.is_empty()).then_some(results)
    }

    /// Adds a call or a block at the next position, and returns that.
    pub(crate) fn insert(&mut self, node: Node) -> usize {
        let key = node.id.strip_prefix(&*self.prefix).unwrap_or(&node.id).to_owned();
        self.insert_as(key, node)
    }

    /// Adds a node under this id, with which others in this plan find it.
    fn insert_as(&mut self, key: String, node: Node) -> usize {
        let index = self.nodes.len();
        self.by_id.entry(key).or_insert(index);
        if !node.is_proxy {
            self.counts.made.fetch_add(1, Ordering::Relaxed);
            self.open_calls += usize::from(node.is_awaited());
        }
        let is_run = node.call.is_some() || node.block.is_some();
        if node.mode() == CallMode::Sync && is_run && !self.is_parallel {
            self.syncs.insert(index);
        }
        if node.block.is_some() {
            self.blocks.push(index);
        }
        self.nodes.push(node);
        index
    }

    /// Returns the first call that may start now.
    fn startable(&self) -> Option<usize> {
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
            Some(_) if !node.is_undo() => {
                // Each value is looked up once, because the JSON of a long output takes time to
                // write.
                let values = node.names.iter();
                let values = values.filter_map(|(name, at)| Some((name.as_str(), value(at)?)));
                substitute(call.args(), &values.collect(), self.limits.max_args_bytes)
            }
            _ => Some(FilledArgs { json: call.args().to_owned(), texts: Vec::new() }),
        };
        let Some(args) = args else {
            let outcome = node.too_long(self.limits.max_args_bytes);
            self.end([(index, CallEnd::Failed, outcome)]);
            return None;
        };
        self.running += 1;
        if !self.transactions.is_empty() && !self.nodes[index].is_undo() {
            self.note_undo(index);
        }
        let mut ready = self.nodes[index].attempt(args, self.limits.max_retries);
        ready.item_of = self.item_of(index);
        Some(ready)
    }

    /// Reports that a call uses a name that is not bound.
    pub(crate) fn unbound(&mut self, index: usize, name: String) {
        let id = self.nodes[index].id.clone();
        self.updates.push_back(PlanUpdate::Unbound { id, name });
    }

    /// Marks a call or a block as waiting for no other call.
    pub(crate) fn ready(&mut self, index: usize) {
        let is_block = match &self.nodes[index].block {
            // It begins once all that it may do is known.
            Some(block) if block.is_transaction() && !block.is_closed => return,
            block => block.is_some(),
        };
        if is_block { &mut self.ready_blocks } else { &mut self.ready }.insert(index);
    }

    /// Returns whether a `sync` call among the first `calls` has not ended.
    pub(crate) fn is_barred(&self, calls: usize) -> bool {
        self.syncs.first().is_some_and(|&sync| sync < calls)
    }
}
