//! Control blocks: what chooses, repeats or groups calls (P-29 to P-31).
//!
//! This module knows what a block says. It does not know how one runs.

use std::time::Duration;

use silcrow_event::{Call, OnError};
use silcrow_expression::Expression;

/// The beginning of a control block, without its body.
///
/// ```
/// use silcrow_plan::{ControlBlock, ControlKind};
///
/// let test = "len(files) > 10".to_owned();
/// let block = ControlBlock::new("many", ControlKind::Choice { test });
/// assert_eq!(block.kind.as_str(), "if");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 10 of the protocol names its members")]
pub struct ControlBlock {
    /// The id, which no other block or call of the turn has.
    pub id: String,
    /// The kind of block, with its expressions.
    pub kind: ControlKind,
    /// The name that its output is bound to, besides its id.
    pub output_key: Option<String>,
}

/// The kind of a block and its expressions, which are in the language of
/// [`silcrow_expression`](https://docs.rs/silcrow-expression).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControlKind {
    /// One of two bodies runs (P-29). The output is that of the body.
    Choice {
        /// The expression that is true or false.
        test: String,
    },
    /// The body runs once for each item of a list (P-30). The output is a list of the outputs of its
    /// instances, in the order of the items, with `null` for one that failed.
    ForEach {
        /// The expression whose value is the list.
        items: String,
        /// The name of the item in the body.
        item: String,
        /// The name of the item's index in the body, which counts from 0.
        index: Option<String>,
        /// The greatest number of instances that run at once.
        max_parallel: usize,
        /// The greatest number of items; with more the block fails before any instance starts.
        limit: usize,
        /// The consequence of a failed instance: [`OnError::Fail`] stops the others and fails the
        /// block, anything else lets them continue.
        on_error: OnError,
    },
    /// All of the body runs at once (P-31): no call in it waits for an earlier `sync` one. The output
    /// is a list of the outputs, or the output that decided.
    Parallel {
        /// The event that ends the block.
        join: ParallelJoin,
        /// The greatest number of calls that run at once.
        max: Option<usize>,
        /// The time after which what still runs is cancelled. The block fails then, except with
        /// [`ParallelJoin::Settled`].
        timeout: Option<Duration>,
    },
    /// A name for the value of an expression. The block has no body.
    Value {
        /// The expression.
        expression: String,
    },
}

/// The event that ends a parallel block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-31 names them all")]
pub enum ParallelJoin {
    /// Every part of the body succeeds; one failure stops the others.
    #[default]
    All,
    /// The first success.
    Any,
    /// The first end, be it a success or a failure.
    Race,
    /// The end of every part; failures do not count.
    Settled,
}

/// A call, or a block with what is in it: a tree, as a program or a manifest declares it.
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

impl ControlBlock {
    /// Creates the beginning of a block whose output has no other name than its id.
    pub fn new(id: impl Into<String>, kind: ControlKind) -> Self {
        Self { id: id.into(), kind, output_key: None }
    }
}

impl ControlKind {
    /// The greatest number of instances of a loop that run at once, unless the block says otherwise.
    pub const MAX_PARALLEL: usize = 5;

    /// The greatest number of items of a loop, unless the block says otherwise.
    pub const LIMIT: usize = 100;

    /// Returns why its expression cannot be read, if it cannot. The names in it may still mean nothing.
    ///
    /// ```
    /// use silcrow_plan::ControlKind;
    ///
    /// let choice = |test: &str| ControlKind::Choice { test: test.to_owned() };
    /// assert_eq!(choice("len(files) > 10").flaw(), None);
    /// assert!(choice("len(files >").flaw().is_some());
    /// ```
    pub fn flaw(&self) -> Option<String> {
        let source = match self {
            Self::Choice { test: source }
            | Self::ForEach { items: source, .. }
            | Self::Value { expression: source } => source,
            Self::Parallel { .. } => return None,
        };
        Expression::parse(source).err().map(|why| why.to_string())
    }

    /// Returns the word on the wire: `if`, `foreach`, `parallel` or `value`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Choice { .. } => "if",
            Self::ForEach { .. } => "foreach",
            Self::Parallel { .. } => "parallel",
            Self::Value { .. } => "value",
        }
    }
}

impl ParallelJoin {
    /// Lists every way to end.
    pub const ALL: [Self; 4] = [Self::All, Self::Any, Self::Race, Self::Settled];

    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
            Self::Race => "race",
            Self::Settled => "settled",
        }
    }
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

    /// Returns the calls in it, in the order of the text. Those of a loop are in it once.
    pub fn calls(&self) -> Vec<&Call> {
        match self {
            Self::Call(call) => vec![call],
            Self::Block { body, otherwise, .. } => {
                body.iter().chain(otherwise).flat_map(Self::calls).collect()
            }
        }
    }
}

impl From<Call> for ControlStep {
    fn from(call: Call) -> Self {
        Self::Call(call)
    }
}
