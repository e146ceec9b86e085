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
    let mut reader = TranscriptReader::new(conversation);
    let mut messages = Vec::new();
    for (entry, id) in log {
        let entry = RunEventRef::Entry(entry);
        reader.push(entry, &mut |agent, change| add(&mut messages, agent, &change, id));
    }
    let messages: Vec<_> = messages.iter().map(StoredMessage::to_json).collect();
    format!("[{}]", messages.join(","))
}

struct StoredMessage {
    id: String,
    agent: Option<String>,
    body: MessageBody,
}

enum MessageBody {
    User(String),
    Text { kind: SectionKind, content: String },
    Call { name: String, args: String },
    Result { call: String, content: String, metadata: String },
}

fn add(
    messages: &mut Vec<StoredMessage>,
    agent: Option<&CalledAgent>,
    change: &TranscriptChange<'_>,
    id: Option<&str>,
) {
    let agent_id = agent.map(|agent| agent.id.clone());
    let message = |id: &str, body| StoredMessage { id: id.to_owned(), agent: agent_id, body };
    match *change {
        // The arguments of the call tell what a called agent was asked.
        TranscriptChange::Message { content, seq, .. } if agent.is_none() => {
            let own = format!("u{}", seq.unwrap_or_default());
            messages.push(message(id.unwrap_or(&own), user(content)));
        }
        TranscriptChange::TextBegan { text, kind } => {
            messages.push(message(text, MessageBody::Text { kind, content: String::new() }));
        }
        TranscriptChange::TextGrew { piece, .. } => {
            if let Some(MessageBody::Text { content, .. }) =
                messages.last_mut().map(|last| &mut last.body)
            {
                content.push_str(piece);
            }
        }
        TranscriptChange::CallWritten { call, name, args, .. } => {
            let (name, args) = (name.to_owned(), args.to_owned());
            messages.push(message(call, MessageBody::Call { name, args }));
        }
        TranscriptChange::CallRejected { call, text } => {
            let (name, args) = (shown_name("").to_owned(), malformed_args(text));
            messages.push(message(call, MessageBody::Call { name, args }));
        }
        TranscriptChange::CallEnded { call, result } => {
            let at = after_results(messages, call);
            messages.insert(at, message(&result_id(call), ended(call, result)));
        }
        _ => {}
    }
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
    // A client sends what it gets as its history, and its files were sent.
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
