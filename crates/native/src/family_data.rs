//! A family as data: its marks, and the form of its calls.
//!
//! This module has only constants, without marks and logic.

use crate::body_encoding::BodyEncoding;
use crate::family_kind::FamilyKind;
use crate::messages::MessageForm;

/// The forms of a family's texts.
#[derive(Debug)]
pub(crate) struct FamilyData {
    pub(crate) name: &'static str,
    /// Other names of the family.
    pub(crate) aliases: &'static [&'static str],
    /// Patterns of the names of models, in lower case. The longest that a name contains decides.
    pub(crate) models: &'static [&'static str],
    pub(crate) kind: FamilyKind,
    /// Marks that open and close a thought.
    pub(crate) think: &'static [&'static str],
    pub(crate) think_end: &'static [&'static str],
    /// Marks that open the answer, and end a thought that is open.
    pub(crate) answer: &'static [&'static str],
    /// Marks that end the answer.
    pub(crate) answer_end: &'static [&'static str],
    /// Marks that mean nothing to a reader: ends of turns, and beginnings of blocks.
    pub(crate) dropped: &'static [&'static str],
    /// Marks after which nothing belongs to the model's turn.
    pub(crate) stops: &'static [&'static str],
    /// The beginnings of calls.
    pub(crate) calls: &'static [CallOpener],
    /// Marks after a call. Without a call they are dropped with a diagnostic.
    pub(crate) closers: &'static [&'static str],
    /// Whether a call ends a thought that is open; otherwise it is text of the thought.
    pub(crate) calls_end_thought: bool,
    /// The end of the prompt, which the output continues.
    pub(crate) prompt: &'static str,
    /// The beginnings and ends of messages.
    pub(crate) messages: Option<&'static MessageForm>,
    /// Whether its marks are special tokens, which servers leave out unless asked to keep them.
    pub(crate) needs_special_tokens: bool,
}

/// The beginning of a family's calls.
#[derive(Debug)]
pub(crate) struct CallOpener {
    pub(crate) mark: &'static str,
    pub(crate) place: MarkPlace,
    pub(crate) body: BodyEncoding,
    /// Whether the mark is a part of the body.
    pub(crate) is_in_body: bool,
}

/// The places at which a mark counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkPlace {
    Anywhere,
    /// Before any text of the answer.
    Start,
    /// At the start of a line.
    Line,
    /// Directly after a call, with only blanks and marks between them.
    Behind,
}

impl CallOpener {
    /// Returns an opener that counts anywhere.
    pub(crate) const fn new(mark: &'static str, body: BodyEncoding) -> Self {
        Self { mark, place: MarkPlace::Anywhere, body, is_in_body: false }
    }

    /// Returns an opener that is a part of the body.
    pub(crate) const fn inside(mark: &'static str, place: MarkPlace, body: BodyEncoding) -> Self {
        Self { mark, place, body, is_in_body: true }
    }
}

impl FamilyData {
    /// A family without marks, to be changed.
    pub(crate) const BASE: Self = Self {
        name: "",
        aliases: &[],
        models: &[],
        kind: FamilyKind::Thought,
        think: &["<think>"],
        think_end: &["</think>"],
        answer: &[],
        answer_end: &[],
        dropped: &["</s>", "<|im_end|>", "<|endoftext|>"],
        stops: &[],
        calls: &[],
        closers: &[],
        calls_end_thought: false,
        prompt: "",
        messages: None,
        needs_special_tokens: false,
    };
}
