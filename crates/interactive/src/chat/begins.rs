//! The beginning of a chat, and its name.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use silcrow_session::RunTarget;

/// Runs a slash command that is another command of the program, such as `/log`. It gets the words
/// of the command line, and returns why it failed. It runs on a thread where it may block, and owns
/// the terminal meanwhile.
pub type CommandRunner = Arc<dyn Fn(Vec<OsString>) -> Result<(), String> + Send + Sync>;

/// The options for the beginning of a chat.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_interactive::chat::ChatOptions;
/// use silcrow_session::RunTarget;
///
/// let options = ChatOptions {
///     target: RunTarget::Latest,
///     run_command: Some(Arc::new(|words| Err(format!("there is no command {words:?}")))),
///     ..ChatOptions::default()
/// };
/// assert!(!options.picks);
/// ```
#[derive(Clone)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct ChatOptions {
    /// The name of the program, with which the first line begins.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The conversation.
    pub target: RunTarget,
    /// Whether the person first picks an earlier conversation from a list.
    pub picks: bool,
    /// The first prompt, which is sent at once.
    pub first: Option<String>,
    /// Runs slash commands that are commands of the program. Without it, they say that they are not
    /// available.
    pub run_command: Option<CommandRunner>,
}

impl Default for ChatOptions {
    /// Returns the options of a new conversation, without commands of the program.
    fn default() -> Self {
        Self {
            name: "silcrow".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            target: RunTarget::Fresh,
            picks: false,
            first: None,
            run_command: None,
        }
    }
}

impl fmt::Debug for ChatOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatOptions")
            .field("target", &self.target)
            .field("picks", &self.picks)
            .finish_non_exhaustive()
    }
}
