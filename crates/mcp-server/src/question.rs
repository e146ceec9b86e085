//! Questions about calls, as forms that a client shows to a person.

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
};
use serde_json::{Value, json};
use silcrow_agent::ParkedQuestion;
use silcrow_front::question_text;
use silcrow_tool::{ApprovalDecision, ApprovalScope};

/// Returns the request for an answer to a question.
pub(crate) fn request(asked: &ParkedQuestion) -> ElicitRequest {
    ElicitRequest::new(params(asked))
}

pub(crate) fn params(asked: &ParkedQuestion) -> ElicitRequestParams {
    let question = &asked.question;
    let (mut choices, mut names) = (vec![ONCE.to_owned()], vec!["yes, once".to_owned()]);
    // A call with a risk is asked about each time.
    if question.risk.is_none() {
        choices.push(CONVERSATION.to_owned());
        names.push("yes, in this conversation".to_owned());
        for (index, scope) in question.wider_scopes.iter().enumerate() {
            choices.push(format!("{WIDER}{index}"));
            names.push(format!("yes, in this conversation: {}", scope.replace('\n', ", ")));
        }
    }
    choices.push(DENY.to_owned());
    names.push("no".to_owned());
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "May it run?",
                "enum": choices,
                "enumNames": names,
            },
            "reason": {"type": "string", "title": "What the agent should know, after a no"},
        },
        "required": ["decision"],
    });
    let Value::Object(schema) = schema else { unreachable!("it is an object") };
    let requested_schema =
        ElicitationSchema::from_json_schema(schema).expect("the schema is one for forms");
    let message = question_text(asked.id(), &asked.question);
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
}

/// Returns the decision of a person; `None` if the person has not decided.
pub(crate) fn decision(answer: &ElicitResult) -> Option<ApprovalDecision> {
    let content = answer.content.as_ref().unwrap_or(&Value::Null);
    match answer.action {
        ElicitationAction::Accept => match content["decision"].as_str()? {
            ONCE => Some(ApprovalDecision::Allow(ApprovalScope::Once)),
            CONVERSATION => Some(ApprovalDecision::Allow(ApprovalScope::Conversation)),
            wider if wider.starts_with(WIDER) => {
                let index = wider[WIDER.len()..].parse().ok()?;
                Some(ApprovalDecision::Allow(ApprovalScope::Wider(index)))
            }
            DENY => Some(denial(content["reason"].as_str())),
            _ => None,
        },
        ElicitationAction::Decline => Some(denial(None)),
        _ => None,
    }
}

fn denial(reason: Option<&str>) -> ApprovalDecision {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    ApprovalDecision::Deny(match reason {
        Some(reason) => format!("the person did not allow it, and said: {reason}"),
        None => "the person did not allow it".to_owned(),
    })
}

const ONCE: &str = "once";
const CONVERSATION: &str = "conversation";
/// The beginning of a wider scope, before its index.
const WIDER: &str = "wider-";
const DENY: &str = "deny";
