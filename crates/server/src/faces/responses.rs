//! The endpoints for clients of OpenAI's Responses: a response is a run of a conversation.

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json as value};
use silcrow_event::{Entry, Event, Json, RunEventRef};
use silcrow_front::{
    ApprovalAnswer, CallItems, ResponseHead, ResponseRequest, ResponsesEncoder, RunEncoder as _,
};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::answer_form::held;
use super::openai::{AGENT_MODEL, OpenAiRefusal, chat_headers, check_model, no_open_call, now};
use super::response_id::ResponseId;
use super::unnamed_chat::is_one_off;
use super::unstored::{UnstoredRun, UnstoredStream};
use super::wishes::GrantedWishes;
use super::{denial, is_open, results_in};
use crate::attached_files::{refuse_files, with_files};
use crate::auth::ServerUser;
use crate::bodies::{json, read_bytes, wrong_query};
use crate::caller_text::CallerWords;
use crate::connection_fate::ConnectionFate;
use crate::disconnect::{LeavingClient, OnDisconnect};
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
    fate: ConnectionFate,
    request: Request,
) -> Result<Response, OpenAiRefusal> {
    let Query(query) = query.map_err(|error| wrong_query(&error))?;
    let client = LeavingClient { wanted: query.disconnect, fate };
    let headers_of = request.headers().clone();
    let user = server.speaker(user, &chat_headers(&headers_of))?;
    let request = ResponseRequest::parse(&read_bytes(&server, request).await?)?;
    request.model.as_deref().map_or(Ok(()), check_model)?;
    let place = caller.at(place_of(&server, &request, user).await?);
    let open = server.open_questions(&place).await?;
    let answers: Vec<_> = request.approvals().map(decided).collect();
    let text = request.user_texts().collect::<Vec<_>>().join("\n\n");
    let wishes = GrantedWishes::from_wishes(&request.wishes);
    let results = results_in(&place.conversation, request.results());
    let said = Some(&*text).filter(|text| !text.trim().is_empty());
    let files: Vec<_> = request.user_messages().flat_map(|message| &message.files).collect();
    if !open.is_empty() && (!results.is_empty() || !answers.is_empty()) {
        refuse_files(files.iter().copied())?;
    }
    let taken = match answers.is_empty() {
        true => server.take_results(place.clone(), &results, &[], said).await?,
        false => None,
    };
    let why = "the answers are stored, and other questions are open; answer these, too";
    let run = if let Some(taken) = taken {
        taken.run.ok_or_else(|| Error::new(ErrorKind::Stale, why))?
    } else if answers.is_empty() {
        if said.is_none() && files.is_empty() && !results.is_empty() {
            return Err(no_open_call());
        }
        let prompt = with_files(&server, text, files).await?;
        let words = CallerWords {
            text: wishes.with_form(request.all_instructions()),
            tools: request.tools.clone(),
        };
        server.start_for(place, prompt, words, |agent| wishes.grant(agent)).await?
    } else {
        if let Some((id, _)) = answers.iter().find(|(id, _)| !is_open(&open, id)) {
            let why = format!("the question {id:?} is not open; it may be answered already");
            return Err(Error::new(ErrorKind::Stale, why).into());
        }
        let taken = server.take_results(place, &results, &answers, said).await?;
        let run = taken.and_then(|taken| taken.run);
        run.ok_or_else(|| Error::new(ErrorKind::Stale, why))?
    };
    let id = ResponseId::for_run(&run.run).to_string();
    let head = ResponseHead::new(id, AGENT_MODEL, now()).with_request(&request);
    let encoder = ResponsesEncoder::new(run.conversation(), head.with_call_items(query.items()));
    let encoder = encoder.with_client_tools(server.client_tool_names(run.conversation()).await?);
    let links = server.question_links(&headers_of, &run.run.place);
    let encoder = encoder.with_question_links(links.clone());
    if request.background && !request.stream {
        let mut encoder = encoder;
        encoder.begin(&mut String::new());
        return Ok(wishes.name_unused(json(StatusCode::OK, encoder.response())));
    }
    // Only a run that this request has begun is its own.
    let is_own = request.previous_response_id.is_none() && request.conversation.is_none();
    let unstored = UnstoredRun::new(&run, request.store, is_own).await?;
    if let Some(form) = &wishes.form {
        let text = wishes.with_form(request.all_instructions());
        let words = CallerWords { text, tools: request.tools.clone() };
        let client_tools = server.client_tool_names(run.conversation()).await?;
        let again = |run: &ServedRun| {
            let id = ResponseId::for_run(&run.run).to_string();
            let head = ResponseHead::new(id, AGENT_MODEL, now()).with_request(&request);
            let head = head.with_call_items(query.items());
            let encoder = ResponsesEncoder::new(run.conversation(), head);
            encoder.with_client_tools(client_tools.clone()).with_question_links(links.clone())
        };
        let (whole, encoder) = held(&server, run, form, &words, again).await?;
        return Ok(wishes.name_unused(match request.stream {
            true => whole_stream(whole),
            false => json(StatusCode::OK, encoder.response()),
        }));
    }
    let encoding = run.encoding(encoder).on_disconnect(client);
    if request.stream {
        let stream = UnstoredStream { encoding, _run: unstored };
        return Ok(wishes.name_unused(sse::answer(&server, stream)));
    }
    let encoder = encoding.finish().await;
    drop(unstored);
    if let Some(refused) = encoder.refusal() {
        return Err(refused.into());
    }
    Ok(wishes.name_unused(json(StatusCode::OK, encoder.response())))
}

/// Returns the present state of a response, or streams it after a number.
pub(crate) async fn read(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    query: ReadQuery,
    fate: ConnectionFate,
    headers: HeaderMap,
) -> Result<Response, OpenAiRefusal> {
    let Query(query) = query.map_err(|error| wrong_query(&error))?;
    let client = LeavingClient { wanted: query.disconnect, fate };
    let id = ResponseId::parse(&id)?;
    let user = server.speaker(user, &chat_headers(&headers))?;
    let place = RunPlace::new(&*id.conversation).with_user(user);
    server.look_elsewhere(&place).await;
    let run = run_of(&server, &id, &place);
    let is_at_work = run.is_some() && server.runs.readable(&id.conversation).is_some();
    let links = server.question_links(&headers, &place);
    let mut encoder = encoder(&server, &id, &query).await?.with_question_links(links);
    if let Some(run) = run.filter(|_| query.stream || !is_at_work) {
        let encoding = run.encoding(encoder).on_disconnect(client);
        return Ok(match query.stream {
            true => sse::answer(&server, encoding),
            false => json(StatusCode::OK, encoding.finish().await.response()),
        });
    }
    let part = id.part(&server, &place, is_at_work).await?;
    if query.stream && (part.end.is_none() || part.may_continue(server.options.takeover)) {
        let encoding = RunEncoding::lost(&server, &place, id.after, encoder);
        return Ok(sse::answer(&server, encoding.on_disconnect(client)));
    }
    let mut out = String::new();
    part.before.iter().for_each(|entry| encoder.skip(entry));
    encoder.begin(&mut out);
    part.entries.iter().for_each(|entry| encoder.encode(RunEventRef::Entry(entry), &mut out));
    if let Some(end) = &part.end {
        encoder.end(end, &mut out);
    }
    if !query.stream {
        return Ok(json(StatusCode::OK, encoder.response()));
    }
    Ok(whole_stream(out))
}

/// Answers with a stream whose messages are all known.
fn whole_stream(out: String) -> Response {
    let mut answer = Response::new(Body::from(out));
    let kind = HeaderValue::from_static("text/event-stream");
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    answer
}

/// Deletes a response, with the conversation that it has begun.
pub(crate) async fn remove(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    headers: HeaderMap,
) -> Result<Response, OpenAiRefusal> {
    let id = ResponseId::parse(&id)?;
    let user = server.speaker(user, &chat_headers(&headers))?;
    let place = RunPlace::new(&*id.conversation).with_user(user);
    id.part(&server, &place, server.runs.readable(&id.conversation).is_some()).await?;
    if !is_one_off(&id.conversation) {
        let why = format!(
            "the response is a part of a conversation with a name; DELETE /conversations/{} removes \
             all of it",
            id.conversation
        );
        return Err(Error::new(ErrorKind::Stale, why).into());
    }
    server.delete(&place).await?;
    let id = Json::string(&id.to_string()).to_string();
    let body = format!(r#"{{"id":{id},"object":"response","deleted":true}}"#);
    Ok(json(StatusCode::OK, body))
}

/// Lists the input of a response.
pub(crate) async fn input_items(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    headers: HeaderMap,
) -> Result<Response, OpenAiRefusal> {
    let id = ResponseId::parse(&id)?;
    let user = server.speaker(user, &chat_headers(&headers))?;
    let place = RunPlace::new(&*id.conversation).with_user(user);
    let part = id.part(&server, &place, server.runs.readable(&id.conversation).is_some()).await?;
    let item = |entry: &Entry| match &entry.event {
        Event::User { content, .. } => Some(value!({
            "id": format!("msg_{}", entry.seq.unwrap_or_default()), "type": "message",
            "role": "user", "status": "completed",
            "content": [{ "type": "input_text", "text": content.text() }],
        })),
        _ => None,
    };
    let items: Vec<_> = part.entries.iter().filter_map(item).collect();
    let id = |item: Option<&Value>| item.map_or(Value::Null, |item| item["id"].clone());
    let (first, last) = (id(items.first()), id(items.last()));
    let list = value!({
        "object": "list", "data": items, "first_id": first, "last_id": last, "has_more": false,
    });
    Ok(json(StatusCode::OK, list.to_string()))
}

/// Stops the run of a response, and returns the response so far.
pub(crate) async fn cancel(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    query: ReadQuery,
    headers: HeaderMap,
) -> Result<Response, OpenAiRefusal> {
    let Query(query) = query.map_err(|error| wrong_query(&error))?;
    let id = ResponseId::parse(&id)?;
    let user = server.speaker(user, &chat_headers(&headers))?;
    let place = RunPlace::new(&*id.conversation).with_user(user);
    let run = server.readable(&place).await;
    let links = server.question_links(&headers, &place);
    let encoder = encoder(&server, &id, &query).await?.with_question_links(links);
    let encoding = match run.filter(|run| run.began_after == id.after) {
        Some(run) => {
            let run = ServedRun { run, server };
            run.stop();
            run.encoding(encoder)
        }
        None if id.part(&server, &place, false).await?.end.is_some() => {
            return Err(Error::new(ErrorKind::Stale, "the response is complete already").into());
        }
        None => {
            // Another server has taken the run over, or is about to.
            server.stop_run(&place, None).await?;
            RunEncoding::lost(&server, &place, id.after, encoder)
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
        let conversation = match request.conversation.as_deref().or_else(|| request.called_in()) {
            Some(conversation) => conversation.to_owned(),
            None => format!("response-{}", random_name()?),
        };
        return Ok(RunPlace::new(conversation).with_user(user));
    };
    let previous = ResponseId::parse(previous)?;
    let place = RunPlace::new(&*previous.conversation).with_user(user);
    let part = previous.part(server, &place, false).await?;
    match part.is_last {
        true => Ok(place),
        false => {
            let last = previous.after + part.entries.len() as u64;
            let to = match is_one_off(&place.conversation) {
                true => Some(format!("response-{}", random_name()?)),
                false => None,
            };
            let fork = server.fork(&place, Some(last), to).await?;
            Ok(RunPlace { conversation: fork, ..place })
        }
    }
}

async fn encoder(
    server: &Server,
    id: &ResponseId,
    query: &ResponseQuery,
) -> Result<ResponsesEncoder, Error> {
    let head = ResponseHead::new(id.to_string(), AGENT_MODEL, now());
    let encoder = ResponsesEncoder::new(&*id.conversation, head.with_call_items(query.items()));
    let encoder = encoder.with_client_tools(server.client_tool_names(&id.conversation).await?);
    Ok(match query.starting_after {
        Some(number) => encoder.with_starting_after(number),
        None => encoder,
    })
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
