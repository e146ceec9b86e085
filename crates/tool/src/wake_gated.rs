//! Futures that are polled only after they have been woken.
//!
//! A task that waits for several things polls all of them whenever it is woken for one. Most events
//! that a stream waits for, such as the end of its server, come once or never, and each poll of it
//! takes locks and registers the task again. A gate gives such a future a waker that takes note of
//! the wake.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// A future that is polled for the first time and after each of its wakes, and not when its task is woken
/// for something else.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use std::pin::pin;
/// use silcrow_tool::{CancellationToken, WakeGated};
///
/// let stop = CancellationToken::new();
/// let stopped = pin!(stop.cancelled());
/// let mut stopped = WakeGated::new(stopped);
/// for piece in ["a", "b"] {
///     tokio::select! {
///         biased;
///         () = &mut stopped => break,
///         _ = async { piece } => {}
///     }
/// }
/// stop.cancel();
/// stopped.await;
/// # });
/// ```
pub struct WakeGated<F> {
    future: F,
    gate: Arc<WakeGate>,
    /// The waker that the gate has.
    task: Waker,
}

struct WakeGate {
    is_woken: AtomicBool,
    task: Mutex<Waker>,
}

impl<F: Future + Unpin> WakeGated<F> {
    /// Wraps a future, such as one that is pinned.
    pub fn new(future: F) -> Self {
        let task = Waker::noop().clone();
        let gate = WakeGate { is_woken: AtomicBool::new(true), task: Mutex::new(task.clone()) };
        Self { future, gate: Arc::new(gate), task }
    }

    /// Returns the future, which is polled next time, because it may be another one then.
    pub fn inner_mut(&mut self) -> &mut F {
        self.gate.is_woken.store(true, Ordering::Release);
        &mut self.future
    }
}

impl<F: Future + Unpin> Future for WakeGated<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        if !this.task.will_wake(context.waker()) {
            this.task.clone_from(context.waker());
            this.gate.task.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&this.task);
        }
        if !this.gate.is_woken.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        // A wake from here on leads to another poll.
        this.gate.is_woken.swap(false, Ordering::AcqRel);
        let waker = Waker::from(Arc::clone(&this.gate));
        Pin::new(&mut this.future).poll(&mut Context::from_waker(&waker))
    }
}

impl Wake for WakeGate {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_woken.swap(true, Ordering::AcqRel) {
            self.task.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref();
        }
    }
}

impl<F> fmt::Debug for WakeGated<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WakeGated").finish_non_exhaustive()
    }
}
