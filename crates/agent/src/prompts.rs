//! Approvals that are asked for in a run's own stream and answered by its handle.
//!
//! A question is open until it is answered, its call is stopped, or the stream is dropped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{ApprovalPrompt, RunEvent};
use silcrow_tool::{ApprovalDecision, ApprovalRequest, Approver};
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

/// The questions of a run that are open.
#[derive(Debug, Default)]
pub(crate) struct OpenPrompts {
    last: AtomicU64,
    open: Mutex<HashMap<u64, oneshot::Sender<ApprovalDecision>>>,
}

impl OpenPrompts {
    /// Answers the question with this number, and returns whether it was open.
    pub(crate) fn answer(&self, number: u64, decision: ApprovalDecision) -> bool {
        let Some(asker) = self.lock().remove(&number) else { return false };
        asker.send(decision).is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<ApprovalDecision>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks in the stream of a run and waits for an answer by its handle.
pub(crate) struct StreamApprover {
    pub(crate) prompts: Arc<OpenPrompts>,
    pub(crate) sender: Sender<RunEvent>,
    /// Whether all questions are open at once.
    pub(crate) at_once: bool,
}

impl Approver for StreamApprover {
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async move {
            let number = self.prompts.last.fetch_add(1, Ordering::Relaxed) + 1;
            let (asker, answer) = oneshot::channel();
            self.prompts.lock().insert(number, asker);
            let _open = OpenPrompt { prompts: &self.prompts, number };
            let prompt = Box::new(prompt(number, &request));
            let answered = async {
                self.sender.send(RunEvent::Approval(prompt)).await.ok()?;
                answer.await.ok()
            };
            tokio::select! {
                biased;
                () = self.sender.closed() => None,
                decision = answered => decision,
            }
            .unwrap_or_else(|| {
                let tool = request.tool;
                let why =
                    format!("`{tool}` needs a person's approval, and nobody is there to give it");
                ApprovalDecision::Deny(why)
            })
        }
        .boxed()
    }

    fn is_asked_at_once(&self) -> bool {
        self.at_once
    }
}

/// Closes a question when it is dropped.
struct OpenPrompt<'a> {
    prompts: &'a OpenPrompts,
    number: u64,
}

impl Drop for OpenPrompt<'_> {
    fn drop(&mut self) {
        self.prompts.lock().remove(&self.number);
    }
}

fn prompt(number: u64, request: &ApprovalRequest<'_>) -> ApprovalPrompt {
    let mut prompt = ApprovalPrompt::new(number, request.id, request.tool, request.args);
    prompt.conversation = request.conversation.to_owned();
    prompt.turn = request.turn;
    prompt.agent_path = request.agent_path.to_vec();
    prompt.kind = request.kind;
    prompt.target = request.target.map(str::to_owned);
    prompt.effect = request.effect.map(str::to_owned);
    prompt.diff = request.diff.cloned();
    prompt.scope = request.scope.to_owned();
    prompt.wider_scopes = request.wider_scopes.to_vec();
    prompt.grants = request.grants.clone();
    prompt.risk = request.risk.map(str::to_owned);
    prompt.why = request.why.map(str::to_owned);
    prompt.attempt = request.attempt;
    prompt.attempts = request.attempts;
    prompt.time_limit = request.time_limit;
    prompt.mode = request.mode;
    prompt
}
