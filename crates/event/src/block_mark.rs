//! The parts of a control block that the model writes beside the calls in it.
//!
//! This module defines their members in JSON.

use crate::call::Call;
use crate::control_block::ControlBlock;
use crate::fields::{Fields, ReadEntryError};
use crate::json::Object;

/// A part of a control block as the model writes it (P-29 to P-31).
///
/// The marks of a turn nest: everything between the beginning and the end of a block is in it. A
/// [`ControlKind::Value`](crate::ControlKind::Value) has no end.
///
/// ```
/// use silcrow_event::{BlockMark, Event};
///
/// let end = Event::Block(BlockMark::End { id: "each".to_owned() });
/// assert_eq!(end.to_json(), r#"{"type":"block","part":"end","id":"each"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockMark {
    /// A block begins.
    Begin(ControlBlock),
    /// The other body of a choice begins, which runs if the test is false.
    Otherwise {
        /// The block's id.
        id: String,
    },
    /// A call in the body of a loop. It is not run itself and has no result: its instances are
    /// calls, one for each item, with ids such as `each[0].read`.
    Template(Call),
    /// A block ends.
    End {
        /// The block's id.
        id: String,
    },
}

impl BlockMark {
    /// Returns the id of the block, or of the call.
    pub fn id(&self) -> &str {
        match self {
            Self::Begin(block) => &block.id,
            Self::Otherwise { id } | Self::End { id } => id,
            Self::Template(call) => call.id(),
        }
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("part", self.part());
        to.string("id", self.id());
        match self {
            Self::Begin(block) => block.write(to),
            Self::Template(call) => {
                to.string("content", call.content());
                if let Some(action) = call.action() {
                    to.object("action", |to| action.write(to));
                }
            }
            Self::Otherwise { .. } | Self::End { .. } => {}
        }
    }

    pub(crate) fn read(
        fields: &Fields<'_>,
        call: impl FnOnce(&Fields<'_>) -> Result<Call, ReadEntryError>,
    ) -> Result<Self, ReadEntryError> {
        Ok(match &*fields.chars("part")? {
            "begin" => Self::Begin(ControlBlock::read(fields)?),
            "else" => Self::Otherwise { id: fields.text("id")? },
            "call" => Self::Template(call(fields)?),
            "end" => Self::End { id: fields.text("id")? },
            other => {
                return Err(ReadEntryError::new(format!(
                    "`part` is `{other}`; it may be begin, else, call, end"
                )));
            }
        })
    }

    const fn part(&self) -> &'static str {
        match self {
            Self::Begin(_) => "begin",
            Self::Otherwise { .. } => "else",
            Self::Template(_) => "call",
            Self::End { .. } => "end",
        }
    }
}
