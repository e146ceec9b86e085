//! The access of a call once it is allowed.
//!
//! This module is data. [`Permissions`](crate::Permissions) decide it, and the tool enforces it.

/// The access of a call that is allowed, which its tool enforces ([`CallContext::access`]).
///
/// [`CallContext::access`]: crate::CallContext::access
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a tool enforces each of them")]
pub enum CallAccess {
    /// The call changes nothing, connects to nothing, and reads no secret that its question did not
    /// name, even if it tries. Only calls whose tool [can enforce
    /// this](crate::Preview::can_be_read_only) run with it; all others are denied.
    ReadOnly,
    /// Everything that the tool lets a call do, except for secrets that the question about the call
    /// did not name.
    #[default]
    Usual,
    /// Everything that the tool lets a call do.
    WithSecrets,
}
