use std::time::{Duration, SystemTime};

use serde_json::json;
use silcrow_event::{Message, Role};
use silcrow_provider::Error;

use crate::answer::{Answer, Broken, Out};
use crate::error::Peer;
use crate::realtime::event::Event;
use crate::talk::{self, Heard, Last, Texts};
use crate::ws::Gone;

/// A conversation that the server keeps, item by item.
///
/// The server writes what the model says into it. Where that is more than counts, its items are
/// deleted and what counts is written in their place.
pub(crate) struct Talk {
    max_tokens: Option<u32>,
    /// The items of the answer at hand.
    items: Vec<String>,
    /// The one whose text came last: each begins a line.
    item: Option<String>,
    /// The answer at hand ended as the model wanted.
    is_whole: bool,
    /// An error that was about nothing of ours. Most are harmless; the reason if the server hangs
    /// up.
    complaint: Option<String>,
    expires: Option<SystemTime>,
}

impl Talk {
    pub(crate) const fn new(max_tokens: Option<u32>) -> Self {
        Self {
            max_tokens,
            items: Vec::new(),
            item: None,
            is_whole: false,
            complaint: None,
            expires: None,
        }
    }

    /// Adds to the conversation and asks.
    fn ask<'a>(&mut self, messages: impl IntoIterator<Item = &'a Message>, texts: &mut Texts) {
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

    /// What follows is of this item.
    fn enter(&mut self, id: &str, answer: &mut Answer, out: &mut Out) {
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

impl talk::Talk for Talk {
    /// Five minutes less than the hour that a session may last.
    const LIFETIME: Duration = Duration::from_secs(55 * 60);

    fn begin(&mut self, messages: &[Message], texts: &mut Texts) {
        let (system, told): (Vec<_>, Vec<_>) =
            messages.iter().partition(|message| message.role == Role::System);
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
        self.ask(told, texts);
    }

    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
        _: &mut Texts,
    ) -> Result<Heard, Broken> {
        let event: Event<'_> = serde_json::from_str(data)?;
        match &*event.r#type {
            "session.created" | "session.updated" => {
                let at = event.session.unwrap_or_default().expires_at.read();
                // Servers that know of no end say 0.
                let at = at.filter(|at| *at > 0);
                let at = at.map(Duration::from_secs);
                let at = at.and_then(|at| SystemTime::UNIX_EPOCH.checked_add(at));
                self.expires = at.or(self.expires);
            }
            "response.created" => return Ok(Heard::Begun),
            "response.output_item.added" => {
                if let Some(id) = event.item.unwrap_or_default().id.word() {
                    self.note(&id);
                }
            }
            "response.output_text.delta" => {
                self.enter(&event.item_id.word().unwrap_or_default(), answer, out);
                event.delta.text().iter().for_each(|piece| answer.text(piece, out));
                return Ok(Heard::Begun);
            }
            "response.done" => {
                event.response.unwrap_or_default().end(data, answer)?;
                self.is_whole = answer.is_stopped();
                return Ok(Heard::Over);
            }
            "error" => match event.error.unwrap_or_default().event_id.word().as_deref() {
                Some(OURS) => return answer.failed(data),
                // What was to be stopped was over already.
                Some(STOP) => {}
                _ => self.complaint = Some(data.to_owned()),
            },
            // Others repeat what came, tell of limits, or are new.
            _ => {}
        }
        Ok(Heard::Nothing)
    }

    fn cancel(&mut self, texts: &mut Texts) {
        texts.push_back(json!({"type": "response.cancel", "event_id": STOP}).to_string());
    }

    fn follow(&mut self, last: Last<'_>, messages: &[Message], texts: &mut Texts) -> Option<()> {
        let delete = |id: &String| {
            let delete = "conversation.item.delete";
            json!({"type": delete, "event_id": OURS, "item_id": id}).to_string()
        };
        if !(self.is_whole && last.is_all) {
            // What has no name cannot be deleted.
            if !last.is_all && (self.items.is_empty() || self.items.iter().any(String::is_empty)) {
                return None;
            }
            texts.extend(self.items.iter().filter(|id| !id.is_empty()).map(delete));
            if !last.kept.trim().is_empty() {
                texts.push_back(item(&Message::new(Role::Assistant, last.kept)));
            }
        }
        self.ask(messages, texts);
        Some(())
    }

    fn expires(&self) -> Option<SystemTime> {
        self.expires
    }

    fn gone(&self, peer: &Peer, gone: Gone) -> Error {
        match &self.complaint {
            Some(complaint) => peer.in_band(complaint),
            None => peer.gone(gone, None),
        }
    }
}

/// The event that adds a message to the conversation.
fn item(message: &Message) -> String {
    let kind = if message.role == Role::Assistant { "output_text" } else { "input_text" };
    let content = json!([{"type": kind, "text": message.text()}]);
    let item = json!({"type": "message", "role": message.role.as_str(), "content": content});
    json!({"type": "conversation.item.create", "event_id": OURS, "item": item}).to_string()
}

/// The name of events that must not fail.
const OURS: &str = "silcrow";

/// The name of those that may.
const STOP: &str = "silcrow-stop";
