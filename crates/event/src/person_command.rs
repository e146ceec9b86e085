//! The event `person_command`: a command that the person has run beside the agent.
//!
//! This module defines its fields and its text for the model. It runs nothing.

use std::fmt::Write as _;

use crate::data_mark::DataKey;
use crate::fields::{Fields, ReadEntryError};
use crate::json::Object;

/// A command that the person ran outside the agent, with its output.
///
/// ```
/// use silcrow_event::PersonCommand;
///
/// let ran = PersonCommand::new("git status", "clean\n").with_status(Some(0));
/// assert!(ran.to_model_text().contains("The person has run `git status`"));
/// assert!(ran.to_model_text().contains("clean\n[exit status 0]"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PersonCommand {
    /// The command, as the person wrote it.
    pub command: String,
    /// The output as a terminal would show it, without secrets. The middle of a long one is left out.
    pub content: String,
    /// The exit status; `None` if a signal ended the command.
    pub status: Option<i64>,
}

impl PersonCommand {
    /// Creates the event of a command that a signal has ended.
    pub fn new(command: impl Into<String>, content: impl Into<String>) -> Self {
        Self { command: command.into(), content: content.into(), status: None }
    }

    /// Sets the exit status.
    #[must_use]
    pub fn with_status(self, status: Option<i64>) -> Self {
        Self { status, ..self }
    }

    /// Returns the text for the model: the command, and its output as data between two marks
    /// (P-41).
    pub fn to_model_text(&self) -> String {
        let command = self.command.replace('\n', " ");
        let mut text = format!("The person has run `{command}`, which printed:\n");
        text.push_str(self.content.trim_end());
        let _ = match self.status {
            Some(status) => write!(text, "\n[exit status {status}]"),
            None => write!(text, "\n[ended by a signal]"),
        };
        // No text contains its own mark, because a mark within it is changed.
        DataKey::default().with_bytes(text.as_bytes()).mark().wrap(&text)
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("command", &self.command);
        to.string("content", &self.content);
        if let Some(status) = self.status {
            to.number("status", status);
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        let (command, content) = (fields.text("command")?, fields.text("content")?);
        Ok(Self { command, content, status: fields.number("status") })
    }
}
