//! The endpoints for the Vercel AI SDK: a chat is a conversation.

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use silcrow_front::{
    AI_SDK_HEADERS, AiSdkAction, AiSdkApproval, AiSdkEncoder, AiSdkRequest, AiSdkTarget,
    RunEncoder as _, RunEnd, ai_sdk_messages,
};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::{denial, is_open};
use crate::auth::ServerUser;
use crate::bodies::{json, read_bytes, wrong_query};
use crate::disconnect::OnDisconnect;
use crate::error::{Error, ErrorKind};
use crate::path_id::PathId;
use crate::run_caller::RunCaller;
use crate::run_encoding::RunEncoding;
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse;
use crate::takeover::Whose;

/// The query with the version of the client, and what happens if it leaves.
#[derive(Deserialize)]
pub(crate) struct AiSdkQuery {
    ai: Option<String>,
    #[serde(default)]
    disconnect: OnDisconnect,
}

type VersionQuery = Result<Query<AiSdkQuery>, QueryRejection>;

/// Begins or continues a run, and streams its message.
pub(crate) async fn chat(
    State(server): State<Server>,
    user: ServerUser,
    query: VersionQuery,
    caller: RunCaller,
    request: Request,
) -> Result<Response, Error> {
    let (target, on_disconnect) = read_query(query)?;
    let body = read_bytes(&server, request).await?;
    let request = AiSdkRequest::parse(&body)
        .map_err(|error| Error::new(ErrorKind::Malformed, error.to_string()))?;
    let place = caller.at(RunPlace::new(request.chat).of(user.name));
    // A client repeats its answers, so those to other questions say nothing new.
    let open = server.open_questions(&place).await?;
    let answers: Vec<_> =
        request.approvals.iter().filter(|one| is_open(&open, &one.id)).map(decided).collect();
    let message = match request.action {
        AiSdkAction::Send(message) => Some(message.content),
        AiSdkAction::Continue if answers.is_empty() => {
            return Err(nothing_to_continue(&server, &place));
        }
        AiSdkAction::Continue => None,
        _ => {
            let why = "a chat keeps what was said in it; fork its conversation before that message \
                       with POST /conversations/ID/fork, and open the new one";
            return Err(Error::new(ErrorKind::Stale, why));
        }
    };
    let run = match (answers.is_empty(), message) {
        (true, Some(message)) => Some(server.start(place.clone(), message).await?),
        (_, message) => {
            let text = message.map(|message| message.text().into_owned());
            let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
            server.answer(place.clone(), &answers, text).await?.run
        }
    };
    match run {
        Some(run) => {
            let encoder = AiSdkEncoder::new(target, run.conversation());
            Ok(stream(&server, run.encoding(encoder).on_disconnect(on_disconnect)))
        }
        None => waiting(&server, target, &place).await,
    }
}

/// Streams the message of the run at work again.
pub(crate) async fn resume(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    query: VersionQuery,
) -> Result<Response, Error> {
    let (target, on_disconnect) = read_query(query)?;
    let place = RunPlace::new(&*id).of(user.name);
    let encoder = AiSdkEncoder::new(target, id);
    let encoding = match server.readable(&place).await {
        Some(run) => RunEncoding::of(&server, &run, encoder),
        None => {
            let is_known = server.summary(place.user.as_deref(), &place.conversation).await.is_ok();
            if !is_known || server.whose(&place).await? == Whose::Nobody {
                return Ok(StatusCode::NO_CONTENT.into_response());
            }
            let head = server.store.head(&place.conversation).await?;
            RunEncoding::lost(&server, &place, head, encoder)
        }
    };
    Ok(stream(&server, encoding.whole().on_disconnect(on_disconnect)))
}

/// Returns the stored messages of a chat.
pub(crate) async fn messages(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    query: VersionQuery,
) -> Result<Response, Error> {
    let (target, _) = read_query(query)?;
    let summary = server.summary(user.name.as_deref(), &id).await?;
    let log = server.store.read(&id, 1..=summary.events).await?;
    Ok(json(StatusCode::OK, ai_sdk_messages(target, &id, &log)))
}

fn read_query(query: VersionQuery) -> Result<(AiSdkTarget, OnDisconnect), Error> {
    let Query(AiSdkQuery { ai, disconnect }) = query.map_err(|error| wrong_query(&error))?;
    let Some(ai) = ai else { return Ok((AiSdkTarget::default(), disconnect)) };
    let target = AiSdkTarget::parse(&ai).ok_or_else(|| {
        let why = format!("there is nothing for version {ai:?} of the AI SDK; send ?ai=5, 6 or 7");
        Error::new(ErrorKind::Malformed, why)
    })?;
    Ok((target, disconnect))
}

fn decided(given: &AiSdkApproval) -> (String, ApprovalDecision) {
    let decision = match (given.is_approved, given.for_conversation, given.wider) {
        (true, _, Some(index)) => ApprovalDecision::Allow(ApprovalScope::Wider(index)),
        (true, false, None) => ApprovalDecision::Allow(ApprovalScope::Once),
        (true, true, None) => ApprovalDecision::Allow(ApprovalScope::Conversation),
        (false, ..) => denial(given.reason.as_deref()),
    };
    (given.id.clone(), decision)
}

/// Returns the error of a request that has neither a prompt nor an answer to an open question.
fn nothing_to_continue(server: &Server, place: &RunPlace) -> Error {
    match server.runs.busy_with(&place.conversation) {
        Some(run) => Error::new(ErrorKind::Busy, "the run is at work already").with_run(run),
        None => Error::new(ErrorKind::Stale, "no question of this chat is open; send a message"),
    }
}

fn stream(server: &Server, encoding: RunEncoding<AiSdkEncoder>) -> Response {
    with_headers(sse::answer(server, encoding))
}

/// Answers that the run still waits for other answers.
async fn waiting(
    server: &Server,
    target: AiSdkTarget,
    place: &RunPlace,
) -> Result<Response, Error> {
    let mut encoder = AiSdkEncoder::new(target, &*place.conversation);
    let head = server.store.head(&place.conversation).await?;
    for entry in server.store.read(&place.conversation, 1..=head).await? {
        encoder.skip(&entry);
    }
    let mut out = String::new();
    encoder.begin(&mut out);
    encoder.end(&RunEnd::Waiting, &mut out);
    Ok(with_headers(Response::new(Body::from(out))))
}

fn with_headers(mut answer: Response) -> Response {
    for (name, value) in AI_SDK_HEADERS {
        let name = HeaderName::from_static(name);
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}
