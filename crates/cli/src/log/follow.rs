//! `silcrow log --follow`, which follows a conversation through runs as `tail -f` follows a file.
//!
//! A follower reads from a process that shares the store, reads the free store, or waits for a run.
//! It looks again after a pause whenever one of these is over.

use std::fs;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use silcrow_event::{Entry, read_entry};
use silcrow_exec::CancellationToken;
use silcrow_sanitize::sanitize_line;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_sled::{Options, SledStore};
use tokio::time::sleep;

use super::show::line;
use crate::failure::{Failure, written};
use crate::interrupt;
use crate::places::failure;
use crate::printer::write_json;
use crate::share::{Remote, StoreRequest, StoreResponse};

/// Prints a conversation from its beginning and continues with what is added to it, from run to
/// run, until Ctrl-C.
///
/// It fails if the process that it reads from is killed.
pub(crate) async fn follow(
    folder: &Path,
    conversation: &str,
    for_programs: bool,
) -> Result<(), Failure> {
    let cancel = CancellationToken::new();
    interrupt::watch(cancel.clone())
        .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
    let mut follower = LogPrinter { folder, conversation, for_programs, last: None, mark: None };
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Failure::interrupted()),
        done = follower.go() => done,
    }
}

struct LogPrinter<'a> {
    folder: &'a Path,
    conversation: &'a str,
    for_programs: bool,
    /// The entry that was printed last.
    last: Option<Entry>,
    /// The content of [`MARK`] when the store was last read directly.
    mark: Option<Vec<u8>>,
}

/// The decision to continue, or to end because of a failure or a closed output.
type FollowFlow<T> = ControlFlow<Result<(), Failure>, T>;

impl LogPrinter<'_> {
    async fn go(&mut self) -> Result<(), Failure> {
        let mut waits = false;
        loop {
            match self.look().await {
                FollowFlow::Break(done) => return done,
                FollowFlow::Continue(true) => waits = false,
                FollowFlow::Continue(false) => {}
            }
            if !waits {
                let id = sanitize_line(self.conversation);
                // If stderr is closed, the notice is lost.
                let _ = writeln!(io::stderr(), "silcrow: waiting for a run to continue {id}");
                waits = true;
            }
            sleep(PACE).await;
        }
    }

    /// Prints what is new. Returns whether a process shared the store meanwhile and has ended.
    async fn look(&mut self) -> FollowFlow<bool> {
        let shared = self.by_way_of_another().await?;
        if !shared {
            self.alone().await?;
        }
        FollowFlow::Continue(shared)
    }

    /// Follows the conversation through a process that shares the store, until that process ends.
    /// Returns whether there was one.
    async fn by_way_of_another(&mut self) -> FollowFlow<bool> {
        let after = self.next() - 1;
        let request = StoreRequest::Follow { conversation: self.conversation.to_owned(), after };
        let mut answers = match Remote::ask(self.folder, &request).await {
            Ok(Some(answers)) => answers,
            Ok(None) => return FollowFlow::Continue(false),
            Err(error) => return FollowFlow::Break(Err(failure(&error))),
        };
        loop {
            match answers.next().await {
                Ok(StoreResponse::Item(json)) => match read_entry(&json) {
                    Ok(entry) => self.print(entry)?,
                    Err(why) => {
                        let why = format!("what was stored cannot be read: {why}");
                        return FollowFlow::Break(Err(Failure::running(why)));
                    }
                },
                Ok(_) => return FollowFlow::Continue(true),
                Err(error) => return FollowFlow::Break(Err(failure(&error))),
            }
        }
    }

    /// Reads what was added to a store that no process has open. The store is closed before
    /// anything is printed, so that the next run can open it however slowly the output is read.
    async fn alone(&mut self) -> FollowFlow<()> {
        let mark = fs::read(self.folder.join(MARK)).unwrap_or_default();
        if self.mark.as_ref() == Some(&mark) {
            return FollowFlow::Continue(());
        }
        if !self.folder.exists() {
            return removed();
        }
        let store = match SledStore::open(self.folder, Options::default()).await {
            Ok(store) => store,
            // A run begins or ends, or another command reads the store.
            Err(error) if error.kind() == ErrorKind::Locked => return FollowFlow::Continue(()),
            Err(error) => return FollowFlow::Break(Err(failure(&error))),
        };
        let read = store.read(self.conversation, self.next()..=u64::MAX).await;
        drop(store);
        match read {
            Ok(entries) if entries.is_empty() && self.last.is_some() => removed(),
            Ok(entries) => {
                self.mark = Some(mark);
                entries.into_iter().try_for_each(|entry| self.print(entry))
            }
            Err(error) => FollowFlow::Break(Err(failure(&error))),
        }
    }

    /// Returns the position to read from. It is that of the last printed entry, to check that the
    /// entry still exists.
    fn next(&self) -> u64 {
        self.last.as_ref().and_then(|last| last.seq).unwrap_or(1)
    }

    /// Prints an entry as a whole line, so that Ctrl-C stops between two lines.
    fn print(&mut self, entry: Entry) -> FollowFlow<()> {
        if let Some(last) = self.last.take_if(|last| entry.seq <= last.seq) {
            let is_same = last == entry;
            self.last = Some(last);
            return if is_same { FollowFlow::Continue(()) } else { removed() };
        }
        let mut out = io::stdout().lock();
        let printed = match self.for_programs {
            true => write_json(&mut out, &entry.to_json()),
            false => writeln!(out, "{}", line(&entry)),
        };
        self.last = Some(entry);
        match printed.and_then(|()| out.flush()) {
            Ok(()) => FollowFlow::Continue(()),
            Err(error) => FollowFlow::Break(written(Err(error))),
        }
    }
}

/// Returns the failure for a conversation that was removed, even if another one now has its id.
fn removed() -> FollowFlow<()> {
    let why = "the conversation was removed meanwhile; follow it from its beginning";
    FollowFlow::Break(Err(Failure::running(why)))
}

/// The file in the store's folder that changes with every group of events.
const MARK: &str = "MARK";

/// The pause between two checks for a run.
const PACE: Duration = Duration::from_millis(100);
