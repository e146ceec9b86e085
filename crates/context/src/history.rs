//! The contexts of this crate: the whole log, and the log with its last summary.
//!
//! It places each text of the input, and counts no tokens.

use silcrow_event::{Content, ContentPart, Entry, GrowingMessages, Message, MessageList, Role};
use silcrow_parser::Dialect;

use crate::assembler::{ContextAssembler, GrowingContext};
use crate::compact::compact;
use crate::compaction::{CompactionOptions, ContextCompaction};
use crate::input::{ContextInput, ModelLimits};
use crate::media_window::MediaWindow;
use crate::needed::{NeededEntries, needed};
use crate::replaced::summarized;
use crate::transcript::{CONTINUE, ModelView, Transcript};
use crate::turns::{ClosedTurns, OpenTurn};
use crate::view::{LastSummary, LogView, last_summary};

/// A context with the whole log.
///
/// The system message has the stable text and then the text of the run, as parts of their own, so a
/// change of the latter leaves the bytes of the former as they are, and providers can have the former
/// cached alone. The examples follow, as if they had been said before the log. Notices are a part of
/// the last message. If the log
/// ends with the model's own words, a line asks the model to continue. The limits of the model
/// change nothing: the provider rejects a request that is too long.
///
/// ```
/// use silcrow_context::{ContextAssembler as _, ContextInput, FullHistory};
/// use silcrow_event::{Entry, Event, Role};
/// use silcrow_parser::Dialect;
///
/// let log = [Event::user("2 + 2?"), Event::respond("4"), Event::user("And 3 + 3?")];
/// let log = log.map(Entry::from);
/// let messages = FullHistory.assemble(&ContextInput::new(&log, Dialect::Sigil));
/// let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
/// assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::User]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct FullHistory;

/// A context in which the last summary of the log stands for the events that it replaces.
///
/// Agents have it by default. Of the part that a [`ContextSummary`](silcrow_event::ContextSummary)
/// replaces, the first message of the person stays, and the last one if the model still works on it.
/// Of the part that it shortens, thoughts are left out, and a long result is its outcome. Everything
/// else is as in [`FullHistory`], so between two summaries a longer log changes no message except the
/// last. A summary that replaces a part of a turn replaces none of that turn.
///
/// ```
/// use silcrow_context::{CompactedHistory, ContextAssembler, ContextInput};
/// use silcrow_event::{ContextSummary, Entry, Event, Message};
/// use silcrow_parser::Dialect;
///
/// let summary = ContextSummary {
///     content: "The port is 8081.".to_owned(),
///     until: 4,
///     ..ContextSummary::default()
/// };
/// let log = [
///     Event::user("My name is Ann."),
///     Event::respond("Hello."),
///     Event::user("Which port is it?"),
///     Event::respond("8081."),
///     Event::Summary(summary),
///     Event::user("And the host?"),
/// ]
/// .map(Entry::from);
/// let messages = CompactedHistory.assemble(&ContextInput::new(&log, Dialect::Sigil));
/// let text = messages[1].text();
/// assert_eq!(messages.len(), 2);
/// assert!(text.starts_with("My name is Ann."));
/// assert!(text.contains("The port is 8081.") && text.ends_with("And the host?"));
/// assert!(!text.contains("Which port"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct CompactedHistory;

impl ContextAssembler for FullHistory {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        GrowingHistory::new(input).assemble_once(input)
    }

    /// Returns a context that reads each turn of the log once. The time of a request depends only
    /// on its new entries.
    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        Box::new(GrowingHistory::new(&ContextInput::new(&[], Dialect::Sigil)))
    }
}

impl ContextAssembler for CompactedHistory {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        GrowingHistory::summarized(input).assemble_once(input)
    }

    /// Leaves out older thoughts and long results first, and then has the oldest turns summarized.
    /// The newest turn always stays, and if the window of the model is unknown, only that one.
    fn compact(
        &self,
        input: &ContextInput<'_>,
        options: CompactionOptions,
        tokens: &dyn Fn(&[Message]) -> u64,
    ) -> Option<ContextCompaction> {
        compact(self, input, options, tokens)
    }

    /// Returns the part that the last summary leaves.
    fn needed(&self, entries: &[Entry]) -> Option<NeededEntries> {
        needed(entries)
    }

    /// Returns a context that reads each turn of the log once, and the log again after a summary.
    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        let history = GrowingHistory::new(&ContextInput::new(&[], Dialect::Sigil));
        Box::new(GrowingCompactedHistory { history, searched: 0, limits: ModelLimits::default() })
    }
}

/// The examples, and the entries of the log read so far, without the turn that is still open.
struct GrowingHistory {
    closed: ClosedTurns,
    /// The examples that were read.
    examples: Vec<Entry>,
    /// The number of entries before the open turn.
    read: usize,
    /// The part of the log that the last summary leaves.
    view: LogView,
    /// The entry from which on pictures are shown.
    media: MediaWindow,
    /// The requests so far. The closed turns are settled in them, except the last message, to which
    /// the open turn may add.
    requests: GrowingMessages,
}

/// All entries of the log read so far, with its last summary.
struct GrowingCompactedHistory {
    history: GrowingHistory,
    /// The number of entries that have no later summary than the one in use.
    searched: usize,
    /// The limits that long messages were shortened for.
    limits: ModelLimits,
}

impl GrowingHistory {
    /// Creates the history of an input before its log was read.
    fn new(input: &ContextInput<'_>) -> Self {
        let ContextInput { examples, dialect, data_marks, .. } = *input;
        let closed = ClosedTurns::after(examples, dialect, data_marks, model(input));
        let (examples, view) = (examples.to_vec(), LogView::default());
        let requests = GrowingMessages::new();
        Self { closed, examples, read: 0, view, media: MediaWindow::default(), requests }
    }

    /// Returns whether the entries read so far are the beginning of the input.
    fn continues(&self, input: &ContextInput<'_>) -> bool {
        input.dialect == self.closed.options()
            && input.examples == self.examples
            && input.data_marks == self.closed.data_marks()
            && self.closed.is_for(model(input))
            && input.entries.len() >= self.read
    }

    /// Reads the part of a log that its last summary replaces.
    fn summarized(input: &ContextInput<'_>) -> Self {
        let mut history = Self::new(input);
        let Some(LastSummary { before, entry, summary }) = last_summary(input.entries) else {
            return history;
        };
        let view = LogView::new(before, summary);
        let media = MediaWindow::begin(view.whole_from());
        let replaced = &before[..view.begin];
        if !replaced.is_empty() {
            let talk =
                summarized(history.closed.talk().clone(), before, view.begin, input, summary);
            history.closed.skip(replaced, entry, talk);
        }
        Self { read: view.begin, view, media, ..history }
    }
}

impl GrowingHistory {
    /// Reads the entries that are new, and returns the turn that is open at the end.
    fn read<'a>(&mut self, input: &ContextInput<'a>) -> OpenTurn<'a> {
        if !self.continues(input) {
            *self = Self::new(input);
        }
        if self.media.read(input) > self.view.media_from {
            self.drop_media(input);
        }
        let mut open = OpenTurn::default();
        for (index, entry) in input.entries.iter().enumerate().skip(self.read) {
            self.closed.push_as(entry.into(), self.view.entry(index, entry), &mut open);
        }
        self.read = input.entries.len() - open.events();
        open
    }

    /// Reads the log again, with lines in place of its older pictures.
    fn drop_media(&mut self, input: &ContextInput<'_>) {
        let media = self.media.clone();
        // A log with a summary is read from there.
        let has_summary = self.view.whole_from() > 0;
        let begun = if has_summary { Self::summarized(input) } else { Self::new(input) };
        *self = Self { media, ..begun };
        self.view.media_from = self.media.from();
    }

    /// Returns the messages of the only request.
    fn assemble_once(mut self, input: &ContextInput<'_>) -> Vec<Message> {
        let open = self.read(input);
        let mut messages = ended(self.closed.finish(open), input);
        messages.insert(0, system(input));
        messages
    }
}

impl GrowingContext for GrowingHistory {
    fn assemble(&mut self, input: &ContextInput<'_>) -> MessageList {
        let open = self.read(input);
        let system = system(input);
        let is_same = self.requests.list().first() == Some(&system);
        let repeated = if is_same { self.requests.list().settled().len() } else { 0 };
        let closed = self.closed.talk().messages();
        let settled = &closed[..closed.len().saturating_sub(1)];
        let end = ended(self.closed.end_with(open), input);
        // The system message precedes the closed turns.
        let system = (repeated == 0).then_some(system);
        let new = settled.iter().skip(repeated.saturating_sub(1)).cloned();
        self.requests.renew(repeated, system.into_iter().chain(new).chain(end), settled.len() + 1)
    }
}

impl GrowingContext for GrowingCompactedHistory {
    fn assemble(&mut self, input: &ContextInput<'_>) -> MessageList {
        let new = input.entries.get(self.searched..).unwrap_or_default();
        let is_same = self.history.continues(input) && self.limits == input.limits;
        if !is_same || last_summary(new).is_some() {
            self.limits = input.limits;
            self.history = GrowingHistory::summarized(input);
        }
        self.searched = input.entries.len();
        self.history.assemble(input)
    }
}

/// Returns the messages of a transcript to which the notices of a request are added.
fn ended(mut talk: Transcript, input: &ContextInput<'_>) -> Vec<Message> {
    let follows_model = talk.messages().last().is_some_and(|last| last.role == Role::Assistant);
    if input.notice.is_none() && follows_model {
        talk.notice(CONTINUE);
    }
    for notice in input.notices {
        talk.notice(&notice.to_text(input.dialect));
    }
    if let Some(notice) = input.notice {
        talk.notice(notice);
    }
    talk.into_messages()
}

/// Returns the properties of a request's model on which the messages depend.
const fn model<'a>(input: &ContextInput<'a>) -> ModelView<'a> {
    ModelView { native: input.native, senses: input.senses }
}

fn system(input: &ContextInput<'_>) -> Message {
    let run_text = input.run_text.map(str::trim).filter(|text| !text.is_empty());
    let mut content = input.shared_system.map_or_else(|| input.system.into(), Content::clone);
    if let Some(run_text) = run_text {
        content.push(ContentPart::Text(format!("{RUN}{run_text}\n")));
    }
    Message::new(Role::System, content)
}

/// The heading of the text of a run.
const RUN: &str = "## This run\n\n";

#[cfg(test)]
mod tests;
