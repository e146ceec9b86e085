//! The context of a call: what a tool sees of the run around it, and how it reports progress.
//!
//! A context knows the scope of the call and where its progress goes. It does not know the tool.

mod at_wall;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_event::{CallChanges, Entry, FileDelta, Grants, Progress, TraceContext, TraceParent};
use silcrow_sanitize::SecretMasker;
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument as _;

use crate::activity::ActivityMonitor;
use crate::budget::Budget;
use crate::call_access::CallAccess;
use crate::call_clock::CallClock;
use crate::call_preview::Preview;
use crate::call_terms::CallTerms;
use crate::cancellation::CancellationToken;
use crate::head_tail::HeadTail;
use crate::masked::mask_text;
use crate::scope::Scope;
use crate::task_tracker::TaskTrackerHandle;
use crate::tool_output::ToolError;
use crate::update::CallUpdate;
use crate::wall::WallLine;

/// The context of a call: its id, its [`Scope`], and where its progress goes.
#[derive(Clone, Debug)]
pub struct CallContext {
    scope: Scope,
    call_id: String,
    approved: Option<Preview>,
    terms: CallTerms,
    output_cap: usize,
    updates: Option<UpdateSender>,
    tracker: Option<TaskTrackerHandle>,
    channels: Arc<Mutex<BTreeMap<String, ProgressChannel>>>,
    activity: Arc<ActivityMonitor>,
    clock: Arc<CallClock>,
    /// The way to who may be asked for doors.
    wall: Option<WallLine>,
}

/// The pieces of progress on one channel.
#[derive(Debug)]
struct ProgressChannel {
    /// The number of the next piece.
    next: u64,
    masker: SecretMasker,
}

impl ProgressChannel {
    fn piece(&mut self, id: &str, channel: &str, content: String) -> Progress {
        let n = self.next;
        self.next += 1;
        Progress { id: id.to_owned(), channel: channel.to_owned(), n, content }
    }
}

/// The number of an attempt, and where its updates go.
type UpdateSender = (u64, mpsc::Sender<(u64, CallUpdate)>);

impl CallContext {
    /// Creates the context of the call with this id. Nobody receives its progress.
    pub fn new(scope: impl Into<Scope>, call_id: impl Into<String>) -> Self {
        Self {
            scope: scope.into(),
            call_id: call_id.into(),
            approved: None,
            terms: CallTerms::default(),
            output_cap: OUTPUT_CAP,
            updates: None,
            tracker: None,
            channels: Arc::default(),
            activity: Arc::default(),
            clock: Arc::default(),
            wall: None,
        }
    }

    /// Sets the preview that a person approved.
    #[must_use]
    pub fn with_approved(self, approved: Option<Preview>) -> Self {
        Self { approved, ..self }
    }

    /// Sets what the call has access to.
    #[must_use]
    pub fn with_access(self, access: CallAccess) -> Self {
        Self { terms: CallTerms { access, ..self.terms }, ..self }
    }

    /// Sets the doors that open for the call.
    #[must_use]
    pub fn with_grants(self, grants: Grants) -> Self {
        Self { terms: CallTerms { grants, ..self.terms }, ..self }
    }

    /// Sets what the call gets.
    pub(crate) fn with_terms(self, terms: CallTerms) -> Self {
        Self { terms, ..self }
    }

    /// Replaces the token that stops the call.
    pub(crate) fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        Self { scope: self.scope.with_cancellation(cancellation), ..self }
    }

    /// Sets the limit of the text that the call returns, in bytes.
    pub(crate) fn capped(self, output_cap: usize) -> Self {
        Self { output_cap, ..self }
    }

    /// Sets who receives the call's progress.
    pub(crate) fn with_updates(self, updates: UpdateSender) -> Self {
        Self { updates: Some(updates), ..self }
    }

    /// Sets the tracker of work that the call must finish even when it is stopped.
    pub(crate) fn with_tracker(self, tracker: TaskTrackerHandle) -> Self {
        Self { tracker: Some(tracker), ..self }
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
    /// What the call does may then be done already, wholly or in part.
    pub const fn is_repeated(&self) -> bool {
        self.scope.is_repeated
    }

    /// Returns the call's id, which is unique within its turn.
    pub fn call_id(&self) -> &str {
        &self.call_id
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

    /// Returns the names of the agents between the person's and the one that calls, the outermost
    /// first.
    pub fn agent_path(&self) -> &[String] {
        &self.scope.agent_path
    }

    /// Returns the user to whom the conversation belongs, if it is known.
    pub fn user(&self) -> Option<&str> {
        self.scope.user.as_deref()
    }

    /// Returns the [`preview`](crate::Tool::preview) that was approved, or `None` if the call needs
    /// no approval. The runner compares it with a new preview right before the call. A tool that
    /// compares it with what it has opened also notices a change after that.
    pub const fn approved(&self) -> Option<&Preview> {
        self.approved.as_ref()
    }

    /// Returns what the call has access to, as the [`Permissions`](crate::Permissions) of the run
    /// decided. A tool whose preview says that it [can enforce](Preview::can_be_read_only)
    /// [`CallAccess::ReadOnly`] enforces it where it acts.
    pub const fn access(&self) -> CallAccess {
        self.terms.access
    }

    /// Returns the doors that open for the call, as the [`Permissions`](crate::Permissions) of the run
    /// or a person decided.
    pub const fn grants(&self) -> &Grants {
        &self.terms.grants
    }

    /// Returns the budget of the run, which counts everything that the call runs; `None` outside a
    /// run.
    pub const fn budget(&self) -> Option<&Budget> {
        self.scope.budget.as_ref()
    }

    /// Returns the span of the call, for what the call asks of programs that belong to the person,
    /// such as servers of tools; `None` outside a run. It says nothing about the conversation, but
    /// all who get it can tell that their requests belong together, so other people's servers do not
    /// get it.
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

    /// Reports a piece of partial output on a channel such as `stdout`; the pieces of a channel are
    /// numbered from 0 in each attempt. Waits while too many updates wait for their receiver. A
    /// call that reports progress, or waits here, is not idle.
    pub async fn progress(&self, channel: &str, content: impl Into<String>) {
        let content = content.into();
        let Some((attempt, permit)) = self.reserve().await else { return };
        // One lock covers counting and sending, so the numbers arrive in order and without gaps.
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let secrets = &self.scope.secrets;
        let state = channels.entry(channel.to_owned()).or_insert_with(|| ProgressChannel {
            next: 0,
            masker: SecretMasker::new(secrets.clone()),
        });
        let content = match secrets.is_empty() {
            true => content,
            false => {
                let mut masked = String::new();
                state.masker.push(&content, &mut masked);
                if masked.is_empty() && !content.is_empty() {
                    return;
                }
                masked
            }
        };
        let progress = state.piece(&self.call_id, channel, content);
        permit.send((attempt, CallUpdate::Progress(progress)));
    }

    /// Reports the ends of all channels that might have become a part of a secret.
    pub(crate) async fn finish_progress(&self) {
        if self.scope.secrets.is_empty() {
            return;
        }
        let mut rest = Vec::new();
        for (channel, state) in &mut *self.channels.lock().unwrap_or_else(PoisonError::into_inner) {
            let mut content = String::new();
            state.masker.finish(&mut content);
            if !content.is_empty() {
                rest.push(state.piece(&self.call_id, channel, content));
            }
        }
        for progress in rest {
            let Some((attempt, permit)) = self.reserve().await else { return };
            permit.send((attempt, CallUpdate::Progress(progress)));
        }
    }

    /// Reports which files the call has changed, with secrets masked.
    pub(crate) async fn report_changes(&self, mut files: Vec<FileDelta>) {
        if files.is_empty() {
            return;
        }
        for file in &mut files {
            mask_text(&mut file.hunks, &self.scope.secrets);
        }
        if let Some((attempt, permit)) = self.reserve().await {
            let changes = CallChanges { id: self.call_id.clone(), files };
            permit.send((attempt, CallUpdate::Changed(changes)));
        }
    }

    /// Reports an event of an agent that the call runs; otherwise like
    /// [`progress`](Self::progress).
    pub async fn report_event(&self, entry: Entry) {
        if let Some((attempt, permit)) = self.reserve().await {
            permit.send((attempt, CallUpdate::AgentEvent(Box::new(entry))));
        }
    }

    /// Reports that an attempt begins, before anything else about it.
    pub(crate) async fn report_start(&self, attempt: u32, args: &str) {
        if let Some((number, permit)) = self.reserve().await {
            let (id, args) = (self.call_id.clone(), args.to_owned());
            permit.send((number, CallUpdate::Started { id, attempt, args }));
        }
    }

    /// Reports that the call gets a recorded result.
    pub(crate) async fn report_recorded(&self) {
        if let Some((number, permit)) = self.reserve().await {
            permit.send((number, CallUpdate::Recorded { id: self.call_id.clone() }));
        }
    }

    /// Runs work that continues when the call is dropped.
    ///
    /// By then the [token](Self::cancellation) of the call is cancelled. The work watches it and
    /// ends soon, because [`Runner::drain`](crate::Runner::drain) waits at most 5 seconds, and
    /// dropping the runner drops the work. In a context that no runner created, the work is dropped
    /// with the call.
    ///
    /// # Errors
    ///
    /// Returns a failure if the work panics, or if the runner was dropped. In a context that no
    /// runner created, a panic is not caught.
    pub async fn run_to_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ToolError> {
        let Some(tracker) = &self.tracker else { return Ok(work.await) };
        let (sender, receiver) = oneshot::channel();
        let work = work.in_current_span();
        tracker.take(async move {
            // Sending fails if the call was dropped, and then nobody needs the output.
            let _ = sender.send(work.await);
        });
        receiver.await.map_err(|_| ToolError::new("it panicked, or the program is shutting down"))
    }

    /// Waits for a place in the channel; `None` if nobody receives updates.
    async fn reserve(&self) -> Option<(u64, mpsc::Permit<'_, (u64, CallUpdate)>)> {
        let _pending = self.activity.pending();
        let (attempt, sender) = self.updates.as_ref()?;
        Some((*attempt, sender.reserve().await.ok()?))
    }

    /// Returns the limit of the text that the call returns, in bytes. The model reads only the two ends
    /// of a longer one, so a tool that can continue elsewhere returns no more.
    pub const fn output_cap(&self) -> usize {
        self.output_cap
    }

    pub(crate) fn activity(&self) -> &ActivityMonitor {
        &self.activity
    }
}

/// The default limit of the text that a call returns, in bytes.
pub(crate) const OUTPUT_CAP: usize = 256 * 1024;
