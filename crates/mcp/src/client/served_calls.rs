//! The open calls of a server: the conversation to which a server's question belongs, and the calls
//! that report an unanswered question.
//!
//! A question that arrives separately does not name its call.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

/// The open calls of a server. Clones are the same calls.
#[derive(Clone, Default)]
pub(crate) struct ServedCalls(Arc<Mutex<CallList>>);

#[derive(Default)]
struct CallList {
    /// The number of calls so far.
    begun: u64,
    /// The open calls, the latest last.
    open: Vec<ListedCall>,
}

struct ListedCall {
    number: u64,
    conversation: String,
    lines: mpsc::Sender<String>,
}

/// A call that is open until this is dropped.
pub(crate) struct ServedCall {
    calls: ServedCalls,
    number: u64,
    lines: mpsc::Receiver<String>,
}

impl ServedCalls {
    /// Opens a call of a conversation.
    pub(crate) fn open(&self, conversation: &str) -> ServedCall {
        let (sender, lines) = mpsc::channel(MOST_LINES);
        let mut list = self.lock();
        list.begun += 1;
        let (number, conversation) = (list.begun, conversation.to_owned());
        list.open.push(ListedCall { number, conversation, lines: sender });
        drop(list);
        ServedCall { calls: self.clone(), number, lines }
    }

    /// Returns the conversation of the call that was opened last.
    pub(crate) fn conversation(&self) -> Option<String> {
        Some(self.lock().open.last()?.conversation.clone())
    }

    /// Gives all open calls a line to report. One that has not reported earlier ones gets no more.
    pub(crate) fn tell(&self, line: &str) {
        for call in &self.lock().open {
            let _ = call.lines.try_send(line.to_owned());
        }
    }

    fn lock(&self) -> MutexGuard<'_, CallList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServedCall {
    /// Waits for a line that the call reports. Cancel-safe.
    pub(crate) async fn line(&mut self) -> String {
        match self.lines.recv().await {
            Some(line) => line,
            None => std::future::pending().await,
        }
    }

    /// Returns a line that the call has not reported yet.
    pub(crate) fn left_line(&mut self) -> Option<String> {
        self.lines.try_recv().ok()
    }
}

impl Drop for ServedCall {
    fn drop(&mut self) {
        self.calls.lock().open.retain(|call| call.number != self.number);
    }
}

impl fmt::Debug for ServedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServedCalls").field(&self.lock().open.len()).finish()
    }
}

/// The number of lines that a call has not reported.
const MOST_LINES: usize = 8;
