//! The holds of a store that only one process uses.
//!
//! Other processes do not exist for this module, so no hold is ever lost.

use std::collections::HashSet;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::error::{Error, ErrorKind};
use crate::hold::{HeldConversation, Hold};

/// The conversations that the runs of this process hold. Clones are the same.
///
/// ```
/// use silcrow_store::{ErrorKind, ProcessHolds};
///
/// let holds = ProcessHolds::new();
/// let hold = holds.hold("c1").unwrap();
/// assert_eq!(holds.hold("c1").unwrap_err().kind(), ErrorKind::Locked);
/// drop(hold);
/// assert!(holds.hold("c1").is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProcessHolds(Arc<Mutex<HashSet<String>>>);

/// A conversation that a run of this process holds, until this is dropped.
struct HeldHere {
    holds: ProcessHolds,
    conversation: String,
}

impl ProcessHolds {
    /// Creates an empty list of holds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a conversation for a run.
    ///
    /// # Errors
    ///
    /// [`Locked`](ErrorKind::Locked) if another run of this process holds the conversation.
    pub fn hold(&self, conversation: &str) -> Result<Hold, Error> {
        if !self.held().insert(conversation.to_owned()) {
            let why = format!(
                "conversation {conversation:?} is running in this process; wait until it has ended, \
                 or stop it"
            );
            return Err(Error::new(ErrorKind::Locked, why));
        }
        let (holds, conversation) = (self.clone(), conversation.to_owned());
        Ok(Hold::new(HeldHere { holds, conversation }))
    }

    fn held(&self) -> MutexGuard<'_, HashSet<String>> {
        // Each change is one step, so the set is whole even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldConversation for HeldHere {
    fn lost(&self) -> BoxFuture<'_, ()> {
        pending().boxed()
    }

    fn is_lost(&self) -> bool {
        false
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, ()> {
        drop(self);
        async {}.boxed()
    }
}

impl Drop for HeldHere {
    fn drop(&mut self) {
        self.holds.held().remove(&self.conversation);
    }
}
