//! The state that a run shares with all its calls, as one value: conversation, turn, agents, user,
//! folder, cancellation, secrets, trace, and extensions of the run.
//!
//! A scope is data, without a store or a loop, and it does not change while a call runs.

use std::any::Any;
use std::path::PathBuf;

use silcrow_event::TraceParent;
use silcrow_sanitize::Secrets;

use crate::cancellation::CancellationToken;
use crate::scope_extensions::ScopeExtensions;

/// The scope of a run or a call: its conversation and turn, the agents around it, its user and
/// folder, and the token that cancels it.
///
/// A run may share more with its calls, such as its budget, in a value whose type this crate does not
/// know ([`with_extension`](Self::with_extension)).
///
/// The agent's loop fills in what its caller leaves out.
///
/// ```
/// use silcrow_tool::{CancellationToken, Scope};
///
/// let stop = CancellationToken::new();
/// let scope = Scope::new("sums").with_user("ann").with_cancellation(stop.clone());
/// stop.cancel();
/// assert!(scope.cancellation.is_cancelled());
/// assert_eq!(Scope::from("sums").conversation_id(), "sums");
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Scope {
    /// The id of the conversation; `None` if a run should begin a new one.
    pub conversation: Option<String>,
    /// The number, from 1, of the model's answer in the conversation; 0 outside a turn.
    pub turn: u32,
    /// Whether the calls of this scope were started by an earlier process, which ended before it
    /// stored their results.
    pub is_repeated: bool,
    /// The folder that the run works in. Tools that are confined to a folder hold their own.
    pub root: Option<PathBuf>,
    /// The names of the agents between the person's and this one, the outermost first; empty for
    /// the person's own agent.
    pub agent_path: Vec<String>,
    /// The user who owns the conversation.
    pub user: Option<String>,
    /// The token that stops the run.
    pub cancellation: CancellationToken,
    /// The secrets that are masked in all that the calls return and report.
    pub secrets: Secrets,
    /// The span around the run, if its caller named one; in the scope of a call, the span of the
    /// run.
    pub trace: Option<TraceParent>,
    extensions: ScopeExtensions,
}

impl Scope {
    /// Creates the scope of a conversation, without anything else.
    pub fn new(conversation: impl Into<String>) -> Self {
        Self { conversation: Some(conversation.into()), ..Self::default() }
    }

    /// Returns the id of the conversation, or the empty string without one.
    pub fn conversation_id(&self) -> &str {
        self.conversation.as_deref().unwrap_or_default()
    }

    /// Sets the number of the turn.
    #[must_use]
    pub fn with_turn(self, turn: u32) -> Self {
        Self { turn, ..self }
    }

    /// Sets that an earlier process started the calls of this scope.
    #[must_use]
    pub fn with_repeated(self) -> Self {
        Self { is_repeated: true, ..self }
    }

    /// Sets the folder that the run works in.
    #[must_use]
    pub fn with_root(self, root: impl Into<PathBuf>) -> Self {
        Self { root: Some(root.into()), ..self }
    }

    /// Sets the names of the agents around this one, the outermost first.
    #[must_use]
    pub fn with_agent_path(self, agent_path: Vec<String>) -> Self {
        Self { agent_path, ..self }
    }

    /// Sets the user.
    #[must_use]
    pub fn with_user(self, user: impl Into<String>) -> Self {
        Self { user: Some(user.into()), ..self }
    }

    /// Sets the token that stops the run.
    #[must_use]
    pub fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        Self { cancellation, ..self }
    }

    /// Adds a value that the run shares with all calls that know its type, such as the budget of
    /// `silcrow-exec`. It replaces an earlier value of the same type.
    ///
    /// ```
    /// use silcrow_tool::Scope;
    ///
    /// struct Tenant(u32);
    ///
    /// let scope = Scope::new("sums").with_extension(Tenant(7));
    /// assert_eq!(scope.extension::<Tenant>().map(|tenant| tenant.0), Some(7));
    /// assert!(scope.extension::<String>().is_none());
    /// ```
    #[must_use]
    pub fn with_extension<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// Returns the value of this type that was [added](Self::with_extension), if there is one.
    pub fn extension<T: Any>(&self) -> Option<&T> {
        self.extensions.get()
    }

    /// Sets the secrets to mask.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    /// Sets the span of the program that begins the run, which is then a part of its trace.
    #[must_use]
    pub fn with_trace(self, trace: TraceParent) -> Self {
        Self { trace: Some(trace), ..self }
    }
}

impl From<&str> for Scope {
    /// Creates the scope of the conversation with this id.
    fn from(conversation: &str) -> Self {
        Self::new(conversation)
    }
}

impl From<String> for Scope {
    /// Creates the scope of the conversation with this id.
    fn from(conversation: String) -> Self {
        Self::new(conversation)
    }
}
