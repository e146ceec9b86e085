//! The spans and events of `tracing` for people who debug their own agent.
//!
//! The names follow the semantic conventions if these define them. No event has the text of a
//! person, a model or a tool: only names, numbers and kinds.

use silcrow_tool::Scope;
use tracing::{Span, debug, info, info_span, warn};

use crate::ending::AfterAnswer;
use crate::error::Error;
use crate::outcome::RunOutcome;

/// Returns the span of a run, or of an agent that a call runs.
pub(crate) fn run_span(scope: &Scope) -> Span {
    info_span!(
        "invoke_agent",
        gen_ai.conversation.id = scope.conversation_id(),
        gen_ai.agent.name = scope.agent_path.last().map(String::as_str),
    )
}

/// Tells, within its span, how a run has ended.
pub(crate) fn run_ended(ended: &Result<RunOutcome, Error>) {
    match ended {
        Ok(RunOutcome::Answered) => info!(outcome = "answered", "the run is over"),
        Ok(RunOutcome::Interrupted) => info!(outcome = "interrupted", "the run is over"),
        Ok(RunOutcome::Waiting(open)) => {
            info!(outcome = "waiting", questions = open.len(), "the run is over");
        }
        Err(error) => {
            warn!(error.type = error.kind().as_str(), is_retryable = error.is_retryable(), "the run failed");
        }
    }
}

/// Tells that a request is made.
pub(crate) fn asks(turn: u32, messages: usize, estimated_tokens: u64) {
    debug!(turn, messages, estimated_tokens, "asks the model");
}

/// Traces the step that follows an answer.
pub(crate) fn answered(turn: u32, after: AfterAnswer) {
    debug!(turn, ?after, "the turn is read");
}

/// Tells that a request failed before its answer.
pub(crate) fn request_failed(turn: u32, error: &silcrow_provider::Error) {
    warn!(turn, error.type = error.kind().as_str(), is_retryable = error.is_retryable(), "the request failed");
}
