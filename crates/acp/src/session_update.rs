//! Changes of a transcript as updates of a session.

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use silcrow_event::{FileDiff, ResultStatus};
use silcrow_front::{CalledAgent, SectionKind, TranscriptChange, call_title};

use crate::tool_call;

/// Makes the updates of a session.
#[derive(Debug)]
pub(crate) struct SessionUpdates {
    folder: PathBuf,
    /// Whether the updates include messages of the person, because the client does not have them.
    shows_person: bool,
    /// The kinds of the texts that are open.
    texts: HashMap<String, SectionKind>,
    /// The last part of the output of each running call.
    printed: HashMap<String, String>,
    /// The changes of open calls, which are shown until their end and after it.
    diffs: HashMap<String, Vec<Value>>,
}

impl SessionUpdates {
    /// Creates the updates of a run, whose prompt the client already has.
    pub(crate) fn of_run(folder: PathBuf) -> Self {
        let (texts, printed, diffs) = Default::default();
        Self { folder, shows_person: false, texts, printed, diffs }
    }

    /// Keeps the changes of a call. An update of a call's content replaces all of it.
    pub(crate) fn keep_diffs(&mut self, call: &str, diffs: Vec<Value>) {
        if !diffs.is_empty() {
            self.diffs.insert(call.to_owned(), diffs);
        }
    }

    /// Returns the content of a call: its changes, and a text.
    fn content(&self, call: &str, text: &str) -> Vec<Value> {
        let mut content = self.diffs.get(call).cloned().unwrap_or_default();
        content.push(tool_call::text(text));
        content
    }

    /// Creates the updates of a stored conversation.
    pub(crate) fn of_log(folder: PathBuf) -> Self {
        Self { shows_person: true, ..Self::of_run(folder) }
    }

    /// Returns the update for a change, if the client has something to show for it.
    pub(crate) fn update(
        &mut self,
        agent: Option<&CalledAgent>,
        change: TranscriptChange<'_>,
    ) -> Option<Value> {
        Some(match change {
            TranscriptChange::Message { content, seq, .. }
                if self.shows_person && agent.is_none() =>
            {
                let id = seq.map(|seq| format!("m{seq}"));
                chunk("user_message_chunk", id.as_deref(), &content.text())
            }
            TranscriptChange::TextBegan { text, kind } => {
                self.texts.insert(text.to_owned(), kind);
                return None;
            }
            // The text of a called agent is the output of its call.
            TranscriptChange::TextGrew { text, piece } if agent.is_none() => {
                let kind = match self.texts.get(text) {
                    Some(SectionKind::Thought) => "agent_thought_chunk",
                    _ => "agent_message_chunk",
                };
                chunk(kind, Some(text), piece)
            }
            TranscriptChange::TextEnded { text } => {
                self.texts.remove(text);
                return None;
            }
            TranscriptChange::CallBegan { call, name } => {
                let name = if name.is_empty() { "malformed call" } else { name };
                let mut update = json!({
                    "sessionUpdate": "tool_call",
                    "toolCallId": call,
                    "title": named(agent, name),
                    "kind": tool_call::kind(name),
                    "status": "pending",
                });
                if let Some(agent) = agent {
                    update["_meta"] = json!({"silcrow": {"agent": agent.name, "call": agent.call}});
                }
                update
            }
            TranscriptChange::CallWritten { call, name, args, .. } => {
                let args: Value = serde_json::from_str(args).unwrap_or_default();
                self.keep_diffs(call, tool_call::edits(name, &args, &self.folder));
                let mut update = json!({
                    "sessionUpdate": "tool_call_update",
                    "toolCallId": call,
                    "title": named(agent, &call_title(name, &args)),
                    "locations": tool_call::locations(&args, &self.folder),
                    "rawInput": args,
                });
                if let Some(diffs) = self.diffs.get(call) {
                    update["content"] = json!(diffs);
                }
                update
            }
            TranscriptChange::CallRejected { call, text } => json!({
                "sessionUpdate": "tool_call_update",
                "toolCallId": call,
                "rawInput": text,
            }),
            TranscriptChange::CallStarted { call, .. } => status(call, "in_progress"),
            TranscriptChange::CallPrinted { call, piece, .. } => {
                let printed = self.printed.entry(call.to_owned()).or_default();
                printed.push_str(piece);
                let over = printed.len().saturating_sub(MAX_PRINTED);
                printed.drain(..printed.ceil_char_boundary(over));
                let printed = printed.clone();
                let mut update = status(call, "in_progress");
                update["content"] = json!(self.content(call, &printed));
                update
            }
            TranscriptChange::CallChanged { call, files } => {
                let shown = files.iter().filter(|file| !file.hunks.is_empty()).flat_map(|file| {
                    let (path, hunks) = (file.path.clone(), file.hunks.clone());
                    tool_call::diffs(&FileDiff { path, hunks }, &self.folder)
                });
                let shown: Vec<_> = shown.collect();
                if shown.is_empty() {
                    return None;
                }
                // The actual changes replace those predicted from the arguments.
                self.keep_diffs(call, shown);
                let mut update = status(call, "in_progress");
                update["content"] = json!(self.diffs.get(call));
                update
            }
            TranscriptChange::CallEnded { call, result } => {
                self.printed.remove(call);
                let is_success = result.status() == ResultStatus::Success;
                let mut update = status(call, if is_success { "completed" } else { "failed" });
                update["content"] = json!(self.content(call, &result.content.text()));
                self.diffs.remove(call);
                let header = serde_json::from_str::<Value>(&result.header());
                update["rawOutput"] = header.unwrap_or_default();
                update
            }
            TranscriptChange::Measured(metric) if agent.is_none() => json!({
                "sessionUpdate": "usage_update",
                "used": metric.step.tokens(),
                "size": metric.window?,
            }),
            TranscriptChange::Titled(title) if agent.is_none() => {
                json!({"sessionUpdate": "session_info_update", "title": title})
            }
            _ => return None,
        })
    }
}

/// Returns a piece of a message.
pub(crate) fn chunk(kind: &str, id: Option<&str>, text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    let mut update = json!({"sessionUpdate": kind, "content": content});
    if let Some(id) = id {
        update["messageId"] = json!(id);
    }
    update
}

fn status(call: &str, status: &str) -> Value {
    json!({"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status})
}

/// Returns the title of a call with the agent that makes it.
fn named(agent: Option<&CalledAgent>, title: &str) -> String {
    match agent {
        Some(agent) => format!("{}: {title}", agent.name),
        None => title.to_owned(),
    }
}

/// The maximum number of bytes of a running call's output that a client gets at once.
const MAX_PRINTED: usize = 4096;
