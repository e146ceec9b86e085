use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_event::{Entry, Progress};
use tokio::sync::{Notify, mpsc};

use crate::cancel::Cancel;
use crate::news::News;

/// What surrounds a call.
#[derive(Clone, Debug)]
pub struct Context {
    conversation: String,
    turn: u32,
    call: String,
    cancel: Cancel,
    root: Option<PathBuf>,
    path: Vec<String>,
    news: Option<mpsc::Sender<News>>,
    /// Pieces of progress so far, by channel.
    told: Arc<Mutex<BTreeMap<String, u64>>>,
    /// Notified with each piece of progress.
    pub(crate) alive: Arc<Notify>,
}

impl Context {
    /// Around the call of this id in a conversation; nobody hears of its progress.
    pub fn new(conversation: impl Into<String>, call: impl Into<String>, cancel: Cancel) -> Self {
        Self {
            conversation: conversation.into(),
            turn: 0,
            call: call.into(),
            cancel,
            root: None,
            path: Vec::new(),
            news: None,
            told: Arc::default(),
            alive: Arc::default(),
        }
    }

    /// The same around the conversation's turn of this number.
    #[must_use]
    pub fn in_turn(self, turn: u32) -> Self {
        Self { turn, ..self }
    }

    /// The same with the folder that the run works in.
    #[must_use]
    pub fn at(self, root: Option<PathBuf>) -> Self {
        Self { root, ..self }
    }

    /// The same for a call of an agent that others called, the outermost first.
    #[must_use]
    pub fn within(self, path: Vec<String>) -> Self {
        Self { path, ..self }
    }

    /// The same with somebody who hears of its progress.
    #[must_use]
    pub(crate) fn telling(self, news: mpsc::Sender<News>) -> Self {
        Self { news: Some(news), ..self }
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
    pub const fn cancel(&self) -> &Cancel {
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

    /// Shows a piece of partial output, on a channel such as `stdout`. Waits while whoever listens
    /// is behind. A call that shows progress is not idle.
    pub async fn progress(&self, channel: &str, content: impl Into<String>) {
        self.alive.notify_one();
        let n = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let next = told.entry(channel.to_owned()).or_default();
            *next += 1;
            *next - 1
        };
        let (id, channel) = (self.call.clone(), channel.to_owned());
        self.tell(News::Progress(Progress { id, channel, n, content: content.into() })).await;
    }

    /// Shows an event of an agent that the call runs. As [`progress`](Self::progress) else.
    pub async fn inner(&self, entry: Entry) {
        self.alive.notify_one();
        self.tell(News::Inner(Box::new(entry))).await;
    }

    async fn tell(&self, news: News) {
        if let Some(to) = &self.news {
            // Whoever does not listen any more misses nothing.
            let _ = to.send(news).await;
        }
    }
}
