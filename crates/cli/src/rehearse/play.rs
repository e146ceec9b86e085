use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use silcrow_accumulate::{Accumulator, Step, StopReason};
use silcrow_event::{CallResult, Event, Json, ResultStatus, TextFragment, TextKind};
use silcrow_parser::{Dialect, Options};
use silcrow_plan::{CallEnd, Plan, PlanDecision, PlanUpdate, ReadyCall};

use crate::rehearse::stubs::{Stub, Stubs};
use crate::rehearse::written::Token;

/// A turn that is played in virtual time: the wire text comes token by token, stubs answer its
/// calls, and the real plan decides.
pub(crate) struct Play<'a> {
    accumulator: Accumulator,
    plan: Plan,
    stubs: &'a Stubs,
    rate: f64,
    now: Duration,
    /// How much later than written the text comes, for it waited at execution points.
    late: Duration,
    /// What comes when; of one time in the order in which it was set.
    due: BinaryHeap<Reverse<(Duration, u64, Due)>>,
    set: u64,
}

/// What happened, at a virtual time.
pub(crate) struct Line {
    pub(crate) at: Duration,
    pub(crate) what: What,
}

pub(crate) enum What {
    Event(Event),
    Start(ReadyCall),
    Finish {
        id: String,
        how: CallEnd,
        reason: Option<String>,
    },
    Bind {
        name: String,
        value: Json,
    },
    Text {
        kind: &'static str,
        content: String,
    },
    /// An attempt has failed, another will be made.
    Pause {
        id: String,
    },
    /// The turn is over; only what nobody waits for may still run.
    Done,
}

/// What a step of the turn did.
enum Done {
    Shown(What),
    Decided(PlanDecision),
    Reported(PlanUpdate),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// An attempt ends.
    End { id: String, name: String, attempt: u32, hung: bool },
    /// A pause between two attempts ends.
    Retry { id: String },
}

/// How long a call may take that says nothing of it (P-27).
const TIMEOUT: Duration = Duration::from_secs(60);

/// How long any call may take, whatever it says.
const LONGEST: Duration = Duration::from_secs(60 * 60);

impl<'a> Play<'a> {
    /// `rate` is in tokens a second; with 0 all text comes at once.
    pub(crate) fn new(plan: Plan, options: Options, stubs: &'a Stubs, rate: f64) -> Self {
        let accumulator = Accumulator::new();
        let accumulator = match options.dialect {
            Dialect::Action => accumulator.with_names(),
            _ => accumulator,
        };
        Self {
            accumulator,
            plan,
            stubs,
            rate,
            now: Duration::ZERO,
            late: Duration::ZERO,
            due: BinaryHeap::new(),
            set: 0,
        }
    }

    /// Plays the turn to its end, and on until nothing runs any more.
    pub(crate) fn run(mut self, tokens: &[Token], show: &mut dyn FnMut(Line)) {
        for (index, token) in tokens.iter().enumerate() {
            let written = self.written(index + 1);
            self.pass_until(written + self.late, show);
            for piece in token {
                let stop = self.steps(show, |accumulator, plan, take| {
                    piece.play(accumulator, plan, take);
                });
                if stop == Some(StopReason::Execute) {
                    self.run_batch(show);
                    self.late = self.now.saturating_sub(written);
                }
            }
        }
        self.steps(show, Accumulator::finish);
        while !self.plan.is_settled() && self.next(show) {}
        show(Line { at: self.now, what: What::Done });
        while self.next(show) {}
    }

    /// When the token of this number comes, from 1.
    fn written(&self, token: usize) -> Duration {
        if self.rate > 0.0 {
            Duration::from_secs_f64(token as f64 / self.rate)
        } else {
            Duration::ZERO
        }
    }

    /// The text waits until its batch has ended.
    fn run_batch(&mut self, show: &mut dyn FnMut(Line)) {
        while !self.plan.is_settled() && self.next(show) {}
        for result in self.plan.take_results().unwrap_or_default() {
            show(Line { at: self.now, what: What::Event(Event::Result(result)) });
        }
        // What follows is another answer.
        self.accumulator = Accumulator::new();
    }

    /// All that is due before `then`, or at that time.
    fn pass_until(&mut self, then: Duration, show: &mut dyn FnMut(Line)) {
        while self.due.peek().is_some_and(|Reverse((at, ..))| *at <= then) {
            self.next(show);
        }
        self.now = self.now.max(then);
    }

    /// What is due next; says whether there was anything.
    fn next(&mut self, show: &mut dyn FnMut(Line)) -> bool {
        let Some(Reverse((at, _, due))) = self.due.pop() else { return false };
        let before = self.now;
        self.now = self.now.max(at);
        match due {
            Due::Retry { id } => {
                self.plan.retry(&id);
                self.steps(show, Accumulator::report);
            }
            Due::End { id, .. } if self.plan.outcome(&id).is_some() => self.now = before,
            Due::End { id, name, attempt, hung } => {
                let outcome = self.outcome(&id, &name, attempt, hung);
                match outcome.status() {
                    ResultStatus::Success => self.plan.finish(&id, outcome),
                    ResultStatus::Failure => self.plan.fail(&id, outcome, 0),
                }
                self.steps(show, Accumulator::report);
            }
        }
        true
    }

    /// What comes of an attempt; a failure may be mended by another.
    fn outcome(&self, id: &str, name: &str, attempt: u32, hung: bool) -> CallResult {
        let failed = |why: &str| CallResult::failure(id, Some(name), why, why);
        match self.stubs.of(id, name) {
            _ if hung => failed("timed out"),
            Stub::Fails { why, .. } => failed(&why),
            Stub::Hangs => failed("timed out"),
            Stub::Ends { fail_times, .. } if attempt <= fail_times => {
                failed(&format!("attempt {attempt} failed"))
            }
            Stub::Ends { value, .. } => {
                let value = value.unwrap_or_else(|| Json::string(&format!("{id}:ok")));
                CallResult::success(id, name, "ok", value)
            }
        }
    }

    /// Lets the accumulator take something, and does what it says. Says why it stops, if it does.
    fn steps(
        &mut self,
        show: &mut dyn FnMut(Line),
        push: impl FnOnce(&mut Accumulator, &mut Plan, &mut dyn FnMut(Step<'_>)),
    ) -> Option<StopReason> {
        let at = self.now;
        let mut stop = None;
        let mut done = Vec::new();
        let mut take = |step: Step<'_>, done: &mut Vec<Done>| match step {
            Step::Show(TextFragment { kind: TextKind::Respond { .. }, text, .. }) => {
                done.push(Done::Shown(What::Text { kind: "respond", content: text.to_owned() }));
            }
            Step::Emit(event) => done.push(Done::Shown(What::Event(event))),
            Step::Report(update) => done.push(Done::Reported(update)),
            Step::Stop(why) => stop = Some(why),
            _ => {}
        };
        push(&mut self.accumulator, &mut self.plan, &mut |step| take(step, &mut done));
        while let Some(decision) = self.plan.decide() {
            done.push(Done::Decided(decision));
        }
        self.accumulator.report(&mut self.plan, &mut |step| take(step, &mut done));
        self.accumulator.resume(&mut self.plan, &mut |step| take(step, &mut done));
        for done in done {
            let what = match done {
                Done::Shown(what) => Some(what),
                Done::Decided(decision) => self.decided(decision),
                Done::Reported(update) => self.reported(update),
            };
            if let Some(what) = what {
                show(Line { at, what });
            }
        }
        stop
    }

    fn decided(&mut self, decision: PlanDecision) -> Option<What> {
        Some(match decision {
            PlanDecision::Start(ready) => {
                self.start(&ready);
                What::Start(ready)
            }
            PlanDecision::Retry { id, after } => {
                self.set(self.now + after, Due::Retry { id: id.clone() });
                What::Pause { id }
            }
            _ => return None,
        })
    }

    fn reported(&mut self, update: PlanUpdate) -> Option<What> {
        Some(match update {
            PlanUpdate::End { id, how } => {
                let outcome = self.plan.outcome(&id).filter(|_| how != CallEnd::Ok);
                let reason = outcome.map(|outcome| outcome.content.text().into_owned());
                What::Finish { id, how, reason }
            }
            PlanUpdate::Bind { name, value } => What::Bind { name, value },
            _ => return None,
        })
    }

    fn start(&mut self, ready: &ReadyCall) {
        let (id, name) = (ready.id().to_owned(), ready.name().to_owned());
        let timeout = ready.timeout().unwrap_or(TIMEOUT).min(LONGEST);
        let takes = match self.stubs.of(&id, &name) {
            Stub::Ends { ms, .. } | Stub::Fails { ms, .. } => Duration::from_millis(ms),
            Stub::Hangs => Duration::MAX,
        };
        let (takes, hung) = if takes > timeout { (timeout, true) } else { (takes, false) };
        let end = Due::End { id, name, attempt: ready.attempt(), hung };
        self.set(self.now.saturating_add(takes), end);
    }

    fn set(&mut self, at: Duration, due: Due) {
        self.due.push(Reverse((at, self.set, due)));
        self.set += 1;
    }
}
