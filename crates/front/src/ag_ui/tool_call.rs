//! Calls in the events and the messages of AG-UI.

use std::borrow::Cow;

use silcrow_event::CallResult;

use crate::json_object::JsonObject;

/// Returns the name of a call for a client, which wants one even for text that is not a call.
pub(super) const fn shown_name(name: &str) -> &str {
    if name.is_empty() { MALFORMED } else { name }
}

/// Returns the arguments of a call for text that should have been one.
pub(super) fn malformed_args(text: &str) -> String {
    JsonObject::new().text("text", text).finish()
}

/// Returns the id of the message with the result of a call.
pub(super) fn result_id(call: &str) -> String {
    format!("{call}-result")
}

/// Returns the text of a result for a client. Clients before 1.0 accept one text only.
pub(super) fn result_content(result: &CallResult) -> Cow<'_, str> {
    let content = result.content.text();
    match result.truncated() {
        Some(truncated) => Cow::Owned(truncated.join(&content)),
        None => content,
    }
}

/// Returns whether the call succeeded, and a few words about it.
pub(super) fn result_metadata(result: &CallResult) -> String {
    let mut about = JsonObject::new().text("status", result.status().as_str());
    let summary = result.payload.as_ref().map_or("", |payload| &payload.summary);
    if !summary.is_empty() {
        about = about.text("summary", summary);
    }
    JsonObject::new().raw("silcrow", about.finish()).finish()
}

const MALFORMED: &str = "malformed_call";
