//! A call that waits for approval, and the question about it.
//!
//! ```text
//! Unasked ─► Announced ─► Open ─► Parked
//!    └─────────► Within ───────────┘
//! ```

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use silcrow_event::OpenQuestion;
use silcrow_plan::ReadyCall;
use silcrow_tool::{
    ApprovalDecision, ApprovalScope, ApprovedScope, Approver, CallAccess, CallContext, ItemRequest,
    Permission, PermissionRequest, Permissions, Preview, Scope,
};
use tokio::task::AbortHandle;

use crate::approved::ApprovalSubject;
use crate::call::CheckedCall;
use crate::call_terms::CallTerms;
use crate::matched_tool::panic_message;
use crate::requests::{approval_request, ask, permission_request};

/// A call that waits for approval.
pub(super) struct QueuedCall {
    pub(super) call: CheckedCall,
    pub(super) context: CallContext,
    pub(super) max_timeout: Duration,
    pub(super) look: PreviewTask,
    pub(super) preview: Option<Preview>,
    /// The access of the call once it is allowed, as of that preview.
    pub(super) terms: CallTerms,
    /// The wider scopes of an approval for the conversation, as of that preview.
    pub(super) wider_scopes: Vec<String>,
    /// The reason why the approver is asked.
    pub(super) why: String,
    pub(super) request: RequestState,
    /// Whether the approver is asked regardless of permissions and policies.
    pub(super) must_ask: bool,
    /// Whether it is a call that a loop has not made yet.
    pub(super) is_foreseen: bool,
}

/// The state of the request about a call.
pub(super) enum RequestState {
    /// Nobody is asked yet.
    Unasked,
    /// The next call of [`ApprovalQueue::ask`] asks, about these others, too.
    Announced(Vec<String>),
    /// The approver is asked, under this number, and about these others, too.
    Open { number: u64, asking: AbortHandle, others: Vec<String> },
    /// It is one of the others.
    Within,
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
    pub(super) items: Vec<ItemQuestion>,
}

/// The call for another item of a loop in a question.
pub(super) struct ItemQuestion {
    id: String,
    args: String,
    preview: Preview,
    terms: CallTerms,
}

/// The calls that an approval for the conversation covers: their kind, name and scope.
pub(super) type GrantKey = (&'static str, String, String);

impl QueuedCall {
    /// Returns the question about the call, once it is announced and until it is asked.
    pub(super) fn question(&self) -> Option<Question> {
        let (RequestState::Announced(_), Some(preview)) = (&self.request, &self.preview) else {
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
            items: Vec::new(),
        })
    }

    /// Returns the call as a question about another one shows it.
    pub(super) fn item(&self) -> Option<ItemQuestion> {
        let (ready, terms) = (&self.call.ready, self.terms.clone());
        let (id, args) = (ready.id().to_owned(), ready.args().to_owned());
        Some(ItemQuestion { id, args, preview: self.preview.clone()?, terms })
    }

    /// Returns the call's id and the subject of a request about it.
    pub(super) fn subject(&self) -> Option<(String, ApprovalSubject)> {
        let ready = &self.call.ready;
        let subject = ApprovalSubject::for_call(ready.args(), self.preview.as_ref()?, &self.terms);
        Some((ready.id().to_owned(), subject))
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
        let (id, subject) = self.subject()?;
        let ApprovalSubject { args_sha256, target, risk, diff, grants } = subject;
        Some(OpenQuestion {
            id,
            item_of: ready.item_of().map(str::to_owned),
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
        if let RequestState::Open { asking, .. } = &self.request {
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
        let is_same = |(kind, tool, scope): &&GrantKey| {
            let approved = ApprovedScope { tool, scope };
            let mut wanted = [&preview.scope].into_iter().chain(&self.wider_scopes);
            *kind == ready.kind().as_str()
                && tool == ready.name()
                && wanted.any(|own| approved.covers(own, preview, &self.terms.grants))
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
        let name = matched.tool.rule_name();
        permission_request(ready, name, matched.policy, preview, self.context.scope())
    }

    fn scoped_wider(&self) -> Vec<String> {
        self.wider_scopes.iter().map(|wider| self.terms.scoped(wider)).collect()
    }

    fn granted_preview(&self) -> Option<&Preview> {
        self.preview.as_ref().filter(|preview| preview.risk.is_none())
    }

    /// Decides about the call with these permissions, or with its tool's policy, and returns its
    /// access then.
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
        let Self { ready, attempts, time_limit, preview, terms, wider_scopes, why, .. } = self;
        let (asking, items) = (self.scope, self.items);
        let Preview { target, effect, diff, scope, risk, outlives_call, .. } = preview;
        let scope = terms.scoped(&scope);
        let mut question = approval_request(&ready, &asking);
        question.target = target.as_deref();
        question.effect = effect.as_deref();
        question.diff = diff.as_ref();
        question.scope = &scope;
        question.wider_scopes = &wider_scopes;
        question.grants = &terms.grants;
        question.risk = risk.as_deref();
        question.why = Some(&*why).filter(|why| !why.is_empty());
        question.attempts = attempts;
        question.time_limit = time_limit;
        question.outlives_call = outlives_call;
        let items: Vec<_> = items.iter().map(ItemQuestion::request).collect();
        question.items = &items;
        ask(approver, question).await
    }
}

impl ItemQuestion {
    fn request(&self) -> ItemRequest<'_> {
        let Preview { target, effect, diff, risk, .. } = &self.preview;
        let mut item = ItemRequest::new(&self.id, &self.args);
        (item.target, item.effect) = (target.as_deref(), effect.as_deref());
        (item.diff, item.risk) = (diff.as_ref(), risk.as_deref());
        item.grants = &self.terms.grants;
        item
    }
}

/// The reason of a question that no permissions answer.
const MUST_ASK: &str = "no recorded result of this call can be used again";

/// The words for the model about a call that may only read, if its tool cannot enforce that.
const NOT_ENFORCED: &str = "only calls that change nothing and connect to nothing may run, and its tool cannot enforce that";
