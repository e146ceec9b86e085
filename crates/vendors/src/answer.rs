//! The translation of a server's events to deltas, without I/O.
//!
//! Each API implements [`EventReader`], which interprets events. It calls an [`AnswerBuilder`],
//! which joins texts, separates inline thoughts, and remembers usage and finish reason. At its end
//! an answer is complete if its finish reason is known, and cut otherwise.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use silcrow_event as event;
use silcrow_provider::{Delta, Error, FinishReason};

use crate::ends::{self, FinishMeaning, FinishTable};
use crate::error::{ErrorCause, Peer};
use crate::text::{JsonText, SurrogateJoiner};
use crate::thoughts::{InlineReasoning, InlineTextKind, ReasoningSplitter};

/// Deltas that wait to be emitted.
pub(crate) type DeltaQueue = VecDeque<Result<Delta, Error>>;

/// Reads the events of one API.
pub(crate) trait EventReader: Send + Sync {
    /// Takes one event of a stream, and breaks if nothing of use can follow it.
    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<ControlFlow<()>, EventError>;

    /// Takes an answer that arrived as one JSON text instead of a stream of events.
    fn whole(
        &mut self,
        body: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError>;

    /// Takes the end mark that some servers write after the last event.
    fn done(&mut self, answer: &mut AnswerBuilder) {
        let _ = answer;
    }

    /// Returns the place of the model's thoughts in its text.
    fn inline_reasoning(&self) -> InlineReasoning {
        InlineReasoning::None
    }
}

/// The reason why an event cannot be read.
pub(crate) enum EventError {
    Json(serde_json::Error),
    Failed(Error),
}

impl From<serde_json::Error> for EventError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// Builds an answer from its pieces.
pub(crate) struct AnswerBuilder {
    pub(crate) peer: Arc<Peer>,
    text: SurrogateJoiner,
    reasoning: SurrogateJoiner,
    splitter: ReasoningSplitter,
    /// Whether the last line of the text has no line break yet.
    in_line: bool,
    refused: bool,
    /// The last report that is not empty.
    pub(crate) usage: Option<event::Usage>,
    /// The end of the answer, once it is known: a finish reason, or an error that leaves the answer
    /// incomplete.
    finish: Option<Result<FinishReason, Box<Error>>>,
}

impl AnswerBuilder {
    pub(crate) fn new(peer: Arc<Peer>) -> Self {
        Self::with_reasoning(peer, InlineReasoning::None)
    }

    /// Creates an answer whose text may contain the model's thoughts.
    pub(crate) fn with_reasoning(peer: Arc<Peer>, reasoning: InlineReasoning) -> Self {
        Self {
            peer,
            splitter: ReasoningSplitter::new(reasoning),
            text: SurrogateJoiner::default(),
            reasoning: SurrogateJoiner::default(),
            in_line: false,
            refused: false,
            usage: None,
            finish: None,
        }
    }

    pub(crate) fn text(&mut self, piece: &JsonText, out: &mut DeltaQueue) {
        let text = self.text.push(piece);
        self.emit_text(text, out);
    }

    pub(crate) fn reason(&mut self, piece: &JsonText, out: &mut DeltaQueue) {
        send(self.reasoning.push(piece), Delta::Reasoning, out);
    }

    /// Takes text in which the model refuses to answer. Some servers add an empty refusal to every
    /// text.
    pub(crate) fn refuse(&mut self, piece: &JsonText, out: &mut DeltaQueue) {
        if !piece.is_empty() {
            self.refused = true;
            self.text(piece, out);
        }
    }

    /// Takes a report of usage, unless it is empty.
    pub(crate) fn report(&mut self, usage: Option<impl Into<event::Usage>>) {
        let usage = usage.map(Into::into).filter(|usage| *usage != event::Usage::default());
        self.usage = usage.or(self.usage);
    }

    /// Takes the vendor's word for the reason why the answer is over, and the vendor's explanation.
    ///
    /// A failure is kept, even if other finish reasons follow.
    pub(crate) fn end(&mut self, ends: &FinishTable, word: &str, why: &str) {
        let finish = match ends::find(ends, word) {
            FinishMeaning::None => return,
            FinishMeaning::Stop => Ok(FinishReason::Stop),
            FinishMeaning::ToolUse => Ok(FinishReason::ToolUse),
            FinishMeaning::Length => Ok(FinishReason::Length),
            FinishMeaning::Filter => Ok(FinishReason::Filter),
            FinishMeaning::Failed(kind) => Err(Box::new(self.peer.ended(kind, word, why))),
        };
        if !matches!(self.finish, Some(Err(_))) {
            self.finish = Some(finish);
        }
    }

    /// Returns whether the end of the answer is known.
    pub(crate) const fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Returns whether the answer is over, and nothing of it is missing.
    pub(crate) const fn is_whole(&self) -> bool {
        matches!(self.finish, Some(Ok(FinishReason::Stop | FinishReason::ToolUse))) && !self.refused
    }

    /// Returns the error of a piece that came for a call that had ended.
    pub(crate) fn late<T>(&self) -> Result<T, EventError> {
        let why = "it sent a part of a call after the end of the call";
        Err(EventError::Failed(self.peer.malformed(why)))
    }

    /// Returns whether the model itself ended the answer.
    pub(crate) const fn is_stopped(&self) -> bool {
        matches!(self.finish, Some(Ok(FinishReason::Stop))) && !self.refused
    }

    /// Makes the next text begin a line, because delimiters count only there.
    pub(crate) fn begin_line(&mut self, out: &mut DeltaQueue) {
        let half = self.text.finish();
        self.emit_text(half.to_owned(), out);
        if self.in_line {
            self.emit_text("\n".to_owned(), out);
        }
    }

    /// Returns the error that arrived in place of an event.
    pub(crate) fn failed<T>(&self, data: &str) -> Result<T, EventError> {
        Err(EventError::Failed(self.peer.in_band(data)))
    }

    /// Ends the answer after its body ended or broke off because of `cause`.
    ///
    /// The answer is complete if its finish reason has arrived. Neither another mark nor the end of
    /// the body proves that.
    pub(crate) fn close(mut self, cause: Option<ErrorCause>, out: &mut DeltaQueue) {
        let Some(finish) = self.finish.take() else {
            out.push_back(Err(self.peer.cut(cause)));
            return;
        };
        send(self.reasoning.finish().to_owned(), Delta::Reasoning, out);
        let half = self.text.finish();
        self.emit_text(half.to_owned(), out);
        self.splitter.finish(|part, text| send(text.to_owned(), part.delta(), out));
        out.extend(self.usage.map(|usage| Ok(Delta::Usage(usage))));
        let finish = finish.map(|finish| match finish {
            FinishReason::Stop if self.refused => FinishReason::Filter,
            finish => finish,
        });
        out.push_back(finish.map(Delta::Done).map_err(|error| *error));
    }

    fn emit_text(&mut self, text: String, out: &mut DeltaQueue) {
        if !text.is_empty() {
            self.in_line = !text.ends_with('\n');
        }
        if self.splitter.is_done() {
            send(text, Delta::Text, out);
        } else {
            self.splitter.push(&text, |part, text| send(text.to_owned(), part.delta(), out));
        }
    }
}

impl InlineTextKind {
    const fn delta(self) -> fn(String) -> Delta {
        match self {
            Self::Text => Delta::Text,
            Self::Reasoning => Delta::Reasoning,
        }
    }
}

fn send(text: String, delta: impl Fn(String) -> Delta, out: &mut DeltaQueue) {
    if !text.is_empty() {
        out.push_back(Ok(delta(text)));
    }
}
