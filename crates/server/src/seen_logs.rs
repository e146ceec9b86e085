//! The open questions at the ends of logs, remembered until the logs grow.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use silcrow_agent::ParkedQuestion;

/// The open questions of logs.
#[derive(Default)]
pub(crate) struct SeenLogs(Mutex<HashMap<String, SeenLog>>);

struct SeenLog {
    /// The number of events at that time.
    events: u64,
    open: Arc<[ParkedQuestion]>,
}

impl SeenLogs {
    /// Returns the open questions of a log with this many events, if they are known.
    pub(crate) fn get(&self, conversation: &str, events: u64) -> Option<Arc<[ParkedQuestion]>> {
        let logs = self.lock();
        let seen = logs.get(conversation).filter(|seen| seen.events == events)?;
        Some(Arc::clone(&seen.open))
    }

    /// Keeps the open questions of a log with this many events.
    pub(crate) fn keep(&self, conversation: &str, events: u64, open: &Arc<[ParkedQuestion]>) {
        let mut logs = self.lock();
        if logs.len() >= MOST {
            logs.clear();
        }
        logs.insert(conversation.to_owned(), SeenLog { events, open: Arc::clone(open) });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, SeenLog>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The most logs that are known at once.
const MOST: usize = 10_000;
