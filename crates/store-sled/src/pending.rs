use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use silcrow_store::Versioned;

use crate::meta::Meta;

/// What readers must still see while a group of changes is applied and not yet on the disk: what
/// was there before. So nobody reads what a power cut could still take back.
///
/// A reader reads first and asks here then: a change that was applied before the read is either
/// still in here, or on the disk.
#[derive(Debug, Default)]
pub(crate) struct PendingChanges(Mutex<Before>);

/// What was there before a group of changes; `None` where there was nothing.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// By conversation.
    pub(crate) logs: HashMap<String, Option<Meta>>,
    /// By key in the tree `value`.
    pub(crate) values: HashMap<Vec<u8>, Option<Versioned>>,
}

impl PendingChanges {
    /// Before the group is applied.
    pub(crate) fn begin(&self, before: Before) {
        *self.before() = before;
    }

    /// Once the group is on the disk. Without this, what was before stays what is seen.
    pub(crate) fn end(&self) {
        *self.before() = Before::default();
    }

    /// What to see of a log, given what was read of it.
    pub(crate) fn log(&self, conversation: &str, read: Option<Meta>) -> Option<Meta> {
        self.before().logs.get(conversation).cloned().unwrap_or(read)
    }

    /// What to see of a value, given what was read of it.
    pub(crate) fn value(&self, key: &[u8], read: Option<Versioned>) -> Option<Versioned> {
        self.before().values.get(key).cloned().unwrap_or(read)
    }

    fn before(&self) -> MutexGuard<'_, Before> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
