use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

/// The signs of life of a call. The value counts the pieces that wait to be heard.
#[derive(Debug, Default)]
pub(crate) struct ActivityMonitor(watch::Sender<usize>);

/// A piece that waits to be heard, until this is dropped.
pub(crate) struct PendingUpdate<'a>(&'a ActivityMonitor);

impl ActivityMonitor {
    pub(crate) fn pending(&self) -> PendingUpdate<'_> {
        self.0.send_modify(|pieces| *pieces += 1);
        PendingUpdate(self)
    }

    /// Waits for a silence of that length. Whoever waits for a slow listener is not silent.
    pub(crate) async fn silence(&self, of: Duration) {
        let mut beats = self.0.subscribe();
        // Neither wait fails: the other end is `self`.
        loop {
            let _ = beats.wait_for(|pieces| *pieces == 0).await;
            tokio::select! {
                biased;
                _ = beats.changed() => {}
                () = sleep(of) => return,
            }
        }
    }
}

impl Drop for PendingUpdate<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|pieces| *pieces -= 1);
    }
}
