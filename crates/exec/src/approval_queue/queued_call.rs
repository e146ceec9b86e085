//! A call that waits for approval, and the question about it.
//!
//! ```text
//! Unasked ─► Announced ─► Open ─► Parked
//! ```
//!
//! This module does not know the other calls that wait.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures_util::FutureExt as _;
use silcrow_event::OpenQuestion;
use silcrow_plan::ReadyCall;
use tokio::task::AbortHandle;

use crate::approve::{ApprovalDecision, ApprovalRequest, ApprovalScope, Approver};
use crate::approved::ApprovalSubject;
use crate::call::CheckedCall;
use crate::call_access::CallAccess;
use crate::call_preview::Preview;
use crate::call_terms::CallTerms;
use crate::context::CallContext;
use crate::granted_scope::covers;
use crate::matched_tool::panic_message;
use crate::permissions::{ApprovedScope, Permission, PermissionRequest, Permissions};
use crate::scope::Scope;

/// A call that waits for approval.
pub(super) struct QueuedCall {
    pub(super) call: CheckedCall,
    pub(super) context: CallContext,
    pub(super) max_timeout: Duration,
    pub(super) look: PreviewTask,
    pub(super) preview: Option<Preview>,
    /// What the call gets once it is allowed, as of that preview.
    pub(super) terms: CallTerms,
    /// The wider scopes of an approval for the conversation, as of that preview.
    pub(super) wider_scopes: Vec<String>,
    /// The reason why the approver is asked.
    pub(super) why: String,
    pub(super) request: RequestState,
    /// Whether the approver is asked whatever permissions and policies say.
    pub(super) must_ask: bool,
}

/// The state of the request about a call.
pub(super) enum RequestState {
    /// Nobody is asked yet.
    Unasked,
    /// The next call of [`ApprovalQueue::ask`] asks.
    Announced,
    /// The approver is asked, under this number.
    Open(u64, AbortHandle),
    /// The approver leaves the question open.
    Parked,
}

/// The task that makes the latest preview of a call.
pub(super) struct PreviewTask {
    pub(super) number: u64,
    /// The number of requests that were closed when it began.
    pub(super) closed: u64,
    pub(super) task: AbortHandle,
}

/// A question about a call that owns everything it shows.
pub(super) struct Question {
    ready: ReadyCall,
    attempts: u32,
    time_limit: Duration,
    preview: Preview,
    terms: CallTerms,
    wider_scopes: Vec<String>,
    why: String,
    scope: Scope,
}

/// The calls that an approval for the conversation covers: their kind, name and scope.
pub(super) type GrantKey = (&'static str, String, String);

impl QueuedCall {
    /// Returns the question about the call, once it is announced and until it is asked.
    pub(super) fn question(&self) -> Option<Question> {
        let (RequestState::Announced, Some(preview)) = (&self.request, &self.preview) else {
            return None;
        };
        let limit = self.call.time_limit(self.max_timeout);
        Some(Question {
            ready: self.call.ready.clone(),
            attempts: self.call.attempts(),
            time_limit: preview.time_limit.map_or(limit, |own| own.min(limit)),
            preview: preview.clone(),
            terms: self.terms.clone(),
            wider_scopes: self.scoped_wider(),
            why: self.why.clone(),
            scope: self.context.scope().clone(),
        })
    }

    pub(super) fn is(&self, id: &str) -> bool {
        self.call.ready.id() == id
    }

    pub(super) const fn is_parked(&self) -> bool {
        matches!(self.request, RequestState::Parked)
    }

    /// Returns the question about the call that the approver left open.
    pub(super) fn open_question(&self) -> Option<OpenQuestion> {
        let (true, Some(preview)) = (self.is_parked(), self.preview.clone()) else { return None };
        let ready = &self.call.ready;
        let subject = ApprovalSubject::of(ready.args(), &preview, &self.terms);
        let ApprovalSubject { args_sha256, target, risk, diff, grants } = subject;
        Some(OpenQuestion {
            id: ready.id().to_owned(),
            kind: ready.kind(),
            tool: ready.name().to_owned(),
            args: ready.args().to_owned(),
            args_sha256,
            target,
            effect: preview.effect,
            diff,
            scope: self.terms.scoped(&preview.scope),
            wider_scopes: self.scoped_wider(),
            grants,
            risk,
            why: Some(self.why.clone()).filter(|why| !why.is_empty()),
        })
    }

    pub(super) const fn is_asked(&self) -> bool {
        !matches!(self.request, RequestState::Unasked)
    }

    /// Withdraws the request about the call, if one is open.
    pub(super) fn withdraw(&self) {
        if let RequestState::Open(_, asking) = &self.request {
            asking.abort();
        }
    }

    /// Returns the scope that an approval covers; `None` if it covers only this call, or before
    /// its preview is made.
    pub(super) fn scope(&self, scope: ApprovalScope) -> Option<String> {
        let preview = self.preview.as_ref()?;
        match scope {
            ApprovalScope::Once => None,
            ApprovalScope::Conversation => Some(self.terms.scoped(&preview.scope)),
            ApprovalScope::Wider(index) => {
                let wider = self.wider_scopes.get(index);
                Some(self.terms.scoped(wider.unwrap_or(&preview.scope)))
            }
        }
    }

    /// Returns the key of an approval of this scope. No approval for the conversation covers a call
    /// with a risk.
    pub(super) fn key(&self, scope: &str) -> Option<GrantKey> {
        self.granted_preview()?;
        let ready = &self.call.ready;
        Some((ready.kind().as_str(), ready.name().to_owned(), scope.to_owned()))
    }

    /// Returns whether one of these grants covers the call, by its text or because permissions say so.
    pub(super) fn is_covered_by(
        &self,
        granted: &BTreeSet<GrantKey>,
        permissions: Option<&dyn Permissions>,
    ) -> bool {
        let Some(preview) = self.granted_preview() else { return false };
        let ready = &self.call.ready;
        let row = self.terms.row();
        let is_same = |(kind, name, scope): &&GrantKey| {
            let Some(scope) = scope.strip_suffix(&*row) else { return false };
            let mut wanted = [&preview.scope].into_iter().chain(&self.wider_scopes);
            *kind == ready.kind().as_str()
                && name == ready.name()
                && wanted.any(|own| covers(scope, own, preview.scope_time()))
        };
        if granted.iter().any(|key| is_same(&key)) {
            return true;
        }
        let Some(permissions) = permissions else { return false };
        let request = self.permission_request(preview);
        let of_kind = granted.iter().filter(|(kind, ..)| *kind == ready.kind().as_str());
        let approved: Vec<_> =
            of_kind.map(|(_, tool, scope)| ApprovedScope { tool, scope }).collect();
        // A panic covers nothing.
        let covers = || !approved.is_empty() && permissions.covers(&request, &approved);
        catch_unwind(AssertUnwindSafe(covers)).unwrap_or(false)
    }

    fn permission_request<'a>(&'a self, preview: &'a Preview) -> PermissionRequest<'a> {
        let CheckedCall { ready, matched } = &self.call;
        PermissionRequest {
            kind: ready.kind(),
            tool: ready.name(),
            args: ready.args(),
            policy: matched.policy,
            preview,
            agent_path: &self.context.scope().agent_path,
        }
    }

    fn scoped_wider(&self) -> Vec<String> {
        self.wider_scopes.iter().map(|wider| self.terms.scoped(wider)).collect()
    }

    fn granted_preview(&self) -> Option<&Preview> {
        self.preview.as_ref().filter(|preview| preview.risk.is_none())
    }

    /// Decides about the call with these permissions, or with its tool's policy, and returns what it
    /// then has access to.
    pub(super) fn decide(
        &self,
        preview: &Preview,
        permissions: Option<&dyn Permissions>,
    ) -> (Permission, CallTerms, Vec<String>) {
        let request = self.permission_request(preview);
        let must_ask = self.must_ask.then(|| Permission::Ask(MUST_ASK.to_owned()));
        let Some(permissions) = permissions else {
            let terms = CallTerms { grants: preview.needs.clone(), ..CallTerms::default() };
            return (must_ask.unwrap_or_else(|| request.by_tool()), terms, Vec::new());
        };
        let decide = || {
            let permission = must_ask.unwrap_or_else(|| permissions.decide(&request));
            let (access, grants) = (permissions.access(&request), permissions.grants(&request));
            (permission, CallTerms { access, grants }, permissions.wider_scopes(&request))
        };
        let denied = |why: String| (Permission::Deny(why), CallTerms::narrowest(), Vec::new());
        match catch_unwind(AssertUnwindSafe(decide)) {
            Ok((_, CallTerms { access: CallAccess::ReadOnly, .. }, _))
                if !preview.can_be_read_only =>
            {
                denied(NOT_ENFORCED.to_owned())
            }
            Ok(decided) => decided,
            Err(payload) => {
                let why = panic_message(&*payload);
                denied(format!("a panic while the permissions decided: {why}"))
            }
        }
    }
}

impl Question {
    /// Asks an approver. A panic denies the call.
    pub(super) async fn ask(self, approver: &dyn Approver) -> ApprovalDecision {
        let Self { ready, attempts, time_limit, preview, terms, wider_scopes, why, scope: asking } =
            self;
        let Preview { target, effect, diff, scope, risk, outlives_call, .. } = preview;
        let scope = terms.scoped(&scope);
        let question = ApprovalRequest {
            conversation: asking.conversation_id(),
            turn: asking.turn,
            id: ready.id(),
            agent_path: &asking.agent_path,
            kind: ready.kind(),
            tool: ready.name(),
            args: ready.args(),
            target: target.as_deref(),
            effect: effect.as_deref(),
            diff: diff.as_ref(),
            scope: &scope,
            wider_scopes: &wider_scopes,
            grants: &terms.grants,
            risk: risk.as_deref(),
            why: Some(&*why).filter(|why| !why.is_empty()),
            attempt: ready.attempt(),
            attempts,
            time_limit,
            outlives_call,
            mode: ready.mode(),
        };
        let asked = AssertUnwindSafe(async { approver.ask(question).await });
        asked.catch_unwind().await.unwrap_or_else(|payload| {
            let said = panic_message(&*payload);
            ApprovalDecision::Deny(format!("nobody could be asked: {said}"))
        })
    }
}

/// The reason of a question that no permissions answer.
const MUST_ASK: &str = "no recorded result of this call can be used again";

/// The words for the model about a call that may only read, where its tool cannot enforce that.
const NOT_ENFORCED: &str = "only calls that change nothing and connect to nothing may run, and its tool cannot enforce that";
