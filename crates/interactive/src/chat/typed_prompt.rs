//! The input of a person between two runs, and its reader.

use std::io;

/// A person's action at the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a prompt ends in one of these ways")]
pub enum TypedPrompt {
    /// A text was sent.
    Text {
        /// The text, which may have several lines.
        text: String,
        /// Whether it takes the place of the last prompt.
        replaces_last: bool,
    },
    /// Ctrl-C was pressed.
    Interrupted,
    /// The person leaves.
    End,
}

/// Reads the lines that a person types between two runs. It is called on a thread where it may block.
///
/// ```
/// use std::io;
///
/// use silcrow_interactive::chat::{PromptReader, TypedPrompt};
///
/// /// Reads lines as they come.
/// struct PlainLines;
///
/// impl PromptReader for PlainLines {
///     fn read(&mut self, sign: &str, _: &str) -> io::Result<TypedPrompt> {
///         eprint!("{sign} ");
///         let mut text = String::new();
///         Ok(match io::stdin().read_line(&mut text)? {
///             0 => TypedPrompt::End,
///             _ => TypedPrompt::Text { text, replaces_last: false },
///         })
///     }
///
///     fn confirm(&mut self, question: &str) -> io::Result<bool> {
///         let typed = self.read(question, "")?;
///         Ok(matches!(typed, TypedPrompt::Text { text, .. } if text.trim() == "y"))
///     }
/// }
/// ```
pub trait PromptReader: Send {
    /// Reads a prompt after a sign. The line begins with a text, which the person may change.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be read.
    fn read(&mut self, sign: &str, initial: &str) -> io::Result<TypedPrompt>;

    /// Asks a question that only a clear yes answers with yes.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be read.
    fn confirm(&mut self, question: &str) -> io::Result<bool>;

    /// Takes the conversation that the chat is in, whose prompts a line may name. By default nothing.
    fn set_conversation(&mut self, _id: &str) {}

    /// Takes the last prompt, which the person may take back to edit it. By default nothing.
    fn set_last(&mut self, _prompt: Option<&str>) {}

    /// Takes a line that was sent while the agent worked, for a history. By default nothing.
    fn remember(&mut self, _line: &str) {}
}
