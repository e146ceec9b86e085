//! The number of rollbacks that go on beneath a run although it is stopped (P-32).
//!
//! A run that ends waits longer for its stopped calls while there are some. This module counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use silcrow_tool::Scope;

/// A counter that all runners beneath a run share.
#[derive(Debug, Default)]
pub(crate) struct RollbackCount(Arc<AtomicUsize>);

/// A rollback that goes on until this is dropped.
#[derive(Debug)]
pub(crate) struct RollbackGuard(Arc<AtomicUsize>);

impl RollbackCount {
    /// Returns the scope with a counter.
    pub(crate) fn within(scope: Scope) -> Scope {
        match scope.extension::<Self>() {
            Some(_) => scope,
            None => scope.with_extension(Self::default()),
        }
    }

    /// Returns whether a rollback goes on.
    pub(crate) fn is_above_zero(scope: &Scope) -> bool {
        scope.extension::<Self>().is_some_and(|count| count.0.load(Ordering::Relaxed) > 0)
    }

    /// Counts one more.
    pub(crate) fn begin(scope: &Scope) -> Option<RollbackGuard> {
        let Self(count) = scope.extension()?;
        count.fetch_add(1, Ordering::Relaxed);
        Some(RollbackGuard(Arc::clone(count)))
    }
}

impl Drop for RollbackGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
