//! Encodes the body of a request to `generateContent`.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};
use silcrow_provider::Request;

use super::Gemini;
use crate::model::SamplingLimits;

/// Returns the body of a request.
///
/// Equal messages are encoded in equal bytes and come last. So a longer conversation only appends,
/// and prompt caches hit.
pub(crate) fn body(model: &Gemini, request: &Request) -> Vec<u8> {
    let (system, turns): (Vec<_>, Vec<_>) =
        request.messages.iter().partition(|message| message.role == Role::System);
    let system: Vec<_> = system.into_iter().map(part).collect();
    let contents = turns.into_iter().map(|message| GeminiTurn {
        role: Some(if message.role == Role::Assistant { "model" } else { "user" }),
        parts: vec![part(message)],
    });
    let body = GeminiRequest {
        system_instruction: (!system.is_empty())
            .then_some(GeminiTurn { role: None, parts: system }),
        generation_config: GenerationConfig::new(model.limits),
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
    generation_config: Option<GenerationConfig>,
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
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

impl GenerationConfig {
    /// Returns the limits as the API names them, if any is set.
    fn new(limits: SamplingLimits) -> Option<Self> {
        let SamplingLimits { max_tokens, temperature } = limits;
        let is_set = max_tokens.is_some() || temperature.is_some();
        is_set.then_some(Self { max_output_tokens: max_tokens, temperature })
    }
}
