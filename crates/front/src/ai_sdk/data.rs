//! The data of our own in a message, which the standard has no parts for.
//!
//! Data with the name `silcrow` is transient: a client passes it on and keeps nothing of it.

use silcrow_event::{ApprovalState, ErrorEvent, FileDelta, Metric, OpenQuestion};

use super::AiSdkMessageId;
use super::part::UiPart;
use crate::changed_files::changed_files;
use crate::json_object::JsonObject;
use crate::transcript::CalledAgent;

/// The progress of an agent or a workflow that a call of the message runs.
#[derive(Debug, Default)]
pub(super) struct UiAgent {
    /// The number of calls that it has made.
    calls: u32,
    /// The name of the last tool that it has called.
    tool: Option<String>,
}

impl UiAgent {
    pub(super) fn count_call(&mut self, tool: &str) {
        self.calls += 1;
        self.tool = Some(tool.to_owned());
    }

    /// Returns the data about the agent, which replaces earlier data.
    pub(super) fn part(&self, agent: &CalledAgent, state: &str) -> UiPart<'static> {
        let data = JsonObject::new()
            .text("name", &agent.name)
            .maybe_text("call", agent.call.as_deref())
            .maybe_text("parent", agent.parent.as_deref())
            .text("state", state)
            .raw("calls", self.calls)
            .maybe_text("tool", self.tool.as_deref());
        lasting("agent", &agent.id, data)
    }
}

/// Returns a question to the person.
pub(super) fn question(id: &str, call: &str, question: &OpenQuestion) -> UiPart<'static> {
    let data = JsonObject::new().text("call", call).text("state", ApprovalState::Asked.as_str());
    let data = data.maybe_text("group", group(id, question).as_deref());
    lasting("approval", id, data.raw("question", question.to_json()))
}

/// Returns the common id of the questions about the calls for the items of one loop: an item's id
/// with the loop's own call in place of the item's.
fn group(id: &str, question: &OpenQuestion) -> Option<String> {
    let item_of = question.item_of.as_ref()?.replace('~', "~0").replace('/', "~1");
    let around = id.rsplit_once('/').map_or("", |(around, _)| around);
    Some(format!("{around}/{item_of}"))
}

/// Returns the answer to a question, which replaces the question.
pub(super) fn answer(
    id: &str,
    call: &str,
    state: ApprovalState,
    reason: Option<&str>,
) -> UiPart<'static> {
    let data = JsonObject::new().text("call", call).text("state", state.as_str());
    lasting("approval", id, data.maybe_text("reason", reason))
}

/// Returns a message to the run at work, for clients without a part for it.
pub(super) fn steering(message: AiSdkMessageId, text: &str) -> UiPart<'static> {
    lasting("steering", &message.to_string(), JsonObject::new().text("text", text))
}

/// Returns the position of the last stored event that the stream has sent.
pub(super) fn position(seq: u64) -> UiPart<'static> {
    transient(kind("position").raw("seq", seq))
}

/// Returns a text about the run.
pub(super) fn remark(about: &str, text: &str) -> UiPart<'static> {
    transient(kind(about).text("text", text))
}

/// Returns the files that a call has changed. No log has them, so a client that loads the conversation
/// again does not get them.
pub(super) fn changes(call: &str, files: &[FileDelta]) -> UiPart<'static> {
    transient(kind("changes").text("call", call).raw("files", changed_files(files)))
}

/// Returns an error that the run may survive.
pub(super) fn error(error: &ErrorEvent) -> UiPart<'static> {
    let data = kind("error").text("code", &error.code).text("text", &error.content);
    transient(data.raw("retry", error.retry))
}

/// Returns why a run failed, for a client that loads the conversation again.
pub(super) fn failure(seq: Option<u64>, failure: &ErrorEvent) -> UiPart<'static> {
    let data = JsonObject::new().text("code", &failure.code).text("text", &failure.content);
    lasting("failure", &format!("f{}", seq.unwrap_or_default()), data.raw("retry", failure.retry))
}

/// Returns the usage of the run so far, and how full the model's window was.
pub(super) fn usage(metric: &Metric) -> UiPart<'static> {
    let total = metric.all.as_deref().unwrap_or(&metric.total);
    let data = kind("usage")
        .raw("input", total.input)
        .raw("output", total.output)
        .raw("cached", total.cached)
        .raw("reasoning", total.reasoning)
        .raw("context", metric.step.tokens());
    transient(match metric.window {
        Some(window) => data.raw("window", window),
        None => data,
    })
}

fn kind(kind: &str) -> JsonObject {
    JsonObject::new().text("kind", kind)
}

fn lasting(name: &'static str, id: &str, data: JsonObject) -> UiPart<'static> {
    UiPart::Data { name, id: Some(id.to_owned()), data: data.finish() }
}

fn transient(data: JsonObject) -> UiPart<'static> {
    UiPart::Data { name: "silcrow", id: None, data: data.finish() }
}
