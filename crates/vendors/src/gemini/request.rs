//! Encodes the body of a request to `generateContent`.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};
use silcrow_provider::{Effort, Request, Sampling};

use super::Gemini;
use crate::instructions;

/// Returns the body of a request.
///
/// Equal messages are encoded in equal bytes and come last. So a longer conversation only appends,
/// and prompt caches hit.
pub(crate) fn body(model: &Gemini, request: &Request) -> Vec<u8> {
    let (system, turns) = instructions::split(&request.messages);
    let system: Vec<_> = system.into_iter().map(part).collect();
    let contents = turns.into_iter().map(|message| GeminiTurn {
        role: Some(if message.role == Role::Assistant { "model" } else { "user" }),
        parts: vec![part(message)],
    });
    let sampling = model.sampling(request);
    let body = GeminiRequest {
        system_instruction: (!system.is_empty())
            .then_some(GeminiTurn { role: None, parts: system }),
        generation_config: GenerationConfig::new(&sampling),
        contents: contents.collect(),
    };
    serde_json::to_vec(&body).expect("strings and numbers are JSON")
}

fn part(message: &Message) -> GeminiTextPart<'_> {
    GeminiTextPart { text: message.text() }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiRequest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<GeminiTurn<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<GenerationConfig<'a>>,
    contents: Vec<GeminiTurn<'a>>,
}

#[derive(Serialize)]
struct GeminiTurn<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: Vec<GeminiTextPart<'a>>,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThinkingConfig {
    thinking_level: String,
}

impl<'a> GenerationConfig<'a> {
    /// Returns the values as the API names them, if any is set.
    fn new(sampling: &'a Sampling) -> Option<Self> {
        let level = |effort: Effort| ThinkingConfig {
            thinking_level: effort.as_str().to_ascii_uppercase(),
        };
        (*sampling != Sampling::new()).then(|| Self {
            max_output_tokens: sampling.max_tokens,
            temperature: sampling.temperature,
            seed: sampling.seed,
            stop_sequences: &sampling.stop,
            thinking_config: sampling.effort.map(level),
        })
    }
}
