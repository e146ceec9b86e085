//! The changes that other processes make in the conversations of a user, for their journal.
//!
//! The runs of this server publish their events directly. All other new events of a log are
//! published here, while the journal has readers: each event once, without the pieces that only its
//! own process had.

use std::sync::Arc;
use std::time::{Duration, Instant};

use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error, Store};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::conversations::is_inside;
use crate::journal::UserJournal;
use crate::runs::Runs;
use crate::server::Server;

impl Server {
    /// Publishes in the journal of a user the events that other processes store from now on, and
    /// have stored since it was last read.
    pub(crate) async fn watch_others(
        &self,
        journal: &Arc<UserJournal>,
        user: Option<&str>,
    ) -> Result<(), Error> {
        let watch = JournalWatch {
            store: Arc::clone(&self.store),
            runs: Arc::clone(&self.runs),
            journal: Arc::clone(journal),
            user: user.map(str::to_owned),
        };
        if !journal.begin_watch() {
            return Ok(());
        }
        let (looked, first) = oneshot::channel();
        let closing = self.closing.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = closing.cancelled() => {}
                () = watch.go_on(looked) => {}
            }
        });
        // Without an outcome the server is about to stop.
        first.await.unwrap_or(Ok(()))
    }
}

struct JournalWatch {
    store: Arc<dyn Store>,
    runs: Arc<Runs>,
    journal: Arc<UserJournal>,
    user: Option<String>,
}

impl JournalWatch {
    /// Polls until the journal has no readers. Sends the outcome of the first look.
    async fn go_on(&self, looked: oneshot::Sender<Result<(), Error>>) {
        // A reader that has left is not waiting for it.
        let _ = looked.send(self.look().await);
        let mut pause = PAUSE;
        while !self.journal.end_watch_if_unread() {
            sleep(pause).await;
            let begun = Instant::now();
            // A store that cannot be read now may be readable later.
            let _ = self.look().await;
            // A list that takes long is asked for less often.
            pause = PAUSE.max(begun.elapsed() * SHARE);
        }
    }

    /// Publishes new events. Looking for the first time publishes nothing.
    async fn look(&self) -> Result<(), Error> {
        let known = self.journal.heads();
        let mut list = self.store.list(self.user.as_deref()).await?;
        list.retain(|one| one.user == self.user && !is_inside(&one.conversation));
        let Some(known) = known else {
            self.journal.set_heads(list.into_iter().map(|one| (one.conversation, one.events)));
            return Ok(());
        };
        for conversation in known.keys() {
            if !list.iter().any(|one| one.conversation == *conversation) {
                self.journal.publish_gone(conversation);
            }
        }
        // The one that has changed last comes last.
        for one in list.iter().rev() {
            let before = known.get(&one.conversation).copied().unwrap_or_default();
            if one.events < before {
                self.journal.publish_gone(&one.conversation);
            }
            // A run that is at work here or is mirrored publishes its own events.
            let is_here = self.runs.busy_with(&one.conversation).is_some()
                || self.runs.readable(&one.conversation).is_some();
            if one.events == before || is_here {
                continue;
            }
            let first = if one.events < before { 1 } else { before + 1 };
            let first = first.max(one.events.saturating_sub(MOST));
            let positions = first..=one.events;
            // Damaged events are left out.
            let damage = &mut Report::default();
            let new = read_whole(&*self.store, &one.conversation, positions, damage).await?;
            self.journal.publish_stored(&one.conversation, &new);
        }
        Ok(())
    }
}

/// The shortest time between two looks.
const PAUSE: Duration = Duration::from_millis(250);

/// A look takes at most one part in this many of the time.
const SHARE: u32 = 50;

/// The most events of a conversation that are published at once, less one. A reader that sees a gap
/// reads the conversation.
const MOST: u64 = 63;
