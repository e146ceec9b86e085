//! The error of a request, as it is answered: a status and JSON.

use std::fmt;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use silcrow_event::error_chain;
use silcrow_store as store;

/// The reason why a request was not carried out.
///
/// Its answer is `{"error": {"code": …, "message": …}}` with the status of its kind.
///
/// ```
/// use silcrow_server::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Busy, "a run is at work in the conversation; stop it first");
/// assert_eq!(error.kind(), ErrorKind::Busy);
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    run: Option<String>,
}

/// The error in an answer.
#[derive(Clone)]
pub(crate) struct AnsweredError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

/// The kind of an [`Error`]: whose fault it was, and whether another attempt may help.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// # use std::sync::Arc;
/// #
/// # use silcrow_agent::Agent;
/// # use silcrow_provider::ScriptedModel;
/// # use silcrow_store::MemoryStore;
/// use silcrow_server::{ErrorKind, RunPlace, Server};
///
/// # let store = Arc::new(MemoryStore::new());
/// # let agent = Agent::new(ScriptedModel::parse("§end", 1), Arc::clone(&store));
/// # let server = Server::new(store, move |_: &RunPlace| agent.clone());
/// let error = server.entries(&RunPlace::new("unknown"), 0).await.unwrap_err();
/// match error.kind() {
///     ErrorKind::NotFound => println!("nothing was said there yet"),
///     kind => unreachable!("{kind}"),
/// }
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request does not match the description of the server. Change it.
    Malformed,
    /// No token or a wrong one was sent. Send the right one.
    Unauthorized,
    /// The host or the origin of the request may not use this server.
    Forbidden,
    /// Nothing is at this address, or the conversation belongs to another user.
    NotFound,
    /// The page does not take this method.
    Method,
    /// A run is at work in the conversation. Wait, steer it or stop it.
    Busy,
    /// The run is not at work any more, or the conversation has changed. Read it again.
    Stale,
    /// The body of the request did not arrive in time.
    TooSlow,
    /// The body of the request is too long.
    BodyTooLarge,
    /// The head of the request is too long.
    HeadTooLarge,
    /// This user has too much at work. Try again later.
    TooMany,
    /// The server has too much at work, or is about to stop. Try again later.
    Unavailable,
    /// This server does not offer the requested feature.
    NotOffered,
    /// The server has failed. Its message names the limit.
    Failed,
}

impl Error {
    /// Creates an error whose message says what was wrong and what to do.
    ///
    /// A message is cut after 1,000 bytes, so that a quoted request is not sent back whole.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: silcrow_front::short_reason(message.into()), run: None }
    }

    /// Creates the error about a run that is about to begin.
    pub(crate) fn not_begun() -> Self {
        Self::new(ErrorKind::Unavailable, "the run has not begun yet; try again")
    }

    /// Adds the id of the run that the error is about.
    #[must_use]
    pub fn with_run(self, run: impl Into<String>) -> Self {
        Self { run: Some(run.into()), ..self }
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another attempt may help.
    pub const fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Busy | ErrorKind::TooMany | ErrorKind::Unavailable)
    }
}

impl ErrorKind {
    /// Returns the `code` of the answer.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::Method => "method",
            Self::Busy => "busy",
            Self::Stale => "stale",
            Self::TooSlow => "too_slow",
            Self::BodyTooLarge => "body_too_large",
            Self::HeadTooLarge => "head_too_large",
            Self::TooMany => "too_many",
            Self::Unavailable => "unavailable",
            Self::NotOffered => "not_offered",
            Self::Failed => "failed",
        }
    }

    /// Returns the status of the answer.
    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Busy | Self::Stale => StatusCode::CONFLICT,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::NotOffered => StatusCode::NOT_IMPLEMENTED,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        let kind = match error.kind() {
            store::ErrorKind::Conflict => ErrorKind::Stale,
            store::ErrorKind::Refused => ErrorKind::Malformed,
            store::ErrorKind::Locked | store::ErrorKind::Unavailable => ErrorKind::Unavailable,
            _ => ErrorKind::Failed,
        };
        Self::new(kind, error_chain(&error))
    }
}

impl From<silcrow_agent::Error> for Error {
    fn from(error: silcrow_agent::Error) -> Self {
        let kind = match error.kind() {
            silcrow_agent::ErrorKind::Refused => ErrorKind::Stale,
            silcrow_agent::ErrorKind::Store(store::ErrorKind::Conflict) => ErrorKind::Stale,
            _ => ErrorKind::Failed,
        };
        Self::new(kind, error_chain(&error))
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut body = serde_json::json!({
            "error": { "code": self.kind.as_str(), "message": &self.message },
        });
        if let Some(run) = self.run {
            body["run"] = run.into();
        }
        let mut answer = (self.kind.status(), body.to_string()).into_response();
        // Other protocols have another form of it.
        answer.extensions_mut().insert(AnsweredError { kind: self.kind, message: self.message });
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if matches!(self.kind, ErrorKind::TooMany | ErrorKind::Unavailable) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.kind == ErrorKind::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        answer
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
