//! Encodes a request to Responses, as the body of a request or as an event of a WebSocket.

use serde::Serialize;
use serde_json::value::RawValue;
use silcrow_event::{Message, Role};
use silcrow_provider::{Effort, Request, Sampling, ThinkingDisplay, ToolDeclaration};

use super::Responses;
use super::input::InputItem;
use super::native::{ResponsesTool, has_parts, write_items};
use crate::body_list::{self, EMPTY, write_item};
use crate::cache::CacheKey;
use crate::instructions;

/// The parts of a request besides model and messages.
#[derive(Clone, Debug)]
pub(crate) struct ResponsesOptions {
    sampling: Sampling,
    cache: CacheKey,
}

/// Returns the options of a conversation that begins with these messages.
pub(crate) fn options(model: &Responses, request: &Request) -> ResponsesOptions {
    ResponsesOptions {
        sampling: model.sampling(request),
        cache: CacheKey::for_messages(&request.messages),
    }
}

/// Returns the body of a request.
///
/// Equal messages are encoded in equal bytes and come last. So a longer conversation only appends,
/// and prompt caches hit.
pub(crate) fn body(model: &Responses, request: &Request) -> Vec<u8> {
    let options = options(model, request);
    let instructions = joined(instructions::with_text(&request.messages));
    let head = ResponsesRequest {
        stream: Some(request.streaming),
        include: included(!request.tools.is_empty()),
        tools: request.tools.iter().map(ResponsesTool::from).collect(),
        ..ResponsesRequest::new(&model.id, instructions.as_deref(), EMPTY, &options)
    };
    let has_calls = !request.tools.is_empty();
    let form = if has_calls { "responses with calls" } else { "responses" };
    body_list::body(&head, &model.host.fields, form, &request.messages, |message, out| {
        encode(message, has_calls, out);
    })
}

/// Returns the same as an event of a WebSocket, which follows the response `previous`. Instructions are
/// an item, which the responses that follow need not repeat.
pub(crate) fn event(
    model: &str,
    previous: Option<&str>,
    messages: &[Message],
    options: &ResponsesOptions,
    tools: &[ToolDeclaration],
) -> String {
    let mut items = Vec::new();
    let system = joined(instructions::with_text(messages));
    if let Some(text) = system {
        write_item(&mut items, &InputItem::of_text(Role::System, text.into()));
    }
    let has_calls = !tools.is_empty();
    messages.iter().for_each(|message| encode(message, has_calls, &mut items));
    // The comma of the last item.
    items.pop();
    let items = String::from_utf8(items).expect("JSON is text");
    let input = RawValue::from_string(format!("[{items}]")).expect("items are JSON");
    let body = ResponsesRequest {
        r#type: Some("response.create"),
        previous_response_id: previous,
        include: included(has_calls),
        tools: tools.iter().map(ResponsesTool::from).collect(),
        ..ResponsesRequest::new(model, None, input, options)
    };
    serde_json::to_string(&body).expect("strings and numbers are JSON")
}

/// Writes the items of a message of the conversation.
fn encode(message: &Message, has_calls: bool, out: &mut Vec<u8>) {
    if has_calls && has_parts(message) {
        write_items(message, out);
    } else if !instructions::is_system(message) {
        write_item(out, &InputItem::from(message));
    }
}

/// Returns the additional data that a request asks for.
const fn included(has_calls: bool) -> &'static [&'static str] {
    if has_calls { &[ENCRYPTED] } else { &[] }
}

/// Returns the texts of system messages as one, if there are any.
fn joined<'a>(system: impl IntoIterator<Item = &'a Message>) -> Option<String> {
    let texts: Vec<_> = system.into_iter().map(Message::text).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

#[derive(Serialize)]
struct ResponsesRequest<'a, I> {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<ResponsesReasoning>,
    prompt_cache_key: CacheKey,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_response_id: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: &'static [&'static str],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ResponsesTool<'a>>,
    input: I,
}

impl<'a, I> ResponsesRequest<'a, I> {
    fn new(
        model: &'a str,
        instructions: Option<&'a str>,
        input: I,
        options: &ResponsesOptions,
    ) -> Self {
        Self {
            r#type: None,
            model,
            stream: None,
            store: false,
            max_output_tokens: options.sampling.max_tokens,
            temperature: options.sampling.temperature,
            reasoning: ResponsesReasoning::new(&options.sampling),
            prompt_cache_key: options.cache,
            instructions,
            previous_response_id: None,
            include: &[],
            tools: Vec::new(),
            input,
        }
    }
}

#[derive(Serialize)]
struct ResponsesReasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    /// The server writes a summary only if it is asked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
}

impl ResponsesReasoning {
    /// Returns the request's settings for the reasoning, if it has any.
    fn new(sampling: &Sampling) -> Option<Self> {
        let effort = sampling.effort.map(Effort::as_str);
        let summary = match sampling.thinking_display {
            Some(ThinkingDisplay::Summarized) => Some("auto"),
            Some(ThinkingDisplay::Detailed) => Some("detailed"),
            _ => None,
        };
        (effort.is_some() || summary.is_some()).then_some(Self { effort, summary })
    }
}

/// The additional data that a request asks for: reasoning that can go back to a server that stores
/// nothing.
const ENCRYPTED: &str = "reasoning.encrypted_content";
