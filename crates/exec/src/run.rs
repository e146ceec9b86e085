use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::mem;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::CallKind;
use silcrow_plan as plan;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::sleep;

use crate::approval_queue::{ApprovalQueue, Step};
use crate::approve::Approver;
use crate::call::{Call, Clearance, Cleared, Means};
use crate::cancellation::CancellationToken;
use crate::context::CallContext;
use crate::fit::{Refusal, fit};
use crate::journal::{Journal, JournalError};
use crate::limits::RunnerLimits;
use crate::scope::Scope;
use crate::spill::Spill;
use crate::task_tracker::TaskTracker;
use crate::toolbox::Toolbox;
use crate::update::{CallOutcome, CallUpdate};
use crate::validate::{BasicValidator, Validator};

/// Runs calls in parallel. Each attempt that was started and not stopped ends once.
///
/// The runner belongs to one loop, which hands calls in with [`start`](Self::start) and waits at
/// [`next`](Self::next). Dropping it stops what runs.
pub struct Runner {
    toolbox: Arc<Toolbox>,
    validator: Arc<dyn Validator>,
    journal: Arc<dyn Journal>,
    spill: Option<Arc<dyn Spill>>,
    settings: RunnerLimits,
    scope: Scope,
    /// A child of the scope's token, for the calls that run now.
    cancel: CancellationToken,
    /// Calls that wait for a yes.
    questions: ApprovalQueue,
    /// Calls that wait for a place.
    waiting: VecDeque<Cleared>,
    running: JoinSet<(u64, CallOutcome)>,
    /// The call of each attempt that runs, and how to stop it.
    attempts: HashMap<u64, (String, AbortHandle)>,
    house: TaskTracker,
    /// The number of the last attempt.
    last: u64,
    /// What is told before anything is waited for, with the id of its call.
    told: VecDeque<(String, CallUpdate)>,
    /// What running attempts have to tell.
    heard: mpsc::Receiver<(u64, CallUpdate)>,
    tell: mpsc::Sender<(u64, CallUpdate)>,
}

/// How long calls that were stopped may go on with what they see through.
const GRACE: Duration = Duration::from_secs(5);

/// Pieces of news that running calls may be ahead of whoever listens.
const NEWS: usize = 256;

impl Runner {
    /// A runner of these tools, with the default settings and the [`BasicValidator`] validator.
    pub fn new(toolbox: Arc<Toolbox>, approver: Arc<dyn Approver>) -> Self {
        let (tell, heard) = mpsc::channel(NEWS);
        let scope = Scope::default();
        Self {
            toolbox,
            validator: Arc::new(BasicValidator),
            journal: Arc::new(JournalError),
            spill: None,
            settings: RunnerLimits::default(),
            cancel: scope.cancellation.child_token(),
            scope,
            questions: ApprovalQueue::new(approver),
            waiting: VecDeque::new(),
            running: JoinSet::new(),
            attempts: HashMap::new(),
            house: TaskTracker::default(),
            last: 0,
            told: VecDeque::new(),
            heard,
            tell,
        }
    }

    /// The same runner with other bounds.
    #[must_use]
    pub fn with_limits(self, settings: RunnerLimits) -> Self {
        Self { settings, ..self }
    }

    /// The same runner with somebody who is told before each call starts.
    #[must_use]
    pub fn with_journal(self, journal: impl Journal + 'static) -> Self {
        Self { journal: Arc::new(journal), ..self }
    }

    /// The same runner with another validator.
    #[must_use]
    pub fn with_validator(self, validator: Arc<dyn Validator>) -> Self {
        Self { validator, ..self }
    }

    /// The same runner with somebody who keeps what calls give beyond their caps.
    #[must_use]
    pub fn with_spill(self, spill: Arc<dyn Spill>) -> Self {
        Self { spill: Some(spill), ..self }
    }

    /// Sets the scope that its calls see. When the scope's token is cancelled, nothing starts any
    /// more, and [`next`](Self::next) stops everything that runs.
    #[must_use]
    pub fn with_scope(self, scope: Scope) -> Self {
        Self { cancel: scope.cancellation.child_token(), scope, ..self }
    }

    /// Nobody is asked about calls of this kind, name and scope ([`Preview`](crate::Preview)): a
    /// person allowed it for the conversation.
    pub fn grant(&mut self, kind: CallKind, name: impl Into<String>, scope: impl Into<String>) {
        self.questions.grant(kind, name.into(), scope.into());
        self.waiting.extend(self.questions.freed());
    }

    /// Starts an attempt at a call: at once, when there is a place, or when somebody said yes to
    /// it, as its tool's policy has it. A call that cannot run is answered with a failure that says
    /// why.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn start(&mut self, ready: plan::ReadyCall) {
        match fit(&ready, &self.toolbox, &*self.validator) {
            Ok(fit) => match (Call { ready, fit }).without_approval() {
                Clearance::Given(call) => self.waiting.push_back(call),
                Clearance::Needed(call) => {
                    let context = self.context(call.ready.id());
                    let longest = self.settings.longest;
                    self.waiting.extend(self.questions.push(call, context, longest));
                }
            },
            Err(refusal) => self.refuse(&ready, refusal),
        }
        self.start_waiting();
    }

    /// Waits for what there is to tell; `None` if nothing runs and nothing waits. Cancel-safe.
    pub async fn next(&mut self) -> Option<CallUpdate> {
        loop {
            if self.cancel.is_cancelled() {
                self.cancel();
                return None;
            }
            self.start_waiting();
            if let Some((_, news)) = self.told.pop_front() {
                return Some(news);
            }
            self.questions.ask(self.scope.conversation_id(), &self.scope.agent_path);
            if self.running.is_empty() && !self.questions.is_waiting() {
                return None;
            }
            // What is heard comes last, so that a flood of it holds back no end and no answer.
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {}
                Some(ended) = self.running.join_next() => self.ended(ended),
                Some(step) = self.questions.step() => match step {
                    Step::Granted(call) => self.waiting.push_back(call),
                    Step::Refused(ready, refusal) => self.refuse(&ready, refusal),
                    Step::Answered(outcome, news) => {
                        match outcome {
                            Ok(call) => self.waiting.push_back(call),
                            Err((ready, refusal)) => self.refuse(&ready, refusal),
                        }
                        self.waiting.extend(self.questions.freed());
                        return Some(news);
                    }
                    Step::Ready => {}
                },
                Some((attempt, news)) = self.heard.recv() => {
                    if self.attempts.contains_key(&attempt) {
                        return Some(news);
                    }
                }
            }
        }
    }

    /// Stops one call: it is dropped, never starts, or is asked about no more. Its plan answers it.
    pub fn stop(&mut self, id: &str) {
        self.questions.withdraw(id);
        self.waiting.retain(|call| call.id() != id);
        self.told.retain(|(call, _)| call != id);
        self.attempts.retain(|_, (call, attempt)| {
            let goes_on = call != id;
            if !goes_on {
                attempt.abort();
            }
            goes_on
        });
    }

    /// Stops everything at once: running tools are dropped, waiting calls never start, questions
    /// are taken back. None of these calls has an outcome here, their plan answers
    /// them (P-28). [`start`](Self::start) begins anew.
    pub fn cancel(&mut self) {
        mem::replace(&mut self.cancel, self.scope.cancellation.child_token()).cancel();
        self.questions.withdraw_all();
        self.waiting.clear();
        self.running = JoinSet::new();
        self.attempts.clear();
        self.told.clear();
    }

    /// Waits for what stopped calls see through ([`CallContext::run_to_end`]), 5 seconds at most, and
    /// tells what they have to tell. For when no call runs any more.
    pub async fn drain(&mut self, tell: &mut (dyn FnMut(CallUpdate) + Send)) {
        let mut left = self.house.take_tasks();
        let patience = sleep(GRACE);
        tokio::pin!(patience);
        while !left.is_empty() {
            tokio::select! {
                biased;
                Some((_, news)) = self.heard.recv() => tell(news),
                Some(_) = left.join_next() => {}
                () = &mut patience => return,
            }
        }
        while let Ok((_, news)) = self.heard.try_recv() {
            tell(news);
        }
    }

    /// Fills the free places, and tells of the next question.
    fn start_waiting(&mut self) {
        if self.cancel.is_cancelled() {
            return;
        }
        if let Some((id, subject)) = self.questions.announce() {
            self.told.push_back((id.clone(), CallUpdate::Asked { id, subject }));
        }
        while self.attempts.len() < self.settings.max_parallel.get()
            && let Some(call) = self.waiting.pop_front()
        {
            self.run(call);
        }
    }

    fn run(&mut self, call: Cleared) {
        self.last += 1;
        let (attempt, id) = (self.last, call.id().to_owned());
        let RunnerLimits { output_cap, longest, .. } = self.settings;
        let cap = call.policy().output_cap.map_or(output_cap, |cap| cap.min(output_cap));
        let context = self
            .context(&id)
            .with_approved(call.approved())
            .capped(cap)
            .with_updates((attempt, self.tell.clone()));
        let (journal, spill) = (Arc::clone(&self.journal), self.spill.clone());
        let means = Means { journal, spill, context, longest };
        let stop = self.running.spawn(async move { (attempt, call.run(means).await) });
        self.attempts.insert(attempt, (id, stop));
    }

    /// What surrounds the call of this id.
    fn context(&self, id: &str) -> CallContext {
        let scope = self.scope.clone().with_cancellation(self.cancel.child_token());
        CallContext::new(scope, id).with_tracker(self.house.handle())
    }

    fn ended(&mut self, ended: Result<(u64, CallOutcome), JoinError>) {
        let (attempt, ended) = match ended {
            Ok(ended) => ended,
            // Tools panic further in, so this mistake is our own.
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            // It was stopped, or the runtime is shutting down.
            Err(_) => return,
        };
        // It had ended when it was stopped.
        if !self.attempts.contains_key(&attempt) {
            return;
        }
        // What it told before its end is in the channel by now.
        for _ in 0..self.heard.len() {
            let Ok((attempt, news)) = self.heard.try_recv() else { break };
            if let Some((id, _)) = self.attempts.get(&attempt) {
                self.told.push_back((id.clone(), news));
            }
        }
        self.attempts.remove(&attempt);
        self.told.push_back((ended.id.clone(), CallUpdate::Ended(ended)));
    }

    fn refuse(&mut self, ready: &plan::ReadyCall, refusal: Refusal) {
        let ended = refusal.ended(ready, self.settings.output_cap);
        self.told.push_back((ended.id.clone(), CallUpdate::Ended(ended)));
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("settings", &self.settings)
            .field("unapproved", &self.questions.len())
            .field("waiting", &self.waiting.len())
            .field("running", &self.running.len())
            .finish_non_exhaustive()
    }
}
