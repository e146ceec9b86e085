use futures_util::stream::BoxStream;
use silcrow_event as event;

use crate::delta::Delta;
use crate::error::Error;
use crate::session::OpeningSession;

/// An answer on its way. Dropping it cancels the request.
pub type DeltaStream = BoxStream<'static, Result<Delta, Error>>;

/// A model that answers messages.
pub trait Provider: Send + Sync {
    /// As it is chosen on a command line, such as `openai:gpt-5` or `rehearsal`.
    fn name(&self) -> &str;

    /// Asks for one answer.
    ///
    /// The stream ends with [`Delta::Done`] or with an error, and gives nothing after either; a
    /// failure to connect is its first item. A stream that ends without both was cut.
    fn stream(&self, request: Request) -> DeltaStream;

    /// Opens a connection that keeps the conversation and asks for the first answer; `None` if the
    /// model offers none.
    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let _ = request;
        None
    }
}

/// What a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The system message first, then user and assistant in turn.
    pub messages: Vec<event::Message>,
    /// Whether the answer comes in pieces, or whole in one delta.
    pub streaming: bool,
    /// Which of the attempts at an answer this is. Only what asks again looks at it.
    pub attempt: Attempt,
}

/// Which of the attempts at one answer a request is: a caller that may ask in two ways, over a
/// session and by a stream, asks no more often than one that has a single way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there are two ways to ask, and no third")]
pub enum Attempt {
    /// The first by the only way there is.
    #[default]
    First,
    /// The only one by this way: where it fails, the caller asks by the other one at once.
    Only,
    /// The second, after the server failed by the other way.
    Second,
}

impl Request {
    /// A request for an answer in pieces.
    pub const fn new(messages: Vec<event::Message>) -> Self {
        Self { messages, streaming: true, attempt: Attempt::First }
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
