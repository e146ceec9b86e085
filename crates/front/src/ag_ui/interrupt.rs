//! The questions that a run waits for, as interrupts.

use silcrow_event::{ApprovalState, OpenQuestion};

use crate::json_object::JsonObject;
use crate::transcript::{CalledAgent, TranscriptChange};

/// The questions without an answer, in the order in which they were asked. Questions about items of
/// one loop are one interrupt, which has the id of the first of them.
#[derive(Debug, Default)]
pub(super) struct OpenInterrupts(Vec<Interrupt>);

impl OpenInterrupts {
    /// Takes a change, which may ask a question or answer one.
    pub(super) fn apply(&mut self, agent: Option<&CalledAgent>, change: &TranscriptChange<'_>) {
        match change {
            TranscriptChange::Question { call, id, question } => {
                self.0.retain(|one| one.id != *id);
                self.0.push(Interrupt {
                    id: id.to_string(),
                    call: call.to_string(),
                    agent: agent.map(|agent| agent.id.clone()),
                    question: (*question).clone(),
                });
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
        let own = self.groups().into_iter().map(|group| group[0]);
        let own = own.filter(|one| one.agent.as_ref() == Some(&agent.id));
        serde_json::json!(own.map(|one| &one.id).collect::<Vec<_>>()).to_string()
    }

    /// Returns the interrupts as a JSON array, or `None` without any.
    pub(super) fn to_json(&self) -> Option<String> {
        let interrupts: Vec<_> = self.groups().iter().map(|group| json(group)).collect();
        (!interrupts.is_empty()).then(|| format!("[{}]", interrupts.join(",")))
    }

    /// Returns the questions of each interrupt.
    fn groups(&self) -> Vec<Vec<&Interrupt>> {
        let mut groups: Vec<Vec<&Interrupt>> = Vec::new();
        for one in &self.0 {
            match groups.iter_mut().find(|group| group[0].is_with(one)) {
                Some(group) => group.push(one),
                None => groups.push(vec![one]),
            }
        }
        groups
    }
}

#[derive(Debug)]
struct Interrupt {
    id: String,
    /// The call that the question is about.
    call: String,
    /// The id of the agent that made the call, unless that is the run's own.
    agent: Option<String>,
    question: OpenQuestion,
}

impl Interrupt {
    /// Returns whether both questions are about items of one loop.
    fn is_with(&self, other: &Self) -> bool {
        let item_of = self.question.item_of.as_ref();
        item_of.is_some()
            && item_of == other.question.item_of.as_ref()
            && self.agent == other.agent
            && self.question.tool == other.question.tool
    }
}

/// Returns one interrupt about these questions.
fn json(group: &[&Interrupt]) -> String {
    let Interrupt { id, call, agent, question } = group[0];
    let items: Vec<_> = group.iter().map(|one| (&*one.id, &one.question)).collect();
    let mut json = JsonObject::new()
        .text("id", id)
        .text("reason", "tool_call")
        .text("message", &message(question, &items[1..]))
        .text("toolCallId", call)
        .raw("responseSchema", response_schema(question, &items));
    if let Some(agent) = agent {
        json = json.text("subagentRunId", agent);
    }
    let mut metadata = JsonObject::new().raw("silcrow", question.to_json());
    if group.len() > 1 {
        let items: Vec<_> = group
            .iter()
            .map(|one| {
                let item = JsonObject::new().text("id", &one.id).text("toolCallId", &one.call);
                item.raw("silcrow", one.question.to_json()).finish()
            })
            .collect();
        metadata = metadata.raw("items", format!("[{}]", items.join(",")));
    }
    json.raw("metadata", metadata.finish()).finish()
}

/// Returns the question as a person reads it.
fn message(question: &OpenQuestion, others: &[(&str, &OpenQuestion)]) -> String {
    let mut message = format!("Allow {}", question.tool);
    if let Some(target) = &question.target {
        message += &format!(" for {target}");
    }
    message.push('?');
    if !others.is_empty() {
        message = format!("Allow {} calls of {} in a loop?", others.len() + 1, question.tool);
        for (_, one) in [("", question)].iter().chain(others) {
            message += &format!("\n{}", one.args);
        }
        message.push('\n');
    }
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

/// Returns the JSON schema of an answer. If a person has to approve this very call, an answer
/// covers no other.
fn response_schema(question: &OpenQuestion, items: &[(&str, &OpenQuestion)]) -> String {
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
    if items.len() > 1 {
        let ids = serde_json::json!(items.iter().map(|(id, _)| id).collect::<Vec<_>>()).to_string();
        let covers =
            "the interrupts whose calls may run, all without it; `metadata.items` has the calls";
        let ids = of_type("array").raw("items", of_type("string").raw("enum", ids).finish());
        properties = properties.raw("items", ids.text("description", covers).finish());
    }
    let properties = properties.raw("reason", of_type("string").finish()).finish();
    of_type("object").raw("properties", properties).raw("required", r#"["approved"]"#).finish()
}
