use silcrow_event::{Action, Call, Json, Mode, Outcome};
use silcrow_plan::{Decision, Plan};

/// An action named as its id.
pub(crate) fn action(id: &str, mode: Mode, depends_on: &[&str]) -> Call {
    with(id, "{}", Action { mode, ..after(depends_on) })
}

/// An `async` action named as its id.
pub(crate) fn using(id: &str, args: &str) -> Call {
    with(id, args, after(&[]))
}

pub(crate) fn with(id: &str, args: &str, action: Action) -> Call {
    let content = format!(r#"{{"name":"{id}","args":{args}}}"#);
    Call::parse(id, content).unwrap().with_action(action)
}

pub(crate) fn after(ids: &[&str]) -> Action {
    let depends_on = ids.iter().map(|id| (*id).to_owned()).collect();
    Action { mode: Mode::Async, depends_on, ..Action::default() }
}

pub(crate) fn ok(plan: &mut Plan, id: &str, value: &str) {
    let mut outcome = Outcome::success(id, id, "", value);
    outcome.payload.as_mut().unwrap().content = Json::parse(value).unwrap();
    plan.finish(id, outcome);
}

pub(crate) fn failed(plan: &mut Plan, id: &str) {
    plan.finish(id, failure(id));
}

pub(crate) fn failure(id: &str) -> Outcome {
    Outcome::failure(id, Some(id), "", "no")
}

/// All that is decided now, in short.
pub(crate) fn decided(plan: &mut Plan) -> Vec<String> {
    std::iter::from_fn(|| plan.decide())
        .map(|decision| match decision {
            Decision::Start(ready) if ready.attempt() > 1 => {
                format!("start {} {}", ready.id(), ready.attempt())
            }
            Decision::Start(ready) => format!("start {}", ready.id()),
            Decision::Retry { id, after } => format!("retry {id} after {} ms", after.as_millis()),
            Decision::Stop { id } => format!("stop {id}"),
            Decision::End { id, how } => format!("{} {id}", how.as_str()),
            Decision::Bind { name, value } => format!("bind {name} {value}"),
            Decision::Unbound { id, name } => format!("unbound {name} in {id}"),
            other => format!("{other:?}"),
        })
        .collect()
}

/// What the model reads of a call.
pub(crate) fn why<'p>(plan: &'p Plan, id: &str) -> &'p str {
    &plan.outcome(id).unwrap().content
}
