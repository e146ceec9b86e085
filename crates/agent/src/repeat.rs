//! Repeats the calls that an earlier run started and whose outcome is unknown (P-28).
//!
//! The calls keep their ids, and their mark as started is already stored.

use std::collections::HashMap;
use std::sync::Arc;

use silcrow_event::{CallResult, Event};
use silcrow_exec::{Budget, CallDriver, CallUpdate, DriverEvent};
use silcrow_plan::Plan;
use silcrow_tool::{Scope, Toolbox};

use crate::parts::AgentParts;
use crate::recover::{OpenCall, OpenCallState};
use crate::runner::unmarked;
use crate::sink::OutputSink;

/// Runs the repeatable calls among the open calls of a turn, and returns the result of each by id.
/// A call that is stopped before its end has no result.
pub(crate) async fn repeat_calls(
    parts: &AgentParts,
    tools: &Arc<Toolbox>,
    scope: &Scope,
    turn: u32,
    open: &[OpenCall],
    sink: &mut OutputSink<'_>,
) -> HashMap<String, CallResult> {
    // No approval is stored here, so requests of a running call are denied.
    let runner = unmarked(parts, tools, &scope.clone().with_repeated(), &sink.log, turn)
        .without_wall_questions();
    let mut driver = CallDriver::new(Plan::with_limits(parts.options.plan), runner);
    for OpenCall { call, .. } in open.iter().filter(|open| open.state == OpenCallState::Repeatable)
    {
        driver.plan_mut().push_early(call.clone());
    }
    driver.start();
    // A call that waits for answers inside it has no result here.
    while driver.plan().is_running() && !driver.is_parked() {
        let event = tokio::select! {
            biased;
            () = scope.cancellation.cancelled() => break,
            () = expired(scope) => break,
            () = sink.flush(), if sink.is_behind() => continue,
            event = driver.next() => event,
        };
        match event {
            Some(DriverEvent::Advanced) => driver.start(),
            Some(DriverEvent::Reported(CallUpdate::Progress(progress))) => {
                sink.pass(turn, Event::Progress(progress));
            }
            Some(DriverEvent::Reported(CallUpdate::Changed(changes))) => {
                sink.pass(turn, Event::Changes(changes));
            }
            Some(DriverEvent::Reported(CallUpdate::AgentEvent(entry))) => sink.pass_entry(&entry),
            // No approval is asked for: a call that needs one is not run again.
            Some(_) => {}
            None => break,
        }
    }
    let ids = open.iter().map(|open| open.call.id());
    let results = ids.filter_map(|id| Some((id.to_owned(), driver.plan().outcome(id)?.clone())));
    let results = results.collect();
    driver.cancel("cancelled", "cancelled: the run was stopped");
    driver.drain(&mut |_| {}).await;
    results
}

/// Waits until the run's time limit is reached.
async fn expired(scope: &Scope) {
    match Budget::from_scope(scope) {
        Some(budget) => {
            budget.expired().await;
        }
        None => std::future::pending().await,
    }
}
