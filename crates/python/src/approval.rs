//! The approver that is a function of Python.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use silcrow_tool::{ApprovalDecision, ApprovalRequest, ApprovalScope, Approver};

use crate::desk::Desk;

/// The approver of calls that need a yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decides {
    /// A function of Python.
    Function,
    /// Nobody yet: the run waits, and is continued with answers.
    Later,
    /// Nobody: the calls are denied.
    Nobody,
}

/// Asks a function of Python.
pub(crate) struct FunctionApprover {
    pub(crate) desk: Arc<Desk>,
    pub(crate) decides: Decides,
}

impl Approver for FunctionApprover {
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async move {
            let denied = || {
                let tool = request.tool;
                ApprovalDecision::Deny(format!(
                    "`{tool}` needs a person's approval, and nobody is there to give it"
                ))
            };
            match self.decides {
                Decides::Later => return ApprovalDecision::Park,
                Decides::Nobody => return denied(),
                Decides::Function => {}
            }
            let items = request.items.iter().map(|item| {
                json!({
                    "id": item.id,
                    "args": item.args,
                    "target": item.target,
                    "effect": item.effect,
                    "risk": item.risk,
                })
            });
            let about = json!({
                "conversation": request.conversation,
                "turn": request.turn,
                "id": request.id,
                "agent_path": request.agent_path,
                "tool": request.tool,
                "args": request.args,
                "target": request.target,
                "effect": request.effect,
                "scope": request.scope,
                "wider_scopes": request.wider_scopes,
                "risk": request.risk,
                "why": request.why,
                "attempt": request.attempt,
                "items": items.collect::<Vec<_>>(),
            });
            let answer = self.desk.ask("approval", about.to_string()).await;
            answer.and_then(|answer| decision(&answer)).unwrap_or_else(denied)
        }
        .boxed()
    }

    fn is_asked_at_once(&self) -> bool {
        true
    }

    fn takes_items(&self) -> bool {
        true
    }
}

/// Reads a decision: `{"answer": "once" | "conversation" | "items" | "later" | "no", "reason"?, "wider"?,
/// "allowed"?}`, with the places of the calls that may run, for the items of a loop.
pub(crate) fn decision(json: &str) -> Option<ApprovalDecision> {
    let value: Value = serde_json::from_str(json).ok()?;
    let wider = value["wider"].as_u64().and_then(|index| usize::try_from(index).ok());
    Some(match (value["answer"].as_str()?, wider) {
        ("conversation", Some(index)) => ApprovalDecision::Allow(ApprovalScope::Wider(index)),
        ("conversation", None) => ApprovalDecision::Allow(ApprovalScope::Conversation),
        ("once", _) => ApprovalDecision::Allow(ApprovalScope::Once),
        ("items", _) => {
            let place =
                |place: &Value| place.as_u64().and_then(|place| usize::try_from(place).ok());
            let allowed = value["allowed"].as_array()?.iter().map(place).collect::<Option<_>>()?;
            ApprovalDecision::Items { allowed, denied: reason(&value) }
        }
        ("later", _) => ApprovalDecision::Park,
        ("no", _) => ApprovalDecision::Deny(reason(&value)),
        _ => return None,
    })
}

fn reason(value: &Value) -> String {
    value["reason"].as_str().unwrap_or("the person said no").to_owned()
}
