use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};
use silcrow_provider::Request;

/// What is sent besides the conversation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
}

/// What is asked for in one request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) streaming: bool,
    /// Whether the server keeps the answer, so that another may follow it.
    pub(crate) store: bool,
    /// The server keeps no instructions: they are sent each time.
    pub(crate) system: Option<String>,
    /// The interaction that this one follows.
    pub(crate) previous: Option<String>,
    /// Where an answer is to go on that stopped at a limit of one request.
    pub(crate) continuation: Option<String>,
    /// What stands behind the interaction that is followed.
    pub(crate) input: Vec<Message>,
}

impl Asked {
    /// All of the conversation, kept by the server.
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

    /// The body of the request. Equal messages give equal bytes, or no prompt cache would hold;
    /// they stand last, so that a longer conversation only adds to the bytes.
    pub(crate) fn body(&self, model: &str, options: Options) -> Vec<u8> {
        let config =
            Config { max_output_tokens: options.max_tokens, temperature: options.temperature };
        // A server that keeps an answer knows what it has begun to answer.
        let known = self.store && self.continuation.is_some();
        let is_set = options.max_tokens.is_some() || options.temperature.is_some();
        let body = Body {
            model,
            stream: self.streaming,
            store: self.store,
            generation_config: is_set.then_some(config),
            system_instruction: self.system.as_deref(),
            previous_interaction_id: self.previous.as_deref(),
            continuation_token: self.continuation.as_deref(),
            input: (!known).then(|| self.input.iter().map(Step::from).collect()),
        };
        serde_json::to_vec(&body).expect("strings and numbers are JSON")
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Config>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_interaction_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Vec<Step<'a>>>,
}

#[derive(Serialize)]
struct Config {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

#[derive(Serialize)]
struct Step<'a> {
    r#type: &'static str,
    content: [Content<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
}

impl<'a> From<&'a Message> for Step<'a> {
    fn from(message: &'a Message) -> Self {
        let model = message.role == Role::Assistant;
        Self {
            r#type: if model { "model_output" } else { "user_input" },
            content: [Content { r#type: "text", text: message.text() }],
        }
    }
}
