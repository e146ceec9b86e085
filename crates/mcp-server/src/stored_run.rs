//! A run according to its log, and the result that a client gets of it.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use silcrow_agent::{ParkedQuestion, QuestionGroup};
use silcrow_event::{Entry, Event, ResultStatus, Timestamp};
use silcrow_front::RunEnd;
use silcrow_server::Error;

use crate::question;
use crate::written_call::CALL;

/// A run according to the log: the entries from its prompt to the next one.
#[derive(Debug, Default)]
pub(crate) struct StoredRun {
    pub(crate) began: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    pub(crate) is_stopped: bool,
    /// Whether another prompt follows.
    pub(crate) is_past: bool,
    answers: Vec<String>,
    /// The turn of the answers.
    turn: Option<u32>,
    /// Why the call of a declared tool has failed.
    failure: Option<String>,
}

impl StoredRun {
    /// Reads a run whose prompt is the first entry; `None` if the first entry is not a prompt.
    pub(crate) fn read(entries: &[Entry]) -> Option<Self> {
        let is_prompt = |entry: &Entry| matches!(entry.event, Event::User { steer: false, .. });
        let prompt = entries.first().filter(|first| is_prompt(first))?;
        let mut run = Self { began: prompt.timestamp, last: prompt.timestamp, ..Self::default() };
        for entry in &entries[1..] {
            if is_prompt(entry) {
                run.is_past = true;
                break;
            }
            run.apply(entry);
        }
        Some(run)
    }

    fn apply(&mut self, entry: &Entry) {
        self.last = entry.timestamp.or(self.last);
        match &entry.event {
            Event::Respond(respond) if respond.last => {
                // Only the last turn that answers counts.
                if self.turn != entry.turn {
                    self.answers.clear();
                }
                self.turn = entry.turn;
                self.answers.push(respond.content.clone());
            }
            // The run did not accept that turn's text.
            Event::Notice { .. } if self.turn == entry.turn => self.answers.clear(),
            Event::Result(result)
                if result.id.as_deref() == Some(CALL)
                    && result.status() != ResultStatus::Success =>
            {
                self.failure = Some(result.content.text().into_owned());
            }
            Event::Cancelled { .. } => self.is_stopped = true,
            _ => {}
        }
    }

    /// Returns whether the log has an answer.
    pub(crate) const fn is_answered(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Returns the result of a run that has ended.
    pub(crate) fn result(
        &self,
        conversation: &str,
        end: &RunEnd,
        questions: &[ParkedQuestion],
    ) -> CallToolResult {
        let answer = self.answers.join("\n\n");
        let (outcome, text) = match (end, &self.failure) {
            (RunEnd::Answered | RunEnd::Failed { .. }, Some(failure)) => {
                ("failed", failure.clone())
            }
            (RunEnd::Answered, None) => ("answered", answer),
            (RunEnd::Stopped, _) => ("stopped", "The run was stopped.".to_owned()),
            (RunEnd::Waiting, _) => ("waiting", waiting(conversation, questions)),
            (RunEnd::Failed { message, .. }, _) => ("failed", message.clone()),
        };
        let mut structured =
            json!({"conversation": conversation, "outcome": outcome, "answer": text});
        if !questions.is_empty() {
            structured["questions"] = questions.iter().map(question_json).collect();
        }
        let continues = format!("conversation: {conversation}");
        let content = vec![ContentBlock::text(text), ContentBlock::text(continues)];
        let mut result = match outcome {
            "failed" | "stopped" => CallToolResult::error(content),
            _ => CallToolResult::success(content),
        };
        result.structured_content = Some(structured);
        result
    }
}

/// Returns an error that the model of the client reads.
pub(crate) fn refused(error: &Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

fn question_json(asked: &ParkedQuestion) -> Value {
    let call = serde_json::from_str(&asked.question.to_json()).unwrap_or(Value::Null);
    json!({"id": asked.id(), "call": call})
}

/// Describes what the run waits for, and how a person can answer.
fn waiting(conversation: &str, questions: &[ParkedQuestion]) -> String {
    let texts: Vec<_> = QuestionGroup::all(questions).iter().map(question::text).collect();
    format!(
        "The run waits for a person, and nothing is lost meanwhile. The person can answer with \
         `silcrow runs answer {conversation}`, and then it continues.\n\n{}",
        texts.join("\n\n")
    )
}
