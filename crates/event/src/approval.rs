//! Approvals: the questions to a person about a call, and the answers.

use crate::grant::Grants;

/// A question to a person about a call, or the answer.
///
/// ```
/// use silcrow_event::{Approval, ApprovalState, Event, Grants, read_entry};
///
/// let answer = Event::Approval(Approval {
///     id: "a1".to_owned(),
///     state: ApprovalState::Denied,
///     args_sha256: None,
///     target: Some("~/.ssh/config".to_owned()),
///     risk: None,
///     scope: None,
///     grants: Grants::none(),
///     reason: Some("Leave my keys alone.".to_owned()),
/// });
/// // A log keeps it, so that nobody is asked twice.
/// assert!(answer.is_stored());
/// assert_eq!(read_entry(&answer.to_json()).unwrap().event, answer);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Approval {
    /// The call's id.
    pub id: String,
    /// The state of the question.
    pub state: ApprovalState,
    /// The SHA-256 of the arguments after substitution, in hex. The question was about exactly
    /// these arguments. `None` in logs that are older than this field.
    pub args_sha256: Option<String>,
    /// The resolved target of the call, if its tool names one.
    pub target: Option<String>,
    /// The risk that the question named. An approval without it does not cover a call with a risk.
    pub risk: Option<String>,
    /// The calls that an approval covers, if it covers more than this one.
    pub scope: Option<String>,
    /// The doors that the question named, and that a yes opens for the call.
    pub grants: Grants,
    /// The reason in the person's own words.
    pub reason: Option<String>,
}

impl Approval {
    /// Returns whether the question was about doors that the call asked for while it ran, and not
    /// about whether it may run. The doors are the target of such a question.
    pub fn is_at_wall(&self) -> bool {
        let doors = (!self.grants.is_empty()).then(|| self.grants.to_string());
        doors.is_some() && self.target == doors
    }
}

/// The state of an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol names them all")]
pub enum ApprovalState {
    /// The person was asked.
    Asked,
    /// The person said yes.
    Allowed,
    /// The person said no, or nobody could be asked.
    Denied,
}

impl ApprovalState {
    /// Lists every state.
    pub const ALL: [Self; 3] = [Self::Asked, Self::Allowed, Self::Denied];

    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
        }
    }
}
