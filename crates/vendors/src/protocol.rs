//! The trait of protocols over a WebSocket: the messages to send, and the meaning of the server's.
//! Its implementations do no I/O.
//!
//! Each API with sessions has one implementation of [`WebSocketProtocol`]; `session` drives it.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use silcrow_event as event;
use silcrow_provider::Error;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::error::Peer;
use crate::ws::Disconnect;

/// Texts that wait to be sent to the server.
pub(crate) type OutgoingTexts = VecDeque<String>;

/// The protocol of one API over a WebSocket.
pub(crate) trait WebSocketProtocol: Send + 'static {
    /// The time for which a connection may be used.
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

    /// Requests the answer that follows `last`. Returns `None` if the API cannot forget the part of
    /// `last` that does not count.
    fn follow(
        &mut self,
        last: LastAnswer<'_>,
        messages: &[event::Message],
        texts: &mut OutgoingTexts,
    ) -> Option<()>;

    /// Returns the time at which the server will end the connection, if it has announced that.
    fn expires(&self) -> Option<SystemTime> {
        None
    }

    /// Returns the error for a connection that ended before the answer did.
    fn disconnected(&self, peer: &Peer, disconnect: Disconnect) -> Error {
        peer.disconnected(disconnect, None)
    }
}

/// The progress that an event means for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerProgress {
    /// The event changes nothing.
    None,
    /// The server has accepted the question.
    Accepted,
    /// The answer is over.
    Finished,
}

/// The part of the last answer that counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastAnswer<'a> {
    pub(crate) kept: &'a event::Content,
    /// Whether this is all that the model wrote, except white space.
    pub(crate) is_all: bool,
}
