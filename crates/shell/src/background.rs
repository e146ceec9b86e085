//! Commands that run in the background, each with its output since it was last read.
//!
//! A command is *running* until its last process has ended, and *ended* from then on. One that has
//! ended is forgotten when its end was read. All commands are stopped when the tool is dropped.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use silcrow_event::Truncation;
use silcrow_tool::{CallContext, KeptOutcome, ToolError, ToolOutput};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::early_changes::EarlyChanges;
use crate::kept::KeptCommandFiles;
use crate::last_lines::LastLines;
use crate::output::CommandOutput;
use crate::protected_notices::with_early;
use crate::running::{EndedCommand, RunningCommand};

/// The background commands of a tool.
#[derive(Debug, Default)]
pub(crate) struct BackgroundCommands(Mutex<Registered>);

#[derive(Debug, Default)]
struct Registered {
    last: u64,
    commands: BTreeMap<u64, Arc<BackgroundCommand>>,
}

/// A command that runs in the background, or has.
#[derive(Debug)]
pub(crate) struct BackgroundCommand {
    pub(crate) command: String,
    pub(crate) folder: String,
    pub(crate) since: Instant,
    conversation: String,
    early: EarlyChanges,
    /// The output that was not read yet.
    unread: Arc<Mutex<CommandOutput>>,
    /// Its latest output, whether it was read or not.
    last: Arc<Mutex<LastLines>>,
    /// Tells the task to stop the command.
    stop: watch::Sender<bool>,
    state: watch::Receiver<BackgroundState>,
    task: JoinHandle<()>,
}

/// The activity of a background command.
#[derive(Clone, Debug, Default)]
pub(crate) struct BackgroundState {
    /// The number of pieces of output so far.
    pieces: u64,
    /// How it ended; `None` while it runs.
    pub(crate) ended: Option<Result<EndedCommand, ToolError>>,
    /// Its changes to files since the last look at them, once it has ended.
    pub(crate) changed: KeptOutcome,
}

impl BackgroundCommands {
    /// Keeps a command that runs, and returns its id.
    pub(crate) fn add(
        &self,
        context: &CallContext,
        command: &str,
        folder: &str,
        running: RunningCommand,
        kept: KeptCommandFiles,
    ) -> Result<String, ToolError> {
        let mut registered = self.lock();
        let running_now = registered.commands.values().filter(|one| one.state().ended.is_none());
        if running_now.count() >= MOST {
            let words = format!(
                "{MOST} commands run in the background already; stop one with `shell_processes`"
            );
            return Err(ToolError::new(words));
        }
        let unread = Arc::new(Mutex::new(CommandOutput::new()));
        let last = Arc::new(Mutex::new(LastLines::new()));
        let (stop, stopped) = watch::channel(false);
        let (sender, state) = watch::channel(BackgroundState::default());
        let early = running.early_changes();
        let task = tokio::spawn(watch_over(
            running,
            kept,
            (Arc::clone(&unread), Arc::clone(&last)),
            stopped,
            sender,
        ));
        registered.last += 1;
        let id = registered.last;
        let (command, folder) = (command.to_owned(), folder.to_owned());
        let conversation = context.conversation_id().to_owned();
        let since = Instant::now();
        let kept = BackgroundCommand {
            command,
            folder,
            since,
            conversation,
            early,
            unread,
            last,
            stop,
            state,
            task,
        };
        registered.commands.insert(id, Arc::new(kept));
        Ok(format!("p{id}"))
    }

    /// Returns the commands of a conversation with their ids.
    pub(crate) fn list(&self, context: &CallContext) -> Vec<(String, Arc<BackgroundCommand>)> {
        self.of_conversation(context.conversation_id())
    }

    /// Returns the commands of the conversation of this id, with their ids.
    pub(crate) fn of_conversation(
        &self,
        conversation: &str,
    ) -> Vec<(String, Arc<BackgroundCommand>)> {
        let registered = self.lock();
        let own = registered.commands.iter().filter(|(_, one)| one.conversation == conversation);
        own.map(|(id, one)| (format!("p{id}"), Arc::clone(one))).collect()
    }

    /// Returns the command with this id, if it belongs to the conversation.
    pub(crate) fn find(
        &self,
        context: &CallContext,
        id: &str,
    ) -> Result<Arc<BackgroundCommand>, ToolError> {
        let own = self.list(context);
        let ids: Vec<_> = own.iter().map(|(id, _)| id.clone()).collect();
        let found = own.into_iter().find(|(known, _)| known == id);
        found.map(|(_, one)| one).ok_or_else(|| {
            ToolError::new(match &*ids {
                [] => format!("unknown background command {id:?}; none was started"),
                ids => {
                    format!("unknown background command {id:?}; use one of {}", ids.join(", "))
                }
            })
        })
    }

    /// Adds to the result of another call the changes that a conversation's commands have made
    /// meanwhile to files that programs run automatically.
    pub(crate) fn with_early_changes(
        &self,
        context: &CallContext,
        output: ToolOutput,
    ) -> ToolOutput {
        self.list(context).iter().fold(output, |output, (_, one)| one.with_early_changes(output))
    }

    /// Forgets a command.
    pub(crate) fn forget(&self, forgotten: &Arc<BackgroundCommand>) {
        self.lock().commands.retain(|_, one| !Arc::ptr_eq(one, forgotten));
    }

    fn lock(&self) -> MutexGuard<'_, Registered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BackgroundCommand {
    pub(crate) fn state(&self) -> BackgroundState {
        self.state.borrow().clone()
    }

    /// Adds the command's unread changes to files that programs run automatically.
    pub(crate) fn with_early_changes(&self, output: ToolOutput) -> ToolOutput {
        // At its end they are in its outcome.
        with_early(output, &self.early.take())
    }

    /// Takes the output that was not read yet, and the size of the omitted part. After the end of
    /// the command this is all of it.
    pub(crate) fn take_unread(&self, has_ended: bool) -> (String, Option<Truncation>) {
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        match has_ended {
            true => std::mem::replace(&mut *unread, CommandOutput::new()).finish(),
            false => unread.take(),
        }
    }

    /// Returns the last lines that it wrote.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).lines()
    }

    /// Returns whether there is output that was not read yet.
    fn has_unread(&self) -> bool {
        !self.unread.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Waits until there is something to read, or until the command has ended, for a while.
    pub(crate) async fn wait_for_news(&self, longest: Duration) {
        let mut state = self.state.clone();
        let news = state.wait_for(|state| state.ended.is_some() || self.has_unread());
        // Without news the model reads that there is nothing.
        let _ = timeout(longest, news).await;
    }

    /// Stops the command, and waits until its last process has ended.
    pub(crate) async fn stop(&self) {
        // It fails if the command has ended.
        let _ = self.stop.send(true);
        let mut state = self.state.clone();
        let _ = state.wait_for(|state| state.ended.is_some()).await;
    }
}

impl Drop for BackgroundCommand {
    /// Drops the running command, which stops it.
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Collects the output of a command until it has ended.
async fn watch_over(
    mut running: RunningCommand,
    kept: KeptCommandFiles,
    (unread, last): (Arc<Mutex<CommandOutput>>, Arc<Mutex<LastLines>>),
    mut stopped: watch::Receiver<bool>,
    state: watch::Sender<BackgroundState>,
) {
    let mut is_stopped = false;
    loop {
        let next = tokio::select! {
            next = running.next() => next,
            _ = stopped.wait_for(|stop| *stop), if !is_stopped => {
                running.stop();
                is_stopped = true;
                continue;
            }
        };
        let Some((channel, bytes)) = next else { break };
        unread.lock().unwrap_or_else(PoisonError::into_inner).push(channel, &bytes);
        last.lock().unwrap_or_else(PoisonError::into_inner).push(&bytes);
        state.send_modify(|state| state.pieces += 1);
    }
    let ended = running.end().await;
    let changed = kept.end().await;
    state.send_modify(|state| {
        state.changed = changed;
        state.ended = Some(ended);
    });
}

/// The number of commands that may run in the background at once.
const MOST: usize = 8;
