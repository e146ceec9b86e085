//! The tool `plan_propose`: a plan is a call that a person has to allow. So every front can ask about it, and a
//! script can park it. The yes ends plan mode, and changes nothing else.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_store::Store;
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
};

use super::fresh_talk::begin_afresh;
use crate::session_mode::{AcceptedPlan, SessionMode};

/// The tool `plan_propose`, whose approval approves the plan.
pub(super) struct PlanPropose {
    mode: SessionMode,
    store: Arc<dyn Store>,
}

impl PlanPropose {
    /// Creates the tool of a mode. The store has the conversations whose place a plan may take.
    pub(super) fn new(mode: &SessionMode, store: &Arc<dyn Store>) -> Self {
        Self { mode: mode.clone(), store: Arc::clone(store) }
    }

    /// Ends plan mode, and returns the text for the model.
    async fn accept(&self, context: &CallContext) -> String {
        let AcceptedPlan { saved, replaces_talk } = self.mode.take_accepted();
        let mode = self.mode.leave_plan();
        let end = format!(
            "Plan mode has ended, and the mode is `{mode}`: carry the plan out now, and say where you have \
             to leave it."
        );
        let told = match &saved {
            None => format!("The person accepts this plan. {end}"),
            Some(saved) => format!(
                "The person has changed the plan, and accepts it as it is here, in place of yours:\n\n{}\n\n\
                 {end}",
                saved.trim()
            ),
        };
        if replaces_talk {
            // Without it the conversation is longer, and says the same.
            let scope = context.scope();
            let _ = begin_afresh(&*self.store, scope.conversation_id(), scope.turn).await;
        }
        told
    }
}

impl fmt::Debug for PlanPropose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanPropose").field("mode", &self.mode).finish_non_exhaustive()
    }
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
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            ProposedPlan::read(args)?;
            let words = self.accept(context).await;
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
    use super::*;

    #[test]
    fn request_size_is_bounded() {
        assert!(DESCRIPTION.len() + SCHEMA.len() < 900, "{}", DESCRIPTION.len() + SCHEMA.len());
    }
}
