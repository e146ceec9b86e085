//! The lines of a recording, and their JSON.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use silcrow_event as event;
use silcrow_event::DataMark;

use super::Secrets;
use crate::delta::{CallDelta, Delta, FinishReason};
use crate::error::{Error, ErrorKind};
use crate::provider::Request;

/// A line of a recording: a request and its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedLine {
    /// The name of the session, if the request was sent over one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    pub(crate) request: RecordedRequest,
    pub(crate) answer: Vec<RecordedDelta>,
    /// The end of the answer, if its last item does not end it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended: Option<RecordedEnd>,
}

/// The end of an answer in a session that its last item does not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordedEnd {
    /// The request failed; the error is the only item.
    Failed,
    /// The answer ended without an error.
    Cut,
    /// The answer could not be cancelled.
    Lost,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedRequest {
    pub(crate) streaming: bool,
    /// The part of the last answer that counts, in a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kept: Option<String>,
    pub(crate) messages: Vec<RecordedMessage>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedMessage {
    pub(crate) role: String,
    pub(crate) content: String,
    /// The hashes of the pictures, documents and sounds that are sent, whose lines the content has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) media: Vec<String>,
}

/// A delta, or the error that ended the answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordedDelta {
    Text(String),
    Reasoning(String),
    /// The beginning of a native call.
    Call {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        name: String,
    },
    Args(String),
    CallEnd(Option<String>),
    Opaque(String),
    Usage {
        input: u64,
        output: u64,
        cached: u64,
        #[serde(default, skip_serializing_if = "is_zero")]
        cache_written: u64,
        #[serde(default, skip_serializing_if = "is_zero")]
        reasoning: u64,
        #[serde(default, skip_serializing_if = "is_zero")]
        sent: u64,
    },
    Done(RecordedFinish),
    Error {
        code: String,
        message: String,
        wait_ms: Option<u64>,
        /// The vendor's advice on whether to try again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<bool>,
        #[serde(default, skip_serializing_if = "is_zero")]
        sent: u64,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordedFinish {
    Stop,
    Length,
    Filter,
    ToolUse,
    /// The vendor's word for the end, in recordings of earlier versions.
    Other(String),
}

impl RecordedLine {
    /// Masks the secrets in the answer. Those in the request were masked when it was created.
    pub(crate) fn mask(&mut self, secrets: &Secrets) {
        let mut texts = Vec::new();
        let mut reasoning = Vec::new();
        let mut args = Vec::new();
        for piece in &mut self.answer {
            match piece {
                RecordedDelta::Text(text) => texts.push(text),
                RecordedDelta::Reasoning(text) => reasoning.push(text),
                RecordedDelta::Args(text) => args.push(text),
                RecordedDelta::Opaque(text) | RecordedDelta::CallEnd(Some(text)) => {
                    secrets.redact_pieces(&mut [text]);
                }
                RecordedDelta::Error { message, .. } => secrets.redact_pieces(&mut [message]),
                RecordedDelta::Done(RecordedFinish::Other(reason)) => {
                    secrets.redact_pieces(&mut [reason])
                }
                RecordedDelta::Usage { .. }
                | RecordedDelta::Done(_)
                | RecordedDelta::Call { .. }
                | RecordedDelta::CallEnd(None) => {}
            }
        }
        secrets.redact_pieces(&mut texts);
        secrets.redact_pieces(&mut reasoning);
        secrets.redact_pieces(&mut args);
    }
}

impl RecordedRequest {
    pub(crate) fn new(request: &Request, secrets: &Secrets) -> Self {
        let messages = masked(&request.messages, secrets);
        Self { streaming: request.streaming, kept: None, messages }
    }

    /// Creates a request that is sent over a session.
    pub(crate) fn sent(
        streaming: bool,
        kept: &str,
        messages: &[event::Message],
        secrets: &Secrets,
    ) -> Self {
        let mut kept = kept.to_owned();
        secrets.redact_pieces(&mut [&mut kept]);
        Self { streaming, kept: Some(kept), messages: masked(messages, secrets) }
    }
}

fn masked(messages: &[event::Message], secrets: &Secrets) -> Vec<RecordedMessage> {
    let masked = messages.iter().map(|message| {
        let mut content = message.text().into_owned();
        // A mark differs from run to run.
        content = DataMark::unwrap(&content).into_owned();
        secrets.redact_pieces(&mut [&mut content]);
        let media = message.content.media().map(|medium| medium.hash.clone()).collect();
        RecordedMessage { role: message.role.as_str().to_owned(), content, media }
    });
    masked.collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl From<&Result<Delta, Error>> for RecordedDelta {
    fn from(item: &Result<Delta, Error>) -> Self {
        match item {
            Ok(Delta::Text(text)) => Self::Text(text.clone()),
            Ok(Delta::Reasoning(text)) => Self::Reasoning(text.clone()),
            Ok(Delta::Call(CallDelta::Begin { id, name })) => {
                Self::Call { id: id.clone(), name: name.clone() }
            }
            Ok(Delta::Call(CallDelta::Args(args))) => Self::Args(args.clone()),
            Ok(Delta::Call(CallDelta::End { opaque })) => Self::CallEnd(opaque.clone()),
            Ok(Delta::Opaque(data)) => Self::Opaque(data.clone()),
            Ok(Delta::Usage(usage)) => Self::Usage {
                input: usage.input,
                output: usage.output,
                cached: usage.cached,
                cache_written: usage.cache_written,
                reasoning: usage.reasoning,
                sent: usage.sent_bytes,
            },
            Ok(Delta::Done(finish)) => Self::Done(match finish {
                FinishReason::Stop => RecordedFinish::Stop,
                FinishReason::Length => RecordedFinish::Length,
                FinishReason::Filter => RecordedFinish::Filter,
                FinishReason::ToolUse => RecordedFinish::ToolUse,
            }),
            Err(error) => Self::Error {
                code: error.kind().as_str().to_owned(),
                message: event::error_chain(error),
                wait_ms: error
                    .retry_after()
                    .map(|wait| wait.as_millis().try_into().unwrap_or(u64::MAX)),
                again: error.advice(),
                sent: error.sent(),
            },
        }
    }
}

impl From<RecordedDelta> for Result<Delta, Error> {
    fn from(piece: RecordedDelta) -> Self {
        Ok(match piece {
            RecordedDelta::Text(text) => Delta::Text(text),
            RecordedDelta::Reasoning(text) => Delta::Reasoning(text),
            RecordedDelta::Call { id, name } => Delta::Call(CallDelta::Begin { id, name }),
            RecordedDelta::Args(args) => Delta::Call(CallDelta::Args(args)),
            RecordedDelta::CallEnd(opaque) => Delta::Call(CallDelta::End { opaque }),
            RecordedDelta::Opaque(data) => Delta::Opaque(data),
            RecordedDelta::Usage { input, output, cached, cache_written, reasoning, sent } => {
                let sent_bytes = sent;
                let none = event::Usage::default();
                let tokens = event::Usage { input, output, cached, cache_written, ..none };
                Delta::Usage(event::Usage { reasoning, sent_bytes, ..tokens })
            }
            RecordedDelta::Done(end) => Delta::Done(match end {
                RecordedFinish::Stop => FinishReason::Stop,
                RecordedFinish::Length => FinishReason::Length,
                RecordedFinish::Filter => FinishReason::Filter,
                RecordedFinish::ToolUse => FinishReason::ToolUse,
                RecordedFinish::Other(word) if word == "eos" => FinishReason::Stop,
                RecordedFinish::Other(word) if TOOL_USE.contains(&&*word) => FinishReason::ToolUse,
                RecordedFinish::Other(word) => {
                    let message = format!("the recorded answer ended with the reason `{word}`");
                    return Err(Error::new(ErrorKind::Malformed, message));
                }
            }),
            RecordedDelta::Error { code, message, wait_ms, again, sent } => {
                let kind = code.parse().unwrap_or(ErrorKind::Malformed);
                let wait = wait_ms.map(Duration::from_millis);
                let error = Error::new(kind, message).with_sent(sent);
                let error = wait.into_iter().fold(error, Error::with_retry_after);
                return Err(again.into_iter().fold(error, Error::with_advice));
            }
        })
    }
}

/// Vendors' words for the end of an answer that calls a tool.
const TOOL_USE: [&str; 4] = ["tool_calls", "function_call", "tool_use", "requires_action"];
