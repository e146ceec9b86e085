//! Answers in which `$name` is replaced by an output, from the model's text to an event.
//!
//! An answer is *open* while the model writes it, then *closed*, and *done* once the renderer has
//! emitted all of its text.

use std::collections::VecDeque;

use silcrow_event::{Diagnostic, DiagnosticKind, Event, TextFragment, TextKind};
use silcrow_plan::{AnswerPiece, AnswerRenderer, Plan};

use crate::joiner::TextJoiner;
use crate::step::Step;

/// The answers of a turn, whose text may name outputs and wait for calls (P-24, P-26).
#[derive(Debug, Default)]
pub(crate) struct Answers {
    renderer: AnswerRenderer,
    /// The answers that are not done, in order; the last may still be open.
    pending: VecDeque<PendingAnswer>,
    /// The joiner of the text of the first pending answer.
    joiner: TextJoiner,
}

#[derive(Debug)]
struct PendingAnswer {
    kind: TextKind,
    part: u32,
    /// The text as the model wrote it.
    wire: String,
    closed: bool,
}

impl Answers {
    /// Creates the answers of a turn, of which at most so many bytes are shown.
    pub(crate) fn new(most: usize) -> Self {
        Self { renderer: AnswerRenderer::with_limit(most), ..Self::default() }
    }

    /// Takes a piece of an answer.
    pub(crate) fn push(
        &mut self,
        text: TextFragment<'_>,
        plan: &Plan,
        take: &mut dyn FnMut(Step<'_>),
    ) {
        let TextFragment { kind, part, text, .. } = text;
        match self.pending.back_mut() {
            Some(answer) if !answer.closed => answer.wire.push_str(text),
            _ => {
                let wire = text.to_owned();
                self.pending.push_back(PendingAnswer { kind, part, wire, closed: false });
            }
        }
        let (renderer, mut output) = self.split(take);
        renderer.push(plan, text, &mut |piece| output.emit(piece));
    }

    /// Returns whether an answer is being written.
    pub(crate) fn is_open(&self) -> bool {
        self.pending.back().is_some_and(|answer| !answer.closed)
    }

    /// Takes the end of the open answer.
    pub(crate) fn close(&mut self, plan: &Plan, take: &mut dyn FnMut(Step<'_>)) {
        if let Some(answer) = self.pending.back_mut() {
            answer.closed = true;
        }
        let (renderer, mut output) = self.split(take);
        renderer.close(plan, &mut |piece| output.emit(piece));
    }

    /// Emits the text that no longer waits for a call.
    pub(crate) fn resume(&mut self, plan: &Plan, take: &mut dyn FnMut(Step<'_>)) {
        let (renderer, mut output) = self.split(take);
        renderer.resume(plan, &mut |piece| output.emit(piece));
    }

    /// Returns whether the text exceeds its limit.
    pub(crate) fn is_too_much(&self) -> bool {
        self.renderer.is_limit_exceeded()
    }

    fn split<'a, 't>(
        &'a mut self,
        take: &'a mut (dyn FnMut(Step<'_>) + 't),
    ) -> (&'a mut AnswerRenderer, AnswerOutput<'a, 't>) {
        let Self { renderer, pending, joiner } = self;
        (renderer, AnswerOutput { pending, joiner, take })
    }
}

/// The output of the renderer, which becomes output of the accumulator.
struct AnswerOutput<'a, 't> {
    pending: &'a mut VecDeque<PendingAnswer>,
    joiner: &'a mut TextJoiner,
    take: &'a mut (dyn FnMut(Step<'_>) + 't),
}

impl AnswerOutput<'_, '_> {
    fn emit(&mut self, piece: AnswerPiece<'_>) {
        let Some(&PendingAnswer { kind, part, .. }) = self.pending.front() else { return };
        match piece {
            AnswerPiece::Text(text) => {
                let text = TextFragment { kind, part, id: None, text };
                (self.take)(Step::Show(text));
                self.joiner.push_text(text);
            }
            AnswerPiece::Unbound { name, has_failed: false } => {
                (self.take)(Step::Emit(unbound(name)));
                (self.take)(Step::Unbound { name, has_failed: false });
            }
            AnswerPiece::Unbound { name, has_failed: true } => {
                let content = format!("the call of `${name}` did not succeed; it stays as written");
                let kind = DiagnosticKind::Unbound;
                (self.take)(Step::Emit(Diagnostic { kind, content, at: None }.into()));
                (self.take)(Step::Unbound { name, has_failed: true });
            }
            AnswerPiece::Close => {
                let wire = self.pending.pop_front().map(|answer| answer.wire);
                let Some(Event::Respond(mut respond)) = self.joiner.close() else { return };
                respond.wire = wire
                    .map(|wire| wire.trim_matches([' ', '\t', '\r', '\n']).to_owned())
                    .filter(|wire| *wire != respond.content);
                (self.take)(Step::Emit(Event::Respond(respond)));
            }
        }
    }
}

/// Returns the event that reports a name that is not bound.
pub(crate) fn unbound(name: &str) -> Event {
    let content = format!("`${name}` is bound by no call before it; it stays as written");
    Diagnostic { kind: DiagnosticKind::Unbound, content, at: None }.into()
}
