//! The hosts that the proxy refused, each with the reason.

use std::fmt;

use silcrow_event::Grant;

/// A connection that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it is plain data")]
pub struct RefusedHost {
    /// The door that it would have needed, such as `network:example.org`.
    pub grant: Grant,
    /// The reason.
    pub reason: RefusalReason,
}

/// The reason of a [`RefusedHost`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalReason {
    /// The host is not granted, and neither was it when somebody was asked: the reason in words.
    NotGranted(String),
    /// The host, or an address of it, is not one of the public internet.
    NotPublic,
    /// The pass has too many connections.
    TooMany,
}

impl fmt::Display for RefusedHost {
    /// Writes the wall and the reason, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { grant, reason } = self;
        match reason {
            RefusalReason::NotGranted(why) => write!(f, "{grant} is not granted: {why}"),
            RefusalReason::NotPublic => write!(
                f,
                "{grant} does not lead to the public internet, and nothing else is reached"
            ),
            RefusalReason::TooMany => {
                write!(f, "{grant}: the command has too many connections already")
            }
        }
    }
}
