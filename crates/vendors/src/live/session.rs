use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use silcrow_event::{Message, Role};
use silcrow_provider::Error;

use crate::answer::{Answer, Broken, Out};
use crate::ends;
use crate::error::Peer;
use crate::live::event::{Content, Event};
use crate::talk::{self, Heard, Last, Texts};
use crate::ws::Gone;

/// What is sent besides the messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
}

/// Turns of a conversation that the server keeps, word for word.
pub(crate) struct Talk {
    model: String,
    options: Options,
    /// What is asked once the server is set up.
    first: Option<String>,
    is_whole: bool,
    leaves: bool,
}

impl Talk {
    pub(crate) fn new(model: &str, options: Options) -> Self {
        Self { model: model.to_owned(), options, first: None, is_whole: false, leaves: false }
    }

    fn content(&mut self, content: Content<'_>, answer: &mut Answer, out: &mut Out) -> Heard {
        content.model_turn.unwrap_or_default().say(answer, out);
        if !content.turn_complete.is_set() {
            return Heard::Begun;
        }
        let reason = content.turn_complete_reason.word();
        let reason = match reason.as_deref().unwrap_or("STOP") {
            _ if content.interrupted.is_set() => "interrupted",
            // There are many, for each kind of what may not be said.
            reason if reason.contains("SAFETY") || reason.contains("PROHIBITED") => "SAFETY",
            reason => reason,
        };
        answer.end(ends::LIVE, reason, "");
        self.is_whole = answer.is_stopped();
        Heard::Over
    }
}

impl talk::Talk for Talk {
    /// The server ends a connection after about ten minutes, and says so a minute before.
    const LIFETIME: Duration = Duration::from_secs(9 * 60);

    fn begin(&mut self, messages: &[Message], texts: &mut Texts) {
        let (system, told): (Vec<_>, Vec<_>) =
            messages.iter().partition(|message| message.role == Role::System);
        let mut config = json!({"responseModalities": ["TEXT"]});
        if let Some(count) = self.options.max_tokens {
            config["maxOutputTokens"] = count.into();
        }
        if let Some(temperature) = self.options.temperature {
            config["temperature"] = temperature.into();
        }
        let model = format!("models/{}", self.model);
        let mut setup = json!({"model": model, "generationConfig": config});
        let system: Vec<_> = system.into_iter().map(part).collect();
        if !system.is_empty() {
            setup["systemInstruction"] = json!({"parts": system});
        }
        texts.push_back(json!({"setup": setup}).to_string());
        self.first = Some(turns(told));
    }

    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
        texts: &mut Texts,
    ) -> Result<Heard, Broken> {
        let event: Event<'_> = serde_json::from_str(data)?;
        if event.error.is_set() {
            return answer.failed(data);
        }
        self.leaves |= event.go_away.0.is_some();
        answer.report(event.usage());
        if event.setup_complete.0.is_some() {
            texts.extend(self.first.take());
            return Ok(Heard::Begun);
        }
        let content = event.server_content.0;
        Ok(content.map_or(Heard::Nothing, |content| self.content(content, answer, out)))
    }

    fn follow(&mut self, last: Last<'_>, messages: &[Message], texts: &mut Texts) -> Option<()> {
        if !(self.is_whole && last.is_all) {
            return None;
        }
        self.is_whole = false;
        texts.push_back(turns(messages));
        Some(())
    }

    /// At once, if it said that it will.
    fn expires(&self) -> Option<SystemTime> {
        self.leaves.then_some(SystemTime::UNIX_EPOCH)
    }

    fn gone(&self, peer: &Peer, gone: Gone) -> Error {
        let hint = matches!(gone, Gone::Closed(Some(1007), _)).then_some(
            "the models behind Live speak aloud and write no text; use gemini-interactions:MODEL",
        );
        peer.gone(gone, hint)
    }
}

/// The message by which it is the model's turn.
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
