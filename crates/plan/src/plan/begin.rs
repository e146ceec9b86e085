//! The beginning of a block: its expression is evaluated, and the plans of its bodies begin.

use silcrow_event::{CallEnd, CallResult, ControlKind};
use silcrow_expression::{EvaluationScope, ExpressionValue};

use super::block::{BlockChild, BlockOutcome, PlannedBlock};
use super::cancel::PlanHalt;
use super::node::{Node, NodeState};
use super::reasons::SKIPPED;
use super::{NodeEnd, Plan};
use crate::decision::PlanDecision;
use crate::outputs::Source;

impl Plan {
    /// Begins a block that waits for nothing.
    pub(super) fn begin_block(&mut self, index: usize) {
        self.nodes[index].state = NodeState::Open;
        self.live.push(index);
        let end = self.with_block(index, |plan, block| plan.begin_bodies(index, block)).flatten();
        if let Some(end) = end {
            self.end_block(index, end);
        }
    }

    /// Begins the bodies of a block. Returns the end of the block, if it ends at once.
    fn begin_bodies(&mut self, index: usize, block: &mut PlannedBlock) -> Option<BlockOutcome> {
        let value = match self.evaluate(index, block) {
            Ok(value) => value,
            Err(why) => return Some(BlockOutcome::failed(why)),
        };
        match &block.head.kind {
            ControlKind::Value { .. } => return Some(BlockOutcome::ok(value)),
            ControlKind::Choice { .. } => {
                let ExpressionValue::Bool(test) = value else {
                    let kind = value.kind();
                    return Some(BlockOutcome::failed(format!(
                        "the test is not true or false, but {kind}"
                    )));
                };
                let why = format!("skipped: the test of `{}` is {test}", block.head.id);
                for body in 0..2 {
                    let is_taken = (body == 0) == test;
                    self.add_body(block, body, "", |child| {
                        child.halted = (!is_taken).then(|| skipped(why.clone()));
                    });
                }
            }
            ControlKind::Parallel { max, timeout, .. } => {
                let max = *max;
                let id = || self.nodes[index].id.clone();
                let time = timeout.map(|after| PlanDecision::Time { id: id(), after });
                self.decisions.extend(time);
                self.add_body(block, 0, "", |child| {
                    child.is_parallel = true;
                    let most = child.limits.max_parallel;
                    child.limits.max_parallel = max.map_or(most, |max| max.clamp(1, most));
                });
            }
            ControlKind::Transaction { timeout } => {
                if let Some(why) = self.uncovered(block) {
                    return Some(BlockOutcome::failed(why));
                }
                let id = self.nodes[index].id.clone();
                let time = timeout.map(|after| PlanDecision::Time { id: id.clone(), after });
                self.decisions.extend(time);
                self.add_body(block, 0, "", |child| child.transactions.push(id));
            }
            ControlKind::ForEach { limit, .. } => {
                let ExpressionValue::List(items) = value else {
                    let kind = value.kind();
                    return Some(BlockOutcome::failed(format!(
                        "it repeats over a list, not {kind}"
                    )));
                };
                if items.len() > *limit {
                    let (count, limit) = (items.len(), *limit);
                    return Some(BlockOutcome::failed(format!(
                        "the list has {count} items, and the limit is {limit}; nothing was started"
                    )));
                }
                block.items = items;
            }
        }
        None
    }

    /// Begins the instances of a loop that may run beside those that run.
    pub(super) fn begin_instances(&mut self, block: &mut PlannedBlock) -> bool {
        let ControlKind::ForEach { max_parallel, .. } = block.head.kind else { return false };
        let before = block.children.len();
        while block.children.len() < block.items.len()
            && self.halted.is_none()
            && !block.is_cut
            && block.children.iter().filter(|child| !child.is_over).count() < max_parallel.max(1)
        {
            let plan = self.item_body(block, block.children.len(), |_| {});
            block.children.push(BlockChild { plan, body: 0, is_over: false });
        }
        block.children.len() > before
    }

    /// Adds the plan of a body, and everything that was written in it so far.
    fn add_body(
        &mut self,
        block: &mut PlannedBlock,
        body: usize,
        instance: &str,
        prepare: impl FnOnce(&mut Self),
    ) {
        let plan = self.body(block, body, instance, prepare);
        block.children.push(BlockChild { plan, body, is_over: false });
    }

    /// Returns the plan of the body of a loop for one item, with everything that was written in it so
    /// far.
    pub(super) fn item_body(
        &self,
        block: &PlannedBlock,
        at: usize,
        prepare: impl FnOnce(&mut Self),
    ) -> Self {
        let instance = format!("{}[{at}].", block.head.id);
        self.body(block, 0, &instance, |child| {
            prepare(child);
            let ControlKind::ForEach { item, index, .. } = &block.head.kind else { return };
            child.outputs.lend_value(item.clone(), block.items[at].to_json());
            if let Some(index) = index {
                let at = ExpressionValue::Int(at as i128).to_json();
                child.outputs.lend_value(index.clone(), at);
            }
        })
    }

    /// Returns the plan of a body, with everything that was written in it so far.
    fn body(
        &self,
        block: &PlannedBlock,
        body: usize,
        instance: &str,
        prepare: impl FnOnce(&mut Self),
    ) -> Self {
        let mut child = self.child(instance);
        for (name, source) in &block.outer {
            self.lend(&mut child, name, *source);
        }
        prepare(&mut child);
        for item in &block.bodies[body] {
            child.take_item(item.clone());
        }
        if block.is_closed {
            child.end_text();
        }
        child
    }

    /// Also ends everything in a block that never began. The calls in a loop have no instance.
    pub(super) fn skip_bodies(&mut self, index: usize, how: CallEnd) {
        let id = self.nodes[index].id.clone();
        self.with_block(index, |plan, block| {
            let has_bodies =
                !block.is_loop() && !matches!(block.head.kind, ControlKind::Value { .. });
            let why = format!("skipped: it is in `{id}`, which {}", how_it_ended(how));
            if has_bodies && block.children.is_empty() {
                for body in 0..2 {
                    let halt = skipped(why.clone());
                    plan.add_body(block, body, "", |child| child.halted = Some(halt));
                }
            }
            let is_closed = block.is_closed;
            for child in block.bodies_mut() {
                // Calls that are still being written in it must not start either.
                let may_start = !is_closed && child.plan.halted.is_none();
                if may_start || !child.plan.is_settled() {
                    child.plan.cancel("cancelled", &why.replacen(SKIPPED, "cancelled", 1));
                }
                child.is_over = true;
                plan.take_over(&mut child.plan);
            }
        });
    }

    /// Ends a block, and with it the names that its calls have bound.
    pub(super) fn end_block(&mut self, index: usize, end: BlockOutcome) {
        let outcome = match end.how {
            CallEnd::Ok => self.nodes[index].ended_block(&end.value),
            _ => self.nodes[index].failed_block("", &end.why),
        };
        let end: NodeEnd = (index, end.how, outcome);
        self.end([end]);
    }

    fn evaluate(&self, index: usize, block: &PlannedBlock) -> Result<ExpressionValue, String> {
        match &block.expression {
            None => Ok(ExpressionValue::Null),
            Some(Err(why)) => Err(why.clone()),
            Some(Ok(expression)) => {
                let scope = BlockScope { plan: self, node: &self.nodes[index] };
                expression.evaluate(&scope).map_err(|why| why.to_string())
            }
        }
    }
}

/// The values that the expression of a block may look up.
struct BlockScope<'p> {
    plan: &'p Plan,
    node: &'p Node,
}

impl EvaluationScope for BlockScope<'_> {
    fn variable(&self, name: &str) -> Option<ExpressionValue> {
        match *self.node.names.get(name)? {
            Source::Preset(preset) => {
                Some(ExpressionValue::of_output(self.plan.outputs.preset_value(preset)))
            }
            Source::Call(call) => {
                self.plan.nodes[call].value().map(|value| ExpressionValue::of_output(&value))
            }
        }
    }

    fn end(&self, id: &str) -> Option<CallEnd> {
        match &self.plan.nodes[*self.plan.by_id.get(id)?].state {
            NodeState::Ended(how, _) => Some(*how),
            _ => None,
        }
    }
}

fn skipped(why: String) -> PlanHalt {
    PlanHalt { end: CallEnd::Skipped, summary: SKIPPED.to_owned(), why }
}

const fn how_it_ended(how: CallEnd) -> &'static str {
    match how {
        CallEnd::Ok => "has ended",
        CallEnd::Failed => "failed",
        CallEnd::Skipped => "was skipped",
        CallEnd::Cancelled => "was cancelled",
    }
}

impl Node {
    /// Returns the result of a block that has this output.
    fn ended_block(&self, value: &ExpressionValue) -> CallResult {
        let kind = self.block.as_ref().map_or("", |block| block.head.kind.as_str());
        let summary = match value {
            ExpressionValue::List(items) if kind == "foreach" => match items.len() {
                1 => "1 item".to_owned(),
                count => format!("{count} items"),
            },
            _ => String::new(),
        };
        CallResult::success(&*self.id, kind, summary, value.to_json())
    }

    /// Returns the result of a block that did not succeed.
    pub(super) fn failed_block(&self, summary: &str, why: &str) -> CallResult {
        let kind = self.block.as_ref().map(|block| block.head.kind.as_str());
        CallResult::framework_failure(&*self.id, kind, summary, why)
    }

    /// Returns the end, as the rest of a sentence, and the reason of a failure.
    pub(super) fn how_it_ended(&self) -> String {
        match &self.state {
            NodeState::Ended(CallEnd::Failed, Some(outcome)) => {
                let why = outcome.failure_text();
                match why.char_indices().nth(MAX_REASON) {
                    Some((end, _)) => format!("failed: {}…", &why[..end]),
                    None if why.is_empty() => "failed".to_owned(),
                    None => format!("failed: {why}"),
                }
            }
            NodeState::Ended(how, _) => how_it_ended(*how).to_owned(),
            _ => "has not ended".to_owned(),
        }
    }
}

/// The maximum number of characters of a reason that a block repeats.
const MAX_REASON: usize = 300;
