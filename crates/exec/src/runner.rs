//! The runner: calls in parallel, with limits, approvals and cancellation.
//!
//! ```text
//! started ─► waits for approval ─► waits for a place ─► runs ─► ended, and reported
//!    │              │ denied                                       ▲
//!    └── cannot run ┴──────────────────────────────────────────────┘
//! any of these ── stop, cancel ──► dropped, and not reported
//! ```
//!
//! A runner has the calls that wait and run, without their plan: it neither retries nor orders
//! them.

mod attempts;
mod awaiting;
mod items;
mod lines;
mod parking;
mod settings;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::CallKind;
use silcrow_plan as plan;
use silcrow_tool::{Approver, BasicValidator, CancellationToken, Scope, Spill, Toolbox, Validator};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use self::awaiting::RunningAttempt;
use self::lines::AttemptLines;
use crate::approval_queue::{ApprovalQueue, ApprovalStep, DecidedCall};
use crate::call::{AttemptEnd, CheckedCall, Clearance, RunnableCall};
use crate::journal::{Journal, NoJournal};
use crate::limits::RunnerLimits;
use crate::matched_tool::{Refusal, match_tool};
use crate::recorded::RecordedResults;
use crate::rollback_count::RollbackCount;
use crate::task_tracker::TaskTracker;
use crate::update::CallUpdate;

/// Runs calls in parallel. Each attempt that was started and not stopped ends once.
///
/// The runner belongs to one loop, which starts calls with [`start`](Self::start) and waits for
/// updates with [`next`](Self::next). Dropping it stops running calls.
pub struct Runner {
    toolbox: Arc<Toolbox>,
    validator: Arc<dyn Validator>,
    journal: Arc<dyn Journal>,
    spill: Option<Arc<dyn Spill>>,
    /// The results of the conversation that is replayed.
    recorded: Option<Arc<RecordedResults>>,
    settings: RunnerLimits,
    /// Whether the start of each attempt is reported.
    reports_starts: bool,
    /// Whether the approver is asked about requests of running calls.
    asks_at_walls: bool,
    scope: Scope,
    /// A child of the scope's token, for the calls that run now.
    cancel: CancellationToken,
    /// Calls that wait for approval.
    approvals: ApprovalQueue,
    /// Calls that wait for a place.
    waiting: VecDeque<RunnableCall>,
    running: JoinSet<(u64, AttemptEnd)>,
    /// The call of each attempt that runs, and the handle that stops it.
    attempts: HashMap<u64, RunningAttempt>,
    /// The calls that were stopped and are awaited, and whether their tools had begun.
    stops: JoinSet<(String, bool)>,
    stopping: BTreeSet<String>,
    /// The calls that an earlier process started, and that wait for answers inside them.
    resumed: BTreeSet<String>,
    /// The calls that wait for answers inside them, in the order in which they said so.
    parked: Vec<String>,
    /// Work of calls that continues when they are stopped.
    tracker: TaskTracker,
    /// The number of the last attempt.
    last: u64,
    /// The answers that are not reported yet. Their calls wait until they are.
    answers: VecDeque<DecidedCall>,
    /// The updates that are ready, with the ids of their calls.
    ready: VecDeque<(String, CallUpdate)>,
    /// The channels of attempts, from the first attempt on.
    lines: Option<Box<AttemptLines>>,
}

/// The time that stopped calls have for work that they must finish.
const GRACE: Duration = Duration::from_secs(5);

/// The time for which a run that is stopped still takes back the changes of its transactions.
pub(crate) const ROLLBACK: Duration = Duration::from_secs(30);

impl Runner {
    /// Creates a runner of these tools, with the default limits and the [`BasicValidator`].
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use silcrow_exec::Runner;
    /// use silcrow_tool::{DenyAll, Toolbox};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let mut runner = Runner::new(Arc::new(Toolbox::new()), Arc::new(DenyAll));
    /// // No call was started, so there is nothing to wait for.
    /// assert_eq!(runner.next().await, None);
    /// # }
    /// ```
    pub fn new(toolbox: Arc<Toolbox>, approver: Arc<dyn Approver>) -> Self {
        let scope = Scope::default();
        Self {
            toolbox,
            validator: Arc::new(BasicValidator),
            journal: Arc::new(NoJournal),
            spill: None,
            recorded: None,
            settings: RunnerLimits::default(),
            reports_starts: false,
            asks_at_walls: true,
            cancel: scope.cancellation.child_token(),
            scope,
            approvals: ApprovalQueue::new(approver),
            waiting: VecDeque::new(),
            running: JoinSet::new(),
            attempts: HashMap::new(),
            stops: JoinSet::new(),
            stopping: BTreeSet::new(),
            resumed: BTreeSet::new(),
            parked: Vec::new(),
            tracker: TaskTracker::default(),
            last: 0,
            answers: VecDeque::new(),
            ready: VecDeque::new(),
            lines: None,
        }
    }

    /// Approves all calls of this kind, name and scope ([`Preview`](crate::Preview)), because a
    /// person did so for the conversation.
    pub fn grant(&mut self, kind: CallKind, name: impl Into<String>, scope: impl Into<String>) {
        self.approvals.grant(kind, name.into(), scope.into());
        self.waiting.extend(self.approvals.freed());
    }

    /// Takes an attempt at a call. It runs once there is a free place and it is approved, if its
    /// tool's policy or the approver's [permissions](Approver::permissions) demand an approval. A call
    /// that cannot run ends with a failure that gives the reason.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn start(&mut self, mut ready: plan::ReadyCall) {
        match match_tool(&mut ready, &self.toolbox, &*self.validator) {
            Ok(matched) => {
                let call = CheckedCall { ready, matched };
                if call.ready.undoes().is_some_and(|undone| undone.is_by_tool) {
                    self.waiting.push_back(RunnableCall::undoing(call));
                    return self.start_waiting();
                }
                let has_permissions = self.approvals.has_permissions();
                match call.without_approval(self.recorded.as_deref(), has_permissions) {
                    Clearance::Given(call) => self.waiting.push_back(call),
                    Clearance::Needed(call) => {
                        let context = self.preview_context(call.ready.id());
                        let max_timeout = self.settings.max_timeout;
                        let must_ask = self.recorded.is_some();
                        let cleared = self.approvals.push(call, context, max_timeout, must_ask);
                        self.waiting.extend(cleared);
                    }
                }
            }
            Err(refusal) => self.refuse(&ready, refusal),
        }
        self.start_waiting();
    }

    /// Waits for the next update; `None` if nothing runs and nothing waits, or if everything was
    /// stopped because the scope's token is cancelled. Waits forever while the runner
    /// [is parked](Self::is_parked). Cancel-safe.
    pub async fn next(&mut self) -> Option<CallUpdate> {
        loop {
            if self.cancel.is_cancelled() {
                self.cancel();
                return self.next_stopped().await;
            }
            self.approvals.tell();
            self.start_waiting();
            if let Some(answered) = self.answers.pop_front() {
                return Some(self.take_answer(answered));
            }
            if let Some((_, update)) = self.ready.pop_front() {
                return Some(update);
            }
            self.approvals.ask();
            let is_idle = self.running.is_empty() && !self.approvals.is_waiting();
            if is_idle && !self.is_parked() {
                return self.next_stopped().await;
            }
            let AttemptLines { receiver, wall, .. } = &mut **self.lines.get_or_insert_default();
            // Updates of running calls come last, so that a flood of them delays nothing else.
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {}
                Some(ended) = self.running.join_next() => self.ended(ended),
                Some(stopped) = self.stops.join_next() => return Some(self.stopped(stopped)),
                Some(step) = self.approvals.step() => match step {
                    ApprovalStep::Granted(call) => self.waiting.push_back(call),
                    ApprovalStep::Refused(ready, refusal) => self.refuse(&ready, refusal),
                    ApprovalStep::Answered(answered) => self.answers.extend(answered),
                    ApprovalStep::Item(id) => return Some(CallUpdate::AsksAboutItem { id }),
                    ApprovalStep::AtWall(update) => return Some(update),
                    ApprovalStep::Parked(ids) => {
                        let parked = |id: String| (id.clone(), CallUpdate::Parked { id });
                        self.ready.extend(ids.into_iter().map(parked));
                    }
                    ApprovalStep::Ready => {}
                },
                Some(request) = wall.recv() => self.meet(request),
                Some((attempt, update)) = receiver.recv() => {
                    if self.attempts.contains_key(&attempt) {
                        return Some(*update);
                    }
                }
            }
        }
    }

    /// Returns whether it never got a call, so that waiting is not needed.
    pub(crate) fn is_unused(&self) -> bool {
        self.last == 0
            && self.waiting.is_empty()
            && self.ready.is_empty()
            && self.answers.is_empty()
            && self.parked.is_empty()
            && !self.approvals.is_waiting()
    }

    /// Returns whether a call has begun and has not ended.
    pub(crate) fn has_started(&self, id: &str) -> bool {
        self.attempts.values().any(|attempt| attempt.id == id)
            || self.parked.iter().any(|call| call == id)
    }

    /// Stops one call: it is dropped, never starts, or its question is withdrawn. The runner
    /// reports no outcome; the plan gives the call its result.
    pub fn stop(&mut self, id: &str) {
        self.approvals.withdraw(id);
        self.parked.retain(|call| call != id);
        self.waiting.retain(|call| call.id() != id);
        self.ready.retain(|(call, _)| call != id);
        self.answers.retain(|answered| !answered.is_about(id));
        self.attempts.retain(|_, attempt| {
            let goes_on = attempt.id != id;
            if !goes_on {
                attempt.stop.abort();
            }
            goes_on
        });
    }

    /// Stops everything at once: running tools are dropped, waiting calls never start, requests for
    /// approval are withdrawn. The runner reports no outcomes; the plan gives these calls their
    /// results (P-28). Calls that are started later run.
    pub fn cancel(&mut self) {
        mem::replace(&mut self.cancel, self.scope.cancellation.child_token()).cancel();
        self.approvals.withdraw_all();
        self.parked.clear();
        self.waiting.clear();
        self.answers.clear();
        let attempts: Vec<_> = self.attempts.keys().copied().collect();
        attempts.into_iter().for_each(|attempt| self.await_attempt(attempt));
        self.running = JoinSet::new();
        self.ready.retain(|(_, update)| matches!(update, CallUpdate::Stopped { .. }));
    }

    /// Waits at most 5 seconds for the work that stopped calls must finish
    /// ([`CallContext::run_to_end`](crate::CallContext::run_to_end)), and reports its updates; half
    /// a minute more while something in it is rolled back (P-32). Call it once no call runs.
    pub async fn drain(&mut self, report: &mut (dyn FnMut(CallUpdate) + Send)) {
        let mut left = self.tracker.take_tasks();
        if left.is_empty() && self.lines.is_none() {
            return;
        }
        let (patience, mut is_extended) = (sleep(GRACE), false);
        let lines = self.lines.get_or_insert_default();
        tokio::pin!(patience);
        while !left.is_empty() {
            tokio::select! {
                biased;
                Some((_, update)) = lines.receiver.recv() => report(*update),
                Some(_) = left.join_next() => {}
                () = &mut patience => {
                    if is_extended || !RollbackCount::is_above_zero(&self.scope) {
                        return;
                    }
                    is_extended = true;
                    patience.as_mut().reset(Instant::now() + ROLLBACK);
                }
            }
        }
        while let Some((_, update)) = lines.try_recv() {
            report(*update);
        }
    }

    /// Fills the free places, and announces the next request for approval.
    fn start_waiting(&mut self) {
        if self.cancel.is_cancelled() {
            return;
        }
        loop {
            let announced = self.approvals.announce();
            if announced.is_empty() {
                break;
            }
            let asked =
                |(id, subject): (String, _)| (id.clone(), CallUpdate::Asked { id, subject });
            self.ready.extend(announced.into_iter().map(asked));
        }
        while self.attempts.len() < self.settings.max_parallel.get()
            && let Some(call) = self.waiting.pop_front()
        {
            self.run(call);
        }
    }

    fn refuse(&mut self, ready: &plan::ReadyCall, refusal: Refusal) {
        let ended = refusal.ended(ready, self.settings.output_cap, &self.scope.secrets);
        self.ready.push_back((ended.id.clone(), CallUpdate::Ended(ended)));
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("settings", &self.settings)
            .field("unapproved", &self.approvals.len())
            .field("waiting", &self.waiting.len())
            .field("running", &self.running.len())
            .finish_non_exhaustive()
    }
}
