use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Arc;

use silcrow_event::Outcome;
use silcrow_plan as plan;
use tokio::task::{JoinError, JoinSet};

use crate::approve::{Answer, Approver};
use crate::call::{Call, Ended, message, refused};
use crate::cancel::Cancel;
use crate::journal::{Journal, Unwritten};
use crate::near::near;
use crate::tool::Failure;
use crate::toolbox::Toolbox;
use crate::validate::{Subset, Validator};

/// Runs calls in parallel. Each call that was started and not cancelled ends in one outcome.
///
/// The runner belongs to one loop, which hands calls in with [`start`](Self::start) and waits at
/// [`next`](Self::next). Dropping it stops what runs.
pub struct Runner {
    toolbox: Arc<Toolbox>,
    approver: Arc<dyn Approver>,
    validator: Box<dyn Validator>,
    journal: Arc<dyn Journal>,
    settings: Settings,
    cancel: Cancel,
    /// Calls that wait for a yes, in call order; while `asking` is not empty, of the first.
    unapproved: VecDeque<Call>,
    /// One question at most.
    asking: JoinSet<Answer>,
    /// Calls that wait for a place.
    waiting: VecDeque<Call>,
    running: JoinSet<Ended>,
    /// Outcomes of calls that never ran.
    refused: VecDeque<Ended>,
}

/// The bounds of a [`Runner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Tools that run at once; further calls wait in order.
    pub max_parallel: NonZeroUsize,
    /// Bytes of text that one call may give to the model; what is cut is counted in a last line.
    pub output_cap: usize,
}

impl Default for Settings {
    /// 16 tools, 256 KiB.
    fn default() -> Self {
        const SIXTEEN: NonZeroUsize = NonZeroUsize::new(16).expect("16 is not zero");
        Self { max_parallel: SIXTEEN, output_cap: 256 * 1024 }
    }
}

impl Runner {
    /// A runner of these tools, with the default settings and the [`Subset`] validator.
    pub fn new(toolbox: Arc<Toolbox>, approver: Arc<dyn Approver>) -> Self {
        Self {
            toolbox,
            approver,
            validator: Box::new(Subset),
            journal: Arc::new(Unwritten),
            settings: Settings::default(),
            cancel: Cancel::new(),
            unapproved: VecDeque::new(),
            asking: JoinSet::new(),
            waiting: VecDeque::new(),
            running: JoinSet::new(),
            refused: VecDeque::new(),
        }
    }

    /// The same runner with other bounds.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// The same runner with somebody who is told before each call starts.
    #[must_use]
    pub fn with_journal(self, journal: impl Journal + 'static) -> Self {
        Self { journal: Arc::new(journal), ..self }
    }

    /// The same runner with another validator.
    #[must_use]
    pub fn with_validator(self, validator: impl Validator + 'static) -> Self {
        Self { validator: Box::new(validator), ..self }
    }

    /// Starts a call: at once, when there is a place, or when somebody said yes to it, as its
    /// tool's policy has it. A call that cannot run is answered with a failure that says why.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn start(&mut self, ready: plan::Ready, conversation: &str) {
        let Some(tool) = self.toolbox.get(ready.name()).cloned() else {
            return self.refuse(&ready, "unknown tool", &self.unknown(ready.name()));
        };
        if let Err(why) = self.validator.check(tool.schema(), ready.args()) {
            return self.refuse(&ready, "bad arguments", &why);
        }
        let policy = tool.policy();
        let call = Call { ready, tool, policy, conversation: conversation.to_owned() };
        if policy.needs_approval {
            self.unapproved.push_back(call);
        } else {
            self.waiting.push_back(call);
        }
        self.go_on();
    }

    /// Waits for the next call to end and gives its id and what came of it; `None` if nothing
    /// runs and nothing waits. Cancel-safe.
    pub async fn next(&mut self) -> Option<(String, Outcome)> {
        loop {
            self.go_on();
            if let Some(ended) = self.refused.pop_front() {
                return Some(ended);
            }
            tokio::select! {
                Some(ended) = self.running.join_next() => match ended {
                    Ok(ended) => return Some(ended),
                    // Tools panic further in, so this mistake is our own.
                    Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                    // The runtime is shutting down.
                    Err(_) => {}
                },
                Some(answer) = self.asking.join_next() => self.answered(answer),
                else => return None,
            }
        }
    }

    /// Stops everything at once: running tools are dropped, waiting calls never start, questions
    /// are taken back. None of these calls has an outcome here, their plan answers
    /// them (P-28). [`start`](Self::start) begins anew.
    pub fn cancel(&mut self) {
        std::mem::take(&mut self.cancel).trigger();
        self.unapproved.clear();
        self.asking = JoinSet::new();
        self.waiting.clear();
        self.running = JoinSet::new();
        self.refused.clear();
    }

    /// Asks the next question and fills the free places.
    fn go_on(&mut self) {
        if self.asking.is_empty()
            && let Some(Call { ready, .. }) = self.unapproved.front()
        {
            let (approver, ready) = (Arc::clone(&self.approver), ready.clone());
            self.asking
                .spawn(async move { approver.ask(ready.id(), ready.name(), ready.args()).await });
        }
        while self.running.len() < self.settings.max_parallel.get()
            && let Some(call) = self.waiting.pop_front()
        {
            let journal = Arc::clone(&self.journal);
            self.running.spawn(call.run(journal, self.cancel.child(), self.settings.output_cap));
        }
    }

    fn answered(&mut self, answer: Result<Answer, JoinError>) {
        let answer = answer.unwrap_or_else(|error| {
            let payload = error.try_into_panic();
            let said = payload.as_deref().map_or("it was stopped", message);
            Answer::Deny(format!("nobody could be asked: {said}"))
        });
        let Some(call) = self.unapproved.pop_front() else { return };
        match answer {
            Answer::Allow => self.waiting.push_back(call),
            Answer::Deny(reason) => self.refuse(&call.ready, "denied", &Failure::new(reason)),
        }
    }

    fn refuse(&mut self, ready: &plan::Ready, summary: &str, why: &Failure) {
        self.refused.push_back(refused(ready, summary, why, self.settings.output_cap));
    }

    fn unknown(&self, name: &str) -> Failure {
        let meant = near(name, self.toolbox.names())
            .first()
            .map(|near| format!(" Did you mean `{near}`?"))
            .unwrap_or_default();
        let names: Vec<_> = self.toolbox.names().map(|name| format!("`{name}`")).collect();
        let there_are = match &names[..] {
            [] => "There are no tools.".to_owned(),
            names => format!("The tools are {}.", names.join(", ")),
        };
        Failure::new(format!("there is no tool `{name}`.{meant} {there_are}"))
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner")
            .field("settings", &self.settings)
            .field("unapproved", &self.unapproved.len())
            .field("waiting", &self.waiting.len())
            .field("running", &self.running.len())
            .finish_non_exhaustive()
    }
}
