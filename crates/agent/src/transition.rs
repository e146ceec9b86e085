//! A plan's decisions and reports, as changes in the state of calls.
//!
//! Ids and outputs are passed on as they are, and the rest is borrowed.

use std::borrow::Cow;

use silcrow_event::{CallEnd, CallTransition};
use silcrow_plan::{Plan, PlanDecision, PlanUpdate};

/// Returns the transition for a decision that is carried out; `None` if it has none, or if the call
/// has ended meanwhile. The runner reports when an attempt starts, which may be much later.
pub(crate) fn decided<'a>(decision: &'a PlanDecision, plan: &Plan) -> Option<CallTransition<'a>> {
    let (id, transition) = match decision {
        PlanDecision::Start(ready) => {
            let (id, args) = (Cow::Borrowed(ready.id()), Cow::Borrowed(ready.args()));
            (ready.id(), CallTransition::Ready { id, attempt: ready.attempt(), args })
        }
        PlanDecision::Retry { id, .. } => (&**id, CallTransition::Paused { id: id.into() }),
        _ => return None,
    };
    plan.outcome(id).is_none().then_some(transition)
}

/// Returns the transition of a call in a report of the plan; `None` if the report is not about its
/// state.
pub(crate) fn reported(update: PlanUpdate, plan: &Plan) -> Option<CallTransition<'_>> {
    Some(match update {
        PlanUpdate::End { id, how } => {
            let outcome = if how == CallEnd::Ok { None } else { plan.outcome(&id) };
            let reason = outcome.map(|outcome| outcome.content.text());
            CallTransition::Ended { id: id.into(), end: how, reason }
        }
        PlanUpdate::Bind { name, value } => {
            CallTransition::Bound { name: name.into(), value: Cow::Owned(value) }
        }
        _ => return None,
    })
}
