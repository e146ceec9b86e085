//! The messages that a client shows, to be sent again without an answer that does not count.

use serde_json::Value;

use super::messages::{AgUiMessageList, text_of_turn};
use crate::transcript::{CalledAgent, TranscriptChange};

/// The messages that a client shows.
#[derive(Debug, Default)]
pub(super) struct ShownMessages {
    /// The messages that it had before the run.
    before: Vec<Value>,
    own: AgUiMessageList,
}

impl ShownMessages {
    /// Takes the messages that the client has before the run.
    pub(super) fn begin_with(&mut self, messages: &[Value]) {
        // Clients keep the output of calls if a snapshot has no messages of that kind.
        let is_kept = |message: &&Value| message["role"] != "activity";
        self.before = messages.iter().filter(is_kept).cloned().collect();
    }

    /// Takes a change that the client is sent.
    pub(super) fn take(&mut self, agent: Option<&CalledAgent>, change: &TranscriptChange<'_>) {
        if let TranscriptChange::AnswerDropped(turn) = *change {
            // A run that continues another one may ask again for the answer of that.
            let of_turn = text_of_turn(turn);
            self.before.retain(|message| {
                let is_of_turn = message["id"].as_str().is_some_and(|id| id.starts_with(&of_turn));
                message["role"] != "assistant" || !is_of_turn
            });
        }
        self.own.take(agent, change);
    }

    /// Takes the result of a call that the model did not complete.
    pub(super) fn end_call(&mut self, call: &str, content: &str) {
        self.own.end_call(call, content);
    }

    /// Returns all messages as a JSON array.
    pub(super) fn to_json(&self) -> String {
        let before = self.before.iter().map(Value::to_string);
        let all: Vec<_> = before.chain([self.own.to_json()]).collect();
        let all: Vec<_> = all.into_iter().filter(|one| !one.is_empty()).collect();
        format!("[{}]", all.join(","))
    }
}
