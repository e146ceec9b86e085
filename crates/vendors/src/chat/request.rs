use std::borrow::Cow;

use serde::Serialize;
use silcrow_provider::Request;

use super::grammar::{Fields, OutputGrammar};
use crate::cache::CacheKey;

/// What is sent besides model and messages.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    limit: Limit,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
    pub(crate) grammar: Option<OutputGrammar>,
}

/// What a limit of tokens is called: OpenAI's reasoning models refuse the name that compatible
/// servers know, and those may refuse what OpenAI alone knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    MaxTokens,
    MaxCompletionTokens,
}

impl Options {
    pub(crate) const fn new(limit: Limit) -> Self {
        Self { limit, max_tokens: None, temperature: None, grammar: None }
    }
}

/// The body of a request. Equal messages give equal bytes, or no prompt cache would hold; they
/// stand last, so that a longer conversation only adds to the bytes.
pub(crate) fn body(model: &str, request: &Request, options: &Options) -> Vec<u8> {
    let limit = |name| options.max_tokens.filter(|_| options.limit == name);
    let is_openai = options.limit == Limit::MaxCompletionTokens;
    let messages = request
        .messages
        .iter()
        .map(|message| Message { role: message.role.as_str(), content: message.text() })
        .collect();
    let body = Body {
        model,
        stream: request.streaming,
        stream_options: request.streaming.then_some(StreamOptions { include_usage: true }),
        max_tokens: limit(Limit::MaxTokens),
        max_completion_tokens: limit(Limit::MaxCompletionTokens),
        temperature: options.temperature,
        prompt_cache_key: is_openai.then(|| CacheKey::of(&request.messages)),
        grammar: options.grammar.as_ref().map(Fields::from).unwrap_or_default(),
        messages,
    };
    serde_json::to_vec(&body).expect("strings and numbers are JSON")
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<CacheKey>,
    #[serde(flatten)]
    grammar: Fields<'a>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: Cow<'a, str>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}
