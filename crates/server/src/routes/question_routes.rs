//! Endpoints of the questions for whose answers a conversation waits.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use silcrow_agent::{ParkedQuestion, ParkedRun};
use silcrow_event::Json;
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use crate::auth::ServerUser;
use crate::bodies::{json, read_body};
use crate::error::Error;
use crate::faces::denial;
use crate::path_id::PathId;
use crate::run_caller::RunCaller;
use crate::server::Server;
use crate::source::RunPlace;

pub(super) async fn list(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
) -> Result<Response, Error> {
    server.summary(user.name.as_deref(), &id).await?;
    let parked = ParkedRun::read(&*server.store, &id, user.name.as_deref()).await?;
    let questions: Vec<_> = parked.questions().iter().map(question_json).collect();
    Ok(json(StatusCode::OK, format!(r#"{{"questions":[{}]}}"#, questions.join(","))))
}

#[derive(Deserialize)]
struct GivenAnswers {
    answers: Vec<GivenDecision>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct GivenDecision {
    question: String,
    decision: DecisionWord,
    #[serde(default)]
    scope: ScopeWord,
    /// Which of the question's wider scopes, from 0.
    #[serde(default)]
    index: usize,
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum DecisionWord {
    Allow,
    Deny,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ScopeWord {
    #[default]
    Once,
    Conversation,
    Wider,
}

pub(super) async fn answer(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    caller: RunCaller,
    request: Request,
) -> Result<Response, Error> {
    let given: GivenAnswers = read_body(&server, request).await?;
    let answers: Vec<_> = given.answers.into_iter().map(decided).collect();
    let message = given.message.as_deref().map(str::trim).filter(|message| !message.is_empty());
    let taken =
        server.answer(caller.at(RunPlace::new(id).of(user.name)), &answers, message).await?;
    let run = taken.run.map_or_else(|| "null".to_owned(), |run| Json::string(run.id()).to_string());
    Ok(json(StatusCode::OK, format!(r#"{{"open":{},"run":{run}}}"#, taken.open)))
}

fn decided(given: GivenDecision) -> (String, ApprovalDecision) {
    let decision = match (given.decision, given.scope) {
        (DecisionWord::Allow, ScopeWord::Once) => ApprovalDecision::Allow(ApprovalScope::Once),
        (DecisionWord::Allow, ScopeWord::Conversation) => {
            ApprovalDecision::Allow(ApprovalScope::Conversation)
        }
        (DecisionWord::Allow, ScopeWord::Wider) => {
            ApprovalDecision::Allow(ApprovalScope::Wider(given.index))
        }
        (DecisionWord::Deny, _) => denial(given.reason.as_deref()),
    };
    (given.question, decision)
}

fn question_json(asked: &ParkedQuestion) -> String {
    let answer = match asked.answer {
        Some(state) => format!("\"{}\"", state.as_str()),
        None => "null".to_owned(),
    };
    format!(
        r#"{{"id":{},"conversation":{},"turn":{},"answer":{answer},"call":{}}}"#,
        Json::string(asked.id()),
        Json::string(&asked.conversation),
        asked.turn,
        asked.question.to_json(),
    )
}
