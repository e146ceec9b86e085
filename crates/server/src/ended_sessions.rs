//! The sessions of pages that have logged out. Their cookies count no more, at no server of the store.
//!
//! ```text
//! a page logs out ─► a value in the store ─► every server finds it, at the latest after a few seconds
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use silcrow_store::Store;
use tokio::time::Instant;

use crate::error::Error;

/// A server's knowledge of sessions.
#[derive(Default)]
pub(crate) struct EndedSessions(Mutex<SessionsState>);

#[derive(Default)]
struct SessionsState {
    ended: HashSet<String>,
    /// The sessions that were not over when the store was asked.
    asked: HashMap<String, Instant>,
}

impl EndedSessions {
    /// Returns whether a session is over.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot say it.
    pub(crate) async fn has(&self, session: &str, store: &dyn Store) -> Result<bool, Error> {
        {
            let state = self.lock();
            if state.ended.contains(session) {
                return Ok(true);
            }
            if state.asked.get(session).is_some_and(|asked| asked.elapsed() < FRESH) {
                return Ok(false);
            }
        }
        let is_ended = store.get(SPACE, session).await?.is_some();
        let mut state = self.lock();
        if is_ended {
            state.ended.insert(session.to_owned());
        } else {
            state.asked.retain(|_, asked| asked.elapsed() < FRESH);
            state.asked.insert(session.to_owned(), Instant::now());
        }
        Ok(is_ended)
    }

    /// Ends a session.
    ///
    /// # Errors
    ///
    /// Returns an error if the store does not keep that.
    pub(crate) async fn end(&self, session: &str, store: &dyn Store) -> Result<(), Error> {
        // From now on the session is over, whatever the store answers.
        self.lock().ended.insert(session.to_owned());
        if store.get(SPACE, session).await?.is_some() {
            return Ok(());
        }
        match store.put(SPACE, session, 0, Vec::new()).await {
            Err(error) if error.kind() != silcrow_store::ErrorKind::Conflict => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, SessionsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The space with a value for each session that is over.
const SPACE: &str = "ended-sessions";

/// The time for which a session counts after the store was asked.
const FRESH: Duration = Duration::from_secs(5);
