//! The request to approve a call, as an approver gets it.
//!
//! `approve` has the approvers that decide.

use std::time::Duration;

use silcrow_event::{CallKind, CallMode, Grants, PreviewDiff};

/// A request to approve one call.
///
/// ```
/// use silcrow_tool::{ApprovalDecision, ApprovalRequest, Approver as _, DenyAll};
///
/// let request = ApprovalRequest::new("a1", "file_write", r#"{"file":"notes.md"}"#);
/// // Without a wider scope, an approval for the conversation covers exactly these arguments.
/// assert_eq!(request.scope, request.args);
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert!(matches!(DenyAll.ask(request).await, ApprovalDecision::Deny(_)));
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalRequest<'a> {
    /// The conversation of the call.
    pub conversation: &'a str,
    /// The number of the turn in the conversation; 0 outside a turn.
    pub turn: u32,
    /// The call's id, unique within its turn.
    pub id: &'a str,
    /// The names of the agents between the person's and the caller, the outermost first.
    pub agent_path: &'a [String],
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of the called thing.
    pub tool: &'a str,
    /// The exact arguments, with outputs in place of their names: a JSON object.
    pub args: &'a str,
    /// The resolved target of the call, if its tool names one ([`Preview`](crate::Preview)).
    pub target: Option<&'a str>,
    /// The effect of the call on the target as it is now, if its tool describes it.
    pub effect: Option<&'a str>,
    /// The lines that the call would change in files, if its tool shows them.
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
    /// The mode, which decides which calls wait for the call.
    pub mode: CallMode,
    /// The calls for other items of the same loop that the request is about as well, in the order of
    /// the items. An approver may decide about all of them at once
    /// ([`ApprovalDecision::Items`](crate::ApprovalDecision::Items)); any other decision is about
    /// the call alone, and the others are asked about next.
    pub items: &'a [ItemRequest<'a>],
}

/// The call for another item of a loop, in a request about the call for one of them. Only fields
/// that may differ are here: the rest is as in the request.
///
/// ```
/// use silcrow_tool::{ApprovalRequest, ItemRequest};
///
/// let items = [ItemRequest::new("each[1].mail", r#"{"to":"Max"}"#)];
/// let mut request = ApprovalRequest::new("each[0].mail", "mail", r#"{"to":"Ada"}"#);
/// request.items = &items;
/// assert_eq!(request.items[0].target, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ItemRequest<'a> {
    /// The call's id, unique within its turn, such as `each[3].save`.
    pub id: &'a str,
    /// The exact arguments, with outputs in place of their names: a JSON object.
    pub args: &'a str,
    /// The resolved target of the call, if its tool names one.
    pub target: Option<&'a str>,
    /// The effect of the call on the target as it is now, if its tool describes it.
    pub effect: Option<&'a str>,
    /// The lines that the call would change in files, if its tool shows them.
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
