//! Tools, calls and results of Responses, in requests and in answers.
//!
//! A reasoning item goes back as it came, and so does the id of a call's item, which the reasoning
//! before it belongs to. The phase of a message, which distinguishes comments from the answer, goes
//! back with its text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use silcrow_event::{ContentPart, Message, Role};
use silcrow_provider::{Delta, ToolDeclaration, vendor_name};

use super::input::InputItem;
use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::body_list::write_item;
use crate::calls::AnswerCalls;
use crate::lenient::{LenientField, LenientObject};
use crate::schema::object_schema;

/// A tool that a request declares.
#[derive(Serialize)]
pub(super) struct ResponsesTool<'a> {
    r#type: &'static str,
    name: Cow<'a, str>,
    description: &'a str,
    parameters: Cow<'a, RawValue>,
    /// By default the API rejects schemas that leave anything open.
    strict: bool,
}

impl<'a> From<&'a ToolDeclaration> for ResponsesTool<'a> {
    fn from(tool: &'a ToolDeclaration) -> Self {
        Self {
            r#type: "function",
            name: tool.vendor_name(),
            description: &tool.description,
            parameters: object_schema(&tool.schema),
            strict: false,
        }
    }
}

/// Writes the items that a message with calls or results is.
pub(super) fn write_items(message: &Message, out: &mut Vec<u8>) {
    let mut phase = None;
    for part in message.content.parts() {
        match part {
            ContentPart::Call(call) => write_item(
                out,
                &CallItem {
                    r#type: "function_call",
                    id: call.opaque.as_deref(),
                    call_id: &call.id,
                    name: vendor_name(&call.name),
                    arguments: &call.args,
                },
            ),
            ContentPart::Result(result) => write_item(
                out,
                &ResultItem {
                    r#type: "function_call_output",
                    call_id: &result.id,
                    output: &result.text,
                },
            ),
            ContentPart::Opaque(data) => {
                if let Ok(said) = serde_json::from_str::<PhaseNote<'_>>(data) {
                    phase = Some(said.phase);
                } else if let Ok(item) = serde_json::from_str::<&RawValue>(data) {
                    write_item(out, &item);
                }
            }
            ContentPart::Media(_) => {
                write_item(out, &InputItem::of_parts(message.role, [part]));
            }
            other => {
                let text = other.text();
                if !text.trim().is_empty() {
                    write_item(out, &InputItem::of_text(message.role, text).in_phase(phase.take()));
                }
            }
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

#[derive(Serialize)]
struct CallItem<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    call_id: &'a str,
    name: Cow<'a, str>,
    arguments: &'a str,
}

#[derive(Serialize)]
struct ResultItem<'a> {
    r#type: &'static str,
    call_id: &'a str,
    output: &'a str,
}

/// The data of a message that is kept besides its text: its phase.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PhaseNote<'a> {
    #[serde(borrow)]
    phase: Cow<'a, str>,
}

/// An item of an answer that is a message, a call or reasoning.
#[derive(Default, Deserialize)]
pub(super) struct AnswerItem<'a> {
    #[serde(borrow)]
    r#type: LenientField<'a>,
    #[serde(borrow)]
    id: LenientField<'a>,
    #[serde(borrow)]
    call_id: LenientField<'a>,
    #[serde(borrow)]
    name: LenientField<'a>,
    #[serde(borrow)]
    arguments: LenientField<'a>,
    #[serde(borrow)]
    encrypted_content: LenientField<'a>,
    #[serde(borrow)]
    phase: LenientField<'a>,
}

impl<'a> AnswerItem<'a> {
    pub(super) fn read(item: LenientField<'a>) -> Self {
        item.read::<LenientObject<Self>>().unwrap_or_default().unwrap_or_default()
    }

    /// Takes the beginning of an item.
    pub(super) fn begin(
        &self,
        calls: &mut AnswerCalls,
        answer: &AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        self.keep_phase(out);
        if self.r#type.word().as_deref() == Some("function_call") {
            let (id, call) = (self.id.word(), self.call_id.word());
            let key = id.as_ref().or(call.as_ref()).map_or("", |key| key);
            if calls.open(key, None, out).is_err() {
                return answer.late();
            }
            calls.id(call.as_ref().or(id.as_ref()).map_or("", |id| id));
            calls.name(&self.name.word().unwrap_or_default(), out);
        }
        Ok(())
    }

    /// Keeps the phase of a message, which goes back before its text.
    pub(super) fn keep_phase(&self, out: &mut DeltaQueue) {
        if self.r#type.word().as_deref() == Some("message")
            && let Some(phase) = self.phase.word()
        {
            let note = serde_json::to_string(&PhaseNote { phase }).expect("a text is JSON");
            out.push_back(Ok(Delta::Opaque(note)));
        }
    }

    /// Takes the end of an item, with all that it has. `json` is the item.
    pub(super) fn end(
        &self,
        json: &str,
        calls: &mut AnswerCalls,
        answer: &AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        match self.r#type.word().as_deref() {
            Some("function_call") => {
                let key = self.id.word().or_else(|| self.call_id.word()).unwrap_or_default();
                if !calls.is_open(&key) {
                    // Some servers send nothing before it.
                    self.begin(calls, answer, out)?;
                }
                if !calls.has_args()
                    && let Some(args) = self.arguments.text()
                {
                    calls.args(&args, out);
                }
                calls.end(self.id.word().map(Cow::into_owned), out);
            }
            // Without its content the item means nothing to a server that stores nothing.
            Some("reasoning") if self.encrypted_content.is_set() => {
                out.push_back(Ok(Delta::Opaque(json.to_owned())));
            }
            _ => {}
        }
        Ok(())
    }
}
