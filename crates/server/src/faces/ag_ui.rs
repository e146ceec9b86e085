//! The endpoint for clients of AG-UI: a thread is a conversation.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde_json::{Value, json};
use silcrow_agent::ParkedQuestion;
use silcrow_event::{Entry, Event, RunEventRef};
use silcrow_front::{
    AgUiEdit, AgUiEncoder, AgUiMessage, AgUiRequest, ClientFile, ClientToolNames, RunEncoder,
    RunEnd, ag_ui_messages, open_client_calls,
};

use super::ag_ui_answers::{answers, interrupts};
use super::sent_messages::SentMessages;
use crate::attached_files::{refuse_files, with_files};
use crate::auth::ServerUser;
use crate::bodies::read_bytes;
use crate::caller_text::CallerWords;
use crate::connection_fate::ConnectionFate;
use crate::disconnect::{DisconnectQuery, LeavingClient, on_disconnect};
use crate::error::{Error, ErrorKind};
use crate::run_caller::RunCaller;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse;
use crate::stored_end::last_failure;

/// Begins, continues or joins a run, and streams its events.
pub(crate) async fn run(
    State(server): State<Server>,
    user: ServerUser,
    query: DisconnectQuery,
    fate: ConnectionFate,
    caller: RunCaller,
    request: Request,
) -> Result<Response, Error> {
    let on_disconnect = on_disconnect(query, fate)?;
    let body = read_bytes(&server, request).await?;
    let request = AgUiRequest::parse(&body)
        .map_err(|why| Error::new(ErrorKind::Malformed, why.to_string()))?;
    let chat = caller.at(RunPlace::new(&*request.thread).with_user(user.name));
    server.check_new(&chat).await?;
    let place = server.current_branch(chat.clone()).await?;
    let open = server.open_questions(&place).await?;
    let thread = &*place.conversation;
    let head = server.store.head(thread).await?;
    let log = match head {
        0 => Vec::new(),
        _ => server.store.read(thread, 1..=head).await?,
    };
    let mut sent = SentMessages::read(&*server.store, thread).await?;
    let known = sent.known(&log);
    let known: Vec<_> = known.iter().map(|one| one.as_known()).collect();
    // Some clients send only new messages.
    let is_whole =
        known.first().is_none_or(|first| request.messages.iter().any(|one| one.id == first.id));
    let new: Vec<_> = match request.new_messages(&known) {
        Ok(new) if !request.regenerates || !new.is_empty() => new.into_iter().cloned().collect(),
        _ => match request.edited(&known) {
            Some(edit) => {
                let branched = Branched { chat: &chat, current: &place, log: &log, on_disconnect };
                return edited(&server, &request, branched, edit, &sent).await;
            }
            None => {
                let why = "no user message to answer";
                let (code, message) = ("edited_history".to_owned(), why.to_owned());
                return Ok(refused(&request, RunEnd::Failed { code, message }));
            }
        },
    };
    let client_tools = server.client_tool_names(thread).await?;
    let calls = open_client_calls(thread, &client_tools, &log);
    let is_open = |call: &str| calls.iter().any(|open| open.call == call);
    let results: Vec<_> =
        request.results.iter().filter(|result| is_open(&result.call)).cloned().collect();
    if new.is_empty() && request.answers.is_empty() && results.is_empty() {
        let (is_answered, log, sent) = (open.is_empty(), &*log, &sent);
        let joined = JoinedThread { log, sent, client_tools, is_answered, on_disconnect };
        return Ok(join(&server, &request, &place, joined).await);
    }
    // The client's own calls wait for results, and not for answers.
    let is_asked = |asked: &&ParkedQuestion| calls.iter().all(|call| call.question != asked.id());
    let open: Vec<_> = open.iter().filter(is_asked).collect();
    let wanted = interrupts(&open, &request.answers);
    let has_results = !results.is_empty() && request.answers.is_empty();
    if server.runs.busy_with(thread).is_none()
        && !has_results
        && let Err(error) = request.check_answers(&wanted)
    {
        return Ok(refused(&request, error.into()));
    }
    let texts: Vec<_> = new.iter().map(|message| &*message.text).collect();
    let text = texts.join("\n\n");
    let run = if request.answers.is_empty() && results.is_empty() {
        let words = CallerWords { text: request.instructions(), tools: request.tools.clone() };
        let prompt = with_files(&server, &*text, files_of(&new)).await?;
        server.start_for(place.clone(), prompt, words, |agent| agent).await?
    } else {
        refuse_files(files_of(&new))?;
        let answers = answers(&open, &request.answers);
        let text = Some(&*text).filter(|text| !text.trim().is_empty());
        let taken = server.take_results(place.clone(), &results, &answers, text).await?;
        match taken.and_then(|taken| taken.run) {
            Some(run) => run,
            None => {
                sent.add(&*server.store, head, &new).await?;
                return waiting(&server, &request, &place, client_tools).await;
            }
        }
    };
    let earlier = (!is_whole).then(|| {
        let log = log.iter().map(|entry| (entry, sent.id_of(entry, &log)));
        with_new(&ag_ui_messages(thread, log), &new)
    });
    sent.add(&*server.store, head, &new).await?;
    let client_tools = server.client_tool_names(thread).await?;
    let encoder = AgUiEncoder::new(run.conversation(), &request).with_client_tools(client_tools);
    let encoder = match &earlier {
        Some(earlier) => encoder.with_messages(earlier),
        None => encoder,
    };
    Ok(sse::answer(&server, run.encoding(encoder).on_disconnect(on_disconnect)))
}

/// Returns messages as a JSON array with new ones of the person.
fn with_new(messages: &str, new: &[AgUiMessage]) -> String {
    let mut all: Vec<Value> = serde_json::from_str(messages).unwrap_or_default();
    let new = new.iter();
    all.extend(new.map(|one| json!({"id": one.id, "role": "user", "content": one.text})));
    Value::from(all).to_string()
}

/// Returns the files of messages.
fn files_of<'m>(
    messages: impl IntoIterator<Item = &'m AgUiMessage>,
) -> impl Iterator<Item = &'m ClientFile> {
    messages.into_iter().flat_map(|message| &message.files)
}

/// The branch in which a client has edited its history.
struct Branched<'a> {
    chat: &'a RunPlace,
    current: &'a RunPlace,
    log: &'a [Entry],
    on_disconnect: LeavingClient,
}

/// Answers an edited history in another branch of the chat.
async fn edited(
    server: &Server,
    request: &AgUiRequest,
    branched: Branched<'_>,
    edit: AgUiEdit<'_>,
    sent: &SentMessages,
) -> Result<Response, Error> {
    let Branched { chat, current, log, on_disconnect } = branched;
    if let Some(run) = server.runs.busy_with(&current.conversation) {
        let why = "a run is at work in this thread; wait for it, or stop it";
        return Err(Error::new(ErrorKind::Busy, why).with_run(run));
    }
    let before = sent.place_of(edit.kept, log);
    let place = server.branch(chat, before).await?;
    let mut own = SentMessages::read(&*server.store, &place.conversation).await?;
    own.copy(&*server.store, sent, before).await?;
    let texts: Vec<_> = edit.messages.iter().map(|message| &*message.text).collect();
    let words = CallerWords { text: request.instructions(), tools: request.tools.clone() };
    let files = files_of(edit.messages.iter().copied());
    let prompt = with_files(server, texts.join("\n\n"), files).await?;
    let run = server.start_for(place.clone(), prompt, words, |agent| agent).await?;
    let messages: Vec<_> = edit.messages.into_iter().cloned().collect();
    own.add(&*server.store, run.began_after(), &messages).await?;
    let client_tools = server.client_tool_names(run.conversation()).await?;
    let encoder = AgUiEncoder::new(run.conversation(), request).with_client_tools(client_tools);
    Ok(sse::answer(server, run.encoding(encoder).on_disconnect(on_disconnect)))
}

/// The thread of a client that has nothing new to say.
struct JoinedThread<'a> {
    log: &'a [Entry],
    sent: &'a SentMessages,
    client_tools: ClientToolNames,
    is_answered: bool,
    on_disconnect: LeavingClient,
}

/// Streams the existing messages, and the run at work if there is one.
async fn join(
    server: &Server,
    request: &AgUiRequest,
    place: &RunPlace,
    joined: JoinedThread<'_>,
) -> Response {
    let JoinedThread { log, sent, client_tools, is_answered, on_disconnect } = joined;
    let thread = &*place.conversation;
    let run = server.readable(place).await;
    let before = run.as_ref().map_or(u64::MAX, |run| run.began_after);
    // The prompt of the run is not an event in this protocol.
    let is_shown = |entry: &&Entry| {
        entry.seq.is_some_and(|seq| seq <= before) || matches!(entry.event, Event::User { .. })
    };
    let messages = log.iter().filter(is_shown).map(|entry| (entry, sent.id_of(entry, log)));
    let messages = ag_ui_messages(thread, messages);
    let encoder = AgUiEncoder::new(thread, request).with_client_tools(client_tools);
    let encoder = JoinedAgUi { encoder: encoder.with_messages(&messages), messages };
    if let Some(run) = run {
        let run = ServedRun { run, server: server.clone() };
        return sse::answer(server, run.encoding(encoder).on_disconnect(on_disconnect));
    }
    let end = match last_failure(log) {
        _ if !is_answered => RunEnd::Waiting,
        Some(failed) => failed,
        None => RunEnd::Answered,
    };
    whole(encoder, log, &end)
}

/// Answers that the run still waits for other answers or results.
async fn waiting(
    server: &Server,
    request: &AgUiRequest,
    place: &RunPlace,
    client_tools: ClientToolNames,
) -> Result<Response, Error> {
    let log = server.entries(place, 0).await?;
    let encoder = AgUiEncoder::new(&*place.conversation, request).with_client_tools(client_tools);
    Ok(whole(encoder, &log, &RunEnd::Waiting))
}

/// Answers that a request cannot be fulfilled.
fn refused(request: &AgUiRequest, end: RunEnd) -> Response {
    whole(AgUiEncoder::new(&*request.thread, request), &[], &end)
}

/// Answers with a stream whose messages are all known.
fn whole(mut encoder: impl RunEncoder, log: &[Entry], end: &RunEnd) -> Response {
    log.iter().for_each(|entry| encoder.skip(entry));
    let mut out = String::new();
    encoder.begin(&mut out);
    encoder.end(end, &mut out);
    let mut answer = Response::new(Body::from(out));
    let kind = HeaderValue::from_static("text/event-stream");
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    answer
}

/// Writes the existing messages before the events.
struct JoinedAgUi {
    encoder: AgUiEncoder,
    messages: String,
}

impl RunEncoder for JoinedAgUi {
    fn skip(&mut self, entry: &Entry) {
        self.encoder.skip(entry);
    }

    fn begin(&mut self, out: &mut String) {
        self.encoder.begin(out);
        self.encoder.snapshot(&self.messages, out);
    }

    fn encode(&mut self, event: RunEventRef<'_>, out: &mut String) {
        self.encoder.encode(event, out);
    }

    fn cut(&mut self, out: &mut String) -> bool {
        self.encoder.cut(out)
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        self.encoder.end(end, out);
    }
}
