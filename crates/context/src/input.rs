//! Everything that the messages of a request depend on.

use silcrow_event::{Content, Entry};
use silcrow_media::{ImageTokenRule, Senses};
use silcrow_parser::Options;

use crate::notice::ContextNotice;

/// Everything that the messages of a request are made of.
///
/// ```
/// use silcrow_context::{ContextAssembler as _, ContextInput, FullHistory};
/// use silcrow_event::{Entry, Event, Role};
/// use silcrow_parser::Dialect;
///
/// let log = [Entry::from(Event::user("What day is it?"))];
/// let input = ContextInput::new(&log, Dialect::Sigil)
///     .with_system("Answer briefly.")
///     .with_run_text(Some("Today is Monday."));
/// let messages = FullHistory.assemble(&input);
/// assert_eq!(messages[0].role, Role::System);
/// // The text of the run comes after the part that a provider can cache for all runs.
/// let system = messages[0].text();
/// assert!(system.starts_with("Answer briefly.") && system.contains("Today is Monday."));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ContextInput<'a> {
    /// The entries of a conversation that shows the model how to write, before the log. They are
    /// not part of the log.
    pub examples: &'a [Entry],
    /// The entries of the log, in order.
    pub entries: &'a [Entry],
    /// The dialect in which the model writes and reads.
    pub dialect: Options,
    /// The text that is the same in every run of an agent: how to write, and the tools. It comes
    /// first, so that a provider can cache it.
    pub system: &'a str,
    /// The same text as a content that the system message shares instead of copying it.
    pub shared_system: Option<&'a Content>,
    /// The text that is the same in every step of one run, such as the date, the folder or a
    /// profile of the user.
    pub run_text: Option<&'a str>,
    /// The name of the model, if it is asked in its vendor's own way: its messages then have calls and
    /// results as parts, and no delimiters (P-45).
    pub native: Option<&'a str>,
    /// Whether the outputs of tools are between two lines with a mark that nobody could have
    /// guessed.
    pub data_marks: bool,
    /// Texts of the program that follow the log and are not in it.
    pub notices: &'a [ContextNotice],
    /// A text of the framework that ends the request and is not in the log.
    pub notice: Option<&'a str>,
    /// The limits of the model.
    pub limits: ModelLimits,
    /// The media that the model can read. Others are sent as a line of text.
    pub senses: Senses,
    /// The rule by which the model counts the tokens of a picture.
    pub image_tokens: ImageTokenRule,
}

/// The limits of a model in tokens. A limit that is not known is `None`.
///
/// ```
/// use silcrow_context::{ModelLimits, input_window};
///
/// let mut limits = ModelLimits::default();
/// assert_eq!(input_window(limits), None, "no limit is known");
/// limits.context = Some(200_000);
/// limits.output = Some(8_000);
/// assert_eq!(input_window(limits), Some(192_000));
/// ```
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
            examples: &[],
            entries,
            dialect: dialect.into(),
            system: "",
            shared_system: None,
            run_text: None,
            native: None,
            data_marks: false,
            notices: &[],
            notice: None,
            limits: ModelLimits::default(),
            senses: Senses::NONE,
            image_tokens: ImageTokenRule::UNKNOWN,
        }
    }

    /// Sets the conversation before the log.
    #[must_use]
    pub const fn with_examples(self, examples: &'a [Entry]) -> Self {
        Self { examples, ..self }
    }

    /// Replaces the entries.
    #[must_use]
    pub const fn with_entries(self, entries: &'a [Entry]) -> Self {
        Self { entries, ..self }
    }

    /// Sets the text that is the same in every run.
    #[must_use]
    pub const fn with_system(self, system: &'a str) -> Self {
        Self { system, shared_system: None, ..self }
    }

    /// Sets the text that is the same in every run, which no request copies.
    ///
    /// ```
    /// use silcrow_context::ContextInput;
    /// use silcrow_event::Content;
    /// use silcrow_parser::Dialect;
    ///
    /// let system = Content::from("You add numbers.");
    /// let input = ContextInput::new(&[], Dialect::Sigil).with_shared_system(&system);
    /// assert_eq!(input.system, "You add numbers.");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the content is not one text.
    #[must_use]
    pub fn with_shared_system(self, system: &'a Content) -> Self {
        let text = system.as_text().expect("a system text is one text");
        Self { system: text, shared_system: Some(system), ..self }
    }

    /// Sets the text that is the same in every step of a run.
    #[must_use]
    pub const fn with_run_text(self, run_text: Option<&'a str>) -> Self {
        Self { run_text, ..self }
    }

    /// Sets the name of the model, if it is asked in its vendor's own way.
    #[must_use]
    pub const fn with_native(self, native: Option<&'a str>) -> Self {
        Self { native, ..self }
    }

    /// Sets whether the outputs of tools are marked.
    #[must_use]
    pub const fn with_data_marks(self, data_marks: bool) -> Self {
        Self { data_marks, ..self }
    }

    /// Sets the texts of the program after the log.
    #[must_use]
    pub const fn with_notices<'b>(self, notices: &'b [ContextNotice]) -> ContextInput<'b>
    where
        'a: 'b,
    {
        ContextInput { notices, ..self }
    }

    /// Sets the text that ends the request.
    #[must_use]
    pub const fn with_notice(self, notice: Option<&'a str>) -> Self {
        Self { notice, ..self }
    }

    /// Sets the media that the model can read, and the rule by which it counts the tokens of a
    /// picture.
    #[must_use]
    pub const fn with_senses(self, senses: Senses, image_tokens: ImageTokenRule) -> Self {
        Self { senses, image_tokens, ..self }
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
