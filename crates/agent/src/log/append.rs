//! Appends to the log of a conversation, together with entries that a person stored meanwhile.
//!
//! ```text
//! append ─► the head is another one ─► what a person stored is taken ─► append again
//! ```

use silcrow_event::{ApprovalState, Entry, Event};
use silcrow_store::{Error, ErrorKind, media};

use super::Log;

impl Log<'_> {
    /// Stores all of the events or none, and returns them as entries.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation belongs to another user, or if another run has appended
    /// to it: the store compares the head.
    pub(crate) async fn append(
        &mut self,
        turn: u32,
        events: Vec<Event>,
    ) -> Result<&[Entry], Error> {
        self.append_turns(events.into_iter().map(|event| (turn, event)).collect()).await
    }

    /// Stores events of several turns like [`append`](Self::append). Entries that a person stored
    /// meanwhile without a run, such as an answer with a message beside it, come before them.
    pub(crate) async fn append_turns(
        &mut self,
        mut events: Vec<(u32, Event)>,
    ) -> Result<&[Entry], Error> {
        self.owned()?;
        for (_, event) in &mut events {
            media::keep_all(self.store, self.conversation, event).await?;
        }
        let mut batch = self.batch(events)?;
        loop {
            let first = self.entries.len();
            match self.try_append(&mut batch).await {
                Ok(()) => return Ok(&self.entries[first..]),
                Err(error) if error.kind() == ErrorKind::Conflict && self.refresh().await? => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Keeps the pictures, documents and sounds of events that are about to be stored. Appending does this,
    /// too.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation belongs to another user.
    pub(crate) async fn keep_media(&self, events: &mut [Event]) -> Result<(), Error> {
        self.owned()?;
        for event in events {
            media::keep_all(self.store, self.conversation, event).await?;
        }
        Ok(())
    }

    /// Makes entries of events of several turns, which are to be stored together.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation belongs to another user.
    pub(crate) fn batch(&mut self, events: Vec<(u32, Event)>) -> Result<Vec<Entry>, Error> {
        self.owned()?;
        let entries = events.into_iter().map(|(turn, event)| self.pass(turn, event));
        let mut batch: Vec<Entry> = entries.collect();
        if let (0, Some(first)) = (self.head, batch.first_mut()) {
            first.origin.clone_from(&self.origin);
        }
        Ok(batch)
    }

    /// Stores a batch after the last entry that this log has read, and takes its entries.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`Conflict`](ErrorKind::Conflict) if more is stored by now.
    pub(crate) async fn try_append(&mut self, batch: &mut Vec<Entry>) -> Result<(), Error> {
        for (position, entry) in (self.head + 1..).zip(&mut *batch) {
            entry.seq = Some(position);
        }
        self.head = self.store.append(self.conversation, self.head, batch.clone()).await?;
        if self.owner.is_none() {
            self.owner = batch.iter().find_map(|entry| entry.user.clone());
        }
        if self.entries.capacity() == 0 {
            // Most runs add a few entries, and many runs are at work at once.
            self.entries.reserve_exact(batch.len());
        }
        self.entries.append(batch);
        Ok(())
    }

    /// Takes the events that were stored since this log was read, if they are all of a person:
    /// answers, messages, names, summaries and modes. Returns whether there were some.
    pub(crate) async fn refresh(&mut self) -> Result<bool, Error> {
        let head = self.store.head(self.conversation).await?;
        if head <= self.head {
            return Ok(false);
        }
        let stored = self.store.read(self.conversation, self.head + 1..=head).await?;
        let is_of_person = |entry: &Entry| match &entry.event {
            Event::Approval(approval) => approval.state != ApprovalState::Asked,
            Event::User { steer, .. } => *steer,
            event => event.is_beside_runs(),
        };
        if !stored.iter().all(is_of_person) {
            return Ok(false);
        }
        self.has_message |= stored.iter().any(|entry| matches!(entry.event, Event::User { .. }));
        self.entries.extend(stored);
        self.head = head;
        Ok(true)
    }
}
