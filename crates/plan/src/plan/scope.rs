//! A plan inside a block of another plan: the outer names that it sees, and its own name.

use std::borrow::Cow;
use std::sync::Arc;

use silcrow_event::{Call, CallEnd, CallResult, Json};
use silcrow_expression::ExpressionValue;

use super::block::{BlockChild, BlockOutcome, PlannedBlock};
use super::node::{Node, NodeState};
use super::{NodeEnd, Plan};
use crate::decision::PlanUpdate;
use crate::outputs::Source;
use crate::substitute::{NamedValues, names_in, substitute};

impl Plan {
    /// Creates the plan of a body in a block of this plan. `instance` is added to the ids in it.
    pub(super) fn child(&self, instance: &str) -> Self {
        let template = instance.rfind('[').map(|at| format!("{}[].", &instance[..at]));
        Self {
            limits: self.limits,
            prefix: format!("{}{instance}", self.prefix),
            template: format!("{}{}", self.template, template.unwrap_or_default()),
            level: self.level + 1,
            counts: Arc::clone(&self.counts),
            transactions: self.transactions.clone(),
            coverage: self.coverage.clone(),
            ..Self::default()
        }
    }

    /// Runs `act` with a block of this plan, which the plan does not have meanwhile.
    pub(super) fn with_block<T>(
        &mut self,
        index: usize,
        act: impl FnOnce(&mut Self, &mut PlannedBlock) -> T,
    ) -> Option<T> {
        let mut block = self.nodes[index].block.take()?;
        let done = act(self, &mut block);
        self.nodes[index].block = Some(block);
        Some(done)
    }

    /// Gives an inner plan the meaning of a name in this one. If an output is still missing, a node
    /// of the inner plan stands for it.
    pub(super) fn lend(&self, inner: &mut Self, name: &str, source: Source) {
        let call = match source {
            Source::Preset(preset) => {
                let value = self.outputs.preset_value(preset).clone();
                inner.outputs.lend_value(name.to_owned(), value);
                return;
            }
            Source::Call(call) => call,
        };
        let node = &self.nodes[call];
        let proxy = Node { id: node.id.clone(), is_proxy: true, ..Node::default() };
        let is_id = self.by_id.get(name) == Some(&call);
        let key = if is_id { name.to_owned() } else { format!("${name}") };
        let proxy = inner.insert_as(key, proxy);
        inner.outputs.lend(name.to_owned(), proxy);
        match &node.state {
            NodeState::Ended(how, _) => inner.end_proxy(proxy, *how, node.value().as_deref()),
            _ => inner.pending.push((proxy, call)),
        }
    }

    /// Ends the nodes of an inner plan that stand for calls of this one which have ended.
    pub(super) fn pay_back(&self, inner: &mut Self) {
        let pending = std::mem::take(&mut inner.pending);
        for (proxy, call) in pending {
            let node = &self.nodes[call];
            match &node.state {
                NodeState::Ended(how, _) => inner.end_proxy(proxy, *how, node.value().as_deref()),
                _ => inner.pending.push((proxy, call)),
            }
        }
    }

    fn end_proxy(&mut self, proxy: usize, how: CallEnd, value: Option<&Json>) {
        let outcome = standing_for(&self.nodes[proxy].id, value);
        self.end([(proxy, how, outcome)]);
    }

    /// Returns the ends of the nodes that stand for names that an ended block has bound.
    pub(super) fn export_ends(&self, index: usize) -> Vec<NodeEnd> {
        let Some(block) = &self.nodes[index].block else { return Vec::new() };
        // Results of undone calls are not used.
        if block.is_transaction() && !self.nodes[index].ended_well() {
            let lost = |(name, proxy): &(String, usize)| {
                (*proxy, CallEnd::Cancelled, standing_for(name, None))
            };
            return block.exports.iter().map(lost).collect();
        }
        // A name is skipped if only bodies that did not run have bound it.
        let is_idle = |child: &&BlockChild| child.plan.halted.is_some();
        let (idle, run): (Vec<_>, Vec<_>) = block.children.iter().partition(is_idle);
        let end = |(name, proxy): &(String, usize)| {
            let found = run.iter().chain(&idle).find_map(|child| child.plan.ended(name));
            let (how, value) = found.unwrap_or((CallEnd::Skipped, None));
            (*proxy, how, standing_for(name, value.as_deref()))
        };
        block.exports.iter().map(end).collect()
    }

    /// Returns the end and the output of the call that a name stands for.
    fn ended(&self, name: &str) -> Option<(CallEnd, Option<Cow<'_, Json>>)> {
        let Some(Source::Call(call)) = self.find_outer(name) else { return None };
        match &self.nodes[call].state {
            NodeState::Ended(how, _) => Some((*how, self.nodes[call].value())),
            _ => None,
        }
    }

    /// Returns the end of this plan's body, if every call in it has ended: its output is the output
    /// of its last call or block.
    pub(super) fn body_end(&self) -> BlockOutcome {
        let own = || self.nodes.iter().filter(|node| !node.is_proxy && node.is_awaited());
        let failed = own().find(|node| node.fails_its_body());
        if let Some(node) = failed {
            return BlockOutcome::failed(format!("`{}` {}", node.id, node.how_it_ended()));
        }
        let value = own().next_back().and_then(Node::value);
        BlockOutcome::ok(
            value.map_or(ExpressionValue::Null, |value| ExpressionValue::of_output(&value)),
        )
    }

    /// Returns whether every call in this plan and in its blocks has ended, including those that
    /// nothing waits for.
    pub(super) fn has_ended(&self) -> bool {
        let is_over = |node: &Node| node.block.as_ref().is_none_or(|block| block.is_over());
        self.nodes.iter().all(|node| node.is_proxy || (node.is_ended() && is_over(node)))
    }

    /// Reports that a call is an instance of one in the body of a loop, with the item that it is about
    /// in place of its name. The call itself keeps the name.
    pub(super) fn report_instance(&mut self, call: &Call) {
        let told = self.with_items(call).unwrap_or_else(|| call.clone());
        self.updates.push_back(PlanUpdate::Instance(told.as_instance()));
    }

    /// Returns a call with known short values in place of their names; `None` if there are none.
    /// Outputs of calls are not known yet.
    fn with_items(&self, call: &Call) -> Option<Call> {
        let action = call.action().filter(|action| action.undoes.is_none())?;
        let names = names_in(call.args());
        let known = names.iter().filter_map(|name| match self.outputs.find(name) {
            Some(Source::Preset(preset)) => Some((&**name, self.outputs.preset_value(preset))),
            _ => None,
        });
        let known = known.filter(|(_, value)| value.as_str().len() <= LONGEST_ITEM);
        let values: NamedValues<'_> =
            known.map(|(name, value)| (name, Cow::Borrowed(value))).collect();
        if values.is_empty() {
            return None;
        }
        let args = substitute(call.args(), &values, self.limits.max_args_bytes)?.json;
        let content = format!(r#"{{"name":{},"args":{args}}}"#, Json::string(call.name()));
        Some(Call::parse(call.id(), content).ok()?.with_action(action.clone()))
    }

    /// Moves the reports and decisions of an inner plan to this one. Returns whether there was
    /// anything.
    pub(super) fn take_over(&mut self, inner: &mut Self) -> bool {
        let has_any = !inner.updates.is_empty() || !inner.decisions.is_empty();
        self.updates.append(&mut inner.updates);
        self.decisions.append(&mut inner.decisions);
        has_any
    }
}

/// The length of a value that a log has for each call about it, in bytes.
const LONGEST_ITEM: usize = 200;

/// Returns the result of a node that stands for another one.
fn standing_for(id: &str, value: Option<&Json>) -> CallResult {
    match value {
        Some(value) => CallResult::success(id, "", "", value.clone()),
        None => CallResult::framework_failure(id, None, "", ""),
    }
}
