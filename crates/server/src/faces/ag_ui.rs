//! The endpoint for clients of AG-UI: a thread is a conversation.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use silcrow_event::{Entry, Event, RunEventRef};
use silcrow_front::{
    AgUiAnswer, AgUiDecision, AgUiEncoder, AgUiRequest, RunEncoder, RunEnd, ag_ui_messages,
};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::denial;
use super::sent_messages::SentMessages;
use crate::auth::ServerUser;
use crate::bodies::read_bytes;
use crate::disconnect::{DisconnectQuery, OnDisconnect, on_disconnect};
use crate::error::{Error, ErrorKind};
use crate::run_caller::RunCaller;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse;

/// Begins, continues or joins a run, and streams its events.
pub(crate) async fn run(
    State(server): State<Server>,
    user: ServerUser,
    query: DisconnectQuery,
    caller: RunCaller,
    request: Request,
) -> Result<Response, Error> {
    let on_disconnect = on_disconnect(query)?;
    let body = read_bytes(&server, request).await?;
    let request = AgUiRequest::parse(&body)
        .map_err(|why| Error::new(ErrorKind::Malformed, why.to_string()))?;
    let place = caller.at(RunPlace::new(&*request.thread).of(user.name));
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
    let new: Vec<_> = match request.new_messages(&known) {
        Ok(new) => new.into_iter().cloned().collect(),
        Err(error) => return Ok(refused(&request, error.into())),
    };
    if new.is_empty() && request.answers.is_empty() {
        let joined =
            JoinedThread { log: &log, sent: &sent, is_answered: open.is_empty(), on_disconnect };
        return Ok(join(&server, &request, &place, joined).await);
    }
    let open: Vec<_> = open.iter().map(|asked| asked.id()).collect();
    if server.runs.busy_with(thread).is_none()
        && let Err(error) = request.check_answers(&open)
    {
        return Ok(refused(&request, error.into()));
    }
    let texts: Vec<_> = new.iter().map(|message| &*message.text).collect();
    let text = texts.join("\n\n");
    let run = if request.answers.is_empty() {
        server.start_told(place.clone(), &*text, &request.instructions()).await?
    } else {
        let answers: Vec<_> = request.answers.iter().map(decided).collect();
        let text = Some(&*text).filter(|text| !text.trim().is_empty());
        let taken = server.answer(place.clone(), &answers, text).await?;
        let why = "the run waits for answers to other questions by now; read the thread again";
        taken.run.ok_or_else(|| Error::new(ErrorKind::Stale, why))?
    };
    sent.add(&*server.store, head, &new).await?;
    let encoder = AgUiEncoder::new(run.conversation(), &request);
    Ok(sse::answer(&server, run.encoding(encoder).on_disconnect(on_disconnect)))
}

/// What a client finds that has nothing new to say.
struct JoinedThread<'a> {
    log: &'a [Entry],
    sent: &'a SentMessages,
    is_answered: bool,
    on_disconnect: OnDisconnect,
}

/// Streams the messages that are there, and the run at work if there is one.
async fn join(
    server: &Server,
    request: &AgUiRequest,
    place: &RunPlace,
    joined: JoinedThread<'_>,
) -> Response {
    let JoinedThread { log, sent, is_answered, on_disconnect } = joined;
    let thread = &*place.conversation;
    let run = server.readable(place).await;
    let before = run.as_ref().map_or(u64::MAX, |run| run.began_after);
    // The prompt of the run is no event of it for this protocol.
    let is_shown = |entry: &&Entry| {
        entry.seq.is_some_and(|seq| seq <= before) || matches!(entry.event, Event::User { .. })
    };
    let messages = log.iter().filter(is_shown).map(|entry| (entry, sent.id_of(entry, log)));
    let messages = ag_ui_messages(thread, messages);
    let encoder = JoinedAgUi { encoder: AgUiEncoder::new(thread, request), messages };
    if let Some(run) = run {
        let run = ServedRun { run, server: server.clone() };
        return sse::answer(server, run.encoding(encoder).on_disconnect(on_disconnect));
    }
    let end = if is_answered { RunEnd::Answered } else { RunEnd::Waiting };
    whole(encoder, log, &end)
}

/// Answers that a request cannot be fulfilled.
fn refused(request: &AgUiRequest, end: RunEnd) -> Response {
    whole(AgUiEncoder::new(&*request.thread, request), &[], &end)
}

/// Answers with a stream of which everything is known.
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

fn decided(given: &AgUiAnswer) -> (String, ApprovalDecision) {
    let decision = match &given.decision {
        AgUiDecision::Once => ApprovalDecision::Allow(ApprovalScope::Once),
        AgUiDecision::Conversation => ApprovalDecision::Allow(ApprovalScope::Conversation),
        AgUiDecision::Wider(index) => ApprovalDecision::Allow(ApprovalScope::Wider(*index)),
        AgUiDecision::Denied(reason) => denial(reason.as_deref()),
        AgUiDecision::Cancelled => {
            ApprovalDecision::Deny("the person left without an answer".to_owned())
        }
    };
    (given.interrupt.clone(), decision)
}

/// Writes the messages that are there before the events.
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

    fn push(&mut self, event: RunEventRef<'_>, out: &mut String) {
        self.encoder.push(event, out);
    }

    fn cut(&mut self, out: &mut String) -> bool {
        self.encoder.cut(out)
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        self.encoder.end(end, out);
    }
}
