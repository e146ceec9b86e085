use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::Role;
use silcrow_provider::Request;

/// What is sent besides model and messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) max_tokens: u32,
    pub(crate) temperature: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_tokens: 16_384, temperature: None }
    }
}

/// The body of a request. Equal messages give equal bytes, or no prompt cache would hold; they
/// stand last, so that a longer conversation only adds to the bytes. That is why the end of the
/// conversation is marked from the outside, and not in its last message.
pub(crate) fn body(model: &str, request: &Request, options: Options) -> Vec<u8> {
    let is_system = |role| role == Role::System;
    let (system, told): (Vec<_>, Vec<_>) =
        request.messages.iter().partition(|message| is_system(message.role));
    let last = system.len().saturating_sub(1);
    let system = system.into_iter().enumerate().map(|(at, message)| Block {
        r#type: "text",
        text: message.text(),
        cache_control: (at == last).then_some(CACHED),
    });
    let messages = told
        .into_iter()
        .map(|message| Message { role: message.role.as_str(), content: message.text() });
    let body = Body {
        model,
        max_tokens: options.max_tokens,
        stream: request.streaming,
        temperature: options.temperature,
        cache_control: CACHED,
        system: system.collect(),
        messages: messages.collect(),
    };
    serde_json::to_vec(&body).expect("strings and numbers are JSON")
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    /// Marks the last block that can be marked.
    cache_control: CacheControl,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: Cow<'a, str>,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

const CACHED: CacheControl = CacheControl { r#type: "ephemeral" };
