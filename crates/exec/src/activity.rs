//! The activity of a call, for its idle timeout.
//!
//! A call is active when it sends an update, and while one waits for a receiver.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

/// Records the activity of a call: the number of updates that wait for a receiver. Each change of
/// the number is a sign of life.
#[derive(Debug, Default)]
pub(crate) struct ActivityMonitor(watch::Sender<usize>);

/// Counts an update as waiting for a receiver until it is dropped.
pub(crate) struct PendingUpdate<'a>(&'a ActivityMonitor);

impl ActivityMonitor {
    /// Counts an update that waits for a receiver, for as long as the guard lives.
    pub(crate) fn pending(&self) -> PendingUpdate<'_> {
        self.0.send_modify(|updates| *updates += 1);
        PendingUpdate(self)
    }

    /// Waits until the call has been idle for `length`. A call that waits for a slow receiver is
    /// not idle.
    pub(crate) async fn idle(&self, length: Duration) {
        let mut activity = self.0.subscribe();
        // Neither wait can fail, because `self` holds the sender.
        loop {
            let _ = activity.wait_for(|updates| *updates == 0).await;
            tokio::select! {
                biased;
                _ = activity.changed() => {}
                () = sleep(length) => return,
            }
        }
    }
}

impl Drop for PendingUpdate<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|updates| *updates -= 1);
    }
}
