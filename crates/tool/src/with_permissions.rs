//! An approver with permissions before it.

use std::fmt;

use futures_util::future::BoxFuture;

use crate::approval_request::ApprovalRequest;
use crate::approve::{ApprovalDecision, Approver};
use crate::permissions::Permissions;

/// An approver that is asked only about the calls that permissions leave to it.
///
/// ```
/// use silcrow_tool::{
///     Approver as _, DenyAll, Permission, PermissionRequest, Permissions, WithPermissions,
/// };
///
/// struct OnlyNotes;
///
/// impl Permissions for OnlyNotes {
///     fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
///         match request.preview.target.as_deref() {
///             Some("notes.md") => Permission::Allow,
///             _ => Permission::Ask("only notes are left to the agent".to_owned()),
///         }
///     }
/// }
///
/// let approver = WithPermissions::new(OnlyNotes, DenyAll);
/// assert!(approver.permissions().is_some());
/// ```
pub struct WithPermissions<P, A> {
    permissions: P,
    approver: A,
}

impl<P: Permissions, A: Approver> WithPermissions<P, A> {
    /// Puts permissions before an approver. They replace the approver's own permissions.
    pub const fn new(permissions: P, approver: A) -> Self {
        Self { permissions, approver }
    }
}

impl<P: Permissions, A: Approver> Approver for WithPermissions<P, A> {
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        self.approver.ask(request)
    }

    fn is_asked_at_once(&self) -> bool {
        self.approver.is_asked_at_once()
    }

    fn takes_items(&self) -> bool {
        self.approver.takes_items()
    }

    fn permissions(&self) -> Option<&dyn Permissions> {
        Some(&self.permissions)
    }
}

impl<P, A> fmt::Debug for WithPermissions<P, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithPermissions").finish_non_exhaustive()
    }
}
