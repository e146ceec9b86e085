//! The names of a client's tools, which tell their calls from calls of the agent's tools.

use std::collections::BTreeSet;
use std::sync::Arc;

/// The names of a client's tools. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ClientToolNames(Arc<BTreeSet<String>>);

impl ClientToolNames {
    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        Self(Arc::new(names.collect()))
    }

    /// Returns whether a tool of the client has this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Returns whether the client has no tools.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
