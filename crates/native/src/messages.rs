//! Reads the headers of messages, which name the recipient.
//!
//! This module reads headers; others read bodies.

use crate::body_encoding::BodyEncoding;

/// The beginnings and ends of a family's messages.
#[derive(Debug)]
pub(crate) struct MessageForm {
    /// Marks that begin a header.
    pub(crate) starts: &'static [&'static str],
    /// Marks that end a header and begin a body.
    pub(crate) bodies: &'static [&'static str],
    /// The kind of body that a header announces.
    pub(crate) style: HeaderStyle,
    /// The encoding of a call's body.
    pub(crate) call: BodyEncoding,
}

/// The kind of body that a header announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderStyle {
    /// By a channel, and by a recipient if it is a call.
    Channel,
    /// By the recipient: `self`, `user`, or a tool.
    Recipient,
    /// By the mark that begins the body.
    Mark,
}

/// The kind of a message's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MessageRole {
    Answer,
    Thought,
    /// A call of this tool, or of the tool that its body names.
    Call(String),
}

impl MessageForm {
    /// Returns the role of a message with this header, which ends with `mark`.
    pub(crate) fn role(&self, header: &str, mark: &str) -> MessageRole {
        if self.style == HeaderStyle::Mark {
            return match mark {
                _ if mark.contains("thinking") => MessageRole::Thought,
                _ if mark.contains("invoke") => MessageRole::Call(String::new()),
                _ => MessageRole::Answer,
            };
        }
        let recipient = header.split("to=").nth(1).map(word).unwrap_or_default();
        let channel =
            header.rsplit("<|channel|>").next().filter(|_| header.contains("<|channel|>"));
        let is_analysis = channel.is_some_and(|channel| word(channel) == "analysis");
        let name = recipient.strip_prefix("functions.").unwrap_or(recipient);
        match name {
            "self" if self.style == HeaderStyle::Recipient => MessageRole::Thought,
            "" | "assistant" | "user" if is_analysis => MessageRole::Thought,
            "" | "assistant" | "user" | "all" => MessageRole::Answer,
            name => MessageRole::Call(name.to_owned()),
        }
    }

    /// Returns whether a text may be the beginning of a header that a prompt has begun.
    pub(crate) fn may_be_header(&self, header: &str) -> bool {
        if self.style == HeaderStyle::Mark || header.len() > MAX_HEADER || header.contains('\n') {
            return header.len() <= MAX_HEADER && !header.contains('\n');
        }
        let rest = header.trim_start_matches(' ');
        let is_one = |mark: &str| rest.starts_with(mark) || mark.starts_with(rest);
        is_one("to=") || is_one("<|") || is_one("assistant")
    }
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(text.len());
    &text[..end]
}

/// The length in bytes of the longest header.
const MAX_HEADER: usize = 400;
