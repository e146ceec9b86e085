//! The trait of models, and the request that they answer.

use std::sync::Arc;

use futures_util::stream::BoxStream;
use silcrow_event as event;

use crate::delta::Delta;
use crate::error::Error;
use crate::sampling::Sampling;
use crate::session::OpeningSession;
use crate::tool_declaration::ToolDeclaration;

/// The deltas of an answer. Dropping the stream cancels the request.
pub type DeltaStream = BoxStream<'static, Result<Delta, Error>>;

/// A model that answers messages.
///
/// No method has a default, because a wrapper that forgot one would hide a feature of the model.
///
/// [The first page](crate) implements one, and lists the parts that help.
pub trait Provider: Send + Sync {
    /// Returns the name of the model, such as `openai:gpt-5` or `rehearsal`.
    ///
    /// Messages and logs show it. A price, the native forms of calls and the media that the model
    /// takes are found by it, and [opaque data](Delta::Opaque) goes back only to the model of the
    /// same name. A command line knows only the names of `silcrow-models`.
    fn name(&self) -> &str;

    /// Sends a request and returns the deltas of its answer.
    ///
    /// - [`Delta::Text`], [`Delta::Reasoning`] and [`Delta::Call`] come in the order in which the
    ///   model writes. Between the beginning and the end of a call there is no text and no other call.
    /// - [`Delta::Opaque`] follows the reasoning that it belongs to, with no text or call between.
    ///   Without reasoning it comes at the place in the answer at which the vendor wants it back.
    /// - [`Delta::Usage`] may come at any time before the end.
    /// - The last item is [`Delta::Done`] or an error, such as a failure to connect. A stream that
    ///   ends with neither was cut.
    fn stream(&self, request: Request) -> DeltaStream;

    /// Opens a session and sends its first request. Returns `None` if the model has no sessions.
    fn connect(&self, request: Request) -> Option<OpeningSession>;
}

/// A request for an answer.
///
/// ```
/// use silcrow_event::Message;
/// use silcrow_provider::{Request, Sampling, ToolDeclaration};
///
/// let mut sampling = Sampling::new();
/// sampling.max_tokens = Some(500);
/// let search = ToolDeclaration::new("search", "Searches the docs.", r#"{"type":"object"}"#);
/// let request = Request::new(vec![Message::user("Where is the lexer?")])
///     .with_sampling(sampling)
///     .with_tools([search].into());
/// // The list of messages shares them, so a clone for another attempt costs nothing.
/// assert_eq!(request.clone(), request);
/// assert!(request.streaming);
/// ```
///
/// With declared tools, calls and results are parts of the messages. A message of the model has its
/// text, opaque data and calls in the order in which it wrote them, and the next message of the user
/// has the results, in the order of the calls, before any other text. All names are the tools' own:
/// send the [`vendor_name`](crate::vendor_name) of each, and give [`CallDelta::Begin`] the declared
/// name again, with [`ToolDeclaration::named`].
///
/// [`CallDelta::Begin`]: crate::CallDelta::Begin
///
/// ```
/// use silcrow_event::{Content, ContentPart, Message, NativeCall, NativeResult};
/// use silcrow_provider::{Request, ToolDeclaration};
///
/// let (id, name) = ("call_1".to_owned(), "search".to_owned());
/// let args = r#"{"query":"lexer"}"#.to_owned();
/// let call = NativeCall { id: id.clone(), name: name.clone(), args, opaque: None };
/// let text = "crates/lex/src/lib.rs".to_owned();
/// let result = NativeResult { id, name, text, is_error: false };
///
/// let said = [ContentPart::Text("Let me look.".to_owned()), ContentPart::Call(call)];
/// let messages = vec![
///     Message::user("Where is the lexer?"),
///     Message::assistant(Content::from_iter(said)),
///     Message::user(Content::from_iter([ContentPart::Result(result)])),
/// ];
/// let search = ToolDeclaration::new("search", "Searches the docs.", r#"{"type":"object"}"#);
/// let request = Request::new(messages).with_tools([search].into());
/// assert!(matches!(request.messages[1].content.parts()[1], ContentPart::Call(_)));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// The messages: the system message first, then user and assistant in turn.
    pub messages: event::MessageList,
    /// Whether the text arrives in pieces rather than in one delta.
    pub streaming: bool,
    /// The sampling parameters. A session keeps the parameters of its first request.
    pub sampling: Sampling,
    /// The tools that the model may call in the vendor's own way, if its API has one. If there are
    /// none, calls and results in the messages are sent as text.
    pub tools: Arc<[ToolDeclaration]>,
    /// The attempt at the answer. [`Retry`](crate::Retry) and sessions read it; others ignore it.
    pub attempt: Attempt,
}

/// The place of a request among the requests for one answer.
///
/// A caller may have two ways to ask: over a session, and for a plain stream. If one way fails, it
/// asks in the other. With this value it says so, and [`Retry`](crate::Retry) then makes no more
/// requests for both ways together than it makes for a caller that has only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there are two ways to ask, and no third")]
pub enum Attempt {
    /// The server has not seen a request for this answer. If this one fails, it may be repeated.
    #[default]
    First,
    /// If this request fails, it is not repeated, because the caller then asks in the other way.
    Only,
    /// The server has failed a request in the other way, and that one counts as the first.
    Second,
}

impl Request {
    /// Creates a request for an answer that streams.
    pub fn new(messages: impl Into<event::MessageList>) -> Self {
        let (messages, sampling) = (messages.into(), Sampling::new());
        let tools = Arc::default();
        Self { messages, streaming: true, sampling, tools, attempt: Attempt::First }
    }

    /// Sets whether the answer streams.
    #[must_use]
    pub fn with_streaming(self, streaming: bool) -> Self {
        Self { streaming, ..self }
    }

    /// Sets the sampling parameters.
    #[must_use]
    pub fn with_sampling(self, sampling: Sampling) -> Self {
        Self { sampling, ..self }
    }

    /// Sets the tools that the model may call in the vendor's own way.
    #[must_use]
    pub fn with_tools(self, tools: Arc<[ToolDeclaration]>) -> Self {
        Self { tools, ..self }
    }

    /// Sets the attempt at the answer.
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

impl<P: Provider + ?Sized> Provider for Arc<P> {
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
