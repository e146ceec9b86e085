use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};
use silcrow_provider::Request;

/// What is sent besides the messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
}

/// The body of a request. Equal messages give equal bytes, or no prompt cache would hold; they
/// stand last, so that a longer conversation only adds to the bytes.
pub(crate) fn body(request: &Request, options: Options) -> Vec<u8> {
    let (system, told): (Vec<_>, Vec<_>) =
        request.messages.iter().partition(|message| message.role == Role::System);
    let system: Vec<_> = system.into_iter().map(part).collect();
    let contents = told.into_iter().map(|message| Content {
        role: Some(if message.role == Role::Assistant { "model" } else { "user" }),
        parts: vec![part(message)],
    });
    let config = Config { max_output_tokens: options.max_tokens, temperature: options.temperature };
    let is_set = options.max_tokens.is_some() || options.temperature.is_some();
    let body = Body {
        system_instruction: (!system.is_empty()).then_some(Content { role: None, parts: system }),
        generation_config: is_set.then_some(config),
        contents: contents.collect(),
    };
    serde_json::to_vec(&body).expect("strings and numbers are JSON")
}

fn part(message: &Message) -> Part<'_> {
    Part { text: message.text() }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Config>,
    contents: Vec<Content<'a>>,
}

#[derive(Serialize)]
struct Content<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
struct Part<'a> {
    text: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}
