//! The calls of a runner that wait for answers, and the answers to an earlier process.

use silcrow_event::OpenQuestion;

use super::Runner;
use crate::approved::ApprovalSubject;

impl Runner {
    /// Takes the answer to a question about the call `id` that an earlier process asked. Without a
    /// reason of a denial, the call is allowed. If the call acts on something else by now, has a
    /// risk that the question did not show, or changes other lines than the question showed, the
    /// approver is asked again.
    pub fn give_answer(
        &mut self,
        id: impl Into<String>,
        subject: ApprovalSubject,
        denied: Option<String>,
    ) {
        self.approvals.give(id.into(), subject, denied);
    }

    /// Takes the id of a call that an earlier process started, and that waits for answers to
    /// questions of calls inside it. It is not noted in the journal again, and its scope
    /// [is repeated](crate::Scope::is_repeated).
    pub fn resume_call(&mut self, id: impl Into<String>) {
        self.resumed.insert(id.into());
    }

    /// Returns whether no call runs or waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.attempts.is_empty()
            && self.waiting.is_empty()
            && self.ready.is_empty()
            && self.answers.is_empty()
            && self.approvals.len() == 0
    }

    /// Returns whether only calls are left about which the approver left the questions open
    /// ([`ApprovalDecision::Park`](crate::ApprovalDecision::Park)), or inside which such calls are
    /// left ([`ToolError::parked`](crate::ToolError::parked)).
    pub fn is_parked(&self) -> bool {
        let is_asking = self.approvals.len() > 0;
        self.attempts.is_empty()
            && self.waiting.is_empty()
            && self.ready.is_empty()
            && self.answers.is_empty()
            && (is_asking || !self.parked.is_empty())
            && (!is_asking || self.approvals.is_parked())
    }

    /// Returns the ids of the calls that wait for answers to questions of calls inside them.
    pub fn parked_calls(&self) -> &[String] {
        &self.parked
    }

    /// Returns the questions that the approver left open, in the order of the calls.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use silcrow_exec::Runner;
    /// use silcrow_tool::{ApprovalNeed, ParkAll, Tool, ToolPolicy, Toolbox};
    /// # use futures_util::future::{BoxFuture, ready};
    /// # use silcrow_event::Call;
    /// # use silcrow_plan::{Plan, PlanDecision};
    /// # use silcrow_tool::{CallContext, ToolArgs, ToolError, ToolOutput};
    ///
    /// struct Deploy;
    ///
    /// impl Tool for Deploy {
    ///     fn policy(&self) -> ToolPolicy {
    ///         ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() }
    ///     }
    ///     // The other methods are as on the first page.
    ///     # fn name(&self) -> &str { "deploy" }
    ///     # fn description(&self) -> &str { "Deploys." }
    ///     # fn schema(&self) -> &str { r#"{"type":"object"}"# }
    ///     # fn call<'a>(&'a self, _: ToolArgs<'a>, _: &'a CallContext)
    ///     #     -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
    ///     #     Box::pin(ready(Ok(ToolOutput::new("deployed", ""))))
    ///     # }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut tools = Toolbox::new();
    /// # tools.add(Deploy)?;
    /// # let mut plan = Plan::new();
    /// # plan.push(Call::parse("a1", r#"{"name":"deploy"}"#)?);
    /// # plan.reach_execution_point();
    /// # let Some(PlanDecision::Start(call)) = plan.decide() else { panic!() };
    /// let mut runner = Runner::new(Arc::new(tools), Arc::new(ParkAll));
    /// runner.start(call);
    /// while !runner.is_parked() {
    ///     runner.next().await;
    /// }
    /// assert_eq!(runner.open_questions()[0].tool, "deploy");
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_questions(&self) -> Vec<OpenQuestion> {
        self.approvals.open_questions().collect()
    }
}
