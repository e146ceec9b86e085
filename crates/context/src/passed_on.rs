//! Results that are only passed on: the model reads their type and size, and not their content.
//!
//! This module shortens results of a turn. The submodule `outputs` decides which outputs are passed
//! on.

mod outputs;

use std::borrow::Cow;

use silcrow_event::{CallResult, Event, ResultOrigin, ResultStatus};

pub use outputs::PassedOn;

/// Returns the results of a turn as the model reads them. `said` is the turn, and `is_answered` is
/// whether the person has got its answer. With `blocks` the model reads the turn as it wrote it:
/// then the result of a loop stands for the outputs that its instances have passed on.
pub(crate) fn without_passed_on<'a>(
    said: &[&Event],
    results: Vec<Cow<'a, CallResult>>,
    is_answered: bool,
    blocks: bool,
) -> Vec<Cow<'a, CallResult>> {
    let passed_on = PassedOn::in_turn(said.iter().copied(), is_answered);
    if passed_on.is_empty() {
        return results;
    }
    let ended: Vec<String> = results.iter().filter_map(|result| result.id.clone()).collect();
    let is_told = |result: &CallResult| {
        let loop_id = result.id.as_deref().and_then(|id| id.split_once('['));
        blocks && loop_id.is_some_and(|(id, _)| ended.iter().any(|ended| ended == id))
    };
    let as_read = |result: Cow<'a, CallResult>| {
        let id = result.id.as_deref().unwrap_or_default();
        if !(has_output(&result) && passed_on.contains(id)) {
            return Some(result);
        }
        (!(id.contains("].") && is_told(&result))).then(|| Cow::Owned(result.as_kept()))
    };
    results.into_iter().filter_map(as_read).collect()
}

/// Returns whether a result has an output that can be left out. Failures and messages of the
/// framework are always sent.
fn has_output(result: &CallResult) -> bool {
    result.status() == ResultStatus::Success
        && result.origin() == ResultOrigin::Tool
        && !result.content.text().is_empty()
}
