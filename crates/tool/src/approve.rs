//! The trait that decides whether a call may run, and implementations of it.
//!
//! This module has requests and decisions. The program shows a request to a person.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use crate::approval_request::ApprovalRequest;
use crate::permissions::Permissions;

/// Decides whether a call may run. A runner asks about one call at a time, unless the approver
/// wants all requests at once; if several runners share an approver, [`SerialApprover`] makes them
/// take turns.
///
/// ```
/// use futures_util::FutureExt as _;
/// use futures_util::future::BoxFuture;
/// use silcrow_tool::{ApprovalDecision, ApprovalRequest, ApprovalScope, Approver};
///
/// /// Says yes to everything without a risk.
/// struct Lenient;
///
/// impl Approver for Lenient {
///     fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
///         let decision = match request.risk {
///             None => ApprovalDecision::Allow(ApprovalScope::Once),
///             Some(risk) => ApprovalDecision::Deny(format!("not without a person: {risk}")),
///         };
///         async { decision }.boxed()
///     }
/// }
///
/// let mut request = ApprovalRequest::new("a1", "file_write", r#"{"file":".git/config"}"#);
/// request.risk = Some("it belongs to git");
/// assert!(matches!(Lenient.ask(request).now_or_never(), Some(ApprovalDecision::Deny(_))));
/// ```
pub trait Approver: Send + Sync {
    /// Asks about a call. The future is dropped when the call is stopped; a panic denies the call.
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision>;

    /// Returns whether a runner asks about all calls at once, as soon as each may be asked about;
    /// `false` by default. The answers may come in any order. An approval for the conversation
    /// withdraws the other requests that it covers.
    fn is_asked_at_once(&self) -> bool {
        false
    }

    /// Returns whether a request may be about the calls for several items of a loop
    /// ([`ApprovalRequest::items`]); `false` by default, and then each call is asked about alone.
    fn takes_items(&self) -> bool {
        false
    }

    /// Returns the permissions that decide which calls the approver is asked about; `None` by
    /// default, and then the policies of the tools decide.
    fn permissions(&self) -> Option<&dyn Permissions> {
        None
    }
}

impl<A: Approver + ?Sized> Approver for Arc<A> {
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        (**self).ask(request)
    }

    fn is_asked_at_once(&self) -> bool {
        (**self).is_asked_at_once()
    }

    fn takes_items(&self) -> bool {
        (**self).takes_items()
    }

    fn permissions(&self) -> Option<&dyn Permissions> {
        (**self).permissions()
    }
}

/// The decision of an approver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is yes, no or later")]
pub enum ApprovalDecision {
    /// The call may run.
    Allow(ApprovalScope),
    /// The call does not run. The model reads the reason.
    Deny(String),
    /// Some of the calls for the items of a loop may run, and the others do not: the answer to a
    /// request with [`items`](ApprovalRequest::items).
    Items {
        /// The places of those that may run: 0 is the call itself, 1 the first of the items.
        allowed: Vec<usize>,
        /// The reason that the model reads about the others.
        denied: String,
    },
    /// There is no answer for now. The call waits, and a run in which nothing else is left to do
    /// ends; a later run gets the answer.
    Park,
}

impl ApprovalDecision {
    /// Returns the decision that all calls of a request may run: the call, and those for the other
    /// items of its loop.
    ///
    /// ```
    /// use silcrow_tool::{ApprovalDecision, ApprovalRequest, ApprovalScope, ItemRequest};
    ///
    /// let mut request = ApprovalRequest::new("each[0].mail", "mail", r#"{"to":"Ada"}"#);
    /// let once = ApprovalDecision::Allow(ApprovalScope::Once);
    /// assert_eq!(ApprovalDecision::all(&request), once);
    ///
    /// let others = [ItemRequest::new("each[1].mail", r#"{"to":"Max"}"#)];
    /// request.items = &others;
    /// let ApprovalDecision::Items { allowed, .. } = ApprovalDecision::all(&request) else { panic!() };
    /// assert_eq!(allowed, [0, 1]);
    /// ```
    pub fn all(request: &ApprovalRequest<'_>) -> Self {
        match request.items.len() {
            0 => Self::Allow(ApprovalScope::Once),
            items => Self::Items { allowed: (0..=items).collect(), denied: String::new() },
        }
    }

    /// Returns the decision that no call of a request may run.
    ///
    /// ```
    /// use silcrow_tool::{ApprovalDecision, ApprovalRequest, ItemRequest};
    ///
    /// let mut request = ApprovalRequest::new("each[0].mail", "mail", r#"{"to":"Ada"}"#);
    /// let others = [ItemRequest::new("each[1].mail", r#"{"to":"Max"}"#)];
    /// request.items = &others;
    /// let no = ApprovalDecision::none(&request, "It is late.");
    /// assert_eq!(no.about(1), ApprovalDecision::Deny("It is late.".to_owned()));
    /// ```
    pub fn none(request: &ApprovalRequest<'_>, reason: impl Into<String>) -> Self {
        match request.items {
            [] => Self::Deny(reason.into()),
            _ => Self::Items { allowed: Vec::new(), denied: reason.into() },
        }
    }

    /// Returns the decision about one call of a request: 0 is the call itself.
    #[must_use]
    pub fn about(&self, place: usize) -> Self {
        match self {
            Self::Items { allowed, .. } if allowed.contains(&place) => {
                Self::Allow(ApprovalScope::Once)
            }
            Self::Items { denied, .. } => Self::Deny(denied.clone()),
            decision => decision.clone(),
        }
    }
}

/// The calls that an approval covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-27 knows these")]
pub enum ApprovalScope {
    /// This call, and no other.
    Once,
    /// All calls in the conversation that have the request's scope.
    Conversation,
    /// All calls in the conversation that have the wider scope of this index, from 0, among
    /// [`wider_scopes`](ApprovalRequest::wider_scopes).
    Wider(usize),
}

/// An approver that asks another one about one call at a time, however many runners share it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::sync::Arc;
///
/// use silcrow_tool::{ApprovalDecision, ApprovalRequest, Approver as _, ParkAll, SerialApprover};
///
/// // Several agents share it, and their questions come one after the other.
/// let approver = Arc::new(SerialApprover::new(ParkAll));
/// let first = approver.ask(ApprovalRequest::new("a1", "mail", "{}"));
/// let second = approver.ask(ApprovalRequest::new("b1", "mail", "{}"));
/// assert_eq!(tokio::join!(first, second).1, ApprovalDecision::Park);
/// # });
/// ```
pub struct SerialApprover<A> {
    approver: A,
    /// The lock that is held while a request is open.
    turn: Mutex<()>,
}

impl<A: Approver> SerialApprover<A> {
    /// Wraps an approver.
    pub const fn new(approver: A) -> Self {
        Self { approver, turn: Mutex::const_new(()) }
    }
}

impl<A: Approver> Approver for SerialApprover<A> {
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async move {
            let _turn = self.turn.lock().await;
            self.approver.ask(request).await
        }
        .boxed()
    }

    fn takes_items(&self) -> bool {
        self.approver.takes_items()
    }

    fn permissions(&self) -> Option<&dyn Permissions> {
        self.approver.permissions()
    }
}

impl<A> fmt::Debug for SerialApprover<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SerialApprover").finish_non_exhaustive()
    }
}

/// An approver that leaves every question open, for programs whose people answer later.
///
/// ```
/// use futures_util::FutureExt as _;
/// use silcrow_tool::{ApprovalDecision, ApprovalRequest, Approver as _, ParkAll};
///
/// let request = ApprovalRequest::new("a1", "mail", r#"{"to":"Ada"}"#);
/// assert_eq!(ParkAll.ask(request).now_or_never(), Some(ApprovalDecision::Park));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct ParkAll;

impl Approver for ParkAll {
    fn ask<'a>(&'a self, _: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async { ApprovalDecision::Park }.boxed()
    }

    fn takes_items(&self) -> bool {
        true
    }
}

/// An approver that denies every call, for programs without a person.
///
/// ```
/// use futures_util::FutureExt as _;
/// use silcrow_tool::{ApprovalDecision, ApprovalRequest, Approver as _, DenyAll};
///
/// let request = ApprovalRequest::new("a1", "mail", r#"{"to":"Ada"}"#);
/// assert!(matches!(DenyAll.ask(request).now_or_never(), Some(ApprovalDecision::Deny(_))));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct DenyAll;

impl Approver for DenyAll {
    fn ask<'a>(
        &'a self,
        ApprovalRequest { tool, .. }: ApprovalRequest<'a>,
    ) -> BoxFuture<'a, ApprovalDecision> {
        let reason = format!("`{tool}` needs a person's approval, and nobody is there to give it");
        async move { ApprovalDecision::Deny(reason) }.boxed()
    }
}
