//! Encodes the body of a request to `generateContent`.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};
use silcrow_provider::{Request, Sampling};

use super::Gemini;
use super::native::{GeminiTools, tools, write_parts};
use super::thinking::ThinkingConfig;
use crate::body_list::{self, EMPTY, write_item};
use crate::instructions;
use crate::media_parts::has_media;

/// Returns the body of a request.
///
/// Equal messages are encoded in equal bytes and come last. So a longer conversation only appends,
/// and prompt caches hit.
pub(crate) fn body(model: &Gemini, request: &Request) -> Vec<u8> {
    let system: Vec<_> = instructions::with_text(&request.messages).map(part).collect();
    let sampling = model.sampling(request);
    let head = GeminiRequest {
        system_instruction: (!system.is_empty())
            .then_some(GeminiTurn { role: None, parts: system }),
        generation_config: GenerationConfig::new(&model.id, &sampling),
        tools: tools(&request.tools),
        contents: EMPTY,
    };
    let has_calls = !request.tools.is_empty();
    let form = if has_calls { "gemini with calls" } else { "gemini" };
    body_list::body(&head, &model.host.fields, form, &request.messages, |message, out| {
        let is_said = !instructions::is_system(message);
        if is_said && (has_calls || has_media(message)) {
            write_parts(message, out);
        } else if is_said {
            let role = Some(if message.role == Role::Assistant { "model" } else { "user" });
            write_item(out, &GeminiTurn { role, parts: [part(message)] });
        }
    })
}

fn part(message: &Message) -> GeminiTextPart<'_> {
    GeminiTextPart { text: message.text() }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<GeminiTurn<Vec<GeminiTextPart<'a>>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<GenerationConfig<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<GeminiTools<'a>>,
    /// The messages are added after the rest.
    contents: [(); 0],
}

#[derive(Serialize)]
struct GeminiTurn<P> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: P,
}

#[derive(Serialize)]
struct GeminiTextPart<'a> {
    text: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

impl<'a> GenerationConfig<'a> {
    /// Returns the values as the API names them, if any is set.
    fn new(model: &str, sampling: &'a Sampling) -> Option<Self> {
        (*sampling != Sampling::new()).then(|| Self {
            max_output_tokens: sampling.max_tokens,
            temperature: sampling.temperature,
            seed: sampling.seed,
            stop_sequences: &sampling.stop,
            thinking_config: ThinkingConfig::new(model, sampling),
        })
    }
}
