//! The state that a conversation keeps besides its runs: the permission mode, and commands that the
//! person ran.

use silcrow_event::{Entry, Event, PersonCommand};
use silcrow_policy::PermissionMode;
use silcrow_store::verify::{Report, read_whole};

use crate::add_event::add_event;
use crate::error::Error;
use crate::session::AgentSession;

impl AgentSession {
    /// Stores the session's present mode, for the next run of the conversation.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn keep_mode(&self, conversation: &str) -> Result<(), Error> {
        let mode = self.mode().mode().to_string();
        self.store_beside(conversation, Event::Mode { mode }).await
    }

    /// Sets the mode that a conversation keeps, and returns it. The mode `full` is never set in
    /// this way, nor is one that the project forbids; a mode that the options name counts in any
    /// case.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub async fn restore_mode(&self, conversation: &str) -> Result<Option<PermissionMode>, Error> {
        if self.options().policy.permissions.is_some() {
            return Ok(None);
        }
        let Some(mode) = self.stored_mode(conversation).await? else { return Ok(None) };
        let is_usable = mode != PermissionMode::Full && mode != self.mode().mode();
        Ok((is_usable && self.mode().set(mode).is_ok()).then_some(mode))
    }

    /// Stores a command that the person has run, which the model reads before the next message.
    ///
    /// # Errors
    ///
    /// Returns an error if another process runs the conversation, or if the store fails.
    pub async fn store_command(&self, conversation: &str, ran: PersonCommand) -> Result<(), Error> {
        let _active = self.claim(conversation, &ran.command)?;
        self.store_beside(conversation, Event::PersonCommand(ran)).await
    }

    async fn store_beside(&self, conversation: &str, event: Event) -> Result<(), Error> {
        Ok(add_event(&*self.store(), conversation, event).await?)
    }

    /// Returns the last mode of a conversation.
    async fn stored_mode(&self, conversation: &str) -> Result<Option<PermissionMode>, Error> {
        let store = self.store();
        let mut last = store.head(conversation).await?;
        while last > 0 {
            let first = last.saturating_sub(PIECE) + 1;
            // Damaged events are left out; `silcrow log verify` reports them.
            let mut damage = Report::default();
            let entries = read_whole(&*store, conversation, first..=last, &mut damage).await?;
            let of_mode = |entry: &Entry| match &entry.event {
                Event::Mode { mode } if entry.agent_path.is_none() => mode.parse().ok(),
                _ => None,
            };
            if let Some(mode) = entries.iter().rev().find_map(of_mode) {
                return Ok(Some(mode));
            }
            last = first - 1;
        }
        Ok(None)
    }
}

/// The number of events that are read at once.
const PIECE: u64 = 2_000;
