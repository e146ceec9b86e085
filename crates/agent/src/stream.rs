//! A run as a stream of owned events, with a handle to steer it.
//!
//! The run is a spawned task. Its events pass through a bounded channel: while the channel is
//! full, the run reads nothing more from its model, and its tools wait before they report progress.
//! The task ends when the run has ended and the reader has taken every event or dropped the stream.

use std::fmt;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use silcrow_event::{RunEvent, SpendingLimit};
use silcrow_exec::{AccountKind, Budget, Purse};
use silcrow_tool::{ApprovalDecision, CancellationToken, Scope};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;

use crate::answer::{Answer, AnswerCollector};
use crate::drive::{self, OwnedBeginning};
use crate::error::Error;
use crate::inbox::{ClosedAtEnd, Inbox, over};
use crate::outcome::RunOutcome;
use crate::outlet::ChannelOutlet;
use crate::parts::AgentParts;
use crate::prompts::{OpenPrompts, StreamApprover};
use crate::steer_message::SteerMessage;

/// A stream of the events of a run, which [`Agent::stream`](crate::Agent::stream) returns.
///
/// A slow reader slows the run down. [`StreamOptions::on_drop`] chooses the fate of the run when
/// the stream is dropped.
pub struct RunStream {
    events: Receiver<RunEvent>,
    handle: RunHandle,
    on_drop: OnDrop,
    task: JoinHandle<Result<(RunOutcome, Answer), Error>>,
}

/// A handle that cancels a run, answers its questions about approvals, and steers it with messages.
///
/// Clones of a handle steer the same run.
#[derive(Clone)]
pub struct RunHandle {
    conversation: Arc<str>,
    cancellation: CancellationToken,
    inbox: Arc<Inbox>,
    prompts: Arc<OpenPrompts>,
    purse: Option<Purse>,
}

/// The settings of a stream.
///
/// ```
/// use silcrow_agent::{OnDrop, StreamOptions};
///
/// let options = StreamOptions::default().with_capacity(8).with_on_drop(OnDrop::Detach);
/// assert_eq!((options.capacity, options.result_batches), (8, false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamOptions {
    /// The number of events that the run may be ahead of its reader, at least 1; 64 by default.
    pub capacity: usize,
    /// The fate of the run when the stream is dropped before its end.
    pub on_drop: OnDrop,
    /// The approver of calls that need approval.
    pub approvals: Approvals,
    /// Whether the results of a batch are one event with their counts
    /// ([`ResultFold`](silcrow_event::ResultFold)); `false` by default.
    pub result_batches: bool,
}

/// The fate of a run when its stream is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a run stops or continues")]
pub enum OnDrop {
    /// The run is cancelled. It stops its tools and leaves a valid history.
    #[default]
    Cancel,
    /// The run continues to its end. Its events are stored, but nobody sees them.
    Detach,
}

/// The approver of a streamed run's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is the agent's approver and the reader")]
pub enum Approvals {
    /// The agent's own approver decides.
    #[default]
    Agent,
    /// The reader of the stream decides: a [`RunEvent::Approval`] asks, and [`RunHandle::answer`]
    /// answers. Without a reader such calls are denied. Agents that the run calls keep their own
    /// approvers.
    Handle,
    /// Like [`Handle`](Self::Handle), and all questions that can be asked are open at once. The
    /// answers may come in any order.
    HandleAtOnce,
}

impl Default for StreamOptions {
    fn default() -> Self {
        let (on_drop, approvals) = (OnDrop::default(), Approvals::default());
        Self { capacity: 64, on_drop, approvals, result_batches: false }
    }
}

impl StreamOptions {
    /// Sets how many events the run may be ahead of its reader.
    #[must_use]
    pub const fn with_capacity(self, capacity: usize) -> Self {
        Self { capacity, ..self }
    }

    /// Sets the fate of the run when the stream is dropped.
    #[must_use]
    pub const fn with_on_drop(self, on_drop: OnDrop) -> Self {
        Self { on_drop, ..self }
    }

    /// Sets whether the results of a batch are one event.
    #[must_use]
    pub const fn with_result_batches(self, result_batches: bool) -> Self {
        Self { result_batches, ..self }
    }

    /// Sets the approver of calls that need approval.
    #[must_use]
    pub const fn with_approvals(self, approvals: Approvals) -> Self {
        Self { approvals, ..self }
    }
}

impl RunStream {
    /// Spawns a run as a task.
    pub(crate) fn spawn(
        mut parts: Arc<AgentParts>,
        scope: Scope,
        beginning: OwnedBeginning,
        options: StreamOptions,
    ) -> Self {
        let (sender, events) = channel(options.capacity.max(1));
        let (scope, handle) = RunHandle::begin(&parts, scope);
        if options.approvals != Approvals::Agent {
            let (prompts, sender) = (Arc::clone(&handle.prompts), sender.clone());
            let at_once = options.approvals == Approvals::HandleAtOnce;
            Arc::make_mut(&mut parts).approver =
                Arc::new(StreamApprover { prompts, sender, at_once });
        }
        let inbox = Arc::clone(&handle.inbox);
        let task = tokio::spawn(async move {
            let mut collector = AnswerCollector::new(&scope);
            let mut outlet = ChannelOutlet::new(&mut collector, sender, options.result_batches);
            let beginning = beginning.as_run();
            let ended = {
                let _closed = ClosedAtEnd(&inbox);
                drive::run(&parts, &scope, beginning, &inbox, &mut outlet).await
            };
            Ok((ended?, collector.into_answer(scope.conversation_id())))
        });
        Self { events, handle, on_drop: options.on_drop, task }
    }

    /// Returns a handle that steers the run.
    pub fn handle(&self) -> RunHandle {
        self.handle.clone()
    }

    /// Waits for the next event, and returns `None` when the run has ended. Cancel-safe.
    pub async fn next(&mut self) -> Option<RunEvent> {
        self.events.recv().await
    }

    /// Waits for the end of the run and returns its outcome. Events that are not read are dropped.
    ///
    /// # Errors
    ///
    /// Returns the error of the run; see [`ErrorKind`](crate::ErrorKind).
    ///
    /// # Panics
    ///
    /// Panics if the run panicked.
    pub async fn outcome(self) -> Result<RunOutcome, Error> {
        self.ended().await.map(|(outcome, _)| outcome)
    }

    /// Waits for the end of the run and returns the complete answer, including events that were
    /// already read.
    ///
    /// # Errors
    ///
    /// Returns the error of the run; see [`ErrorKind`](crate::ErrorKind). A cancelled run is an
    /// error of the kind [`Interrupted`](crate::ErrorKind::Interrupted).
    ///
    /// # Panics
    ///
    /// Panics if the run panicked.
    pub async fn answer(self) -> Result<Answer, Error> {
        let (outcome, answer) = self.ended().await?;
        answer.into_result(outcome)
    }

    async fn ended(mut self) -> Result<(RunOutcome, Answer), Error> {
        self.events.close();
        match (&mut self.task).await {
            Ok(ended) => ended,
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(_) => Err(Error::interrupted()),
        }
    }
}

impl Stream for RunStream {
    type Item = RunEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<RunEvent>> {
        self.events.poll_recv(context)
    }
}

impl Drop for RunStream {
    fn drop(&mut self) {
        if self.on_drop == OnDrop::Cancel {
            self.handle.cancel();
        }
    }
}

impl RunHandle {
    /// Makes a handle for a run that begins, and the complete scope of the run.
    pub(crate) fn begin(parts: &AgentParts, scope: Scope) -> (Scope, Self) {
        let cancellation = scope.cancellation.child_token();
        let scope = parts.complete(scope).with_cancellation(cancellation.clone());
        let handle = Self {
            conversation: scope.conversation_id().into(),
            cancellation,
            inbox: Arc::default(),
            prompts: Arc::default(),
            purse: Budget::from_scope(&scope).map(|budget| budget.purse().clone()),
        };
        (scope, handle)
    }

    pub(crate) const fn inbox(&self) -> &Arc<Inbox> {
        &self.inbox
    }

    /// Returns the id of the run's conversation.
    pub fn conversation(&self) -> &str {
        &self.conversation
    }

    /// Waits until the start of the run is stored: its prompt, or the answers with which it
    /// continues. Returns `false` if the run ended before that; [`RunStream::outcome`] says why.
    /// Cancel-safe.
    ///
    /// Wait for this before you acknowledge a prompt to a client: a prompt that is not stored is
    /// lost if the process ends.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use std::sync::Arc;
    /// # use silcrow_agent::Agent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::{MemoryStore, Store as _};
    /// let store = Arc::new(MemoryStore::new());
    /// let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
    /// let run = Agent::new(model, Arc::clone(&store)).stream("sums", "What is 2 + 2?");
    /// assert!(run.handle().begun().await);
    /// assert_eq!(store.read("sums", 1..=1).await.unwrap().len(), 1, "the prompt is stored");
    /// # run.answer().await.unwrap();
    /// # });
    /// ```
    pub async fn begun(&self) -> bool {
        self.inbox.begun().await
    }

    /// Returns the position of the log's last event when the run took the conversation, or `None`
    /// until then. From that moment nobody else adds events. The position is known before the run
    /// emits anything.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use silcrow_agent::Agent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
    /// let run = Agent::new(model, MemoryStore::new()).stream("sums", "What is 2 + 2?");
    /// assert!(run.handle().begun().await);
    /// assert_eq!(run.handle().taken_at(), Some(0), "the log was empty");
    /// # run.answer().await.unwrap();
    /// # });
    /// ```
    #[must_use]
    pub fn taken_at(&self) -> Option<u64> {
        self.inbox.taken_at()
    }

    /// Cancels the run: it stops its model and its tools, and leaves a valid history.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// Cancels the run for a reason other than the person's wish, and records the reason in the
    /// log.
    pub fn cancel_because(&self, why: &str) {
        self.inbox.set_reason(why);
        self.cancellation.cancel();
    }

    /// Ends the run between two steps, before its next request, for this reason: an answer that is being
    /// read and its calls come to their ends. Calls in the background are stopped. Another process may
    /// then [continue](crate::Agent::resume) the run. A run that has its final answer by then ends with
    /// that.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use silcrow_agent::{Agent, RunOutcome};
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
    /// let run = Agent::new(model, MemoryStore::new()).stream("sums", "What is 2 + 2?");
    /// run.handle().leave_because("the run goes on elsewhere");
    /// assert_eq!(run.outcome().await.unwrap(), RunOutcome::Answered, "nothing was left to do");
    /// # });
    /// ```
    pub fn leave_because(&self, why: &str) {
        self.inbox.leave(why);
    }

    /// Changes the limit of an account of the run. A field that is `None` leaves its limit unchanged.
    pub async fn set_limit(&self, account: AccountKind, limit: SpendingLimit) {
        if let Some(purse) = &self.purse {
            purse.set_limit(account, limit).await;
        }
    }

    /// Answers the [`ApprovalPrompt`](silcrow_event::ApprovalPrompt) with this number, and returns
    /// whether it was still open.
    pub fn answer(&self, number: u64, decision: ApprovalDecision) -> bool {
        self.prompts.answer(number, decision)
    }

    /// Sends a message from the person to the run, and waits until it is stored.
    ///
    /// The model reads the message with its next request, after the results of the calls it has
    /// written by then. A run that has answered, even one that still waits for background calls,
    /// takes another step for the message, unless it has used up its steps. A stored message is
    /// never lost: if the run ends or dies first, the model reads it at the beginning of the next
    /// run.
    ///
    /// If the future is dropped, the message may still be stored.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use silcrow_agent::Agent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// let model = ScriptedModel::parse("§respond: 4\n§end\n%%\n§respond: Four.\n§end", 1);
    /// let run = Agent::new(model, MemoryStore::new()).stream("sums", "What is 2 + 2?");
    /// let handle = run.handle();
    /// let (answer, steered) = tokio::join!(run.answer(), handle.steer("Answer in words."));
    /// steered.unwrap();
    /// assert_eq!(answer.unwrap().text, "Four.");
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused) if the message is blank, the run
    /// is over, or 64 messages already wait. Then the message is not stored.
    pub async fn steer(&self, message: impl Into<SteerMessage>) -> Result<(), Error> {
        let SteerMessage { text, drops_calls } = message.into();
        self.inbox.push(text, drops_calls)?.await.map_err(|_| over())
    }
}

impl fmt::Debug for RunStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStream")
            .field("conversation", &self.handle.conversation)
            .field("on_drop", &self.on_drop)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for RunHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHandle")
            .field("conversation", &self.conversation)
            .finish_non_exhaustive()
    }
}
