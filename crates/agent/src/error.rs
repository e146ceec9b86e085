//! The error of a run, and the event that reports it.

use std::fmt;

use silcrow_event::{ErrorEvent, ErrorOrigin, Event, error_chain};
use silcrow_exec::{AccountKind, BudgetExhausted, BudgetResource};
use silcrow_provider as provider;
use silcrow_store as store;

/// The error of a run that reached no answer. Entries that the run has stored stay in the log.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, ErrorKind};
/// use silcrow_provider::{ErrorKind as ProviderErrorKind, ScriptedModel};
/// use silcrow_store::MemoryStore;
///
/// // The script has no second answer.
/// let model = ScriptedModel::parse("§respond: 4\n§end", 1);
/// let agent = Agent::new(model, MemoryStore::new());
/// agent.ask_in("sums", "2 + 2?").await.unwrap();
/// let error = agent.ask_in("sums", "2 + 3?").await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Provider(ProviderErrorKind::ScriptExhausted));
/// assert!(!error.is_retryable());
/// // The error of the model is there with its own message and advice.
/// assert!(error.provider().unwrap().to_string().contains("1 answer and this is request 2"));
/// # });
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    /// The error whose message is this error's message.
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an [`Error`], which says whose fault it is.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, ErrorKind};
/// use silcrow_provider::ScriptedModel;
/// use silcrow_store::MemoryStore;
///
/// let agent = Agent::new(ScriptedModel::parse("§respond: 4\n§end", 1), MemoryStore::new());
/// let error = agent.ask(" ").await.unwrap_err();
/// match error.kind() {
///     ErrorKind::Refused => assert_eq!(error.to_string(), "the prompt is empty; say what you want"),
///     other => panic!("{other:?}"),
/// }
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller passed an empty prompt, a name that no store keeps, or another user's
    /// conversation.
    Refused,
    /// The provider failed, or the connection to it.
    Provider(provider::ErrorKind),
    /// The store failed. The log ends with the last event that was stored.
    Store(store::ErrorKind),
    /// The model gave no answer within the allowed steps.
    StepLimit,
    /// The run, with everything that its calls ran, reached a limit of the budget.
    Budget(BudgetResource),
    /// The model ended without an answer, and again after a notice about that.
    NoAnswer,
    /// The model repeated the same calls with the same results, and again after a notice about that.
    Repetition,
    /// The answer reached the provider's limit of tokens.
    Length,
    /// The provider withheld the rest of the answer.
    Filter,
    /// The model wrote more than a turn may hold.
    TooMuch,
    /// The caller cancelled a run before its answer. Only methods that return the answer fail with
    /// this kind; others return [`RunOutcome::Interrupted`](crate::RunOutcome::Interrupted).
    Interrupted,
    /// The run waits for answers to questions. Only methods that return the answer fail with this
    /// kind; others return [`RunOutcome::Waiting`](crate::RunOutcome::Waiting).
    Waiting,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), cause: None }
    }

    /// Creates the error of a run that was cancelled before its answer.
    pub(crate) fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "the run was cancelled before its answer")
    }

    /// Creates the error of a run that waits for answers to so many questions.
    pub(crate) fn waiting(questions: usize) -> Self {
        let what = if questions == 1 { "an answer" } else { "answers" };
        let why = format!("the run waits for {what} about {questions} of its calls");
        Self::new(ErrorKind::Waiting, why)
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another run may help. Only errors of the provider and the store can say so.
    pub fn is_retryable(&self) -> bool {
        self.provider().is_some_and(provider::Error::is_retryable)
            || self.store().is_some_and(store::Error::is_retryable)
    }

    /// Returns the provider's own error, if that ended the run.
    pub fn provider(&self) -> Option<&provider::Error> {
        self.cause.as_deref()?.downcast_ref()
    }

    /// Returns the store's own error, if that ended the run.
    pub fn store(&self) -> Option<&store::Error> {
        self.cause.as_deref()?.downcast_ref()
    }

    /// Returns the limit of the budget, if that ended the run.
    pub fn budget(&self) -> Option<&BudgetExhausted> {
        self.cause.as_deref()?.downcast_ref()
    }

    /// Returns the event that reports the error.
    pub fn to_event(&self) -> Event {
        Event::Error(self.report())
    }

    /// Returns the event by which the log keeps why the run failed; `None` for an error about which
    /// nothing can be stored, or after which the run goes on elsewhere.
    pub(crate) fn to_failure(&self) -> Option<Event> {
        let is_kept = !matches!(
            self.kind,
            ErrorKind::Refused | ErrorKind::Store(_) | ErrorKind::Waiting | ErrorKind::Interrupted
        );
        is_kept.then(|| Event::Failed(self.report()))
    }

    fn report(&self) -> ErrorEvent {
        ErrorEvent {
            code: self.kind.as_str().to_owned(),
            content: error_chain(self),
            origin: self.kind.origin(),
            retry: self.is_retryable(),
            at: None,
        }
    }
}

impl ErrorKind {
    /// Returns the `code` of the event that reports the error.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Provider(kind) => kind.as_str(),
            Self::Store(kind) => kind.as_str(),
            Self::StepLimit => "step_limit",
            Self::Budget(resource) => match resource {
                BudgetResource::Requests => "request_limit",
                BudgetResource::Agents => "agent_limit",
                BudgetResource::Events => "event_limit",
                BudgetResource::Bytes => "byte_limit",
                BudgetResource::Time => "time_limit",
                BudgetResource::Tokens(_) => "token_limit",
                BudgetResource::Cost(_) => "cost_limit",
                _ => "budget",
            },
            Self::NoAnswer => "no_answer",
            Self::Repetition => "repetition",
            Self::Length => "length",
            Self::Filter => "filter",
            Self::TooMuch => "too_much",
            Self::Interrupted => "interrupted",
            Self::Waiting => "waiting",
        }
    }

    const fn origin(self) -> ErrorOrigin {
        match self {
            Self::Refused | Self::Store(_) | Self::Interrupted | Self::Waiting => {
                ErrorOrigin::Caller
            }
            Self::Provider(
                provider::ErrorKind::Auth
                | provider::ErrorKind::ScriptExhausted
                | provider::ErrorKind::Recording,
            ) => ErrorOrigin::Caller,
            Self::Provider(_) | Self::Length | Self::Filter => ErrorOrigin::Provider,
            Self::Budget(_) => ErrorOrigin::Caller,
            Self::StepLimit | Self::TooMuch | Self::NoAnswer | Self::Repetition => {
                ErrorOrigin::Model
            }
        }
    }
}

impl From<provider::Error> for Error {
    fn from(error: provider::Error) -> Self {
        let kind = ErrorKind::Provider(error.kind());
        Self { message: error.to_string(), kind, cause: Some(error.into()) }
    }
}

impl From<BudgetExhausted> for Error {
    fn from(exhausted: BudgetExhausted) -> Self {
        let kind = ErrorKind::Budget(exhausted.resource());
        // The spending of a conversation or a user also counts in the next run.
        let next = match exhausted.resource() {
            BudgetResource::Tokens(account) | BudgetResource::Cost(account)
                if account != AccountKind::Run =>
            {
                "allow more"
            }
            _ => "continue it, or allow more",
        };
        let message = format!("{exhausted}; {next}");
        Self { message, kind, cause: Some(exhausted.into()) }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        let kind = match error.kind() {
            store::ErrorKind::Refused => ErrorKind::Refused,
            kind => ErrorKind::Store(kind),
        };
        Self { message: error.to_string(), kind, cause: Some(error.into()) }
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

impl std::error::Error for Error {
    /// Returns the source of the cause, because the cause's own message is this error's message.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref()?.source()
    }
}
