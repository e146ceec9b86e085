//! Tools, calls and results in requests to Chat Completions.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use silcrow_event::{ContentPart, Message, NativeCall};
use silcrow_provider::{ToolDeclaration, vendor_name};

use super::kept::ReturnedReasoning;
use super::media::{WrittenChatPart, chat_parts};
use crate::body_list::write_item;
use crate::media_parts::has_media;
use crate::schema::object_schema;

/// A tool that a request declares.
#[derive(Serialize)]
pub(super) struct ChatTool<'a> {
    r#type: &'static str,
    function: DeclaredFunction<'a>,
}

#[derive(Serialize)]
struct DeclaredFunction<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    parameters: Cow<'a, RawValue>,
}

impl<'a> From<&'a ToolDeclaration> for ChatTool<'a> {
    fn from(tool: &'a ToolDeclaration) -> Self {
        let function = DeclaredFunction {
            name: tool.vendor_name(),
            description: &tool.description,
            parameters: object_schema(&tool.schema),
        };
        Self { r#type: FUNCTION, function }
    }
}

/// Returns whether a message has calls or results.
pub(super) fn has_parts(message: &Message) -> bool {
    message.content.parts().iter().any(|part| {
        matches!(part, ContentPart::Call(_) | ContentPart::Result(_) | ContentPart::Opaque(_))
    })
}

/// Writes a message with calls or results as several: one with the model's words and calls, or one
/// for each result and one with the person's text.
pub(super) fn write_parts(message: &Message, out: &mut Vec<u8>) {
    let mut text = String::new();
    let mut said = Vec::new();
    let mut tool_calls = Vec::new();
    let mut reasoning = ReturnedReasoning::default();
    for part in message.content.parts() {
        match part {
            ContentPart::Call(call) => tool_calls.push(WrittenChatCall::from(call)),
            ContentPart::Result(result) => write_item(
                out,
                &WrittenResult { role: "tool", tool_call_id: &result.id, content: &result.text },
            ),
            ContentPart::Opaque(data) => reasoning = ReturnedReasoning::parse(data),
            other => {
                said.push(other);
                if !text.is_empty() {
                    text.push_str("\n\n");
                }
                text.push_str(&other.text());
            }
        }
    }
    if has_media(message) {
        let content = chat_parts(said);
        write_item(out, &WrittenMediaTurn { role: message.role.as_str(), content });
        return;
    }
    let content = (!text.trim().is_empty()).then_some(&*text);
    if content.is_some() || !tool_calls.is_empty() {
        // Only with calls is it wanted.
        if tool_calls.is_empty() {
            reasoning = ReturnedReasoning::default();
        }
        let role = message.role.as_str();
        write_item(out, &WrittenTurn { role, content, reasoning, tool_calls });
    }
}

#[derive(Serialize)]
struct WrittenTurn<'a> {
    role: &'static str,
    content: Option<&'a str>,
    #[serde(flatten)]
    reasoning: ReturnedReasoning<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WrittenChatCall<'a>>,
}

/// Messages of the person, and shown answers, which have no calls.
#[derive(Serialize)]
struct WrittenMediaTurn {
    role: &'static str,
    content: Vec<WrittenChatPart>,
}

#[derive(Serialize)]
struct WrittenResult<'a> {
    role: &'static str,
    tool_call_id: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct WrittenChatCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WrittenFunction<'a>,
}

#[derive(Serialize)]
struct WrittenFunction<'a> {
    name: Cow<'a, str>,
    arguments: &'a str,
}

impl<'a> From<&'a NativeCall> for WrittenChatCall<'a> {
    fn from(call: &'a NativeCall) -> Self {
        let function = WrittenFunction { name: vendor_name(&call.name), arguments: &call.args };
        Self { id: &call.id, r#type: FUNCTION, function }
    }
}

const FUNCTION: &str = "function";
