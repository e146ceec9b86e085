//! Encodes the body of a request to Interactions.

use std::sync::Arc;

use serde::Serialize;
use silcrow_event::{Message, MessageList};
use silcrow_provider::{Effort, Request, Sampling, ThinkingDisplay, ToolDeclaration};

use super::Interactions;
use super::input::InputStep;
use super::native::{InteractionTool, has_parts, write_steps};
use crate::body_list::{self, EMPTY, write_item};
use crate::instructions;

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
    /// The messages after the interaction that it follows. Instructions among them are not sent.
    pub(crate) input: MessageList,
    pub(crate) sampling: Sampling,
    /// The tools, which the server does not keep.
    pub(crate) tools: Arc<[ToolDeclaration]>,
}

impl InteractionRequest {
    /// Creates a request with the whole conversation, which the server keeps.
    pub(crate) fn new(request: Request) -> Self {
        let system: Vec<_> =
            instructions::with_text(&request.messages).map(Message::text).collect();
        Self {
            streaming: request.streaming,
            store: true,
            system: (!system.is_empty()).then(|| system.join("\n\n")),
            previous: None,
            continuation: None,
            input: request.messages,
            sampling: request.sampling,
            tools: request.tools,
        }
    }

    /// Returns the body of the request.
    ///
    /// Equal messages are encoded in equal bytes and come last. So a longer conversation only
    /// appends, and prompt caches hit.
    pub(crate) fn body(&self, model: &Interactions) -> Vec<u8> {
        let sampling = self.sampling.clone().or(&model.sampling);
        // A server that keeps the answer already has the input.
        let known = self.store && self.continuation.is_some();
        let head = InteractionBody {
            model: &model.id,
            stream: self.streaming,
            store: self.store,
            generation_config: InteractionConfig::new(&sampling),
            system_instruction: self.system.as_deref(),
            previous_interaction_id: self.previous.as_deref(),
            continuation_token: self.continuation.as_deref(),
            tools: self.tools.iter().map(InteractionTool::from).collect(),
            input: (!known).then_some(EMPTY),
        };
        let fields = &model.host.fields;
        if known {
            return fields.merge(serde_json::to_vec(&head).expect("strings and numbers are JSON"));
        }
        let has_calls = !self.tools.is_empty();
        let form = if has_calls { "interactions with calls" } else { "interactions" };
        body_list::body(&head, fields, form, &self.input, |message, out| {
            if has_calls && has_parts(message) {
                write_steps(message, out);
            } else if !instructions::is_system(message) {
                write_item(out, &InputStep::from(message));
            }
        })
    }
}

#[derive(Serialize)]
struct InteractionBody<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<InteractionConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_interaction_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<InteractionTool<'a>>,
    /// The messages are added after the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<[(); 0]>,
}

#[derive(Serialize)]
struct InteractionConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_summaries: Option<&'static str>,
}

impl<'a> InteractionConfig<'a> {
    /// Returns the values as the API names them, if any is set.
    fn new(sampling: &'a Sampling) -> Option<Self> {
        (*sampling != Sampling::new()).then(|| Self {
            max_output_tokens: sampling.max_tokens,
            temperature: sampling.temperature,
            seed: sampling.seed,
            stop_sequences: &sampling.stop,
            thinking_level: sampling.effort.map(Effort::as_str),
            thinking_summaries: sampling.thinking_display.map(|display| match display {
                ThinkingDisplay::Omitted => "none",
                _ => "auto",
            }),
        })
    }
}
