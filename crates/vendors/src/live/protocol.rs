//! The protocol of Live over a WebSocket: the messages to send, and the meaning of the server's.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use silcrow_event::{Message, Role};
use silcrow_provider::{Error, Sampling};

use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::ends;
use crate::error::Peer;
use crate::instructions;
use crate::live::event::{LiveContent, LiveEvent};
use crate::protocol::{AnswerProgress, LastAnswer, OutgoingTexts, WebSocketProtocol};
use crate::ws::Disconnect;

/// A conversation that the server keeps word for word.
pub(crate) struct LiveProtocol {
    model: String,
    sampling: Sampling,
    /// The question that is sent once the server is set up.
    first: Option<String>,
    is_whole: bool,
    /// Whether the server has announced that it will close the connection.
    is_closing: bool,
}

impl LiveProtocol {
    pub(crate) fn new(model: &str, sampling: Sampling) -> Self {
        Self { model: model.to_owned(), sampling, first: None, is_whole: false, is_closing: false }
    }

    fn content(
        &mut self,
        content: LiveContent<'_>,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> AnswerProgress {
        content.model_turn.unwrap_or_default().add_to(answer, out);
        if !content.turn_complete.is_set() {
            return AnswerProgress::Accepted;
        }
        let reason = content.turn_complete_reason.word();
        let reason = match reason.as_deref().unwrap_or("STOP") {
            _ if content.interrupted.is_set() => "interrupted",
            // Each kind of forbidden content has a separate word.
            reason if reason.contains("SAFETY") || reason.contains("PROHIBITED") => "SAFETY",
            reason => reason,
        };
        answer.end(ends::LIVE, reason, "");
        self.is_whole = answer.is_stopped();
        AnswerProgress::Finished
    }
}

impl WebSocketProtocol for LiveProtocol {
    /// The server ends a connection after about ten minutes, and announces it a minute before.
    const LIFETIME: Duration = Duration::from_secs(9 * 60);

    fn begin(&mut self, messages: &[Message], texts: &mut OutgoingTexts) {
        let (system, conversation) = instructions::split(messages);
        let mut config = json!({"responseModalities": ["TEXT"]});
        if let Some(count) = self.sampling.max_tokens {
            config["maxOutputTokens"] = count.into();
        }
        if let Some(temperature) = self.sampling.temperature {
            config["temperature"] = temperature.into();
        }
        if let Some(seed) = self.sampling.seed {
            config["seed"] = seed.into();
        }
        let model = format!("models/{}", self.model);
        let mut setup = json!({"model": model, "generationConfig": config});
        let system: Vec<_> = system.into_iter().map(part).collect();
        if !system.is_empty() {
            setup["systemInstruction"] = json!({"parts": system});
        }
        texts.push_back(json!({"setup": setup}).to_string());
        self.first = Some(turns(conversation));
    }

    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
        texts: &mut OutgoingTexts,
    ) -> Result<AnswerProgress, EventError> {
        let event: LiveEvent<'_> = serde_json::from_str(data)?;
        if event.error.is_set() {
            return answer.failed(data);
        }
        self.is_closing |= event.go_away.0.is_some();
        answer.report(event.usage());
        if event.setup_complete.0.is_some() {
            texts.extend(self.first.take());
            return Ok(AnswerProgress::Accepted);
        }
        let content = event.server_content.0;
        Ok(content.map_or(AnswerProgress::None, |content| self.content(content, answer, out)))
    }

    fn follow(
        &mut self,
        last: LastAnswer<'_>,
        messages: &[Message],
        texts: &mut OutgoingTexts,
    ) -> Option<()> {
        if !(self.is_whole && last.is_all) {
            return None;
        }
        self.is_whole = false;
        texts.push_back(turns(messages));
        Some(())
    }

    /// Returns a time in the past if the server has announced the end.
    fn expires(&self) -> Option<SystemTime> {
        self.is_closing.then_some(SystemTime::UNIX_EPOCH)
    }

    fn disconnected(&self, peer: &Peer, disconnect: Disconnect) -> Error {
        let hint = matches!(disconnect, Disconnect::Closed(Some(1007), _)).then_some(
            "the models behind Live speak aloud and write no text; use gemini-interactions:MODEL",
        );
        peer.disconnected(disconnect, hint)
    }
}

/// Returns the message that adds turns and asks for an answer.
fn turns<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let turn = |message: &'a Message| {
        let role = if message.role == Role::Assistant { "model" } else { "user" };
        json!({"role": role, "parts": [part(message)]})
    };
    let turns: Vec<_> = messages.into_iter().map(turn).collect();
    json!({"clientContent": {"turns": turns, "turnComplete": true}}).to_string()
}

fn part(message: &Message) -> Value {
    json!({"text": message.text()})
}
