//! The reports of a runner about its calls.

use silcrow_event::{CallChanges, CallResult, Entry, Progress};
use silcrow_tool::ApprovalDecision;

use crate::approved::ApprovalSubject;

/// A report of a [`Runner`](crate::Runner) about one of its calls. The last report about an attempt
/// is its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallUpdate {
    /// An approver will be asked about a call. The next call of
    /// [`Runner::next`](crate::Runner::next) asks, so that this can be stored before.
    Asked {
        /// The call's id.
        id: String,
        /// The subject of the request.
        subject: ApprovalSubject,
    },
    /// An approver will be asked about a call for an item of a loop, and the request can be about the
    /// other items, too. A [`CallDriver`](crate::CallDriver) takes this itself.
    AsksAboutItem {
        /// The call's id.
        id: String,
    },
    /// The approver leaves the question about a call open, or such a question inside of it.
    Parked {
        /// The call's id.
        id: String,
    },
    /// The approver answered.
    Answered {
        /// The call's id.
        id: String,
        /// The subject of the request.
        subject: ApprovalSubject,
        /// The answer.
        answer: ApprovalDecision,
        /// The scope that an approval for the conversation covers.
        scope: String,
    },
    /// An attempt at a call begins: the call is in the journal, and its tool runs now. Only a
    /// runner [that is asked to](crate::Runner::with_start_updates) reports this.
    Started {
        /// The call's id.
        id: String,
        /// The number of the attempt, from 1.
        attempt: u32,
        /// The arguments, a JSON object, with outputs in place of names (P-26).
        args: String,
    },
    /// A call gets its result from the recorded conversation, and its tool does not run
    /// ([`Runner::with_recorded`](crate::Runner::with_recorded)).
    Recorded {
        /// The call's id.
        id: String,
    },
    /// A running call reports progress.
    Progress(Progress),
    /// A call has changed files. Its end follows.
    Changed(CallChanges),
    /// An event of an agent that a call runs.
    AgentEvent(Box<Entry>),
    /// A call that was to be [awaited](crate::Runner::stop_and_await) no longer runs.
    Stopped {
        /// The call's id.
        id: String,
        /// Whether its tool may have begun.
        has_run: bool,
    },
    /// An attempt at a call has ended.
    Ended(CallOutcome),
}

/// The end of an attempt at a call.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_event::Call;
/// use silcrow_exec::{CallUpdate, Runner};
/// use silcrow_plan::{Plan, PlanDecision};
/// use silcrow_tool::{DenyAll, Toolbox};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut plan = Plan::new();
/// plan.push(Call::parse("a1", r#"{"name":"add"}"#).unwrap());
/// plan.reach_execution_point();
/// let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
/// let mut runner = Runner::new(Arc::new(Toolbox::new()), Arc::new(DenyAll));
/// runner.start(ready);
/// let Some(CallUpdate::Ended(ended)) = runner.next().await else { panic!() };
/// // There is no such tool, so nothing ran and another attempt would not help.
/// assert!(!ended.has_run && ended.retries.is_none());
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an id, an outcome, and whether to try again")]
pub struct CallOutcome {
    /// The call's id.
    pub id: String,
    /// The result of the attempt.
    pub outcome: CallResult,
    /// The number of attempts after the first that the tool allows, if another one could mend the
    /// failure.
    pub retries: Option<u32>,
    /// Whether the tool has run, as opposed to a call that was denied or does not fit its tool.
    pub has_run: bool,
}
