//! The end of everything at once.

use silcrow_event::{CallEnd, CallResult};

use super::Plan;
use super::block::BlockOutcome;
use super::node::NodeState;
use crate::decision::PlanDecision;

/// The reason why no call of a plan starts any more, and the end of the remaining ones.
#[derive(Clone, Debug)]
pub(crate) struct PlanHalt {
    pub(crate) end: CallEnd,
    /// A few words for a person.
    pub(crate) summary: String,
    /// The text that the model reads.
    pub(crate) why: String,
}

impl PlanHalt {
    fn cancelled(summary: &str, why: &str) -> Self {
        Self { end: CallEnd::Cancelled, summary: summary.to_owned(), why: why.to_owned() }
    }
}

impl Plan {
    /// Cancels every call and block that has not ended, and all later ones. `summary` is a few
    /// words for a person, and `why` is the text that the model reads. It also replaces the results
    /// of early calls whose execution point has not come (P-23).
    ///
    /// ```
    /// use silcrow_event::Call;
    /// use silcrow_plan::{Plan, PlanDecision};
    ///
    /// let mut plan = Plan::new();
    /// plan.push(Call::parse("a1", r#"{"name":"build"}"#).unwrap());
    /// plan.push(Call::parse("a2", r#"{"name":"test"}"#).unwrap());
    /// plan.reach_execution_point();
    /// let Some(PlanDecision::Start(started)) = plan.decide() else { panic!() };
    /// plan.cancel("cancelled", "The person pressed Ctrl-C.");
    /// // What runs has to be stopped; what waited just ends.
    /// assert_eq!(plan.decide(), Some(PlanDecision::Stop { id: started.id().to_owned() }));
    /// assert_eq!(plan.outcome("a2").unwrap().content.text(), "The person pressed Ctrl-C.");
    /// ```
    pub fn cancel(&mut self, summary: &str, why: &str) {
        self.halted = Some(PlanHalt::cancelled(summary, why));
        for index in 0..self.nodes.len() {
            let node = &mut self.nodes[index];
            let was_early = std::mem::take(&mut node.early);
            if node.is_ended() {
                if was_early {
                    let outcome =
                        CallResult::framework_failure(&*node.id, node.name(), summary, why);
                    node.state = NodeState::Ended(CallEnd::Cancelled, Some(outcome));
                }
                continue;
            }
            if self.must_wait_for(index) {
                self.conclude(index, BlockOutcome::cancelled(why));
                continue;
            }
            let node = &mut self.nodes[index];
            let id = node.id.clone();
            match node.state {
                NodeState::Running if let Some(rollback) = &mut node.rollback => {
                    rollback.is_stopping = true;
                    self.decisions.push_back(PlanDecision::Await { id });
                }
                NodeState::Running | NodeState::Pausing => {
                    self.decisions.push_back(PlanDecision::Stop { id });
                }
                _ => {}
            }
            let node = &self.nodes[index];
            let outcome = CallResult::framework_failure(&*node.id, node.name(), summary, why);
            self.close(index, CallEnd::Cancelled, outcome);
        }
        self.stop_background(summary, why);
        self.advance();
    }

    /// Cancels the calls of ended blocks whose results nothing waits for any more.
    fn stop_background(&mut self, summary: &str, why: &str) {
        for index in self.live.clone() {
            self.with_block(index, |_, block| {
                block.bodies_mut().for_each(|child| child.plan.cancel(summary, why));
            });
        }
    }

    /// Cancels every call that has not started, and all that are still to come. A call whose start
    /// was decided counts as started if `has_started` returns `true` for its id. A call that pauses
    /// between two attempts has started, too. The texts are the same as in
    /// [`cancel`](Self::cancel).
    pub fn cancel_waiting(&mut self, has_started: &dyn Fn(&str) -> bool, summary: &str, why: &str) {
        self.halted = Some(PlanHalt::cancelled(summary, why));
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            match node.state {
                NodeState::Pausing | NodeState::Ended(..) => continue,
                NodeState::Running if has_started(&node.id) => continue,
                NodeState::Running => {
                    self.decisions.push_back(PlanDecision::Stop { id: node.id.clone() });
                }
                // It ends with the calls that have started in it.
                NodeState::Open => {
                    self.with_block(index, |_, block| {
                        for child in block.bodies_mut() {
                            child.plan.cancel_waiting(has_started, summary, why);
                        }
                    });
                    continue;
                }
                NodeState::Waiting if node.is_proxy => continue,
                NodeState::Waiting => {}
            }
            let outcome = CallResult::framework_failure(&*node.id, node.name(), summary, why);
            self.close(index, CallEnd::Cancelled, outcome);
        }
        self.advance();
    }
}
