//! The arrival of a call: which calls it waits for, which calls wait for it, and whether it can run
//! at all (P-25).
//!
//! Other modules decide which call starts next, and run it.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use silcrow_event::{Call, CallEnd, CallMode, CallResult};

use super::node::{Node, NodeState};
use super::{NodeEnd, Plan, PlanHalt};
use crate::outputs::Source;
use crate::substitute::names_in;
use crate::undo::UNDO_END;

impl Plan {
    /// Adds a call or a block, and returns its index.
    pub(crate) fn add(&mut self, node: Node) -> usize {
        let is_repeated = self.by_id.contains_key(self.short(&node.id));
        let index = self.insert(node);
        if is_repeated {
            let repeated = self.nodes[index].repeated();
            self.end([(index, CallEnd::Failed, repeated)]);
            return index;
        }
        let was_expected = self.meet_expectations(index);
        let waits = self.uses(index);
        let ends = match self.rejection(index, &waits) {
            Some((how, why)) => vec![(index, how, why)],
            None => {
                self.connect(index, waits);
                if was_expected { self.cycle(index) } else { Vec::new() }
            }
        };
        self.end(ends);
        self.bind(index);
        if self.nodes[index].is_free() {
            self.ready(index);
        }
        index
    }

    /// Lets the calls that expect the id of a new call wait for that call. Returns whether there
    /// are any.
    pub(crate) fn meet_expectations(&mut self, index: usize) -> bool {
        let id = self.short(&self.nodes[index].id).to_owned();
        self.meet_expectations_of(&id, index)
    }

    /// Does the same for a node that stands for a call with this id.
    pub(crate) fn meet_expectations_of(&mut self, id: &str, index: usize) -> bool {
        let waiting = self.expected.remove(id).unwrap_or_default();
        let was_expected = !waiting.is_empty();
        let mut ends = Vec::new();
        for waiting in waiting {
            if !self.nodes[index].is_awaited() {
                let why = self.nodes[waiting].waits_for_nothing(id);
                ends.push((waiting, CallEnd::Failed, why));
                continue;
            }
            self.nodes[waiting].unknown.retain(|unknown| unknown != id);
            self.wait(waiting, index);
        }
        self.end(ends);
        was_expected
    }

    /// Returns the kind of the call's end if it is certain that it can never start. `waits` are the
    /// calls whose outputs it uses.
    fn rejection(&self, index: usize, waits: &BTreeSet<usize>) -> Option<(CallEnd, CallResult)> {
        let node = &self.nodes[index];
        let failed = |why| Some((CallEnd::Failed, why));
        if let Some(PlanHalt { end, summary, why }) = &self.halted {
            let outcome = CallResult::framework_failure(&*node.id, node.name(), &**summary, &**why);
            return Some((*end, outcome));
        }
        if self.counts.made.load(Ordering::Relaxed) > self.limits.max_calls {
            return failed(node.too_many(self.limits.max_calls));
        }
        if node.id.ends_with(UNDO_END) {
            return failed(node.reserved_id());
        }
        if self.final_response_begun && node.is_awaited() {
            return Some((CallEnd::Skipped, node.after_answer()));
        }
        if let Some(block) = &node.block {
            if self.level >= MAX_LEVEL {
                return failed(node.too_deep(MAX_LEVEL));
            }
            if let Some(id) = block.names().1.iter().find(|id| !self.by_id.contains_key(*id)) {
                return failed(node.unknown_end(id));
            }
        }
        for id in node.depends_on() {
            match self.by_id.get(id) {
                Some(&own) if own == index => return failed(node.cycle(&[])),
                Some(&other) if !self.nodes[other].is_awaited() => {
                    return failed(node.waits_for_nothing(id));
                }
                None if self.text_ended => return failed(node.unknown_dependency(id)),
                _ => {}
            }
        }
        let named = node.depends_on().iter().filter_map(|id| self.by_id.get(id));
        let waits = Vec::from_iter(waits.iter().chain(named).copied());
        let lost = waits.iter().find_map(|&other| match &self.nodes[other] {
            Node { state: NodeState::Ended(CallEnd::Ok, _), .. } => None,
            Node { state: NodeState::Ended(how, _), id, .. } => Some(node.skipped(id, *how)),
            _ => None,
        });
        if let Some(skipped) = lost {
            return Some((CallEnd::Skipped, skipped));
        }
        if node.mode() != CallMode::Sync {
            return None;
        }
        let unknown = node.depends_on().iter().find(|id| !self.by_id.contains_key(*id));
        let later = unknown.or_else(|| self.later(waits))?;
        failed(node.waits_for_later(later))
    }

    /// Makes the call wait for its dependencies, and for the calls whose outputs it uses.
    fn connect(&mut self, index: usize, mut waits: BTreeSet<usize>) {
        for id in self.nodes[index].depends_on().to_vec() {
            match self.by_id.get(&id) {
                Some(&other) => {
                    waits.insert(other);
                }
                None if self.nodes[index].unknown.contains(&id) => {}
                None => {
                    self.expected.entry(id.clone()).or_default().push(index);
                    self.nodes[index].unknown.push(id);
                }
            }
        }
        for other in waits {
            self.wait(index, other);
        }
        for other in self.observed(index) {
            self.nodes[index].waits.push(other);
            if !self.nodes[other].is_ended() {
                self.nodes[index].open_waits += 1;
                self.nodes[other].observers.push(index);
            }
        }
    }

    /// Returns the calls that a block waits for, however they end, because its expression asks for
    /// their end.
    fn observed(&self, index: usize) -> Vec<usize> {
        let block = self.nodes[index].block.as_ref();
        let calls = block.map(|block| block.names().1).unwrap_or_default();
        calls.iter().filter_map(|id| self.by_id.get(id)).copied().collect()
    }

    /// Returns the earlier calls whose outputs the call's arguments, or the block's expression, name
    /// (P-26). A block does not need the output of a call for whose end it asks.
    fn uses(&mut self, index: usize) -> BTreeSet<usize> {
        let mut waits = BTreeSet::new();
        let node = &self.nodes[index];
        let call = node.call.as_ref().filter(|call| call.action().is_some());
        let names = match &node.block {
            Some(block) => block.names().0.iter().cloned().collect(),
            None => call.map(Call::args).map(names_in).unwrap_or_default(),
        };
        let observed = self.observed(index);
        for name in names {
            let Some(source) = self.outputs.find(&name) else {
                self.unbound(index, name);
                continue;
            };
            if let Source::Call(other) = source
                && !observed.contains(&other)
            {
                waits.insert(other);
            }
            self.nodes[index].names.insert(name, source);
        }
        waits
    }

    fn wait(&mut self, index: usize, other: usize) {
        self.nodes[index].waits.push(other);
        if !self.nodes[other].is_ended() {
            self.nodes[index].open_waits += 1;
            self.nodes[other].dependents.push(index);
        }
    }

    /// Returns an id without a call for which one of these calls waits, directly or through others.
    fn later(&self, calls: Vec<usize>) -> Option<&String> {
        let reached = self.reach(calls, |node| &node.waits);
        reached.into_iter().find_map(|index| self.nodes[index].unknown.first())
    }

    /// Returns the ends of all calls that are in a cycle with this one.
    fn cycle(&self, index: usize) -> Vec<NodeEnd> {
        let before = self.reach([index], |node| &node.waits);
        let after = self.reach([index], |node| &node.dependents);
        let members = Vec::from_iter(before.intersection(&after).copied());
        if members.len() < 2 {
            return Vec::new();
        }
        let quoted = |&index: &usize| format!("`{}`", self.nodes[index].id);
        let ids = Vec::from_iter(members.iter().map(quoted));
        let end = |index: usize| (index, CallEnd::Failed, self.nodes[index].cycle(&ids));
        members.into_iter().map(end).collect()
    }

    /// Returns the calls among these that have not ended, and all such calls that are reachable
    /// from them.
    fn reach<'a>(
        &'a self,
        from: impl IntoIterator<Item = usize>,
        next: impl Fn(&'a Node) -> &'a [usize],
    ) -> BTreeSet<usize> {
        let mut left = Vec::from_iter(from);
        let mut reached = BTreeSet::new();
        while let Some(index) = left.pop() {
            if !self.nodes[index].is_ended() && reached.insert(index) {
                left.extend(next(&self.nodes[index]));
            }
        }
        reached
    }

    /// Binds names to the call's output, for all text and calls after it (P-26).
    fn bind(&mut self, index: usize) {
        let node = &self.nodes[index];
        let id = self.nodes[index].id.strip_prefix(&*self.prefix).unwrap_or_default();
        if let Some(call) = &node.call
            && let Some(action) = call.action()
            && node.is_awaited()
        {
            self.outputs.bind(index, action.output_key.as_deref(), id, call.name());
        } else if let Some(block) = &node.block {
            self.outputs.bind_id(index, id);
            if let Some(key) = &block.head.output_key {
                self.outputs.bind_key(index, key);
            }
        }
    }

    /// Returns an id as it was written, without the additions of a loop's instance.
    fn short<'i>(&self, id: &'i str) -> &'i str {
        id.strip_prefix(&*self.prefix).unwrap_or(id)
    }
}

/// The maximum number of nested blocks.
const MAX_LEVEL: usize = 8;
