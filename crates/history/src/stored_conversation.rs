//! A stored conversation, without its damaged parts.

use silcrow_event::Entry;
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Store, Summary};

use crate::conversations::stored_head;
use crate::error::Error;
use crate::html::html;
use crate::markdown::markdown;
use crate::media_links::{MediaLink, media_links};

/// A conversation with its events.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_history::StoredConversation;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("What is *this*?").into()]).await.unwrap();
/// let stored = StoredConversation::read(&store, "c1").await.unwrap();
/// assert!(stored.to_markdown().contains("> What is *this*?"));
/// assert!(stored.to_html().contains("<pre>What is *this*?</pre>"));
/// # });
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoredConversation {
    /// The summary of the events that are whole.
    pub summary: Summary,
    /// The events that are whole.
    pub entries: Vec<Entry>,
    /// The damage that was found.
    pub report: Report,
}

impl StoredConversation {
    /// Reads the undamaged part of the conversation with an id, or with the only id that begins
    /// like this.
    ///
    /// # Errors
    ///
    /// Returns an error for an unknown conversation, or if the store fails. Damaged events are left
    /// out and are in [`report`](Self::report).
    pub async fn read(store: &dyn Store, typed: &str) -> Result<Self, Error> {
        let (id, head) = stored_head(store, typed).await?;
        let mut report = Report::default();
        let entries = read_whole(store, &id, 1..=head, &mut report).await?;
        let mut summary = Summary::new(id);
        entries.iter().for_each(|entry| summary.apply(entry));
        Ok(Self { summary, entries, report })
    }

    /// Lists the pictures, documents and sounds of the conversation as files beside an export.
    pub fn media_links(&self) -> Vec<MediaLink> {
        media_links(&self.entries)
    }

    /// Returns the conversation as Markdown. No text of people, models or tools can end its block.
    pub fn to_markdown(&self) -> String {
        self.to_markdown_with(&[])
    }

    /// Returns the conversation as Markdown with links to files beside it.
    pub fn to_markdown_with(&self, files: &[MediaLink]) -> String {
        markdown(&self.summary, &self.entries, files)
    }

    /// Returns the conversation as one HTML file, which runs no script and loads nothing.
    pub fn to_html(&self) -> String {
        self.to_html_with(&[])
    }

    /// Returns the conversation as an HTML file, which runs no script and loads nothing but these files
    /// beside it.
    pub fn to_html_with(&self, files: &[MediaLink]) -> String {
        html(&self.summary, &self.entries, files)
    }

    /// Returns the events as lines of JSON, as they are stored.
    pub fn to_json_lines(&self) -> String {
        self.entries.iter().fold(String::new(), |mut lines, entry| {
            lines += &entry.to_json();
            lines.push('\n');
            lines
        })
    }
}
