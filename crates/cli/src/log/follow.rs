//! `silcrow log --follow`, which follows a conversation through runs as `tail -f` follows a file.
//!
//! Events arrive as they are stored, from any process. Now and then the follower looks whether the
//! conversation is still the one that it prints.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_console::interrupt;
use silcrow_console::printer::write_json;
use silcrow_event::{Entry, Event};
use silcrow_exec::CancellationToken;
use silcrow_history::entry_line;
use silcrow_sanitize::sanitize_line;
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error, ErrorKind, Store};
use tokio::time::timeout;

use crate::conversation::resolved_or_typed;
use crate::failure::{Failure, written};
use crate::host::host;
use crate::places::{StorePlace, failure};

/// Prints a conversation from its beginning and continues with what is added to it, from run to
/// run, until Ctrl-C.
pub(crate) async fn follow(
    place: &StorePlace,
    conversation: &str,
    for_programs: bool,
) -> Result<(), Failure> {
    let cancel = CancellationToken::new();
    let interruption = interrupt::watch(cancel.clone())
        .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
    let store = place.open_stored(&host()).await?.store();
    let conversation = &*resolved_or_typed(&*store, conversation).await?;
    let mut follower = LogPrinter {
        store: &*store,
        files: KeptFiles::open(place),
        conversation,
        for_programs,
        after: 0,
        last: None,
        waits: false,
    };
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Failure::interrupted(interruption.signal())),
        ControlFlow::Break(done) = follower.go() => done,
    }
}

struct LogPrinter<'a> {
    store: &'a dyn Store,
    files: KeptFiles,
    conversation: &'a str,
    for_programs: bool,
    /// The position of the last event that was printed or is damaged.
    after: u64,
    /// The entry that was printed last.
    last: Option<Entry>,
    /// Whether the person knows that the follower waits.
    waits: bool,
}

/// The decision to continue, or to end because of a failure or a closed output.
type FollowFlow<T> = ControlFlow<Result<(), Failure>, T>;

impl LogPrinter<'_> {
    async fn go(&mut self) -> FollowFlow<()> {
        loop {
            let error = self.print_until_error().await?;
            if error.kind() != ErrorKind::Damaged {
                return FollowFlow::Break(Err(failure(&error)));
            }
            self.pass_damage(error).await?;
        }
    }

    /// Prints what is stored and what is added to it.
    async fn print_until_error(&mut self) -> FollowFlow<Error> {
        let mut entries = self.store.follow(self.conversation, self.after).ready_chunks(PAGE);
        loop {
            let Ok(next) = timeout(PACE, entries.next()).await else {
                self.check().await?;
                self.say_that_it_waits();
                continue;
            };
            // What was read before this check is of the conversation that was printed.
            self.check().await?;
            for entry in next.unwrap_or_default() {
                match entry {
                    Ok(entry) => self.print(entry)?,
                    Err(error) => return FollowFlow::Continue(error),
                }
            }
        }
    }

    /// Names the damaged events of the next page that has some, and prints the others.
    async fn pass_damage(&mut self, error: Error) -> FollowFlow<()> {
        // What is added from here on is not passed, because it is read later.
        let head = match self.store.head(self.conversation).await {
            Ok(head) => head,
            Err(error) => return FollowFlow::Break(Err(failure(&error))),
        };
        let mut report = Report::default();
        while report.damage.is_empty() {
            let page = self.after + 1..=head.min(self.after + PAGE as u64);
            if page.is_empty() {
                return FollowFlow::Break(Err(failure(&error)));
            }
            let last = *page.end();
            let read = match read_whole(self.store, self.conversation, page, &mut report).await {
                Ok(read) => read,
                Err(error) => return FollowFlow::Break(Err(failure(&error))),
            };
            for damage in &report.damage {
                let named = damage.place.to_string();
                // If stderr is closed, the notice is lost.
                let _ = writeln!(io::stderr(), "silcrow: damaged: {}", sanitize_line(&named));
            }
            read.into_iter().try_for_each(|entry| self.print(entry))?;
            self.after = last;
        }
        FollowFlow::Continue(())
    }

    /// Ends if the entry that was printed last is no longer there: the conversation or the store
    /// was removed, even if another one now has its name.
    async fn check(&self) -> FollowFlow<()> {
        if !self.files.are_in_place() {
            return removed();
        }
        let Some(last) = &self.last else { return FollowFlow::Continue(()) };
        let position = last.seq.unwrap_or_default();
        match self.store.read(self.conversation, position..=position).await {
            Ok(read) if read.first() == Some(last) => FollowFlow::Continue(()),
            Ok(_) => removed(),
            Err(error) if error.kind() == ErrorKind::Damaged => FollowFlow::Continue(()),
            Err(error) => FollowFlow::Break(Err(failure(&error))),
        }
    }

    /// Says once that everything was printed, unless the last event shows that a run continues.
    fn say_that_it_waits(&mut self) {
        let event = self.last.as_ref().map(|last| &last.event);
        let is_over = match event {
            None | Some(Event::Cancelled { .. }) => true,
            Some(Event::Respond(respond)) => respond.malformed.is_none(),
            Some(_) => false,
        };
        if is_over && !self.waits {
            let id = sanitize_line(self.conversation);
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "silcrow: waiting for a run to continue {id}");
            self.waits = true;
        }
    }

    /// Prints an entry as a whole line, so that Ctrl-C stops between two lines.
    fn print(&mut self, entry: Entry) -> FollowFlow<()> {
        let mut out = io::stdout().lock();
        let printed = match self.for_programs {
            true => write_json(&mut out, &entry.to_json()),
            false => writeln!(out, "{}", entry_line(&entry)),
        };
        self.after = entry.seq.unwrap_or(self.after + 1);
        self.last = Some(entry);
        self.waits = false;
        match printed.and_then(|()| out.flush()) {
            Ok(()) => FollowFlow::Continue(()),
            Err(error) => FollowFlow::Break(written(Err(error))),
        }
    }
}

/// Returns the failure for a conversation that was removed.
fn removed<T>() -> FollowFlow<T> {
    let why = "the conversation was removed meanwhile; follow it from its beginning";
    FollowFlow::Break(Err(Failure::running(why)))
}

/// The files that show whether a store is still where it was opened. A database has none.
///
/// They stay open, so no new file gets the number of one of them.
struct KeptFiles(Vec<(PathBuf, File)>);

impl KeptFiles {
    fn open(place: &StorePlace) -> Self {
        let StorePlace::Folder(folder) = place else { return Self(Vec::new()) };
        let paths = [folder.to_owned(), folder.join("LOCK")];
        let open = |path: PathBuf| File::open(&path).ok().map(|file| (path, file));
        Self(paths.into_iter().filter_map(open).collect())
    }

    fn are_in_place(&self) -> bool {
        self.0.iter().all(|(path, file)| {
            let (Ok(found), Ok(kept)) = (fs::metadata(path), file.metadata()) else { return false };
            (found.dev(), found.ino()) == (kept.dev(), kept.ino())
        })
    }
}

/// The greatest number of entries that are printed between two checks.
const PAGE: usize = 64;

/// The time between two checks while nothing is added.
const PACE: Duration = Duration::from_millis(250);
