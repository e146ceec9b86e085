//! The reader of one answer: from deltas to the outbox and the plan.
//!
//! ```text
//! reading ── end mark, execution point, Done ──► ended well
//!    ├── error, limit, length, filter ──► ended badly
//!    └── the run is stopped ──► cancelled
//! ```
//!
//! A reader has the parser, the accumulator and the content of the answer so far. The plan and the
//! outbox are passed in.

mod answer_parser;
mod content;
mod native_answer;
mod output;

use std::sync::Arc;

use silcrow_accumulate::Accumulator;
use silcrow_event::{Entry, Fragment, OpaqueData};
use silcrow_native::{MixedForms, NativeFamily};
use silcrow_parser::{Dialect, Options, Parser};
use silcrow_provider as provider;
use silcrow_provider::{Delta, FinishReason};
use silcrow_tool::Toolbox;

use crate::error::Error;
use crate::fault::AnswerFault;
use crate::native_forms::NativeForms;
use crate::options::EagerStart;
use crate::parts::AgentParts;
use crate::review::AnswerReview;
use crate::template::TemplateFilter;

use answer_parser::AnswerParser;
pub(crate) use content::AnswerEnd;
use content::{AnswerContent, incomplete};
use native_answer::NativeAnswer;
pub(crate) use output::ReaderOutput;
use output::starts_early;

/// Reads one answer of the model.
pub(crate) struct TurnReader {
    /// `None` once the wire text has ended.
    parser: Option<AnswerParser>,
    /// The reader of models' native forms in the fragments, if any are read.
    native: Option<MixedForms>,
    families: Vec<NativeFamily>,
    template: TemplateFilter,
    accumulator: Accumulator,
    eager: EagerStart,
    tools: Arc<Toolbox>,
    is_action: bool,
    /// Whether a piece of the answer has arrived.
    has_begun: bool,
    /// The number of bytes that the parser has taken.
    read: u64,
    options: Options,
    /// The name of the model, to which opaque data belongs.
    model: Arc<str>,
    review: AnswerReview,
    content: AnswerContent,
}

impl TurnReader {
    pub(crate) fn new(parts: &AgentParts, tools: &Arc<Toolbox>, forms: NativeForms) -> Self {
        let options = &parts.options;
        let is_native = options.calls.is_native();
        // Answers with a vendor's own calls have the batches of this dialect.
        let notation = if is_native { Dialect::Sigil.into() } else { options.dialect };
        let is_action = notation.dialect == Dialect::Action;
        let model = parts.provider.name();
        let parser = if is_native {
            AnswerParser::Native(NativeAnswer::new(model, options.call_text))
        } else {
            let parser = Parser::new(notation).with_reasoning_tags();
            let parser = if options.call_text { parser.with_call_text() } else { parser };
            AnswerParser::Wire(Box::new(parser))
        };
        let accumulator = Accumulator::with_limits(options.answer);
        Self {
            parser: Some(parser),
            native: forms.reader(is_action, options.call_text),
            families: forms.families,
            accumulator: if is_action { accumulator.with_names() } else { accumulator },
            eager: options.eager,
            tools: Arc::clone(tools),
            is_action,
            has_begun: false,
            read: 0,
            template: TemplateFilter::default(),
            options: notation,
            model: model.into(),
            review: AnswerReview::new(is_native),
            content: AnswerContent::default(),
        }
    }

    /// Returns the families whose native forms are read.
    pub(crate) fn families(&self) -> impl Iterator<Item = NativeFamily> {
        self.families.iter().copied()
    }

    /// Returns whether more wire text may arrive, which is possible even after the execution point.
    pub(crate) const fn is_open(&self) -> bool {
        self.parser.is_some()
    }

    /// Returns whether the answer is still read.
    pub(crate) const fn is_reading(&self) -> bool {
        self.content.end.is_none()
    }

    /// Returns whether a piece of the answer has arrived.
    pub(crate) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns whether the dialect is `action`, in which a response may end the run (P-22).
    pub(crate) const fn is_action(&self) -> bool {
        self.is_action
    }

    /// Returns whether the model wrote something to which it expects an answer (P-22).
    pub(crate) const fn is_continued(&self) -> bool {
        self.content.is_continued
    }

    /// Returns whether the model has begun a final response in the dialect `action` (P-22).
    pub(crate) fn has_final_response(&self) -> bool {
        self.accumulator.has_final_response()
    }

    /// Returns whether the text began in a thought that the prompt had opened (P-38).
    pub(crate) const fn has_unopened_thought(&self) -> bool {
        self.review.has_unopened_thought
    }

    /// Returns whether the model wrote a final answer.
    pub(crate) const fn is_answered(&self) -> bool {
        self.content.is_answered
    }

    /// Returns the fault of the answer, given the entries before it and its own. `was_answered`
    /// says whether an earlier step of the run answered, and `is_asked` whether this one was asked
    /// for the end of that answer.
    pub(crate) fn fault(
        &mut self,
        before: &[Entry],
        own: &[&Entry],
        was_answered: bool,
        is_asked: bool,
    ) -> Option<AnswerFault> {
        let Self { review, content, options, tools, .. } = self;
        for (name, has_failed) in content.unbound.drain(..) {
            review.push_unbound(&name, has_failed);
        }
        // In `action` an empty response is the only end.
        let is_closed = was_answered && (review.has_end() || self.is_action && is_asked);
        review.fault(before, own, is_closed, *options, tools)
    }

    /// Returns whether the answer is text that no delimiter opens and no end closes.
    pub(crate) fn lacks_end(&self) -> bool {
        self.review.lacks_end()
    }

    /// Takes the reason why the answer is read no further.
    pub(crate) fn take_end(&mut self) -> Option<AnswerEnd> {
        self.content.end.take()
    }

    /// Takes a delta of the answer. Pending calls start at the end of the answer only if the
    /// provider reports a regular end (P-14).
    ///
    /// # Errors
    ///
    /// Returns the error with which the answer ends badly.
    pub(crate) fn push(
        &mut self,
        delta: Option<Result<Delta, provider::Error>>,
        output: &mut ReaderOutput<'_, '_>,
    ) -> Result<(), Error> {
        match delta {
            Some(Ok(Delta::Text(text))) => self.read(&text, output),
            Some(Ok(Delta::Reasoning(text))) => {
                self.has_begun = true;
                let Self { accumulator, content, .. } = self;
                output.run(accumulator, content, |accumulator, plan, take| {
                    accumulator.push_reasoning(&text, plan, take);
                });
            }
            Some(Ok(Delta::Opaque(data))) => {
                let data = OpaqueData::new(&*self.model, data);
                let Self { accumulator, content, .. } = self;
                output.run(accumulator, content, |accumulator, _, take| {
                    accumulator.push_opaque(data, take);
                });
            }
            Some(Ok(Delta::Call(delta))) => {
                self.has_begun = true;
                self.feed(output, |parser, sink| {
                    if let AnswerParser::Native(answer) = parser {
                        answer.push_call(delta, sink);
                    }
                });
            }
            Some(Ok(Delta::Done(FinishReason::Stop))) => self.close(AnswerEnd::Well, output),
            Some(Ok(Delta::Done(FinishReason::ToolUse))) => {
                self.review.called_natively = true;
                self.close(AnswerEnd::Well, output);
            }
            Some(Ok(Delta::Done(finish))) => return Err(incomplete(finish)),
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error.into()),
            None => {
                let why = "the answer ended without its end mark; run again";
                return Err(provider::Error::new(provider::ErrorKind::Cut, why).into());
            }
        }
        Ok(())
    }

    /// Takes a delta after the end of the answer, and returns whether to keep waiting for the
    /// vendor's report. Text means that the model writes on, which nobody reads unless it begins like a
    /// call.
    pub(crate) fn push_report(&mut self, delta: Option<Result<Delta, provider::Error>>) -> bool {
        match delta {
            Some(Ok(Delta::Usage(_))) => true,
            // White space may follow the end; it counts toward the limits like other text.
            Some(Ok(Delta::Text(text))) => {
                self.review.push_after_end(&text);
                let may_matter = text.trim().is_empty() || self.review.after_end.may_call();
                may_matter && self.accumulator.admit(&text).len() == text.len()
            }
            _ => false,
        }
    }

    /// Ends the wire text, and the sections that are still open in it.
    pub(crate) fn close(&mut self, end: AnswerEnd, output: &mut ReaderOutput<'_, '_>) {
        let mut rest = String::new();
        self.template.finish(&mut |text| rest.push_str(text));
        self.parse(&rest, output);
        let Self { parser, native, accumulator, content, review, options, tools, .. } = self;
        if let Some(parser) = parser.take() {
            review.end_text();
            review.may_be_plain = parser.may_answer_plainly();
            review.has_unopened_thought = parser.has_unopened_thought();
            let mut native = native.take();
            if let Some(native) = &mut native {
                native.end_text();
            }
            let mut take = |fragment: Fragment<'_>| {
                // The end of the text closes a section, which ends no answer.
                let is_over = matches!(fragment, Fragment::Close { .. });
                if content.end.is_none() && !is_over && !review.is_next_turn(&fragment) {
                    review.push(&fragment, *options, tools);
                }
                output.run(accumulator, content, |accumulator, plan, take| {
                    accumulator.push(fragment, plan, take);
                });
            };
            let mut pass = |fragment: Fragment<'_>| match &mut native {
                Some(native) => native.push(fragment, &mut take),
                None => take(fragment),
            };
            match &end {
                AnswerEnd::Well => parser.finish(&mut pass),
                AnswerEnd::Badly(_) | AnswerEnd::Cancelled => parser.finish_cut(&mut pass),
            }
            match (native, &end) {
                (None, _) => {}
                (Some(native), AnswerEnd::Well) => native.finish(&mut take),
                (Some(native), _) => native.finish_cut(&mut take),
            }
            output.run(accumulator, content, Accumulator::finish);
        }
        content.end = Some(end);
    }

    /// Prevents that further calls are executed, because the answer failed. The caller cancels the
    /// plan.
    pub(crate) fn abort(&mut self) {
        self.accumulator.abort();
    }

    /// Emits the outcomes of the calls, and the events that follow from them.
    pub(crate) fn report(&mut self, output: &mut ReaderOutput<'_, '_>) {
        output.run(&mut self.accumulator, &mut self.content, Accumulator::report);
    }

    /// Reads a piece of wire text. Its text is on the screen before anything is awaited.
    fn read(&mut self, text: &str, output: &mut ReaderOutput<'_, '_>) {
        self.has_begun = true;
        let mut template = std::mem::take(&mut self.template);
        template.push(text, &mut |text| self.parse(text, output));
        self.template = template;
    }

    /// Parses a piece of wire text without the tokens of templates.
    fn parse(&mut self, text: &str, output: &mut ReaderOutput<'_, '_>) {
        let Some(parser) = &self.parser else { return };
        let had_end = parser.ended_at().is_some();
        let admitted = self.accumulator.admit(text);
        self.feed(output, |parser, sink| parser.push(admitted, sink));
        self.read += admitted.len() as u64;
        let end = self.parser.as_ref().and_then(AnswerParser::ended_at);
        if let (false, Some(end)) = (had_end, end) {
            let after = usize::try_from(self.read.saturating_sub(end)).unwrap_or(admitted.len());
            self.review.push_after_end(&admitted[admitted.len().saturating_sub(after)..]);
        }
        if admitted.len() < text.len() {
            let Self { accumulator, content, .. } = self;
            output.run(accumulator, content, Accumulator::end_at_limit);
        }
    }

    /// Has the parser read something, and takes the fragments that it emits.
    fn feed(
        &mut self,
        output: &mut ReaderOutput<'_, '_>,
        read: impl FnOnce(&mut AnswerParser, &mut dyn FnMut(Fragment<'_>)),
    ) {
        let Self { parser, native, accumulator, content, eager, tools, review, options, .. } = self;
        let Some(parser) = parser else { return };
        let mut take = |fragment: Fragment<'_>| {
            if content.end.is_none() && review.is_next_turn(&fragment) {
                output.run(accumulator, content, Accumulator::finish);
                content.end = Some(AnswerEnd::Well);
            }
            if content.end.is_none() {
                review.push(&fragment, *options, tools);
            }
            let is_early = match &fragment {
                Fragment::Call(call) => starts_early(call, *eager, tools),
                _ => false,
            };
            output.run(accumulator, content, |accumulator, plan, take| match is_early {
                true => accumulator.push_early(fragment, plan, take),
                false => accumulator.push(fragment, plan, take),
            });
        };
        match native {
            Some(native) => read(parser, &mut |fragment| native.push(fragment, &mut take)),
            None => read(parser, &mut take),
        }
    }
}
