//! Whether the run that a person watches is to go on in another process.
//!
//! ```text
//! kept ─┬─ order ──────────────────────────────┬─► ordered: the run ends between two steps
//!       └─ set_on_close, and the terminal ends ─┘
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// The wish of a person that a run goes on in another process. Clones are the same.
///
/// ```
/// use silcrow_console::handover::Handover;
///
/// let handover = Handover::default();
/// handover.begin();
/// handover.clone().order();
/// assert!(handover.is_ordered() && handover.outlives_terminal());
/// handover.end();
/// assert!(!handover.is_ordered(), "it was about the run before");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Handover(Arc<HandoverState>);

#[derive(Debug, Default)]
struct HandoverState {
    /// Whether a run is at work.
    is_begun: AtomicBool,
    is_on_close: AtomicBool,
    is_ordered: watch::Sender<bool>,
}

impl Handover {
    /// Begins another run, about which nothing is ordered.
    pub fn begin(&self) {
        self.0.is_ordered.send_replace(false);
        self.0.is_begun.store(true, Ordering::Relaxed);
    }

    /// Ends the run.
    pub fn end(&self) {
        self.0.is_begun.store(false, Ordering::Relaxed);
        self.0.is_ordered.send_replace(false);
    }

    /// Orders that the run goes on elsewhere.
    pub fn order(&self) {
        self.0.is_ordered.send_replace(true);
    }

    /// Returns whether the run is to go on elsewhere.
    pub fn is_ordered(&self) -> bool {
        *self.0.is_ordered.borrow()
    }

    /// Waits until the run is to go on elsewhere. Cancel-safe.
    pub async fn ordered(&self) {
        // The wait cannot fail, because `self` holds the sender.
        let _ = self.0.is_ordered.subscribe().wait_for(|is_ordered| *is_ordered).await;
    }

    /// Sets whether runs go on elsewhere when the terminal closes.
    pub fn set_on_close(&self, is_on_close: bool) {
        self.0.is_on_close.store(is_on_close, Ordering::Relaxed);
    }

    /// Returns whether a run is at work that the end of the terminal does not end.
    pub fn outlives_terminal(&self) -> bool {
        let is_asked = self.0.is_on_close.load(Ordering::Relaxed) || self.is_ordered();
        is_asked && self.0.is_begun.load(Ordering::Relaxed)
    }
}
