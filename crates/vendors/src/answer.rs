use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use silcrow_event as event;
use silcrow_provider::{Delta, Error, Finish};

use crate::error::{Cause, Peer};
use crate::text::{Joiner, Piece};

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
    /// The text has a line that has not ended.
    in_line: bool,
    refused: bool,
    /// The last report counts.
    pub(crate) usage: Option<event::Usage>,
    pub(crate) finish: Option<Finish>,
}

impl Answer {
    pub(crate) fn new(peer: Arc<Peer>) -> Self {
        Self {
            peer,
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

    /// Text in which the model says that it will not answer.
    pub(crate) fn refuse(&mut self, piece: &Piece, out: &mut Out) {
        self.refused = true;
        self.text(piece, out);
    }

    /// The model ended it by itself.
    pub(crate) const fn stop(&self) -> Finish {
        if self.refused { Finish::Filter } else { Finish::Stop }
    }

    /// What follows begins a line: markers count only there.
    pub(crate) fn begin_line(&mut self, out: &mut Out) {
        let half = self.text.finish().to_owned();
        self.say(half, out);
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
        send(self.text.finish().to_owned(), Delta::Text, out);
        out.extend(self.usage.map(|usage| Ok(Delta::Usage(usage))));
        out.push_back(Ok(Delta::Done(finish)));
    }

    fn say(&mut self, text: String, out: &mut Out) {
        if !text.is_empty() {
            self.in_line = !text.ends_with('\n');
        }
        send(text, Delta::Text, out);
    }
}

fn send(text: String, delta: impl Fn(String) -> Delta, out: &mut Out) {
    if !text.is_empty() {
        out.push_back(Ok(delta(text)));
    }
}
