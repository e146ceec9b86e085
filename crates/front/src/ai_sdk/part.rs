//! The parts of a stream and their JSON.

use silcrow_event::Json;

use super::{AiSdkMessageId, AiSdkTarget};
use crate::json_object::JsonObject;
use crate::transcript::SectionKind;

/// A part of a stream.
#[derive(Debug)]
pub(super) enum UiPart<'a> {
    Start {
        message: Option<AiSdkMessageId>,
    },
    StepStart,
    /// Everything since the beginning of the step is taken back.
    StepReset,
    StepFinish,
    TextStart {
        text: &'a str,
        kind: SectionKind,
    },
    TextDelta {
        text: &'a str,
        kind: SectionKind,
        piece: &'a str,
    },
    TextEnd {
        text: &'a str,
        kind: SectionKind,
    },
    InputStart {
        call: &'a str,
        tool: &'a str,
        /// Whether the client needs no definition of the tool.
        is_dynamic: bool,
    },
    InputDelta {
        call: &'a str,
        piece: &'a str,
    },
    InputAvailable {
        call: &'a str,
        tool: &'a str,
        title: Option<&'a str>,
        input: Json,
        is_dynamic: bool,
    },
    InputError {
        call: &'a str,
        tool: &'a str,
        input: Json,
        error: &'a str,
        is_dynamic: bool,
    },
    Output {
        call: &'a str,
        output: Json,
        is_preliminary: bool,
        is_dynamic: bool,
    },
    OutputError {
        call: &'a str,
        error: &'a str,
        is_dynamic: bool,
    },
    OutputDenied {
        call: &'a str,
    },
    ApprovalRequest {
        id: &'a str,
        call: &'a str,
        reason: Option<&'a str>,
    },
    ApprovalResponse {
        id: &'a str,
        call: &'a str,
        is_approved: bool,
        reason: Option<&'a str>,
    },
    Steering {
        message: AiSdkMessageId,
        text: &'a str,
    },
    /// Data of our own. A client keeps data with an id in its message.
    Data {
        name: &'static str,
        id: Option<String>,
        data: String,
    },
    Finish {
        reason: &'static str,
    },
    Abort {
        reason: &'a str,
    },
    Error {
        text: &'a str,
    },
}

impl UiPart<'_> {
    /// Returns whether clients of a version get the part. Clients of version 6 keep the answers
    /// that they have sent, and have no part for others.
    pub(super) fn is_sent_to(&self, target: AiSdkTarget) -> bool {
        !matches!(self, Self::ApprovalResponse { .. }) || target >= AiSdkTarget::V7
    }

    /// Returns the id of the call that the part is of.
    pub(super) const fn call(&self) -> Option<&str> {
        match self {
            Self::InputStart { call, .. }
            | Self::InputDelta { call, .. }
            | Self::InputAvailable { call, .. }
            | Self::InputError { call, .. }
            | Self::Output { call, .. }
            | Self::OutputError { call, .. }
            | Self::OutputDenied { call }
            | Self::ApprovalRequest { call, .. }
            | Self::ApprovalResponse { call, .. } => Some(call),
            _ => None,
        }
    }

    /// Appends the part as a JSON object.
    pub(super) fn write(self, out: &mut String) {
        let before = std::mem::take(out);
        let part = |name: &str| JsonObject::after(before).text("type", name);
        *out = match self {
            Self::Start { message } => {
                part("start").maybe_text("messageId", message.map(|id| id.to_string()).as_deref())
            }
            Self::StepStart => part("start-step"),
            Self::StepReset => part("reset-step"),
            Self::StepFinish => part("finish-step"),
            Self::TextStart { text, kind } => part(section(kind).0).text("id", text),
            Self::TextDelta { text, kind, piece } => {
                part(section(kind).1).text("id", text).text("delta", piece)
            }
            Self::TextEnd { text, kind } => part(section(kind).2).text("id", text),
            Self::InputStart { call, tool, is_dynamic } => {
                let part = part("tool-input-start").text("toolCallId", call);
                dynamic(part.text("toolName", tool), is_dynamic)
            }
            Self::InputDelta { call, piece } => {
                part("tool-input-delta").text("toolCallId", call).text("inputTextDelta", piece)
            }
            Self::InputAvailable { call, tool, title, input, is_dynamic } => {
                let part = part("tool-input-available").text("toolCallId", call);
                let part = part.text("toolName", tool).maybe_text("title", title);
                dynamic(part.raw("input", input), is_dynamic)
            }
            Self::InputError { call, tool, input, error, is_dynamic } => {
                let part = part("tool-input-error").text("toolCallId", call);
                let part = part.text("toolName", tool).raw("input", input);
                dynamic(part.text("errorText", error), is_dynamic)
            }
            Self::Output { call, output, is_preliminary, is_dynamic } => {
                let part = part("tool-output-available").text("toolCallId", call);
                let part = dynamic(part.raw("output", output), is_dynamic);
                if is_preliminary { part.raw("preliminary", true) } else { part }
            }
            Self::OutputError { call, error, is_dynamic } => {
                let part = part("tool-output-error").text("toolCallId", call);
                dynamic(part.text("errorText", error), is_dynamic)
            }
            Self::OutputDenied { call } => part("tool-output-denied").text("toolCallId", call),
            Self::ApprovalRequest { id, call, reason } => {
                let part = part("tool-approval-request").text("approvalId", id);
                part.text("toolCallId", call).maybe_text("reason", reason)
            }
            Self::ApprovalResponse { id, is_approved, reason, .. } => {
                let part = part("tool-approval-response").text("approvalId", id);
                part.raw("approved", is_approved).maybe_text("reason", reason)
            }
            Self::Steering { message, text } => {
                let text = JsonObject::new().text("type", "text").text("text", text).finish();
                let part = part("steering-message").text("id", &message.to_string());
                part.raw("parts", format!("[{text}]"))
            }
            Self::Data { name, id, data } => {
                let part = part(&format!("data-{name}")).maybe_text("id", id.as_deref());
                let part = part.raw("data", data);
                if id.is_none() { part.raw("transient", true) } else { part }
            }
            Self::Finish { reason } => part("finish").text("finishReason", reason),
            Self::Abort { reason } => part("abort").text("reason", reason),
            Self::Error { text } => part("error").text("errorText", text),
        }
        .finish();
    }
}

/// Marks the tool as one that needs no definition at the client, unless the client has it. Version
/// 5 asks for it in outputs, too.
fn dynamic(part: JsonObject, is_dynamic: bool) -> JsonObject {
    if is_dynamic { part.raw("dynamic", true) } else { part }
}

/// Returns the names of the parts with which a text begins, grows and ends.
const fn section(kind: SectionKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        SectionKind::Thought => ("reasoning-start", "reasoning-delta", "reasoning-end"),
        SectionKind::Answer => ("text-start", "text-delta", "text-end"),
    }
}
