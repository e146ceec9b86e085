//! The reason why an attempt has no output: the tool's error, a panic, or the end of its task.

use silcrow_event::ResultOrigin;
use silcrow_tool::{ToolError, ToolOutput};
use tokio::task::JoinError;

use crate::matched_tool::panic_message;

/// The end of a tool's task.
type JoinedAttempt = Option<Result<Result<ToolOutput, ToolError>, JoinError>>;

/// The failure of a call.
pub(crate) struct CallFailure {
    /// The summary for a person; `None` if it is the beginning of the words.
    pub(crate) summary: Option<&'static str>,
    /// The words for the model.
    pub(crate) words: String,
    pub(crate) origin: ResultOrigin,
    /// Whether the call waits for answers.
    pub(crate) is_parked: bool,
}

impl CallFailure {
    pub(crate) fn framework(words: String) -> Self {
        Self { summary: None, words, origin: ResultOrigin::Framework, is_parked: false }
    }

    /// Creates a failure in words that are the tool's, or that contain some of them.
    fn tool(summary: Option<&'static str>, words: String) -> Self {
        Self { summary, words, origin: ResultOrigin::Tool, is_parked: false }
    }
}

/// Returns the output of a task that has ended, or the reason why it has none.
pub(crate) fn attempt_result(ended: JoinedAttempt) -> Result<ToolOutput, CallFailure> {
    match ended {
        Some(Ok(Ok(output))) => Ok(output),
        Some(Ok(Err(why))) if why.is_parked() => {
            Err(CallFailure { is_parked: true, ..CallFailure::tool(None, why.into_words()) })
        }
        Some(Ok(Err(why))) => Err(CallFailure::tool(None, why.into_words())),
        Some(Err(error)) if error.is_panic() => {
            let why = format!("the tool panicked: {}", panic_message(&*error.into_panic()));
            Err(CallFailure::tool(Some("panicked"), why))
        }
        // Only the owner of the task aborts it, and there is one task to join.
        Some(Err(_)) | None => {
            let why = CallFailure::framework("the tool was stopped".to_owned());
            Err(CallFailure { summary: Some("stopped"), ..why })
        }
    }
}
