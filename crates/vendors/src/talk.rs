use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use silcrow_event as event;
use silcrow_provider::Error;

use crate::answer::{Answer, Broken, Out};
use crate::error::Peer;
use crate::ws::Gone;

/// Texts on their way to the server.
pub(crate) type Texts = VecDeque<String>;

/// What one API says over a WebSocket and what it means there, without I/O.
pub(crate) trait Talk: Send + 'static {
    /// How long a connection may be gone on with.
    const LIFETIME: Duration;

    /// Asks for the first answer.
    fn begin(&mut self, messages: &[event::Message], texts: &mut Texts);

    /// Takes in one event, and may reply to it.
    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
        texts: &mut Texts,
    ) -> Result<Heard, Broken>;

    /// Tells the server to stop, where it can be told.
    fn cancel(&mut self, texts: &mut Texts) {
        let _ = texts;
    }

    /// Asks for the next answer, behind `last`. `None` where the API cannot forget what was written
    /// behind what counts.
    fn follow(
        &mut self,
        last: Last<'_>,
        messages: &[event::Message],
        texts: &mut Texts,
    ) -> Option<()>;

    /// When the server will end the connection, if it said so.
    fn expires(&self) -> Option<SystemTime> {
        None
    }

    /// Why the connection ended before the answer did, as far as the API tells.
    fn gone(&self, peer: &Peer, gone: Gone) -> Error {
        peer.gone(gone, None)
    }
}

/// What an event says of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Nothing yet.
    Nothing,
    /// The server has taken the question up.
    Begun,
    /// It is over.
    Over,
}

/// What counts of the last answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last<'a> {
    pub(crate) kept: &'a str,
    /// It is all that the model wrote, white space aside.
    pub(crate) is_all: bool,
}
