//! The protocol of Responses over a WebSocket, where each response follows an earlier one.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{Message, Role};
use silcrow_provider::ToolDeclaration;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError, EventReader as _};
use crate::fields::BodyFields;
use crate::protocol::{AnswerProgress, LastAnswer, OutgoingTexts, WebSocketProtocol};
use crate::responses::reader::ResponsesReader;
use crate::responses::request::{self, ResponsesOptions};

/// Responses that follow each other over a WebSocket.
///
/// A response is chained to the previous one, which the connection remembers. The server cannot
/// forget a part of a response. If only a part counts, the next response is chained to the one
/// before it, and the messages since then are sent again, with that part.
///
/// The instructions are the first item of the conversation. A response does not pass on the field
/// `instructions`, so each request would have to repeat them, and they list the tools.
///
/// ```text
/// sent:      a            b                 b, kept of 2, c
/// chained:   ── 1 ◀────── 2 (wrote more)
///               ◀────────────────────────── 3
/// ```
pub(crate) struct ResponsesProtocol {
    model: String,
    options: ResponsesOptions,
    fields: BodyFields,
    /// The tools, which each request repeats: a response does not pass them on.
    tools: Arc<[ToolDeclaration]>,
    /// The id of the previous response of the current one.
    from: Option<String>,
    /// The messages since that response.
    since: Vec<Message>,
    reader: ResponsesReader,
    /// Whether the model itself ended the current response.
    is_whole: bool,
}

impl ResponsesProtocol {
    pub(crate) fn new(
        model: &str,
        options: ResponsesOptions,
        fields: BodyFields,
        tools: Arc<[ToolDeclaration]>,
    ) -> Self {
        Self {
            model: model.to_owned(),
            options,
            fields,
            tools,
            from: None,
            since: Vec::new(),
            reader: ResponsesReader::default(),
            is_whole: false,
        }
    }

    fn ask(&mut self, texts: &mut OutgoingTexts) {
        (self.reader, self.is_whole) = (ResponsesReader::new(&self.tools), false);
        let (from, since) = (self.from.as_deref(), &*self.since);
        let event = request::event(&self.model, from, since, &self.options, &self.tools);
        let event = self.fields.merge(event.into_bytes());
        texts.push_back(String::from_utf8(event).expect("JSON is text"));
    }
}

impl WebSocketProtocol for ResponsesProtocol {
    /// Five minutes less than the hour that a connection may last.
    const LIFETIME: Duration = Duration::from_secs(55 * 60);

    fn begin(&mut self, messages: &[Message], texts: &mut OutgoingTexts) {
        self.since = messages.to_vec();
        self.ask(texts);
    }

    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
        _: &mut OutgoingTexts,
    ) -> Result<AnswerProgress, EventError> {
        match self.reader.event(data, answer, out)? {
            ControlFlow::Continue(()) => Ok(AnswerProgress::Accepted),
            ControlFlow::Break(()) => {
                self.is_whole = answer.is_stopped();
                Ok(AnswerProgress::Finished)
            }
        }
    }

    fn follow(
        &mut self,
        last: LastAnswer<'_>,
        messages: &[Message],
        texts: &mut OutgoingTexts,
    ) -> Option<()> {
        match self.reader.id.take() {
            Some(id) if self.is_whole && last.is_all => {
                self.from = Some(id);
                self.since.clear();
            }
            _ if last.kept.text().trim().is_empty() => {}
            _ => self.since.push(Message::new(Role::Assistant, last.kept.clone())),
        }
        self.since.extend_from_slice(messages);
        self.ask(texts);
        Some(())
    }
}
