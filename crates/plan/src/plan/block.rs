//! The state of a block in a plan: its contents, and the plans of its bodies.
//!
//! Other modules decide when a block begins or ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use silcrow_event::{Call, CallEnd, ControlBlock, ControlKind, InvalidCall};
use silcrow_expression::{Expression, ExpressionValue};

use super::Plan;
use crate::control::expression;
use crate::outputs::Source;

/// A block and its state.
#[derive(Debug)]
pub(crate) struct PlannedBlock {
    pub(crate) head: ControlBlock,
    /// Its expression, or the error in it; `None` for a block without one.
    pub(crate) expression: Option<Result<Expression, String>>,
    /// The contents of its body, and of the other body of a choice.
    pub(crate) bodies: [Vec<BodyItem>; 2],
    /// Whether its end was written.
    pub(crate) is_closed: bool,
    /// Whether the turn left it open, so that nothing more in it starts.
    pub(crate) is_cut: bool,
    /// The meaning outside of the block of names in its bodies, if they have one.
    pub(crate) outer: BTreeMap<String, Source>,
    /// The plans of its bodies: both of a choice, each instance of a loop. There are none before the
    /// block begins.
    pub(crate) children: Vec<BlockChild>,
    /// The kind of its end once nothing in it runs any more, if that is decided.
    pub(crate) ending: Option<BlockOutcome>,
    /// The items of a loop.
    pub(crate) items: Arc<[ExpressionValue]>,
    /// The names that calls in it bind for later steps, each with the node that stands for it.
    pub(crate) exports: Vec<(String, usize)>,
}

/// The plan of a body of a block.
#[derive(Debug)]
pub(crate) struct BlockChild {
    pub(crate) plan: Plan,
    /// The number of the body, or [`UNDO`].
    pub(crate) body: usize,
    /// Whether it is over, so that the block does not wait for it.
    pub(crate) is_over: bool,
}

/// Stands for the number of a body: the calls that undo the calls of the body.
pub(crate) const UNDO: usize = 2;

/// A part of a body, in the order of the text.
#[derive(Clone, Debug)]
pub(crate) enum BodyItem {
    Call(Call),
    Invalid(InvalidCall),
    Open(ControlBlock),
    Otherwise,
    Close,
}

/// The end of a body or a block: its kind, the output as JSON, and the reason of a failure.
#[derive(Clone, Debug)]
pub(crate) struct BlockOutcome {
    pub(crate) how: CallEnd,
    pub(crate) value: ExpressionValue,
    pub(crate) why: String,
}

impl PlannedBlock {
    pub(crate) fn new(head: ControlBlock) -> Self {
        let source = expression(&head.kind);
        let expression =
            source.map(|source| Expression::parse(source).map_err(|why| why.to_string()));
        Self {
            is_closed: matches!(head.kind, ControlKind::Value { .. }),
            is_cut: false,
            head,
            expression,
            bodies: [Vec::new(), Vec::new()],
            outer: BTreeMap::new(),
            children: Vec::new(),
            ending: None,
            items: Arc::new([]),
            exports: Vec::new(),
        }
    }

    /// Returns the names of the variables in its expression, and the ids of calls whose end the
    /// expression asks for.
    pub(crate) fn names(&self) -> (&[String], &[String]) {
        match &self.expression {
            Some(Ok(expression)) => (expression.variables(), expression.calls()),
            _ => (&[], &[]),
        }
    }

    /// Returns the plans of its bodies, without the ones that undo them.
    pub(crate) fn bodies_mut(&mut self) -> impl Iterator<Item = &mut BlockChild> {
        self.children.iter_mut().filter(|child| child.body != UNDO)
    }

    pub(crate) const fn is_transaction(&self) -> bool {
        matches!(self.head.kind, ControlKind::Transaction { .. })
    }

    pub(crate) const fn is_loop(&self) -> bool {
        matches!(self.head.kind, ControlKind::ForEach { .. })
    }

    /// Returns the names that calls and blocks in its bodies bind for later steps: ids and output
    /// keys. An instance of a loop binds none.
    pub(crate) fn bound_names(&self) -> Vec<(String, Option<String>)> {
        let mut names = Vec::new();
        if self.is_loop() {
            return names;
        }
        for body in &self.bodies {
            // The loops that are open.
            let mut open = Vec::new();
            for item in body {
                let is_in_loop = open.contains(&true);
                match item {
                    BodyItem::Call(call) if !is_in_loop => {
                        let key = call.action().and_then(|action| action.output_key.clone());
                        names.push((call.id().to_owned(), key));
                    }
                    BodyItem::Open(head) => {
                        if !is_in_loop {
                            names.push((head.id.clone(), head.output_key.clone()));
                        }
                        if !matches!(head.kind, ControlKind::Value { .. }) {
                            open.push(matches!(head.kind, ControlKind::ForEach { .. }));
                        }
                    }
                    BodyItem::Close => {
                        open.pop();
                    }
                    _ => {}
                }
            }
        }
        names
    }

    /// Returns whether every call in it has ended, including those that nothing waits for.
    pub(crate) fn is_over(&self) -> bool {
        self.children.iter().all(|child| child.plan.has_ended())
    }

    /// Returns whether it is a loop whose variable has this name.
    pub(crate) fn binds(&self, name: &str) -> bool {
        match &self.head.kind {
            ControlKind::ForEach { item, index, .. } => {
                item == name || index.as_deref() == Some(name)
            }
            _ => false,
        }
    }

    /// Returns whether a call in it runs, including one that nothing waits for.
    pub(crate) fn is_running(&self) -> bool {
        self.children.iter().any(|child| child.plan.is_running())
    }
}

impl BlockOutcome {
    pub(crate) fn ok(value: ExpressionValue) -> Self {
        Self { how: CallEnd::Ok, value, why: String::new() }
    }

    pub(crate) fn cancelled(why: impl Into<String>) -> Self {
        Self { how: CallEnd::Cancelled, ..Self::failed(why) }
    }

    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self { how: CallEnd::Failed, value: ExpressionValue::Null, why: why.into() }
    }
}
