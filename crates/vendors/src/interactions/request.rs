//! Encodes the body of a request to Interactions.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};
use silcrow_provider::Request;

use crate::model::SamplingLimits;

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct InteractionRequest {
    pub(crate) streaming: bool,
    /// Whether the server keeps the answer, so that another can follow it.
    pub(crate) store: bool,
    /// The instructions, which the server does not keep.
    pub(crate) system: Option<String>,
    /// The interaction that this one follows.
    pub(crate) previous: Option<String>,
    /// The token that continues an answer that stopped at a limit of one request.
    pub(crate) continuation: Option<String>,
    /// The messages after the interaction that it follows.
    pub(crate) input: Vec<Message>,
}

impl InteractionRequest {
    /// Creates a request with the whole conversation, which the server keeps.
    pub(crate) fn new(request: Request) -> Self {
        let (system, input): (Vec<_>, Vec<_>) =
            request.messages.into_iter().partition(|message| message.role == Role::System);
        let system: Vec<_> =
            system.into_iter().map(|message| message.content.into_text()).collect();
        Self {
            streaming: request.streaming,
            store: true,
            system: (!system.is_empty()).then(|| system.join("\n\n")),
            previous: None,
            continuation: None,
            input,
        }
    }

    /// Returns the body of the request.
    ///
    /// Equal messages are encoded in equal bytes and come last. So a longer conversation only
    /// appends, and prompt caches hit.
    pub(crate) fn body(&self, model: &str, limits: SamplingLimits) -> Vec<u8> {
        let SamplingLimits { max_tokens, temperature } = limits;
        let config = InteractionConfig { max_output_tokens: max_tokens, temperature };
        // A server that keeps the answer already has the input.
        let known = self.store && self.continuation.is_some();
        let is_set = max_tokens.is_some() || temperature.is_some();
        let body = InteractionBody {
            model,
            stream: self.streaming,
            store: self.store,
            generation_config: is_set.then_some(config),
            system_instruction: self.system.as_deref(),
            previous_interaction_id: self.previous.as_deref(),
            continuation_token: self.continuation.as_deref(),
            input: (!known).then(|| self.input.iter().map(InputStep::from).collect()),
        };
        serde_json::to_vec(&body).expect("strings and numbers are JSON")
    }
}

#[derive(Serialize)]
struct InteractionBody<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<InteractionConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_interaction_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Vec<InputStep<'a>>>,
}

#[derive(Serialize)]
struct InteractionConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

#[derive(Serialize)]
struct InputStep<'a> {
    r#type: &'static str,
    content: [InputText<'a>; 1],
}

#[derive(Serialize)]
struct InputText<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
}

impl<'a> From<&'a Message> for InputStep<'a> {
    fn from(message: &'a Message) -> Self {
        let model = message.role == Role::Assistant;
        Self {
            r#type: if model { "model_output" } else { "user_input" },
            content: [InputText { r#type: "text", text: message.text() }],
        }
    }
}
