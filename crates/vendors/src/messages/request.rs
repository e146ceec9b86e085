//! Encodes the body of a request to Messages.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{ContentPart, Message};
use silcrow_provider::{Provider as _, Request};

use super::native::{MessagesTool, write_blocks};
use super::thinking::{MessagesThinking, ThinkingField};
use super::{AnthropicVersion, Messages};
use crate::body_list::{self, EMPTY, write_item};
use crate::instructions;
use crate::media_parts::has_media;

/// Returns the body of a request.
///
/// Equal messages are encoded in equal bytes and come last. So a longer conversation only appends,
/// and prompt caches hit. That is why the mark for the cache is a field of the request and not of
/// its last message.
pub(crate) fn body(model: &Messages, request: &Request) -> Vec<u8> {
    let parts =
        instructions::with_text(&request.messages).flat_map(|message| message.content.parts());
    let parts: Vec<_> = parts.filter(|part| !part.text().trim().is_empty()).collect();
    let marked = parts.len().saturating_sub(MARKED);
    let system = parts.into_iter().enumerate().map(|(at, part)| SystemBlock {
        r#type: "text",
        text: part.text(),
        cache_control: (at >= marked).then_some(CACHED),
    });
    let has_temperature = model.api.version == AnthropicVersion::V20230601;
    let sampling = model.sampling(request);
    let is_eager = request.streaming && model.host.url.host_str() == Some(OWN_HOST);
    let max_tokens = sampling.max_tokens.unwrap_or_else(|| longest(model, request));
    let MessagesThinking { thinking, effort } =
        MessagesThinking::new(&model.id, &sampling, max_tokens);
    let head = MessagesRequest {
        model: &model.id,
        max_tokens,
        stream: request.streaming,
        temperature: sampling.temperature.filter(|_| has_temperature),
        thinking,
        output_config: effort.map(|effort| OutputConfig { effort }),
        stop_sequences: &sampling.stop,
        cache_control: CACHED,
        system: system.collect(),
        tools: request.tools.iter().map(|tool| MessagesTool::new(tool, is_eager)).collect(),
        messages: EMPTY,
    };
    let has_calls = !request.tools.is_empty();
    let form = if has_calls { "messages with calls" } else { "messages" };
    body_list::body(&head, &model.host.fields, form, &request.messages, |message, out| {
        let is_said = !instructions::is_system(message);
        if is_said && has_media(message)
            || has_calls && is_said && !message.content.parts().is_empty()
        {
            write_blocks(message, out);
        } else if is_said {
            write_item(out, &MessagesTurn { role: message.role.as_str(), content: message.text() });
        }
    })
}

/// Returns the maximum tokens of an answer: the model's maximum, and no more than the space in its
/// window next to the request. For an unknown model this is little.
fn longest(model: &Messages, request: &Request) -> u32 {
    let (limits, name) = (&model.api.limits, model.name());
    let Some(output) = limits.output(name) else { return MAX_TOKENS };
    let bytes: usize = request.messages.iter().map(length).sum();
    let tools: usize = request.tools.iter().map(|tool| tool.schema.len()).sum();
    // Most tokens are longer.
    let read = (bytes + tools) as u64 / LEAST_TOKEN;
    let room = limits.window(name).map_or(u64::MAX, |window| window.saturating_sub(read));
    let most = output.min(room.max(LEAST_ANSWER));
    u32::try_from(most).unwrap_or(u32::MAX)
}

/// Returns the approximate number of bytes of a message that the model reads.
fn length(message: &Message) -> usize {
    let parts = message.content.parts().iter();
    let length = |part: &ContentPart| match part {
        ContentPart::Call(call) => call.name.len() + call.args.len(),
        ContentPart::Opaque(data) => data.len(),
        // The tokens of a picture depend on its size, and are seldom more.
        ContentPart::Media(_) => 5_000,
        other => other.text().len(),
    };
    parts.map(length).sum()
}

#[derive(Serialize)]
struct MessagesRequest<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingField>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    /// The mark for the cache, which applies to the last block that can be cached.
    cache_control: CacheControl,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<SystemBlock<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<MessagesTool<'a>>,
    /// The messages are added after the rest.
    messages: [(); 0],
}

#[derive(Serialize)]
struct OutputConfig {
    effort: &'static str,
}

#[derive(Serialize)]
struct SystemBlock<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct MessagesTurn<'a> {
    role: &'a str,
    content: Cow<'a, str>,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

/// The number of parts of the instructions that have a mark for the cache. A change of the last
/// part leaves the part before it in the cache. The API takes four marks.
const MARKED: usize = 2;

/// The host of the vendor's own server.
const OWN_HOST: &str = "api.anthropic.com";

const CACHED: CacheControl = CacheControl { r#type: "ephemeral" };

/// The limit that is sent where none is set, because the API requires one.
const MAX_TOKENS: u32 = 16_384;

/// The minimum length of an answer, however full the window seems to be.
const LEAST_ANSWER: u64 = 4_096;

/// The minimum bytes of a token on average.
const LEAST_TOKEN: u64 = 3;
