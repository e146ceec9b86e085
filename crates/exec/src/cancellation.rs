//! Tokens that cancel work, and their children.
//!
//! A token is *not cancelled*, and then *cancelled* for good.

use std::iter;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use tokio::sync::watch;

/// A token that cancels work. Clones share one token, which is cancelled once and stays so.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<TokenState>);

#[derive(Debug, Default)]
struct TokenState {
    is_cancelled: watch::Sender<bool>,
    parent: Option<CancellationToken>,
}

impl CancellationToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a child, which is cancelled as soon as this token is. Cancelling the child does not
    /// cancel this token.
    #[must_use]
    pub fn child_token(&self) -> Self {
        Self(Arc::new(TokenState {
            is_cancelled: watch::Sender::default(),
            parent: Some(self.clone()),
        }))
    }

    /// Cancels the token, its clones and its children.
    pub fn cancel(&self) {
        self.0.is_cancelled.send_replace(true);
    }

    /// Returns whether the token is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.lineage().any(|cancel| *cancel.0.is_cancelled.borrow())
    }

    /// Waits until the token is cancelled. Cancel-safe.
    pub async fn cancelled(&self) {
        let waits = self.lineage().map(|cancel| {
            let mut state = cancel.0.is_cancelled.subscribe();
            // The wait cannot fail, because `self` holds the sender.
            async move { drop(state.wait_for(|is_cancelled| *is_cancelled).await) }.boxed()
        });
        select_all(waits).await;
    }

    /// Returns the token and those that it descends from.
    fn lineage(&self) -> impl Iterator<Item = &Self> {
        iter::successors(Some(self), |cancel| cancel.0.parent.as_ref())
    }
}

/// Cancels a token when it is dropped.
pub(crate) struct StopOnDrop(pub(crate) CancellationToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
