//! The results of a turn, paired with its calls.
//!
//! It knows ids and positions, and nothing of how a result is written.

use std::borrow::Cow;
use std::collections::HashMap;

use silcrow_event::{Call, CallResult};

/// Returns one result for each call, in the order of the calls. The result of a malformed call
/// (P-9) comes before the same result as in the log.
///
/// Results are paired by id, or by position if there are no ids.
pub(crate) fn by_call<'a>(
    calls: &[&Call],
    results: Vec<Cow<'a, CallResult>>,
) -> Vec<Cow<'a, CallResult>> {
    let owners = owners(calls, &results);
    // The result of each call, preceded by those of malformed calls.
    let mut places: Vec<Vec<Cow<'a, CallResult>>> = Vec::new();
    places.resize_with(calls.len(), Vec::new);
    let mut strays = Vec::new();
    for (result, owner) in results.into_iter().zip(owners) {
        match owner {
            Some(owner) => {
                places[owner].append(&mut strays);
                places[owner].push(with_tool(result, calls[owner]));
            }
            None => strays.push(result),
        }
    }
    for (place, call) in places.iter_mut().zip(calls) {
        if place.is_empty() {
            let why = "no result was recorded";
            place.push(Cow::Owned(CallResult::framework_failure(
                call.id(),
                Some(call.name()),
                why,
                why,
            )));
        }
    }
    places.into_iter().flatten().chain(strays).collect()
}

/// Returns for each result the number of its call, if it has one. No call has two results.
fn owners(calls: &[&Call], results: &[Cow<'_, CallResult>]) -> Vec<Option<usize>> {
    // Where calls share an id, the first call takes the first result.
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, call) in calls.iter().enumerate().rev() {
        by_id.entry(call.id()).or_default().push(number);
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
            let nameless = |number: &usize| id(result).is_none() || calls[*number].id().is_empty();
            *owner = waiting.next_if(nameless);
        }
    }
    owners
}

fn id(result: &CallResult) -> Option<&str> {
    result.id.as_deref().filter(|id| !id.is_empty())
}

/// Returns the result with the name of its tool, which logs from elsewhere leave out.
fn with_tool<'a>(result: Cow<'a, CallResult>, call: &Call) -> Cow<'a, CallResult> {
    if result.tool().is_some() {
        return result;
    }
    Cow::Owned(result.into_owned().with_tool(call.name()))
}
