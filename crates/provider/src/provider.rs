use futures_util::stream::BoxStream;
use silcrow_event as event;

use crate::delta::Delta;
use crate::error::Error;
use crate::session::Opening;

/// An answer on its way. Dropping it cancels the request.
pub type Deltas = BoxStream<'static, Result<Delta, Error>>;

/// A model that answers messages.
pub trait Provider: Send + Sync {
    /// As it is chosen on a command line, such as `openai:gpt-5` or `rehearsal`.
    fn name(&self) -> &str;

    /// Asks for one answer.
    ///
    /// The stream ends with [`Delta::Done`] or with an error, and gives nothing after either; a
    /// failure to connect is its first item. A stream that ends without both was cut.
    fn stream(&self, request: Request) -> Deltas;

    /// Opens a connection that keeps the conversation and asks for the first answer; `None` if the
    /// model offers none.
    fn connect(&self, request: Request) -> Option<Opening> {
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
}

impl Request {
    /// A request for an answer in pieces.
    pub const fn new(messages: Vec<event::Message>) -> Self {
        Self { messages, streaming: true }
    }
}

impl<P: Provider + ?Sized> Provider for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn stream(&self, request: Request) -> Deltas {
        (**self).stream(request)
    }

    fn connect(&self, request: Request) -> Option<Opening> {
        (**self).connect(request)
    }
}

impl<P: Provider + ?Sized> Provider for std::sync::Arc<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn stream(&self, request: Request) -> Deltas {
        (**self).stream(request)
    }

    fn connect(&self, request: Request) -> Option<Opening> {
        (**self).connect(request)
    }
}
