use std::time::Duration;

use serde::{Deserialize, Serialize};
use silcrow_event as event;

use super::Secrets;
use crate::delta::{Delta, FinishReason};
use crate::error::{Error, ErrorKind};
use crate::provider::Request;

/// A line of a recording: a request and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    /// The name of its session, if it is of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    pub(crate) request: Asked,
    pub(crate) answer: Vec<Piece>,
    /// How it ended, if not by its last piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended: Option<Ended>,
}

/// How an answer of a session ended otherwise than by its last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    /// What was asked failed itself, with the only piece.
    Failed,
    /// It broke off without an error.
    Cut,
    /// It could not be stopped.
    Lost,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) streaming: bool,
    /// What counts of the answer before, where only what is new is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kept: Option<String>,
    pub(crate) messages: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: String,
    pub(crate) content: String,
}

/// A delta, or the error that ended the answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Piece {
    Text(String),
    Reasoning(String),
    Usage {
        input: u64,
        output: u64,
        cached: u64,
        #[serde(default, skip_serializing_if = "is_zero")]
        reasoning: u64,
        #[serde(default, skip_serializing_if = "is_zero")]
        sent: u64,
    },
    Done(End),
    Error {
        code: String,
        message: String,
        wait_ms: Option<u64>,
        /// The vendor's own word on whether to ask again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<bool>,
        #[serde(default, skip_serializing_if = "is_zero")]
        sent: u64,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum End {
    Stop,
    Length,
    Filter,
    ToolUse,
    /// In recordings of earlier versions: a word of the vendor's for an end of any kind.
    Other(String),
}

impl Line {
    /// Masks the secrets in the answer; those in the request are masked already.
    pub(crate) fn mask(&mut self, secrets: &Secrets) {
        let mut texts = Vec::new();
        let mut reasoning = Vec::new();
        for piece in &mut self.answer {
            match piece {
                Piece::Text(text) => texts.push(text),
                Piece::Reasoning(text) => reasoning.push(text),
                Piece::Error { message, .. } => secrets.mask(&mut [message]),
                Piece::Done(End::Other(reason)) => secrets.mask(&mut [reason]),
                Piece::Usage { .. } | Piece::Done(_) => {}
            }
        }
        secrets.mask(&mut texts);
        secrets.mask(&mut reasoning);
    }
}

impl Asked {
    pub(crate) fn new(request: &Request, secrets: &Secrets) -> Self {
        let messages = masked(&request.messages, secrets);
        Self { streaming: request.streaming, kept: None, messages }
    }

    /// What is sent over a session.
    pub(crate) fn sent(
        streaming: bool,
        kept: &str,
        messages: &[event::Message],
        secrets: &Secrets,
    ) -> Self {
        let mut kept = kept.to_owned();
        secrets.mask(&mut [&mut kept]);
        Self { streaming, kept: Some(kept), messages: masked(messages, secrets) }
    }
}

fn masked(messages: &[event::Message], secrets: &Secrets) -> Vec<Message> {
    let masked = messages.iter().map(|message| {
        let mut content = message.text().into_owned();
        secrets.mask(&mut [&mut content]);
        Message { role: message.role.as_str().to_owned(), content }
    });
    masked.collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl From<&Result<Delta, Error>> for Piece {
    fn from(item: &Result<Delta, Error>) -> Self {
        match item {
            Ok(Delta::Text(text)) => Self::Text(text.clone()),
            Ok(Delta::Reasoning(text)) => Self::Reasoning(text.clone()),
            Ok(Delta::Usage(usage)) => Self::Usage {
                input: usage.input,
                output: usage.output,
                cached: usage.cached,
                reasoning: usage.reasoning,
                sent: usage.sent,
            },
            Ok(Delta::Done(finish)) => Self::Done(match finish {
                FinishReason::Stop => End::Stop,
                FinishReason::Length => End::Length,
                FinishReason::Filter => End::Filter,
                FinishReason::ToolUse => End::ToolUse,
            }),
            Err(error) => Self::Error {
                code: error.kind().as_str().to_owned(),
                message: error.to_string(),
                wait_ms: error.wait().map(|wait| wait.as_millis().try_into().unwrap_or(u64::MAX)),
                again: error.advice(),
                sent: error.sent(),
            },
        }
    }
}

impl From<Piece> for Result<Delta, Error> {
    fn from(piece: Piece) -> Self {
        Ok(match piece {
            Piece::Text(text) => Delta::Text(text),
            Piece::Reasoning(text) => Delta::Reasoning(text),
            Piece::Usage { input, output, cached, reasoning, sent } => {
                let none = event::Usage::default();
                Delta::Usage(event::Usage { input, output, cached, reasoning, sent, ..none })
            }
            Piece::Done(end) => Delta::Done(match end {
                End::Stop => FinishReason::Stop,
                End::Length => FinishReason::Length,
                End::Filter => FinishReason::Filter,
                End::ToolUse => FinishReason::ToolUse,
                End::Other(word) if word == "eos" => FinishReason::Stop,
                End::Other(word) if TOOL_USE.contains(&&*word) => FinishReason::ToolUse,
                End::Other(word) => {
                    let message = format!("the recorded answer ended with the reason `{word}`");
                    return Err(Error::new(ErrorKind::Malformed, message));
                }
            }),
            Piece::Error { code, message, wait_ms, again, sent } => {
                let kind = ErrorKind::parse(&code).unwrap_or(ErrorKind::Malformed);
                let wait = wait_ms.map(Duration::from_millis);
                let error = Error::new(kind, message).after_sending(sent);
                let error = wait.into_iter().fold(error, Error::retry_after);
                return Err(again.into_iter().fold(error, Error::advised));
            }
        })
    }
}

/// Words that vendors have for the end of an answer that calls a tool.
const TOOL_USE: [&str; 4] = ["tool_calls", "function_call", "tool_use", "requires_action"];
