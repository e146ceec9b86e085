//! The endpoint for clients of OpenAI's Chat Completions.
//!
//! A client sends the whole history each time. A chat that headers name is a conversation, which is
//! forked where the person has edited a message; without a name, each request is a conversation.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use silcrow_event::{Entry, Event};
use silcrow_front::{
    ChatCompletionsEncoder, ClientMessage, ClientRole, CompletionHead, CompletionRequest,
    HistoryMatch, match_history,
};
use silcrow_tool::Scope;

use super::openai::{OpenAiRefusal, PLAIN_MODEL, chat_headers, check_model, now, user_of};
use super::wishes::GrantedWishes;
use crate::auth::ServerUser;
use crate::bodies::{json, read_bytes};
use crate::disconnect::{DisconnectQuery, on_disconnect};
use crate::encoded_run::EncodedRun;
use crate::error::{Error, ErrorKind};
use crate::random::random_name;
use crate::run_caller::RunCaller;
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse;

/// Answers the last message of a history.
pub(crate) async fn complete(
    State(server): State<Server>,
    user: ServerUser,
    query: DisconnectQuery,
    caller: RunCaller,
    request: Request,
) -> Result<Response, OpenAiRefusal> {
    let on_disconnect = on_disconnect(query)?;
    let headers = chat_headers(request.headers());
    let request = CompletionRequest::parse(&read_bytes(&server, request).await?)?;
    check_model(&request.model)?;
    let user = user_of(user, &headers);
    let id = format!("chatcmpl-{}", random_name()?);
    let head = CompletionHead::new(id, &*request.model, now()).with_usage(request.include_usage);
    let chat = headers.chat.as_ref().map(|chat| RunPlace::new(&**chat).of(user.clone()));
    let is_known = match &chat {
        Some(chat) => {
            server.check_new(chat).await?;
            server.store.head(&chat.conversation).await.map_err(Error::from)? > 0
        }
        None => false,
    };
    if request.model == PLAIN_MODEL || headers.is_background_task(request.is_single(), is_known) {
        return plain(&server, user, &request, head).await;
    }
    let (place, prompt) = match chat {
        Some(chat) => continued(&server, chat, &request).await?,
        None => {
            let place = RunPlace::new(format!("chat-{}", random_name()?)).of(user);
            (place, whole_history(&request.messages))
        }
    };
    let wishes = GrantedWishes::of(&request.wishes);
    let told = request.instructions();
    let grant = |agent| wishes.grant(agent);
    let run = server.start_told_with(caller.at(place), prompt, &told, grant).await?;
    let encoder = ChatCompletionsEncoder::new(run.conversation(), head);
    let encoding = run.encoding(encoder).on_disconnect(on_disconnect);
    if request.stream {
        return Ok(wishes.name_unused(sse::answer(&server, encoding)));
    }
    let encoder = encoding.finish().await;
    Ok(wishes.name_unused(json(StatusCode::OK, encoder.completion()?)))
}

/// Returns the conversation that a chat continues, and the new prompt.
async fn continued(
    server: &Server,
    chat: RunPlace,
    request: &CompletionRequest,
) -> Result<(RunPlace, String), Error> {
    let space = format!("chat/{}", chat.conversation);
    let kept = server.store.get(&space, KEY).await?;
    let version = kept.as_ref().map_or(0, |kept| kept.version);
    let current = kept.and_then(|kept| String::from_utf8(kept.value).ok());
    let current = current.unwrap_or_else(|| chat.conversation.clone());
    let place = RunPlace { conversation: current, ..chat };
    server.check_new(&place).await?;
    if let Some(run) = server.runs.busy_with(&place.conversation) {
        let why = "a run is at work in this chat; wait for it, or stop it";
        return Err(Error::new(ErrorKind::Busy, why).with_run(run));
    }
    let head = server.store.head(&place.conversation).await?;
    if head == 0 {
        return Ok((place, whole_history(&request.messages)));
    }
    let log = server.store.read(&place.conversation, 1..=head).await?;
    let log = prompts(&log);
    let log: Vec<_> = log.iter().map(|(seq, text)| (*seq, &**text)).collect();
    let sent: Vec<_> = request.user_texts().collect();
    let (place, prompt) = match match_history(&log, &sent) {
        HistoryMatch::Continue { from } => return Ok((place, sent[from..].join("\n\n"))),
        HistoryMatch::Fork { before, from } => {
            let fork = server.fork(&place, Some(before - 1), None).await?;
            (RunPlace { conversation: fork, ..place }, sent[from..].join("\n\n"))
        }
        HistoryMatch::New => {
            let conversation = format!("chat-{}", random_name()?);
            (RunPlace { conversation, ..place }, whole_history(&request.messages))
        }
    };
    server.store.put(&space, KEY, version, place.conversation.clone().into_bytes()).await?;
    Ok((place, prompt))
}

/// Lets the plain model answer, without tools, and stores nothing.
async fn plain(
    server: &Server,
    user: Option<String>,
    request: &CompletionRequest,
    head: CompletionHead,
) -> Result<Response, OpenAiRefusal> {
    let place = RunPlace::new("plain").of(user);
    let Some(agent) = server.source.plain(&place) else {
        let why = "this server has no model without tools, so it does no tasks beside a chat";
        return Err(Error::new(ErrorKind::NotOffered, why).into());
    };
    // It counts as a run of the user.
    let name = format!("plain-{}", random_name()?);
    let _reserved = server.runs.reserve(&name, place.user.as_deref())?;
    let agent = agent.await?;
    let agent = match request.instructions() {
        said if said.is_empty() => agent,
        said => server.tell(agent, said),
    };
    let agent = GrantedWishes::of(&request.wishes).grant(agent);
    let encoder = ChatCompletionsEncoder::new(&*place.conversation, head);
    let scope = Scope::new(&*place.conversation);
    let run = agent.stream(scope, whole_history(&request.messages));
    let (mut run, mut out) = (EncodedRun::new(run, encoder), String::new());
    while let Some(piece) = run.next().await {
        out += &piece;
    }
    if !request.stream {
        return Ok(json(StatusCode::OK, run.into_encoder().completion()?));
    }
    let mut answer = Response::new(Body::from(out));
    let kind = HeaderValue::from_static("text/event-stream");
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(answer)
}

/// Returns the prompts of a log with their positions.
fn prompts(log: &[Entry]) -> Vec<(u64, String)> {
    let prompt = |entry: &Entry| match &entry.event {
        Event::User { content, steer: false } => Some((entry.seq?, content.text().into_owned())),
        _ => None,
    };
    log.iter().filter_map(prompt).collect()
}

/// Returns a history as one prompt: its last message, below those before it.
fn whole_history(messages: &[ClientMessage]) -> String {
    let said =
        |message: &&ClientMessage| matches!(message.role, ClientRole::User | ClientRole::Assistant);
    let said: Vec<_> = messages.iter().filter(said).collect();
    let Some((last, earlier)) = said.split_last() else { return String::new() };
    if earlier.is_empty() {
        return last.text.clone();
    }
    let lines = earlier.iter().map(|message| {
        let who = if message.role == ClientRole::User { "Person" } else { "You" };
        format!("{who}: {}\n\n", message.text)
    });
    format!(
        "What was said before:\n\n{}The message now:\n\n{}",
        lines.collect::<String>(),
        last.text
    )
}

/// The key of the conversation that a chat continues.
const KEY: &str = "conversation";
