//! The trait that decides what a model reads, and everything that the decision depends on.
//!
//! It knows entries and messages. It knows neither a store, a provider nor a clock, and it cannot
//! fail: an implementation leaves out or shortens what does not fit.

use std::fmt;
use std::sync::Arc;

use silcrow_event::{Entry, Message};
use silcrow_parser::Options;

use crate::growing::{GrowingContext, RepeatedContext};

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

    /// Creates the context of a run, whose log grows from request to request.
    ///
    /// The default calls [`assemble`](Self::assemble) for every request. An implementation that can
    /// continue from what it made before returns a context of its own, so that a long run does not
    /// read its whole log at every step.
    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        Box::new(RepeatedContext(self))
    }
}

/// Everything that the messages of a request are made of.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ContextInput<'a> {
    /// The entries of the log, in order.
    pub entries: &'a [Entry],
    /// The dialect in which the model writes and reads.
    pub dialect: Options,
    /// The text that is the same in every run of an agent: how to write, and the tools. It comes
    /// first, so that a provider can cache it.
    pub system: &'a str,
    /// The text that is the same in every step of one run, such as the date, the folder or what is
    /// known about the user.
    pub run_text: Option<&'a str>,
    /// A text of the framework that ends the request and is not in the log.
    pub notice: Option<&'a str>,
    /// The limits of the model.
    pub limits: ModelLimits,
}

/// The limits of a model in tokens, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelLimits {
    /// The greatest number of tokens of a request and its answer together.
    pub context: Option<u64>,
    /// The greatest number of tokens of an answer.
    pub output: Option<u64>,
}

impl<'a> ContextInput<'a> {
    /// Creates an input with these entries and without texts and limits.
    pub fn new(entries: &'a [Entry], dialect: impl Into<Options>) -> Self {
        Self {
            entries,
            dialect: dialect.into(),
            system: "",
            run_text: None,
            notice: None,
            limits: ModelLimits::default(),
        }
    }

    /// Replaces the entries.
    #[must_use]
    pub const fn with_entries(self, entries: &'a [Entry]) -> Self {
        Self { entries, ..self }
    }

    /// Sets the text that is the same in every run.
    #[must_use]
    pub const fn with_system(self, system: &'a str) -> Self {
        Self { system, ..self }
    }

    /// Sets the text that is the same in every step of a run.
    #[must_use]
    pub const fn with_run_text(self, run_text: Option<&'a str>) -> Self {
        Self { run_text, ..self }
    }

    /// Sets the text that ends the request.
    #[must_use]
    pub const fn with_notice(self, notice: Option<&'a str>) -> Self {
        Self { notice, ..self }
    }

    /// Sets the limits of the model.
    #[must_use]
    pub const fn with_limits(self, limits: ModelLimits) -> Self {
        Self { limits, ..self }
    }
}

impl ModelLimits {
    /// Sets the greatest number of tokens of a request and its answer together.
    #[must_use]
    pub const fn with_context(self, tokens: u64) -> Self {
        Self { context: Some(tokens), ..self }
    }

    /// Sets the greatest number of tokens of an answer.
    #[must_use]
    pub const fn with_output(self, tokens: u64) -> Self {
        Self { output: Some(tokens), ..self }
    }
}

impl<C: ContextAssembler + ?Sized> ContextAssembler for Arc<C> {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        (**self).assemble(input)
    }

    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        (**self).begin()
    }
}

impl<C: ContextAssembler + ?Sized> ContextAssembler for Box<C> {
    fn assemble(&self, input: &ContextInput<'_>) -> Vec<Message> {
        (**self).assemble(input)
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
