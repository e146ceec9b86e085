//! The outcomes of attempts at calls, and the pauses between them.
//!
//! Other modules handle the effects of a call's end.

use silcrow_event::{CallEnd, CallResult, ResultStatus};

use super::Plan;
use super::node::NodeState;
use crate::decision::PlanDecision;

impl Plan {
    /// Takes the outcome of the last attempt at a call. The outcome of a call that is not running
    /// is ignored.
    pub fn finish(&mut self, id: &str, outcome: CallResult) {
        self.finish_attempt(id, outcome, true);
    }

    /// Takes the outcome of an attempt that did not begin, because the call was denied or does not
    /// fit its tool; otherwise like [`finish`](Self::finish). In a transaction such a call is not
    /// undone (P-32).
    pub fn refuse(&mut self, id: &str, outcome: CallResult) {
        self.finish_attempt(id, outcome, false);
    }

    fn finish_attempt(&mut self, id: &str, outcome: CallResult, has_run: bool) {
        let how = match outcome.status() {
            ResultStatus::Success => CallEnd::Ok,
            ResultStatus::Failure => CallEnd::Failed,
        };
        self.with_call(
            id,
            |state| matches!(state, NodeState::Running),
            |plan, index| {
                if has_run {
                    plan.nodes[index].note_outcome(&outcome);
                }
                plan.end([(index, how, outcome)]);
            },
        );
        self.advance();
    }

    /// Takes a failure that another attempt may repair. If attempts are left, the call pauses
    /// before the next one; otherwise it ends as failed. The call's own number of retries counts;
    /// if it has none, `retries` counts, the tool's number. Neither can exceed
    /// [`PlanLimits::max_retries`](crate::PlanLimits::max_retries).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use silcrow_event::{Call, CallResult};
    /// use silcrow_plan::{Plan, PlanDecision};
    ///
    /// let mut plan = Plan::new();
    /// plan.push(Call::parse("a1", r#"{"name":"fetch"}"#).unwrap());
    /// plan.reach_execution_point();
    /// plan.decide();
    /// plan.fail("a1", CallResult::failure("a1", Some("fetch"), "timed out", ""), 1);
    /// let pause = PlanDecision::Retry { id: "a1".to_owned(), after: Duration::from_millis(100) };
    /// assert_eq!(plan.decide(), Some(pause));
    /// // The caller waits for 100 ms, on its own clock.
    /// plan.retry("a1");
    /// assert!(matches!(plan.decide(), Some(PlanDecision::Start(ready)) if ready.attempt() == 2));
    /// ```
    pub fn fail(&mut self, id: &str, outcome: CallResult, retries: u32) {
        self.with_call(
            id,
            |state| matches!(state, NodeState::Running),
            |plan, index| {
                plan.nodes[index].note_outcome(&outcome);
                match plan.nodes[index].pause(retries, plan.limits.max_retries) {
                    Some(after) => {
                        plan.running -= 1;
                        plan.nodes[index].state = NodeState::Pausing;
                        plan.decisions.push_back(PlanDecision::Retry { id: id.to_owned(), after });
                    }
                    None => plan.end([(index, CallEnd::Failed, outcome)]),
                }
            },
        );
        self.advance();
    }

    /// Takes the end of the pause of a [`PlanDecision::Retry`].
    pub fn retry(&mut self, id: &str) {
        self.with_call(
            id,
            |state| matches!(state, NodeState::Pausing),
            |plan, index| {
                plan.nodes[index].state = NodeState::Waiting;
                plan.ready.insert(index);
            },
        );
    }
}
