//! The results of a turn, paired with its calls.
//!
//! It compares ids and positions only.

use std::borrow::Cow;
use std::collections::HashMap;

use silcrow_event::{CallMode, CallResult, Event};

/// A call of the model that waits for a result.
pub(crate) struct WrittenCall<'a> {
    id: &'a str,
    /// The tool; `None` if the call is malformed.
    tool: Option<&'a str>,
}

impl<'a> WrittenCall<'a> {
    /// Returns the call that an event is, if the model reads its result (P-24).
    pub(crate) fn from_event(event: &'a Event) -> Option<Self> {
        match event {
            Event::Call(call) => {
                let mode = call.action().map(|action| action.mode);
                (mode != Some(CallMode::FireAndForget))
                    .then(|| Self { id: call.id(), tool: Some(call.name()) })
            }
            Event::Respond(respond) => Some(Self { id: respond.malformed.as_deref()?, tool: None }),
            _ => None,
        }
    }
}

/// Returns one result for each call, in the order of the calls. A result without a call, which
/// older logs have for a malformed call (P-9), comes before the same result as in the log.
///
/// Results are paired by id, or by position if they have no ids.
pub(crate) fn by_call<'a>(
    calls: &[WrittenCall<'_>],
    results: Vec<Cow<'a, CallResult>>,
) -> Vec<Cow<'a, CallResult>> {
    let owners = owners(calls, &results);
    // The result of each call, preceded by those without a call.
    let mut places: Vec<Vec<Cow<'a, CallResult>>> = Vec::new();
    places.resize_with(calls.len(), Vec::new);
    let mut strays = Vec::new();
    for (result, owner) in results.into_iter().zip(owners) {
        match owner {
            Some(owner) => {
                places[owner].append(&mut strays);
                places[owner].push(with_tool(result, calls[owner].tool));
            }
            None => strays.push(result),
        }
    }
    for (place, call) in places.iter_mut().zip(calls) {
        if place.is_empty() {
            let why = "no result was recorded";
            let missing = CallResult::framework_failure(call.id, call.tool, why, why);
            place.push(Cow::Owned(missing));
        }
    }
    places.into_iter().flatten().chain(strays).collect()
}

/// Returns for each result the number of its call, if it has one. No call has two results.
fn owners(calls: &[WrittenCall<'_>], results: &[Cow<'_, CallResult>]) -> Vec<Option<usize>> {
    // If calls share an id, the first call takes the first result.
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, call) in calls.iter().enumerate().rev() {
        by_id.entry(call.id).or_default().push(number);
    }
    let mut owners: Vec<_> =
        results.iter().map(|result| by_id.get_mut(id(result)?).and_then(Vec::pop)).collect();

    let mut waiting = vec![true; calls.len()];
    for owner in owners.iter().flatten() {
        waiting[*owner] = false;
    }
    let mut waiting = (0..calls.len()).filter(|&number| waiting[number]).peekable();
    for (owner, result) in owners.iter_mut().zip(results) {
        if owner.is_none() {
            let nameless = |number: &usize| id(result).is_none() || calls[*number].id.is_empty();
            *owner = waiting.next_if(nameless);
        }
    }
    owners
}

fn id(result: &CallResult) -> Option<&str> {
    result.id.as_deref().filter(|id| !id.is_empty())
}

/// Returns the result with the name of its tool, which logs from elsewhere leave out.
fn with_tool<'a>(result: Cow<'a, CallResult>, tool: Option<&str>) -> Cow<'a, CallResult> {
    match tool {
        Some(tool) if result.tool().is_none() => Cow::Owned(result.into_owned().with_tool(tool)),
        _ => result,
    }
}
