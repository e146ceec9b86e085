//! A conversation as a stream of native messages: its log, its runs, and events that other
//! processes store.
//!
//! A follower *reads a run* while one is at work here, and *reads the log* otherwise. It checks for
//! a run before it takes an event of the log, so it never passes the pieces of a run.

use std::sync::Arc;

use futures_util::StreamExt as _;
use silcrow_event::{Entry, RunEventRef};
use silcrow_front::{NativeEncoder, RunEncoder as _};
use silcrow_store::{Error, Store};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::live_run::{LiveRun, RunOutput};
use crate::position::MessagePosition;
use crate::run_reader::{RunItem, RunReader};
use crate::runs::{FollowedConversation, Runs};

/// Follows a conversation after a position.
pub(crate) struct ConversationFeed {
    runs: Arc<Runs>,
    store: Arc<dyn Store>,
    conversation: String,
    at: MessagePosition,
    begun: watch::Receiver<u64>,
    /// The id of the run whose end was read.
    read: Option<String>,
    /// A message that comes before all others.
    first: Option<String>,
    /// Whether pieces of texts and calls are sent before their events.
    has_chunks: bool,
    state: FollowerState,
    _followed: FollowedConversation,
}

enum FollowerState {
    /// It is not known whether a run is at work.
    Seeking,
    /// Reads this run.
    Run(Arc<LiveRun>, Box<RunReader>),
    Log(LogFeed),
}

impl ConversationFeed {
    /// Begins to follow, so that nothing is missed from now on.
    pub(crate) fn new(
        runs: Arc<Runs>,
        store: Arc<dyn Store>,
        conversation: String,
        after: MessagePosition,
    ) -> Self {
        let (begun, state) = (runs.begun(), FollowerState::Seeking);
        let (read, first) = (None, None);
        let followed = runs.follow(&conversation);
        let mut follower = Self {
            runs,
            store,
            conversation,
            at: after,
            begun,
            read,
            first,
            has_chunks: true,
            state,
            _followed: followed,
        };
        follower.first = follower.seek();
        follower
    }

    /// Begins to follow for a client that has to forget everything.
    pub(crate) fn anew(runs: Arc<Runs>, store: Arc<dyn Store>, conversation: String) -> Self {
        let follower = Self::new(runs, store, conversation, (0, 0));
        Self { first: Some(reset(0)), ..follower }
    }

    /// Leaves out the pieces of texts and calls, if they are not wanted: each text and each call then
    /// comes once, as its event.
    pub(crate) fn with_chunks(self, has_chunks: bool) -> Self {
        Self { has_chunks, ..self }
    }

    /// Waits for the next message; `None` if the reader was too slow or the log cannot be read.
    /// Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<String> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            match &mut self.state {
                FollowerState::Seeking => {
                    if let Some(reset) = self.seek() {
                        return Some(reset);
                    }
                }
                FollowerState::Run(run, reader) => {
                    let item = reader.next().await.ok()?;
                    self.at = reader.position();
                    match item {
                        RunItem::Reset(seq) => return Some(reset(seq)),
                        RunItem::Stored(entry) => return Some(frame(&entry)),
                        // The stored events follow, with a reset before them.
                        RunItem::Cut if run.is_broken() => {
                            (self.read, self.state) = (None, FollowerState::Seeking);
                        }
                        RunItem::Cut => return None,
                        RunItem::Over => {
                            self.read = Some(run.id.clone());
                            self.state = FollowerState::Seeking;
                        }
                        RunItem::Live(message) => {
                            if matches!(message.output, RunOutput::End(_)) {
                                self.read = Some(run.id.clone());
                                self.state = FollowerState::Seeking;
                            }
                            if message.is_native && (self.has_chunks || !message.is_chunk()) {
                                return Some(message.frame());
                            }
                        }
                    }
                }
                FollowerState::Log(feed) => {
                    tokio::select! {
                        biased;
                        // The wait cannot fail, because the runs hold the sender.
                        _ = self.begun.changed() => {
                            if unread(&self.runs, &self.conversation, &self.read).is_some() {
                                self.state = FollowerState::Seeking;
                            }
                        }
                        entry = feed.next() => {
                            let entry = entry?.ok()?;
                            self.at = (entry.seq.unwrap_or(self.at.0 + 1), 0);
                            return Some(frame(&entry));
                        }
                    }
                }
            }
        }
    }

    /// Finds the source to read. Returns a message if pieces that the client has are gone.
    fn seek(&mut self) -> Option<String> {
        self.begun.borrow_and_update();
        if let Some(run) = unread(&self.runs, &self.conversation, &self.read) {
            let reader = RunReader::new(&run, Arc::clone(&self.store), self.at);
            self.state = FollowerState::Run(run, Box::new(reader));
            return None;
        }
        let feed = LogFeed::new(Arc::clone(&self.store), self.conversation.clone(), self.at.0);
        self.state = FollowerState::Log(feed);
        // The end of a run that was read here needs no reset.
        if self.read.is_some() || self.at.1 == 0 {
            return None;
        }
        self.at.1 = 0;
        Some(reset(self.at.0))
    }
}

/// Returns the last run of a conversation, unless its end was read.
fn unread(runs: &Runs, conversation: &str, read: &Option<String>) -> Option<Arc<LiveRun>> {
    let run = runs.latest(conversation).filter(|run| read.as_ref() != Some(&run.id));
    run.filter(|run| !run.is_broken())
}

/// Follows a log in its own task, which ends with this value.
struct LogFeed {
    entries: mpsc::Receiver<Result<Entry, Error>>,
    _task: JoinSet<()>,
}

impl LogFeed {
    fn new(store: Arc<dyn Store>, conversation: String, after: u64) -> Self {
        let (sender, entries) = mpsc::channel(1);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut followed = store.follow(&conversation, after);
            while let Some(entry) = followed.next().await {
                if sender.send(entry).await.is_err() {
                    return;
                }
            }
        });
        Self { entries, _task: task }
    }

    /// Waits for the next entry. Cancel-safe.
    async fn next(&mut self) -> Option<Result<Entry, Error>> {
        self.entries.recv().await
    }
}

/// Writes a stored event as a native message.
fn frame(entry: &Entry) -> String {
    let mut frame = String::new();
    let before = entry.seq.unwrap_or_default().saturating_sub(1);
    NativeEncoder::after(before, 0).encode(RunEventRef::Entry(entry), &mut frame);
    frame
}

fn reset(seq: u64) -> String {
    format!("id: {seq}.0\nevent: reset\ndata: {{\"type\":\"reset\",\"seq\":{seq}}}\n\n")
}
