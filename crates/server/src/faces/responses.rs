//! The endpoints for clients of OpenAI's Responses: a response is a run of a conversation.

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Deserialize;
use silcrow_event::RunEventRef;
use silcrow_front::{
    ApprovalAnswer, CallItems, ResponseHead, ResponseRequest, ResponsesEncoder, RunEncoder as _,
};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::openai::{AGENT_MODEL, OpenAiRefusal, chat_headers, check_model, now, user_of};
use super::response_id::ResponseId;
use super::wishes::GrantedWishes;
use super::{denial, is_open};
use crate::auth::ServerUser;
use crate::bodies::{json, read_bytes, wrong_query};
use crate::disconnect::OnDisconnect;
use crate::error::{Error, ErrorKind};
use crate::live_run::LiveRun;
use crate::path_id::PathId;
use crate::random::random_name;
use crate::run_caller::RunCaller;
use crate::run_encoding::RunEncoding;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse;

/// The query of a request for a response.
#[derive(Deserialize)]
pub(crate) struct ResponseQuery {
    #[serde(default)]
    stream: bool,
    starting_after: Option<u64>,
    calls: Option<String>,
    #[serde(default)]
    disconnect: OnDisconnect,
}

type ReadQuery = Result<Query<ResponseQuery>, QueryRejection>;

/// Begins or continues a run.
pub(crate) async fn create(
    State(server): State<Server>,
    user: ServerUser,
    caller: RunCaller,
    query: ReadQuery,
    request: Request,
) -> Result<Response, OpenAiRefusal> {
    let Query(query) = query.map_err(|error| wrong_query(&error))?;
    let user = user_of(user, &chat_headers(request.headers()));
    let request = ResponseRequest::parse(&read_bytes(&server, request).await?)?;
    request.model.as_deref().map_or(Ok(()), check_model)?;
    let place = caller.at(place_of(&server, &request, user).await?);
    let open = server.open_questions(&place).await?;
    let answers: Vec<_> = request.approvals().map(decided).collect();
    let text = request.user_texts().collect::<Vec<_>>().join("\n\n");
    let wishes = GrantedWishes::of(&request.wishes);
    let run = if answers.is_empty() {
        let (told, grant) = (request.all_instructions(), |agent| wishes.grant(agent));
        server.start_told_with(place, text, &told, grant).await?
    } else {
        if let Some((id, _)) = answers.iter().find(|(id, _)| !is_open(&open, id)) {
            let why = format!("the question {id:?} is not open; it may be answered already");
            return Err(Error::new(ErrorKind::Stale, why).into());
        }
        let text = Some(&*text).filter(|text| !text.trim().is_empty());
        let taken = server.answer(place, &answers, text).await?;
        let why = "the answers are stored, and other questions are open; answer these, too";
        taken.run.ok_or_else(|| Error::new(ErrorKind::Stale, why))?
    };
    let id = ResponseId::of(&run.run).to_string();
    let head = ResponseHead::new(id, AGENT_MODEL, now()).with_request(&request);
    let encoder = ResponsesEncoder::new(run.conversation(), head.with_call_items(query.items()));
    if request.background && !request.stream {
        let mut encoder = encoder;
        encoder.begin(&mut String::new());
        return Ok(wishes.name_unused(json(StatusCode::OK, encoder.response())));
    }
    let encoding = run.encoding(encoder).on_disconnect(query.disconnect);
    if request.stream {
        return Ok(wishes.name_unused(sse::answer(&server, encoding)));
    }
    let encoder = encoding.finish().await;
    Ok(wishes.name_unused(json(StatusCode::OK, encoder.response())))
}

/// Returns a response as far as it is there, or streams it after a number.
pub(crate) async fn read(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    query: ReadQuery,
    headers: HeaderMap,
) -> Result<Response, OpenAiRefusal> {
    let Query(query) = query.map_err(|error| wrong_query(&error))?;
    let id = ResponseId::parse(&id)?;
    let place = RunPlace::new(&*id.conversation).of(user_of(user, &chat_headers(&headers)));
    server.look_elsewhere(&place).await;
    let run = run_of(&server, &id, &place);
    let is_at_work = run.is_some() && server.runs.readable(&id.conversation).is_some();
    let mut encoder = encoder(&id, &query);
    if let Some(run) = run.filter(|_| query.stream || !is_at_work) {
        let encoding = run.encoding(encoder).on_disconnect(query.disconnect);
        return Ok(match query.stream {
            true => sse::answer(&server, encoding),
            false => json(StatusCode::OK, encoding.finish().await.response()),
        });
    }
    let part = id.part(&server, &place, is_at_work).await?;
    if query.stream && (part.end.is_none() || part.may_continue(server.options.takeover)) {
        let encoding = RunEncoding::lost(&server, &place, id.after, encoder);
        return Ok(sse::answer(&server, encoding.on_disconnect(query.disconnect)));
    }
    let mut out = String::new();
    part.before.iter().for_each(|entry| encoder.skip(entry));
    encoder.begin(&mut out);
    part.entries.iter().for_each(|entry| encoder.push(RunEventRef::Entry(entry), &mut out));
    if let Some(end) = &part.end {
        encoder.end(end, &mut out);
    }
    if !query.stream {
        return Ok(json(StatusCode::OK, encoder.response()));
    }
    let mut answer = Response::new(Body::from(out));
    let kind = HeaderValue::from_static("text/event-stream");
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(answer)
}

/// Stops the run of a response, and returns what there is.
pub(crate) async fn cancel(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    query: ReadQuery,
    headers: HeaderMap,
) -> Result<Response, OpenAiRefusal> {
    let Query(query) = query.map_err(|error| wrong_query(&error))?;
    let id = ResponseId::parse(&id)?;
    let place = RunPlace::new(&*id.conversation).of(user_of(user, &chat_headers(&headers)));
    let run = server.readable(&place).await;
    let encoding = match run.filter(|run| run.began_after == id.after) {
        Some(run) => {
            let run = ServedRun { run, server };
            run.stop();
            run.encoding(encoder(&id, &query))
        }
        None if id.part(&server, &place, false).await?.end.is_some() => {
            return Err(Error::new(ErrorKind::Stale, "the response is complete already").into());
        }
        None => {
            // Another server has taken the run over, or is about to.
            server.stop_run(&place, None).await?;
            RunEncoding::lost(&server, &place, id.after, encoder(&id, &query))
        }
    };
    Ok(json(StatusCode::OK, encoding.finish().await.response()))
}

/// Returns the run of a response, if it is at work here or was the last one of its conversation.
fn run_of(server: &Server, id: &ResponseId, place: &RunPlace) -> Option<ServedRun> {
    let run = server.runs.latest(&id.conversation);
    let is_it = |run: &LiveRun| run.place.user == place.user && run.began_after == id.after;
    let run = run.filter(|run| is_it(run))?;
    Some(ServedRun { run, server: server.clone() })
}

/// Returns the conversation in which a request is answered.
async fn place_of(
    server: &Server,
    request: &ResponseRequest,
    user: Option<String>,
) -> Result<RunPlace, OpenAiRefusal> {
    let Some(previous) = &request.previous_response_id else {
        let conversation = match &request.conversation {
            Some(conversation) => conversation.clone(),
            None => format!("response-{}", random_name()?),
        };
        return Ok(RunPlace::new(conversation).of(user));
    };
    let previous = ResponseId::parse(previous)?;
    let place = RunPlace::new(&*previous.conversation).of(user);
    let part = previous.part(server, &place, false).await?;
    match part.is_last {
        true => Ok(place),
        false => {
            let last = previous.after + part.entries.len() as u64;
            let fork = server.fork(&place, Some(last), None).await?;
            Ok(RunPlace { conversation: fork, ..place })
        }
    }
}

fn encoder(id: &ResponseId, query: &ResponseQuery) -> ResponsesEncoder {
    let head = ResponseHead::new(id.to_string(), AGENT_MODEL, now());
    let encoder = ResponsesEncoder::new(&*id.conversation, head.with_call_items(query.items()));
    match query.starting_after {
        Some(number) => encoder.starting_after(number),
        None => encoder,
    }
}

fn decided(given: &ApprovalAnswer) -> (String, ApprovalDecision) {
    let decision = match given.approve {
        true => ApprovalDecision::Allow(ApprovalScope::Once),
        false => denial(given.reason.as_deref()),
    };
    (given.question.clone(), decision)
}

impl ResponseQuery {
    fn items(&self) -> CallItems {
        match self.calls.as_deref() {
            Some("function") => CallItems::FunctionPairs,
            _ => CallItems::Mcp,
        }
    }
}
