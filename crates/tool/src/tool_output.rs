//! The output of a call, and its failure in words for the model.
//!
//! This module is data, for any tool.

use std::fmt;

use silcrow_event::{Content, FileDelta, Json, Truncation};

/// The output of a call.
///
/// The content is the text that was read or found, and contains no remarks of the tool, because a
/// file could contain the same words. Remarks have separate fields.
///
/// ```
/// use silcrow_event::Json;
/// use silcrow_tool::ToolOutput;
///
/// let output = ToolOutput::new("2 matches", "a.rs:3: TODO\nb.rs:9: TODO\n")
///     .with_notice("1 file is not text and was not searched")
///     .with_value(Json::parse(r#"["a.rs","b.rs"]"#));
/// // The model reads the text, and `$found` in a later call is the list.
/// assert_eq!(output.value.unwrap().as_str(), r#"["a.rs","b.rs"]"#);
/// assert!(!output.content.text().contains("not searched"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// A few words for a person, such as `12 entries`.
    pub summary: String,
    /// The content that the model reads. If something is left out, this is the part before it.
    pub content: Content,
    /// The remarks of the tool about the content, such as that nothing was found. The model reads
    /// at most 4 KiB of them.
    pub notices: Vec<String>,
    /// A description of the part that is left out of the content, if any is.
    pub truncated: Option<Truncation>,
    /// The value of a name that is bound to this output (P-26), if it is not the content itself.
    pub value: Option<Json>,
    /// Whether the call failed although it has an output, like a command with an exit status other
    /// than 0. The model reads the whole output.
    pub has_failed: bool,
    /// The files that the call has changed, for displays. The model does not read them.
    pub changes: Vec<FileDelta>,
}

impl ToolOutput {
    /// Creates a complete output.
    pub fn new(summary: impl Into<String>, content: impl Into<Content>) -> Self {
        let (summary, content) = (summary.into(), content.into());
        Self {
            summary,
            content,
            notices: Vec::new(),
            truncated: None,
            value: None,
            has_failed: false,
            changes: Vec::new(),
        }
    }

    /// Adds a remark of the tool's own.
    #[must_use]
    pub fn with_notice(mut self, notice: impl Into<String>) -> Self {
        self.notices.push(notice.into());
        self
    }

    /// Sets the omitted part of the content.
    #[must_use]
    pub fn with_truncation(self, truncated: impl Into<Option<Truncation>>) -> Self {
        Self { truncated: truncated.into(), ..self }
    }

    /// Sets the value of a name that is bound to this output (P-26).
    #[must_use]
    pub fn with_value(self, value: impl Into<Option<Json>>) -> Self {
        Self { value: value.into(), ..self }
    }

    /// Adds files that the call has changed. A runner reports them before the result, and the model
    /// does not read them.
    #[must_use]
    pub fn with_changes(mut self, changes: impl IntoIterator<Item = FileDelta>) -> Self {
        self.changes.extend(changes);
        self
    }

    /// Marks the call as failed: calls that depend on it are skipped, and `on_error` and `retry`
    /// apply.
    ///
    /// ```
    /// use silcrow_tool::ToolOutput;
    ///
    /// let output = ToolOutput::new("exit status 1", "3 tests failed").failed();
    /// assert!(output.has_failed);
    /// ```
    #[must_use]
    pub fn failed(self) -> Self {
        Self { has_failed: true, ..self }
    }
}

/// The failure of a call, in words for the model.
///
/// ```
/// use silcrow_tool::ToolError;
///
/// let error = ToolError::new("there is no file `mian.rs`; did you mean `main.rs`?");
/// assert!(!error.is_parked());
/// assert_eq!(error.into_words(), "there is no file `mian.rs`; did you mean `main.rs`?");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    words: String,
    /// Whether the call waits for answers to questions of calls inside it.
    is_parked: bool,
}

impl ToolError {
    /// Creates a failure: what was wrong, and what to do instead.
    pub fn new(why: impl Into<String>) -> Self {
        Self { words: why.into(), is_parked: false }
    }

    /// Creates the end of an attempt that waits for a person's answers about calls inside it, as the
    /// call of an agent may. The call gets no result: its run parks, and a later run continues it
    /// ([`Scope::is_repeated`](crate::Scope::is_repeated)). Without a runner, the attempt fails with
    /// these words.
    pub fn parked(why: impl Into<String>) -> Self {
        Self { words: why.into(), is_parked: true }
    }

    /// Returns whether the call waits for answers.
    pub const fn is_parked(&self) -> bool {
        self.is_parked
    }

    /// Returns the words, of any length.
    pub fn into_words(self) -> String {
        self.words
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for ToolError {}
