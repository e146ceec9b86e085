//! The end of a call, and its effects on the calls that wait for it.
//!
//! Other modules decide why a call ends.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use silcrow_event::{CallEnd, CallResult};

use super::Plan;
use super::node::NodeState;
use crate::decision::PlanUpdate;

/// The end of a call: its index, the kind of the end, and its result.
pub(crate) type NodeEnd = (usize, CallEnd, CallResult);

impl Plan {
    /// Ends calls, and with them the calls that wait for them (P-25).
    pub(crate) fn end(&mut self, ends: impl IntoIterator<Item = NodeEnd>) {
        let mut ends = VecDeque::from_iter(ends);
        let mut failed = None;
        while let Some((index, how, outcome)) = ends.pop_front() {
            if self.nodes[index].is_ended() {
                continue;
            }
            self.close(index, how, outcome);
            ends.extend(self.export_ends(index));
            let node = &self.nodes[index];
            if how == CallEnd::Failed && node.fails_the_turn() {
                failed.get_or_insert(index);
            }
            for observer in std::mem::take(&mut self.nodes[index].observers) {
                let node = &mut self.nodes[observer];
                node.open_waits -= 1;
                if node.is_free() {
                    self.ready(observer);
                }
            }
            let dependents = std::mem::take(&mut self.nodes[index].dependents);
            for waiting in dependents {
                let node = &mut self.nodes[waiting];
                node.open_waits -= 1;
                if how != CallEnd::Ok {
                    let skipped = self.nodes[waiting].skipped(&self.nodes[index].id, how);
                    ends.push_back((waiting, CallEnd::Skipped, skipped));
                } else if node.is_free() {
                    self.ready(waiting);
                }
            }
        }
        if let Some(index) = failed {
            let id = &self.nodes[index].id;
            let why = format!("cancelled: `{id}` failed, and its `on_error` is `fail`");
            self.cancel("cancelled", &why);
        }
    }

    /// Ends one call or block. The unfinished contents of a begun block are stopped.
    pub(super) fn close(&mut self, index: usize, how: CallEnd, outcome: CallResult) {
        self.ready.remove(&index);
        self.ready_blocks.remove(&index);
        self.syncs.remove(&index);
        self.skip_bodies(index, how);
        let node = &mut self.nodes[index];
        if node.is_proxy {
            node.state = NodeState::Ended(how, Some(outcome));
            return;
        }
        self.running -= usize::from(matches!(node.state, NodeState::Running));
        self.open_calls -= usize::from(node.is_awaited());
        node.ended_at = self.counts.ended.fetch_add(1, Ordering::Relaxed);
        let id = node.id.clone();
        self.updates.push_back(match node.block {
            Some(_) => PlanUpdate::BlockEnd { id, how },
            None => PlanUpdate::End { id, how },
        });
        if how == CallEnd::Ok
            && node.is_awaited()
            && let Some(name) = node.output_key().cloned()
            && let Some(value) = outcome.value()
        {
            let value = value.into_owned();
            self.updates.push_back(PlanUpdate::Bind { name, value });
        }
        node.state = NodeState::Ended(how, Some(outcome));
    }
}
