use std::borrow::Cow;

use silcrow_event::{ActionAttributes, Call, CallMode, CallResult, Json};
use silcrow_plan::{Plan, PlanDecision, PlanUpdate};

/// Returns an action that is named like its id.
pub(crate) fn action(id: &str, mode: CallMode, depends_on: &[&str]) -> Call {
    with(id, "{}", ActionAttributes { mode, ..after(depends_on) })
}

/// Returns an `async` action that is named like its id.
pub(crate) fn using(id: &str, args: &str) -> Call {
    with(id, args, after(&[]))
}

pub(crate) fn with(id: &str, args: &str, action: ActionAttributes) -> Call {
    let content = format!(r#"{{"name":"{id}","args":{args}}}"#);
    Call::parse(id, content).unwrap().with_action(action)
}

pub(crate) fn after(ids: &[&str]) -> ActionAttributes {
    let depends_on = ids.iter().map(|id| (*id).to_owned()).collect();
    ActionAttributes { mode: CallMode::Async, depends_on, ..ActionAttributes::default() }
}

pub(crate) fn ok(plan: &mut Plan, id: &str, value: &str) {
    let outcome = CallResult::success(id, id, "", Json::parse(value).unwrap());
    plan.finish(id, outcome);
}

pub(crate) fn failed(plan: &mut Plan, id: &str) {
    plan.finish(id, failure(id));
}

pub(crate) fn failure(id: &str) -> CallResult {
    CallResult::failure(id, Some(id), "", "no")
}

/// Returns all updates and decisions, in short. Updates come first, because they are stored before
/// a call starts.
pub(crate) fn decided(plan: &mut Plan) -> Vec<String> {
    let mut decided = Vec::new();
    loop {
        decided.extend(std::iter::from_fn(|| plan.next_update()).map(update));
        match plan.decide() {
            Some(PlanDecision::Start(ready)) if ready.attempt() > 1 => {
                decided.push(format!("start {} {}", ready.id(), ready.attempt()));
            }
            Some(PlanDecision::Start(ready)) => decided.push(format!("start {}", ready.id())),
            Some(PlanDecision::Retry { id, after }) => {
                decided.push(format!("retry {id} after {} ms", after.as_millis()));
            }
            Some(PlanDecision::Time { id, after }) => {
                decided.push(format!("time {id} {}", after.as_millis()));
            }
            Some(PlanDecision::Await { id }) => decided.push(format!("await {id}")),
            Some(PlanDecision::Stop { id }) => decided.push(format!("stop {id}")),
            Some(other) => decided.push(format!("{other:?}")),
            // The arguments of a call may have become too long at its start.
            None if plan.has_updates() => {}
            None => return decided,
        }
    }
}

fn update(update: PlanUpdate) -> String {
    match update {
        PlanUpdate::End { id, how } => format!("{} {id}", how.as_str()),
        PlanUpdate::BlockEnd { id, how } => format!("{} block {id}", how.as_str()),
        PlanUpdate::Instance(call) => format!("new {}", call.id()),
        PlanUpdate::Bind { name, value } => format!("bind {name} {value}"),
        PlanUpdate::Unbound { id, name } => format!("unbound {name} in {id}"),
        other => format!("{other:?}"),
    }
}

/// Returns the text that the model reads of a call.
pub(crate) fn why<'p>(plan: &'p Plan, id: &str) -> Cow<'p, str> {
    plan.outcome(id).unwrap().content.text()
}
