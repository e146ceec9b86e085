//! The context of a call: a tool's view of the run around it, and its reports of progress.
//!
//! A context has the scope of the call, and passes reports and questions to the call's host. It is
//! the same for every tool.

mod at_wall;

use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use silcrow_event::{Entry, Grants, TraceContext, TraceParent};
use tokio::sync::oneshot;

use crate::call_access::CallAccess;
use crate::call_clock::CallClock;
use crate::call_host::CallHost;
use crate::call_preview::Preview;
use crate::cancellation::CancellationToken;
use crate::head_tail::HeadTail;
use crate::scope::Scope;
use crate::tool_output::ToolError;

/// The context of a call: its id, its [`Scope`], and the receiver of its progress.
///
/// A runner makes one for each attempt. A test of a tool makes one with [`new`](Self::new).
///
/// ```
/// use silcrow_tool::{CallContext, Scope};
///
/// let scope = Scope::new("sums").with_user("ada").with_root("/home/ada/app");
/// let context = CallContext::new(scope, "a1").with_output_cap(1024);
/// assert_eq!((context.user(), context.call_id()), (Some("ada"), "a1"));
/// context.cancellation().cancel();
/// assert!(context.scope().cancellation.is_cancelled(), "it is the token of the scope");
/// ```
#[derive(Clone, Debug)]
pub struct CallContext {
    scope: Scope,
    call_id: String,
    approved: Option<Preview>,
    access: CallAccess,
    grants: Grants,
    output_cap: usize,
    clock: Arc<CallClock>,
    host: Option<Arc<dyn CallHost>>,
}

impl CallContext {
    /// The default of [`output_cap`](Self::output_cap): 256 KiB.
    pub const DEFAULT_OUTPUT_CAP: usize = 256 * 1024;

    /// Creates the context of the call with this id. Its progress has no receiver.
    pub fn new(scope: impl Into<Scope>, call_id: impl Into<String>) -> Self {
        Self {
            scope: scope.into(),
            call_id: call_id.into(),
            approved: None,
            access: CallAccess::default(),
            grants: Grants::none(),
            output_cap: Self::DEFAULT_OUTPUT_CAP,
            clock: Arc::default(),
            host: None,
        }
    }

    /// Sets the preview that a person approved.
    #[must_use]
    pub fn with_approved(self, approved: Option<Preview>) -> Self {
        Self { approved, ..self }
    }

    /// Sets the access of the call.
    #[must_use]
    pub fn with_access(self, access: CallAccess) -> Self {
        Self { access, ..self }
    }

    /// Sets the doors that open for the call.
    #[must_use]
    pub fn with_grants(self, grants: Grants) -> Self {
        Self { grants, ..self }
    }

    /// Replaces the token that stops the call.
    #[must_use]
    pub fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        Self { scope: self.scope.with_cancellation(cancellation), ..self }
    }

    /// Sets the limit of the text that the call returns, in bytes.
    #[must_use]
    pub fn with_output_cap(self, output_cap: usize) -> Self {
        Self { output_cap, ..self }
    }

    /// Sets the host that receives the call's progress and answers its questions.
    #[must_use]
    pub fn with_host(self, host: Arc<dyn CallHost>) -> Self {
        Self { host: Some(host), ..self }
    }

    /// Returns the scope of the call.
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns the conversation's id.
    pub fn conversation_id(&self) -> &str {
        self.scope.conversation_id()
    }

    /// Returns the number, from 1, of the model's answer in the conversation that holds the call;
    /// 0 if it is not known.
    pub const fn turn(&self) -> u32 {
        self.scope.turn
    }

    /// Returns whether an earlier process started this call and ended before it stored the result.
    /// Its effects may then exist already, wholly or in part.
    pub const fn is_repeated(&self) -> bool {
        self.scope.is_repeated
    }

    /// Returns the call's id, which is unique within its turn.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns a key that is the same for all attempts at this call, even in later processes, and
    /// different for every other call. A service that takes such keys does the work once (P-32).
    ///
    /// ```
    /// use silcrow_tool::{CallContext, Scope};
    ///
    /// let context = CallContext::new(Scope::new("sums").with_turn(3), "a1~undo");
    /// assert_eq!(context.idempotency_key(), "sums/3/a1~undo");
    /// ```
    pub fn idempotency_key(&self) -> String {
        format!("{}/{}/{}", self.conversation_id(), self.turn(), self.call_id)
    }

    /// Returns the token that is cancelled when the call is to stop.
    pub const fn cancellation(&self) -> &CancellationToken {
        &self.scope.cancellation
    }

    /// Returns the folder that the run works in. Tools that are confined to a folder hold their
    /// own.
    pub fn root(&self) -> Option<&Path> {
        self.scope.root.as_deref()
    }

    /// Returns the names of the agents between the person's and the caller, the outermost first.
    pub fn agent_path(&self) -> &[String] {
        &self.scope.agent_path
    }

    /// Returns the user to whom the conversation belongs, if it is known.
    pub fn user(&self) -> Option<&str> {
        self.scope.user.as_deref()
    }

    /// Returns the [`preview`](crate::Tool::preview) that was approved, or `None` if the call needs
    /// no approval. The runner compares it with a new preview right before the call. A tool can
    /// compare it with the files that it has opened, and so also notice a later change.
    pub const fn approved(&self) -> Option<&Preview> {
        self.approved.as_ref()
    }

    /// Returns the access of the call, as the [`Permissions`](crate::Permissions) of the run
    /// decided. A tool whose preview says that it [can enforce](Preview::can_be_read_only)
    /// [`CallAccess::ReadOnly`] enforces it when it acts.
    pub const fn access(&self) -> CallAccess {
        self.access
    }

    /// Returns the doors that open for the call, as the [`Permissions`](crate::Permissions) of the run
    /// or a person decided.
    pub const fn grants(&self) -> &Grants {
        &self.grants
    }

    /// Returns the span of the call, for requests to programs that belong to the person, such as
    /// servers of tools; `None` outside a run. It reveals nothing about the conversation, but its
    /// receivers can tell that their requests belong together, so do not send it to other people's
    /// servers.
    pub fn trace_parent(&self) -> Option<TraceParent> {
        let around = self.scope.trace?;
        let (trace, id) = (around.context.trace, self.call_id());
        let context = TraceContext::of_call(trace, self.conversation_id(), self.turn(), id);
        Some(TraceParent { context, ..around })
    }

    /// Returns a collector for output of any length that keeps as much as the call may return.
    pub fn head_tail(&self) -> HeadTail {
        HeadTail::new(self.output_cap)
    }

    /// Returns the limit of the text that the call returns, in bytes. The model reads only the two ends
    /// of a longer one, so a tool that can continue elsewhere returns no more.
    pub const fn output_cap(&self) -> usize {
        self.output_cap
    }

    /// Reports a piece of partial output on a channel such as `stdout`; the pieces of a channel are
    /// numbered from 0 in each attempt. Waits while too many updates wait for their receiver. A
    /// call that reports progress, or waits here, is not idle.
    pub async fn progress(&self, channel: &str, content: impl Into<String>) {
        if let Some(host) = &self.host {
            host.progress(channel, content.into()).await;
        }
    }

    /// Reports an event of an agent that the call runs; otherwise like
    /// [`progress`](Self::progress).
    pub async fn report_event(&self, entry: Entry) {
        if let Some(host) = &self.host {
            host.report_event(entry).await;
        }
    }

    /// Runs work that continues when the call is dropped.
    ///
    /// By then the [token](Self::cancellation) of the call is cancelled. The work watches it and
    /// ends soon, because a runner that drains waits at most 5 seconds, and dropping the runner drops
    /// the work. In a context that no runner created, the work is dropped with the call.
    ///
    /// # Errors
    ///
    /// Returns a failure if the work panics, or if the runner was dropped. In a context that no
    /// runner created, a panic is not caught.
    pub async fn run_to_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ToolError> {
        let Some(host) = &self.host else { return Ok(work.await) };
        let (sender, receiver) = oneshot::channel();
        let work = async move {
            // Sending fails if the call was dropped, and then the output is not needed.
            let _ = sender.send(work.await);
        };
        if let Some(work) = host.run_to_end(work.boxed()) {
            work.await;
        }
        receiver.await.map_err(|_| ToolError::new("it panicked, or the program is shutting down"))
    }
}
