//! Whole control blocks, and their expressions.
//!
//! This module lists a block's contents; the plan runs them.

use silcrow_event::{Call, ControlBlock, ControlKind};
use silcrow_expression::Expression;

/// A call, or a block with its contents: a tree, as a program or a manifest declares it.
///
/// ```
/// use silcrow_event::Call;
/// use silcrow_plan::{ControlBlock, ControlKind, ControlStep};
///
/// let call = Call::parse("tell", r#"{"name":"notify"}"#).unwrap();
/// let test = "failed(build)".to_owned();
/// let block = ControlBlock::new("check", ControlKind::Choice { test });
/// let step = ControlStep::block(block, [call.into()]);
/// assert_eq!(step.id(), "check");
/// assert_eq!(step.calls().len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControlStep {
    /// A call.
    Call(Call),
    /// A block.
    Block {
        /// The beginning of the block.
        block: ControlBlock,
        /// The body.
        body: Vec<Self>,
        /// The other body of a choice, which runs if the test is false.
        otherwise: Vec<Self>,
    },
}

impl ControlStep {
    /// Creates a block with one body.
    pub fn block(block: ControlBlock, body: impl IntoIterator<Item = Self>) -> Self {
        Self::Block { block, body: body.into_iter().collect(), otherwise: Vec::new() }
    }

    /// Returns the id of the call or of the block.
    pub fn id(&self) -> &str {
        match self {
            Self::Call(call) => call.id(),
            Self::Block { block, .. } => &block.id,
        }
    }

    /// Returns the calls in it, in the order of the text. Calls of a loop are in it once.
    pub fn calls(&self) -> Vec<&Call> {
        match self {
            Self::Call(call) => vec![call],
            Self::Block { body, otherwise, .. } => {
                body.iter().chain(otherwise).flat_map(Self::calls).collect()
            }
        }
    }
}

/// Returns why the expression of a block cannot be read, if it cannot. The names in it may still mean
/// nothing.
///
/// ```
/// use silcrow_plan::{ControlKind, expression_flaw};
///
/// let choice = |test: &str| ControlKind::Choice { test: test.to_owned() };
/// assert_eq!(expression_flaw(&choice("len(files) > 10")), None);
/// assert!(expression_flaw(&choice("len(files >")).is_some());
/// ```
pub fn expression_flaw(kind: &ControlKind) -> Option<String> {
    Expression::parse(expression(kind)?).err().map(|why| why.to_string())
}

/// Returns the expression of a block, if its kind has one.
pub(crate) fn expression(kind: &ControlKind) -> Option<&String> {
    match kind {
        ControlKind::Choice { test: source }
        | ControlKind::ForEach { items: source, .. }
        | ControlKind::Value { expression: source } => Some(source),
        _ => None,
    }
}

impl From<Call> for ControlStep {
    fn from(call: Call) -> Self {
        Self::Call(call)
    }
}
