//! The items of a response: texts, calls and questions.
//!
//! This module writes their JSON.

use silcrow_event::{CallResult, ResultStatus};

use crate::error_text::error_text;
use crate::json_object::JsonObject;
use crate::transcript::SectionKind;

/// An item of a response.
#[derive(Debug)]
pub(super) struct ResponseItem {
    pub(super) id: String,
    pub(super) status: &'static str,
    pub(super) content: ItemContent,
}

/// The content of an item.
#[derive(Debug)]
pub(super) enum ItemContent {
    Text {
        kind: SectionKind,
        text: String,
    },
    /// A call and its result.
    McpCall {
        name: String,
        args: String,
        result: Option<CallResult>,
    },
    /// A call without its result.
    FunctionCall {
        name: String,
        args: String,
    },
    FunctionOutput {
        call: String,
        text: String,
    },
    ApprovalRequest {
        name: String,
        args: String,
    },
}

impl ResponseItem {
    /// Creates an item that is not complete.
    pub(super) fn new(id: &str, content: ItemContent) -> Self {
        Self { id: id.to_owned(), status: IN_PROGRESS, content }
    }

    /// Returns the item as it begins: a text is empty, and arguments are, too.
    pub(super) fn to_first_json(&self) -> String {
        match &self.content {
            ItemContent::Text { kind, .. } => self.text_json(*kind, None),
            ItemContent::McpCall { name, .. } => self.mcp_call_json(name, "", None),
            ItemContent::FunctionCall { name, .. } => self.function_call_json(name, ""),
            _ => self.to_json(),
        }
    }

    pub(super) fn to_json(&self) -> String {
        match &self.content {
            ItemContent::Text { kind, text } => self.text_json(*kind, Some(text)),
            ItemContent::McpCall { name, args, result } => {
                self.mcp_call_json(name, args, result.as_ref())
            }
            ItemContent::FunctionCall { name, args } => self.function_call_json(name, args),
            ItemContent::FunctionOutput { call, text } => {
                // Open WebUI shows an output of parts, and not one that is a string.
                let part = JsonObject::new().text("type", "input_text").text("text", text);
                let object = self.begin("function_call_output").text("status", self.status);
                let object = object.text("call_id", call);
                object.raw("output", format!("[{}]", part.finish())).finish()
            }
            ItemContent::ApprovalRequest { name, args } => {
                let object = self.begin("mcp_approval_request").text("server_label", SERVER);
                object.text("name", name).text("arguments", args).finish()
            }
        }
    }

    /// Returns the part of a text item that has this text.
    pub(super) fn part(kind: SectionKind, text: &str) -> String {
        match kind {
            SectionKind::Thought => JsonObject::new().text("type", "summary_text"),
            SectionKind::Answer => JsonObject::new()
                .text("type", "output_text")
                .raw("annotations", "[]")
                .raw("logprobs", "[]"),
        }
        .text("text", text)
        .finish()
    }

    fn text_json(&self, kind: SectionKind, text: Option<&str>) -> String {
        let parts = text.map(|text| Self::part(kind, text)).unwrap_or_default();
        let (item, key) = match kind {
            SectionKind::Thought => (self.begin("reasoning"), "summary"),
            SectionKind::Answer => (self.begin("message").text("role", "assistant"), "content"),
        };
        item.text("status", self.status).raw(key, format!("[{parts}]")).finish()
    }

    fn mcp_call_json(&self, name: &str, args: &str, result: Option<&CallResult>) -> String {
        let (mut output, mut error) = (None, None);
        if let Some(result) = result {
            match result.status() {
                ResultStatus::Success => output = Some(result.content.text()),
                ResultStatus::Failure => error = Some(error_json(&error_text(result))),
            }
        }
        self.begin("mcp_call")
            .text("status", self.status)
            .text("server_label", SERVER)
            .text("name", name)
            .text("arguments", args)
            .text_or_null("output", output.as_deref())
            .or_null("error", error)
            .raw("approval_request_id", "null")
            .finish()
    }

    fn function_call_json(&self, name: &str, args: &str) -> String {
        self.begin("function_call")
            .text("status", self.status)
            .text("call_id", &self.id)
            .text("name", name)
            .text("arguments", args)
            .finish()
    }

    fn begin(&self, kind: &str) -> JsonObject {
        JsonObject::new().text("type", kind).text("id", &self.id)
    }
}

fn error_json(text: &str) -> String {
    let part = JsonObject::new().text("type", "text").text("text", text).finish();
    let error = JsonObject::new().text("type", "mcp_tool_execution_error");
    error.raw("content", format!("[{part}]")).finish()
}

pub(super) const IN_PROGRESS: &str = "in_progress";
pub(super) const COMPLETED: &str = "completed";
pub(super) const INCOMPLETE: &str = "incomplete";
pub(super) const FAILED: &str = "failed";

/// The name of the server whose tools clients see.
const SERVER: &str = "silcrow";
