//! The trait that decides which calls a person is asked about.
//!
//! This module defines the parts of a decision. `silcrow-policy` has modes and rules, and an
//! [`Approver`](crate::Approver) asks the person.

use std::sync::Arc;

use silcrow_event::{CallKind, Grants};

use crate::call_access::CallAccess;
use crate::call_preview::Preview;
use crate::door_row::{door_row, doors_of_row, with_doors};
use crate::door_scope::{door_scope, doors_of};
use crate::granted_scope::covers;
use crate::tool_policy::{ApprovalNeed, ToolPolicy};

/// Decides whether a call runs, is asked about or is denied.
///
/// ```
/// use silcrow_tool::{Permission, PermissionRequest, Permissions, Preview, ToolPolicy};
///
/// /// Lets a call run unless it sends something out.
/// struct StayHere;
///
/// impl Permissions for StayHere {
///     fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
///         match request.policy.sends_out {
///             true => Permission::Deny(format!("`{}` sends something out", request.tool)),
///             false => request.by_tool(),
///         }
///     }
/// }
///
/// let preview = Preview::new("https://example.com").with_risk("it has a password");
/// let fetch = ToolPolicy { sends_out: true, ..ToolPolicy::default() };
/// let request = PermissionRequest::new("fetch", "{}", fetch, &preview);
/// assert!(matches!(StayHere.decide(&request), Permission::Deny(_)));
/// // A tool that never needs approval runs even at a risk.
/// let request = PermissionRequest::new("fetch", "{}", ToolPolicy::default(), &preview);
/// assert_eq!(StayHere.decide(&request), Permission::Allow);
/// ```
pub trait Permissions: Send + Sync {
    /// Decides about a call that its tool has previewed. It returns at once and has no effects. The
    /// runner may ask several times about a call. A panic denies it.
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission;

    /// Returns the access of the call once [`decide`](Self::decide) or a person allows it. A
    /// wrapper that forwards `decide` forwards this, too.
    fn access(&self, request: &PermissionRequest<'_>) -> CallAccess {
        let _ = request;
        CallAccess::Usual
    }

    /// Returns the doors that open for the call once it is allowed: the ones that it [asks
    /// for](Preview::needs), unless permissions add more. A question names them. If the call asks
    /// for other doors at the [wall](crate::CallContext::ask_for), that is a further question.
    fn grants(&self, request: &PermissionRequest<'_>) -> Grants {
        request.preview.needs.clone()
    }

    /// Returns wider scopes than the call's own for an approval for the conversation, the narrowest
    /// first, such as `git commit *`; none by default. An approval with one of them covers every call
    /// that has it among its own scopes.
    fn wider_scopes(&self, request: &PermissionRequest<'_>) -> Vec<String> {
        let _ = request;
        Vec::new()
    }

    /// Returns whether approvals for the conversation together cover the call, although none of
    /// them has its scope or one of its [wider scopes](Self::wider_scopes): such as two of which
    /// each covers one command of a list. This is not called for a call with a risk.
    fn covers(&self, request: &PermissionRequest<'_>, approved: &[ApprovedScope<'_>]) -> bool {
        let _ = (request, approved);
        false
    }

    /// Decides about doors that a call [asks for](crate::CallContext::ask_for) while it runs, and that
    /// are not among its [grants](Self::grants). By default the approver is asked. A wrapper that
    /// forwards `decide` forwards this, too.
    fn decide_at_wall(&self, request: &PermissionRequest<'_>, wanted: &Grants) -> Permission {
        let _ = request;
        Permission::Ask(format!("the call asks for {wanted} while it runs"))
    }
}

impl<P: Permissions + ?Sized> Permissions for Arc<P> {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        (**self).decide(request)
    }

    fn access(&self, request: &PermissionRequest<'_>) -> CallAccess {
        (**self).access(request)
    }

    fn grants(&self, request: &PermissionRequest<'_>) -> Grants {
        (**self).grants(request)
    }

    fn wider_scopes(&self, request: &PermissionRequest<'_>) -> Vec<String> {
        (**self).wider_scopes(request)
    }

    fn covers(&self, request: &PermissionRequest<'_>, approved: &[ApprovedScope<'_>]) -> bool {
        (**self).covers(request, approved)
    }

    fn decide_at_wall(&self, request: &PermissionRequest<'_>, wanted: &Grants) -> Permission {
        (**self).decide_at_wall(request, wanted)
    }
}

/// A call that is decided about.
///
/// ```
/// use silcrow_tool::{ApprovalNeed, PermissionRequest, Preview, ToolPolicy};
///
/// let preview = Preview::new("notes.md").with_risk("it is outside the project");
/// let policy = ToolPolicy { approval: ApprovalNeed::IfRisky, ..ToolPolicy::default() };
/// let request = PermissionRequest::new("file_read", r#"{"file":"notes.md"}"#, policy, &preview);
/// assert!(request.by_tool().is_ask());
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PermissionRequest<'a> {
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of the called thing.
    pub tool: &'a str,
    /// The exact arguments, with outputs in place of their names: a JSON object.
    pub args: &'a str,
    /// The policy of the tool.
    pub policy: ToolPolicy,
    /// The tool's description of the call's effect.
    pub preview: &'a Preview,
    /// The names of the agents between the person's and the caller, the outermost first.
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

    /// Returns the decision of the tool's policy, used if there are no permissions.
    pub fn by_tool(&self) -> Permission {
        match self.policy.approval {
            ApprovalNeed::Always => {
                Permission::Ask(format!("each call of {} is asked about", self.tool))
            }
            ApprovalNeed::IfRisky if self.preview.risk.is_some() => {
                Permission::Ask("it has a risk".to_owned())
            }
            ApprovalNeed::IfRisky | ApprovalNeed::Never => Permission::Allow,
        }
    }
}

/// An approval, valid for the conversation, of calls of the same kind as this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an approval for the conversation is these")]
pub struct ApprovedScope<'a> {
    /// The tool of the call that was asked about.
    pub tool: &'a str,
    /// The scope that the approval covers, with its time and the doors that it opens in its last rows.
    pub scope: &'a str,
}

impl ApprovedScope<'_> {
    /// Returns the doors of an approval that was given [at the wall](crate::CallContext::ask_for),
    /// which covers them for all calls of its tool; `None` for another approval.
    pub fn doors(&self) -> Option<Grants> {
        doors_of(self.scope)
    }

    /// Returns the scope of an approval that covers these doors for all calls of a tool, for a
    /// [wider scope](Permissions::wider_scopes).
    pub fn text_of_doors(doors: &Grants) -> String {
        door_scope(doors)
    }

    /// Returns the text of an approval of `scope` with these doors open for its calls: a row at the
    /// end names them.
    pub fn text_with_doors(scope: &str, doors: &Grants) -> String {
        with_doors(scope, doors)
    }

    /// Returns whether the text of the approval covers a call with the scope `wanted`, the time of
    /// this preview, and exactly these doors: the scopes are equal, or differ only in the time limit,
    /// and the call has the shorter one.
    pub fn covers(&self, wanted: &str, preview: &Preview, doors: &Grants) -> bool {
        let granted = self.scope.strip_suffix(&*door_row(doors));
        granted.is_some_and(|granted| covers(granted, wanted, preview.scope_time()))
    }
}

impl<'a> ApprovedScope<'a> {
    /// Returns the scope without its rows about time and doors, if they cover these doors and the
    /// time of a call with this preview; `None` if they do not.
    pub fn without_rows(&self, preview: &Preview, doors: &Grants) -> Option<&'a str> {
        let (scope, open) = match self.scope.rsplit_once('\n') {
            Some((scope, row)) => match doors_of_row(row) {
                Some(open) => (scope, open),
                None => (self.scope, Grants::none()),
            },
            None => (self.scope, Grants::none()),
        };
        if !open.cover_all(doors) {
            return None;
        }
        let Some(time) = preview.scope_time() else { return Some(scope) };
        let (base, _) = scope.rsplit_once('\n')?;
        covers(scope, &format!("{base}{}", time.row()), Some(time)).then_some(base)
    }
}

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is yes, no or a question")]
pub enum Permission {
    /// The call runs, even if it has a risk.
    Allow,
    /// The approver is asked. The person reads the reason, a clause such as `the mode "ask" asks about
    /// changes of files`. It may quote files of others.
    Ask(String),
    /// The call does not run. The model reads the reason.
    Deny(String),
}

impl Permission {
    /// Returns whether the approver is asked, for any reason.
    pub const fn is_ask(&self) -> bool {
        matches!(self, Self::Ask(_))
    }
}
