use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use silcrow_event as event;
use silcrow_provider::{Delta, Error, FinishReason};

use crate::ends::{self, End, Ends};
use crate::error::{Cause, Peer};
use crate::text::{Joiner, Piece};
use crate::thoughts::{InlineReasoning, Part, Splitter};

/// Deltas that wait to be taken.
pub(crate) type Out = VecDeque<Result<Delta, Error>>;

/// What one API's events mean, without I/O: the last place that knows the vendor.
pub(crate) trait Api: Send + Sync {
    /// Takes in one event of a stream; breaks where nothing of worth can follow.
    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
    ) -> Result<ControlFlow<()>, Broken>;

    /// Takes in an answer that came as one JSON text, not as a stream of events.
    fn whole(&mut self, body: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken>;

    /// Takes in the mark behind the last event, where a server writes one.
    fn done(&mut self, answer: &mut Answer) {
        let _ = answer;
    }

    /// Returns where the model's thoughts are in its text.
    fn inline_reasoning(&self) -> InlineReasoning {
        InlineReasoning::None
    }
}

/// Why an event gives nothing.
pub(crate) enum Broken {
    Json(serde_json::Error),
    Failed(Error),
}

impl From<serde_json::Error> for Broken {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// What the server has said so far.
pub(crate) struct Answer {
    pub(crate) peer: Arc<Peer>,
    text: Joiner,
    reasoning: Joiner,
    splitter: Splitter,
    /// The text has a line that has not ended.
    in_line: bool,
    refused: bool,
    /// The last report that says something counts.
    pub(crate) usage: Option<event::Usage>,
    /// How it ended, once that is known: well, or for a reason that leaves it in pieces.
    finish: Option<Result<FinishReason, Box<Error>>>,
}

impl Answer {
    pub(crate) fn new(peer: Arc<Peer>) -> Self {
        Self::with_reasoning(peer, InlineReasoning::None)
    }

    /// An answer with the model's thoughts in its text.
    pub(crate) fn with_reasoning(peer: Arc<Peer>, reasoning: InlineReasoning) -> Self {
        Self {
            peer,
            splitter: Splitter::new(reasoning),
            text: Joiner::default(),
            reasoning: Joiner::default(),
            in_line: false,
            refused: false,
            usage: None,
            finish: None,
        }
    }

    pub(crate) fn text(&mut self, piece: &Piece, out: &mut Out) {
        let text = self.text.push(piece);
        self.say(text, out);
    }

    pub(crate) fn reason(&mut self, piece: &Piece, out: &mut Out) {
        send(self.reasoning.push(piece), Delta::Reasoning, out);
    }

    /// Text in which the model says that it will not answer. Some servers write an empty one
    /// beside every text.
    pub(crate) fn refuse(&mut self, piece: &Piece, out: &mut Out) {
        if !piece.is_empty() {
            self.refused = true;
            self.text(piece, out);
        }
    }

    /// The vendor reports its usage. One of nothing does not count.
    pub(crate) fn report(&mut self, usage: Option<impl Into<event::Usage>>) {
        let usage = usage.map(Into::into).filter(|usage| *usage != event::Usage::default());
        self.usage = usage.or(self.usage);
    }

    /// The vendor says by this word why it is over, and may explain it.
    ///
    /// A word for a failure stays, whatever follows.
    pub(crate) fn end(&mut self, ends: &Ends, word: &str, why: &str) {
        let finish = match ends::find(ends, word) {
            End::None => return,
            End::Stop => Ok(FinishReason::Stop),
            End::ToolUse => Ok(FinishReason::ToolUse),
            End::Length => Ok(FinishReason::Length),
            End::Filter => Ok(FinishReason::Filter),
            End::Failed(kind) => Err(Box::new(self.peer.ended(kind, word, why))),
        };
        if !matches!(self.finish, Some(Err(_))) {
            self.finish = Some(finish);
        }
    }

    /// Whether it is known how it ended.
    pub(crate) const fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether the model ended it by itself.
    pub(crate) const fn is_stopped(&self) -> bool {
        matches!(self.finish, Some(Ok(FinishReason::Stop))) && !self.refused
    }

    /// What follows begins a line: delimiters count only there.
    pub(crate) fn begin_line(&mut self, out: &mut Out) {
        let half = self.text.finish();
        self.say(half.to_owned(), out);
        if self.in_line {
            self.say("\n".to_owned(), out);
        }
    }

    /// An error that came in the place of an event.
    pub(crate) fn failed<T>(&self, data: &str) -> Result<T, Broken> {
        Err(Broken::Failed(self.peer.in_band(data)))
    }

    /// The body ended, or broke off by `cause`.
    ///
    /// The answer is whole when its finish reason came: no other mark, and not the end of the
    /// body, proves it.
    pub(crate) fn close(mut self, cause: Option<Cause>, out: &mut Out) {
        let Some(finish) = self.finish.take() else {
            out.push_back(Err(self.peer.cut(cause)));
            return;
        };
        send(self.reasoning.finish().to_owned(), Delta::Reasoning, out);
        let half = self.text.finish();
        self.say(half.to_owned(), out);
        self.splitter.finish(|part, text| send(text.to_owned(), part.delta(), out));
        out.extend(self.usage.map(|usage| Ok(Delta::Usage(usage))));
        let finish = finish.map(|finish| match finish {
            FinishReason::Stop if self.refused => FinishReason::Filter,
            finish => finish,
        });
        out.push_back(finish.map(Delta::Done).map_err(|error| *error));
    }

    fn say(&mut self, text: String, out: &mut Out) {
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

impl Part {
    const fn delta(self) -> fn(String) -> Delta {
        match self {
            Self::Text => Delta::Text,
            Self::Reasoning => Delta::Reasoning,
        }
    }
}

fn send(text: String, delta: impl Fn(String) -> Delta, out: &mut Out) {
    if !text.is_empty() {
        out.push_back(Ok(delta(text)));
    }
}
