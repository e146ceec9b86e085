//! Plan mode: the tools with which an agent asks the person and proposes a plan, and that there are only then.
//!
//! A plan is a call that a person has to allow. So every front can ask about it, and a script can park it. The
//! yes ends plan mode, and changes nothing else.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_policy::PermissionMode;
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
    ToolSource,
};

use crate::session_mode::SessionMode;

/// The tools of servers, and those of the mode that counts before a request.
pub(crate) struct ModeTools<S> {
    others: Option<S>,
    mode: SessionMode,
    plan: Arc<dyn Tool>,
    /// The list that was returned last, and what it was made of.
    last: Mutex<Option<ModeToolList>>,
}

/// A list of tools, and the list without those of the mode.
struct ModeToolList {
    others: SharedTools,
    is_planning: bool,
    all: SharedTools,
}

type SharedTools = Arc<[Arc<dyn Tool>]>;

impl<S: ToolSource> ModeTools<S> {
    /// Adds the tools of a mode to others.
    pub(crate) fn new(others: Option<S>, mode: &SessionMode) -> Self {
        let plan = Arc::new(PlanPropose { mode: mode.clone() });
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
            true => others.iter().cloned().chain([Arc::clone(&self.plan)]).collect(),
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

/// The tool `plan_propose`, whose approval is that of the plan.
#[derive(Debug)]
struct PlanPropose {
    mode: SessionMode,
}

/// The arguments of a call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProposedPlan {
    title: String,
    plan: String,
}

impl ProposedPlan {
    fn read(args: ToolArgs<'_>) -> Result<Self, ToolError> {
        let proposed: Self = args.read()?;
        if proposed.title.trim().is_empty() || proposed.plan.trim().is_empty() {
            return Err(ToolError::new("a plan needs a title and a text; call again with both"));
        }
        Ok(proposed)
    }
}

impl Tool for PlanPropose {
    fn name(&self) -> &str {
        PLAN_PROPOSE
    }

    fn description(&self) -> &str {
        DESCRIPTION
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { read_only: true, approval: ApprovalNeed::Always, ..ToolPolicy::default() }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let proposed = ProposedPlan::read(args)?;
            let effect = format!("the mode is `{}` then", self.mode.after_plan());
            let preview = Preview::new(args.as_str()).with_target(proposed.title);
            Ok(preview.with_effect(effect).with_risk(RISK))
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            ProposedPlan::read(args)?;
            let mode = self.mode.leave_plan();
            let words = format!(
                "The person accepts this plan. Plan mode has ended, and the mode is `{mode}`: carry the plan \
                 out now, and say where you have to leave it."
            );
            Ok(ToolOutput::new("accepted", words))
        }
        .boxed()
    }
}

/// The name of the tool.
const PLAN_PROPOSE: &str = "plan_propose";

/// Why a yes for other calls does not cover a plan.
const RISK: &str = "a yes ends plan mode, and the agent carries the plan out";

const DESCRIPTION: &str = "\
You are in plan mode: nothing changes until the person accepts a plan. Read as much as you need first, and \
ask the person only what the files cannot answer. Then call this once with a plan that leaves nothing to \
decide: what changes in which file and why, what stays, how it is checked, and what may go wrong. The person \
accepts it, or says what is wrong with it; then propose it again. Do not write the plan as an answer as well. \
A question that needs no change is simply answered.";

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""title":{"type":"string","description":"what the plan is for, in a few words"},"#,
    r#""plan":{"type":"string","description":"the plan, in Markdown"}},"#,
    r#""required":["title","plan"],"additionalProperties":false}"#,
);

#[cfg(test)]
mod tests {
    use silcrow_policy::{Policy, SharedPolicy};
    use silcrow_settings::ToolPolicies;
    use silcrow_tool::Toolbox;

    use super::*;

    fn mode(mode: PermissionMode) -> SessionMode {
        SessionMode::new(
            &Arc::new(SharedPolicy::new(Policy::new(mode))),
            &ToolPolicies::of(&Toolbox::new()),
        )
    }

    async fn names(tools: &ModeTools<Arc<dyn ToolSource>>) -> Vec<String> {
        tools.list().await.iter().map(|tool| tool.name().to_owned()).collect()
    }

    #[tokio::test]
    async fn a_plan_is_proposed_only_in_plan_mode_and_a_yes_ends_it() {
        let mode = mode(PermissionMode::Workspace);
        let tools = ModeTools::new(None, &mode);
        assert_eq!(names(&tools).await, [""; 0]);
        assert!(Arc::ptr_eq(&tools.list().await, &tools.list().await), "the list is the same one");
        mode.set(PermissionMode::Plan).unwrap();
        assert_eq!(names(&tools).await, [PLAN_PROPOSE]);
        let context = CallContext::new("c1", "a1");
        let args = ToolArgs::new(r#"{"title":"Mend it","plan":"1. Change a.rs"}"#);
        let preview = tools.plan.preview(args, &context).await.unwrap();
        assert_eq!(preview.target.as_deref(), Some("Mend it"));
        assert_eq!(preview.effect.as_deref(), Some("the mode is `workspace` then"));
        let output = tools.plan.call(args, &context).await.unwrap();
        assert!(output.content.text().contains("the mode is `workspace`"));
        assert_eq!(names(&tools).await, [""; 0]);
        let empty = ToolArgs::new(r#"{"title":"x","plan":" "}"#);
        assert!(tools.plan.preview(empty, &context).await.is_err());
    }

    #[test]
    fn what_it_costs_in_a_request_is_bounded() {
        assert!(DESCRIPTION.len() + SCHEMA.len() < 900, "{}", DESCRIPTION.len() + SCHEMA.len());
    }
}
