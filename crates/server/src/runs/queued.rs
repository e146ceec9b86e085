//! Reservations that wait for a place.

use tokio::time::{Instant, timeout};

use super::{RunReservation, Runs};
use crate::error::{Error, ErrorKind};

impl Runs {
    /// Reserves a conversation for a run of a user. If too many runs are at work, this waits until
    /// one has ended, for a time and with a bounded number of others.
    ///
    /// # Errors
    ///
    /// See [`reserve`](Self::reserve).
    pub(crate) async fn reserve_soon(
        &self,
        conversation: &str,
        user: Option<&str>,
    ) -> Result<RunReservation<'_>, Error> {
        let mut busy = self.busy.subscribe();
        let refused = match self.reserve(conversation, user) {
            Err(error) if self.may_wait(&error) => error,
            reserved => return reserved,
        };
        let Some(_place) = self.queue.enter(self.most_queued) else { return Err(refused) };
        let since = Instant::now();
        let place = async {
            loop {
                // The wait cannot fail, because the runs hold the sender.
                let _ = busy.changed().await;
                match self.reserve(conversation, user) {
                    Err(error) if self.may_wait(&error) => {}
                    reserved => return reserved,
                }
            }
        };
        let reserved = timeout(self.queue_time, place).await.unwrap_or(Err(refused));
        self.meters.queued(since.elapsed());
        reserved
    }

    fn may_wait(&self, error: &Error) -> bool {
        let is_full = matches!(error.kind(), ErrorKind::TooMany | ErrorKind::Unavailable);
        is_full && !self.is_closed()
    }
}
