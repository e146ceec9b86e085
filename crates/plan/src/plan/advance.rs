//! The effects in blocks of an end, a beginning or new text.
//!
//! A block passes ends from outside to its bodies, passes on their reports and decisions, and ends
//! when they have. This repeats until nothing changes.

use std::time::Duration;

use silcrow_event::{CallEnd, ControlKind, OnError, ParallelJoin};
use silcrow_expression::ExpressionValue;

use super::Plan;
use super::block::{BlockOutcome, PlannedBlock};
use super::node::{Node, NodeState};
use crate::decision::{PlanDecision, PlanUpdate, ReadyCall};

impl Plan {
    /// Begins all blocks that may begin, and advances those that have begun.
    pub(super) fn advance(&mut self) {
        let mut changes = !self.live.is_empty() || !self.ready_blocks.is_empty();
        while std::mem::take(&mut changes) {
            while let Some(&next) = self.ready_blocks.first()
                && !self.is_barred(next)
            {
                self.ready_blocks.remove(&next);
                self.begin_block(next);
                changes = true;
            }
            for index in self.live.clone() {
                let ended = self.with_block(index, |plan, block| {
                    changes |= plan.advance_bodies(block);
                    if !matches!(plan.nodes[index].state, NodeState::Open) {
                        return None;
                    }
                    if block.ending.is_some() {
                        let end = plan.follow_ending(block, &mut changes);
                        return end.map(|end| (end, true));
                    }
                    let end = judge(block, plan.halted.is_some() || block.is_cut);
                    changes |= end.is_none() && plan.begin_instances(block);
                    end.map(|end| (end, false))
                });
                if let Some((end, is_over)) = ended.flatten() {
                    changes = true;
                    match is_over {
                        true => self.end_block(index, end),
                        false => self.conclude(index, end),
                    }
                }
            }
            let nodes = &self.nodes;
            let is_live = |index: &usize| {
                let node = &nodes[*index];
                !node.is_ended() || node.block.as_ref().is_some_and(|block| !block.is_over())
            };
            self.live.retain(is_live);
        }
    }

    /// Ends the time of a [`PlanDecision::Time`]: calls that still run in the block are cancelled.
    /// A block that has ended stays as it is.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use silcrow_event::Call;
    /// use silcrow_plan::{ControlBlock, ControlKind, ParallelJoin, Plan, PlanDecision};
    ///
    /// let (join, timeout) = (ParallelJoin::All, Some(Duration::from_secs(5)));
    /// let mut plan = Plan::new();
    /// plan.open_block(ControlBlock::new("p", ControlKind::Parallel { join, max: None, timeout }));
    /// plan.push(Call::parse("slow", r#"{"name":"fetch"}"#).unwrap().with_action(Default::default()));
    /// plan.close_block();
    ///
    /// let Some(PlanDecision::Time { id, .. }) = plan.decide() else { panic!() };
    /// assert!(matches!(plan.decide(), Some(PlanDecision::Start(_))));
    /// plan.time_out(&id);
    /// assert_eq!(plan.decide(), Some(PlanDecision::Stop { id: "slow".to_owned() }));
    /// assert_eq!(plan.outcome("p").unwrap().failure_text(), "not done after 5 s");
    /// ```
    pub fn time_out(&mut self, id: &str) {
        self.with_call(
            id,
            |state| matches!(state, NodeState::Open),
            |plan, index| {
                let end = plan.with_block(index, |_, block| timed_out(block)).flatten();
                end.into_iter().for_each(|end| plan.conclude(index, end));
            },
        );
        self.advance();
    }

    /// Advances the bodies of a block. Returns whether they reported something.
    fn advance_bodies(&mut self, block: &mut PlannedBlock) -> bool {
        let mut changes = false;
        for child in &mut block.children {
            self.pay_back(&mut child.plan);
            child.plan.advance();
            changes |= self.take_over(&mut child.plan);
            child.is_over |= block.is_closed && child.plan.is_settled();
        }
        changes
    }

    /// Returns the next attempt that may start, in this plan or in a block of it.
    pub(super) fn next_start(&mut self) -> Option<ReadyCall> {
        loop {
            if self.running_in_all() >= self.limits.max_parallel || self.has_new_instances() {
                return None;
            }
            if let Some(next) = self.startable() {
                self.ready.remove(&next);
                if let Some(ready) = self.start(next) {
                    return Some(ready);
                }
                self.advance();
                continue;
            }
            let mut changes = false;
            for index in self.live.clone() {
                let ready = self.with_block(index, |plan, block| {
                    block.children.iter_mut().find_map(|child| {
                        let ready = child.plan.next_start();
                        changes |= plan.take_over(&mut child.plan);
                        ready
                    })
                });
                if let Some(ready) = ready.flatten() {
                    return Some(ready);
                }
            }
            if !changes {
                return None;
            }
            self.advance();
        }
    }

    /// Returns whether an instance of a call was not reported yet. It is stored before it starts.
    fn has_new_instances(&self) -> bool {
        !self.live.is_empty()
            && self.updates.iter().any(|update| matches!(update, PlanUpdate::Instance(_)))
    }

    /// Returns whether a call may start.
    pub(super) fn has_starts(&self) -> bool {
        self.running_in_all() < self.limits.max_parallel
            && !self.has_new_instances()
            && (self.startable().is_some() || self.inner_plans().any(Self::has_starts))
    }

    /// Returns the number of attempts that run, in this plan and in its blocks.
    fn running_in_all(&self) -> usize {
        self.running + self.inner_plans().map(Self::running_in_all).sum::<usize>()
    }

    /// Returns the plans of the bodies of the blocks that have begun.
    pub(super) fn inner_plans(&self) -> impl Iterator<Item = &Self> {
        let blocks = self.live.iter().filter_map(|index| self.nodes[*index].block.as_deref());
        blocks.flat_map(|block| block.children.iter().map(|child| &child.plan))
    }

    /// Takes a decision that was made, in this plan or in a block of it.
    pub(super) fn next_decision(&mut self) -> Option<PlanDecision> {
        if let Some(decision) = self.decisions.pop_front() {
            return Some(decision);
        }
        let ready = self.next_start();
        // A start may have made other calls fail, whose attempts are stopped first.
        match (ready, self.decisions.pop_front()) {
            (Some(ready), Some(decision)) => {
                self.decisions.push_back(PlanDecision::Start(ready));
                Some(decision)
            }
            (Some(ready), None) => Some(PlanDecision::Start(ready)),
            (None, decision) => decision,
        }
    }
}

/// Returns the end of a block that has begun, if it ends. `is_halted` is whether nothing more
/// starts.
fn judge(block: &mut PlannedBlock, is_halted: bool) -> Option<BlockOutcome> {
    match &block.head.kind {
        ControlKind::Value { .. } => None,
        ControlKind::Choice { .. } => {
            let taken = block.children.iter().find(|child| child.plan.halted.is_none());
            let taken = taken.or_else(|| block.children.first())?;
            taken.is_over.then(|| cancelled(is_halted).unwrap_or_else(|| taken.plan.body_end()))
        }
        ControlKind::ForEach { on_error, .. } => {
            let is_done = block.children.len() == block.items.len() || is_halted;
            let mut outputs = Vec::with_capacity(block.children.len());
            for child in block.children.iter().filter(|child| child.is_over) {
                let end = child.plan.body_end();
                if end.how != CallEnd::Ok && *on_error == OnError::Fail {
                    return Some(cancelled(is_halted).unwrap_or(end));
                }
                outputs.push(end.value);
            }
            let is_over = is_done && outputs.len() == block.children.len();
            is_over.then(|| {
                cancelled(is_halted)
                    .unwrap_or_else(|| BlockOutcome::ok(ExpressionValue::List(outputs.into())))
            })
        }
        ControlKind::Transaction { .. } => {
            let child = block.children.first()?;
            let own = || child.plan.nodes.iter().filter(|node| !node.is_proxy && node.is_awaited());
            let has_failed = own().any(Node::fails_its_body);
            (has_failed || child.is_over).then(|| {
                let end = child.plan.body_end();
                cancelled(is_halted).filter(|_| end.how != CallEnd::Ok).unwrap_or(end)
            })
        }
        ControlKind::Parallel { join, .. } => {
            let child = block.children.first()?;
            let own = || child.plan.nodes.iter().filter(|node| !node.is_proxy && node.is_awaited());
            let decides = |node: &&Node| match join {
                ParallelJoin::All => node.fails_its_body(),
                ParallelJoin::Any => node.ended_well(),
                ParallelJoin::Race => node.is_ended(),
                ParallelJoin::Settled => false,
            };
            if let Some(end) = cancelled(is_halted).filter(|_| child.is_over) {
                return Some(end);
            }
            if let Some(node) = own().find(decides) {
                return Some(match node.value() {
                    Some(value) => BlockOutcome::ok(ExpressionValue::of_output(&value)),
                    None => BlockOutcome::failed(format!("`{}` {}", node.id, node.how_it_ended())),
                });
            }
            child.is_over.then(|| match join {
                ParallelJoin::Any => BlockOutcome::failed("none of its calls succeeded"),
                ParallelJoin::Race => BlockOutcome::ok(ExpressionValue::Null),
                ParallelJoin::All | ParallelJoin::Settled => outputs_of(&child.plan),
            })
        }
    }
}

/// Returns the end of a block whose time is over.
fn timed_out(block: &PlannedBlock) -> Option<BlockOutcome> {
    if block.ending.is_some() {
        return None;
    }
    let late = |timeout: &Duration| {
        BlockOutcome::failed(format!("not done after {} s", timeout.as_secs_f64()))
    };
    match &block.head.kind {
        ControlKind::Parallel { join: ParallelJoin::Settled, timeout: Some(_), .. } => {
            Some(outputs_of(&block.children.first()?.plan))
        }
        ControlKind::Parallel { timeout: Some(timeout), .. }
        | ControlKind::Transaction { timeout: Some(timeout) } => Some(late(timeout)),
        _ => None,
    }
}

/// Returns a good end whose output is the list of the outputs of a plan's calls and blocks, with
/// `null` for one without an output.
fn outputs_of(plan: &Plan) -> BlockOutcome {
    let own = plan.nodes.iter().filter(|node| !node.is_proxy && node.is_awaited());
    let value = |node: &Node| {
        node.value().map_or(ExpressionValue::Null, |value| ExpressionValue::of_output(&value))
    };
    BlockOutcome::ok(ExpressionValue::List(own.map(value).collect()))
}

/// Returns the end of a block in which nothing more starts.
fn cancelled(is_halted: bool) -> Option<BlockOutcome> {
    let why = "cancelled: nothing more in it starts";
    is_halted.then(|| BlockOutcome::cancelled(why))
}
