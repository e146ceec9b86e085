//! The state of one call in a plan.
//!
//! A node has the calls that it waits for and its number of attempts. The plan has the order of the
//! calls and the limits of the turn.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use silcrow_event::{
    ActionAttributes, Call, CallEnd, CallMode, CallResult, Json, OnError, ResultOrigin,
    ResultStatus,
};
use smallvec::SmallVec;

use super::block::PlannedBlock;
use crate::decision::ReadyCall;
use crate::outputs::Source;
use crate::substitute::FilledArgs;
use crate::undo::{CallUndo, UndoneCall};

/// A call of the turn and its state.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) id: String,
    /// The call; `None` if it cannot be run.
    pub(crate) call: Option<Call>,
    /// The control block, if it is one.
    pub(crate) block: Option<Box<PlannedBlock>>,
    /// Whether it only stands for a call of another plan, and has that call's end and output.
    pub(crate) is_proxy: bool,
    pub(crate) state: NodeState,
    /// Whether it waits for its execution point.
    pub(crate) held: bool,
    /// Whether it may start although its execution point has not come yet (P-23).
    pub(crate) early: bool,
    /// The calls that it waits for, including those that have ended.
    pub(crate) waits: SmallVec<[usize; 4]>,
    /// The number of the calls that it waits for and that have not ended.
    pub(crate) open_waits: usize,
    /// The ids that it waits for, but that no call has yet.
    pub(crate) unknown: SmallVec<[String; 1]>,
    /// The calls that wait for it.
    pub(crate) dependents: SmallVec<[usize; 4]>,
    /// The blocks that wait for its end, whatever its kind.
    pub(crate) observers: SmallVec<[usize; 1]>,
    /// The values that replace the names in its arguments.
    pub(crate) names: BTreeMap<String, Source>,
    /// The number of attempts made.
    pub(crate) attempts: u32,
    /// Its place in the order in which the calls of the turn end.
    pub(crate) ended_at: usize,
    /// The data for a rollback; only in a transaction.
    pub(crate) rollback: Option<Box<RollbackNode>>,
}

/// The data of a call for a rollback.
#[derive(Debug, Default)]
pub(crate) struct RollbackNode {
    /// Its undo, once it has started.
    pub(crate) undo: Option<CallUndo>,
    /// The call that it undoes.
    pub(crate) undoes: Option<UndoneCall>,
    /// Whether it has run, however it ended.
    pub(crate) has_run: bool,
    /// Whether it may have completed although it did not succeed.
    pub(crate) may_be_done: bool,
    /// Whether something of it may still run, although it has ended.
    pub(crate) is_stopping: bool,
}

#[derive(Debug, Default)]
pub(crate) enum NodeState {
    #[default]
    Waiting,
    Running,
    /// A block that has begun.
    Open,
    /// Between two attempts.
    Pausing,
    /// Ended, with the result until that is taken.
    Ended(CallEnd, Option<CallResult>),
}

impl Node {
    pub(crate) fn new(call: Call) -> Self {
        Self { id: call.id().to_owned(), call: Some(call), ..Self::default() }
    }

    /// Creates the node of a call that cannot run.
    pub(crate) fn bad(id: String) -> Self {
        Self { id, ..Self::default() }
    }

    /// Returns the name of the called thing, or the kind of a block.
    pub(crate) fn name(&self) -> Option<&str> {
        let block = self.block.as_ref().map(|block| block.head.kind.as_str());
        self.call.as_ref().map(Call::name).or(block)
    }

    pub(crate) fn action(&self) -> Option<&ActionAttributes> {
        self.call.as_ref()?.action()
    }

    /// Returns the name that its output is bound to besides its id.
    pub(crate) fn output_key(&self) -> Option<&String> {
        match &self.block {
            Some(block) => block.head.output_key.as_ref(),
            None => self.action()?.output_key.as_ref(),
        }
    }

    /// Returns the ids that the call depends on, as written.
    pub(crate) fn depends_on(&self) -> &[String] {
        self.action().map_or(&[], |action| &action.depends_on)
    }

    /// Returns the mode. Calls of a batch do not wait for each other, and a block is a barrier.
    pub(crate) fn mode(&self) -> CallMode {
        if self.block.is_some() {
            return CallMode::Sync;
        }
        self.action().map_or(CallMode::Async, |action| action.mode)
    }

    /// Returns whether the turn waits for it, and whether other calls may.
    pub(crate) fn is_awaited(&self) -> bool {
        self.mode() != CallMode::FireAndForget
    }

    pub(crate) fn is_ended(&self) -> bool {
        matches!(self.state, NodeState::Ended(..))
    }

    /// Returns whether it could start now, the limits of the plan aside.
    pub(crate) fn is_free(&self) -> bool {
        matches!(self.state, NodeState::Waiting)
            && !self.held
            && self.open_waits == 0
            && self.unknown.is_empty()
    }

    /// Returns whether its failure cancels the turn's other calls (P-20).
    pub(crate) fn fails_the_turn(&self) -> bool {
        self.action().is_some_and(|action| action.on_error == Some(OnError::Fail))
    }

    /// Returns whether it makes the body fail that it is in. A call whose `on_error` is an explicit
    /// `skip` does not.
    pub(crate) fn fails_its_body(&self) -> bool {
        let is_excused = self.action().is_some_and(|action| action.on_error == Some(OnError::Skip));
        let has_failed =
            matches!(self.state, NodeState::Ended(CallEnd::Failed | CallEnd::Cancelled, _));
        has_failed && !is_excused
    }

    /// Returns whether it takes another call back.
    pub(crate) fn is_undo(&self) -> bool {
        self.rollback.as_ref().is_some_and(|rollback| rollback.undoes.is_some())
    }

    /// Returns whether something of it may still run, although it has ended.
    pub(crate) fn is_stopping(&self) -> bool {
        self.rollback.as_ref().is_some_and(|rollback| rollback.is_stopping)
    }

    /// Records that it has run, and its result.
    pub(crate) fn note_outcome(&mut self, outcome: &CallResult) {
        if let Some(rollback) = &mut self.rollback {
            rollback.has_run = true;
            let is_told = outcome.origin() == ResultOrigin::Tool;
            rollback.may_be_done |= outcome.status() == ResultStatus::Failure && !is_told;
        }
    }

    pub(crate) fn ended_well(&self) -> bool {
        matches!(self.state, NodeState::Ended(CallEnd::Ok, _))
    }

    /// Returns the output, once the call has succeeded.
    pub(crate) fn value(&self) -> Option<Cow<'_, Json>> {
        match &self.state {
            NodeState::Ended(CallEnd::Ok, Some(outcome)) => outcome.value(),
            _ => None,
        }
    }

    /// Returns the pause before the next attempt, or `None` if no attempt is left (P-20). The
    /// number of attempts is the call's, or `of_tool` if the call declares none, and at most
    /// `most`.
    pub(crate) fn pause(&self, of_tool: u32, most: u32) -> Option<Duration> {
        const FIRST: Duration = Duration::from_millis(100);
        const LONGEST: Duration = Duration::from_secs(30);
        let failed = self.attempts;
        (failed <= self.retries().unwrap_or(of_tool).min(most))
            .then(|| FIRST.saturating_mul(1 << failed.saturating_sub(1).min(16)).min(LONGEST))
    }

    /// Returns the number of attempts after the first that the call asks for (P-20).
    fn retries(&self) -> Option<u32> {
        let action = self.action()?;
        match action.on_error {
            Some(OnError::Retry) => action.retry.or(Some(3)),
            _ => action.retry,
        }
    }

    /// Begins the next attempt.
    pub(crate) fn attempt(&mut self, args: FilledArgs, most_retries: u32) -> ReadyCall {
        self.attempts += 1;
        self.state = NodeState::Running;
        let action = self.action();
        ReadyCall {
            id: self.id.clone(),
            name: self.name().unwrap_or_default().to_owned(),
            args,
            item_of: None,
            kind: action.map(|action| action.kind).unwrap_or_default(),
            mode: self.mode(),
            timeout: action.and_then(|action| action.timeout),
            attempt: self.attempts,
            retries: self.retries(),
            most_retries,
            is_in_transaction: self.rollback.is_some(),
            undo: self.rollback.as_ref().and_then(|rollback| rollback.undo.clone()),
            undoes: self.rollback.as_ref().and_then(|rollback| rollback.undoes.clone()),
        }
    }
}
