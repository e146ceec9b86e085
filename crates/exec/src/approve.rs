use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{CallKind, CallMode};
use tokio::sync::Mutex;

/// Somebody who may say yes to a call. A runner asks about one call at a time; where several share
/// an approver, [`SerialApprover`] sees to it.
pub trait Approver: Send + Sync {
    /// Asks. The future is dropped when the call is stopped; a panic is a no.
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision>;
}

impl<A: Approver + ?Sized> Approver for Arc<A> {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        (**self).ask(question)
    }
}

/// What is asked about: one call, and nothing but it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalRequest<'a> {
    /// The conversation in which it is called.
    pub conversation: &'a str,
    /// The call's id, unique within its turn.
    pub id: &'a str,
    /// The names of the agents between the person's and the one that calls, the outermost first.
    pub path: &'a [String],
    /// What kind of thing is called.
    pub kind: CallKind,
    /// What is called.
    pub tool: &'a str,
    /// Its exact arguments, with outputs in place of their names: a JSON object.
    pub args: &'a str,
    /// What it acts on, resolved, where its tool says so ([`Preview`](crate::Preview)).
    pub target: Option<&'a str>,
    /// What it would do to that as it is now, where its tool says so.
    pub effect: Option<&'a str>,
    /// What a yes for the conversation would cover ([`Preview`](crate::Preview)).
    pub scope: &'a str,
    /// The number of the attempt at the call, from 1.
    pub attempt: u32,
    /// How many attempts a yes covers, this one included. Further ones are asked about again.
    pub attempts: u32,
    /// How long each attempt may take.
    pub time_limit: Duration,
    /// What waits for the call.
    pub mode: CallMode,
}

impl<'a> ApprovalRequest<'a> {
    /// A question about a call of a tool, as a test of an approver asks it.
    pub const fn new(id: &'a str, tool: &'a str, args: &'a str) -> Self {
        Self {
            conversation: "",
            id,
            path: &[],
            kind: CallKind::Tool,
            tool,
            args,
            target: None,
            effect: None,
            scope: args,
            attempt: 1,
            attempts: 1,
            time_limit: Duration::from_secs(60),
            mode: CallMode::Async,
        }
    }
}

/// What the approver said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is yes or no")]
pub enum ApprovalDecision {
    /// Yes.
    Allow(ApprovalScope),
    /// No; the reason is told to the model.
    Deny(String),
}

/// How far a yes goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-27 knows these two")]
pub enum ApprovalScope {
    /// To this call.
    Once,
    /// To all calls in the conversation that have the question's scope.
    Conversation,
}

/// Asks somebody about one call at a time, however many runners share it.
pub struct SerialApprover<A> {
    approver: A,
    /// Held while a question is open.
    turn: Mutex<()>,
}

impl<A: Approver> SerialApprover<A> {
    /// Around an approver.
    pub const fn new(approver: A) -> Self {
        Self { approver, turn: Mutex::const_new(()) }
    }
}

impl<A: Approver> Approver for SerialApprover<A> {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async move {
            let _turn = self.turn.lock().await;
            self.approver.ask(question).await
        }
        .boxed()
    }
}

impl<A> fmt::Debug for SerialApprover<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneByOne").finish_non_exhaustive()
    }
}

/// Nobody is there, so the answer is no.
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyAll;

impl Approver for DenyAll {
    fn ask<'a>(
        &'a self,
        ApprovalRequest { tool, .. }: ApprovalRequest<'a>,
    ) -> BoxFuture<'a, ApprovalDecision> {
        let reason = format!("`{tool}` needs a person's yes, and nobody is there to give it");
        async move { ApprovalDecision::Deny(reason) }.boxed()
    }
}
