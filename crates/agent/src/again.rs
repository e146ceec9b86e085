use std::collections::HashMap;

use silcrow_event::{Event, Outcome};
use silcrow_exec::{Cancel, Ended, News};
use silcrow_plan::{Decision, Plan};

use crate::agent::Agent;
use crate::recover::{Fate, Open};
use crate::runner::unmarked;
use crate::tap::Tap;

/// Runs those calls of a turn again that may be, with the ids that they had, and returns what came
/// of each (P-28). Those that the stop sign stops are left out.
pub(crate) async fn again(
    agent: &Agent,
    turn: u32,
    open: &[Open],
    cancel: &Cancel,
    tap: &mut Tap<'_>,
) -> HashMap<String, Outcome> {
    let mut outcomes = HashMap::new();
    // That they were started is marked already, and stays so.
    let mut runner = unmarked(agent, &tap.log, turn);
    let mut plan = Plan::with_limits(agent.limits);
    for Open { call, .. } in open.iter().filter(|open| open.fate == Fate::Repeatable) {
        plan.push_early(call.clone());
    }
    loop {
        while let Some(decision) = plan.decide() {
            if let Decision::Start(ready) = decision {
                runner.start(ready);
            }
        }
        let news = tokio::select! {
            biased;
            () = cancel.triggered() => break,
            () = expired(agent) => break,
            news = runner.next() => news,
        };
        match news {
            Some(News::Ended(Ended { id, outcome, .. })) => {
                plan.finish(&id, outcome.clone());
                outcomes.insert(id, outcome);
            }
            Some(News::Progress(progress)) => tap.pass(turn, Event::Progress(progress)),
            Some(News::Inner(entry)) => tap.pass_entry(&entry),
            // Nobody is asked: what needs a yes is not run again.
            Some(_) => {}
            None => break,
        }
    }
    runner.cancel();
    runner.wind_up(&mut |_| {}).await;
    outcomes
}

/// Waits until the run's time is used up.
async fn expired(agent: &Agent) {
    match &agent.budget {
        Some(budget) => {
            budget.expired().await;
        }
        None => std::future::pending().await,
    }
}
