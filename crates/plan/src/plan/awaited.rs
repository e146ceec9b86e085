//! The calls of transactions that were stopped and may still run, and the end of all patience (P-32).
//!
//! Another module decides which calls are undone.

use super::Plan;
use super::block::UNDO;
use super::node::NodeState;

impl Plan {
    /// Returns the ids of the [awaited](crate::PlanDecision::Await) calls, including those in
    /// blocks.
    pub fn awaited(&self) -> Vec<String> {
        let mut ids = Vec::new();
        self.add_awaited(&mut ids);
        ids
    }

    fn add_awaited(&self, ids: &mut Vec<String>) {
        for node in &self.nodes {
            if node.is_stopping() {
                ids.push(node.id.clone());
            }
            let children = node.block.iter().flat_map(|block| &block.children);
            children.for_each(|child| child.plan.add_awaited(ids));
        }
    }

    /// Takes the end of a call for which a [`PlanDecision::Await`](crate::PlanDecision::Await)
    /// waits, once it no longer runs. `has_run` is whether its tool has begun.
    pub fn stopped(&mut self, id: &str, has_run: bool) {
        self.with_call(
            id,
            |state| matches!(state, NodeState::Ended(..)),
            |plan, index| {
                if let Some(rollback) = &mut plan.nodes[index].rollback {
                    rollback.is_stopping = false;
                    rollback.has_run |= has_run;
                    rollback.may_be_done |= has_run;
                }
            },
        );
        self.advance();
    }

    /// Ends the calls that take others back, because their time is over. Effects that they have not
    /// undone stay, and the results of their transactions say so.
    pub fn give_up_rollback(&mut self, why: &str) {
        self.end_undo(why);
        self.advance();
    }

    fn end_undo(&mut self, why: &str) {
        for index in self.blocks.clone() {
            self.with_block(index, |plan, block| {
                for child in &mut block.children {
                    child.plan.end_undo(why);
                    if child.body == UNDO {
                        child.plan.cancel("not undone", why);
                        child.plan.forget_awaited();
                    }
                    plan.take_over(&mut child.plan);
                }
            });
        }
    }

    /// Waits for none of its calls.
    fn forget_awaited(&mut self) {
        self.decisions.clear();
        let nodes = self.nodes.iter_mut().filter_map(|node| node.rollback.as_mut());
        nodes.for_each(|rollback| rollback.is_stopping = false);
    }
}
