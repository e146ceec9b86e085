//! The trait that decides which calls a person is asked about.
//!
//! This module knows what a decision is made of. `silcrow-policy` has modes and rules, and an
//! [`Approver`] asks the person.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use silcrow_event::CallKind;

use crate::approve::{ApprovalDecision, ApprovalRequest, Approver};
use crate::tool::{ApprovalNeed, Preview, ToolPolicy};

/// Decides whether a call runs, is asked about or is denied.
pub trait Permissions: Send + Sync {
    /// Decides about a call that its tool has previewed. It returns at once and has no effects. The
    /// runner may ask several times about a call. A panic denies it.
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission;
}

impl<P: Permissions + ?Sized> Permissions for Arc<P> {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        (**self).decide(request)
    }
}

/// A call that is decided about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PermissionRequest<'a> {
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of what is called.
    pub tool: &'a str,
    /// The exact arguments, with outputs in place of their names: a JSON object.
    pub args: &'a str,
    /// The policy of the tool.
    pub policy: ToolPolicy,
    /// What the call would do, as its tool describes it.
    pub preview: &'a Preview,
    /// The names of the agents between the person's and the one that calls, the outermost first.
    pub agent_path: &'a [String],
}

impl<'a> PermissionRequest<'a> {
    /// Creates the request about a call of a tool by the person's own agent.
    pub const fn new(
        tool: &'a str,
        args: &'a str,
        policy: ToolPolicy,
        preview: &'a Preview,
    ) -> Self {
        Self { kind: CallKind::Tool, tool, args, policy, preview, agent_path: &[] }
    }

    /// Returns the decision where no permissions decide: that of the tool's policy.
    pub const fn by_tool(&self) -> Permission {
        match self.policy.approval {
            ApprovalNeed::Always => Permission::Ask,
            ApprovalNeed::IfRisky if self.preview.risk.is_some() => Permission::Ask,
            ApprovalNeed::IfRisky | ApprovalNeed::Never => Permission::Allow,
        }
    }
}

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is yes, no or a question")]
pub enum Permission {
    /// The call runs, also if it has a risk.
    Allow,
    /// The approver is asked.
    Ask,
    /// The call does not run. The model reads the reason.
    Deny(String),
}

/// An approver that is asked only about the calls that permissions leave to it.
///
/// ```
/// use silcrow_exec::{
///     Approver as _, DenyAll, Permission, PermissionRequest, Permissions, WithPermissions,
/// };
///
/// struct OnlyNotes;
///
/// impl Permissions for OnlyNotes {
///     fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
///         match request.preview.target.as_deref() {
///             Some("notes.md") => Permission::Allow,
///             _ => Permission::Ask,
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
    /// Puts permissions before an approver. They replace those of the approver itself.
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

    fn permissions(&self) -> Option<&dyn Permissions> {
        Some(&self.permissions)
    }
}

impl<P, A> fmt::Debug for WithPermissions<P, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithPermissions").finish_non_exhaustive()
    }
}
