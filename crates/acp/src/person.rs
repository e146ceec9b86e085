//! The ways in which an agent reaches the person at the client besides its answers: questions about
//! calls, forms and notices.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use silcrow_tool::Approver;

use crate::client::AcpClient;
use crate::permission::ClientApprover;
use crate::session_update::chunk;

/// The person at the client, for one prompt of a session.
pub struct AcpPerson {
    client: Arc<AcpClient>,
    session: String,
    approver: Arc<ClientApprover>,
    told: ToldTexts,
}

/// Facts that the person of a session has already read.
pub(crate) type ToldTexts = Arc<Mutex<BTreeSet<String>>>;

/// The answer of a person to a form.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these three")]
pub enum AcpFormAnswer {
    /// The values of the fields.
    Accepted(Map<String, Value>),
    /// The person does not answer.
    Declined,
    /// The person wants the asking run to end.
    Cancelled,
}

impl AcpPerson {
    pub(crate) fn new(
        client: Arc<AcpClient>,
        session: String,
        approver: ClientApprover,
        told: ToldTexts,
    ) -> Self {
        Self { client, session, approver: Arc::new(approver), told }
    }

    /// Returns the approver that asks the person.
    pub fn approver(&self) -> Arc<dyn Approver> {
        Arc::<ClientApprover>::clone(&self.approver)
    }

    /// Tells the person something about the session, unless it has told them the same already. A
    /// client that shows no notices shows it as a message of the agent.
    pub async fn tell_once(&self, text: &str) {
        let number = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.len() >= MOST_TOLD || !told.insert(text.to_owned()) {
                return;
            }
            told.len()
        };
        let update = match self.client.shows_notices() {
            true => json!({"sessionUpdate": "notice", "severity": "warning", "title": text}),
            false => {
                let id = format!("notice-{number}");
                chunk("agent_message_chunk", Some(&id), &format!("{text}\n\n"))
            }
        };
        self.client.update(&self.session, &update).await;
    }

    /// Returns whether the client shows forms.
    pub fn fills_forms(&self) -> bool {
        self.client.shows_forms()
    }

    /// Shows a form with a message, and waits for the person. `schema` is a JSON schema of an object
    /// whose fields are texts, numbers, switches and choices. A client that shows no forms declines.
    pub async fn fill(&self, message: &str, schema: &Value) -> AcpFormAnswer {
        if !self.fills_forms() {
            return AcpFormAnswer::Declined;
        }
        let params = json!({
            "mode": "form",
            "sessionId": self.session,
            "message": message,
            "requestedSchema": schema,
        });
        match self.client.ask("elicitation/create", &params).await {
            Ok(answer) => form_answer(&answer, schema),
            Err(_) => AcpFormAnswer::Declined,
        }
    }
}

/// Reads an answer. It has the fields that were asked for, and no others.
fn form_answer(answer: &Value, schema: &Value) -> AcpFormAnswer {
    match answer["action"].as_str() {
        Some("accept") => {
            let content = answer["content"].as_object().cloned().unwrap_or_default();
            let values = content.into_iter().filter(|(name, value)| {
                !value.is_null() && schema["properties"].get(name).is_some()
            });
            let values: Map<_, _> = values.collect();
            let mut required = schema["required"].as_array().into_iter().flatten();
            let is_there =
                |name: &Value| name.as_str().is_none_or(|name| values.contains_key(name));
            match required.all(is_there) {
                true => AcpFormAnswer::Accepted(values),
                false => AcpFormAnswer::Declined,
            }
        }
        Some("cancel") => AcpFormAnswer::Cancelled,
        _ => AcpFormAnswer::Declined,
    }
}

impl fmt::Debug for AcpPerson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcpPerson").field("session", &self.session).finish_non_exhaustive()
    }
}

/// The number of texts that a session tells.
const MOST_TOLD: usize = 64;
