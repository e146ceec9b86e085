//! The trait of models, and the request that they answer.

use futures_util::stream::BoxStream;
use silcrow_event as event;

use crate::delta::Delta;
use crate::error::Error;
use crate::session::OpeningSession;

/// The deltas of an answer. Dropping the stream cancels the request.
pub type DeltaStream = BoxStream<'static, Result<Delta, Error>>;

/// A model that answers messages.
///
/// No method has a default: a wrapper that forgot one would hide what the model offers.
pub trait Provider: Send + Sync {
    /// Returns the name by which a command line chooses the model, such as `openai:gpt-5` or
    /// `rehearsal`.
    fn name(&self) -> &str;

    /// Asks for one answer.
    ///
    /// The stream ends with [`Delta::Done`] or with an error, such as a failure to connect. A stream
    /// that ends with neither was cut.
    fn stream(&self, request: Request) -> DeltaStream;

    /// Opens a session and asks for the first answer. Returns `None` if the model has no sessions.
    fn connect(&self, request: Request) -> Option<OpeningSession>;
}

/// A request for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The system message first, then user and assistant in turn.
    pub messages: Vec<event::Message>,
    /// Whether the text arrives in pieces, or in one delta.
    pub streaming: bool,
    /// The attempt that this is. Only [`Retry`](crate::Retry) and sessions use it.
    pub attempt: Attempt,
}

/// The attempt at one answer that a request is. A caller that may ask in two ways, over a session and
/// by a stream, makes no more requests than one that has a single way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there are two ways to ask, and no third")]
pub enum Attempt {
    /// The first attempt by the only way.
    #[default]
    First,
    /// The only attempt by this way: if it fails, the caller asks by the other way at once.
    Only,
    /// The second attempt, after the server failed by the other way.
    Second,
}

impl Request {
    /// Creates a request for an answer that streams.
    pub const fn new(messages: Vec<event::Message>) -> Self {
        Self { messages, streaming: true, attempt: Attempt::First }
    }

    /// Sets whether the answer streams.
    #[must_use]
    pub fn with_streaming(self, streaming: bool) -> Self {
        Self { streaming, ..self }
    }

    /// Sets the attempt that this is.
    #[must_use]
    pub fn with_attempt(self, attempt: Attempt) -> Self {
        Self { attempt, ..self }
    }
}

impl<P: Provider + ?Sized> Provider for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        (**self).stream(request)
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        (**self).connect(request)
    }
}

impl<P: Provider + ?Sized> Provider for std::sync::Arc<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        (**self).stream(request)
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        (**self).connect(request)
    }
}
