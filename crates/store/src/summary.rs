//! The summary of a conversation, and deriving it from the log.
//!
//! This module handles one log at a time.

use silcrow_event as event;

/// A conversation as a list shows it.
///
/// ```
/// use silcrow_event::{Entry, Event};
/// use silcrow_store::Summary;
///
/// let mut summary = Summary::new("c1");
/// for event in [Event::user("\n  Fix the build.\nIt fails."), Event::respond("Done.")] {
///     summary.apply(&Entry::from(event));
/// }
/// assert_eq!((&*summary.title, summary.events), ("Fix the build.", 2));
/// summary.apply(&Entry::from(Event::title("The build")));
/// assert_eq!(summary.title, "The build");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct Summary {
    /// The conversation's id.
    pub conversation: String,
    /// The name that it was given last, otherwise the person's first message that is not blank:
    /// the first line with text, at most 80 characters of it.
    pub title: String,
    /// The owner: the first user that an event of the conversation names.
    pub user: Option<String>,
    /// The folder that the last run worked in, of the runs that name one.
    pub folder: Option<String>,
    /// The number of events in the log.
    pub events: u64,
    /// The time of the first event; the Unix epoch if it is not known.
    pub first: event::Timestamp,
    /// The time of the last event; the Unix epoch if it is not known.
    pub last: event::Timestamp,
}

impl Summary {
    /// Creates the summary of a conversation without events.
    pub fn new(conversation: impl Into<String>) -> Self {
        Self {
            conversation: conversation.into(),
            title: String::new(),
            user: None,
            folder: None,
            events: 0,
            first: event::Timestamp::UNIX_EPOCH,
            last: event::Timestamp::UNIX_EPOCH,
        }
    }

    /// Takes the next entry of the log into account.
    pub fn apply(&mut self, entry: &event::Entry) {
        let time = entry.timestamp.unwrap_or_default();
        if self.events == 0 {
            self.first = time;
        }
        self.last = time;
        self.events += 1;
        if self.user.is_none() {
            self.user.clone_from(&entry.user);
        }
        if entry.folder.is_some() {
            self.folder.clone_from(&entry.folder);
        }
        match &entry.event {
            event::Event::User { content, .. } if self.title.is_empty() => {
                self.title = title(&content.text());
            }
            event::Event::Title { content } if !content.trim().is_empty() => {
                self.title = title(content);
            }
            _ => {}
        }
    }
}

/// Returns at most 80 characters of the first line of `content` that is not blank.
fn title(content: &str) -> String {
    let line = content.lines().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or_default().chars().take(MAX_TITLE).collect()
}

/// The maximum length of a title, in characters.
const MAX_TITLE: usize = 80;
