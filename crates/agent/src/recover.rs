//! The calls that an earlier run left open, and their results.
//!
//! An open call was either never started, or started with an unknown outcome. Some of the latter
//! may be run again, which the module `repeat` does.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{ActionAttributes, Call, CallResult, Event};
use silcrow_store::{Error, OpenCalls, imported};
use silcrow_tool::{CallContext, Scope, Toolbox};

use crate::log::Log;
use crate::marks::CallClaim;
use crate::names;
use crate::questions::ParkedTurn;

/// A call that an earlier run left open.
pub(crate) struct OpenCall {
    pub(crate) call: Call,
    pub(crate) state: OpenCallState,
    /// The finished part, in a sentence.
    pub(crate) finished: Option<String>,
}

/// The state in which an earlier run left a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenCallState {
    NotStarted,
    /// The call was started and its outcome is unknown.
    Unknown,
    /// The call was started and may be run again: its tool is declared read-only or idempotent.
    Repeatable,
}

/// Returns the open calls of a log, by turn. Once their results are stored, the history is valid
/// again (P-28).
///
/// If an open call has its own conversation, like the call of an agent, this function stores the
/// results that are missing there. A call that was not started is claimed, so that no other owner
/// of the conversation starts it. An imported call counts as not started, even if this store has a
/// mark of its start. The calls of the `parked` turns that were not started, or that wait for
/// answers inside them, stay open; if the turn continues in a loop, only the calls of the loop do.
/// Calls that take other calls back also stay open, and start again (P-32). With a `scope`, the
/// tool of a call that was started finishes half-done work.
///
/// # Errors
///
/// Returns an error if the log belongs to another user, or if the store fails.
pub(crate) async fn recover(
    log: &Log<'_>,
    tools: &Toolbox,
    parked: &[ParkedTurn],
    scope: Option<&Scope>,
) -> Result<BTreeMap<u32, Vec<OpenCall>>, Error> {
    log.owned()?;
    let mut calls = OpenCalls::default();
    for (entry, position) in log.positioned() {
        calls.apply(entry, |call| (call, position));
    }
    let imported = imported::head(log.store(), log.conversation()).await?;
    let mut open: BTreeMap<u32, Vec<OpenCall>> = BTreeMap::new();
    for (turn, _, (call, position)) in calls.into_calls() {
        if call.action().is_some_and(|action| action.undoes.is_some()) {
            continue;
        }
        let mut finished = None;
        let fate = if position <= imported {
            CallClaim::NotStarted
        } else if let Some(parked) = parked.iter().find(|parked| parked.has_open(turn, call)) {
            match log.fate(turn, call.id()).await? {
                Some(fate) if !parked.waits_inside(call.id()) => fate,
                _ => continue,
            }
        } else {
            log.claim(turn, call.id()).await?
        };
        let state = match fate {
            CallClaim::NotStarted => OpenCallState::NotStarted,
            CallClaim::Started => {
                if let Some(scope) = scope {
                    finished = finish(scope, tools, turn, call).await;
                }
                inside(log, turn, call.id()).await?;
                match is_repeatable(call, tools) {
                    true => OpenCallState::Repeatable,
                    false => OpenCallState::Unknown,
                }
            }
        };
        open.entry(turn).or_default().push(OpenCall { call: call.clone(), state, finished });
    }
    Ok(open)
}

impl OpenCall {
    /// Returns the result of a call that is not run again, or whose second run was stopped.
    pub(crate) fn outcome(&self) -> CallResult {
        let (summary, why) = match self.state {
            OpenCallState::NotStarted => {
                ("not started", "not started: the run ended before this call began")
            }
            OpenCallState::Unknown => (
                "interrupted: outcome unknown",
                "interrupted: the call was started and its outcome is unknown; it was not run again",
            ),
            OpenCallState::Repeatable => (
                "interrupted: outcome unknown",
                "interrupted: the call was started and its outcome is unknown; the run was stopped \
                 before it had run again",
            ),
        };
        let why = match &self.finished {
            Some(finished) => format!("{why}. {finished}"),
            None => why.to_owned(),
        };
        CallResult::framework_failure(self.call.id(), Some(self.call.name()), summary, why)
    }
}

/// Lets the tool of a call finish the work that an earlier process left half done.
async fn finish(scope: &Scope, tools: &Toolbox, turn: u32, call: &Call) -> Option<String> {
    let kind = call.action().map(|action| action.kind).unwrap_or_default();
    let tool = tools.get_as(kind, call.name())?;
    let scope = scope.clone().with_turn(turn).with_repeated();
    let context = CallContext::new(scope, call.id());
    match AssertUnwindSafe(tool.recover(&context)).catch_unwind().await {
        Ok(Ok(finished)) => finished,
        Ok(Err(why)) => Some(format!("It could not be finished: {why}")),
        Err(_) => Some("It could not be finished: its tool panicked".to_owned()),
    }
}

/// Returns whether a call may be run again. A call that needs approval may not, and neither may one
/// that used outputs of other calls, because those outputs may be lost.
fn is_repeatable(call: &Call, tools: &Toolbox) -> bool {
    let action = call.action();
    let takes =
        |action: &ActionAttributes| !action.depends_on.is_empty() || call.args().contains('$');
    !action.is_some_and(takes) && may_repeat(call, tools)
}

/// Returns whether the tool of a call may run it again.
pub(crate) fn may_repeat(call: &Call, tools: &Toolbox) -> bool {
    let action = call.action();
    let kind = action.map(|action| action.kind).unwrap_or_default();
    tools.get_as(kind, call.name()).is_some_and(|tool| {
        // A policy that panics declares nothing.
        let policy = catch_unwind(AssertUnwindSafe(|| tool.policy()));
        policy.is_ok_and(|policy| policy.is_repeatable())
    })
}

/// Stores results for the open calls in the conversations of a call, and recursively for theirs.
fn inside<'a>(outer: &'a Log<'_>, turn: u32, id: &'a str) -> BoxFuture<'a, Result<(), Error>> {
    async move {
        // The tools of those conversations are not known here.
        let tools = Toolbox::new();
        for name in names::conversations(outer.conversation(), turn, id) {
            if outer.store().head(&name).await? == 0 {
                break;
            }
            let hold = outer.store().hold(&name).await?;
            let mut log = Log::read(outer.store(), &name, outer.user()).await?;
            // The name may belong to another user's conversation, by chance or on purpose.
            if log.owned().is_ok() {
                for (turn, open) in recover(&log, &tools, &[], None).await? {
                    let results = open.iter().map(|open| Event::Result(open.outcome()));
                    log.append(turn, results.collect()).await?;
                }
            }
            hold.release().await;
        }
        Ok(())
    }
    .boxed()
}
