//! A store that is opened after the tools that use it are made.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use silcrow_store::Store;

/// The store of a run, which is set before the first call.
///
/// Wrong arguments are reported before a store is opened, because opening may make one, and tools
/// are made to find wrong arguments.
#[derive(Clone, Default)]
pub struct LateStore(Arc<OnceLock<Arc<dyn Store>>>);

impl LateStore {
    /// Sets the store, once.
    pub fn set(&self, store: Arc<dyn Store>) {
        let _ = self.0.set(store);
    }
}

impl Deref for LateStore {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        &**self.0.get().expect("the store is set before a call runs")
    }
}

impl fmt::Debug for LateStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LateStore").field(&self.0.get().is_some()).finish()
    }
}
