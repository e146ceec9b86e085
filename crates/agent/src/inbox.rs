//! Messages of the person that arrive while a run works.
//!
//! An inbox is open until the run ends. The run takes each message as soon as it can, and stores it.
//! One operation checks that the inbox is empty and closes it, so that no message is accepted and
//! then ignored: the sender of a message that a closed inbox still holds learns so.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem::take;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Poll, Waker};

use tokio::sync::{oneshot, watch};

use crate::error::{Error, ErrorKind};

/// Messages that the run has not stored yet.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    state: Mutex<InboxState>,
    progress: watch::Sender<BeginningState>,
    /// The head of the log when the run took the conversation.
    taken_at: OnceLock<u64>,
}

/// The moments of a run that others wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BeginningState {
    /// Nothing of the run is in the log.
    #[default]
    Preparing,
    /// The log has the entries with which the run begins.
    Begun,
    /// The run ended before that.
    Failed,
}

#[derive(Debug, Default)]
struct InboxState {
    messages: VecDeque<SentMessage>,
    is_closed: bool,
    /// The reason for which the run was cancelled, if it was not the person.
    reason: Option<String>,
    /// The reason for which the run ends between two steps.
    leaves: Option<String>,
    /// Wakes the run, which waits for the next message.
    run: Option<Waker>,
}

/// A message on its way into the log.
#[derive(Debug)]
pub(crate) struct SentMessage {
    pub(crate) text: String,
    /// Whether the calls that have not started are dropped.
    pub(crate) drops_calls: bool,
    /// Tells the sender that the message is stored.
    pub(crate) stored: oneshot::Sender<()>,
}

impl Inbox {
    /// Adds a message, and returns a receiver that tells whether it was stored.
    ///
    /// # Errors
    ///
    /// Returns an error if the message is blank, the run is over, or too many messages wait.
    pub(crate) fn push(
        &self,
        text: String,
        drops_calls: bool,
    ) -> Result<oneshot::Receiver<()>, Error> {
        let refuse = |why: &str| Err(Error::new(ErrorKind::Refused, why));
        if text.trim().is_empty() {
            return refuse("the message is empty; say what you want");
        }
        let mut state = self.lock();
        if state.is_closed {
            return Err(over());
        }
        if state.messages.len() == MAX_MESSAGES {
            return refuse("too many messages wait to be stored; wait until they are");
        }
        let (stored, receiver) = oneshot::channel();
        state.messages.push_back(SentMessage { text, drops_calls, stored });
        if let Some(run) = state.run.take() {
            run.wake();
        }
        Ok(receiver)
    }

    /// Waits for the next message. Cancel-safe. Only one task may wait at a time.
    pub(crate) async fn next(&self) -> SentMessage {
        poll_fn(|context| {
            let mut state = self.lock();
            match state.messages.pop_front() {
                Some(message) => Poll::Ready(message),
                None => {
                    // It is asked after each piece of an answer, mostly with the same waker.
                    match &mut state.run {
                        Some(run) => run.clone_from(context.waker()),
                        None => state.run = Some(context.waker().clone()),
                    }
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Removes and returns the next message, if there is one.
    pub(crate) fn pop(&self) -> Option<SentMessage> {
        self.lock().messages.pop_front()
    }

    /// Closes the inbox if it is empty, and returns whether it is closed.
    pub(crate) fn close_if_empty(&self) -> bool {
        let mut state = self.lock();
        state.is_closed |= state.messages.is_empty();
        state.is_closed
    }

    /// Sets the reason for which the run is cancelled.
    pub(crate) fn set_reason(&self, why: &str) {
        self.lock().reason.get_or_insert_with(|| why.to_owned());
    }

    /// Returns the reason for which the run is cancelled, if one was set.
    pub(crate) fn reason(&self) -> Option<String> {
        self.lock().reason.clone()
    }

    /// Has the run end before its next request, for a reason.
    pub(crate) fn leave(&self, why: &str) {
        self.lock().leaves.get_or_insert_with(|| why.to_owned());
    }

    /// Returns whether the run is to end before its next request. The reason becomes the reason of
    /// its end.
    pub(crate) fn is_left(&self) -> bool {
        let mut state = self.lock();
        let leaves = state.leaves.clone();
        let is_left = leaves.is_some();
        state.reason = state.reason.take().or(leaves);
        is_left
    }

    /// Closes the inbox, and informs the senders of the messages in it.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        take(&mut state.messages);
        drop(state);
        self.advance(BeginningState::Failed);
    }

    /// Notes the head of the log when the run took the conversation.
    pub(crate) fn take_at(&self, head: u64) {
        // A run takes its conversation once.
        let _ = self.taken_at.set(head);
    }

    pub(crate) fn taken_at(&self) -> Option<u64> {
        self.taken_at.get().copied()
    }

    /// Notes that the log has the entries with which the run begins.
    pub(crate) fn begin(&self) {
        self.advance(BeginningState::Begun);
    }

    /// Waits until the log has the entries with which the run begins, and returns whether it has
    /// them: a run may end before. Cancel-safe.
    pub(crate) async fn begun(&self) -> bool {
        let mut progress = self.progress.subscribe();
        // The wait cannot fail, because `self` holds the sender.
        let decided = progress.wait_for(|progress| *progress != BeginningState::Preparing).await;
        decided.is_ok_and(|progress| *progress == BeginningState::Begun)
    }

    fn advance(&self, to: BeginningState) {
        self.progress.send_if_modified(|progress| {
            let is_first = *progress == BeginningState::Preparing;
            if is_first {
                *progress = to;
            }
            is_first
        });
    }

    fn lock(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes an inbox when it is dropped, even if the run panics.
pub(crate) struct ClosedAtEnd<'a>(pub(crate) &'a Inbox);

impl Drop for ClosedAtEnd<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Returns the error about a message to a run that is over.
pub(crate) fn over() -> Error {
    Error::new(ErrorKind::Refused, "the run is over; begin another one with the message")
}

/// The number of messages that may wait to be stored.
const MAX_MESSAGES: usize = 64;
