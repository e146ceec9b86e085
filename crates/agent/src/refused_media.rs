//! Whether the server of a model has refused pictures or files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the server of a model has refused media. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefusedMedia(Arc<AtomicBool>);

impl RefusedMedia {
    /// Returns whether it has.
    pub(crate) fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Notes that it has, and returns whether that was known.
    pub(crate) fn learn(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }
}
