use std::future::pending;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_accumulate::{Accumulator, Step};
use silcrow_event::{Approval, Call, CallResult, Event, Fragment};
use silcrow_exec::{CallOutcome, CallUpdate, Runner, Toolbox};
use silcrow_parser::{Dialect, Parser};
use silcrow_plan::{Plan, ReadyCall};
use silcrow_provider::Delta;
use tokio::time::sleep;

use crate::error::Error;
use crate::options::EagerStart;
use crate::parts::AgentParts;
use crate::runner::approval;
use crate::silence::SilentAnswer;
use crate::sink::OutputSink;
use crate::step::{AnswerEnd, PendingStep, Steps};

/// One answer of the model, being read, and the calls that it set going.
pub(crate) struct Turn {
    pub(crate) number: u32,
    parser: Option<Parser>,
    accumulator: Accumulator,
    runner: Runner,
    /// Pauses before another attempt at a call, which they give.
    pauses: FuturesUnordered<BoxFuture<'static, String>>,
    steps: Steps,
    eager: EagerStart,
    tools: Arc<Toolbox>,
    /// In `action` a result is stored when its call ends, and a response may end the run (P-22).
    is_action: bool,
    /// The answer is read on for what the vendor reports behind it.
    pub(crate) reports: bool,
    /// Something of the answer came.
    has_begun: bool,
    /// The vendor says that the model called a tool in the vendor's own way.
    pub(crate) called_natively: bool,
}

/// What a turn waits for.
pub(crate) enum TurnEvent {
    News(CallUpdate),
    /// The pause before another attempt at this call is over.
    Paused(String),
}

impl Turn {
    pub(crate) fn new(parts: &AgentParts, runner: Runner, number: u32) -> Self {
        let options = &parts.options;
        let parser = Parser::new(options.dialect);
        let is_action = options.dialect.dialect == Dialect::Action;
        let accumulator =
            Accumulator::with_limits(options.answer).with_plan(Plan::with_limits(options.plan));
        Self {
            number,
            parser: Some(if options.call_text { parser.with_call_text() } else { parser }),
            accumulator: if is_action { accumulator.with_names() } else { accumulator },
            runner,
            pauses: FuturesUnordered::new(),
            steps: Steps::new(number),
            eager: options.eager,
            tools: Arc::clone(&parts.tools),
            is_action,
            reports: true,
            has_begun: false,
            called_natively: false,
        }
    }

    /// Whether the answer is still read.
    pub(crate) const fn is_read(&self) -> bool {
        self.steps.end.is_none()
    }

    /// Whether it is read, or a call has not ended that it waits for.
    pub(crate) fn is_open(&self) -> bool {
        self.is_read() || !self.accumulator.is_settled()
    }

    /// Whether a call has not ended, waited for or not.
    pub(crate) fn is_running(&self) -> bool {
        self.accumulator.is_running()
    }

    /// Whether the model is to be asked again (P-22); `results` are those that go to it.
    pub(crate) fn continues(&self, results: &[CallResult]) -> bool {
        match self.is_action {
            true => self.steps.is_continued && !self.accumulator.is_answered(),
            false => !results.is_empty(),
        }
    }

    /// Whether something of the answer came before it ended.
    pub(crate) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the model wrote a final answer.
    pub(crate) const fn is_said(&self) -> bool {
        self.steps.is_said
    }

    /// What the answer holds, if it says nothing and calls nothing. A model that has `said`
    /// something in an earlier step may end with its end mark alone.
    pub(crate) fn silence(&self, said: bool) -> Option<SilentAnswer> {
        let ends = self.accumulator.is_ended();
        if self.steps.is_said || (said && ends) {
            return None;
        }
        Some(match (self.called_natively, self.steps.is_thought, ends) {
            (true, ..) => SilentAnswer::NativeCall,
            (_, true, _) => SilentAnswer::Thoughts,
            (.., true) => SilentAnswer::End,
            _ => SilentAnswer::Nothing,
        })
    }

    /// Why it is read no further.
    pub(crate) fn take_end(&mut self) -> Option<AnswerEnd> {
        self.steps.end.take()
    }

    /// The results that go to the model and are not stored, by position.
    pub(crate) fn take_results(&mut self) -> Vec<CallResult> {
        let results = self.accumulator.take_results().unwrap_or_default();
        if self.is_action { Vec::new() } else { results }
    }

    /// A piece of wire text, to the screen without a wait.
    pub(crate) fn read(&mut self, text: &str, tap: &mut OutputSink<'_>) {
        self.has_begun = true;
        let Self { parser, accumulator, steps, eager, tools, .. } = self;
        if let Some(parser) = parser {
            let admitted = accumulator.admit(text);
            parser.push(admitted, &mut |fragment| {
                let mut take = |step: Step<'_>| steps.take(step, tap);
                match &fragment {
                    Fragment::Call(call) if starts_early(call, *eager, tools) => {
                        accumulator.push_early(fragment, &mut take);
                    }
                    _ => accumulator.push(fragment, &mut take),
                }
            });
            if admitted.len() < text.len() {
                accumulator.too_much(&mut |step| steps.take(step, tap));
            }
        }
    }

    /// A piece of reasoning that the provider gives beside the wire.
    pub(crate) fn reason(&mut self, text: &str, tap: &mut OutputSink<'_>) {
        self.has_begun = true;
        let Self { accumulator, steps, .. } = self;
        accumulator.reason(text, &mut |step| steps.take(step, tap));
    }

    /// How long, from the end of the part that is read, the vendor's report is waited for: longer
    /// while calls run and where nothing follows, so that the next request does not wait for it.
    pub(crate) fn patience(&self) -> Duration {
        if self.is_open() || !self.steps.is_continued { REPORT } else { REPORT_BETWEEN_STEPS }
    }

    /// A delta behind the part that is read. Text means that the model goes on for nothing.
    pub(crate) fn report(&mut self, delta: Option<Result<Delta, silcrow_provider::Error>>) {
        match delta {
            Some(Ok(Delta::Usage(_))) => {}
            // Blanks may follow the end; they count like everything else.
            Some(Ok(Delta::Text(text))) if text.trim().is_empty() => {
                self.reports = self.accumulator.admit(&text).len() == text.len();
            }
            _ => self.reports = false,
        }
    }

    /// The answer ended well.
    pub(crate) fn end(&mut self, tap: &mut OutputSink<'_>) {
        self.close(AnswerEnd::Well, tap);
    }

    /// The answer ended badly: nothing more is started.
    pub(crate) fn fail(&mut self, error: Error, tap: &mut OutputSink<'_>) {
        let why = format!("cancelled: the answer did not come to its end: {error}");
        self.abort("cancelled", &why, tap);
        self.close(AnswerEnd::Badly(error), tap);
    }

    /// The run is stopped, for this reason, by the person or by a limit.
    pub(crate) fn stop(&mut self, why: &str, end: AnswerEnd, tap: &mut OutputSink<'_>) {
        self.runner.cancel();
        self.pauses.clear();
        self.abort("cancelled", &format!("cancelled: {why}"), tap);
        self.close(end, tap);
    }

    /// Waits for what the calls do. Cancel-safe.
    pub(crate) async fn next_event(&mut self) -> TurnEvent {
        let Self { runner, pauses, .. } = self;
        tokio::select! {
            Some(news) = runner.next() => TurnEvent::News(news),
            Some(id) = pauses.next() => TurnEvent::Paused(id),
            else => pending().await,
        }
    }

    pub(crate) fn apply(&mut self, happened: TurnEvent, tap: &mut OutputSink<'_>) {
        let Self { accumulator, steps, .. } = self;
        let mut take = |step: Step<'_>| steps.take(step, tap);
        match happened {
            TurnEvent::Paused(id) => accumulator.retry(&id, &mut take),
            TurnEvent::News(CallUpdate::Ended(CallOutcome { id, outcome, retries })) => {
                match retries {
                    Some(retries) => accumulator.failure(&id, outcome, retries, &mut take),
                    None => accumulator.outcome(&id, outcome, &mut take),
                }
            }
            TurnEvent::News(CallUpdate::Progress(progress)) => {
                steps.push(PendingStep::Emit(Event::Progress(progress)));
            }
            TurnEvent::News(CallUpdate::Inner(entry)) => steps.push(PendingStep::Pass(entry)),
            TurnEvent::News(news) => {
                if let Some(event) = approval(news) {
                    if let Event::Approval(Approval { id, scope: Some(covers), .. }) = &event {
                        let grant = PendingStep::Grant(id.clone(), covers.clone());
                        steps.push(PendingStep::Emit(event));
                        steps.push(grant);
                        return;
                    }
                    steps.push(PendingStep::Emit(event));
                }
            }
        }
    }

    /// Does what waits, in order: stores, shows and starts; in the `last` step of a run nothing is
    /// started.
    pub(crate) async fn settle(
        &mut self,
        last: bool,
        tap: &mut OutputSink<'_>,
    ) -> Result<(), Error> {
        let (mut events, mut ready) = (Vec::new(), Vec::new());
        loop {
            let step = self.steps.pop();
            // What is to be started is stored before, and starts before what stands behind it.
            if matches!(
                step,
                None | Some(
                    PendingStep::Show(_)
                        | PendingStep::Pass(_)
                        | PendingStep::Stop(_)
                        | PendingStep::Grant(..)
                )
            ) {
                tap.emit(self.number, std::mem::take(&mut events)).await?;
                self.start(std::mem::take(&mut ready), last, tap);
            }
            match step {
                Some(PendingStep::Emit(event)) => events.push(event),
                Some(PendingStep::Start(call)) => ready.push(call),
                Some(PendingStep::Stop(id)) => self.runner.stop(&id),
                Some(PendingStep::Retry(id, after)) => {
                    self.pauses.push(sleep(jittered(after)).map(|()| id).boxed());
                }
                Some(PendingStep::Show(piece)) => {
                    let place = tap.log.place(self.number);
                    piece.show(tap, place);
                }
                Some(PendingStep::Pass(entry)) => tap.pass_entry(&entry),
                Some(PendingStep::Grant(id, covers)) => {
                    tap.log.grant(self.number, &id, &covers).await?
                }
                None if self.steps.is_empty() => return Ok(()),
                None => {}
            }
        }
    }

    fn start(&mut self, ready: Vec<ReadyCall>, last: bool, tap: &mut OutputSink<'_>) {
        if last && !ready.is_empty() {
            let why = "not started: this was the last step of the run";
            return self.abort("not started", why, tap);
        }
        for call in ready {
            self.runner.start(call);
        }
    }

    /// Shows what calls that were stopped still do, and waits for its end.
    pub(crate) async fn drain(&mut self, tap: &mut OutputSink<'_>) {
        let mut show = |news| {
            if let CallUpdate::Inner(entry) = news {
                tap.pass_entry(&entry);
            }
        };
        self.runner.drain(&mut show).await;
    }

    /// Nothing more is started; what has not ended gets this result.
    fn abort(&mut self, summary: &str, why: &str, tap: &mut OutputSink<'_>) {
        let Self { accumulator, steps, .. } = self;
        accumulator.abort(summary, why, &mut |step| steps.take(step, tap));
    }

    /// The end of the wire text closes what is open.
    fn close(&mut self, end: AnswerEnd, tap: &mut OutputSink<'_>) {
        let Self { parser, accumulator, steps, .. } = self;
        if let Some(parser) = parser.take() {
            let mut take = |step: Step<'_>| steps.take(step, tap);
            parser.finish(&mut |fragment| accumulator.push(fragment, &mut take));
            accumulator.finish(&mut take);
        }
        self.reports = false;
        self.steps.end = Some(end);
    }
}

/// How long a vendor's report may take, while nobody waits.
const REPORT: Duration = Duration::from_secs(1);

/// How long it may keep the model's next step waiting.
const REPORT_BETWEEN_STEPS: Duration = Duration::from_millis(100);

/// P-23.
fn starts_early(call: &Call, eager: EagerStart, tools: &Toolbox) -> bool {
    match eager {
        EagerStart::Off => false,
        // A policy that panics is the runner's to answer (P-27).
        EagerStart::ReadOnly => tools.get(call.name()).is_some_and(|tool| {
            catch_unwind(AssertUnwindSafe(|| tool.policy().read_only)).unwrap_or(false)
        }),
        EagerStart::All => true,
    }
}

/// Up to a quarter longer, so that many who failed together do not come back together (P-27).
pub(crate) fn jittered(pause: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) >> 40;
    pause.mul_f64(1.0 + random as f64 / f64::from(1 << 26))
}
