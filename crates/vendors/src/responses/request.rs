use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};
use silcrow_provider::Request;

use crate::cache::CacheKey;

/// What is sent besides model and messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
    pub(crate) cache: Option<CacheKey>,
}

/// The body of a request. Equal messages give equal bytes, or no prompt cache would hold; they
/// stand last, so that a longer conversation only adds to the bytes.
pub(crate) fn body(model: &str, request: &Request, options: Options) -> Vec<u8> {
    let (system, told): (Vec<_>, Vec<_>) =
        request.messages.iter().partition(|message| message.role == Role::System);
    let instructions = instructions(system);
    let body = Body {
        stream: Some(request.streaming),
        ..Body::new(model, instructions.as_deref(), told, options)
    };
    serde_json::to_vec(&body).expect("strings and numbers are JSON")
}

/// The same as an event over a WebSocket, behind a response of this name.
pub(crate) fn event(
    model: &str,
    instructions: Option<&str>,
    previous: Option<&str>,
    messages: &[Message],
    options: Options,
) -> String {
    let body = Body {
        r#type: Some("response.create"),
        previous_response_id: previous,
        ..Body::new(model, instructions, messages, options)
    };
    serde_json::to_string(&body).expect("strings and numbers are JSON")
}

/// What system messages say together, if there are any.
pub(crate) fn instructions<'a>(system: impl IntoIterator<Item = &'a Message>) -> Option<String> {
    let texts: Vec<_> = system.into_iter().map(Message::text).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

#[derive(Serialize)]
struct Body<'a> {
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
    prompt_cache_key: Option<CacheKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_response_id: Option<&'a str>,
    input: Vec<Item<'a>>,
}

impl<'a> Body<'a> {
    fn new(
        model: &'a str,
        instructions: Option<&'a str>,
        messages: impl IntoIterator<Item = &'a Message>,
        options: Options,
    ) -> Self {
        let item = |message: &'a Message| Item {
            r#type: "message",
            role: message.role.as_str(),
            content: match message.role {
                Role::Assistant => Content::Text(message.text()),
                _ => Content::Parts([Part { r#type: "input_text", text: message.text() }]),
            },
        };
        Self {
            r#type: None,
            model,
            stream: None,
            store: false,
            max_output_tokens: options.max_tokens,
            temperature: options.temperature,
            prompt_cache_key: options.cache,
            instructions,
            previous_response_id: None,
            input: messages.into_iter().map(item).collect(),
        }
    }
}

#[derive(Serialize)]
struct Item<'a> {
    r#type: &'static str,
    role: &'a str,
    content: Content<'a>,
}

/// What the model said is a text of its own: as a part it would need the id that the vendor gave the
/// message, and its annotations.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts([Part<'a>; 1]),
}

#[derive(Serialize)]
struct Part<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
}
