//! Encodes the body of a request to Chat Completions.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_provider::Request;

use super::grammar::GrammarFields;
use super::media::{WrittenChatPart, chat_parts};
use super::native::{ChatTool, has_parts, write_parts};
use super::thinking::ThinkingFields;
use super::{Chat, ChatServer};
use crate::body_list::{self, EMPTY, write_item};
use crate::cache::CacheKey;
use crate::instructions;
use crate::media_parts::has_media;

/// Returns the body of a request.
///
/// Equal messages are encoded in equal bytes and come last. So a longer conversation only appends,
/// and prompt caches hit.
pub(crate) fn body(model: &Chat, request: &Request) -> Vec<u8> {
    // OpenAI's reasoning models reject `max_tokens`, and compatible servers may reject fields of
    // OpenAI.
    let is_openai = matches!(model.api.server, ChatServer::OpenAi | ChatServer::Azure);
    let sampling = model.sampling(request);
    let max_tokens = sampling.max_tokens;
    let host = model.host.url.host_str().unwrap_or_default();
    let head = ChatRequest {
        model: &model.id,
        stream: request.streaming,
        stream_options: request.streaming.then_some(ChatStreamOptions { include_usage: true }),
        max_tokens: max_tokens.filter(|_| !is_openai),
        max_completion_tokens: max_tokens.filter(|_| is_openai),
        temperature: sampling.temperature,
        thinking: ThinkingFields::new(model.api.server, host, &sampling),
        seed: sampling.seed,
        stop: &sampling.stop,
        prompt_cache_key: is_openai.then(|| CacheKey::for_messages(&request.messages)),
        grammar: model.api.grammar.as_ref().map(GrammarFields::from).unwrap_or_default(),
        tools: request.tools.iter().map(ChatTool::from).collect(),
        messages: EMPTY,
    };
    let has_calls = !request.tools.is_empty();
    let form = if has_calls { "chat with calls" } else { "chat" };
    body_list::body(&head, &model.host.fields, form, &request.messages, |message, out| {
        if has_calls && has_parts(message) {
            write_parts(message, out);
        } else if has_media(message) {
            let content = chat_parts(message.content.parts());
            write_item(out, &ChatMediaTurn { role: message.role.as_str(), content });
        } else if !instructions::is_empty(message) {
            write_item(out, &ChatTurn { role: message.role.as_str(), content: message.text() });
        }
    })
}

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<ChatStreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(flatten)]
    thinking: ThinkingFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<CacheKey>,
    #[serde(flatten)]
    grammar: GrammarFields<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ChatTool<'a>>,
    /// The messages are added after the rest.
    messages: [(); 0],
}

#[derive(Serialize)]
struct ChatTurn<'a> {
    role: &'a str,
    content: Cow<'a, str>,
}

/// A message with pictures, documents or sounds.
#[derive(Serialize)]
struct ChatMediaTurn<'a> {
    role: &'a str,
    content: Vec<WrittenChatPart>,
}

#[derive(Serialize)]
struct ChatStreamOptions {
    include_usage: bool,
}
