//! The calls that a loop will make for its other items, predicted before they start.
//!
//! This module plays the body for an item, in a plan that is never run.

use std::sync::Arc;

use super::Plan;
use super::block::PlannedBlock;
use super::node::NodeState;
use crate::decision::ReadyCall;

impl Plan {
    /// Returns the calls that the innermost loop around the call `id` will make for its other
    /// items, in their order: the same call, with their arguments. Items whose call has started, or
    /// has arguments that depend on another call of the body, are not among them. There are at most
    /// `most`, and none outside of a loop.
    ///
    /// So one question about a call can be about all items (P-30). They are not decisions to start:
    /// the plan starts each call in its time, or never.
    ///
    /// ```
    /// use silcrow_event::{Call, Json};
    /// use silcrow_plan::{ControlBlock, ControlKind, Plan, PlanDecision};
    ///
    /// let mut plan = Plan::new();
    /// plan.preset("people", Json::parse(r#"["Ada","Max","Eve"]"#).unwrap());
    /// plan.open_block(ControlBlock::new("each", ControlKind::ForEach {
    ///     items: "people".to_owned(),
    ///     item: "person".to_owned(),
    ///     index: None,
    ///     max_parallel: 1,
    ///     limit: ControlKind::LIMIT,
    ///     on_error: Default::default(),
    /// }));
    /// let mail = r#"{"name":"mail","args":{"to":"$person"}}"#;
    /// plan.push(Call::parse("send", mail).unwrap().with_action(Default::default()));
    /// while plan.next_update().is_some() {}
    ///
    /// // One runs at a time.
    /// let Some(PlanDecision::Start(first)) = plan.decide() else { panic!() };
    /// assert_eq!((first.id(), first.item_of()), ("each[0].send", Some("each[].send")));
    /// assert_eq!(plan.decide(), None);
    /// let others = plan.other_items(first.id(), 100);
    /// let told: Vec<_> = others.iter().map(|call| (call.id(), call.args())).collect();
    /// assert_eq!(told, [
    ///     ("each[1].send", r#"{"to":"Max"}"#),
    ///     ("each[2].send", r#"{"to":"Eve"}"#),
    /// ]);
    /// ```
    pub fn other_items(&self, id: &str, most: usize) -> Vec<ReadyCall> {
        let Some((plan, block)) = self.loop_around(id) else { return Vec::new() };
        let Some(item_of) = self.template_of(id) else { return Vec::new() };
        if plan.halted.is_some() || block.is_cut || block.ending.is_some() {
            return Vec::new();
        }
        let others = (0..block.items.len()).filter_map(|at| {
            let call = plan.foreseen(block, at, &item_of)?;
            let begun = block.children.get(at);
            let is_to_come = begun.is_none_or(|child| child.plan.is_waiting(call.id()));
            (is_to_come && call.id() != id).then_some(call)
        });
        others.take(most).collect()
    }

    /// Returns the id of a call of this plan, as its loops name it; `None` outside of loops.
    pub(super) fn item_of(&self, index: usize) -> Option<String> {
        let id = &self.nodes[index].id;
        let short = id.strip_prefix(&*self.prefix).unwrap_or(id);
        (!self.template.is_empty()).then(|| format!("{}{short}", self.template))
    }

    /// Returns the first attempt that a loop makes at a call for one item, if nothing has to end before.
    fn foreseen(&self, block: &PlannedBlock, at: usize, item_of: &str) -> Option<ReadyCall> {
        let mut play = self.item_body(block, at, |play| {
            // It is not counted.
            play.counts = Arc::default();
            play.limits.max_parallel = usize::MAX;
        });
        play.advance();
        loop {
            play.updates.clear();
            match play.next_start() {
                Some(ready) if ready.item_of() == Some(item_of) => return Some(ready),
                Some(_) => {}
                // Items of an inner loop start once they were reported.
                None if play.has_updates() => {}
                None => return None,
            }
        }
    }

    /// Returns the innermost loop around a call, with the plan that it is in.
    fn loop_around(&self, id: &str) -> Option<(&Self, &PlannedBlock)> {
        let blocks = self.live.iter().filter_map(|index| self.nodes[*index].block.as_deref());
        blocks.into_iter().find_map(|block| {
            let child = block.children.iter().find(|child| child.plan.template_of(id).is_some())?;
            let inner = child.plan.loop_around(id);
            inner.or_else(|| block.is_loop().then_some((self, block)))
        })
    }

    /// Returns the id of a call in this plan, or in a block of it, as its loops have it.
    fn template_of(&self, id: &str) -> Option<String> {
        let own = self.own(id).and_then(|index| self.item_of(index));
        own.or_else(|| self.inner_plans().find_map(|plan| plan.template_of(id)))
    }

    /// Returns whether a call in this plan, or in a block of it, has not started.
    fn is_waiting(&self, id: &str) -> bool {
        match self.own(id) {
            Some(index) => matches!(self.nodes[index].state, NodeState::Waiting),
            None => self.inner_plans().any(|plan| plan.is_waiting(id)),
        }
    }
}
