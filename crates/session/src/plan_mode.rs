//! Plan mode: the tools with which an agent asks the person and proposes a plan, which exist only
//! in this mode.
//!
//! `plan_propose` is the plan, and `ask_person` has questions before it.

mod ask_person;
mod fresh_talk;
mod plan_propose;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_mcp::Elicitor;
use silcrow_policy::PermissionMode;
use silcrow_store::Store;
use silcrow_tool::{Tool, ToolSource};

use crate::session_mode::SessionMode;
use ask_person::AskPerson;
use plan_propose::PlanPropose;

/// The tools of servers, and the tools of the mode that counts before a request.
pub(crate) struct ModeTools<S> {
    others: Option<S>,
    mode: SessionMode,
    /// The tools of plan mode.
    plan: Vec<Arc<dyn Tool>>,
    /// The last list that was returned, and its sources.
    last: Mutex<Option<ModeToolList>>,
}

/// A list of tools, and the same list without the mode's.
struct ModeToolList {
    others: SharedTools,
    is_planning: bool,
    all: SharedTools,
}

type SharedTools = Arc<[Arc<dyn Tool>]>;

impl<S: ToolSource> ModeTools<S> {
    /// Adds the tools of a mode to others. A plan may take the place of a conversation in the store, and
    /// questions go to the person, if there is one.
    pub(crate) fn new(
        others: Option<S>,
        mode: &SessionMode,
        store: &Arc<dyn Store>,
        person: Option<Arc<dyn Elicitor>>,
    ) -> Self {
        let propose = Arc::new(PlanPropose::new(mode, store)) as Arc<dyn Tool>;
        let ask = person.map(|person| Arc::new(AskPerson::new(person)) as Arc<dyn Tool>);
        let plan = [propose].into_iter().chain(ask).collect();
        Self { others, mode: mode.clone(), plan, last: Mutex::new(None) }
    }

    async fn list(&self) -> SharedTools {
        let others = match &self.others {
            Some(others) => others.tools().await,
            None => Arc::default(),
        };
        let is_planning = self.mode.mode() == PermissionMode::Plan;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |last: &&ModeToolList| {
            last.is_planning == is_planning && Arc::ptr_eq(&last.others, &others)
        };
        if let Some(last) = last.as_ref().filter(is_same) {
            return Arc::clone(&last.all);
        }
        let all: SharedTools = match is_planning {
            true => others.iter().chain(&self.plan).cloned().collect(),
            false => Arc::clone(&others),
        };
        *last = Some(ModeToolList { others, is_planning, all: Arc::clone(&all) });
        all
    }
}

impl<S: ToolSource> ToolSource for ModeTools<S> {
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
        self.list().boxed()
    }
}

impl<S> fmt::Debug for ModeTools<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModeTools").field("mode", &self.mode).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use silcrow_policy::{Policy, SharedPolicy};
    use silcrow_settings::ToolPolicies;
    use silcrow_store::MemoryStore;
    use silcrow_tool::{CallContext, ToolArgs, Toolbox};

    use super::*;

    fn store() -> Arc<dyn Store> {
        Arc::new(MemoryStore::new())
    }

    fn mode(mode: PermissionMode) -> SessionMode {
        SessionMode::new(
            &Arc::new(SharedPolicy::new(Policy::new(mode))),
            &ToolPolicies::from_tools(&Toolbox::new()),
        )
    }

    async fn names(tools: &ModeTools<Arc<dyn ToolSource>>) -> Vec<String> {
        tools.list().await.iter().map(|tool| tool.name().to_owned()).collect()
    }

    #[tokio::test]
    async fn plan_is_proposed_only_in_plan_mode() {
        let mode = mode(PermissionMode::Workspace);
        let tools = ModeTools::new(None, &mode, &store(), None);
        assert_eq!(names(&tools).await, [""; 0]);
        assert!(Arc::ptr_eq(&tools.list().await, &tools.list().await), "the list is the same one");
        mode.set(PermissionMode::Plan).unwrap();
        assert_eq!(names(&tools).await, ["plan_propose"]);
        let context = CallContext::new("c1", "a1");
        let args = ToolArgs::new(r#"{"title":"Mend it","plan":"1. Change a.rs"}"#);
        let preview = tools.plan[0].preview(args, &context).await.unwrap();
        assert_eq!(preview.target.as_deref(), Some("Mend it"));
        assert_eq!(preview.effect.as_deref(), Some("the mode is `workspace` then"));
        let output = tools.plan[0].call(args, &context).await.unwrap();
        assert!(output.content.text().contains("the mode is `workspace`"));
        assert_eq!(names(&tools).await, [""; 0]);
        let empty = ToolArgs::new(r#"{"title":"x","plan":" "}"#);
        assert!(tools.plan[0].preview(empty, &context).await.is_err());
    }
}
