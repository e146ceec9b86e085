//! The endpoints for the Vercel AI SDK: a chat is a conversation.

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use silcrow_event::{Content, Event};
use silcrow_front::{
    AI_SDK_HEADERS, AiSdkAction, AiSdkApproval, AiSdkEncoder, AiSdkMessageId, AiSdkRequest,
    AiSdkTarget, RunEncoder as _, RunEnd, ai_sdk_messages,
};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::{denial, is_open};
use crate::attached_files::{refuse_files, with_files};
use crate::auth::ServerUser;
use crate::bodies::{json, named, read_body, read_bytes, wrong_query};
use crate::branches::prompts;
use crate::caller_text::CallerWords;
use crate::connection_fate::ConnectionFate;
use crate::disconnect::{LeavingClient, OnDisconnect};
use crate::error::{Error, ErrorKind};
use crate::path_id::PathId;
use crate::prompt_files::load_prompt_files;
use crate::run_caller::RunCaller;
use crate::run_encoding::RunEncoding;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse;
use crate::takeover::Whose;

/// The query with the version of the client, and what happens when the client leaves.
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
    fate: ConnectionFate,
    caller: RunCaller,
    request: Request,
) -> Result<Response, Error> {
    let (target, wanted) = read_query(query)?;
    let on_disconnect = LeavingClient { wanted, fate };
    let body = read_bytes(&server, request).await?;
    let request = AiSdkRequest::parse(&body)
        .map_err(|error| Error::new(ErrorKind::Malformed, error.to_string()))?;
    let chat = caller.at(RunPlace::new(&*request.chat).with_user(user.name));
    server.check_new(&chat).await?;
    let place = server.current_branch(chat.clone()).await?;
    if let Some(replaced) = replaced(&request) {
        let (place, prompt) = branched(&server, &chat, &place, &request, &replaced).await?;
        let words = words(&request);
        let run = server.begin_prompt(place, prompt, words, |agent| agent).await?;
        let encoder = encoder(&server, target, run.conversation()).await?;
        return Ok(stream(&server, run.encoding(encoder).on_disconnect(on_disconnect)));
    }
    // A client repeats its answers, so those to other questions say nothing new.
    let open = server.open_questions(&place).await?;
    let answers: Vec<_> =
        request.approvals.iter().filter(|one| is_open(&open, &one.id)).map(decided).collect();
    let message = match &request.action {
        AiSdkAction::Send(message) => {
            Some(with_files(&server, message.content.clone(), &message.files).await?)
        }
        _ => None,
    };
    if !open.is_empty()
        && (!request.results.is_empty() || !answers.is_empty())
        && let AiSdkAction::Send(message) = &request.action
    {
        refuse_files(&message.files)?;
    }
    let text = message.as_ref().map(|message| message.text().into_owned());
    let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let taken = server.take_results(place.clone(), &request.results, &answers, text).await?;
    let run = match (taken, message) {
        (Some(taken), _) => taken.run,
        (None, Some(message)) => {
            let words = words(&request);
            Some(server.begin_prompt(place.clone(), message, words, |agent| agent).await?)
        }
        (None, None) => return Err(nothing_to_continue(&server, &place)),
    };
    match run {
        Some(run) => {
            let encoder = encoder(&server, target, run.conversation()).await?;
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
    fate: ConnectionFate,
) -> Result<Response, Error> {
    let (target, wanted) = read_query(query)?;
    let on_disconnect = LeavingClient { wanted, fate };
    let chat = RunPlace::new(&*id).with_user(user.name);
    let place = server.current_branch(chat).await?;
    let encoder = encoder(&server, target, &place.conversation).await?;
    let encoding = match server.readable(&place).await {
        Some(run) => RunEncoding::new(&server, &run, encoder),
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

#[derive(Deserialize)]
struct StoppedChat {
    run: Option<String>,
}

/// Stops the run at work in a chat.
pub(crate) async fn stop(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, Error> {
    let StoppedChat { run } = read_body(&server, request).await?;
    let place = server.current_branch(RunPlace::new(id).with_user(user.name)).await?;
    let run = server.stop_run(&place, run.as_deref()).await?;
    Ok(named(StatusCode::ACCEPTED, run.as_ref().map(ServedRun::id), &place))
}

/// Returns the stored messages of a chat.
pub(crate) async fn messages(
    State(server): State<Server>,
    user: ServerUser,
    PathId(id): PathId,
    query: VersionQuery,
) -> Result<Response, Error> {
    let (target, _) = read_query(query)?;
    let chat = RunPlace::new(id).with_user(user.name);
    let id = server.current_branch(chat.clone()).await?.conversation;
    let summary = server.summary(chat.user.as_deref(), &id).await?;
    let log = server.store.read(&id, 1..=summary.events).await?;
    load_prompt_files(&*server.store, &id, &log).await?;
    let client_tools = server.client_tool_names(&id).await?;
    Ok(json(StatusCode::OK, ai_sdk_messages(target, &id, &client_tools, &log)))
}

/// Returns the text for the agent from the program in front, if the request has one.
fn words(request: &AiSdkRequest) -> Option<CallerWords> {
    let AiSdkRequest { system, tools, .. } = request;
    let words = || CallerWords { text: system.clone().unwrap_or_default(), tools: tools.clone() };
    (system.is_some() || !tools.is_empty()).then(words)
}

/// Returns the message that a request replaces: an answer, or a prompt. An empty id is the last one.
fn replaced(request: &AiSdkRequest) -> Option<String> {
    match &request.action {
        AiSdkAction::Edit(message) => Some(message.id.clone()),
        AiSdkAction::Regenerate { replaced } => Some(replaced.clone().unwrap_or_default()),
        _ => None,
    }
}

/// Begins a branch of a chat before the prompt that is edited or answered again, and returns it with
/// the prompt.
async fn branched(
    server: &Server,
    chat: &RunPlace,
    current: &RunPlace,
    request: &AiSdkRequest,
    replaced: &str,
) -> Result<(RunPlace, Content), Error> {
    if let Some(run) = server.runs.busy_with(&current.conversation) {
        let why = "a run is at work in this chat; wait for it, or stop it";
        return Err(Error::new(ErrorKind::Busy, why).with_run(run));
    }
    let log = server.entries(current, 0).await?;
    let prompts = prompts(&log);
    // The client has cut its messages behind the prompt; a message that was loaded names its place.
    let named = AiSdkMessageId::parse(replaced).map(|id| match id {
        AiSdkMessageId::Prompt(seq) | AiSdkMessageId::Answer(seq) => seq,
    });
    let at = match (named, request.prompts) {
        (Some(seq), _) => prompts.iter().position(|(own, _)| *own == seq),
        (None, Some(count)) => count.checked_sub(1).filter(|at| *at < prompts.len()),
        (None, None) => prompts.len().checked_sub(1),
    };
    let Some((seq, text)) = at.map(|at| &prompts[at]) else {
        let why = "the chat has no such message; read its messages again";
        return Err(Error::new(ErrorKind::Stale, why));
    };
    let prompt = match &request.action {
        AiSdkAction::Edit(message) => {
            with_files(server, message.content.clone(), &message.files).await?
        }
        _ => match log.iter().find(|entry| entry.seq == Some(*seq)).map(|entry| &entry.event) {
            Some(Event::User { content, .. }) => content.clone(),
            _ => text.clone().into(),
        },
    };
    Ok((server.branch(chat, *seq).await?, prompt))
}

async fn encoder(
    server: &Server,
    target: AiSdkTarget,
    conversation: &str,
) -> Result<AiSdkEncoder, Error> {
    let client_tools = server.client_tool_names(conversation).await?;
    Ok(AiSdkEncoder::new(target, conversation).with_client_tools(client_tools))
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
    let mut encoder = encoder(server, target, &place.conversation).await?;
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
