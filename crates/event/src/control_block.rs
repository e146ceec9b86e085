//! The beginning of a control block: a choice, a loop or a group of calls (P-29 to P-32).
//!
//! This module defines its parts, and their members in JSON.

use std::time::Duration;

use crate::action::OnError;
use crate::fields::{Fields, ReadEntryError};
use crate::json::Object;
use crate::seconds::Seconds;

/// The beginning of a control block, without its body.
///
/// ```
/// use silcrow_event::{ControlBlock, ControlKind};
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
#[expect(clippy::exhaustive_enums, reason = "section 10 of the protocol names them all")]
pub enum ControlKind {
    /// One of two bodies runs (P-29). Its output is the output of the block.
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
        /// The time after which calls that still run are cancelled. The block fails then, except
        /// with [`ParallelJoin::Settled`].
        timeout: Option<Duration>,
    },
    /// Either all of the body succeeds, or its effects are undone (P-32). It begins once it is
    /// closed. The output is the output of its body.
    Transaction {
        /// The time after which the body counts as failed.
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

impl ControlBlock {
    /// Creates the beginning of a block whose output has no other name than its id.
    pub fn new(id: impl Into<String>, kind: ControlKind) -> Self {
        Self { id: id.into(), kind, output_key: None }
    }

    /// Writes everything except the id. Members that have their default are left out.
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("block", self.kind.as_str());
        match &self.kind {
            ControlKind::Choice { test } => to.string("test", test),
            ControlKind::ForEach { items, item, index, max_parallel, limit, on_error } => {
                to.string("in", items);
                to.string("as", item);
                if let Some(index) = index {
                    to.string("index", index);
                }
                if *max_parallel != ControlKind::MAX_PARALLEL {
                    to.integer("max_parallel", *max_parallel as u64);
                }
                if *limit != ControlKind::LIMIT {
                    to.integer("limit", *limit as u64);
                }
                if *on_error != OnError::Fail {
                    to.string("on_error", on_error.as_str());
                }
            }
            ControlKind::Parallel { join, max, timeout } => {
                to.string("join", join.as_str());
                if let Some(max) = max {
                    to.integer("max", *max as u64);
                }
                if let Some(timeout) = timeout {
                    to.number("timeout", Seconds(*timeout));
                }
            }
            ControlKind::Transaction { timeout } => {
                if let Some(timeout) = timeout {
                    to.number("timeout", Seconds(*timeout));
                }
            }
            ControlKind::Value { expression } => to.string("expr", expression),
        }
        if let Some(key) = &self.output_key {
            to.string("output_key", key);
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        let kind = match &*fields.chars("block")? {
            "if" => ControlKind::Choice { test: fields.text("test")? },
            "foreach" => ControlKind::ForEach {
                items: fields.text("in")?,
                item: fields.text("as")?,
                index: fields.maybe("index"),
                max_parallel: fields.number("max_parallel").unwrap_or(ControlKind::MAX_PARALLEL),
                limit: fields.number("limit").unwrap_or(ControlKind::LIMIT),
                on_error: fields.word("on_error", OnError::Fail)?,
            },
            "parallel" => ControlKind::Parallel {
                join: fields.word("join", ParallelJoin::All)?,
                max: fields.number("max"),
                timeout: fields.duration("timeout"),
            },
            "transaction" => ControlKind::Transaction { timeout: fields.duration("timeout") },
            "value" => ControlKind::Value { expression: fields.text("expr")? },
            other => {
                return Err(ReadEntryError::new(format!(
                    "`block` is `{other}`, which is not a kind of block"
                )));
            }
        };
        let (id, output_key) = (fields.text("id")?, fields.maybe("output_key"));
        Ok(Self { id, kind, output_key })
    }
}

impl ControlKind {
    /// The greatest number of instances of a loop that run at once, unless the block says otherwise.
    pub const MAX_PARALLEL: usize = 5;

    /// The greatest number of items of a loop, unless the block says otherwise.
    pub const LIMIT: usize = 100;

    /// The word of a loop on the wire.
    pub const FOR_EACH: &'static str = "foreach";

    /// The words of all kinds on the wire.
    pub const WORDS: [&'static str; 5] = ["if", "foreach", "parallel", "transaction", "value"];

    /// Returns the word on the wire: `if`, `foreach`, `parallel`, `transaction` or
    /// `value`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Choice { .. } => "if",
            Self::ForEach { .. } => Self::FOR_EACH,
            Self::Parallel { .. } => "parallel",
            Self::Transaction { .. } => "transaction",
            Self::Value { .. } => "value",
        }
    }

    /// Returns whether the block has a body, and therefore an end that is written.
    pub const fn has_body(&self) -> bool {
        !matches!(self, Self::Value { .. })
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
