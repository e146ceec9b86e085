//! Tokens that cancel work, and their children.
//!
//! A token is *not cancelled*, and then *cancelled* for good.

/// A token that cancels work. Clones share one token, which is cancelled once and stays so.
///
/// ```
/// use silcrow_tool::CancellationToken;
///
/// let run = CancellationToken::new();
/// let (call, other) = (run.child_token(), run.child_token());
/// call.cancel();
/// assert!(!run.is_cancelled() && !other.is_cancelled());
/// run.cancel();
/// assert!(other.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(tokio_util::sync::CancellationToken);

impl CancellationToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a child, which is cancelled as soon as this token is. Cancelling the child does not
    /// cancel this token.
    #[must_use]
    pub fn child_token(&self) -> Self {
        Self(self.0.child_token())
    }

    /// Cancels the token, its clones and its children.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Returns whether the token is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until the token is cancelled. Cancel-safe.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}
