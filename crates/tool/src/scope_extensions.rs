//! Values in a scope for readers with the matching types, one of each type.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The values that were added to a scope. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct ScopeExtensions(Vec<Arc<dyn Any + Send + Sync>>);

impl ScopeExtensions {
    /// Adds a value. It replaces an earlier one of the same type.
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.0.retain(|other| !other.is::<T>());
        self.0.push(Arc::new(value));
    }

    /// Returns the value of this type.
    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        self.0.iter().find_map(|value| value.downcast_ref())
    }
}

impl fmt::Debug for ScopeExtensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} extensions", self.0.len())
    }
}
