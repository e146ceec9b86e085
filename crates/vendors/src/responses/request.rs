//! Encodes a request to Responses, as the body of a request or as an event of a WebSocket.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};
use silcrow_provider::{Request, Sampling};

use super::Responses;
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
    ResponsesOptions { sampling: model.sampling(request), cache: CacheKey::of(&request.messages) }
}

/// Returns the body of a request.
///
/// Equal messages are encoded in equal bytes and come last. So a longer conversation only appends,
/// and prompt caches hit.
pub(crate) fn body(model: &Responses, request: &Request) -> Vec<u8> {
    let options = options(model, request);
    let instructions = joined(instructions::of(&request.messages));
    let head = ResponsesRequest {
        stream: Some(request.streaming),
        ..ResponsesRequest::new(&model.id, instructions.as_deref(), EMPTY, &options)
    };
    body_list::body(&head, &model.host.fields, "responses", &request.messages, |message, out| {
        if !instructions::is_system(message) {
            write_item(out, &InputItem::from(message));
        }
    })
}

/// Returns the same as an event of a WebSocket, which follows the response `previous`.
pub(crate) fn event(
    model: &str,
    instructions: Option<&str>,
    previous: Option<&str>,
    messages: &[Message],
    options: &ResponsesOptions,
) -> String {
    let input: Vec<_> = messages.iter().map(InputItem::from).collect();
    let body = ResponsesRequest {
        r#type: Some("response.create"),
        previous_response_id: previous,
        ..ResponsesRequest::new(model, instructions, input, options)
    };
    serde_json::to_string(&body).expect("strings and numbers are JSON")
}

/// Returns the texts of system messages as one, if there are any.
pub(crate) fn joined<'a>(system: impl IntoIterator<Item = &'a Message>) -> Option<String> {
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
    input: I,
}

impl<'a, I> ResponsesRequest<'a, I> {
    fn new(
        model: &'a str,
        instructions: Option<&'a str>,
        input: I,
        options: &ResponsesOptions,
    ) -> Self {
        let effort = options.sampling.effort;
        Self {
            r#type: None,
            model,
            stream: None,
            store: false,
            max_output_tokens: options.sampling.max_tokens,
            temperature: options.sampling.temperature,
            reasoning: effort.map(|effort| ResponsesReasoning { effort: effort.as_str() }),
            prompt_cache_key: options.cache,
            instructions,
            previous_response_id: None,
            input,
        }
    }
}

#[derive(Serialize)]
struct ResponsesReasoning {
    effort: &'static str,
}

#[derive(Serialize)]
struct InputItem<'a> {
    r#type: &'static str,
    role: &'a str,
    content: InputContent<'a>,
}

impl<'a> From<&'a Message> for InputItem<'a> {
    fn from(message: &'a Message) -> Self {
        let text = message.text();
        let content = match message.role {
            Role::Assistant => InputContent::Text(text),
            _ => InputContent::Parts([InputPart { r#type: "input_text", text }]),
        };
        Self { r#type: "message", role: message.role.as_str(), content }
    }
}

/// The content of a message. The model's own messages are plain texts, because as parts they would
/// need annotations and the vendor's ids.
#[derive(Serialize)]
#[serde(untagged)]
enum InputContent<'a> {
    Text(Cow<'a, str>),
    Parts([InputPart<'a>; 1]),
}

#[derive(Serialize)]
struct InputPart<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
}
