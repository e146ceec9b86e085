//! The protocol AG-UI, version 1.0, with the forms that older clients read.
//!
//! Texts, calls and called agents keep the ids of the transcript, so a client that reads a run again
//! sees the same messages:
//!
//! | what | id |
//! |---|---|
//! | a text or a thought | `t3-1`, the first of the third turn |
//! | a call, and the message that has it | `c3-1` |
//! | the result of a call | `c3-1-result` |
//! | the output of a running call | `c3-1-progress` |
//! | a message of the person, if the client gave no id | `u7`, by its position in the log |
//! | an agent that a call runs | the id of its conversation, which precedes everything that it writes |

mod activity;
mod event_writer;
mod interrupt;
mod messages;
mod prompt;
mod request;
mod shown_messages;
mod stream;
mod tool_call;

use serde_json::Value;
use silcrow_event::{Entry, RunEventRef, RunOpening, Timestamp};

use crate::client_tool_names::ClientToolNames;
use crate::encoder::{RunEncoder, RunEnd};
use crate::json_object::JsonObject;
use crate::transcript::TranscriptReader;
use event_writer::{EventWriter, event};
use stream::AgUiStream;

pub use messages::ag_ui_messages;
pub use prompt::{AgUiEdit, AgUiKnownMessage};
pub use request::{
    AgUiAnswer, AgUiContext, AgUiDecision, AgUiMessage, AgUiRequest, AgUiRequestError, AgUiRole,
};

/// Encodes a run as events of AG-UI.
///
/// A client that names no version of the protocol in its request is older than 1.0. It reads that a run
/// was stopped as an error with the code `cancelled`, and gets no ids of the calls that a run waits for;
/// nothing else is different for it.
///
/// Questions that a run waits for become interrupts. No snapshot comes before them: the client has
/// the whole log from the events, silcrow keeps no state of the client, and a snapshot would remove
/// the messages of called agents, which are in other logs.
///
/// An answer that does not count, because the model was asked for it again, is taken back: a snapshot
/// of the messages follows, without it. It begins with the messages of the request, which are all that
/// the client has, unless [`with_messages`](Self::with_messages) says otherwise.
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef};
/// use silcrow_front::{AgUiEncoder, AgUiRequest, RunEncoder, RunEnd};
///
/// let body = br#"{"threadId":"sums","runId":"1","protocolVersion":"1.0","messages":[]}"#;
/// let request = AgUiRequest::parse(body).unwrap();
/// let mut encoder = AgUiEncoder::new("sums", &request);
/// let mut out = String::new();
/// encoder.begin(&mut out);
/// let entry = Entry { turn: Some(1), seq: Some(2), ..Entry::from(Event::respond("Four.")) };
/// encoder.encode(RunEventRef::Entry(&entry), &mut out);
/// encoder.end(&RunEnd::Answered, &mut out);
/// let events: Vec<_> = out.split_terminator("\n\n").collect();
/// assert_eq!(events[2], r#"data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"t1-1","delta":"Four."}"#);
/// ```
#[derive(Debug)]
pub struct AgUiEncoder {
    thread: String,
    run: String,
    /// Whether the client names a version, as it does since 1.0.
    has_version: bool,
    opening: Option<RunOpening>,
    time: Option<Timestamp>,
    reader: TranscriptReader,
    stream: AgUiStream,
}

impl AgUiEncoder {
    /// Creates an encoder of the answer to a request. `conversation` is the conversation of the
    /// log, whose name may differ from the client's thread.
    pub fn new(conversation: impl Into<String>, request: &AgUiRequest) -> Self {
        let mut stream = AgUiStream::default();
        stream.shown.begin_with(&request.sent);
        Self {
            thread: request.thread.clone(),
            run: request.run.clone(),
            has_version: request.protocol_version.is_some(),
            opening: None,
            time: None,
            reader: TranscriptReader::new(conversation).with_dropped_answers(),
            stream,
        }
    }

    /// Says which tools the client has. A run that waits for their results ends with the ids of the
    /// calls (`pendingToolCallIds`), and the client's own results are not sent back to it.
    #[must_use]
    pub fn with_client_tools(mut self, tools: ClientToolNames) -> Self {
        self.reader = self.reader.with_client_tools(tools);
        self
    }

    /// Sets the messages that the client has before the run, a JSON array such as
    /// [`ag_ui_messages`] returns. Any other text is ignored.
    #[must_use]
    pub fn with_messages(mut self, messages: &str) -> Self {
        if let Ok(Value::Array(messages)) = serde_json::from_str(messages) {
            self.stream.shown.begin_with(&messages);
        }
        self
    }

    /// Writes all messages of the conversation, such as [`ag_ui_messages`] returns them, in place of
    /// those that the client has. It belongs right after [`begin`](RunEncoder::begin), for a client
    /// that joins a conversation or has lost its connection.
    pub fn snapshot(&self, messages: &str, out: &mut String) {
        let snapshot = event("MESSAGES_SNAPSHOT").raw("messages", messages);
        EventWriter { out, time: self.time }.write(None, snapshot);
    }

    /// Returns an event about the run as a whole.
    fn run_event(&self, kind: &str) -> JsonObject {
        event(kind).text("threadId", &self.thread).text("runId", &self.run)
    }

    /// Adds our own names of the conversation and the run, and the usage of the run.
    fn complete(&self, mut event: JsonObject) -> JsonObject {
        if let Some(RunOpening { conversation, run, .. }) = &self.opening {
            let names = JsonObject::new().text("conversation", conversation).text("run", run);
            let metadata = JsonObject::new().raw("silcrow", names.finish());
            event = event.raw("metadata", metadata.finish());
        }
        match self.stream.usage() {
            Some(usage) => event.raw("usage", format_args!("[{usage}]")),
            None => event,
        }
    }

    fn last_event(&self, end: &RunEnd) -> JsonObject {
        let finished =
            |outcome: JsonObject| self.run_event("RUN_FINISHED").raw("outcome", outcome.finish());
        let outcome = |kind| JsonObject::new().text("type", kind);
        let failed = |code, message| event("RUN_ERROR").text("message", message).text("code", code);
        match end {
            RunEnd::Answered => finished(outcome("success")),
            RunEnd::Stopped if self.has_version => finished(outcome("cancelled")),
            RunEnd::Stopped => failed("cancelled", "The run was stopped."),
            RunEnd::Waiting => match (self.stream.interrupts(), self.stream.pending_calls()) {
                (Some(interrupts), _) => {
                    finished(outcome("interrupt").raw("interrupts", interrupts))
                }
                // Older clients fail at an unknown member, and run the calls without it.
                (None, Some(_)) if !self.has_version => finished(outcome("success")),
                (None, Some(calls)) => {
                    finished(outcome("success").raw("pendingToolCallIds", calls))
                }
                (None, None) => {
                    failed("waiting", "The run waits for an answer to an unknown question.")
                }
            },
            RunEnd::Failed { code, message } => failed(code, message),
        }
    }
}

impl RunEncoder for AgUiEncoder {
    fn skip(&mut self, entry: &Entry) {
        let Self { reader, stream, .. } = self;
        reader.push(RunEventRef::Entry(entry), &mut |agent, change| stream.skip(agent, &change));
    }

    fn begin(&mut self, out: &mut String) {
        let mut started = self.run_event("RUN_STARTED");
        if self.has_version {
            started = started.text("protocolVersion", PROTOCOL_VERSION);
        }
        EventWriter { out, time: self.time }.write(None, started);
    }

    fn encode(&mut self, event: RunEventRef<'_>, out: &mut String) {
        let time = match event {
            RunEventRef::Entry(entry) => {
                if entry.opening.is_some() && entry.agent_path.is_none() {
                    self.opening.clone_from(&entry.opening);
                }
                entry.timestamp
            }
            RunEventRef::Text(_, place)
            | RunEventRef::CallText(_, place)
            | RunEventRef::Call(_, place) => place.timestamp,
            _ => None,
        };
        self.time = time.or(self.time);
        let Self { reader, stream, .. } = self;
        let mut to = EventWriter { out, time: self.time };
        reader.push(event, &mut |agent, change| stream.change(agent, &change, &mut to));
    }

    fn cut(&mut self, out: &mut String) -> bool {
        let Self { reader, stream, .. } = self;
        let mut to = EventWriter { out, time: self.time };
        reader.cut(&mut |agent, change| stream.change(agent, &change, &mut to));
        stream.drop_calls(&mut to);
        false
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        let mut to = EventWriter { out, time: self.time };
        let Self { reader, stream, .. } = self;
        stream.expect_end(end.clone());
        reader.end(&mut |agent, change| stream.change(agent, &change, &mut to));
        stream.drop_calls(&mut to);
        let last = self.complete(self.last_event(end));
        EventWriter { out, time: self.time }.write(None, last);
    }
}

/// The version that clients compare with their own.
const PROTOCOL_VERSION: &str = "1.0";
