//! What one API says over a WebSocket and what the server's texts mean, without I/O.
//!
//! Each API with sessions has one implementation of [`WebSocketProtocol`]; `session` drives it.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use silcrow_event as event;
use silcrow_provider::Error;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::error::Peer;
use crate::ws::Disconnect;

/// Texts on their way to the server.
pub(crate) type OutgoingTexts = VecDeque<String>;

/// The messages of one API over a WebSocket.
pub(crate) trait WebSocketProtocol: Send + 'static {
    /// How long a connection may be used.
    const LIFETIME: Duration;

    /// Asks for the first answer.
    fn begin(&mut self, messages: &[event::Message], texts: &mut OutgoingTexts);

    /// Takes one event, and may reply to it.
    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        queue: &mut DeltaQueue,
        texts: &mut OutgoingTexts,
    ) -> Result<AnswerProgress, EventError>;

    /// Asks the server to stop, if the API has a message for that.
    fn cancel(&mut self, texts: &mut OutgoingTexts) {
        let _ = texts;
    }

    /// Asks for the answer that follows `last`. Returns `None` if the API cannot forget what the
    /// model wrote after the part that counts.
    fn follow(
        &mut self,
        last: LastAnswer<'_>,
        messages: &[event::Message],
        texts: &mut OutgoingTexts,
    ) -> Option<()>;

    /// Returns when the server will end the connection, if it said so.
    fn expires(&self) -> Option<SystemTime> {
        None
    }

    /// Returns the error for a connection that ended before the answer did.
    fn disconnected(&self, peer: &Peer, disconnect: Disconnect) -> Error {
        peer.disconnected(disconnect, None)
    }
}

/// How far an event brings the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerProgress {
    /// Nowhere.
    None,
    /// The server has accepted the question.
    Accepted,
    /// The answer is over.
    Finished,
}

/// What counts of the last answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastAnswer<'a> {
    pub(crate) kept: &'a str,
    /// Nothing that the model wrote is missing, except white space.
    pub(crate) is_all: bool,
}
