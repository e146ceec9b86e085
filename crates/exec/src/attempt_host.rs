//! The receiver of a running call's messages: reports go to the runner, and questions to the wall.
//!
//! This module keeps updates in order.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{CallChanges, Entry, FileDelta, Grants, Progress};
use silcrow_sanitize::{SecretMasker, Secrets};
use silcrow_tool::{CallHost, CancellationToken, Scope};
use tokio::sync::mpsc;
use tracing::Instrument as _;

use crate::activity::ActivityMonitor;
use crate::masked::mask_text;
use crate::task_tracker::TaskTrackerHandle;
use crate::update::CallUpdate;
use crate::wall::{OVER, WallLine};

/// The host of one attempt at a call, or of its previews.
#[derive(Debug)]
pub(crate) struct AttemptHost {
    call_id: String,
    secrets: Secrets,
    cancellation: CancellationToken,
    tracker: TaskTrackerHandle,
    updates: Option<UpdateSender>,
    channels: Mutex<BTreeMap<String, ProgressChannel>>,
    activity: ActivityMonitor,
    /// The channel to the wall, at which doors are asked for.
    wall: Option<WallLine>,
    /// Gets a message when the tool begins, and is dropped with the host, which shows when nothing
    /// of the attempt runs any more.
    over: Option<mpsc::Sender<()>>,
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

/// The number of an attempt, and the channel of its updates.
type UpdateSender = (u64, mpsc::Sender<(u64, Box<CallUpdate>)>);

impl AttemptHost {
    /// Creates the host of a call without receivers, such as one that is previewed.
    pub(crate) fn new(scope: &Scope, call_id: &str, tracker: TaskTrackerHandle) -> Self {
        Self {
            call_id: call_id.to_owned(),
            secrets: scope.secrets.clone(),
            cancellation: scope.cancellation.clone(),
            tracker,
            updates: None,
            channels: Mutex::default(),
            activity: ActivityMonitor::default(),
            wall: None,
            over: None,
        }
    }

    /// Sets the sender that reports the beginning of the tool, and is dropped when nothing of the
    /// attempt runs any more.
    pub(crate) fn with_end(self, over: Option<mpsc::Sender<()>>) -> Self {
        Self { over, ..self }
    }

    /// Notes that the tool begins.
    pub(crate) fn begin(&self) {
        if let Some(over) = &self.over {
            // It is sent once, and has room.
            let _ = over.try_send(());
        }
    }

    /// Sets the receiver of the call's updates.
    pub(crate) fn with_updates(self, updates: UpdateSender) -> Self {
        Self { updates: Some(updates), ..self }
    }

    /// Sets the wall at which the call asks for doors while it runs.
    pub(crate) fn at_wall(self, wall: WallLine) -> Self {
        Self { wall: Some(wall), ..self }
    }

    pub(crate) const fn activity(&self) -> &ActivityMonitor {
        &self.activity
    }

    /// Reports the ends of all channels that might have become a part of a secret.
    pub(crate) async fn finish_progress(&self) {
        if self.secrets.is_empty() {
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
            self.report(CallUpdate::Progress(progress)).await;
        }
    }

    /// Reports which files the call has changed, with secrets masked.
    pub(crate) async fn report_changes(&self, mut files: Vec<FileDelta>) {
        if files.is_empty() {
            return;
        }
        for file in &mut files {
            mask_text(&mut file.hunks, &self.secrets);
        }
        let changes = CallChanges { id: self.call_id.clone(), files };
        self.report(CallUpdate::Changed(changes)).await;
    }

    /// Reports that an attempt begins, before anything else about it.
    pub(crate) async fn report_start(&self, attempt: u32, args: &str) {
        let (id, args) = (self.call_id.clone(), args.to_owned());
        self.report(CallUpdate::Started { id, attempt, args }).await;
    }

    /// Reports that the call gets a recorded result.
    pub(crate) async fn report_recorded(&self) {
        self.report(CallUpdate::Recorded { id: self.call_id.clone() }).await;
    }

    async fn report(&self, update: CallUpdate) {
        if let Some((attempt, permit)) = self.reserve().await {
            permit.send((attempt, Box::new(update)));
        }
    }

    /// Waits for a place in the channel; `None` if nobody receives updates.
    async fn reserve(&self) -> Option<(u64, mpsc::Permit<'_, (u64, Box<CallUpdate>)>)> {
        let _pending = self.activity.pending();
        let (attempt, sender) = self.updates.as_ref()?;
        Some((*attempt, sender.reserve().await.ok()?))
    }
}

impl CallHost for AttemptHost {
    fn progress<'a>(&'a self, channel: &'a str, content: String) -> BoxFuture<'a, ()> {
        async move {
            let Some((attempt, permit)) = self.reserve().await else { return };
            // One lock covers counting and sending, so the numbers arrive in order and without gaps.
            let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
            let state = channels.entry(channel.to_owned()).or_insert_with(|| ProgressChannel {
                next: 0,
                masker: SecretMasker::new(self.secrets.clone()),
            });
            let content = match self.secrets.is_empty() {
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
            permit.send((attempt, Box::new(CallUpdate::Progress(progress))));
        }
        .boxed()
    }

    fn report_event(&self, entry: Entry) -> BoxFuture<'_, ()> {
        self.report(CallUpdate::AgentEvent(Box::new(entry))).boxed()
    }

    fn ask_for(&self, missing: Grants) -> BoxFuture<'_, Result<(), String>> {
        async move {
            let Some(wall) = &self.wall else {
                return Err(format!("nobody can be asked for {missing}"));
            };
            let _pending = self.activity.pending();
            tokio::select! {
                biased;
                () = self.cancellation.cancelled() => Err(OVER.to_owned()),
                answer = wall.ask(missing) => answer,
            }
        }
        .boxed()
    }

    fn run_to_end(&self, work: BoxFuture<'static, ()>) -> Option<BoxFuture<'static, ()>> {
        let over = self.over.clone();
        let work = async move {
            work.await;
            drop(over);
        };
        self.tracker.take(work.in_current_span());
        None
    }
}
