//! Whether a call succeeded.
//!
//! This module defines its words on the wire and in JSON.

/// The status of a result, as the model reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-18 names both")]
pub enum ResultStatus {
    /// The call did its work.
    Success,
    /// The call failed; the content gives the reason.
    Failure,
}

impl ResultStatus {
    /// Lists both statuses.
    pub const ALL: [Self; 2] = [Self::Success, Self::Failure];

    /// Returns the word in JSON and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
        }
    }
}
