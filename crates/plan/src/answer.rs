//! The text of answers, with outputs in place of their names.
//!
//! A renderer has the text that may become a name, and the delayed text, in order. The plan has the
//! ends of calls.
//!
//! ```text
//! text ── nothing is delayed, and no `sync` call is open ──► emitted
//!   └── otherwise ──► delayed ── the calls that it waits for have ended ──► emitted
//! ```

use std::collections::VecDeque;

use silcrow_expression::{begins_name, name_len};

use crate::outputs::Source;
use crate::plan::Plan;
use crate::substitute::text_of;

/// A renderer of the answers of a turn, one after the other. It replaces names by outputs, and
/// delays text after the name of an output that is still missing, or after a `sync` action, until
/// that call has ended (P-24, P-26).
///
/// At the end of a chunk, only text that may become a name is pending.
///
/// ```
/// use silcrow_event::{ActionAttributes, Call, CallResult};
/// use silcrow_plan::{AnswerPiece, AnswerRenderer, Plan};
///
/// let action = ActionAttributes { output_key: Some("sum".to_owned()), ..Default::default() };
/// let mut plan = Plan::new();
/// plan.push(Call::parse("a1", r#"{"name":"add"}"#).unwrap().with_action(action));
/// plan.decide();
///
/// let mut answer = AnswerRenderer::new();
/// let mut shown = String::new();
/// let mut emit = |piece: AnswerPiece<'_>| {
///     if let AnswerPiece::Text(text) = piece {
///         shown += text;
///     }
/// };
/// answer.push(&plan, "It is $sum", &mut emit);
/// answer.push(&plan, ".", &mut emit);
/// assert!(answer.is_waiting());
///
/// plan.finish("a1", CallResult::success("a1", "add", "", "4"));
/// answer.resume(&plan, &mut emit);
/// assert_eq!(shown, "It is 4.");
/// ```
#[derive(Debug, Default)]
pub struct AnswerRenderer {
    name: PartialName,
    delayed: VecDeque<DelayedPart>,
    /// The number of bytes so far, including the first piece that exceeded the limit.
    emitted: usize,
    /// The maximum number of bytes. Outputs may be far longer than their names.
    limit: Option<usize>,
}

/// A piece of a rendered answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "an answer is text, names in it, and its end")]
pub enum AnswerPiece<'a> {
    /// Text that the person reads.
    Text(&'a str),
    /// A name that is not bound, without the `$`. It stays in the text; this piece only reports it.
    Unbound {
        /// The name.
        name: &'a str,
        /// Whether a call has the name and did not succeed.
        has_failed: bool,
    },
    /// The end of the oldest answer that is still open.
    Close,
}

/// Text at the end of a chunk that may become a name.
#[derive(Debug, Default)]
enum PartialName {
    #[default]
    None,
    /// The text `$`.
    Dollar,
    /// The text `$$`.
    Dollars,
    /// The text `$` and this word.
    Word(String),
    /// The text `$` and a word longer than any name, both of which were already emitted.
    Unbound(String),
}

#[derive(Debug)]
struct DelayedPart {
    /// The number of calls that were written before it.
    calls: usize,
    part: AnswerPart,
}

#[derive(Debug)]
enum AnswerPart {
    Text(String),
    /// The output of a call, and the name that is bound to it.
    Output(usize, String),
    Close,
}

impl AnswerRenderer {
    /// Creates a renderer for a turn.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a renderer for a turn that emits at most this many bytes. The piece that exceeds the
    /// limit and all text after it are dropped.
    pub fn with_limit(bytes: usize) -> Self {
        Self { limit: Some(bytes), ..Self::default() }
    }

    /// Returns whether there was more text than the limit.
    pub fn is_limit_exceeded(&self) -> bool {
        self.limit.is_some_and(|limit| self.emitted > limit)
    }

    /// Takes a piece of the current answer, as the model wrote it.
    pub fn push(&mut self, plan: &Plan, text: &str, emit: &mut dyn FnMut(AnswerPiece<'_>)) {
        let mut rest = text;
        while let Some(&byte) = rest.as_bytes().first()
            && !self.is_limit_exceeded()
        {
            let len = match &mut self.name {
                PartialName::None => {
                    let dollar = rest.find('$').unwrap_or(rest.len());
                    self.emit_or_delay(plan, &rest[..dollar], emit);
                    if dollar < rest.len() {
                        self.name = PartialName::Dollar;
                    }
                    (dollar + 1).min(rest.len())
                }
                PartialName::Dollar if byte == b'$' => {
                    self.name = PartialName::Dollars;
                    1
                }
                PartialName::Dollar if begins_name(byte) => {
                    self.name = PartialName::Word(String::new());
                    0
                }
                // The first `$` is text, and the other two may begin an escaped name.
                PartialName::Dollars if byte == b'$' => {
                    self.emit_or_delay(plan, "$", emit);
                    1
                }
                // The first `$` escapes the second, which therefore begins no name.
                PartialName::Dollars if begins_name(byte) => {
                    self.name = PartialName::None;
                    self.emit_or_delay(plan, "$", emit);
                    let len = name_len(rest);
                    self.emit_or_delay(plan, &rest[..len], emit);
                    len
                }
                PartialName::Word(word) | PartialName::Unbound(word) if name_len(rest) > 0 => {
                    let len = name_len(rest);
                    word.push_str(&rest[..len]);
                    if let PartialName::Unbound(_) = self.name {
                        self.emit_or_delay(plan, &rest[..len], emit);
                    } else {
                        self.release_long(plan, emit);
                    }
                    len
                }
                _ => {
                    self.settle(plan, emit);
                    0
                }
            };
            rest = &rest[len..];
        }
    }

    /// Takes the end of the current answer.
    pub fn close(&mut self, plan: &Plan, emit: &mut dyn FnMut(AnswerPiece<'_>)) {
        self.settle(plan, emit);
        if self.delayed.is_empty() {
            emit(AnswerPiece::Close);
        } else {
            self.delayed.push_back(DelayedPart { calls: 0, part: AnswerPart::Close });
        }
    }

    /// Emits the delayed text that no longer waits for a call. Call it after a call has ended.
    pub fn resume(&mut self, plan: &Plan, emit: &mut dyn FnMut(AnswerPiece<'_>)) {
        while let Some(DelayedPart { calls, part }) = self.delayed.front()
            && !plan.is_barred(*calls)
            && !part.is_pending(plan)
            && let Some(DelayedPart { part, .. }) = self.delayed.pop_front()
        {
            match part {
                AnswerPart::Close => emit(AnswerPiece::Close),
                // Beyond the limit, the text of an output is not even built.
                _ if self.is_limit_exceeded() => {}
                AnswerPart::Text(text) => self.emit(&text, emit),
                AnswerPart::Output(call, name) => match plan.nodes[call].value() {
                    Some(value) => self.emit(&text_of(&value), emit),
                    None => self.unbound(&name, emit),
                },
            }
        }
    }

    /// Returns whether text is delayed.
    pub fn is_waiting(&self) -> bool {
        !self.delayed.is_empty()
    }

    /// Emits the partial name if it is longer than any name.
    fn release_long(&mut self, plan: &Plan, emit: &mut dyn FnMut(AnswerPiece<'_>)) {
        if let PartialName::Word(word) = &mut self.name
            && word.len() > plan.outputs.longest()
        {
            let word = std::mem::take(word);
            self.emit_or_delay(plan, &format!("${word}"), emit);
            self.name = PartialName::Unbound(word);
        }
    }

    /// Emits or delays a partial name that does not continue.
    fn settle(&mut self, plan: &Plan, emit: &mut dyn FnMut(AnswerPiece<'_>)) {
        match std::mem::take(&mut self.name) {
            PartialName::None => {}
            _ if self.is_limit_exceeded() => {}
            PartialName::Dollar => self.emit_or_delay(plan, "$", emit),
            PartialName::Dollars => self.emit_or_delay(plan, "$$", emit),
            PartialName::Word(word) => match plan.outputs.find(&word) {
                Some(Source::Preset(preset)) => {
                    self.emit_or_delay(plan, &text_of(plan.outputs.preset_value(preset)), emit);
                }
                Some(Source::Call(call)) => {
                    let part = AnswerPart::Output(call, word);
                    self.delayed.push_back(DelayedPart { calls: plan.nodes.len(), part });
                    self.resume(plan, emit);
                }
                None => {
                    self.emit_or_delay(plan, &format!("${word}"), emit);
                    emit(AnswerPiece::Unbound { name: &word, has_failed: false });
                }
            },
            PartialName::Unbound(name) => {
                emit(AnswerPiece::Unbound { name: &name, has_failed: false });
            }
        }
    }

    /// Emits text without names, or delays it.
    fn emit_or_delay(&mut self, plan: &Plan, text: &str, emit: &mut dyn FnMut(AnswerPiece<'_>)) {
        let calls = plan.nodes.len();
        if text.is_empty() {
            return;
        }
        if self.delayed.is_empty() && !plan.is_barred(calls) {
            return self.emit(text, emit);
        }
        match self.delayed.back_mut() {
            Some(DelayedPart { calls: same, part: AnswerPart::Text(before) }) if *same == calls => {
                before.push_str(text);
            }
            _ => self
                .delayed
                .push_back(DelayedPart { calls, part: AnswerPart::Text(text.to_owned()) }),
        }
    }

    /// Emits the name of a call that did not succeed, which stays as written.
    fn unbound(&mut self, name: &str, emit: &mut dyn FnMut(AnswerPiece<'_>)) {
        self.emit(&format!("${name}"), emit);
        if !self.is_limit_exceeded() {
            emit(AnswerPiece::Unbound { name, has_failed: true });
        }
    }

    /// Emits text, unless it exceeds the limit.
    fn emit(&mut self, text: &str, emit: &mut dyn FnMut(AnswerPiece<'_>)) {
        if !self.is_limit_exceeded() {
            self.emitted = self.emitted.saturating_add(text.len());
        }
        if !self.is_limit_exceeded() {
            emit(AnswerPiece::Text(text));
        }
    }
}

impl AnswerPart {
    /// Returns whether the part waits for a call.
    fn is_pending(&self, plan: &Plan) -> bool {
        matches!(self, Self::Output(call, _) if !plan.nodes[*call].is_ended())
    }
}
