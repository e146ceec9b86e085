use std::collections::HashMap;

use silcrow_event::{CallResult, Event};
use silcrow_exec::{CallOutcome, CallUpdate, Scope};
use silcrow_plan::{Plan, PlanDecision};

use crate::parts::AgentParts;
use crate::recover::{Fate, OpenCall};
use crate::runner::unmarked;
use crate::sink::OutputSink;

/// Runs those calls of a turn again that may be, with the ids that they had, and returns what came
/// of each (P-28). Those that the stop sign stops are left out.
pub(crate) async fn again(
    parts: &AgentParts,
    scope: &Scope,
    turn: u32,
    open: &[OpenCall],
    tap: &mut OutputSink<'_>,
) -> HashMap<String, CallResult> {
    let mut outcomes = HashMap::new();
    // That they were started is marked already, and stays so.
    let mut runner = unmarked(parts, scope, &tap.log, turn);
    let mut plan = Plan::with_limits(parts.options.plan);
    for OpenCall { call, .. } in open.iter().filter(|open| open.fate == Fate::Repeatable) {
        plan.push_early(call.clone());
    }
    loop {
        while let Some(decision) = plan.decide() {
            if let PlanDecision::Start(ready) = decision {
                runner.start(ready);
            }
        }
        let news = tokio::select! {
            biased;
            () = scope.cancellation.cancelled() => break,
            () = expired(scope) => break,
            () = tap.flush(), if tap.is_behind() => continue,
            news = runner.next() => news,
        };
        match news {
            Some(CallUpdate::Ended(CallOutcome { id, outcome, .. })) => {
                plan.finish(&id, outcome.clone());
                outcomes.insert(id, outcome);
            }
            Some(CallUpdate::Progress(progress)) => tap.pass(turn, Event::Progress(progress)),
            Some(CallUpdate::Inner(entry)) => tap.pass_entry(&entry),
            // Nobody is asked: what needs a yes is not run again.
            Some(_) => {}
            None => break,
        }
    }
    runner.cancel();
    runner.drain(&mut |_| {}).await;
    outcomes
}

/// Waits until the run's time is used up.
async fn expired(scope: &Scope) {
    match &scope.budget {
        Some(budget) => {
            budget.expired().await;
        }
        None => std::future::pending().await,
    }
}
