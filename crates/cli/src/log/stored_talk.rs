//! A stored conversation, as far as it is whole.

use silcrow_event::Entry;
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Store, Summary};

use crate::failure::Failure;
use crate::places;
use crate::stored_head::stored_head;

/// A conversation with its events.
pub(super) struct StoredTalk {
    pub(super) summary: Summary,
    pub(super) entries: Vec<Entry>,
    pub(super) report: Report,
}

impl StoredTalk {
    /// Reads what is whole of a conversation.
    pub(super) async fn read(store: &dyn Store, typed: &str) -> Result<Self, Failure> {
        let (id, head) = stored_head(store, typed).await?;
        let mut report = Report::default();
        let entries = read_whole(store, &id, 1..=head, &mut report).await;
        let entries = entries.map_err(|error| places::failure(&error))?;
        let mut summary = Summary::new(id);
        entries.iter().for_each(|entry| summary.push(entry));
        Ok(Self { summary, entries, report })
    }
}
