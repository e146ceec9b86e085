//! Whether the server of a model has refused pictures or files, and the memory of it beyond a
//! process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Remembers beyond a process that the server of a model refused pictures and files.
///
/// [`Agent::with_refusal_memory`](crate::Agent::with_refusal_memory) has an example.
///
/// ```
/// use std::sync::Mutex;
/// use std::time::{Duration, Instant};
///
/// use silcrow_agent::RefusalMemory;
///
/// /// Remembers a refusal as long as the process lives.
/// #[derive(Default)]
/// struct InMemory(Mutex<Option<Instant>>);
///
/// impl RefusalMemory for InMemory {
///     fn refused(&self) -> Option<Duration> {
///         self.0.lock().unwrap().map(|time| time.elapsed())
///     }
///
///     fn remember(&self) {
///         *self.0.lock().unwrap() = Some(Instant::now());
///     }
/// }
///
/// let memory = InMemory::default();
/// assert_eq!(memory.refused(), None);
/// memory.remember();
/// assert!(memory.refused().is_some());
/// ```
pub trait RefusalMemory: Send + Sync {
    /// Returns how long ago the server refused them, or `None` if it did not, or that is forgotten.
    fn refused(&self) -> Option<Duration>;

    /// Remembers that the server refuses them now. If that fails, pictures are tried again.
    fn remember(&self);
}

/// Whether the server of a model has refused media. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct RefusedMedia {
    is_known: Arc<AtomicBool>,
    memory: Option<Arc<dyn RefusalMemory>>,
    /// The time since an earlier process was refused; `None` once the person has read about it.
    untold: Arc<Mutex<Option<Duration>>>,
}

impl RefusedMedia {
    /// Reads the refusals of a memory, and keeps further ones there.
    pub(crate) fn remembered(memory: Arc<dyn RefusalMemory>) -> Self {
        let ago = memory.refused();
        Self {
            is_known: Arc::new(AtomicBool::new(ago.is_some())),
            memory: Some(memory),
            untold: Arc::new(Mutex::new(ago)),
        }
    }

    /// Returns whether it has.
    pub(crate) fn is_known(&self) -> bool {
        self.is_known.load(Ordering::Relaxed)
    }

    /// Notes that it has, and returns whether that was known.
    pub(crate) fn learn(&self) -> bool {
        let was_known = self.is_known.swap(true, Ordering::Relaxed);
        if let Some(memory) = self.memory.as_ref().filter(|_| !was_known) {
            memory.remember();
        }
        was_known
    }

    /// Returns once how long ago an earlier process was refused, if `is_asked` says that it matters.
    pub(crate) fn take_untold(&self, is_asked: impl FnOnce() -> bool) -> Option<Duration> {
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        if untold.is_some() && is_asked() { untold.take() } else { None }
    }
}
