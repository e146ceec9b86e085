//! The calls that undo a transaction's calls, and their ends (P-32).
//!
//! This module decides which calls are undone, how, and in which order. `rollback` decides when.

use silcrow_event::{ActionAttributes, Call, CallEnd, CallKind, CallMode, Compensation, Json};

use super::Plan;
use super::block::UNDO;
use super::node::{Node, RollbackNode};
use crate::undo::{CallUndo, UndoneCall, undo_id};

/// A call to undo.
pub(super) struct UndoTarget {
    pub(super) ended_at: usize,
    undone: UndoneCall,
    /// The call that does so, or why there is none.
    by: Result<UndoingCall, String>,
}

/// A call that takes another one back.
struct UndoingCall {
    kind: CallKind,
    name: String,
    args: String,
}

impl Plan {
    /// Adds the calls that have to be undone, including those in blocks. A transaction in it that
    /// did not succeed has taken its own calls back.
    pub(super) fn add_targets(&self, targets: &mut Vec<UndoTarget>) {
        for node in &self.nodes {
            match &node.block {
                Some(block) if block.is_transaction() && !node.ended_well() => {}
                Some(block) => {
                    let bodies = block.children.iter().filter(|child| child.body != UNDO);
                    bodies.for_each(|child| child.plan.add_targets(targets));
                }
                None => targets.extend(node.target(self.limits.max_args_bytes)),
            }
        }
    }

    /// Adds a call that takes another one back. It starts after those before it, however these end.
    pub(super) fn push_undo(&mut self, target: UndoTarget) {
        let UndoTarget { undone, by, .. } = target;
        let (UndoingCall { kind, name, args }, why) = match by {
            Ok(call) => (call, None),
            Err(why) => {
                let (kind, name) = (undone.kind, undone.name.clone());
                (UndoingCall { kind, name, args: "{}".to_owned() }, Some(why))
            }
        };
        let content = format!(r#"{{"name":{},"args":{args}}}"#, Json::string(&name));
        let Ok(call) = Call::parse(undo_id(&undone.id), content) else { return };
        let call = call.with_action(ActionAttributes {
            kind,
            mode: CallMode::Sync,
            retry: Some(UNDO_RETRIES),
            undoes: Some(undone.id.clone()),
            ..ActionAttributes::default()
        });
        self.report_instance(&call);
        let rollback = RollbackNode { undoes: Some(undone), ..RollbackNode::default() };
        let index = self.insert(Node { rollback: Some(Box::new(rollback)), ..Node::new(call) });
        match why {
            None => self.ready(index),
            Some(why) => {
                let node = &self.nodes[index];
                let outcome = node.not_undone(why);
                self.end([(index, CallEnd::Failed, outcome)]);
            }
        }
    }

    /// Returns the calls that this plan's calls have undone, and those that they could not undo.
    pub(super) fn undo_report(&self) -> String {
        let undone = |node: &Node| {
            node.rollback.as_ref()?.undoes.as_ref().map(|undone| format!("`{}`", undone.id))
        };
        let good = self.nodes.iter().filter(|node| node.ended_well()).filter_map(undone);
        let bad = self.nodes.iter().filter(|node| !node.ended_well()).filter_map(|node| {
            let how = node.how_it_ended();
            let why = how.strip_prefix("failed: ").unwrap_or(&how);
            Some(format!("{}: {why}", undone(node)?))
        });
        let (good, bad) = (Vec::from_iter(good), Vec::from_iter(bad));
        match (good.is_empty(), bad.is_empty()) {
            (true, true) => "nothing had to be rolled back".to_owned(),
            (false, true) => format!("rolled back: {}", good.join(", ")),
            (true, false) => format!("could not be undone: {}", bad.join("; ")),
            (false, false) => {
                format!("rolled back: {}; could not be undone: {}", good.join(", "), bad.join("; "),)
            }
        }
    }
}

impl Node {
    /// Returns the undo of the call, if it has completed or may have.
    fn target(&self, max_args: usize) -> Option<UndoTarget> {
        let rollback = self.rollback.as_deref()?;
        let undo = rollback.undo.as_ref()?;
        let is_done = match undo.compensation() {
            Some(_) => self.ended_well() || rollback.may_be_done,
            None => self.ended_well() || rollback.has_run,
        };
        let call = self.call.as_ref().filter(|_| is_done)?;
        let kind = call.action().map(|action| action.kind).unwrap_or_default();
        let (id, name) = (self.id.clone(), call.name().to_owned());
        let undone = UndoneCall { id, kind, name, is_by_tool: true };
        let output = self.value();
        Some(UndoTarget::new(self.ended_at, undone, undo, output.as_deref(), max_args))
    }
}

impl UndoTarget {
    pub(super) fn new(
        ended_at: usize,
        undone: UndoneCall,
        undo: &CallUndo,
        output: Option<&Json>,
        max_args: usize,
    ) -> Self {
        let Some(Compensation { kind, name, .. }) = undo.compensation() else {
            let (call, tool) = (Json::string(&undone.id), Json::string(&undone.name));
            let args = format!(r#"{{"call":{call},"tool":{tool}}}"#);
            let by = UndoingCall { kind: CallKind::Tool, name: UNDO_NAME.to_owned(), args };
            return Self { ended_at, undone, by: Ok(by) };
        };
        let undone = UndoneCall { is_by_tool: false, ..undone };
        let args = undo.args(output, max_args);
        let by = args.map(|args| UndoingCall { kind: *kind, name: name.clone(), args });
        Self { ended_at, undone, by }
    }
}

/// The name of the call by which a tool undoes its effects.
const UNDO_NAME: &str = "undo";

/// The number of attempts after the first at taking a call back.
const UNDO_RETRIES: u32 = 2;
