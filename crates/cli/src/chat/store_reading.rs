//! The reading of a session's store, which begins with the session and continues while the person
//! types the first prompt. A long log takes longer to read than a person wants to wait.

use tokio::task::JoinHandle;

use crate::failure::Failure;
use crate::places::{OpenStore, StorePlace};

/// Whether the store of a session was read.
pub(super) enum StoreReading {
    Begun(JoinHandle<Result<(), Failure>>),
    /// It failed, and is tried again when the store is needed.
    Failed,
    Done,
}

impl StoreReading {
    /// Begins to read a store that was opened unread.
    pub(super) fn begin(place: &StorePlace, opened: &OpenStore) -> Self {
        let (place, opened) = (place.clone(), opened.clone());
        Self::Begun(tokio::spawn(async move { place.recover(&opened).await }))
    }

    /// Returns whether the store is known to be read.
    pub(super) const fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// Waits until the store is read, and tries again what has failed before.
    pub(super) async fn finish(
        &mut self,
        place: &StorePlace,
        opened: &OpenStore,
    ) -> Result<(), Failure> {
        let done = match self {
            Self::Done => return Ok(()),
            Self::Failed => place.recover(opened).await,
            Self::Begun(reading) => reading.await.unwrap_or_else(|error| {
                Err(Failure::running(format!("cannot read the store: {error}")))
            }),
        };
        *self = if done.is_ok() { Self::Done } else { Self::Failed };
        done
    }
}
