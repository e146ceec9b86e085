//! Questions about calls, as forms that a client shows to a person.
//!
//! The calls for the items of a loop are one form, with a box to tick for each.

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequests,
};
use serde_json::{Map, Value, json};
use silcrow_agent::{ParkedQuestion, QuestionGroup};
use silcrow_front::{loop_question_text, question_text};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

/// Returns the requests for answers to questions, by the ids of the groups.
pub(crate) fn requests(asked: &[ParkedQuestion]) -> InputRequests {
    let groups = QuestionGroup::all(asked);
    let request = |group: &QuestionGroup<'_>| {
        let request = ElicitRequest::new(params(group));
        (group.id().into_owned(), InputRequest::Elicitation(request))
    };
    groups.iter().map(request).collect()
}

/// Returns a question as a person reads it.
pub(crate) fn text(group: &QuestionGroup<'_>) -> String {
    if !group.is_loop() {
        return question_text(&group.id(), &group.first().question);
    }
    let questions: Vec<_> = group.questions().iter().map(|asked| &asked.question).collect();
    loop_question_text(&group.id(), &questions)
}

/// Returns the form for the answer to a question.
pub(crate) fn params(group: &QuestionGroup<'_>) -> ElicitRequestParams {
    let question = &group.first().question;
    let mut choices = match group.is_loop() {
        true => vec![
            (all(group), format!("yes, all {} calls, once each", group.questions().len())),
            (SOME.to_owned(), "yes, those ticked below; no to the others".to_owned()),
        ],
        false => vec![(ONCE.to_owned(), "yes, once".to_owned())],
    };
    // A call with a risk is asked about each time, and so is each item of a loop.
    if question.risk.is_none() && !group.is_loop() {
        choices.push((CONVERSATION.to_owned(), "yes, in this conversation".to_owned()));
        for (index, scope) in question.wider_scopes.iter().enumerate() {
            let name = format!("yes, in this conversation: {}", scope.replace('\n', ", "));
            choices.push((format!("{WIDER}{index}"), name));
        }
    }
    choices.push((DENY.to_owned(), "no".to_owned()));
    let (choices, names): (Vec<_>, Vec<_>) = choices.into_iter().unzip();
    let mut properties = Map::new();
    let decision = json!({
        "type": "string",
        "title": "May it run?",
        "enum": choices,
        "enumNames": names,
    });
    properties.insert("decision".to_owned(), decision);
    if group.is_loop() {
        for (number, asked) in (1..).zip(group.questions()) {
            let title = format!("{number}. {}", asked.question.args.replace('\n', " "));
            properties.insert(asked.id().to_owned(), json!({"type": "boolean", "title": title}));
        }
    }
    let reason = json!({"type": "string", "title": "What the agent should know, after a no"});
    properties.insert("reason".to_owned(), reason);
    let schema = json!({"type": "object", "properties": properties, "required": ["decision"]});
    let Value::Object(schema) = schema else { unreachable!("it is an object") };
    let requested_schema =
        ElicitationSchema::from_json_schema(schema).expect("the schema is one for forms");
    let message = text(group);
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
}

/// Returns the person's decision about each call; `None` if the person has not decided, or decided
/// about other calls.
pub(crate) fn decisions(
    group: &QuestionGroup<'_>,
    answer: &ElicitResult,
) -> Option<Vec<(String, ApprovalDecision)>> {
    let decision = match (answer.action.clone(), group.is_loop()) {
        (ElicitationAction::Accept, true) => of_loop(group, answer.content.as_ref()?)?,
        (ElicitationAction::Accept, false) => of_call(answer.content.as_ref()?)?,
        (ElicitationAction::Decline, _) => ApprovalDecision::Deny(denial(None)),
        _ => return None,
    };
    Some(group.decisions(&decision))
}

fn of_call(content: &Value) -> Option<ApprovalDecision> {
    Some(match content["decision"].as_str()? {
        ONCE => ApprovalDecision::Allow(ApprovalScope::Once),
        CONVERSATION => ApprovalDecision::Allow(ApprovalScope::Conversation),
        wider if wider.starts_with(WIDER) => {
            ApprovalDecision::Allow(ApprovalScope::Wider(wider[WIDER.len()..].parse().ok()?))
        }
        DENY => ApprovalDecision::Deny(denial(content["reason"].as_str())),
        _ => return None,
    })
}

fn of_loop(group: &QuestionGroup<'_>, content: &Value) -> Option<ApprovalDecision> {
    let denied = denial(content["reason"].as_str());
    Some(match content["decision"].as_str()? {
        word if *word == all(group) => ApprovalDecision::Allow(ApprovalScope::Once),
        SOME => {
            let questions = (0..).zip(group.questions());
            let is_ticked = |asked: &ParkedQuestion| content[asked.id()] == Value::Bool(true);
            let allowed = questions.filter(|(_, asked)| is_ticked(asked)).map(|(at, _)| at);
            ApprovalDecision::Items { allowed: allowed.collect(), denied }
        }
        DENY => ApprovalDecision::Deny(denied),
        _ => return None,
    })
}

fn denial(reason: Option<&str>) -> String {
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("the person did not allow it, and said: {reason}"),
        None => "the person did not allow it".to_owned(),
    }
}

/// Returns the choice of all calls. It names their number, because an older form may have shown others.
fn all(group: &QuestionGroup<'_>) -> String {
    format!("all-{}", group.questions().len())
}

const ONCE: &str = "once";
const CONVERSATION: &str = "conversation";
/// The beginning of a wider scope, before its index.
const WIDER: &str = "wider-";
const SOME: &str = "some";
const DENY: &str = "deny";
