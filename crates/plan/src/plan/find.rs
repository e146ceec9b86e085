//! The way to a call by its id, through the blocks that it is in, and to the results.

use silcrow_event::CallResult;

use super::Plan;
use super::node::NodeState;

impl Plan {
    /// Returns the result of a call or a block that has ended, until the results are taken.
    pub fn outcome(&self, id: &str) -> Option<&CallResult> {
        if let Some(index) = self.own(id)
            && let NodeState::Ended(_, outcome) = &self.nodes[index].state
        {
            return outcome.as_ref();
        }
        let blocks = self.blocks.iter().filter_map(|block| self.nodes[*block].block.as_deref());
        let mut children = blocks.flat_map(|block| &block.children);
        children.find_map(|child| child.plan.outcome(id))
    }

    /// Returns whether a call started before its execution point, which has not come. Until then, a
    /// cancellation replaces its result (P-23).
    pub fn is_early(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|&index| self.nodes[index].early)
    }

    /// Acts on the call with this id whose state is right, in this plan or in a block of it.
    pub(super) fn with_call(
        &mut self,
        id: &str,
        is_right: fn(&NodeState) -> bool,
        act: impl FnOnce(&mut Self, usize),
    ) {
        let mut act = Some(act);
        self.find_call(id, is_right, &mut |plan, index| {
            if let Some(act) = act.take() {
                act(plan, index);
            }
        });
    }

    fn find_call(
        &mut self,
        id: &str,
        is_right: fn(&NodeState) -> bool,
        act: &mut dyn FnMut(&mut Self, usize),
    ) -> bool {
        if let Some(index) = self.own(id)
            && is_right(&self.nodes[index].state)
        {
            act(self, index);
            return true;
        }
        for at in 0..self.blocks.len() {
            let Some(block) = self.nodes[self.blocks[at]].block.as_deref_mut() else { continue };
            let mut children = block.children.iter_mut();
            if children.any(|child| child.plan.find_call(id, is_right, act)) {
                return true;
            }
        }
        false
    }

    /// Returns the index of a call or a block of this plan itself.
    pub(super) fn own(&self, id: &str) -> Option<usize> {
        let index = *self.by_id.get(id.strip_prefix(&*self.prefix)?)?;
        (!self.nodes[index].is_proxy).then_some(index)
    }

    /// Takes the results that were not taken yet, in the order of the text: a block's result comes
    /// before the results in it.
    pub(super) fn collect_results(&mut self, results: &mut Vec<CallResult>) {
        for node in &mut self.nodes[self.taken..] {
            if node.is_proxy || !node.is_awaited() {
                continue;
            }
            if let NodeState::Ended(_, outcome) = &mut node.state {
                results.extend(outcome.take());
            }
            if let Some(block) = &mut node.block {
                block.children.iter_mut().for_each(|child| child.plan.collect_results(results));
            }
        }
        self.taken = self.nodes.len();
    }
}
