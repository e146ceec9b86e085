//! A stored log as the messages of AG-UI.

use silcrow_event::{CallResult, Content, Entry, RunEventRef};

use super::tool_call::{malformed_args, result_content, result_id, result_metadata, shown_name};
use crate::client_file::prompt_words;
use crate::json_object::JsonObject;
use crate::transcript::{CalledAgent, SectionKind, TranscriptChange, TranscriptReader};

/// Returns the messages of a conversation as a JSON array, from its log.
///
/// They are the messages that a client makes of the events of the same runs. With each entry comes
/// the id that the client gave its message, if it is one of a client.
///
/// ```
/// use silcrow_event::{Entry, Event};
/// use silcrow_front::ag_ui_messages;
///
/// let entry = Entry { seq: Some(1), ..Entry::from(Event::user("2 + 2?")) };
/// let messages = ag_ui_messages("sums", [(&entry, Some("m1"))]);
/// assert_eq!(messages, r#"[{"id":"m1","role":"user","content":"2 + 2?"}]"#);
/// ```
pub fn ag_ui_messages<'a>(
    conversation: &str,
    log: impl IntoIterator<Item = (&'a Entry, Option<&'a str>)>,
) -> String {
    let mut reader = TranscriptReader::new(conversation).with_dropped_answers();
    let mut messages = AgUiMessageList::default();
    for (entry, id) in log {
        let entry = RunEventRef::Entry(entry);
        reader.push(entry, &mut |agent, change| {
            if let TranscriptChange::Message { content, seq, .. } = change
                && agent.is_none()
            {
                // The arguments of the call have the prompt of a called agent.
                let own = format!("u{}", seq.unwrap_or_default());
                messages.add(None, id.unwrap_or(&own), user(content));
            }
            messages.take(agent, &change);
        });
    }
    format!("[{}]", messages.to_json())
}

/// The messages that a client makes of the events of runs.
#[derive(Debug, Default)]
pub(super) struct AgUiMessageList(Vec<StoredMessage>);

#[derive(Debug)]
struct StoredMessage {
    id: String,
    agent: Option<String>,
    body: MessageBody,
}

#[derive(Debug)]
enum MessageBody {
    User(String),
    Text { kind: SectionKind, content: String },
    Call { name: String, args: String },
    Result { call: String, content: String, metadata: String },
}

impl AgUiMessageList {
    /// Takes a change. Changes that begin, grow or end no message have no effect.
    pub(super) fn take(&mut self, agent: Option<&CalledAgent>, change: &TranscriptChange<'_>) {
        match *change {
            TranscriptChange::TextBegan { text, kind } => {
                self.add(agent, text, MessageBody::Text { kind, content: String::new() });
            }
            TranscriptChange::TextGrew { text, piece } => {
                if let Some(MessageBody::Text { content, .. }) = self.find(text) {
                    content.push_str(piece);
                }
            }
            TranscriptChange::CallBegan { call, name } => {
                let (name, args) = (shown_name(name).to_owned(), String::new());
                self.add(agent, call, MessageBody::Call { name, args });
            }
            TranscriptChange::ArgsGrew { call, piece } => {
                if let Some(MessageBody::Call { args, .. }) = self.find(call) {
                    args.push_str(piece);
                }
            }
            TranscriptChange::CallWritten { call, name, args, .. } => {
                let (name, args) = (name.to_owned(), args.to_owned());
                self.replace(agent, call, MessageBody::Call { name, args });
            }
            TranscriptChange::CallRejected { call, text } => {
                let (name, args) = (shown_name("").to_owned(), malformed_args(text));
                self.replace(agent, call, MessageBody::Call { name, args });
            }
            TranscriptChange::CallEnded { call, result } => {
                let at = after_results(&self.0, call);
                let (id, agent) = (result_id(call), agent.map(|agent| agent.id.clone()));
                self.0.insert(at, StoredMessage { id, agent, body: ended(call, result) });
            }
            TranscriptChange::AnswerDropped(turn) => self.drop_answer(turn),
            _ => {}
        }
    }

    /// Takes the result of a call that the model did not complete.
    pub(super) fn end_call(&mut self, call: &str, content: &str) {
        let (content, metadata) = (content.to_owned(), "{}".to_owned());
        let body = MessageBody::Result { call: call.to_owned(), content, metadata };
        self.add(None, &result_id(call), body);
    }

    /// Returns the messages as the elements of a JSON array.
    pub(super) fn to_json(&self) -> String {
        self.0.iter().map(StoredMessage::to_json).collect::<Vec<_>>().join(",")
    }

    fn add(&mut self, agent: Option<&CalledAgent>, id: &str, body: MessageBody) {
        let agent = agent.map(|agent| agent.id.clone());
        self.0.push(StoredMessage { id: id.to_owned(), agent, body });
    }

    fn replace(&mut self, agent: Option<&CalledAgent>, id: &str, body: MessageBody) {
        match self.find(id) {
            Some(known) => *known = body,
            None => self.add(agent, id, body),
        }
    }

    /// Returns the last message with an id, which is near the end while it grows.
    fn find(&mut self, id: &str) -> Option<&mut MessageBody> {
        let found = self.0.iter_mut().rev().find(|message| message.id == id);
        found.map(|message| &mut message.body)
    }

    fn drop_answer(&mut self, turn: u32) {
        let of_turn = text_of_turn(turn);
        self.0.retain(|one| {
            let is_answer = matches!(one.body, MessageBody::Text { kind: SectionKind::Answer, .. });
            !is_answer || one.agent.is_some() || !one.id.starts_with(&of_turn)
        });
    }
}

/// Returns how the ids of all texts of a turn begin.
pub(super) fn text_of_turn(turn: u32) -> String {
    format!("t{turn}-")
}

/// Returns the place for the result of a call: after the call and the results that are there.
fn after_results(messages: &[StoredMessage], call: &str) -> usize {
    let Some(at) = messages.iter().rposition(|message| message.id == call) else {
        return messages.len();
    };
    let is_result = |one: &&StoredMessage| matches!(one.body, MessageBody::Result { .. });
    at + 1 + messages[at + 1..].iter().take_while(is_result).count()
}

fn user(content: &Content) -> MessageBody {
    // A client sends the messages that it gets as its history, and its files were sent before.
    MessageBody::User(prompt_words(content))
}

fn ended(call: &str, result: &CallResult) -> MessageBody {
    let content = result_content(result).into_owned();
    MessageBody::Result { call: call.to_owned(), content, metadata: result_metadata(result) }
}

impl StoredMessage {
    fn to_json(&self) -> String {
        let id = &*self.id;
        let of = |role| JsonObject::new().text("id", id).text("role", role);
        let mut message = match &self.body {
            MessageBody::User(content) => of("user").text("content", content),
            MessageBody::Text { kind: SectionKind::Answer, content } => {
                of("assistant").text("content", content)
            }
            MessageBody::Text { kind: SectionKind::Thought, content } => {
                of("reasoning").text("content", content)
            }
            MessageBody::Call { name, args } => {
                let function = JsonObject::new().text("name", name).text("arguments", args);
                let call = JsonObject::new().text("id", id).text("type", "function");
                let call = call.raw("function", function.finish()).finish();
                of("assistant").raw("toolCalls", format_args!("[{call}]"))
            }
            MessageBody::Result { call, content, metadata } => of("tool")
                .text("content", content)
                .text("toolCallId", call)
                .raw("metadata", metadata),
        };
        if let Some(agent) = &self.agent {
            message = message.text("subagentRunId", agent);
        }
        message.finish()
    }
}
