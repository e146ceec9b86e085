//! A running command's changes to protected paths, until the model and the person read them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use silcrow_sandbox::{ProcessOutcome, ProtectedChanges};

/// The unread changes. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct EarlyChanges(Arc<Mutex<ProtectedChanges>>);

impl EarlyChanges {
    pub(crate) fn add(&self, changes: ProtectedChanges) {
        let mut unread = self.lock();
        unread.set_aside.extend(changes.set_aside);
        unread.changed.extend(changes.changed);
        unread.restored.extend(changes.restored);
        unread.set_aside.truncate(MOST);
        unread.changed.truncate(MOST);
        unread.restored.truncate(MOST);
    }

    /// Takes the unread changes.
    pub(crate) fn take(&self) -> ProtectedChanges {
        std::mem::take(&mut *self.lock())
    }

    /// Adds the unread changes to the outcome of the command.
    pub(crate) fn add_to(&self, outcome: &mut ProcessOutcome) {
        let ProtectedChanges { set_aside, changed, restored, .. } = self.take();
        outcome.set_aside.splice(0..0, set_aside);
        outcome.changed.splice(0..0, changed);
        outcome.restored.splice(0..0, restored);
    }

    fn lock(&self) -> MutexGuard<'_, ProtectedChanges> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of paths of each kind that are kept.
const MOST: usize = 1000;
