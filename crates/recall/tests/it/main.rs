//! The tool, called as the runner calls it, over a store in memory and over the embedded one.

#[path = "../evaluation/mod.rs"]
mod evaluation;

mod around;
mod faults;
mod owners;
mod quality;
mod ranking;
mod replaced;
mod search;

use serde_json::Value;
use silcrow_event::{Entry, Event, Timestamp};
use silcrow_recall::Recall;
use silcrow_store::Store;
use silcrow_tool::{CallContext, Scope, Tool as _, ToolArgs, ToolError, ToolOutput};

/// Calls the tool for a user in the conversation `now`.
async fn call(recall: &Recall, user: Option<&str>, args: &str) -> Result<ToolOutput, ToolError> {
    call_in(recall, Scope::new("now"), user, args).await
}

async fn call_in(
    recall: &Recall,
    scope: Scope,
    user: Option<&str>,
    args: &str,
) -> Result<ToolOutput, ToolError> {
    let scope = match user {
        Some(user) => scope.with_user(user),
        None => scope,
    };
    recall.call(ToolArgs::new(args), &CallContext::new(scope, "a1")).await
}

/// Returns the messages of an output.
fn messages(output: Result<ToolOutput, ToolError>) -> Vec<Value> {
    let text = output.unwrap().content.into_text();
    if text.is_empty() { Vec::new() } else { serde_json::from_str(&text).unwrap() }
}

/// Returns the conversations in which something was found, in order.
fn conversations(output: Result<ToolOutput, ToolError>) -> Vec<String> {
    let name = |message: &Value| message["conversation"].as_str().unwrap().to_owned();
    messages(output).iter().map(name).collect()
}

/// Appends a message of a user at a number of seconds after 1970.
async fn say(store: &dyn Store, conversation: &str, user: Option<&str>, text: &str, seconds: i64) {
    let head = store.head(conversation).await.unwrap();
    let timestamp = Some(Timestamp::from_nanos(seconds * 1_000_000_000));
    let user = user.map(str::to_owned);
    let entry = Entry { timestamp, user, ..Event::user(text).into() };
    store.append(conversation, head, vec![entry]).await.unwrap();
}

/// Appends an answer of a model.
async fn answer(store: &dyn Store, conversation: &str, text: &str) {
    let head = store.head(conversation).await.unwrap();
    store.append(conversation, head, vec![Event::respond(text).into()]).await.unwrap();
}
