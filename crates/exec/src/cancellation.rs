use std::iter;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use tokio::sync::watch;

/// A stop sign that many may look at. Clones share one sign; it is put up once and for ever.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<Sign>);

#[derive(Debug, Default)]
struct Sign {
    up: watch::Sender<bool>,
    parent: Option<CancellationToken>,
}

impl CancellationToken {
    /// A sign that is not up.
    pub fn new() -> Self {
        Self::default()
    }

    /// A sign that is up as soon as this one is; triggering the child leaves this one alone.
    #[must_use]
    pub fn child_token(&self) -> Self {
        Self(Arc::new(Sign { up: watch::Sender::default(), parent: Some(self.clone()) }))
    }

    /// Puts the sign up, for all clones and children.
    pub fn cancel(&self) {
        self.0.up.send_replace(true);
    }

    /// Whether the sign is up.
    pub fn is_cancelled(&self) -> bool {
        self.line().any(|cancel| *cancel.0.up.borrow())
    }

    /// Waits until the sign is up. Cancel-safe; may be awaited any number of times.
    pub async fn cancelled(&self) {
        let waits = self.line().map(|cancel| {
            let mut up = cancel.0.up.subscribe();
            // An error would mean that the sender is gone, but `self` holds it.
            async move { drop(up.wait_for(|up| *up).await) }.boxed()
        });
        select_all(waits).await;
    }

    /// This sign and those above it.
    fn line(&self) -> impl Iterator<Item = &Self> {
        iter::successors(Some(self), |cancel| cancel.0.parent.as_ref())
    }
}

/// Puts a sign up when it is dropped.
pub(crate) struct StopOnDrop(pub(crate) CancellationToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
