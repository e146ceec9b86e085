//! The states of a session over a WebSocket.
//!
//! ```text
//!   ask       accept         emit
//! ──────▶ Asked ──▶ Accepted ──▶ Streaming ──┐
//!           ├────────────┴───────────┤       │ finish
//!           │ cancel                 │       ▼
//!           └──────▶ Cancelled ◀─────┘     Idle ──▶ Asked, by the next question
//!                        └───── finish ──────▲
//! ```
//!
//! `finish` and `cancel` lead out of each state with an answer, and an error leads from every state
//! to `Failed`, which is final.

use crate::answer::AnswerBuilder;

/// The state of a session in its current answer.
pub(super) enum SessionState {
    /// The question was sent, and the server has not accepted it.
    Asked(AnswerBuilder),
    /// The server has accepted the question, and no delta was emitted.
    Accepted(AnswerBuilder),
    /// A delta of the answer was emitted.
    Streaming(AnswerBuilder),
    /// The answer was cancelled, and its rest still arrives.
    Cancelled(AnswerBuilder),
    /// The answer is over; deltas of it may be queued.
    Idle,
    /// An error ended the session; deltas from before it may be queued.
    Failed,
}

use SessionState::{Accepted, Asked, Cancelled, Failed, Idle, Streaming};

impl SessionState {
    /// Returns the answer that is arriving.
    pub(super) const fn answer(&mut self) -> Option<&mut AnswerBuilder> {
        match self {
            Asked(answer) | Accepted(answer) | Streaming(answer) | Cancelled(answer) => {
                Some(answer)
            }
            Idle | Failed => None,
        }
    }

    /// Returns whether no more of an answer arrives.
    pub(super) const fn is_over(&self) -> bool {
        matches!(self, Idle | Failed)
    }

    /// Returns whether the caller waits for more of the answer.
    pub(super) const fn is_wanted(&self) -> bool {
        matches!(self, Asked(_) | Accepted(_) | Streaming(_))
    }

    /// Records that the server has accepted the question.
    pub(super) fn accept(&mut self) {
        if let Asked(_) = self
            && let Some(answer) = self.take()
        {
            *self = Accepted(answer);
        }
    }

    /// Records that a delta was emitted.
    pub(super) fn emit(&mut self) {
        if let Asked(_) | Accepted(_) = self
            && let Some(answer) = self.take()
        {
            *self = Streaming(answer);
        }
    }

    /// Cancels the answer, and returns whether there was one to cancel.
    pub(super) fn cancel(&mut self) -> bool {
        let is_wanted = self.is_wanted();
        if is_wanted && let Some(answer) = self.take() {
            *self = Cancelled(answer);
        }
        is_wanted
    }

    /// Ends the answer, and returns it if the caller waits for it.
    pub(super) fn finish(&mut self) -> Option<AnswerBuilder> {
        let is_wanted = self.is_wanted();
        self.take().filter(|_| is_wanted)
    }

    /// Leaves the state for `Idle`, with the answer of a state that has one.
    fn take(&mut self) -> Option<AnswerBuilder> {
        match std::mem::replace(self, Idle) {
            Asked(answer) | Accepted(answer) | Streaming(answer) | Cancelled(answer) => {
                Some(answer)
            }
            Idle => None,
            Failed => {
                *self = Failed;
                None
            }
        }
    }
}
