//! The output of a workflow as its caller reads it, with failures and the results of calls with `show`.
//!
//! All other outputs stay in the workflow's conversation.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use silcrow_event::{CallEnd, CallResult, Json};
use silcrow_plan::{ControlStep, Plan};
use silcrow_tool::ToolOutput;

/// Returns the output of a workflow with these steps, which has this content.
///
/// If a call has `show`, the content is an object of the output and the shown results, by id; a
/// name is bound to the output alone. A failure that did not fail the workflow is a notice.
pub(super) fn reported_output(
    steps: &[ControlStep],
    plan: &Plan,
    ended: &HashMap<String, CallEnd>,
    content: String,
) -> ToolOutput {
    let count = steps.len();
    let plural = if count == 1 { "" } else { "s" };
    let summary = format!("{count} action{plural}");
    let shown = shown(steps, plan, ended);
    let output = if shown.is_empty() {
        ToolOutput::new(summary, content)
    } else {
        let value = Json::string(&content);
        let members = shown.iter().map(|(id, value)| format!("{}:{value}", Json::string(id)));
        let members = members.collect::<Vec<_>>().join(",");
        let written = Json::parse(&content).unwrap_or_else(|| Json::string(&content));
        let both = format!(r#"{{"output":{written},"shown":{{{members}}}}}"#);
        ToolOutput::new(summary, both).with_value(value)
    };
    failures(plan, ended).into_iter().fold(output, ToolOutput::with_notice)
}

/// Returns the outputs that are to be shown, by the ids of their calls.
fn shown(
    steps: &[ControlStep],
    plan: &Plan,
    ended: &HashMap<String, CallEnd>,
) -> BTreeMap<String, Json> {
    let calls = steps.iter().flat_map(ControlStep::calls);
    let calls = calls.filter(|call| call.action().is_some_and(|action| action.show));
    let ids: BTreeSet<&str> = calls.map(|call| call.id()).collect();
    if ids.is_empty() {
        return BTreeMap::new();
    }
    let is_shown = |id: &str| ids.contains(id.rsplit_once("].").map_or(id, |(_, call)| call));
    let shown = ended.iter().filter(|(id, how)| **how == CallEnd::Ok && is_shown(id));
    shown
        .filter_map(|(id, _)| Some((id.clone(), plan.outcome(id)?.value()?.into_owned())))
        .collect()
}

/// Returns a sentence about each call that failed, at most a few.
fn failures(plan: &Plan, ended: &HashMap<String, CallEnd>) -> Vec<String> {
    let failed = ended.iter().filter(|(_, how)| **how == CallEnd::Failed);
    let mut failed: Vec<&String> = failed.map(|(id, _)| id).collect();
    failed.sort_unstable();
    let why = |id: &str| plan.outcome(id).map(CallResult::failure_text).unwrap_or_default();
    let mut notices: Vec<_> = failed
        .iter()
        .take(MOST)
        .map(|id| {
            let why = why(id);
            format!("`{id}` failed: {}", &why[..why.floor_char_boundary(LONGEST)])
        })
        .collect();
    if failed.len() > MOST {
        notices.push(format!("{} more failed", failed.len() - MOST));
    }
    notices
}

/// The number of failures that are reported.
const MOST: usize = 8;

/// The number of bytes of a reason.
const LONGEST: usize = 400;
