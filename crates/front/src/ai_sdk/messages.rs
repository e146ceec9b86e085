//! A stored log as messages, which a page shows before it reads a stream.
//!
//! The messages equal those that a client makes of the streams of all runs.

mod prompt;
mod tool;

use silcrow_event::{Content, Entry, RunEventRef};

use super::answer::UiAnswer;
use super::data;
use super::part::UiPart;
use super::{AiSdkMessageId, AiSdkTarget};
use crate::client_tool_names::ClientToolNames;
use crate::encoder::RunEnd;
use crate::json_object::JsonObject;
use crate::transcript::{SectionKind, TranscriptChange};
use prompt::UiPromptPart;
use tool::UiTool;

/// Returns the messages of a conversation as a JSON array, such as the initial messages of a chat.
///
/// Calls of the client's own tools are parts of these tools.
///
/// A file of a prompt is a file part with a `data:` address if its bytes are
/// [loaded](silcrow_event::MediaRef::load), and its line otherwise.
///
/// A run that is still at work has a message with its stored events. A client replaces it when it
/// resumes the stream, because the replay begins with the same id.
///
/// ```
/// use silcrow_event::{Entry, Event};
/// use silcrow_front::{AiSdkTarget, ai_sdk_messages};
///
/// let events = [Event::user("2 + 2?"), Event::respond("Four.")].into_iter().zip(1..);
/// let entries: Vec<_> = events
///     .map(|(event, seq)| Entry { seq: Some(seq), turn: Some(1), ..Entry::from(event) })
///     .collect();
/// let tools = silcrow_front::ClientToolNames::default();
/// assert_eq!(
///     ai_sdk_messages(AiSdkTarget::V6, "sums", &tools, &entries),
///     concat!(
///         r#"[{"id":"p1","role":"user","parts":[{"type":"text","text":"2 + 2?"}]},"#,
///         r#"{"id":"a1","role":"assistant","parts":[{"type":"step-start"},"#,
///         r#"{"type":"text","text":"Four.","state":"done"}]}]"#,
///     ),
/// );
/// ```
pub fn ai_sdk_messages(
    target: AiSdkTarget,
    conversation: &str,
    client_tools: &ClientToolNames,
    entries: &[Entry],
) -> String {
    let mut messages: Vec<UiMessage> = Vec::new();
    let mut reader = target.reader(conversation).with_client_tools(client_tools.clone());
    let mut answer = UiAnswer::new(target, client_tools.clone());
    for entry in entries {
        reader.push(RunEventRef::Entry(entry), &mut |agent, change| {
            if let (None, TranscriptChange::Message { content, steer: false, seq }) =
                (agent, &change)
            {
                answer.close_calls(&RunEnd::Answered, &mut |part| take(&mut messages, part));
                messages.push(UiMessage::prompt(*seq, content));
            }
            answer.change(agent, &change, &mut |part| take(&mut messages, part));
            // A stream ends with the error itself.
            if let (None, TranscriptChange::RunFailed(failure)) = (agent, &change) {
                take(&mut messages, data::failure(entry.seq, failure));
            }
        });
    }
    if answer.is_waiting() {
        answer.close_calls(&RunEnd::Waiting, &mut |part| take(&mut messages, part));
    }
    let messages = messages.iter().filter(|message| !message.parts.is_empty());
    let messages: Vec<_> = messages.map(UiMessage::to_json).collect();
    format!("[{}]", messages.join(","))
}

/// Takes a part of the last message, or the first of another.
fn take(messages: &mut Vec<UiMessage>, part: UiPart<'_>) {
    if let UiPart::Start { message: id } = part {
        messages.push(UiMessage { id, role: "assistant", parts: Vec::new() });
    } else if let Some(message) = messages.last_mut() {
        message.take(part);
    }
}

struct UiMessage {
    id: Option<AiSdkMessageId>,
    role: &'static str,
    parts: Vec<StoredPart>,
}

/// A part of a message.
enum StoredPart {
    Step,
    Prompt(UiPromptPart),
    Text { id: String, kind: SectionKind, text: String },
    Tool(Box<UiTool>),
    Data { name: &'static str, id: String, data: String },
    Steering(String),
}

impl UiMessage {
    fn prompt(seq: Option<u64>, content: &Content) -> Self {
        let id = seq.map(AiSdkMessageId::Prompt);
        let parts = UiPromptPart::list(content).into_iter().map(StoredPart::Prompt).collect();
        Self { id, role: "user", parts }
    }

    fn take(&mut self, part: UiPart<'_>) {
        match part {
            UiPart::StepStart => self.parts.push(StoredPart::Step),
            UiPart::StepReset => {
                let step = self.parts.iter().rposition(|part| matches!(part, StoredPart::Step));
                self.parts.truncate(step.map_or(self.parts.len(), |at| at + 1));
            }
            UiPart::TextStart { text: id, kind } => {
                let (id, text) = (id.to_owned(), String::new());
                self.parts.push(StoredPart::Text { id, kind, text });
            }
            UiPart::TextDelta { text: id, piece, .. } => {
                for part in &mut self.parts {
                    if let StoredPart::Text { id: known, text, .. } = part
                        && known == id
                    {
                        text.push_str(piece);
                    }
                }
            }
            UiPart::Data { name, id: Some(id), data } => self.set_data(name, id, data),
            UiPart::Steering { .. } => {
                let mut json = String::new();
                part.write(&mut json);
                self.parts.push(StoredPart::Steering(json));
            }
            _ => self.take_of_call(part),
        }
    }

    fn set_data(&mut self, name: &'static str, id: String, data: String) {
        let same = |part: &&mut StoredPart| match part {
            StoredPart::Data { name: known, id: other, .. } => *known == name && *other == id,
            _ => false,
        };
        let new = StoredPart::Data { name, id: id.clone(), data };
        match self.parts.iter_mut().find(same) {
            Some(part) => *part = new,
            None => self.parts.push(new),
        }
    }

    fn take_of_call(&mut self, part: UiPart<'_>) {
        let Some(call) = part.call() else { return };
        let known = self.parts.iter_mut().find_map(|part| match part {
            StoredPart::Tool(tool) if tool.call == call => Some(tool),
            _ => None,
        });
        match known {
            Some(tool) => tool.take(part),
            None => self.parts.push(StoredPart::Tool(Box::new(UiTool::new(part)))),
        }
    }

    fn to_json(&self) -> String {
        let id = self.id.map(|id| id.to_string());
        let parts: Vec<_> = self.parts.iter().map(StoredPart::to_json).collect();
        let message = JsonObject::new().text("id", id.as_deref().unwrap_or_default());
        message.text("role", self.role).raw("parts", format!("[{}]", parts.join(","))).finish()
    }
}

impl StoredPart {
    fn to_json(&self) -> String {
        let part = |name: &str| JsonObject::new().text("type", name);
        match self {
            Self::Step => part("step-start"),
            Self::Prompt(part) => return part.to_json(),
            Self::Text { kind, text, .. } => {
                let thought = *kind == SectionKind::Thought;
                let part = part(if thought { "reasoning" } else { "text" });
                part.text("text", text).text("state", "done")
            }
            Self::Tool(tool) => tool.json(),
            Self::Data { name, id, data } => {
                part(&format!("data-{name}")).text("id", id).raw("data", data)
            }
            Self::Steering(json) => return json.clone(),
        }
        .finish()
    }
}
