//! The calls that an earlier run left open, and their results.
//!
//! An open call was never started, or it was started and its outcome is unknown. Some of the latter
//! may be run again, which `again` does.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{ActionAttributes, Call, CallResult, Event};
use silcrow_exec::Toolbox;
use silcrow_store::{Error, OpenCalls, imported};

use crate::log::Log;
use crate::names;

/// A call that an earlier run left open.
pub(crate) struct OpenCall {
    pub(crate) call: Call,
    pub(crate) fate: Fate,
}

/// The state in which an earlier run left a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    NotStarted,
    /// It was started, and its outcome is unknown.
    Unknown,
    /// It was started, and may be run again: its tool is declared read-only or idempotent.
    Repeatable,
}

/// Returns the open calls of a log, by turn. Their results make the history valid again (P-28). What
/// such a call left open in a conversation of its own gets its results here.
///
/// A log of another user is an error: what is open there is not for this run. A call that was
/// imported from elsewhere counts as not started, whatever the marks in this store are.
pub(crate) async fn recover(
    log: &Log<'_>,
    tools: &Toolbox,
) -> Result<BTreeMap<u32, Vec<OpenCall>>, Error> {
    log.owned()?;
    let mut calls = OpenCalls::default();
    for (entry, position) in log.entries().iter().zip(1_u64..) {
        calls.push(entry, |call| (call, position));
    }
    let imported = imported::head(log.store(), log.conversation()).await?;
    let mut open: BTreeMap<u32, Vec<OpenCall>> = BTreeMap::new();
    for (turn, _, (call, position)) in calls.into_calls() {
        let fate = if position <= imported || !log.was_started(turn, call.id()).await? {
            Fate::NotStarted
        } else {
            inside(log, turn, call.id()).await?;
            if is_repeatable(call, tools) { Fate::Repeatable } else { Fate::Unknown }
        };
        open.entry(turn).or_default().push(OpenCall { call: call.clone(), fate });
    }
    Ok(open)
}

impl OpenCall {
    /// Returns the result of a call that is not run again, or not to its end.
    pub(crate) fn outcome(&self) -> CallResult {
        let (summary, why) = match self.fate {
            Fate::NotStarted => {
                ("not started", "not started: the run ended before this call began")
            }
            Fate::Unknown => (
                "interrupted: outcome unknown",
                "interrupted: the call was started and its outcome is unknown; it was not run again",
            ),
            Fate::Repeatable => (
                "interrupted: outcome unknown",
                "interrupted: the call was started and its outcome is unknown; the run was stopped \
                 before it had run again",
            ),
        };
        CallResult::framework_failure(self.call.id(), Some(self.call.name()), summary, why)
    }
}

/// Returns whether a call may be run again. A call that needs a person's yes may not, and neither
/// may one that used outputs of others, which may be gone.
fn is_repeatable(call: &Call, tools: &Toolbox) -> bool {
    let action = call.action();
    let takes =
        |action: &ActionAttributes| !action.depends_on.is_empty() || call.args().contains('$');
    if action.is_some_and(takes) {
        return false;
    }
    let kind = action.map(|action| action.kind).unwrap_or_default();
    tools.get_as(kind, call.name()).is_some_and(|tool| {
        // A policy that panics declares nothing.
        let policy = catch_unwind(AssertUnwindSafe(|| tool.policy()));
        policy.is_ok_and(|is| (is.read_only || is.idempotent) && !is.needs_approval)
    })
}

/// Stores results for what is open in the conversations of a call, and in those of its calls.
fn inside<'a>(outer: &'a Log<'_>, turn: u32, id: &'a str) -> BoxFuture<'a, Result<(), Error>> {
    async move {
        // The tools of those conversations are not known here.
        let tools = Toolbox::new();
        for name in names::conversations(outer.conversation(), turn, id) {
            let mut log = Log::read(outer.store(), &name, outer.user()).await?;
            if log.entries().is_empty() {
                break;
            }
            // A conversation of another user has the name by chance, or on purpose.
            if log.owned().is_err() {
                continue;
            }
            for (turn, open) in recover(&log, &tools).await? {
                let results = open.iter().map(|open| Event::Result(open.outcome()));
                log.append(turn, results.collect()).await?;
            }
        }
        Ok(())
    }
    .boxed()
}
