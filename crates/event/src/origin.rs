//! The origin of a conversation that began as a branch of another one.

use crate::fields::Fields;
use crate::json::Object;

/// The way in which a conversation began from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol names both")]
pub enum ConversationOrigin {
    /// The conversation has a copy of the other's history up to this point. JSON calls it
    /// `forked_from`.
    Fork(BranchPoint),
    /// The conversation ran the prompts of the other up to this point again. JSON calls it
    /// `replay_of`.
    Replay(BranchPoint),
}

/// A position in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct BranchPoint {
    /// The conversation's id.
    pub conversation: String,
    /// The position of its last event that counts.
    pub seq: u64,
}

impl ConversationOrigin {
    /// Returns the point in the other conversation.
    pub const fn point(&self) -> &BranchPoint {
        match self {
            Self::Fork(point) | Self::Replay(point) => point,
        }
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        let key = match self {
            Self::Fork(_) => FORK,
            Self::Replay(_) => REPLAY,
        };
        let BranchPoint { conversation, seq } = self.point();
        to.object(key, |point| {
            point.string("conversation", conversation);
            point.integer("seq", *seq);
        });
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let point = |key| {
            let point = fields.object(key)?;
            let (conversation, seq) = (point.maybe("conversation")?, point.number("seq")?);
            Some(BranchPoint { conversation, seq })
        };
        point(FORK).map(Self::Fork).or_else(|| point(REPLAY).map(Self::Replay))
    }
}

const FORK: &str = "forked_from";
const REPLAY: &str = "replay_of";
