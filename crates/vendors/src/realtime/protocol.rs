//! The protocol of Realtime over a WebSocket: the messages to send, and the meaning of the server's
//! events.

use std::time::{Duration, SystemTime};

use serde_json::json;
use silcrow_event::{MediaRef, Message, Role};
use silcrow_provider::Error;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::error::Peer;
use crate::instructions;
use crate::media_parts::{MediaPiece, has_media, pieces};
use crate::protocol::{AnswerProgress, LastAnswer, OutgoingTexts, WebSocketProtocol};
use crate::realtime::event::RealtimeEvent;
use crate::ws::Disconnect;

/// A conversation that the server keeps item by item.
///
/// The server adds the model's answers to it. If only a part of an answer counts, its items are
/// deleted and that part is added in their place.
pub(crate) struct RealtimeProtocol {
    max_tokens: Option<u32>,
    /// The items of the current answer.
    items: Vec<String>,
    /// The item whose text arrived last. Each item begins a line.
    item: Option<String>,
    /// Whether the model itself ended the current answer.
    is_whole: bool,
    /// The last error that is not about one of the client's events. Most are harmless, but if the
    /// server closes the connection it is the reason.
    last_error: Option<String>,
    expires: Option<SystemTime>,
}

impl RealtimeProtocol {
    pub(crate) const fn new(max_tokens: Option<u32>) -> Self {
        Self {
            max_tokens,
            items: Vec::new(),
            item: None,
            is_whole: false,
            last_error: None,
            expires: None,
        }
    }

    /// Adds messages to the conversation and asks for an answer.
    fn ask<'a>(
        &mut self,
        messages: impl IntoIterator<Item = &'a Message>,
        texts: &mut OutgoingTexts,
    ) {
        self.items.clear();
        (self.item, self.is_whole) = (None, false);
        texts.extend(messages.into_iter().map(item));
        let create = json!({
            "type": "response.create",
            "event_id": OURS,
            "response": {"output_modalities": ["text"]},
        });
        texts.push_back(create.to_string());
    }

    /// Records that the text that follows belongs to this item.
    fn enter(&mut self, id: &str, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
        if self.item.as_deref() != Some(id) {
            if self.item.is_some() {
                answer.begin_line(out);
            }
            self.item = Some(id.to_owned());
        }
        self.note(id);
    }

    fn note(&mut self, id: &str) {
        if self.items.iter().all(|item| item != id) {
            self.items.push(id.to_owned());
        }
    }
}

impl WebSocketProtocol for RealtimeProtocol {
    /// Five minutes less than the hour that a session may last.
    const LIFETIME: Duration = Duration::from_secs(55 * 60);

    fn begin(&mut self, messages: &[Message], texts: &mut OutgoingTexts) {
        let (system, conversation) = instructions::split(messages);
        let instructions: Vec<_> = system.iter().map(|message| message.text()).collect();
        let mut session = json!({"type": "realtime", "output_modalities": ["text"]});
        if !instructions.is_empty() {
            session["instructions"] = instructions.join("\n\n").into();
        }
        if let Some(count) = self.max_tokens {
            session["max_output_tokens"] = count.into();
        }
        let update = json!({"type": "session.update", "event_id": OURS, "session": session});
        texts.push_back(update.to_string());
        self.ask(conversation, texts);
    }

    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
        _: &mut OutgoingTexts,
    ) -> Result<AnswerProgress, EventError> {
        let event: RealtimeEvent<'_> = serde_json::from_str(data)?;
        match &*event.r#type {
            "session.created" | "session.updated" => {
                let at = event.session.unwrap_or_default().expires_at.read();
                // Servers without a limit send 0.
                let at = at.filter(|at| *at > 0);
                let at = at.map(Duration::from_secs);
                let at = at.and_then(|at| SystemTime::UNIX_EPOCH.checked_add(at));
                self.expires = at.or(self.expires);
            }
            "response.created" => return Ok(AnswerProgress::Accepted),
            "response.output_item.added" => {
                if let Some(id) = event.item.unwrap_or_default().id.word() {
                    self.note(&id);
                }
            }
            "response.output_text.delta" => {
                self.enter(&event.item_id.word().unwrap_or_default(), answer, out);
                event.delta.text().iter().for_each(|piece| answer.text(piece, out));
                return Ok(AnswerProgress::Accepted);
            }
            "response.done" => {
                event.response.unwrap_or_default().end(data, answer)?;
                self.is_whole = answer.is_stopped();
                return Ok(AnswerProgress::Finished);
            }
            "error" => match event.error.unwrap_or_default().event_id.word().as_deref() {
                Some(OURS) => return answer.failed(data),
                // The response was over before it was cancelled.
                Some(STOP) => {}
                _ => self.last_error = Some(data.to_owned()),
            },
            // Other events repeat text, report limits, or are new.
            _ => {}
        }
        Ok(AnswerProgress::None)
    }

    fn cancel(&mut self, texts: &mut OutgoingTexts) {
        texts.push_back(json!({"type": "response.cancel", "event_id": STOP}).to_string());
    }

    fn follow(
        &mut self,
        last: LastAnswer<'_>,
        messages: &[Message],
        texts: &mut OutgoingTexts,
    ) -> Option<()> {
        let delete = |id: &String| {
            let delete = "conversation.item.delete";
            json!({"type": delete, "event_id": OURS, "item_id": id}).to_string()
        };
        if !(self.is_whole && last.is_all) {
            // An item without an id cannot be deleted.
            if !last.is_all && (self.items.is_empty() || self.items.iter().any(String::is_empty)) {
                return None;
            }
            texts.extend(self.items.iter().filter(|id| !id.is_empty()).map(delete));
            if !last.kept.text().trim().is_empty() {
                texts.push_back(item(&Message::new(Role::Assistant, last.kept.clone())));
            }
        }
        self.ask(messages, texts);
        Some(())
    }

    fn expires(&self) -> Option<SystemTime> {
        self.expires
    }

    fn disconnected(&self, peer: &Peer, disconnect: Disconnect) -> Error {
        match &self.last_error {
            Some(error) => peer.in_band(error),
            None => peer.disconnected(disconnect, None),
        }
    }
}

/// Returns the event that adds a message to the conversation.
fn item(message: &Message) -> String {
    let kind = if message.role == Role::Assistant { "output_text" } else { "input_text" };
    let written = |piece| match piece {
        MediaPiece::Text(text) => json!({"type": kind, "text": text}),
        MediaPiece::Medium(loaded) => {
            json!({"type": "input_image", "image_url": loaded.data_url()})
        }
    };
    let content: serde_json::Value = match has_media(message) {
        true => pieces(message.content.parts(), is_seen).into_iter().map(written).collect(),
        false => json!([{"type": kind, "text": message.text()}]),
    };
    let item = json!({"type": "message", "role": message.role.as_str(), "content": content});
    json!({"type": "conversation.item.create", "event_id": OURS, "item": item}).to_string()
}

/// Returns whether a session takes a medium: pictures in two formats.
fn is_seen(medium: &MediaRef) -> bool {
    matches!(&*medium.mime, "image/png" | "image/jpeg")
}

/// The id of events that must not fail.
const OURS: &str = "silcrow";

/// The id of events that may fail.
const STOP: &str = "silcrow-stop";
