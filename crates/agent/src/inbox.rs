//! Messages of the user that arrive while a run works.
//!
//! An inbox is open until the run ends. The run takes all messages before each step. One operation
//! checks that the inbox is empty and closes it, so that no message is accepted and then ignored.
//! Only a run that fails or is cancelled leaves messages, which the sender can take back.

use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind};

/// Messages that wait for the next step of a run.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Mutex<InboxState>);

#[derive(Debug, Default)]
struct InboxState {
    messages: Vec<String>,
    is_closed: bool,
}

impl Inbox {
    /// Adds a message.
    ///
    /// # Errors
    ///
    /// Returns an error if the message is blank, the run is over, or too many messages wait.
    pub(crate) fn push(&self, message: String) -> Result<(), Error> {
        let refuse = |why: &str| Err(Error::new(ErrorKind::Refused, why));
        let mut state = self.lock();
        if message.trim().is_empty() {
            return refuse("the message is empty; say what you want");
        }
        if state.is_closed {
            return refuse("the run is over; begin another one with the message");
        }
        if state.messages.len() == MAX_MESSAGES {
            return refuse("too many messages wait for the next step; wait until it begins");
        }
        state.messages.push(message);
        Ok(())
    }

    /// Removes and returns all messages.
    pub(crate) fn take(&self) -> Vec<String> {
        take(&mut self.lock().messages)
    }

    /// Closes the inbox if it is empty, and returns whether it is closed.
    pub(crate) fn close_if_empty(&self) -> bool {
        let mut state = self.lock();
        state.is_closed |= state.messages.is_empty();
        state.is_closed
    }

    /// Closes the inbox and keeps the messages in it.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
    }

    fn lock(&self) -> MutexGuard<'_, InboxState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of messages that may wait for one step.
const MAX_MESSAGES: usize = 64;
