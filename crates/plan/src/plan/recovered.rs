//! The rollback of a transaction that an earlier process left unfinished (P-32).
//!
//! This module builds a plan of the calls, which its caller read from a log.

use silcrow_event::{CallKind, ControlBlock, ControlKind, Json};

use super::Plan;
use super::block::{BlockChild, BlockOutcome, PlannedBlock, UNDO};
use super::node::{Node, NodeState};
use super::undo_calls::UndoTarget;
use crate::limits::PlanLimits;
use crate::undo::{CallUndo, UndoneCall};

/// A call of a transaction that completed, or may have, and that has to be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "what a log and the mark of a start say of a call")]
pub struct RollbackCall {
    /// The id of the call.
    pub id: String,
    /// The kind of the called thing.
    pub kind: CallKind,
    /// The name of the called thing.
    pub name: String,
    /// Its undo.
    pub undo: CallUndo,
    /// Its output, if it succeeded.
    pub output: Option<Json>,
}

impl Plan {
    /// Creates the plan of a rollback: the calls that take these back, in their order, as the end of
    /// the transaction `id`. `why` is why that did not succeed.
    ///
    /// ```
    /// use silcrow_event::{CallKind, CallResult};
    /// use silcrow_plan::{CallUndo, Plan, PlanDecision, PlanLimits, RollbackCall};
    ///
    /// let call = RollbackCall {
    ///     id: "write".to_owned(),
    ///     kind: CallKind::Tool,
    ///     name: "file_write".to_owned(),
    ///     undo: CallUndo::by_tool(),
    ///     output: None,
    /// };
    /// let mut plan = Plan::of_rollback(PlanLimits::default(), "t", "interrupted", [call]);
    /// // The call that takes it back is stored, and then it starts.
    /// while plan.next_update().is_some() {}
    /// let Some(PlanDecision::Start(undo)) = plan.decide() else { panic!() };
    /// assert_eq!(undo.id(), "write~undo");
    /// plan.finish(undo.id(), CallResult::success(undo.id(), "undo", "removed", ""));
    /// let end = plan.outcome("t").unwrap().failure_text();
    /// assert_eq!(end, "interrupted; rolled back: `write`");
    /// ```
    pub fn of_rollback(
        limits: PlanLimits,
        id: &str,
        why: &str,
        calls: impl IntoIterator<Item = RollbackCall>,
    ) -> Self {
        let mut plan = Self::with_limits(limits);
        plan.text_ended = true;
        let mut block =
            PlannedBlock::new(ControlBlock::new(id, ControlKind::Transaction { timeout: None }));
        block.is_closed = true;
        block.ending = Some(BlockOutcome::failed(why));
        let mut undo = plan.child("");
        for call in calls {
            undo.push_undo(UndoTarget::from_rollback(call, limits.max_args_bytes));
        }
        plan.take_over(&mut undo);
        block.children.push(BlockChild { plan: undo, body: UNDO, is_over: false });
        let state = NodeState::Open;
        let node =
            Node { id: id.to_owned(), block: Some(Box::new(block)), state, ..Node::default() };
        let index = plan.insert(node);
        plan.live.push(index);
        plan.advance();
        plan
    }
}

impl UndoTarget {
    fn from_rollback(call: RollbackCall, max_args: usize) -> Self {
        let RollbackCall { id, kind, name, undo, output } = call;
        let undone = UndoneCall { id, kind, name, is_by_tool: true };
        Self::new(0, undone, &undo, output.as_ref(), max_args)
    }
}
