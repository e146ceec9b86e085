//! When a call was last active, for its idle timeout.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

/// Notes the activity of a call. The value counts the updates that wait for a receiver.
#[derive(Debug, Default)]
pub(crate) struct ActivityMonitor(watch::Sender<usize>);

/// An update that waits for a receiver, until this is dropped.
pub(crate) struct PendingUpdate<'a>(&'a ActivityMonitor);

impl ActivityMonitor {
    /// Notes an update that waits for a receiver.
    pub(crate) fn pending(&self) -> PendingUpdate<'_> {
        self.0.send_modify(|updates| *updates += 1);
        PendingUpdate(self)
    }

    /// Waits until the call has been idle for so long. A call that waits for a slow receiver is not
    /// idle.
    pub(crate) async fn silence(&self, length: Duration) {
        let mut activity = self.0.subscribe();
        // Neither wait fails: the other end is `self`.
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
