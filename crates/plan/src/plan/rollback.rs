//! Transactions: the calls of a failed one are undone (P-32).
//!
//! ```text
//! open ── a part failed, time, cancelled ──► ending ── nothing in it runs ──► taking back ──► ended
//! ```
//!
//! This module decides when calls are undone. `undo_calls` decides which ones, and how.

use std::collections::BTreeMap;

use silcrow_event::{Call, CallEnd, CallMode, Compensation, ControlBlock, ControlKind};

use super::Plan;
use super::block::{BlockChild, BlockOutcome, BodyItem, PlannedBlock, UNDO};
use super::node::NodeState;
use crate::outputs::Source;
use crate::substitute::names_in;
use crate::undo::{CallUndo, UndoCover};

impl Plan {
    /// Returns the ids of the transactions whose bodies are being written, the outermost first.
    ///
    /// ```
    /// use silcrow_plan::{ControlBlock, ControlKind, Plan};
    ///
    /// let mut plan = Plan::new();
    /// plan.open_block(ControlBlock::new("t", ControlKind::Transaction { timeout: None }));
    /// assert_eq!(plan.open_transactions().collect::<Vec<_>>(), ["t"]);
    /// plan.close_block();
    /// assert_eq!(plan.open_transactions().count(), 0);
    /// ```
    pub fn open_transactions(&self) -> impl Iterator<Item = &str> {
        self.written.iter().map(|(id, _)| &**id)
    }

    /// Returns whether a transaction has failed and its effects are not undone yet.
    pub fn is_rolling_back(&self) -> bool {
        self.nodes.iter().any(|node| {
            let is_open = matches!(node.state, NodeState::Open);
            node.block.as_deref().is_some_and(|block| {
                (is_open && block.is_transaction() && block.ending.is_some())
                    || block.children.iter().any(|child| child.plan.is_rolling_back())
            })
        })
    }

    pub(super) fn note_opened(&mut self, block: &ControlBlock) {
        if let ControlKind::Transaction { .. } = block.kind {
            self.written.push((block.id.clone(), 0));
        } else if !matches!(block.kind, ControlKind::Value { .. })
            && let Some((_, depth)) = self.written.last_mut()
        {
            *depth += 1;
        }
    }

    pub(super) fn note_closed(&mut self) {
        match self.written.last_mut() {
            Some((_, 0)) => drop(self.written.pop()),
            Some((_, depth)) => *depth -= 1,
            None => {}
        }
    }

    /// Returns why a transaction must not begin: it contains a call that cannot be undone.
    pub(super) fn uncovered(&self, block: &PlannedBlock) -> Option<String> {
        let calls = block.bodies[0].iter().filter_map(|item| match item {
            BodyItem::Call(call) => Some(call),
            _ => None,
        });
        calls
            .filter_map(|call| Some((call.id(), self.flaw_in_transaction(call)?)))
            .next()
            .map(|(id, why)| format!("`{id}` {why}; nothing was started"))
    }

    fn flaw_in_transaction(&self, call: &Call) -> Option<&'static str> {
        let action = call.action();
        if action.is_some_and(|action| action.mode == CallMode::FireAndForget) {
            return Some("is `fire_and_forget`, and a transaction waits for all that is in it");
        }
        let is_covered = action.is_some_and(|action| action.compensate.is_some())
            || self.cover(call) != UndoCover::Missing;
        (!is_covered).then_some(
            "cannot be taken back: give it a `compensate`, or move it out of the transaction",
        )
    }

    fn cover(&self, call: &Call) -> UndoCover {
        self.coverage.as_ref().map_or(UndoCover::Missing, |coverage| coverage.cover(call))
    }

    /// Records the undo of a call that starts. The names in its `compensate` have their present
    /// meaning.
    pub(super) fn note_undo(&mut self, index: usize) {
        let Some(call) = &self.nodes[index].call else { return };
        let undo = match call.action().and_then(|action| action.compensate.as_deref()) {
            Some(compensation) => Some(self.undo_by_call(index, compensation)),
            None => (self.cover(call) == UndoCover::ByTool).then(CallUndo::by_tool),
        };
        let rollback = self.nodes[index].rollback.get_or_insert_default();
        rollback.undo = rollback.undo.take().or(undo);
    }

    fn undo_by_call(&self, index: usize, compensation: &Compensation) -> CallUndo {
        let (mut values, mut own) = (BTreeMap::new(), Vec::new());
        for name in names_in(compensation.args.as_str()) {
            match self.outputs.find(&name) {
                Some(Source::Preset(preset)) => {
                    values.insert(name, self.outputs.preset_value(preset).clone());
                }
                Some(Source::Call(call)) if call == index => own.push(name),
                Some(Source::Call(call)) => {
                    let value = self.nodes[call].value().map(|value| value.into_owned());
                    values.extend(value.map(|value| (name, value)));
                }
                None => {}
            }
        }
        CallUndo::by_call(compensation.clone(), values, own)
    }

    /// Returns whether a block cannot end before something in it is stopped or undone.
    pub(super) fn must_wait_for(&self, index: usize) -> bool {
        let node = &self.nodes[index];
        let Some(block) = node.block.as_deref() else { return false };
        matches!(node.state, NodeState::Open)
            && (block.is_transaction() || block.has_open_transactions())
    }

    /// Ends a block that has begun, or marks it to end later: running calls of a transaction are
    /// stopped first, and its finished ones are undone.
    pub(super) fn conclude(&mut self, index: usize, end: BlockOutcome) {
        let Some(block) = self.nodes[index].block.as_deref() else { return };
        if block.ending.is_some() {
            return;
        }
        let is_bad = end.how != CallEnd::Ok;
        let must_wait = (block.is_transaction() && is_bad && !block.children.is_empty())
            || block.has_open_transactions();
        if !must_wait {
            return self.end_block(index, end);
        }
        let id = self.nodes[index].id.clone();
        self.with_block(index, |plan, block| {
            let why = match end.how {
                CallEnd::Cancelled => end.why.clone(),
                _ => format!("cancelled: `{id}`, which it is in, did not succeed"),
            };
            block.ending = Some(end);
            for child in block.children.iter_mut().filter(|child| child.body != UNDO) {
                child.plan.cancel("cancelled", &why);
                plan.take_over(&mut child.plan);
            }
        });
    }

    /// Returns the end of a block whose end is decided, once nothing in it runs any more and its
    /// calls are undone.
    pub(super) fn follow_ending(
        &mut self,
        block: &mut PlannedBlock,
        changes: &mut bool,
    ) -> Option<BlockOutcome> {
        if block.bodies_mut().any(|child| child.plan.is_unsettled()) {
            return None;
        }
        let end = block.ending.clone()?;
        if !block.is_transaction() || end.how == CallEnd::Ok {
            return Some(end);
        }
        let Some(undo) = block.children.iter().find(|child| child.body == UNDO) else {
            let undo = self.undo_plan(block);
            block.children.push(BlockChild { plan: undo, body: UNDO, is_over: false });
            *changes = true;
            return None;
        };
        undo.plan.is_settled().then(|| {
            let why = format!("{}; {}", end.why, undo.plan.undo_report());
            BlockOutcome { why, ..end }
        })
    }

    /// Returns the plan of the calls that undo a transaction's calls, the last one first.
    fn undo_plan(&mut self, block: &mut PlannedBlock) -> Self {
        let mut targets = Vec::new();
        block.bodies_mut().for_each(|child| child.plan.add_targets(&mut targets));
        targets.sort_by_key(|target| std::cmp::Reverse(target.ended_at));
        let mut undo = self.child("");
        targets.into_iter().for_each(|target| undo.push_undo(target));
        self.take_over(&mut undo);
        undo
    }

    /// Returns whether something in this plan has not ended, or may still run.
    fn is_unsettled(&self) -> bool {
        self.nodes.iter().any(|node| {
            let is_open = !node.is_proxy && !node.is_ended();
            let block = node.block.as_deref();
            is_open
                || node.is_stopping()
                || block.is_some_and(|it| it.children.iter().any(|child| child.plan.is_unsettled()))
        })
    }
}

impl PlannedBlock {
    /// Returns whether a transaction in it has begun and not ended.
    pub(crate) fn has_open_transactions(&self) -> bool {
        self.children.iter().any(|child| {
            child.plan.nodes.iter().any(|node| {
                node.block.as_deref().is_some_and(|block| {
                    let is_open = matches!(node.state, NodeState::Open);
                    (block.is_transaction() && is_open) || block.has_open_transactions()
                })
            })
        })
    }
}
