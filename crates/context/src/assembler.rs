//! The traits that assemble the messages for a model: for one request, and for the requests of a
//! run.
//!
//! They map entries to messages without a store, a provider or a clock, and they cannot fail: an
//! implementation leaves out or shortens entries that do not fit.

use std::fmt;
use std::sync::Arc;

use silcrow_event::{Entry, Message, MessageList};

use crate::compaction::{CompactionOptions, ContextCompaction};
use crate::input::ContextInput;
use crate::needed::NeededEntries;

/// Makes the messages of a request from the entries of a log.
///
/// The result depends only on the input, so the same log gives the same request again. The first
/// message is the system message, then roles alternate, and the last message is the user's.
/// [`FullHistory`](crate::FullHistory) is the implementation that agents have by default.
///
/// An implementation may rewrite history, for example when it leaves out the oldest turns. A run
/// that keeps a connection compares the messages with those that it sent before, and opens another
/// connection if they differ. So it is best to rewrite rarely, and many messages at once.
///
/// ```
/// use silcrow_context::{ContextAssembler, ContextInput, FullHistory};
/// use silcrow_event::{Entry, Event, Message};
/// use silcrow_parser::Dialect;
///
/// /// Shows the model the log from the last prompt on.
/// struct LastPrompt;
///
/// impl ContextAssembler for LastPrompt {
///     fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
///         let is_prompt = |entry: &Entry| matches!(entry.event, Event::User { .. });
///         let first = input.entries.iter().rposition(is_prompt).unwrap_or_default();
///         FullHistory.assemble(&input.with_entries(&input.entries[first..]))
///     }
/// }
///
/// let log = ["one", "two"].map(|text| Entry::from(Event::user(text)));
/// let input = ContextInput::new(&log, Dialect::Sigil).with_system("You add numbers.");
/// let messages = LastPrompt.assemble(&input);
/// assert_eq!((messages.len(), messages[1].text()), (2, "two".into()));
/// ```
pub trait ContextAssembler: Send + Sync {
    /// Returns the messages of the next request.
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message>;

    /// Returns a way to make the next request shorter, however long it is. `tokens` counts the tokens of
    /// messages.
    ///
    /// It returns `None` if nothing can be left out. The default always does, so a context that reads
    /// no summaries is never compacted. After the event of the result is stored, the request with
    /// that event is shorter. It may still be too long, and then it is compacted again.
    fn compact(
        &self,
        input: &ContextInput<'_>,
        options: CompactionOptions,
        tokens: &dyn Fn(&[Message]) -> u64,
    ) -> Option<ContextCompaction> {
        let _ = (input, options, tokens);
        None
    }

    /// Returns which entries of a log its later requests depend on, so that the next run reads only
    /// those. The default returns `None`, which means all of them.
    ///
    /// These entries and later ones give the same messages as the whole log, as long as
    /// [`NeededEntries::suffice_with`] returns true. [`compact`](Self::compact) gets the whole log.
    fn needed(&self, entries: &[Entry]) -> Option<NeededEntries> {
        let _ = entries;
        None
    }

    /// Creates the context of a run, whose log grows from request to request.
    ///
    /// The default calls [`assemble`](Self::assemble) for every request. An implementation that can
    /// continue from its earlier messages returns its own context, so that a long run does not read
    /// its whole log at every step.
    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        Box::new(RepeatedContext(self))
    }
}

/// Makes the messages of one request after the other from a log that grows.
///
/// [`ContextAssembler::begin`] creates it. It may keep the messages that it made from earlier
/// entries, but returns the same messages as [`ContextAssembler::assemble`] for the same input, with one
/// exception: [`WithNotices`](crate::WithNotices) repeats the notices that it has sent.
///
/// ```
/// use silcrow_context::{ContextAssembler, ContextInput, FullHistory};
/// use silcrow_event::{Entry, Event};
/// use silcrow_parser::Dialect;
///
/// let mut log = vec![Entry::from(Event::user("one"))];
/// let mut context = FullHistory.begin();
/// for text in ["two", "three"] {
///     log.push(Event::user(text).into());
///     let input = ContextInput::new(&log, Dialect::Sigil);
///     assert_eq!(context.assemble(&input), FullHistory.assemble(&input));
/// }
/// ```
pub trait GrowingContext: Send {
    /// Returns the messages of the next request. The entries of the input begin with all entries of
    /// the input before; everything else may change.
    ///
    /// A list that [`GrowingMessages`](silcrow_event::GrowingMessages) makes says which messages it
    /// repeats, so that nobody below reads them again. Any other list is right, too.
    fn assemble(&mut self, input: &ContextInput<'_>) -> MessageList;
}

/// A context that reads the whole log for every request.
struct RepeatedContext<'a, C: ?Sized>(&'a C);

impl<C: ContextAssembler + ?Sized> GrowingContext for RepeatedContext<'_, C> {
    fn assemble(&mut self, input: &ContextInput<'_>) -> MessageList {
        self.0.assemble(input).into()
    }
}

impl<C: ContextAssembler + ?Sized> ContextAssembler for Arc<C> {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        (**self).assemble(input)
    }

    fn compact(
        &self,
        input: &ContextInput<'_>,
        options: CompactionOptions,
        tokens: &dyn Fn(&[Message]) -> u64,
    ) -> Option<ContextCompaction> {
        (**self).compact(input, options, tokens)
    }

    fn needed(&self, entries: &[Entry]) -> Option<NeededEntries> {
        (**self).needed(entries)
    }

    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        (**self).begin()
    }
}

impl<C: ContextAssembler + ?Sized> ContextAssembler for Box<C> {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        (**self).assemble(input)
    }

    fn compact(
        &self,
        input: &ContextInput<'_>,
        options: CompactionOptions,
        tokens: &dyn Fn(&[Message]) -> u64,
    ) -> Option<ContextCompaction> {
        (**self).compact(input, options, tokens)
    }

    fn needed(&self, entries: &[Entry]) -> Option<NeededEntries> {
        (**self).needed(entries)
    }

    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        (**self).begin()
    }
}

impl fmt::Debug for dyn ContextAssembler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContextAssembler")
    }
}
