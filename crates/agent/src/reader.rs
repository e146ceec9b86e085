//! The reader of one answer: from deltas to the outbox and the plan.
//!
//! ```text
//! reading ── end mark, execution point, Done ──► ended well
//!    ├── error, limit, length, filter ──► ended badly
//!    └── the run is stopped ──► cancelled
//! ```
//!
//! A reader knows the parser, the accumulator and what the answer has contained so far. It does not
//! know the runner: the plan and the outbox are passed in.

mod content;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use silcrow_accumulate::{Accumulator, Step};
use silcrow_event::{Call, Entry, Fragment};
use silcrow_native::{MixedForms, NativeFamily};
use silcrow_parser::{Dialect, Options, Parser};
use silcrow_plan::Plan;
use silcrow_provider as provider;
use silcrow_provider::{Delta, FinishReason};
use silcrow_tool::Toolbox;

use crate::error::{Error, ErrorKind};
use crate::fault::AnswerFault;
use crate::native_forms::NativeForms;
use crate::options::EagerStart;
use crate::outbox::Outbox;
use crate::parts::AgentParts;
use crate::review::AnswerReview;
use crate::sink::OutputSink;
use crate::template::TemplateFilter;

use content::AnswerContent;
pub(crate) use content::AnswerEnd;

/// Reads one answer of the model.
pub(crate) struct TurnReader {
    /// `None` once the wire text has ended.
    parser: Option<Parser>,
    /// What reads the native forms of models in its fragments, if any are read.
    native: Option<MixedForms>,
    families: Vec<NativeFamily>,
    template: TemplateFilter,
    accumulator: Accumulator,
    eager: EagerStart,
    tools: Arc<Toolbox>,
    is_action: bool,
    /// Whether a piece of the answer has arrived.
    has_begun: bool,
    has_unopened_thought: bool,
    /// The number of bytes that the parser has taken.
    read: u64,
    options: Options,
    review: AnswerReview,
    content: AnswerContent,
}

/// Where the output of a reader goes.
pub(crate) struct ReaderOutput<'t, 's> {
    pub(crate) plan: &'t mut Plan,
    pub(crate) outbox: &'t mut Outbox,
    pub(crate) sink: &'t mut OutputSink<'s>,
}

impl TurnReader {
    pub(crate) fn new(parts: &AgentParts, tools: &Arc<Toolbox>, forms: NativeForms) -> Self {
        let options = &parts.options;
        let parser = Parser::new(options.dialect).with_reasoning_tags();
        let is_action = options.dialect.dialect == Dialect::Action;
        let accumulator = Accumulator::with_limits(options.answer);
        Self {
            parser: Some(if options.call_text { parser.with_call_text() } else { parser }),
            native: forms.reader(is_action, options.call_text),
            families: forms.families,
            accumulator: if is_action { accumulator.with_names() } else { accumulator },
            eager: options.eager,
            tools: Arc::clone(tools),
            is_action,
            has_begun: false,
            has_unopened_thought: false,
            read: 0,
            template: TemplateFilter::default(),
            options: options.dialect,
            review: AnswerReview::default(),
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

    /// Returns whether the dialect is `action`: a result is stored when its call ends, and a
    /// response may end the run (P-22).
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
        self.has_unopened_thought
    }

    /// Returns whether the model wrote a final answer.
    pub(crate) const fn is_answered(&self) -> bool {
        self.content.is_answered
    }

    /// Returns what is wrong with the answer, given the entries before it and its own. `was_answered`
    /// says whether an earlier step of the run answered.
    pub(crate) fn fault(
        &mut self,
        before: &[Entry],
        own: &[&Entry],
        was_answered: bool,
    ) -> Option<AnswerFault> {
        let Self { review, content, options, tools, .. } = self;
        for (name, has_failed) in content.unbound.drain(..) {
            review.push_unbound(&name, has_failed);
        }
        review.fault(before, own, was_answered, *options, tools)
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
            Some(Ok(Delta::Done(FinishReason::Length))) => {
                let why = "the answer reached the model's length limit; ask for less, or continue";
                return Err(Error::new(ErrorKind::Length, why));
            }
            Some(Ok(Delta::Done(FinishReason::Filter))) => {
                let why = "the provider withheld the rest of the answer; ask in another way";
                return Err(Error::new(ErrorKind::Filter, why));
            }
            Some(Ok(Delta::Done(FinishReason::Stop))) => self.close(AnswerEnd::Well, output),
            Some(Ok(Delta::Done(FinishReason::ToolUse))) => {
                self.review.called_natively = true;
                self.close(AnswerEnd::Well, output);
            }
            Some(Ok(Delta::Done(finish))) => {
                let why =
                    format!("the answer ended in a way that is not known ({finish:?}); run again");
                return Err(provider::Error::new(provider::ErrorKind::Malformed, why).into());
            }
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
    /// vendor's report. Text means that the model writes on, which nobody reads.
    pub(crate) fn push_report(&mut self, delta: Option<Result<Delta, provider::Error>>) -> bool {
        match delta {
            Some(Ok(Delta::Usage(_))) => true,
            // White space may follow the end; it counts toward the limits like other text.
            Some(Ok(Delta::Text(text))) => {
                self.review.push_after_end(&text);
                text.trim().is_empty() && self.accumulator.admit(&text).len() == text.len()
            }
            _ => false,
        }
    }

    /// Ends the wire text, and with it what is still open in it.
    pub(crate) fn close(&mut self, end: AnswerEnd, output: &mut ReaderOutput<'_, '_>) {
        let mut rest = String::new();
        self.template.finish(&mut |text| rest.push_str(text));
        self.parse(&rest, output);
        let Self { parser, native, accumulator, content, review, options, tools, .. } = self;
        if let Some(parser) = parser.take() {
            review.end_text();
            review.may_be_plain = parser.may_answer_plainly();
            self.has_unopened_thought = parser.has_unopened_thought();
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
        let Self {
            parser, native, accumulator, content, eager, tools, review, options, read, ..
        } = self;
        let Some(parser) = parser else { return };
        let admitted = accumulator.admit(text);
        let had_end = parser.ended_at().is_some();
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
            Some(native) => {
                parser.push(admitted, &mut |fragment| native.push(fragment, &mut take));
            }
            None => parser.push(admitted, &mut take),
        }
        *read += admitted.len() as u64;
        if let (false, Some(end)) = (had_end, parser.ended_at()) {
            let after = usize::try_from(read.saturating_sub(end)).unwrap_or(admitted.len());
            review.push_after_end(&admitted[admitted.len().saturating_sub(after)..]);
        }
        if admitted.len() < text.len() {
            output.run(accumulator, content, Accumulator::end_at_limit);
        }
    }
}

impl ReaderOutput<'_, '_> {
    /// Runs an operation of the accumulator and puts everything that follows from it into the
    /// outbox: the accumulator's instructions, the plan's decisions, and the answers that waited
    /// for them.
    fn run(
        &mut self,
        accumulator: &mut Accumulator,
        content: &mut AnswerContent,
        act: impl FnOnce(&mut Accumulator, &mut Plan, &mut dyn FnMut(Step<'_>)),
    ) {
        let Self { plan, outbox, sink } = self;
        act(accumulator, plan, &mut |step| content.apply(step, outbox, sink));
        loop {
            while let Some(decision) = plan.decide() {
                outbox.decision(decision);
            }
            // A call may fail when it starts, and an answer may exceed a limit.
            accumulator.report(plan, &mut |step| content.apply(step, outbox, sink));
            accumulator.resume(plan, &mut |step| content.apply(step, outbox, sink));
            if !plan.has_decisions() {
                return;
            }
        }
    }
}

/// Returns whether a call may start before its execution point (P-23).
fn starts_early(call: &Call, eager: EagerStart, tools: &Toolbox) -> bool {
    match eager {
        EagerStart::Off => false,
        // The runner reports a policy that panics (P-27).
        EagerStart::ReadOnly => tools.get(call.name()).is_some_and(|tool| {
            catch_unwind(AssertUnwindSafe(|| tool.policy().may_start_early())).unwrap_or(false)
        }),
        EagerStart::All => true,
    }
}
