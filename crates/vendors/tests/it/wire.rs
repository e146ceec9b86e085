//! The events of each API, in small pieces.

use silcrow_provider::Provider;
use silcrow_vendors::{ApiKey, Chat, Gemini, Interactions, Messages, Responses, Timeouts};

use crate::server::{Server, chunk, finish, long};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    Chat,
    Messages,
    Responses,
    Gemini,
    Interactions,
}

impl Api {
    pub(crate) const ALL: [Self; 5] =
        [Self::Chat, Self::Messages, Self::Responses, Self::Gemini, Self::Interactions];

    /// Returns the API of a capture.
    pub(crate) fn from_capture(file: &str) -> Self {
        match file.split(['/', '.']).nth(1).unwrap() {
            "chat" | "openai_chat" => Self::Chat,
            "messages" | "anthropic_messages" => Self::Messages,
            "responses" | "openai_responses" => Self::Responses,
            "gemini" => Self::Gemini,
            other => panic!("{file} is of the API {other}"),
        }
    }

    /// A model of it there.
    pub(crate) fn model(self, server: &Server) -> Box<dyn Provider> {
        self.at(&server.url(), ApiKey::new(SECRET, "THE_KEY"), Timeouts::default())
    }

    /// The same with a limit of time changed, and the others out of the way.
    pub(crate) fn brief(
        self,
        server: &Server,
        change: impl FnOnce(&mut Timeouts),
    ) -> Box<dyn Provider> {
        let mut timeouts = long();
        change(&mut timeouts);
        self.at(&server.url(), ApiKey::new(SECRET, "THE_KEY"), timeouts)
    }

    pub(crate) fn at(self, url: &str, key: ApiKey, timeouts: Timeouts) -> Box<dyn Provider> {
        match self {
            Self::Chat => {
                let model = Chat::new("m", key).unwrap().with_base(url).unwrap();
                Box::new(model.with_timeouts(timeouts))
            }
            Self::Messages => {
                let model = Messages::new("m", key).unwrap().with_base(url).unwrap();
                Box::new(model.with_timeouts(timeouts))
            }
            Self::Responses => {
                let model = Responses::new("m", key).unwrap().with_base(url).unwrap();
                Box::new(model.with_timeouts(timeouts))
            }
            Self::Gemini => {
                let model = Gemini::new("m", key).unwrap().with_base(url).unwrap();
                Box::new(model.with_timeouts(timeouts))
            }
            Self::Interactions => {
                let model = Interactions::new("m", key).unwrap().with_base(url).unwrap();
                Box::new(model.with_timeouts(timeouts))
            }
        }
    }

    /// The `Debug` output of a model there.
    pub(crate) fn print(self, url: &str, key: ApiKey) -> String {
        match self {
            Self::Chat => format!("{:?}", Chat::new("m", key).unwrap().with_base(url)),
            Self::Messages => format!("{:?}", Messages::new("m", key).unwrap().with_base(url)),
            Self::Responses => format!("{:?}", Responses::new("m", key).unwrap().with_base(url)),
            Self::Gemini => format!("{:?}", Gemini::new("m", key).unwrap().with_base(url)),
            Self::Interactions => {
                format!("{:?}", Interactions::new("m", key).unwrap().with_base(url))
            }
        }
    }

    /// An event with `text`.
    pub(crate) fn text(self, text: &str) -> String {
        match self {
            Self::Chat => chunk(text),
            Self::Messages => event(
                "content_block_delta",
                &format!(r#","delta":{{"type":"text_delta","text":"{text}"}}"#),
            ),
            Self::Responses => {
                event("response.output_text.delta", &format!(r#","delta":"{text}""#))
            }
            Self::Gemini => {
                let part = format!(r#"{{"content":{{"parts":[{{"text":"{text}"}}]}}}}"#);
                format!("data: {{\"candidates\":[{part}]}}\n\n")
            }
            Self::Interactions => step(&format!(r#""delta":{{"type":"text","text":"{text}"}}"#)),
        }
    }

    /// The events that end an answer well, with 12 tokens read, 5 of them from a cache, and 3
    /// written.
    pub(crate) fn stop(self) -> String {
        match self {
            Self::Chat => {
                let usage = r#"{"prompt_tokens":12,"completion_tokens":3,
                    "prompt_tokens_details":{"cached_tokens":5}}"#
                    .replace('\n', "");
                let usage = format!("data: {{\"choices\":[],\"usage\":{usage}}}\n\n");
                finish("stop") + &usage + "data: [DONE]\n\n"
            }
            Self::Messages => {
                let usage = r#","usage":{"input_tokens":7,"cache_read_input_tokens":5,
                    "output_tokens":3}"#
                    .replace('\n', "");
                let reason = format!(r#","delta":{{"stop_reason":"end_turn"}}{usage}"#);
                event("message_delta", &reason) + &event("message_stop", "")
            }
            Self::Responses => event(
                "response.completed",
                &r#","response":{"status":"completed","usage":{"input_tokens":12,
                    "input_tokens_details":{"cached_tokens":5},"output_tokens":3}}"#
                    .replace('\n', ""),
            ),
            Self::Gemini => {
                let usage = r#"{"promptTokenCount":12,"cachedContentTokenCount":5,
                    "candidatesTokenCount":1,"thoughtsTokenCount":2}"#
                    .replace('\n', "");
                let end = r#"[{"finishReason":"STOP"}]"#;
                format!("data: {{\"candidates\":{end},\"usageMetadata\":{usage}}}\n\n")
            }
            Self::Interactions => interaction("i1", "completed", ""),
        }
    }

    /// An answer that comes whole, with `text`.
    pub(crate) fn whole(self, text: &str) -> String {
        match self {
            Self::Chat => format!(
                r#"{{"choices":[{{"message":{{"content":"{text}"}},"finish_reason":"stop"}}]}}"#
            ),
            Self::Messages => format!(
                r#"{{"type":"message","content":[{{"text":"{text}"}}],"stop_reason":"end_turn"}}"#
            ),
            Self::Responses => format!(
                r#"{{"status":"completed","output":[{{"type":"message",
                    "content":[{{"type":"output_text","text":"{text}"}}]}}]}}"#
            ),
            Self::Gemini => format!(
                r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}},
                    "finishReason":"STOP"}}]}}"#
            ),
            Self::Interactions => format!(
                r#"{{"id":"i1","status":"completed","steps":[{{"type":"model_output",
                    "content":[{{"type":"text","text":"{text}"}}]}}]}}"#
            ),
        }
    }

    /// The data in place of an event that the server is too busy.
    pub(crate) fn overload(self) -> String {
        match self {
            Self::Chat => "data: {\"error\":{\"message\":\"full\"}}\n\n".to_owned(),
            Self::Messages => {
                event("error", r#","error":{"type":"overloaded_error","message":"full"}"#)
            }
            Self::Responses => event("error", r#","code":"server_error","message":"full""#),
            // So the service itself writes it.
            Self::Gemini => {
                let error = r#"{"code":503,"message":"full","status":"UNAVAILABLE"}"#;
                format!("{{\n  \"error\": {error}\n}}\n")
            }
            Self::Interactions => {
                let error = r#""error":{"code":"unavailable","message":"full"}"#;
                format!("event: error\ndata: {{\"event_type\":\"error\",{error}}}\n\n")
            }
        }
    }
}

/// A delta of Interactions.
fn step(delta: &str) -> String {
    format!("event: step.delta\ndata: {{\"event_type\":\"step.delta\",\"index\":0,{delta}}}\n\n")
}

/// The end of one of Interactions, with the usage of [`Api::stop`].
pub(crate) fn interaction(id: &str, status: &str, more: &str) -> String {
    let usage = r#""usage":{"total_input_tokens":12,"total_cached_tokens":5,
        "total_output_tokens":1,"total_thought_tokens":2}"#
        .replace('\n', "");
    let name = "interaction.completed";
    let ended = format!(r#"{{"id":"{id}","status":"{status}",{usage}{more}}}"#);
    format!("event: {name}\ndata: {{\"event_type\":\"{name}\",\"interaction\":{ended}}}\n\n")
}

/// An event that is named twice.
fn event(name: &str, rest: &str) -> String {
    format!("event: {name}\ndata: {{\"type\":\"{name}\"{rest}}}\n\n")
}

pub(crate) const SECRET: &str = "sk-canary-0123456789";
