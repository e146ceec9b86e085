//! The objects that an agent consists of, and the defaults that they give to the scope of a run.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use silcrow_context::{ContextAssembler, ModelLimits};
use silcrow_event::Content;
use silcrow_exec::{Budget, RecordedResults};
use silcrow_profile::LearnOptions;
use silcrow_provider::Provider;
use silcrow_store::Store;
use silcrow_tool::{Approver, Scope, Secrets, Spill, ToolSource, Toolbox, Validator};

use crate::accounts::StoredAccounts;
use crate::observer::RunObserver;
use crate::options::AgentOptions;
use crate::refused_media::RefusedMedia;

/// A model, a store, tools, and the objects around them.
#[derive(Clone)]
pub(crate) struct AgentParts {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) tools: Arc<Toolbox>,
    /// The source of further tools, which may change during runs.
    pub(crate) tool_source: Option<Arc<dyn ToolSource>>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) validator: Arc<dyn Validator>,
    pub(crate) spill: Option<Arc<dyn Spill>>,
    pub(crate) context: Arc<dyn ContextAssembler>,
    pub(crate) options: AgentOptions,
    /// The system text with the agent's own tools, once a run has asked for it. Changes to the agent
    /// clear it.
    pub(crate) system: OnceLock<Content>,
    /// The limits of the model that may become known while runs last.
    pub(crate) later_limits: Arc<OnceLock<ModelLimits>>,
    /// The limits that count until later ones are known.
    pub(crate) presumed_limits: ModelLimits,
    /// Whether the server of the model has refused pictures or files.
    pub(crate) refused_media: RefusedMedia,
    /// The secrets that are masked in stored and reported texts.
    pub(crate) secrets: Secrets,
    /// The conversation that a run replays.
    pub(crate) replayed: Option<Arc<RecordedResults>>,
    pub(crate) observer: Option<Arc<dyn RunObserver>>,
    /// How the profile of the user is learned, if it is.
    pub(crate) profile: Option<LearnOptions>,
}

impl AgentParts {
    /// Returns the parts of one agent, which others share no longer.
    pub(crate) fn to_change(shared: &mut Arc<Self>) -> &mut Self {
        let parts = Arc::make_mut(shared);
        parts.system.take();
        parts
    }

    /// Adds a conversation, a user, secrets and a budget to the scope of a run, unless it has them.
    /// The root of the options replaces the scope's, and the calls of the run are not repeated
    /// ones.
    pub(crate) fn complete(&self, mut scope: Scope) -> Scope {
        scope.conversation.get_or_insert_with(new_conversation);
        scope.is_repeated = false;
        if let Some(root) = &self.options.root {
            scope.root = Some(root.path.clone());
        }
        if scope.user.is_none() {
            scope.user.clone_from(&self.options.user);
        }
        if scope.secrets.is_empty() {
            scope.secrets = self.secrets.clone();
        }
        self.with_budget(scope)
    }

    /// Returns the scope with a budget, a new one if it has none.
    pub(crate) fn with_budget(&self, scope: Scope) -> Scope {
        let budget = self.budget(&scope);
        scope.with_extension(budget)
    }

    /// Returns the budget of a run: its scope's, or a new one whose accounts are in the agent's
    /// store.
    pub(crate) fn budget(&self, scope: &Scope) -> Budget {
        if let Some(budget) = Budget::from_scope(scope) {
            return budget.clone();
        }
        let (store, user) = (Arc::clone(&self.store), scope.user.as_deref());
        let accounts = StoredAccounts::new(store, scope.conversation_id(), user);
        Budget::new(self.options.budget)
            .with_prices(self.options.prices.clone())
            .with_accounts(Arc::new(accounts))
    }

    /// Returns the path of the root without links, if there is a root and the path is text.
    pub(crate) fn folder(&self) -> Option<String> {
        let path = &self.options.root.as_ref()?.path;
        let path = path.canonicalize().or_else(|_| std::path::absolute(path)).ok()?;
        path.into_os_string().into_string().ok()
    }

    /// Returns the identity of the root, or an empty string without a root.
    pub(crate) fn root_identity(&self) -> &str {
        self.options.root.as_ref().map_or("", |root| &root.identity)
    }
}

/// Returns the id of a new conversation: the time, so that ids sort by it, and a random number.
fn new_conversation() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let random = RandomState::new().hash_one(since);
    format!("c{:012x}{random:016x}", since.as_millis())
}
