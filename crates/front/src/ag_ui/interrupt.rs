//! A question that a run waits for, as an interrupt.

use silcrow_event::OpenQuestion;

use crate::json_object::JsonObject;
use crate::transcript::CalledAgent;

/// An interrupt at the end of a run.
#[derive(Debug)]
pub(super) struct Interrupt {
    pub(super) id: String,
    /// The call that the question is about.
    pub(super) call: String,
    /// The id of the agent that made the call, unless that is the run's own.
    pub(super) agent: Option<String>,
    pub(super) json: String,
}

impl Interrupt {
    pub(super) fn new(
        id: &str,
        call: &str,
        agent: Option<&CalledAgent>,
        question: &OpenQuestion,
    ) -> Self {
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
        let covers = format!("`conversation` also covers later calls: {}", question.scope);
        let scope = of_type("string").raw("enum", r#"["once","conversation"]"#);
        properties = properties.raw("scope", scope.text("description", &covers).finish());
    }
    let properties = properties.raw("reason", of_type("string").finish()).finish();
    of_type("object").raw("properties", properties).raw("required", r#"["approved"]"#).finish()
}
