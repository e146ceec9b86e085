//! Answers to the interrupts with which a run has ended.

use serde_json::Value;

use super::{AgUiRequest, AgUiRequestError, not, optional_text, text};

/// The answer to an interrupt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgUiAnswer {
    /// The id of the interrupt, which is the id of the question in the conversation that waits.
    pub interrupt: String,
    /// The decision of the person.
    pub decision: AgUiDecision,
}

/// The decision of a person about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the schema of the answer names them all")]
pub enum AgUiDecision {
    /// This call may run.
    Once,
    /// This call may run, and later calls of the scope that the question named.
    Conversation,
    /// This call may run, and later calls of the wider scope of this index, from 0.
    Wider(usize),
    /// These calls for items of a loop may run, and the loop's other calls may not, for this reason
    /// if the person gave one. The interrupt lists all of them.
    Items(Vec<String>, Option<String>),
    /// The call may not run, for this reason if the person gave one.
    Denied(Option<String>),
    /// The person has left without an answer.
    Cancelled,
}

impl AgUiRequest {
    /// Checks that the answers are about the open interrupts of the conversation, each of which
    /// needs one.
    pub fn check_answers(&self, open: &[&str]) -> Result<(), AgUiRequestError> {
        for (n, answer) in self.answers.iter().enumerate() {
            let id = &answer.interrupt;
            if !open.contains(&&**id) {
                let why = format!("`resume[{n}]` answers the interrupt `{id}`, which is not open");
                return Err(AgUiRequestError::new("unknown_interrupt", why));
            }
            if self.answers[..n].iter().any(|earlier| earlier.interrupt == *id) {
                let why = format!("`resume[{n}]` answers the interrupt `{id}` a second time");
                return Err(AgUiRequestError::new("invalid_request", why));
            }
        }
        let is_answered = |id: &&str| self.answers.iter().any(|answer| answer.interrupt == **id);
        match open.iter().find(|id| !is_answered(id)) {
            Some(id) => {
                let why = format!("`resume` has no answer to the interrupt `{id}`, which is open");
                Err(AgUiRequestError::new("open_interrupts", why))
            }
            None => Ok(()),
        }
    }
}

impl AgUiAnswer {
    pub(super) fn read(answer: &Value, place: &str) -> Result<Self, AgUiRequestError> {
        let interrupt = text(answer, "interruptId", &format!("{place}.interruptId"))?.to_owned();
        let decision = match text(answer, "status", &format!("{place}.status"))? {
            "resolved" => AgUiDecision::read(&answer["payload"], &format!("{place}.payload"))?,
            "cancelled" => AgUiDecision::Cancelled,
            _ => return Err(not(&format!("{place}.status"), "`resolved` or `cancelled`")),
        };
        Ok(Self { interrupt, decision })
    }
}

impl AgUiDecision {
    fn read(payload: &Value, place: &str) -> Result<Self, AgUiRequestError> {
        // A call with other arguments would not be the call of the question.
        if !payload["editedArgs"].is_null() {
            let why = format!("`{place}.editedArgs` is not supported: deny the call with a reason");
            return Err(AgUiRequestError::new("invalid_request", why));
        }
        let reason = optional_text(payload, "reason", &format!("{place}.reason"))?;
        let Some(approved) = payload["approved"].as_bool() else {
            return Err(not(&format!("{place}.approved"), "`true` or `false`"));
        };
        let scope = optional_text(payload, "scope", &format!("{place}.scope"))?;
        if let (true, Some(items)) = (approved, payload["items"].as_array()) {
            let ids = items.iter().map(|id| id.as_str().map(str::to_owned));
            let ids = ids.collect::<Option<_>>();
            let ids = ids.ok_or_else(|| not(&format!("{place}.items"), "an array of strings"))?;
            return Ok(Self::Items(ids, reason.map(str::to_owned)));
        }
        match (approved, scope) {
            (false, _) => Ok(Self::Denied(reason.map(str::to_owned))),
            (true, None | Some("once")) => Ok(Self::Once),
            (true, Some("conversation")) => Ok(Self::Conversation),
            (true, Some("wider")) => match &payload["index"] {
                Value::Null => Ok(Self::Wider(0)),
                index => index
                    .as_u64()
                    .and_then(|index| index.try_into().ok())
                    .map(Self::Wider)
                    .ok_or_else(|| not(&format!("{place}.index"), "the number of a wider scope")),
            },
            (true, Some(_)) => {
                Err(not(&format!("{place}.scope"), "`once`, `conversation` or `wider`"))
            }
        }
    }
}
