//! One driver for the calls of a turn: it pairs a plan with a runner.
//!
//! The plan decides which call may run, the runner runs it, and the driver carries decisions one
//! way and outcomes the other. The driver itself keeps only the calls that pause before another
//! attempt, and the blocks with a time limit, each with the end of its time. It stores nothing, and
//! it starts nothing by itself: its owner first stores events, and then calls
//! [`CallDriver::start`], or [`CallDriver::carry_out`] with one decision at a time.
//!
//! ```text
//!        calls, execution points                    start
//! owner ─────────────────────────► Plan ── decisions ──► Runner, pauses
//!   ▲                                ▲                      │
//!   │ updates to store and show      └────── outcomes ◄─────┤ next
//!   └─────────────────────────────── approvals, progress ◄──┘
//! ```
//!
//! An attempt is *decided* by the plan, *started*, and then it *ends* once: with an outcome, or
//! because it is stopped. A call whose attempt failed may *pause*; the end of the pause makes it
//! ready again. After [`CallDriver::cancel`] every call has a result and nothing runs, except work
//! that must be finished, for which [`CallDriver::drain`] waits.

mod update_source;
mod work;

use std::collections::BTreeSet;
use std::future::pending;

use silcrow_event::{CallResult, OpenQuestion};
use silcrow_plan::{Plan, PlanDecision};
use tokio::time::{Instant, sleep_until};

use self::update_source::UpdateSource;
use crate::approval_queue::MOST_ITEMS;
use crate::rollback_count::RollbackGuard;
use crate::runner::{ROLLBACK, Runner};
use crate::update::{CallOutcome, CallUpdate};

/// Drives the calls of one turn.
///
/// ```
/// # use silcrow_event::Call;
/// # use silcrow_exec::{CallDriver, Runner};
/// # use silcrow_plan::Plan;
/// # use silcrow_tool::{DenyAll, Toolbox};
/// # use std::sync::Arc;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let runner = Runner::new(Arc::new(Toolbox::new()), Arc::new(DenyAll));
/// let mut driver = CallDriver::new(Plan::new(), runner);
/// driver.plan_mut().push(Call::parse("a1", r#"{"name": "add"}"#).unwrap());
/// driver.plan_mut().reach_execution_point();
/// driver.start();
/// while driver.next().await.is_some() {
///     // Store and show what the plan reports, and then:
///     driver.start();
/// }
/// assert!(driver.plan().outcome("a1").unwrap().content.text().contains("unknown tool `add`"));
/// # }
/// ```
#[derive(Debug)]
pub struct CallDriver {
    plan: Plan,
    runner: Runner,
    pauses: Vec<RetryPause>,
    /// The blocks that have a time limit.
    limits: Vec<BlockLimit>,
    rollback: Rollback,
}

/// The rollback of failed transactions.
#[derive(Debug, Default)]
struct Rollback {
    /// The runner of the calls that do so, which no cancellation of the run reaches.
    runner: Option<Box<Runner>>,
    /// The calls that are awaited, and those that have stopped before somebody asked.
    awaited: BTreeSet<String>,
    stopped: BTreeSet<String>,
    /// The time at which it is given up, because the run is stopped.
    until: Option<Instant>,
    /// Lets the runs around wait for it.
    guard: Option<RollbackGuard>,
}

/// Something that happened while calls ran.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "an event is taken as soon as it is made")]
pub enum DriverEvent {
    /// An attempt or a pause has ended. The plan may now have updates to report and attempts to
    /// start.
    Advanced,
    /// A call reports something, or an approver is asked about it. This is never the end of an
    /// attempt.
    Reported(CallUpdate),
}

/// A call that waits before its next attempt.
#[derive(Debug)]
struct RetryPause {
    id: String,
    until: Instant,
}

/// A block that ends at a time, unless it has ended before.
#[derive(Debug)]
struct BlockLimit {
    id: String,
    until: Instant,
}

impl CallDriver {
    /// Creates the driver of a plan whose calls a runner runs.
    pub fn new(plan: Plan, runner: Runner) -> Self {
        Self { plan, runner, pauses: vec![], limits: vec![], rollback: Rollback::default() }
    }

    /// Returns the plan.
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the plan, to push calls and to take updates and results. Pass each decision that you
    /// take from it to [`carry_out`](Self::carry_out).
    pub const fn plan_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }

    /// Carries out everything that the plan has decided: starts attempts, begins pauses, and stops
    /// calls. Call it after storing the events that must be stored before a call starts.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn start(&mut self) {
        while let Some(decision) = self.plan.decide() {
            self.carry_out(decision);
        }
    }

    /// Carries out one decision of the plan, as [`start`](Self::start) does with all of them. An
    /// attempt whose call has ended meanwhile does not start.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn carry_out(&mut self, decision: PlanDecision) {
        match decision {
            PlanDecision::Start(ready) if self.plan.outcome(ready.id()).is_some() => {}
            PlanDecision::Start(ready) if ready.undoes().is_some() => {
                let shielded = || Box::new(self.runner.shielded());
                self.rollback.runner.get_or_insert_with(shielded).start(ready);
            }
            PlanDecision::Start(ready) => self.runner.start(ready),
            PlanDecision::Retry { id, .. } if self.plan.outcome(&id).is_some() => {}
            PlanDecision::Retry { id, after } => {
                let until = Instant::now() + self.runner.limits().jittered(after);
                self.pauses.push(RetryPause { id, until });
            }
            PlanDecision::Time { id, after } => {
                // A time that cannot be represented never comes.
                let until = Instant::now().checked_add(after);
                self.limits.extend(until.map(|until| BlockLimit { id, until }));
            }
            PlanDecision::Await { id } => self.stop_and_await(id),
            PlanDecision::Stop { id } => {
                self.pauses.retain(|pause| pause.id != id);
                self.runner.stop(&id);
            }
            _ => {}
        }
    }

    /// Waits for the next event; `None` if no call runs, pauses or waits for approval. Cancels all
    /// calls once the token of the runner's scope is cancelled. Cancel-safe.
    pub async fn next(&mut self) -> Option<DriverEvent> {
        let Self { plan, runner, pauses, limits, rollback } = self;
        if rollback.until.is_some() && !plan.is_rolling_back() {
            (rollback.until, rollback.guard) = (None, None);
        }
        limits.retain(|limit| plan.outcome(&limit.id).is_none());
        let over = limits.iter().min_by_key(|limit| limit.until);
        let over = over.map(|limit| (limit.id.clone(), limit.until));
        let timed_out = async {
            match &over {
                Some((_, until)) => sleep_until(*until).await,
                None => pending().await,
            }
        };
        let given_up = async {
            match rollback.until {
                Some(until) => sleep_until(until).await,
                None => pending().await,
            }
        };
        let taken_back = async {
            match &mut rollback.runner {
                Some(runner) => runner.next().await,
                None => None,
            }
        };
        let first = pauses.iter().enumerate().min_by_key(|(_, pause)| pause.until);
        let first = first.map(|(index, pause)| (index, pause.until));
        let paused = async {
            match first {
                Some((index, until)) => {
                    sleep_until(until).await;
                    index
                }
                None => pending().await,
            }
        };
        tokio::select! {
            // Pauses come first, so that a flood of progress does not delay them.
            biased;
            index = paused, if first.is_some() => {
                plan.retry(&pauses.swap_remove(index).id);
                Some(DriverEvent::Advanced)
            }
            () = timed_out, if over.is_some() => {
                let id = over.as_ref().map_or("", |(id, _)| id);
                limits.retain(|limit| limit.id != id);
                plan.time_out(id);
                Some(DriverEvent::Advanced)
            }
            () = given_up, if rollback.until.is_some() => {
                self.give_up_rollback();
                Some(DriverEvent::Advanced)
            }
            Some(update) = taken_back => Some(self.take(update, UpdateSource::Rollback)),
            Some(update) = runner.next() => Some(self.take(update, UpdateSource::Turn)),
            else => {
                let was_stopped = plan.is_running();
                if was_stopped {
                    self.cancel("cancelled", "cancelled: the run was stopped");
                }
                was_stopped.then_some(DriverEvent::Advanced)
            }
        }
    }

    /// Takes a report of a runner. Nobody waits for a person's answer about a call that takes
    /// another one back.
    fn take(&mut self, update: CallUpdate, source: UpdateSource) -> DriverEvent {
        let plan = &mut self.plan;
        match update {
            CallUpdate::Ended(CallOutcome { id, outcome, retries, has_run }) => {
                match retries {
                    Some(retries) => plan.fail(&id, outcome, retries),
                    None if has_run => plan.finish(&id, outcome),
                    None => plan.refuse(&id, outcome),
                }
                DriverEvent::Advanced
            }
            CallUpdate::Stopped { id, has_run } => {
                if !self.rollback.awaited.remove(&id) && has_run {
                    self.rollback.stopped.insert(id.clone());
                }
                plan.stopped(&id, has_run);
                DriverEvent::Advanced
            }
            CallUpdate::Parked { id } if source == UpdateSource::Rollback => {
                let why = "it needs an approval, and nobody could be asked";
                if let Some(runner) = &mut self.rollback.runner {
                    runner.stop(&id);
                }
                plan.refuse(&id, CallResult::framework_failure(&*id, None, "denied", why));
                DriverEvent::Advanced
            }
            CallUpdate::AsksAboutItem { id } => {
                if source == UpdateSource::Turn {
                    let others = plan.other_items(&id, MOST_ITEMS);
                    others.into_iter().for_each(|other| self.runner.foresee(other));
                }
                DriverEvent::Advanced
            }
            update => DriverEvent::Reported(update),
        }
    }

    /// Stops a call, and tells the plan when nothing of it runs any more.
    fn stop_and_await(&mut self, id: String) {
        self.pauses.retain(|pause| pause.id != id);
        if self.rollback.stopped.remove(&id) {
            self.plan.stopped(&id, true);
        } else if self.rollback.awaited.insert(id.clone()) {
            self.runner.stop_and_await(&id);
        }
    }

    /// Ends the calls that take others back, because the run is stopped and its time is over.
    fn give_up_rollback(&mut self) {
        self.rollback.until = None;
        if let Some(runner) = &mut self.rollback.runner {
            runner.cancel();
        }
        let why = format!("not done {} s after the run was stopped", ROLLBACK.as_secs());
        self.plan.give_up_rollback(&why);
        self.pauses.retain(|pause| self.plan.outcome(&pause.id).is_none());
    }

    /// Returns whether nothing is left to do but to answer questions that the approver left open
    /// ([`Runner::is_parked`]).
    pub fn is_parked(&self) -> bool {
        let is_rolling_back = self.rollback.runner.as_ref().is_some_and(|runner| !runner.is_idle());
        self.pauses.is_empty()
            && !is_rolling_back
            && self.rollback.awaited.is_empty()
            && self.runner.is_parked()
    }

    /// Returns the questions that the approver left open, in the order of the calls.
    pub fn open_questions(&self) -> Vec<OpenQuestion> {
        self.runner.open_questions()
    }

    /// Returns the ids of the calls that wait for answers to questions of calls inside them.
    pub fn parked_calls(&self) -> &[String] {
        self.runner.parked_calls()
    }

    /// Stops every call at once, and ends each that has not ended. `summary` is a few words for a
    /// person; the model reads `why`.
    ///
    /// A transaction that has begun is rolled back (P-32): continue to drive while the plan [is
    /// running](Plan::is_running), which takes at most 30 seconds. Another cancellation changes
    /// nothing.
    pub fn cancel(&mut self, summary: &str, why: &str) {
        self.plan.cancel(summary, why);
        self.plan.awaited().into_iter().for_each(|id| self.stop_and_await(id));
        self.runner.cancel();
        self.pauses.retain(|pause| self.plan.outcome(&pause.id).is_none());
        self.limits.clear();
        if self.plan.is_rolling_back() {
            self.rollback.until.get_or_insert_with(|| Instant::now() + ROLLBACK);
            self.rollback.guard =
                self.rollback.guard.take().or_else(|| self.runner.rollback_guard());
        }
    }

    /// Cancels every call that has not started, and all that are still to come; running calls
    /// continue. A call that waits for approval or for a free place has not started. Carry out the
    /// decisions that follow, with [`start`](Self::start) for example.
    pub fn cancel_waiting(&mut self, summary: &str, why: &str) {
        let Self { plan, runner, .. } = self;
        plan.cancel_waiting(&|id| runner.has_started(id), summary, why);
    }

    /// Waits for the work that stopped calls must finish, as [`Runner::drain`] does.
    pub async fn drain(&mut self, report: &mut (dyn FnMut(CallUpdate) + Send)) {
        self.runner.drain(report).await;
    }
}
