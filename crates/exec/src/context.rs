use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_event::{Entry, Progress};
use tokio::sync::{mpsc, oneshot};

use crate::activity::ActivityMonitor;
use crate::budget::Budget;
use crate::cancellation::CancellationToken;
use crate::head_tail::HeadTail;
use crate::task_tracker::TaskTrackerHandle;
use crate::tool::{Preview, ToolError};
use crate::update::CallUpdate;

/// What surrounds a call.
#[derive(Clone, Debug)]
pub struct CallContext {
    conversation: String,
    turn: u32,
    call: String,
    cancel: CancellationToken,
    root: Option<PathBuf>,
    path: Vec<String>,
    user: Option<String>,
    approved: Option<Preview>,
    budget: Option<Budget>,
    output_cap: usize,
    heard: Option<Heard>,
    shelter: Option<TaskTrackerHandle>,
    /// Pieces of progress so far, by channel.
    told: Arc<Mutex<BTreeMap<String, u64>>>,
    pulse: Arc<ActivityMonitor>,
}

/// Where what an attempt has to tell is heard, and which attempt it is.
type Heard = (u64, mpsc::Sender<(u64, CallUpdate)>);

impl CallContext {
    /// Around the call of this id in a conversation; nobody hears of its progress.
    pub fn new(
        conversation: impl Into<String>,
        call: impl Into<String>,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            conversation: conversation.into(),
            turn: 0,
            call: call.into(),
            cancel,
            root: None,
            path: Vec::new(),
            user: None,
            approved: None,
            budget: None,
            output_cap: OUTPUT_CAP,
            heard: None,
            shelter: None,
            told: Arc::default(),
            pulse: Arc::default(),
        }
    }

    /// The same around the conversation's turn of this number.
    #[must_use]
    pub fn with_turn(self, turn: u32) -> Self {
        Self { turn, ..self }
    }

    /// The same with the folder that the run works in.
    #[must_use]
    pub fn with_root(self, root: Option<PathBuf>) -> Self {
        Self { root, ..self }
    }

    /// The same for a call of an agent that others called, the outermost first.
    #[must_use]
    pub fn with_agent_path(self, path: Vec<String>) -> Self {
        Self { path, ..self }
    }

    /// The same in a conversation of this user.
    #[must_use]
    pub fn with_user(self, user: Option<String>) -> Self {
        Self { user, ..self }
    }

    /// The same for a call about which somebody was asked, with what they were told it would do.
    #[must_use]
    pub fn with_approved(self, approved: Option<Preview>) -> Self {
        Self { approved, ..self }
    }

    /// The same under another stop sign.
    pub(crate) fn with_cancellation(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    /// The same within the budget of a run.
    #[must_use]
    pub fn with_budget(self, budget: Option<Budget>) -> Self {
        Self { budget, ..self }
    }

    /// The same for a call that may give so many bytes of text.
    pub(crate) fn capped(self, output_cap: usize) -> Self {
        Self { output_cap, ..self }
    }

    /// The same with somebody who hears of its progress.
    pub(crate) fn with_updates(self, heard: Heard) -> Self {
        Self { heard: Some(heard), ..self }
    }

    /// The same with a place for what is seen through.
    pub(crate) fn with_tracker(self, shelter: TaskTrackerHandle) -> Self {
        Self { shelter: Some(shelter), ..self }
    }

    /// The conversation's id.
    pub fn conversation(&self) -> &str {
        &self.conversation
    }

    /// The number, from 1, of the model's answer in the conversation that holds the call; 0 if
    /// nobody said.
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// The call's id, unique within its turn.
    pub fn call(&self) -> &str {
        &self.call
    }

    /// Triggered when the call is to stop.
    pub const fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// The folder that the run works in. Tools that are confined hold their own.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The names of the agents between the person's and the one that calls, the outermost first.
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// Whose conversation it is, where that was told.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// What the call's [`preview`](crate::Tool::preview) said when it was approved; `None` if nobody
    /// had to approve it. The runner has looked once more right before the call. A tool that
    /// compares this with what it opened leaves no time in between.
    pub const fn approved(&self) -> Option<&Preview> {
        self.approved.as_ref()
    }

    /// The budget of the run, which counts for all that the call runs; `None` outside a run.
    pub const fn budget(&self) -> Option<&Budget> {
        self.budget.as_ref()
    }

    /// Collects output of any length: what it keeps is never more than the call may give.
    pub fn head_tail(&self) -> HeadTail {
        HeadTail::new(self.output_cap)
    }

    /// Shows a piece of partial output, on a channel such as `stdout`; the pieces of a channel are
    /// numbered from 0 in each attempt. Waits while whoever listens is behind. A call that shows
    /// progress is not idle, and is not while it waits for that.
    pub async fn progress(&self, channel: &str, content: impl Into<String>) {
        let (id, channel, content) = (self.call.clone(), channel.to_owned(), content.into());
        let Some((attempt, place)) = self.place().await else { return };
        // Counted and sent at once, so that the numbers come in order and without gaps.
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let next = told.entry(channel.clone()).or_default();
        let n = *next;
        *next += 1;
        place.send((attempt, CallUpdate::Progress(Progress { id, channel, n, content })));
    }

    /// Shows an event of an agent that the call runs. As [`progress`](Self::progress) else.
    pub async fn inner(&self, entry: Entry) {
        if let Some((attempt, place)) = self.place().await {
            place.send((attempt, CallUpdate::Inner(Box::new(entry))));
        }
    }

    /// Does work that is not dropped when the call is: it looks at the call's stop sign, which is up
    /// by then, and ends soon. Whoever stopped the call waits for that, some seconds at most
    /// ([`Runner::drain`](crate::Runner::drain)).
    ///
    /// # Errors
    ///
    /// A failure if the work panicked.
    pub async fn run_to_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ToolError> {
        let Some(shelter) = &self.shelter else { return Ok(work.await) };
        let (done, came) = oneshot::channel();
        shelter.take(async move {
            // Whoever was dropped does not want to know.
            let _ = done.send(work.await);
        });
        came.await.map_err(|_| ToolError::new("it panicked, or the program is shutting down"))
    }

    /// Waits for a place in the channel; `None` if nobody listens.
    async fn place(&self) -> Option<(u64, mpsc::Permit<'_, (u64, CallUpdate)>)> {
        let _beat = self.pulse.pending();
        let (attempt, to) = self.heard.as_ref()?;
        Some((*attempt, to.reserve().await.ok()?))
    }

    /// Bytes of text that the call may give.
    pub(crate) const fn output_cap(&self) -> usize {
        self.output_cap
    }

    pub(crate) fn pulse(&self) -> &ActivityMonitor {
        &self.pulse
    }
}

/// Bytes of text that a call may give where nobody says otherwise.
pub(crate) const OUTPUT_CAP: usize = 256 * 1024;
