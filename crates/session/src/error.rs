//! The error of a session: whose fault it is, what was wrong, and what to do.
//!
//! This module wraps the errors of the crates below, and keeps their kinds.

use std::{fmt, io};

use silcrow_event::error_chain;

/// An error that kept a session from being opened, or from carrying out a request.
///
/// The message says what was wrong, where, and what to do next. It includes the messages of all
/// causes.
///
/// ```
/// use silcrow_session::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Given, "the prompt is empty; say what you want");
/// assert!(error.is_callers_fault() && !error.is_retryable());
/// assert_eq!(error.kind().as_str(), "session_given");
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    retry: bool,
}

/// The kind of an [`Error`]: whose fault it is.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use std::sync::Arc;
///
/// use silcrow_session::{AgentSession, ErrorKind, SessionHost, SessionOptions};
///
/// let mut options = SessionOptions::new("there/is/no/such/folder");
/// options.store = Some("memory".into());
/// let host: Arc<dyn SessionHost> = Arc::new(|_: &str| {});
/// let error = AgentSession::open(options, &host).await.map(|_| ()).unwrap_err();
/// match error.kind() {
///     ErrorKind::Given => assert!(error.is_callers_fault()),
///     kind => unreachable!("{kind:?}: {error}"),
/// }
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An option, a file or a prompt cannot be used. The caller has to change it.
    Given,
    /// Something did not work, for the reason in the message.
    Failed,
    /// Another process runs the conversation. Another attempt helps once that run is over.
    Active,
    /// A person has to trust a manifest first.
    Untrusted,
    /// The store failed, or cannot be opened.
    Store(silcrow_store::ErrorKind),
    /// A rule or a mode of permissions cannot be used. The caller has to change it.
    Policy(silcrow_policy::ErrorKind),
    /// A file of settings, or a list of tools, cannot be used or written.
    Settings(silcrow_settings::ErrorKind),
    /// A conversation cannot be used as intended. The caller has to name another.
    History(silcrow_history::ErrorKind),
    /// A model cannot be opened. The caller has to name another, or to give a key.
    Model(silcrow_models::ErrorKind),
    /// The agent cannot begin the task.
    Agent(silcrow_agent::ErrorKind),
    /// A collector does not accept the telemetry. The code is one of `silcrow-otlp-http`.
    Telemetry(&'static str),
}

impl Error {
    /// Creates an error. The message says what was wrong, where, and what to do next.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry: matches!(kind, ErrorKind::Active) }
    }

    /// Creates an error about something that the caller gave.
    pub(crate) fn given(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Given, message)
    }

    /// Creates an error about something that did not work.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// Creates the error about a file that cannot be read.
    pub(crate) fn unreadable(name: &str, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "the file does not exist".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        Self::given(format!("cannot read {name}: {why}"))
    }

    /// Adds the possible next steps.
    pub(crate) fn with_way_on(self, way: &str) -> Self {
        Self { message: self.message + way, ..self }
    }

    fn with_retry(self, retry: bool) -> Self {
        Self { retry, ..self }
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the message, as [`Display`](fmt::Display) writes it.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns whether another attempt may help although nothing was changed.
    pub const fn is_retryable(&self) -> bool {
        self.retry
    }

    /// Returns whether the caller has to change something: an option, a file or a name.
    pub const fn is_callers_fault(&self) -> bool {
        use silcrow_store::ErrorKind as Stored;
        match self.kind {
            ErrorKind::Failed | ErrorKind::Active | ErrorKind::Telemetry(_) => false,
            ErrorKind::Store(kind) => {
                matches!(kind, Stored::Format | Stored::Refused | Stored::Untrusted)
            }
            ErrorKind::Settings(kind) => !matches!(kind, silcrow_settings::ErrorKind::Failed),
            ErrorKind::Agent(kind) => matches!(kind, silcrow_agent::ErrorKind::Refused),
            _ => true,
        }
    }
}

impl ErrorKind {
    /// Returns the code that programs compare. An error of a crate below has the code of that crate.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Given => "session_given",
            Self::Failed => "session_failed",
            Self::Active => "session_active",
            Self::Untrusted => "session_untrusted",
            Self::Store(kind) => kind.as_str(),
            Self::Policy(kind) => kind.as_str(),
            Self::Settings(kind) => kind.as_str(),
            Self::History(kind) => kind.as_str(),
            Self::Model(kind) => kind.as_str(),
            Self::Agent(kind) => kind.as_str(),
            Self::Telemetry(code) => code,
        }
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

impl From<silcrow_store::Error> for Error {
    fn from(error: silcrow_store::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&silcrow_store::Error> for Error {
    fn from(error: &silcrow_store::Error) -> Self {
        Self::new(ErrorKind::Store(error.kind()), error_chain(error))
            .with_retry(error.is_retryable())
    }
}

impl From<silcrow_policy::Error> for Error {
    fn from(error: silcrow_policy::Error) -> Self {
        Self::new(ErrorKind::Policy(error.kind()), error.to_string())
            .with_retry(error.is_retryable())
    }
}

impl From<silcrow_settings::Error> for Error {
    fn from(error: silcrow_settings::Error) -> Self {
        Self::new(ErrorKind::Settings(error.kind()), error.to_string())
            .with_retry(error.is_retryable())
    }
}

impl From<silcrow_history::Error> for Error {
    fn from(error: silcrow_history::Error) -> Self {
        match error.store_error() {
            Some(error) => Self::from(error),
            None if error.kind() == silcrow_history::ErrorKind::Unknown => {
                let message = format!("{error}; `silcrow log` lists them");
                Self::new(ErrorKind::History(error.kind()), message)
            }
            None => Self::new(ErrorKind::History(error.kind()), error.to_string()),
        }
    }
}

impl From<silcrow_models::Error> for Error {
    fn from(error: silcrow_models::Error) -> Self {
        use silcrow_models::ErrorKind as Opening;
        let message = match error.kind() {
            Opening::MissingKey => format!("{error}, or use --model rehearsal"),
            Opening::UnknownModel => format!(
                "{error}; --model, SILCROW_MODEL or silcrow config names one, such as rehearsal or \
                 openai:MODEL, and silcrow help models lists them"
            ),
            Opening::Grammar => format!("--grammar: {error}"),
            _ => error.to_string(),
        };
        Self::new(ErrorKind::Model(error.kind()), message)
    }
}

#[cfg(feature = "telemetry")]
impl From<silcrow_otlp_http::Error> for Error {
    fn from(error: silcrow_otlp_http::Error) -> Self {
        Self::new(ErrorKind::Telemetry(error.kind().as_str()), error_chain(&error))
            .with_retry(error.is_retryable())
    }
}

impl From<silcrow_agent::Error> for Error {
    fn from(error: silcrow_agent::Error) -> Self {
        Self::new(ErrorKind::Agent(error.kind()), error_chain(&error))
            .with_retry(error.is_retryable())
    }
}
