use std::path::PathBuf;
use std::sync::Arc;

use silcrow_accumulate as accumulate;
use silcrow_event::{CallResult, CallTextFragment, Entry, LogPosition, TextFragment};
use silcrow_exec::{
    Approver, BasicValidator, Budget, BudgetLimits, CancellationToken, DenyAll, RunnerLimits,
    SerialApprover, Spill, Toolbox, Validator,
};
use silcrow_parser as parser;
use silcrow_plan::{PlanDecision, PlanLimits, PlanUpdate};
use silcrow_provider::Provider;
use silcrow_store::{Store, rules};

use crate::connection::ConnectionMode;
use crate::drive::Run;
use crate::error::{Error, ErrorKind};
use crate::inner;

/// A model, a store and tools, and how they go together. It holds no conversation: each run reads
/// its own from the store.
#[derive(Clone)]
pub struct Agent {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) tools: Arc<Toolbox>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) options: parser::Options,
    pub(crate) instructions: Option<String>,
    pub(crate) streaming: bool,
    pub(crate) call_text: bool,
    pub(crate) max_steps: u32,
    /// For runs that begin a budget of their own.
    pub(crate) budget_limits: BudgetLimits,
    /// The budget of the run that this agent is a part of.
    pub(crate) budget: Option<Budget>,
    pub(crate) eager: EagerStart,
    pub(crate) mode: ConnectionMode,
    pub(crate) validator: Arc<dyn Validator>,
    pub(crate) settings: RunnerLimits,
    pub(crate) limits: PlanLimits,
    pub(crate) answer_limits: accumulate::AnswerLimits,
    pub(crate) max_depth: usize,
    pub(crate) root: Option<PathBuf>,
    /// Under which a yes for the conversation is kept; empty without a root.
    pub(crate) root_identity: String,
    pub(crate) spill: Option<Arc<dyn Spill>>,
    /// The agents that called this one, the outermost first, and its own name; empty for a
    /// person's.
    pub(crate) path: Vec<String>,
    pub(crate) user: Option<String>,
}

/// Which calls of a batch start before its execution point; their results wait for it (P-23).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-23 knows these")]
pub enum EagerStart {
    /// None.
    Off,
    /// Those to tools that are declared read-only.
    #[default]
    ReadOnly,
    /// All. What a cut-off answer called has then been done, too.
    All,
}

/// What a run gives out, as it comes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// A piece of a thought or an answer, shown before anything is stored. The whole follows as an
    /// event.
    Text(TextFragment<'a>, LogPosition),
    /// A piece of a call that is being written, if it was asked for. What becomes of the call
    /// follows: an event `call`, or for one that cannot be run only its result.
    CallText(CallTextFragment<'a>, LogPosition),
    /// A complete event; if it is one to store, it is stored.
    Event(&'a Entry),
    /// What the plan of a turn decided, when it is carried out: an attempt at a call starts, a call
    /// pauses before another attempt, or is stopped. It is not stored.
    Decision(&'a PlanDecision, LogPosition),
    /// What became of a call: it ended, with this result, or its output has a name. It is not
    /// stored.
    Update(&'a PlanUpdate, Option<&'a CallResult>, LogPosition),
}

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a run is answered or stopped")]
pub enum RunOutcome {
    /// The model has answered.
    Answered,
    /// The caller stopped it. The history is valid, and says so.
    Interrupted,
}

/// The longest conversation id, in bytes; that of a call has the room that is kept for it.
const MAX_ID: usize = 200;

impl Agent {
    /// An agent without tools that speaks `sigil`, in at most 20 steps a run.
    pub fn new(provider: impl Provider + 'static, store: impl Store + 'static) -> Self {
        Self {
            provider: Arc::new(provider),
            store: Arc::new(store),
            tools: Arc::new(Toolbox::new()),
            approver: Arc::new(DenyAll),
            options: parser::Dialect::Sigil.into(),
            instructions: None,
            streaming: true,
            call_text: false,
            max_steps: 20,
            budget_limits: BudgetLimits::default(),
            budget: None,
            eager: EagerStart::default(),
            mode: ConnectionMode::default(),
            validator: Arc::new(BasicValidator),
            settings: RunnerLimits::default(),
            limits: PlanLimits::default(),
            answer_limits: accumulate::AnswerLimits::default(),
            max_depth: 4,
            root: None,
            root_identity: String::new(),
            spill: None,
            path: Vec::new(),
            user: None,
        }
    }

    /// The same agent with another model.
    #[must_use]
    pub fn with_provider(self, provider: impl Provider + 'static) -> Self {
        Self { provider: Arc::new(provider), ..self }
    }

    /// With these tools.
    #[must_use]
    pub fn with_tools(self, tools: Toolbox) -> Self {
        Self { tools: Arc::new(tools), ..self }
    }

    /// With somebody who may say yes to calls that need it; by default nobody does.
    #[must_use]
    pub fn with_approver(self, approver: impl Approver + 'static) -> Self {
        Self { approver: Arc::new(SerialApprover::new(approver)), ..self }
    }

    /// In this wire form.
    #[must_use]
    pub fn with_dialect(self, options: impl Into<parser::Options>) -> Self {
        Self { options: options.into(), ..self }
    }

    /// With words of the caller's in the system prompt.
    #[must_use]
    pub fn with_instructions(self, text: impl Into<String>) -> Self {
        Self { instructions: Some(text.into()), ..self }
    }

    /// Asks the provider for whole answers instead of pieces.
    #[must_use]
    pub fn without_streaming(self) -> Self {
        Self { streaming: false, ..self }
    }

    /// Gives out calls too while they are written ([`RunEvent::CallText`]).
    #[must_use]
    pub fn with_call_text(self) -> Self {
        Self { call_text: true, ..self }
    }

    /// With at most so many requests a run of its own; the model is told at the last one. Agents that
    /// it calls make requests of theirs, which [`with_budget`](Self::with_budget) limits.
    #[must_use]
    pub fn with_max_steps(self, steps: u32) -> Self {
        Self { max_steps: steps.max(1), ..self }
    }

    /// With these limits for a run and for everything that its calls run, taken together. Agents,
    /// workflows and models that are called share the budget of the run that calls them, whatever
    /// their own limits are. A run that reaches a limit ends with [`ErrorKind::Budget`].
    #[must_use]
    pub fn with_budget(self, limits: BudgetLimits) -> Self {
        Self { budget_limits: limits, ..self }
    }

    /// Talking to its model in this way; by default over one connection, where the model offers it.
    #[must_use]
    pub fn with_mode(self, mode: ConnectionMode) -> Self {
        Self { mode, ..self }
    }

    /// With these calls started before their execution point; by default those to read-only tools.
    #[must_use]
    pub fn with_eager(self, eager: EagerStart) -> Self {
        Self { eager, ..self }
    }

    /// With another judge of arguments than [`BasicValidator`].
    #[must_use]
    pub fn with_validator(self, validator: impl Validator + 'static) -> Self {
        Self { validator: Arc::new(validator), ..self }
    }

    /// With other bounds for its tools.
    #[must_use]
    pub fn with_runner_limits(self, settings: RunnerLimits) -> Self {
        Self { settings, ..self }
    }

    /// With other bounds for the calls of a turn. How many run at once is bounded by these and by
    /// its [`with_runner_limits`](Self::with_runner_limits).
    #[must_use]
    pub fn with_plan_limits(self, limits: PlanLimits) -> Self {
        Self { limits, ..self }
    }

    /// With other bounds for one answer of the model (P-9).
    #[must_use]
    pub fn with_answer_limits(self, limits: accumulate::AnswerLimits) -> Self {
        Self { answer_limits: limits, ..self }
    }

    /// At most so deep within other agents and workflows; 4 by default. Where it is too deep, its
    /// call fails and says so.
    #[must_use]
    pub fn with_max_depth(self, depth: usize) -> Self {
        Self { max_depth: depth, ..self }
    }

    /// With somebody who keeps what its tools give beyond their caps.
    #[must_use]
    pub fn with_spill(self, spill: impl Spill + 'static) -> Self {
        Self { spill: Some(Arc::new(spill)), ..self }
    }

    /// With the folder that its tools are told to work in. A yes for the conversation holds for
    /// roots of the same `identity`: text that stays with the folder when it is renamed, and that
    /// no folder has which takes its place, such as `identity` of `silcrow_tools::Root`.
    #[must_use]
    pub fn with_root(self, root: impl Into<PathBuf>, identity: impl Into<String>) -> Self {
        Self { root: Some(root.into()), root_identity: identity.into(), ..self }
    }

    /// For this user, whom the prompts it stores then name. It goes on with no conversation of
    /// another user or of none, and without a user with none of any. What its calls run belongs to
    /// the same user.
    #[must_use]
    pub fn with_user(self, name: impl Into<String>) -> Self {
        Self { user: Some(name.into()), ..self }
    }

    /// As events carry it.
    pub(crate) fn path(&self) -> Option<String> {
        (!self.path.is_empty()).then(|| self.path.join("/"))
    }

    /// Runs from a prompt to an answer in a conversation, which is continued or begun.
    ///
    /// `show` gets everything as it comes: fragments at once, events when they are stored. Events of
    /// agents that this one calls come too; they carry an `agent_path`. When
    /// `cancel` is triggered, model and tools are stopped and the history is left valid.
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`]; the error of a run that has begun is also shown as an event. What was stored until then stays
    /// and is valid.
    pub async fn run(
        &self,
        conversation: &str,
        prompt: &str,
        cancel: &CancellationToken,
        show: &mut (dyn FnMut(RunEvent<'_>) + Send),
    ) -> Result<RunOutcome, Error> {
        self.check(conversation, prompt)?;
        let budget = self.budget.clone().unwrap_or_else(|| Budget::new(self.budget_limits));
        let agent = Self { budget: Some(budget.clone()), ..self.clone() };
        Run::open(&agent, budget, conversation, cancel, show).await?.answer(prompt).await
    }

    fn check(&self, conversation: &str, prompt: &str) -> Result<(), Error> {
        let refuse = |why| Err(Error::new(ErrorKind::Refused, why));
        if prompt.trim().is_empty() {
            return refuse("the prompt is empty; say what you want".to_owned());
        }
        let max = if self.path.is_empty() { MAX_ID } else { inner::MAX_ID };
        if conversation.is_empty() || conversation.len() > max {
            return refuse(format!("a conversation's id has 1 to {max} bytes"));
        }
        if conversation.chars().any(char::is_control) {
            return refuse("a conversation's id has no control characters".to_owned());
        }
        if let Some(user) = &self.user {
            rules::user(Some(user))?;
            if user.chars().any(char::is_control) {
                return refuse("a user's name has no control characters".to_owned());
            }
        }
        Ok(())
    }
}
