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
use crate::waiting_logs::check_message;
use crate::work::TakenAnswers;

pub(super) async fn list(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
) -> Result<Response, Error> {
    let place = server.asked_place(user, id).await?;
    let (id, user) = (&*place.conversation, place.user.as_deref());
    server.summary(user, id).await?;
    let parked = ParkedRun::read(&*server.store, id, user).await?;
    let questions = questions_json(parked.questions());
    Ok(json(StatusCode::OK, format!(r#"{{"questions":{questions}}}"#)))
}

/// Lists the open questions of all conversations that concern a user.
pub(super) async fn all(State(server): State<Server>, user: ServerUser) -> Result<Response, Error> {
    let waiting = server.waiting(&user).await?;
    let waiting = waiting.iter().map(|one| {
        let summary = &one.summary;
        format!(
            r#"{{"id":{},"title":{},"user":{},"own":{},"questions":{}}}"#,
            Json::string(&summary.conversation),
            Json::string(&summary.title),
            summary
                .user
                .as_ref()
                .map_or_else(|| "null".to_owned(), |user| Json::string(user).to_string()),
            summary.user == user.name,
            questions_json(&one.questions),
        )
    });
    let waiting: Vec<_> = waiting.collect();
    let is_owner = server.access.is_owner(&user);
    let all = format!(r#"{{"owner":{is_owner},"conversations":[{}]}}"#, waiting.join(","));
    Ok(json(StatusCode::OK, all))
}

#[derive(Deserialize)]
struct OpenedLink {
    link: String,
}

/// Opens the question of a link, once.
pub(super) async fn open(
    State(server): State<Server>,
    request: Request,
) -> Result<Response, Error> {
    let OpenedLink { link } = read_body(&server, request).await?;
    let opened = server.open_link(&link).await?;
    let opened = format!(
        r#"{{"key":{},"title":{},"question":{}}}"#,
        Json::string(&opened.key),
        Json::string(&opened.title),
        question_json(&opened.question),
    );
    Ok(json(StatusCode::OK, opened))
}

#[derive(Deserialize)]
struct LinkedAnswer {
    key: String,
    decision: DecisionWord,
    reason: Option<String>,
}

/// Answers the question that a link has opened. A yes is for this call alone.
pub(super) async fn answer_linked(
    State(server): State<Server>,
    request: Request,
) -> Result<Response, Error> {
    let LinkedAnswer { key, decision, reason } = read_body(&server, request).await?;
    let (question, place) = server.keyed_question(&key)?;
    let (scope, index) = (ScopeWord::Once, 0);
    let answer = decided(GivenDecision { question, decision, scope, index, reason });
    let taken = server.answer(place, &[answer], None).await?;
    Ok(taken_json(&taken))
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
    /// The index of the question's wider scope, from 0.
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
    let name = user.name.clone();
    let place = server.asked_place(user, id).await?;
    check_message(&place, name.as_deref(), message)?;
    let taken = server.answer(caller.at(place), &answers, message).await?;
    Ok(taken_json(&taken))
}

fn taken_json(taken: &TakenAnswers) -> Response {
    let run = taken.run.as_ref();
    let run = run.map_or_else(|| "null".to_owned(), |run| Json::string(run.id()).to_string());
    json(StatusCode::OK, format!(r#"{{"open":{},"run":{run}}}"#, taken.open))
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

fn questions_json(asked: &[ParkedQuestion]) -> String {
    let asked: Vec<_> = asked.iter().map(question_json).collect();
    format!("[{}]", asked.join(","))
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
