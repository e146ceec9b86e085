//! The hold of a run on its conversation.
//!
//! ```text
//! held ─┬─ release ─► released
//!       └─ the store was not reached in time, or another process took over ─► lost
//! ```

use std::fmt;
use std::future::pending;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

/// The hold of a run on its conversation, from [`Store::hold`](crate::Store::hold). Dropping it
/// releases it too, a little later.
///
/// ```
/// use silcrow_store::{ErrorKind, MemoryStore, Store as _};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// let store = MemoryStore::new();
/// let hold = store.hold("c1").await?;
/// assert_eq!(store.hold("c1").await.unwrap_err().kind(), ErrorKind::Locked);
/// hold.release().await;
/// assert!(!store.hold("c1").await?.is_lost());
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Hold(Option<Box<dyn HeldConversation>>);

/// The part of a [`Hold`] that a store implements. It releases the conversation when it is dropped.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, pending};
/// use silcrow_store::{HeldConversation, Hold};
///
/// /// A place in a table that is freed when the hold is dropped.
/// struct Place(Arc<AtomicBool>);
///
/// impl HeldConversation for Place {
///     fn lost(&self) -> BoxFuture<'_, ()> {
///         pending().boxed()
///     }
///     fn is_lost(&self) -> bool {
///         false
///     }
///     fn release(self: Box<Self>) -> BoxFuture<'static, ()> {
///         async { drop(self) }.boxed()
///     }
/// }
///
/// impl Drop for Place {
///     fn drop(&mut self) {
///         self.0.store(false, Ordering::Release);
///     }
/// }
///
/// let held = Arc::new(AtomicBool::new(true));
/// drop(Hold::new(Place(held.clone())));
/// assert!(!held.load(Ordering::Acquire));
/// ```
pub trait HeldConversation: Send + Sync {
    /// Waits until the hold is lost. Cancel-safe.
    fn lost(&self) -> BoxFuture<'_, ()>;

    /// Returns whether the hold is lost.
    fn is_lost(&self) -> bool;

    /// Waits for the next order to the run; see [`SharedRuns::order`](crate::SharedRuns::order).
    /// Cancel-safe. By default there is none.
    fn next_order(&self) -> BoxFuture<'_, String> {
        pending().boxed()
    }

    /// Drops the orders to the previous owner, which it did not get.
    fn drop_earlier_orders(&self) {}

    /// Releases the conversation, so that another run can hold it at once.
    fn release(self: Box<Self>) -> BoxFuture<'static, ()>;
}

impl Hold {
    /// Creates the hold of a store.
    pub fn new(held: impl HeldConversation + 'static) -> Self {
        Self(Some(Box::new(held)))
    }

    /// Creates a hold that does not exclude others and is never lost, for data stored independently
    /// of runs.
    pub const fn nothing() -> Self {
        Self(None)
    }

    /// Waits until the hold is lost. The run then has to stop, and can no longer store anything.
    /// Cancel-safe.
    pub async fn lost(&self) {
        match &self.0 {
            Some(held) => held.lost().await,
            None => pending().await,
        }
    }

    /// Returns whether the hold is lost.
    pub fn is_lost(&self) -> bool {
        self.0.as_ref().is_some_and(|held| held.is_lost())
    }

    /// Waits for the next order to the run. Orders to an owner who is gone come first. Cancel-safe.
    pub async fn next_order(&self) -> String {
        match &self.0 {
            Some(held) => held.next_order().await,
            None => pending().await,
        }
    }

    /// Drops the orders to an owner who is gone, because this run is not the owner's.
    pub fn drop_earlier_orders(&self) {
        if let Some(held) = &self.0 {
            held.drop_earlier_orders();
        }
    }

    /// Releases the conversation.
    pub async fn release(self) {
        if let Some(held) = self.0 {
            held.release().await;
        }
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hold").field(&self.0.is_some()).finish()
    }
}
