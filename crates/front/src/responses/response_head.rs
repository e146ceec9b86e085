//! The head of a response: its id, its model and the requested options.

use std::collections::BTreeMap;

use serde_json::json;
use silcrow_event::Usage;

use crate::json_object::JsonObject;

use super::request::ResponseRequest;

/// The members of a response that are known before its run begins.
///
/// ```
/// use silcrow_front::{ResponseHead, ResponsesEncoder};
///
/// let mut head = ResponseHead::new("resp_1", "silcrow", 1_763_712_345);
/// head.instructions = Some("Be brief.".to_owned());
/// let encoder = ResponsesEncoder::new("sums", head);
/// assert!(encoder.response().contains(r#""instructions":"Be brief.""#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponseHead {
    /// The id, by which the response can be requested again.
    pub id: String,
    /// The client's name of the model.
    pub model: String,
    /// The time when the response began, in seconds since 1970.
    pub created_at: u64,
    /// The response that this one continues.
    pub previous_response_id: Option<String>,
    /// The conversation that the request has named.
    pub conversation: Option<String>,
    /// The instructions of the request.
    pub instructions: Option<String>,
    /// The metadata of the request.
    pub metadata: BTreeMap<String, String>,
    /// Whether the run continues if the client leaves.
    pub background: bool,
    /// Whether the response can be requested again.
    pub store: bool,
    /// The form of calls.
    pub call_items: CallItems,
}

/// The form in which a response has the calls of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallItems {
    /// Calls of the tools of a server, `mcp_call`, and questions as `mcp_approval_request`.
    #[default]
    Mcp,
    /// Pairs of `function_call` and `function_call_output`, and questions as text. Clients such as
    /// Open WebUI support nothing else, and run a call without an output themselves.
    FunctionPairs,
}

impl ResponseHead {
    /// Creates the head of a response that is stored, with `created_at` in seconds since 1970.
    pub fn new(id: impl Into<String>, model: impl Into<String>, created_at: u64) -> Self {
        Self {
            id: id.into(),
            model: model.into(),
            created_at,
            previous_response_id: None,
            conversation: None,
            instructions: None,
            metadata: BTreeMap::new(),
            background: false,
            store: true,
            call_items: CallItems::Mcp,
        }
    }

    /// Takes the members that a response repeats from its request.
    #[must_use]
    pub fn with_request(self, request: &ResponseRequest) -> Self {
        Self {
            previous_response_id: request.previous_response_id.clone(),
            conversation: request.conversation.clone(),
            instructions: request.instructions.clone(),
            metadata: request.metadata.clone(),
            background: request.background,
            store: request.store,
            ..self
        }
    }

    /// Sets the form of calls.
    #[must_use]
    pub fn with_call_items(self, call_items: CallItems) -> Self {
        Self { call_items, ..self }
    }

    /// Returns the response as JSON. The API has a closed set of codes of errors, so our own is
    /// beside it.
    pub(super) fn to_json(&self, state: &ResponseState<'_>) -> String {
        let error = state.error.map(|(code, message)| {
            let known = if code == "rate" { "rate_limit_exceeded" } else { "server_error" };
            let error = JsonObject::new().text("code", known).text("message", message);
            error.text("silcrow_code", code).finish()
        });
        let conversation = self.conversation.as_deref();
        let conversation = conversation.map(|id| JsonObject::new().text("id", id).finish());
        let mut object = JsonObject::new()
            .text("id", &self.id)
            .text("object", "response")
            .raw("created_at", self.created_at)
            .or_null("completed_at", state.completed_at)
            .text("status", state.status)
            .raw("background", self.background)
            .or_null("error", error)
            .raw("incomplete_details", "null")
            .text_or_null("instructions", self.instructions.as_deref())
            .text("model", &self.model)
            .raw("output", format!("[{}]", state.output))
            .text_or_null("previous_response_id", self.previous_response_id.as_deref())
            .or_null("conversation", conversation)
            .raw("store", self.store)
            .or_null("usage", state.usage.map(usage_json))
            .raw("metadata", json!(self.metadata));
        for (key, value) in UNUSED {
            object = object.raw(key, value);
        }
        object.finish()
    }
}

/// The members of a response that change during its run.
pub(super) struct ResponseState<'a> {
    pub(super) status: &'a str,
    pub(super) completed_at: Option<i64>,
    /// The code and the message.
    pub(super) error: Option<(&'a str, &'a str)>,
    /// The items, separated by commas.
    pub(super) output: String,
    pub(super) usage: Option<&'a Usage>,
}

fn usage_json(usage: &Usage) -> String {
    let read = JsonObject::new().raw("cached_tokens", usage.cached).raw("cache_write_tokens", 0);
    let written = JsonObject::new().raw("reasoning_tokens", usage.reasoning);
    JsonObject::new()
        .raw("input_tokens", usage.input)
        .raw("input_tokens_details", read.finish())
        .raw("output_tokens", usage.output)
        .raw("output_tokens_details", written.finish())
        .raw("total_tokens", usage.tokens())
        .finish()
}

/// Members that clients require, and which mean nothing for an agent.
const UNUSED: [(&str, &str); 17] = [
    ("frequency_penalty", "0"),
    ("max_output_tokens", "null"),
    ("max_tool_calls", "null"),
    ("parallel_tool_calls", "true"),
    ("presence_penalty", "0"),
    ("prompt_cache_key", "null"),
    ("reasoning", "null"),
    ("safety_identifier", "null"),
    ("service_tier", "\"default\""),
    ("temperature", "1"),
    ("text", r#"{"format":{"type":"text"}}"#),
    ("tool_choice", "\"auto\""),
    ("tools", "[]"),
    ("top_logprobs", "0"),
    ("top_p", "1"),
    ("truncation", "\"disabled\""),
    ("user", "null"),
];
