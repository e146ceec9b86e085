//! The control blocks that are open in the text of a turn.
//!
//! A call in a loop is a template: its instances are calls. This module finds the templates.

use std::collections::BTreeSet;

use silcrow_event::{
    ActionAttributes, BlockMark, Call, CallResult, ControlKind, Event, InvalidCall,
};
use silcrow_plan::Plan;

/// The blocks that are open, and the invalid calls in loops.
#[derive(Debug, Default)]
pub(crate) struct BlockNesting {
    /// For each open block whether it is a loop.
    open: Vec<bool>,
    /// The ids of calls in loops that cannot run. Their instances have no results of their own.
    invalid: BTreeSet<String>,
}

impl BlockNesting {
    /// Returns whether calls that are written here are templates of instances.
    pub(crate) fn is_in_loop(&self) -> bool {
        self.open.contains(&true)
    }

    /// Takes a part of a block, which the plan gets too.
    pub(crate) fn push(&mut self, mark: BlockMark, plan: &mut Plan) {
        match mark {
            BlockMark::Begin(block) => {
                if block.kind.has_body() {
                    self.open.push(matches!(block.kind, ControlKind::ForEach { .. }));
                }
                plan.open_block(block);
            }
            BlockMark::Otherwise { .. } => plan.otherwise(),
            BlockMark::End { .. } => {
                self.open.pop();
                plan.close_block();
            }
            // Only a log has it.
            _ => {}
        }
    }

    /// Returns the event of a call at this place.
    pub(crate) fn event_of(&self, call: Call) -> Event {
        match self.is_in_loop() {
            true => Event::Block(BlockMark::Template(call)),
            false => Event::Call(call),
        }
    }

    /// Takes a call at this place that cannot run. Returns its result if it is in a loop: its instances
    /// fail, and the model reads once why.
    pub(crate) fn push_invalid(&mut self, bad: &InvalidCall) -> Option<Event> {
        if !self.is_in_loop() {
            return None;
        }
        self.invalid.insert(bad.id.clone());
        let summary = if bad.truncated { "truncated call" } else { "malformed call" };
        Some(Event::Result(CallResult::framework_failure(&*bad.id, None, summary, &*bad.why)))
    }

    /// Returns whether this is an instance of a call that cannot run.
    pub(crate) fn is_invalid(&self, id: &str) -> bool {
        !self.invalid.is_empty()
            && id.rsplit_once("].").is_some_and(|(_, call)| self.invalid.contains(call))
    }
}

/// Returns a call that says in which transactions it is, so that a rollback survives a crash (P-32).
pub(crate) fn within_transactions(call: Call, plan: &Plan) -> Call {
    let transactions: Vec<_> = plan.open_transactions().map(str::to_owned).collect();
    if transactions.is_empty() {
        return call;
    }
    let action = call.action().cloned().unwrap_or_default();
    call.with_action(ActionAttributes { transactions, ..action })
}
