//! When a context is compacted, and the two ways to do it.

use silcrow_event::{ContextSummary, DataMark, Message, SummaryAuthor};

use crate::digest::notes_in;
use crate::input::ModelLimits;

/// When a context is compacted, and how much of it stays as it is, in percent of the tokens that a
/// model reads.
///
/// ```
/// use silcrow_context::{CompactionOptions, ModelLimits, is_compaction_due};
///
/// let mut limits = ModelLimits::default();
/// (limits.context, limits.output) = (Some(10_000), Some(2_000));
/// // Half of the 8,000 tokens that the model reads.
/// let early = CompactionOptions::default().with_start(50);
/// assert!(is_compaction_due(limits, early, 4_000));
/// assert!(!is_compaction_due(limits, early, 3_999));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactionOptions {
    /// The part of the window from which a context is compacted. By default 70.
    pub start: u8,
    /// The part of the window that the newest turns keep. By default 20.
    pub keep: u8,
}

impl Default for CompactionOptions {
    fn default() -> Self {
        Self { start: 70, keep: 20 }
    }
}

impl CompactionOptions {
    /// Sets the part of the window from which a context is compacted, in percent.
    #[must_use]
    pub const fn with_start(self, percent: u8) -> Self {
        Self { start: percent, ..self }
    }

    /// Sets the part of the window that the newest turns keep, in percent.
    #[must_use]
    pub const fn with_keep(self, percent: u8) -> Self {
        Self { keep: percent, ..self }
    }
}

/// A way to make a context shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContextCompaction {
    /// Older thoughts are left out and long results are shortened. No model is asked: the summary is
    /// stored as it is.
    Shorten(ContextSummary),
    /// The oldest turns are summarized by a model.
    Summarize(Box<SummaryTask>),
}

/// The oldest turns of a conversation, which a model is to summarize.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryTask {
    pub(crate) messages: Vec<Message>,
    /// The mark around the text to summarize.
    pub(crate) mark: DataMark,
    /// The position of the last event that is summarized.
    pub(crate) until: u64,
    /// The summary so far.
    pub(crate) earlier: String,
    /// The calls that were made.
    pub(crate) done: String,
    /// The greatest number of bytes of an answer.
    pub(crate) longest: usize,
}

impl SummaryTask {
    /// Returns the messages of the request. The answer is plain text.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Names the things that the summary is to keep above all.
    #[must_use]
    pub fn with_focus(mut self, focus: Option<&str>) -> Self {
        if let (Some(focus), Some(last)) = (focus, self.messages.last_mut()) {
            last.content.push_text(&format!(" Keep above all: {}", focus.trim()));
        }
        self
    }

    /// Returns the event to store, with the model's answer. An answer that is too long is cut. An
    /// answer that only repeats itself, or the request around the data, counts as none.
    pub fn summary(&self, answer: &str) -> ContextSummary {
        let answer = notes_in(answer, self.mark);
        if answer.is_empty() {
            return self.without_model();
        }
        self.event(cut(&answer, self.longest), SummaryAuthor::Model)
    }

    /// Returns the event to store if no model answers: the earlier summary, and a line about the
    /// missing part.
    pub fn without_model(&self) -> ContextSummary {
        let text = format!("{}\n\n{DROPPED}", cut(&self.earlier, self.longest));
        self.event(text.trim(), SummaryAuthor::Framework)
    }

    fn event(&self, text: &str, author: SummaryAuthor) -> ContextSummary {
        let content = format!("{text}\n\n{}", self.done).trim().to_owned();
        let (until, shortened, outputs) = (self.until, self.until, Vec::new());
        ContextSummary { content, until, shortened, author, outputs }
    }
}

/// Returns the number of tokens that the messages of a request may have: the window minus the part
/// reserved for the answer. `None` if the window is not known.
///
/// ```
/// use silcrow_context::{ModelLimits, input_window};
///
/// let mut limits = ModelLimits::default();
/// limits.context = Some(8_000);
/// // An eighth of the window is for an answer whose limit is not known.
/// assert_eq!(input_window(limits), Some(7_000));
/// ```
pub fn input_window(limits: ModelLimits) -> Option<u64> {
    let window = limits.context?;
    let answer = limits.output.unwrap_or(window / 8).min(window / 4);
    Some(window - answer)
}

/// Returns whether a request with this many tokens is to be compacted. Without a known window, none
/// is.
///
/// ```
/// use silcrow_context::{CompactionOptions, ModelLimits, input_window, is_compaction_due};
///
/// let mut limits = ModelLimits::default();
/// assert!(!is_compaction_due(limits, CompactionOptions::default(), u64::MAX));
/// (limits.context, limits.output) = (Some(10_000), Some(2_000));
/// assert_eq!(input_window(limits), Some(8_000));
/// // It begins at 70 percent of what the model can read.
/// assert!(!is_compaction_due(limits, CompactionOptions::default(), 5_599));
/// assert!(is_compaction_due(limits, CompactionOptions::default(), 5_600));
/// ```
pub fn is_compaction_due(limits: ModelLimits, options: CompactionOptions, tokens: u64) -> bool {
    input_window(limits).is_some_and(|window| {
        tokens.saturating_mul(100) >= window.saturating_mul(options.start.into())
    })
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The line for turns that no model summarized.
pub(crate) const DROPPED: &str = "[Older messages are left out here without a summary.]";
