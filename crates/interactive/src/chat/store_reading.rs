//! The reading of a session's store, which begins with the session and continues while the person
//! types the first prompt. A long log takes longer to read than a person wants to wait.

use silcrow_session::AgentSession;
use tokio::task::JoinHandle;

use crate::error::Error;

/// Whether the store of a session was read.
pub(super) enum StoreReading {
    Begun(JoinHandle<Result<(), silcrow_session::Error>>),
    /// It failed, and is tried again when the store is needed.
    Failed,
    Done,
}

impl StoreReading {
    /// Begins to read a store that was opened unread.
    pub(super) fn begin(session: &AgentSession) -> Self {
        let (place, opened) = (session.place().clone(), session.opened().clone());
        Self::Begun(tokio::spawn(async move { place.recover(&opened).await }))
    }

    /// Returns whether the store is known to be read.
    pub(super) const fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// Waits until the store is read, and retries an earlier failure.
    pub(super) async fn finish(&mut self, session: &AgentSession) -> Result<(), Error> {
        let done = match self {
            Self::Done => return Ok(()),
            Self::Failed => session.place().recover(session.opened()).await.map_err(Error::from),
            Self::Begun(reading) => match reading.await {
                Ok(done) => done.map_err(Error::from),
                Err(error) => Err(Error::failed(format!("cannot read the store: {error}"))),
            },
        };
        *self = if done.is_ok() { Self::Done } else { Self::Failed };
        done
    }
}
