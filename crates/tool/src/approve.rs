//! The trait that decides whether a call may run, and implementations of it.
//!
//! This module knows requests and decisions. It does not know how a person is shown a request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{CallKind, CallMode, Grants, PreviewDiff};
use tokio::sync::Mutex;

use crate::permissions::Permissions;

/// Decides whether a call may run. A runner asks about one call at a time, unless the approver wants
/// all requests at once; where several runners share an approver, [`SerialApprover`] makes them take
/// turns.
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

/// A request to approve one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalRequest<'a> {
    /// The conversation in which it is called.
    pub conversation: &'a str,
    /// The number of the turn in the conversation; 0 outside a turn.
    pub turn: u32,
    /// The call's id, unique within its turn.
    pub id: &'a str,
    /// The names of the agents between the person's and the caller, the outermost first.
    pub agent_path: &'a [String],
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of what is called.
    pub tool: &'a str,
    /// The exact arguments, with outputs in place of their names: a JSON object.
    pub args: &'a str,
    /// The resolved target of the call, where its tool names one ([`Preview`](crate::Preview)).
    pub target: Option<&'a str>,
    /// The effect of the call on the target as it is now, where its tool describes it.
    pub effect: Option<&'a str>,
    /// The lines that the call would change in files, where its tool shows them.
    pub diff: Option<&'a PreviewDiff>,
    /// The scope that an approval for the conversation would cover ([`Preview`](crate::Preview)).
    pub scope: &'a str,
    /// Wider scopes that an approval for the conversation may cover instead, the narrowest first.
    pub wider_scopes: &'a [String],
    /// The doors that a yes opens for the call.
    pub grants: &'a Grants,
    /// The reason why a person has to say yes to this very call. An approval for the conversation
    /// then covers only this call.
    pub risk: Option<&'a str>,
    /// The reason why the approver is asked, such as a rule or the mode. It may quote files of
    /// others.
    pub why: Option<&'a str>,
    /// The number of the attempt at the call, from 1.
    pub attempt: u32,
    /// The number of attempts that an approval covers, including this one. Later attempts need
    /// another request.
    pub attempts: u32,
    /// The time limit of each attempt.
    pub time_limit: Duration,
    /// Whether work that the call starts continues after the call, for any length of time.
    pub outlives_call: bool,
    /// The mode, which says what waits for the call.
    pub mode: CallMode,
    /// The calls for other items of the same loop that the request is about as well, in the order of
    /// the items. An approver may decide about all of them at once
    /// ([`ApprovalDecision::Items`]); any other decision is about the call alone, and the others are
    /// asked about next.
    pub items: &'a [ItemRequest<'a>],
}

/// The call for another item of a loop, in a request about the call for one of them. Only what may
/// differ is here: the rest is as in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemRequest<'a> {
    /// The call's id, unique within its turn, such as `each[3].save`.
    pub id: &'a str,
    /// The exact arguments, with outputs in place of their names: a JSON object.
    pub args: &'a str,
    /// The resolved target of the call, where its tool names one.
    pub target: Option<&'a str>,
    /// The effect of the call on the target as it is now, where its tool describes it.
    pub effect: Option<&'a str>,
    /// The lines that the call would change in files, where its tool shows them.
    pub diff: Option<&'a PreviewDiff>,
    /// The doors that a yes opens for the call.
    pub grants: &'a Grants,
    /// The reason why a person has to say yes to this very call.
    pub risk: Option<&'a str>,
}

impl<'a> ItemRequest<'a> {
    /// Creates the request about a call for an item, without a preview.
    pub const fn new(id: &'a str, args: &'a str) -> Self {
        let (target, effect, diff, risk) = (None, None, None, None);
        Self { id, args, target, effect, diff, grants: const { &Grants::none() }, risk }
    }
}

impl<'a> ApprovalRequest<'a> {
    /// Creates a request about the first attempt at a tool's call, for tests of an approver.
    pub const fn new(id: &'a str, tool: &'a str, args: &'a str) -> Self {
        Self {
            conversation: "",
            turn: 0,
            id,
            agent_path: &[],
            kind: CallKind::Tool,
            tool,
            args,
            target: None,
            effect: None,
            diff: None,
            scope: args,
            wider_scopes: &[],
            grants: const { &Grants::none() },
            risk: None,
            why: None,
            attempt: 1,
            attempts: 1,
            time_limit: Duration::from_secs(60),
            outlives_call: false,
            mode: CallMode::Async,
            items: &[],
        }
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
    /// Nobody answers now. The call waits, and a run in which nothing else is left to do ends; a
    /// later run gets the answer.
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
