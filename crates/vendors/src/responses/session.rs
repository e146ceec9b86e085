use std::ops::ControlFlow;
use std::time::Duration;

use silcrow_event::{Message, Role};

use crate::answer::{Answer, Api as _, Broken, Out};
use crate::fields::Fields;
use crate::responses::reader::Reader;
use crate::responses::request::{self, Options};
use crate::talk::{self, Heard, Last, Texts};

/// Responses that follow each other over a WebSocket.
///
/// A response is chained to the one before it, which the connection remembers. Nothing of a
/// response can be taken back: where the model wrote more than counts, the next one is chained to
/// that before it, and what was sent since is sent again.
///
/// ```text
/// sent:      a            b                 b, kept of 2, c
/// chained:   ── 1 ◀────── 2 (wrote more)
///               ◀────────────────────────── 3
/// ```
pub(crate) struct Talk {
    model: String,
    options: Options,
    fields: Fields,
    /// No response carries them over to the next.
    instructions: Option<String>,
    /// The response that the one at hand is chained to.
    from: Option<String>,
    /// What was sent since.
    since: Vec<Message>,
    reader: Reader,
    /// The response at hand ended as the model wanted.
    is_whole: bool,
}

impl Talk {
    pub(crate) fn new(model: &str, options: Options, fields: Fields) -> Self {
        Self {
            model: model.to_owned(),
            options,
            fields,
            instructions: None,
            from: None,
            since: Vec::new(),
            reader: Reader::default(),
            is_whole: false,
        }
    }

    fn ask(&mut self, texts: &mut Texts) {
        (self.reader, self.is_whole) = (Reader::default(), false);
        let (instructions, from) = (self.instructions.as_deref(), self.from.as_deref());
        let event = request::event(&self.model, instructions, from, &self.since, self.options);
        let event = self.fields.merge(event.into_bytes());
        texts.push_back(String::from_utf8(event).expect("JSON is text"));
    }
}

impl talk::Talk for Talk {
    /// Five minutes less than the hour that a connection may last.
    const LIFETIME: Duration = Duration::from_secs(55 * 60);

    fn begin(&mut self, messages: &[Message], texts: &mut Texts) {
        let (system, told): (Vec<_>, Vec<_>) =
            messages.iter().partition(|message| message.role == Role::System);
        self.instructions = request::instructions(system);
        self.since = told.into_iter().cloned().collect();
        self.ask(texts);
    }

    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
        _: &mut Texts,
    ) -> Result<Heard, Broken> {
        match self.reader.event(data, answer, out)? {
            ControlFlow::Continue(()) => Ok(Heard::Begun),
            ControlFlow::Break(()) => {
                self.is_whole = answer.is_stopped();
                Ok(Heard::Over)
            }
        }
    }

    fn follow(&mut self, last: Last<'_>, messages: &[Message], texts: &mut Texts) -> Option<()> {
        match self.reader.id.take() {
            Some(id) if self.is_whole && last.is_all => {
                self.from = Some(id);
                self.since.clear();
            }
            _ if last.kept.trim().is_empty() => {}
            _ => self.since.push(Message::new(Role::Assistant, last.kept)),
        }
        self.since.extend_from_slice(messages);
        self.ask(texts);
        Some(())
    }
}
