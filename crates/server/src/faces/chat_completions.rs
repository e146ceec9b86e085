//! The endpoint for clients of OpenAI's Chat Completions.
//!
//! A client sends the whole history each time. A chat that headers name is a conversation, which is
//! forked if the person has edited a message; without a name, each request is a conversation.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use silcrow_agent::{Agent, ParkedQuestion, StoredAccounts};
use silcrow_exec::Budget;
use silcrow_front::{
    ChatCompletionsEncoder, CompletionHead, CompletionRequest, RunEncoder as _, RunEnd,
};
use silcrow_tool::Scope;

use super::answer_form::held;
use super::chat_turn::{CompletionTurn, whole_history};
use super::openai::{OpenAiRefusal, PLAIN_MODEL, chat_headers, check_model, now};
use super::unnamed_chat::keep_unnamed;
use super::user_account::UserAccount;
use super::wishes::GrantedWishes;
use crate::auth::ServerUser;
use crate::bodies::{json, read_bytes};
use crate::caller_text::CallerWords;
use crate::connection_fate::ConnectionFate;
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
    fate: ConnectionFate,
    caller: RunCaller,
    request: Request,
) -> Result<Response, OpenAiRefusal> {
    let on_disconnect = on_disconnect(query, fate)?;
    let headers_of = request.headers().clone();
    let headers = chat_headers(&headers_of);
    let request = CompletionRequest::parse(&read_bytes(&server, request).await?)?;
    check_model(&request.model)?;
    let user = server.speaker(user, &headers)?;
    let user_name = user.clone();
    let id = format!("chatcmpl-{}", random_name()?);
    let head = CompletionHead::new(id, &*request.model, now()).with_usage(request.include_usage);
    let chat = headers.chat.as_ref().map(|chat| RunPlace::new(&**chat).with_user(user.clone()));
    let is_known = match &chat {
        Some(chat) => {
            server.check_new(chat).await?;
            server.store.head(&chat.conversation).await.map_err(Error::from)? > 0
        }
        None => false,
    };
    let is_single = request.is_single() && request.results.is_empty();
    if request.model == PLAIN_MODEL || headers.is_background_task(is_single, is_known) {
        return plain(&server, user, &request, head).await;
    }
    let wishes = GrantedWishes::from_wishes(&request.wishes);
    let turn = CompletionTurn::read(&server, &caller, &request, chat, user).await?;
    let conversation = turn.conversation().to_owned();
    let text = wishes.with_form(request.instructions());
    let words = CallerWords { text, tools: request.tools.clone() };
    let run = match turn {
        CompletionTurn::Run(run) => Ok(run),
        CompletionTurn::Asks(_, asked) => Err(asked),
        CompletionTurn::Prompt(place, prompt) => {
            let grant = |agent| wishes.grant(agent);
            Ok(server.start_for(caller.at(place), prompt, words.clone(), grant).await?)
        }
    };
    let client_tools = server.client_tool_names(&conversation).await?;
    let links =
        server.question_links(&headers_of, &RunPlace::new(&*conversation).with_user(user_name));
    let encoder = || {
        let encoder = ChatCompletionsEncoder::new(&*conversation, head.clone());
        encoder.with_client_tools(client_tools.clone()).with_question_links(links.clone())
    };
    let run = match run {
        Ok(run) => run,
        Err(asked) => return still_waiting(encoder(), &asked, request.stream),
    };
    keep_unnamed(&server, &run, &request).await?;
    if let Some(form) = &wishes.form {
        let (whole, encoder) = held(&server, run, form, &words, |_| encoder()).await?;
        return Ok(wishes.name_unused(match request.stream {
            true => whole_stream(whole),
            false => json(StatusCode::OK, encoder.completion()?),
        }));
    }
    let encoder = encoder();
    let encoding = run.encoding(encoder).on_disconnect(on_disconnect);
    if request.stream {
        return Ok(wishes.name_unused(sse::answer(&server, encoding)));
    }
    let encoder = encoding.finish().await;
    Ok(wishes.name_unused(json(StatusCode::OK, encoder.completion()?)))
}

/// Answers that the run still waits, with the question that is asked next.
fn still_waiting(
    mut encoder: ChatCompletionsEncoder,
    asked: &ParkedQuestion,
    is_stream: bool,
) -> Result<Response, OpenAiRefusal> {
    let mut out = String::new();
    encoder.begin(&mut out);
    encoder.ask(asked.id(), &asked.question, &mut out);
    encoder.end(&RunEnd::Waiting, &mut out);
    if !is_stream {
        return Ok(json(StatusCode::OK, encoder.completion()?));
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

impl Server {
    /// Returns the scope of an answer that is not stored, and that the user pays for like any run.
    fn charged_to_user(&self, agent: &Agent, place: &RunPlace) -> Scope {
        let (store, user) = (Arc::clone(&self.store), place.user.as_deref());
        let account = UserAccount(StoredAccounts::new(store, &place.conversation, user));
        let options = agent.options();
        let budget = Budget::new(options.budget)
            .with_prices(options.prices.clone())
            .with_accounts(Arc::new(account));
        Scope::new(&*place.conversation).with_extension(budget)
    }
}

/// Lets the plain model answer, without tools, and stores nothing.
async fn plain(
    server: &Server,
    user: Option<String>,
    request: &CompletionRequest,
    head: CompletionHead,
) -> Result<Response, OpenAiRefusal> {
    let place = RunPlace::new("plain").with_user(user);
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
    let agent = GrantedWishes::from_wishes(&request.wishes).grant(agent);
    let encoder = ChatCompletionsEncoder::new(&*place.conversation, head);
    let scope = server.charged_to_user(&agent, &place);
    let prompt = whole_history(server, &request.messages).await?;
    let run = agent.stream(scope, prompt);
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
