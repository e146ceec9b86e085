use std::collections::VecDeque;

use silcrow_event::{Diagnostic, DiagnosticKind, Event, Fragment, TextFragment, TextKind};
use silcrow_plan::{AnswerPiece, AnswerRenderer, Plan};

use crate::joiner::TextJoiner;
use crate::step::Step;

/// The answers of a turn whose text may name outputs and wait for calls (P-24, P-26).
#[derive(Debug, Default)]
pub(crate) struct Answers {
    answer: AnswerRenderer,
    /// Those that are not out, in order; the last may still be written.
    sections: VecDeque<Section>,
    /// Of the first of them.
    joiner: TextJoiner,
}

#[derive(Debug)]
struct Section {
    voice: TextKind,
    part: u32,
    /// As the model wrote it.
    wire: String,
    closed: bool,
}

impl Answers {
    /// Of a turn that gives out so many bytes of them at most.
    pub(crate) fn new(most: usize) -> Self {
        Self { answer: AnswerRenderer::with_limit(most), ..Self::default() }
    }

    /// Takes a piece of an answer.
    pub(crate) fn push(
        &mut self,
        text: TextFragment<'_>,
        plan: &Plan,
        take: &mut dyn FnMut(Step<'_>),
    ) {
        let TextFragment { voice, part, text } = text;
        match self.sections.back_mut() {
            Some(section) if !section.closed => section.wire.push_str(text),
            _ => {
                let wire = text.to_owned();
                self.sections.push_back(Section { voice, part, wire, closed: false });
            }
        }
        let (answer, mut out) = self.out(take);
        answer.push(plan, text, &mut |said| out.say(said));
    }

    /// Whether an answer is being written.
    pub(crate) fn is_open(&self) -> bool {
        self.sections.back().is_some_and(|section| !section.closed)
    }

    /// The answer at hand is complete.
    pub(crate) fn close(&mut self, plan: &Plan, take: &mut dyn FnMut(Step<'_>)) {
        if let Some(section) = self.sections.back_mut() {
            section.closed = true;
        }
        let (answer, mut out) = self.out(take);
        answer.close(plan, &mut |said| out.say(said));
    }

    /// Gives out what waits no longer.
    pub(crate) fn resume(&mut self, plan: &Plan, take: &mut dyn FnMut(Step<'_>)) {
        let (answer, mut out) = self.out(take);
        answer.resume(plan, &mut |said| out.say(said));
    }

    /// Whether more was to be given out than may be.
    pub(crate) fn is_too_much(&self) -> bool {
        self.answer.is_over()
    }

    fn out<'a, 't>(
        &'a mut self,
        take: &'a mut (dyn FnMut(Step<'_>) + 't),
    ) -> (&'a mut AnswerRenderer, Out<'a, 't>) {
        let Self { answer, sections, joiner } = self;
        (answer, Out { sections, joiner, take })
    }
}

/// Where the pieces of answers go.
struct Out<'a, 't> {
    sections: &'a mut VecDeque<Section>,
    joiner: &'a mut TextJoiner,
    take: &'a mut (dyn FnMut(Step<'_>) + 't),
}

impl Out<'_, '_> {
    fn say(&mut self, said: AnswerPiece<'_>) {
        let Some(&Section { voice, part, .. }) = self.sections.front() else { return };
        match said {
            AnswerPiece::Text(text) => {
                let text = TextFragment { voice, part, text };
                (self.take)(Step::Show(text));
                self.joiner.push(Fragment::Text(text));
            }
            AnswerPiece::Unbound(name) => (self.take)(Step::Emit(unbound(name))),
            AnswerPiece::Close => {
                let wire = self.sections.pop_front().map(|section| section.wire);
                let joined = self.joiner.push(Fragment::Close { part });
                let Some(Event::Respond(mut respond)) = joined else { return };
                respond.wire = wire
                    .map(|wire| wire.trim_matches([' ', '\t', '\r', '\n']).to_owned())
                    .filter(|wire| *wire != respond.content);
                (self.take)(Step::Emit(Event::Respond(respond)));
            }
        }
    }
}

/// The note of a name that stays as written.
pub(crate) fn unbound(name: &str) -> Event {
    let content = format!("`${name}` is bound by no call before it; it stays as written");
    Diagnostic { kind: DiagnosticKind::Unbound, content, at: 0 }.into()
}
