//! The questions that a run waits for, as interrupts.

use silcrow_event::{ApprovalState, OpenQuestion};

use crate::json_object::JsonObject;
use crate::transcript::{CalledAgent, TranscriptChange};

/// The questions without an answer, in the order in which they were asked.
#[derive(Debug, Default)]
pub(super) struct OpenInterrupts(Vec<Interrupt>);

impl OpenInterrupts {
    /// Takes a change, which may ask a question or answer one.
    pub(super) fn push(&mut self, agent: Option<&CalledAgent>, change: &TranscriptChange<'_>) {
        match change {
            TranscriptChange::Question { call, id, question } => {
                self.0.retain(|one| one.id != *id);
                self.0.push(Interrupt::new(id, call, agent, question));
            }
            TranscriptChange::CallAsked { state: ApprovalState::Asked, .. } => {}
            TranscriptChange::CallAsked { call, .. } | TranscriptChange::CallEnded { call, .. } => {
                self.0.retain(|one| one.call != *call);
            }
            _ => {}
        }
    }

    /// Returns the ids of the interrupts about calls of an agent as a JSON array.
    pub(super) fn ids_of(&self, agent: &CalledAgent) -> String {
        let own = self.0.iter().filter(|one| one.agent.as_ref() == Some(&agent.id));
        serde_json::json!(own.map(|one| &one.id).collect::<Vec<_>>()).to_string()
    }

    /// Returns the interrupts as a JSON array, unless there are none.
    pub(super) fn to_json(&self) -> Option<String> {
        let interrupts: Vec<_> = self.0.iter().map(|one| &*one.json).collect();
        (!interrupts.is_empty()).then(|| format!("[{}]", interrupts.join(",")))
    }
}

#[derive(Debug)]
struct Interrupt {
    id: String,
    /// The call that the question is about.
    call: String,
    /// The id of the agent that made the call, unless that is the run's own.
    agent: Option<String>,
    json: String,
}

impl Interrupt {
    fn new(id: &str, call: &str, agent: Option<&CalledAgent>, question: &OpenQuestion) -> Self {
        let mut json = JsonObject::new()
            .text("id", id)
            .text("reason", "tool_call")
            .text("message", &message(question))
            .text("toolCallId", call)
            .raw("responseSchema", response_schema(question));
        if let Some(agent) = agent {
            json = json.text("subagentRunId", &agent.id);
        }
        let metadata = JsonObject::new().raw("silcrow", question.to_json()).finish();
        let json = json.raw("metadata", metadata).finish();
        let agent = agent.map(|agent| agent.id.clone());
        Self { id: id.to_owned(), call: call.to_owned(), agent, json }
    }
}

/// Returns the question as a person reads it.
fn message(question: &OpenQuestion) -> String {
    let mut message = format!("Allow {}", question.tool);
    if let Some(target) = &question.target {
        message += &format!(" for {target}");
    }
    message.push('?');
    if !question.grants.is_empty() {
        message += &format!(" A yes opens: {}.", question.grants);
    }
    for (word, text) in [("Effect", &question.effect), ("Risk", &question.risk)] {
        if let Some(text) = text {
            message += &format!(" {word}: {text}.");
        }
    }
    message
}

/// Returns the JSON schema of an answer. Where a person has to say yes to this very call, an answer
/// covers no other.
fn response_schema(question: &OpenQuestion) -> String {
    let of_type = |kind| JsonObject::new().text("type", kind);
    let mut properties = JsonObject::new().raw("approved", of_type("boolean").finish());
    if question.risk.is_none() {
        let mut covers = format!("`conversation` also covers later calls: {}", question.scope);
        let mut words = r#"["once","conversation"]"#;
        let count = question.wider_scopes.len();
        if count > 0 {
            words = r#"["once","conversation","wider"]"#;
            let wider = question.wider_scopes.iter().enumerate();
            let wider: Vec<_> = wider.map(|(at, scope)| format!("{at}: {scope}")).collect();
            covers += &format!("; `wider` covers, by `index`, {}", wider.join("; "));
        }
        let scope = of_type("string").raw("enum", words);
        properties = properties.raw("scope", scope.text("description", &covers).finish());
        if count > 0 {
            let index = of_type("integer").raw("minimum", 0).raw("maximum", count - 1);
            properties = properties.raw("index", index.finish());
        }
    }
    let properties = properties.raw("reason", of_type("string").finish()).finish();
    of_type("object").raw("properties", properties).raw("required", r#"["approved"]"#).finish()
}
