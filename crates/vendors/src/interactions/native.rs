//! Tools, calls and results of Interactions, in requests.
//!
//! Each is a step. A thought goes back as the step that it was, and a call with its signature.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use silcrow_event::{ContentPart, Message, NativeCall, Role};
use silcrow_provider::{ToolDeclaration, vendor_name};

use super::input::InputStep;
use crate::body_list::write_item;
use crate::gemini::FOREIGN;
use crate::schema::{object, object_schema};

/// A tool that a request declares.
#[derive(Serialize)]
pub(super) struct InteractionTool<'a> {
    r#type: &'static str,
    name: Cow<'a, str>,
    description: &'a str,
    parameters: Cow<'a, RawValue>,
}

impl<'a> From<&'a ToolDeclaration> for InteractionTool<'a> {
    fn from(tool: &'a ToolDeclaration) -> Self {
        Self {
            r#type: "function",
            name: tool.vendor_name(),
            description: &tool.description,
            parameters: object_schema(&tool.schema),
        }
    }
}

/// Returns whether a message is more than text.
pub(super) fn has_parts(message: &Message) -> bool {
    message.role != Role::System
        && message.content.parts().iter().any(|part| {
            matches!(part, ContentPart::Call(_) | ContentPart::Result(_) | ContentPart::Opaque(_))
        })
}

/// Writes the steps that a message with calls or results is.
pub(super) fn write_steps(message: &Message, out: &mut Vec<u8>) {
    // The signature of a turn is its thought's, or its first call's.
    let mut is_signed = false;
    for part in message.content.parts() {
        match part {
            ContentPart::Call(call) => {
                let is_first = !std::mem::replace(&mut is_signed, true);
                write_item(out, &CallStep::new(call, is_first.then_some(FOREIGN)));
            }
            ContentPart::Result(result) => write_item(
                out,
                &ResultStep {
                    r#type: "function_result",
                    call_id: &result.id,
                    name: vendor_name(&result.name),
                    result: &result.text,
                    is_error: result.is_error,
                },
            ),
            ContentPart::Opaque(data) => {
                if let Ok(step) = serde_json::from_str::<&RawValue>(data) {
                    is_signed = true;
                    write_item(out, &step);
                }
            }
            ContentPart::Media(_) => {
                write_item(out, &InputStep::of_parts(message.role, [part]));
            }
            other => {
                let text = other.text();
                if !text.trim().is_empty() {
                    write_item(out, &InputStep::of_text(message.role, text));
                }
            }
        }
    }
}

#[derive(Serialize)]
struct CallStep<'a> {
    r#type: &'static str,
    id: &'a str,
    name: Cow<'a, str>,
    arguments: Cow<'a, RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'a str>,
}

impl<'a> CallStep<'a> {
    fn new(call: &'a NativeCall, foreign: Option<&'a str>) -> Self {
        Self {
            r#type: "function_call",
            id: &call.id,
            name: vendor_name(&call.name),
            arguments: object(&call.args),
            signature: call.opaque.as_deref().or(foreign),
        }
    }
}

#[derive(Serialize)]
struct ResultStep<'a> {
    r#type: &'static str,
    call_id: &'a str,
    name: Cow<'a, str>,
    result: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
}
