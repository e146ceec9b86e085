//! The list of steps that an agent keeps with the tool `todo`, as the plan of a session.

use serde::Deserialize;
use serde_json::{Value, json};
use silcrow_front::{CalledAgent, TranscriptChange};

/// Returns the update with the whole plan, if the change is a call that replaces the agent's list.
/// A list with a state that the tool would refuse, or the list of a called agent, is not a plan.
/// Steps that are no longer needed are left out.
pub(crate) fn plan(agent: Option<&CalledAgent>, change: &TranscriptChange<'_>) -> Option<Value> {
    let TranscriptChange::CallWritten { name: "todo", args, .. } = change else { return None };
    let list: TodoList = serde_json::from_str(args).ok().filter(|_| agent.is_none())?;
    let states = ["pending", "in_progress", "completed", "cancelled"];
    if !list.items.iter().all(|item| states.contains(&&*item.status)) {
        return None;
    }
    let needed = list.items.iter().filter(|item| item.status != "cancelled");
    let entries = needed.map(|item| {
        let TodoEntry { content, status } = item;
        // The protocol wants a priority, which the list does not have.
        json!({"content": content, "status": status, "priority": "medium"})
    });
    Some(json!({"sessionUpdate": "plan", "entries": entries.collect::<Vec<_>>()}))
}

#[derive(Deserialize)]
struct TodoList {
    items: Vec<TodoEntry>,
}

#[derive(Deserialize)]
struct TodoEntry {
    content: String,
    status: String,
}
